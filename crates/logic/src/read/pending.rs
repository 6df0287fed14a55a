//! Constants whose sort depends on their context: a bare `nil` of a parametric datatype, a bare `seq.empty`. They are
//! opaque terms of unknown sort until an application around them determines it.

use super::ScriptReader;
use super::scope::Global;
use crate::intern::Symbol;
use crate::sort::{DataId, Sort, SortKind};
use crate::term::{Fun, Head, TermId};
use auspex_syntax::Sexpr;

impl ScriptReader<'_> {
    /// A parametric constructor without a sort.
    pub(super) fn pending_constructor(&mut self, name: Symbol) -> Option<TermId> {
        let is_constructor = |global| matches!(global, Global::Constructor(..));
        if !self.scope.globals(name).any(is_constructor) {
            return None;
        }
        Some(self.wait(name))
    }

    /// An operator that needs its result sort written with `as`, but lacks it.
    pub(super) fn pending_constant(&mut self, sexpr: Sexpr<'_>, name: Symbol) -> Option<TermId> {
        let rows = self.terms.rows_named(name).iter();
        let mut sigs = rows.map(|row| &self.terms.table.rows()[*row as usize].sig);
        let constant = sigs.any(|sig| sig.qualified && sig.params.is_empty());
        (constant && sexpr.symbol().is_some()).then(|| self.wait(name))
    }

    fn wait(&mut self, name: Symbol) -> TermId {
        let mut text = String::new();
        auspex_syntax::write_symbol(&mut text, self.terms.symbols.name(name));
        let term = self.terms.opaque(&text, &[], Sort::UNKNOWN);
        self.pending.push((term, name));
        term
    }

    /// A term that waits for a sort, given one. Any other term stays.
    pub(super) fn settle(&mut self, term: TermId, sort: Sort) -> TermId {
        let waits = !self.pending.is_empty()
            && sort != Sort::UNKNOWN
            && self.terms.sort(term) == Sort::UNKNOWN;
        if !waits {
            return term;
        }
        self.settled(term, sort).unwrap_or(term)
    }

    fn settled(&mut self, term: TermId, sort: Sort) -> Option<TermId> {
        match self.terms.head(term) {
            Head::Opaque(_) if self.terms.args(term).is_empty() => {
                let (_, name) = *self.pending.iter().find(|(waiting, _)| *waiting == term)?;
                let text = self.terms.symbols.name(name).to_owned();
                match self.constructor_named(sort, &text) {
                    Some(constructor) => self.terms.try_fun_app(constructor, &[]),
                    None => self.terms.qualified_app(&text, &[], sort).ok(),
                }
            }
            Head::Op(op) => {
                let args = self.terms.args(term).to_vec();
                let sorts: Vec<Sort> = args.iter().map(|a| self.terms.sort(*a)).collect();
                let indices = self.terms.op_indices(op).to_vec();
                let row = self.terms.op_row(op);
                let sig = &self.terms.table.rows()[row].sig;
                let sorts = sig.complete(&mut self.terms.sorts, &indices, &sorts, sort)?;
                let args = self.settle_all(&args, &sorts);
                self.terms.apply_op(op, &args, sort)
            }
            _ => None,
        }
    }

    /// Each argument with the sort it should have.
    pub(super) fn settle_all(&mut self, args: &[TermId], sorts: &[Sort]) -> Vec<TermId> {
        let both = args.iter().zip(sorts);
        let mut settled: Vec<TermId> = both.map(|(arg, sort)| self.settle(*arg, *sort)).collect();
        settled.extend(args.iter().skip(sorts.len()));
        settled
    }

    /// The arguments of a name, with waiting ones sorted if the name and the other arguments determine their sorts.
    pub(super) fn complete(&mut self, name: Symbol, args: &[TermId]) -> Option<Vec<TermId>> {
        let sorts: Vec<Sort> = args.iter().map(|arg| self.terms.sort(*arg)).collect();
        if self.pending.is_empty() || !sorts.contains(&Sort::UNKNOWN) {
            return None;
        }
        let wanted = self.wanted_sorts(name, &sorts)?;
        Some(self.settle_all(args, &wanted))
    }

    fn wanted_sorts(&mut self, name: Symbol, sorts: &[Sort]) -> Option<Vec<Sort>> {
        if let Some(local) = self.scope.local(name) {
            return match self.terms.sorts.kind(self.terms.sort(local)) {
                SortKind::Function(parts) => Some(parts.to_vec()),
                _ => None,
            };
        }
        let globals: Vec<Global> = self.scope.globals(name).collect();
        for global in globals {
            let wanted = match global {
                Global::Constructor(id, number) => self.wanted_fields(id, number, sorts),
                global => global.fun().map(|fun| self.terms.fun(fun).params.to_vec()),
            };
            if wanted.as_ref().is_some_and(|wanted| agrees(wanted, sorts)) {
                return wanted;
            }
        }
        for at in 0..self.terms.rows_named(name).len() {
            let row = self.terms.rows_named(name)[at] as usize;
            let sig = &self.terms.table.rows()[row].sig;
            let wanted = sig.complete(&mut self.terms.sorts, &[], sorts, Sort::UNKNOWN);
            if wanted.is_some() {
                return wanted;
            }
        }
        None
    }

    fn wanted_fields(&mut self, id: DataId, number: u32, sorts: &[Sort]) -> Option<Vec<Sort>> {
        let sort = self.instance_of(id, number, sorts)?;
        let constructor = self.terms.constructor(sort, number)?;
        Some(self.terms.fun(constructor).params.to_vec())
    }

    /// A constructor of a parametric datatype, whose arguments determine the instance.
    pub(super) fn apply_constructor(
        &mut self,
        id: DataId,
        number: u32,
        args: &[TermId],
    ) -> Option<TermId> {
        let sorts: Vec<Sort> = args.iter().map(|arg| self.terms.sort(*arg)).collect();
        let sort = self.instance_of(id, number, &sorts)?;
        let constructor = self.terms.constructor(sort, number)?;
        self.terms.try_fun_app(constructor, args)
    }

    /// Which instance of a datatype a constructor's arguments belong to.
    fn instance_of(&mut self, id: DataId, number: u32, sorts: &[Sort]) -> Option<Sort> {
        let datatype = self.terms.sorts.datatype(id).clone();
        let fields = &datatype.constructors.get(number as usize)?.selectors;
        if fields.len() != sorts.len() {
            return None;
        }
        let mut found: Vec<Option<Sort>> = vec![None; datatype.parameters.len()];
        for ((_, field), sort) in fields.iter().zip(sorts) {
            self.unify(*field, *sort, &datatype.parameters, &mut found);
        }
        let arguments: Option<Box<[Sort]>> = found.into_iter().collect();
        Some(self.terms.sorts.intern(SortKind::Data(id, arguments?)))
    }

    fn unify(
        &self,
        pattern: Sort,
        actual: Sort,
        parameters: &[Symbol],
        found: &mut [Option<Sort>],
    ) {
        if actual == Sort::UNKNOWN {
            return;
        }
        if let SortKind::Parameter(name) = self.terms.sorts.kind(pattern) {
            if let Some(at) = parameters.iter().position(|p| p == name) {
                found[at].get_or_insert(actual);
            }
            return;
        }
        let inner = self.terms.sorts.parts(pattern);
        let actual = self.terms.sorts.parts(actual);
        for (p, a) in inner.iter().zip(&actual) {
            self.unify(*p, *a, parameters, found);
        }
    }

    pub(super) fn data_sort_of(&self, id: DataId, arg: TermId) -> Option<Sort> {
        let sort = self.terms.sort(arg);
        matches!(self.terms.sorts.kind(sort), SortKind::Data(d, _) if *d == id).then_some(sort)
    }

    pub(super) fn constructor_named(&mut self, sort: Sort, name: &str) -> Option<Fun> {
        let number = self.constructor_number(sort, name)?;
        self.terms.constructor(sort, number)
    }

    pub(super) fn constructor_number(&self, sort: Sort, name: &str) -> Option<u32> {
        let SortKind::Data(id, _) = self.terms.sorts.kind(sort) else {
            return None;
        };
        let name = self.terms.symbols.find(name)?;
        let constructors = &self.terms.sorts.datatype(*id).constructors;
        // Of two with the same name the newer one counts, as for all names.
        let number = constructors.iter().rposition(|c| c.name == name)?;
        Some(number as u32)
    }

    pub(super) fn selector_named(&self, sort: Sort, name: Symbol) -> Option<(u32, u32)> {
        let SortKind::Data(id, _) = self.terms.sorts.kind(sort) else {
            return None;
        };
        let constructors = self.terms.sorts.datatype(*id).constructors.iter();
        constructors.enumerate().find_map(|(c, constructor)| {
            let field = constructor.selectors.iter().position(|(n, _)| *n == name)?;
            Some((c as u32, field as u32))
        })
    }
}

/// Whether known sorts are the wanted ones.
fn agrees(wanted: &[Sort], sorts: &[Sort]) -> bool {
    wanted.len() == sorts.len()
        && wanted
            .iter()
            .zip(sorts)
            .all(|(w, s)| w == s || *s == Sort::UNKNOWN || *w == Sort::REAL && *s == Sort::INT)
}

#[cfg(test)]
mod tests {
    use crate::render::{self, Sharing};
    use crate::{Terms, read_script};

    const LIST: &str = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))\
                        (declare-const l (List Int))(declare-const s (Seq Bool))";

    fn printed(term: &str) -> (String, usize) {
        let mut terms = Terms::new();
        let text = format!("{LIST}(assert {term})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        let root = *reading.script.roots().last().expect("one assertion");
        let text = render::term(&terms, root, Sharing::Expanded);
        (text, reading.opaque_terms)
    }

    #[test]
    fn the_place_tells_the_sort() {
        for (term, expected) in [
            ("(= l nil)", "(= l (as nil (List Int)))"),
            ("(= nil l)", "(= (as nil (List Int)) l)"),
            ("(= l (cons 1 nil))", "(= l (cons 1 (as nil (List Int))))"),
            (
                "(= l (ite true nil nil))",
                "(= l (ite true (as nil (List Int)) (as nil (List Int))))",
            ),
            (
                "(seq.contains seq.empty s)",
                "(seq.contains (as seq.empty (Seq Bool)) s)",
            ),
        ] {
            assert_eq!(printed(term), (expected.to_owned(), 0));
        }
    }

    #[test]
    fn what_no_place_tells_stays_opaque() {
        assert_eq!(printed("(= nil nil)"), ("(= nil nil)".to_owned(), 1));
    }
}
