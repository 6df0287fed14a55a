//! Forms that no signature can express, because a part of them is a name. They are sorted here and have no semantics.

use super::ScriptReader;
use super::scope::Global;
use crate::Symbol;
use crate::sort::{Sort, SortKind};
use crate::term::TermId;
use auspex_syntax::Sexpr;

impl ScriptReader<'_> {
    /// `(name args…)` with a name that is not an operator: z3's subterm tests.
    pub(super) fn special_application(
        &mut self,
        sexpr: Sexpr<'_>,
        name: Symbol,
        args: &[TermId],
    ) -> Option<TermId> {
        let text = self.terms.symbols.name(name);
        let is_test = text == "is-subterm" || text.starts_with("is-") && text.ends_with("-subterm");
        let is_data = |term: &TermId| self.terms.data_of(self.terms.sort(*term)).is_some();
        if is_test && args.len() == 2 && args.iter().all(is_data) {
            let head = sexpr.item(0)?.text();
            return Some(self.terms.opaque(head, args, Sort::BOOL));
        }
        None
    }

    /// `(as ff3 (_ FiniteField 7))`, `(as @U_0 U)` and other constants named with their sort.
    pub(super) fn special_qualified(
        &mut self,
        head: Sexpr<'_>,
        name: &str,
        args: &[TermId],
        sort: Sort,
    ) -> Option<TermId> {
        let is_field = matches!(self.terms.sorts.kind(sort), SortKind::FiniteField(_));
        let known = name.starts_with("ff") && is_field || name.starts_with('@');
        known.then(|| self.terms.opaque(&head.flat_text(), args, sort))
    }

    /// z3's built-in lists, which scripts use without declaring them.
    pub(super) fn builtin_list(&mut self) -> crate::sort::DataId {
        self.uses_list = true;
        let id = self.list.unwrap_or_else(|| self.declare_builtin_list());
        self.list = Some(id);
        id
    }

    /// Declares `nil` and the others after a command that used lists. Inside the command this would depend on the
    /// order of terms, which a `let` changes.
    pub(super) fn declare_list_parts(&mut self) {
        let Some(id) = self.list.filter(|_| std::mem::take(&mut self.uses_list)) else {
            return;
        };
        let insert = self.terms.symbols.intern("insert");
        let visible = Global::Constructor(id, 1);
        if !self.scope.globals(insert).any(|global| global == visible) {
            self.declare_parts(id);
        }
    }
}
