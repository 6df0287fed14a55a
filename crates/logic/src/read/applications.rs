//! Resolves the head of an application, and sorts the application.

use super::scope::Global;
use super::{Issue, ScriptReader};
use crate::Symbol;
use crate::render::{self, Sharing};
use crate::sort::{Sort, SortKind};
use crate::term::{Fun, Head, TermId};
use auspex_syntax::{Reader, Sexpr, Tape};
use std::borrow::Cow;

impl ScriptReader<'_> {
    /// `(name args…)`; the arguments are the values from `base` on.
    #[inline]
    pub(super) fn named_application(
        &mut self,
        sexpr: Sexpr<'_>,
        name: Symbol,
        base: usize,
    ) -> TermId {
        let args = &self.values[base..];
        // Nearly all applications have an operator or an unambiguous function.
        let term = if self.pending.is_empty() && !args.is_empty() {
            if self.scope.is_free(name) {
                self.terms.try_op_app(name, &[], args)
            } else if self.scope.local(name).is_none()
                && let Some(Global::Fun(fun)) = self.scope.global(name)
            {
                self.terms.try_fun_app(fun, args)
            } else {
                None
            }
        } else {
            None
        };
        match term {
            Some(term) => term,
            None => self.rarer_application(sexpr, name, base),
        }
    }

    fn rarer_application(&mut self, sexpr: Sexpr<'_>, name: Symbol, base: usize) -> TermId {
        let args = self.values[base..].to_vec();
        if let Some(term) = self.meanings(sexpr, name, &args) {
            return term;
        }
        if let Some(local) = self.scope.local(name) {
            self.values.insert(base, local);
            return self.term_application(sexpr, base);
        }
        self.ill_sorted(sexpr, &args)
    }

    /// Tries all meanings of a name, the innermost first.
    fn meanings(&mut self, sexpr: Sexpr<'_>, name: Symbol, args: &[TermId]) -> Option<TermId> {
        let completed = self.complete(name, args);
        let args = completed.as_deref().unwrap_or(args);
        if let Some(local) = self.scope.local(name)
            && let Some(term) = self.apply_value(local, args)
        {
            return Some(term);
        }
        if args.is_empty()
            && let Some(term) = self.global_constant(name)
        {
            return Some(term);
        }
        let globals: Vec<Global> = self.scope.globals(name).collect();
        for global in globals {
            if let Some(term) = self.apply_global(global, args) {
                return Some(term);
            }
        }
        if !self.terms.rows_named(name).is_empty()
            && let Some(term) = self.terms.try_op_app(name, &[], args)
        {
            return Some(term);
        }
        self.special_application(sexpr, name, args)
    }

    /// `((_ name index…) args…)` or `((as name sort) args…)`.
    pub(super) fn compound_application(&mut self, sexpr: Sexpr<'_>, base: usize) -> TermId {
        let args = self.values[base..].to_vec();
        let term = sexpr.item(0).and_then(|head| self.compound(head, &args));
        term.unwrap_or_else(|| self.ill_sorted(sexpr, &args))
    }

    /// `(_ name index…)` or `(as name sort)` applied to arguments, if there are any.
    fn compound(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        match head.head() {
            Some("_") => self.indexed(head, args),
            _ => self.qualified(head, args),
        }
    }

    /// An application of a term; the first value is that term.
    pub(super) fn term_application(&mut self, sexpr: Sexpr<'_>, base: usize) -> TermId {
        let values = self.values[base..].to_vec();
        let (function, args) = (values[0], &values[1..]);
        if let Some(term) = self.apply_value(function, args) {
            return term;
        }
        // Printed text must be read back as the same term, so a name is the head, or alone.
        let is_atom = self.terms.args(function).is_empty();
        let is_name = is_atom
            && matches!(
                self.terms.head(function),
                Head::Fun(_) | Head::Op(_) | Head::Opaque(_)
            );
        let name = match is_name {
            true => render::term(self.terms, function, Sharing::Expanded),
            false => String::new(),
        };
        if !args.is_empty()
            && is_name
            && let Some(term) = self.as_head(sexpr, &name, args)
        {
            return term;
        }
        self.opaque_terms += 1;
        let text = "a term is applied that is no function".into();
        self.issue(sexpr, Issue::DoesNotFit(text));
        // `(())` is not `()`, which means something else in a `let`.
        let is_nothing = is_name && name == "()";
        if is_atom && args.is_empty() && !is_nothing {
            return function;
        }
        if is_name && !is_nothing {
            // As a head, a word of the grammar opens a form.
            let symbol = self.terms.symbols.intern(&name);
            let head = match self.terms.word(symbol) {
                Some(_) => format!("@ {name}"),
                None => name,
            };
            return self.terms.opaque(&head, args, Sort::UNKNOWN);
        }
        self.terms.opaque("", &values, Sort::UNKNOWN)
    }

    /// The meaning of a name as a head, if it differs from its meaning alone: `((c) x)` is `(c x)`, and `(@ (_ is c)
    /// x)` is `((_ is c) x)`.
    fn as_head(&mut self, sexpr: Sexpr<'_>, name: &str, args: &[TermId]) -> Option<TermId> {
        if !name.starts_with('(') {
            let symbol = self.terms.symbols.intern(name);
            let symbol = self.name_of_text(symbol);
            return self.meanings(sexpr, symbol, args);
        }
        let (mut reader, mut tape) = (Reader::new(name), Tape::default());
        let at = reader.next(&mut tape).ok()??;
        // The problem with the name has been reported already.
        let said = self.issues.len();
        let term = self.compound(tape.root(name, at), args);
        self.issues.truncate(said);
        term
    }

    /// Applies a term: a function, or (for z3) an array.
    pub(super) fn apply_value(&mut self, function: TermId, args: &[TermId]) -> Option<TermId> {
        let (first, rest) = args.split_first()?;
        if let Head::Fun(fun) = self.terms.head(function)
            && self.terms.args(function).is_empty()
            && !self.terms.fun(fun).params.is_empty()
            && matches!(self.sort_kind(function), SortKind::Function(_))
            && let Some(term) = self.apply_fun(fun, args)
        {
            return Some(term);
        }
        if matches!(self.sort_kind(function), SortKind::Array(..)) {
            let element = self.terms.app("select", &[function, *first]).ok()?;
            return match rest {
                [] => Some(element),
                more => self.apply_value(element, more),
            };
        }
        let all: Vec<TermId> = [function].iter().chain(args).copied().collect();
        self.terms.apply_term(&all)
    }

    fn sort_kind(&self, term: TermId) -> &SortKind {
        self.terms.sorts.kind(self.terms.sort(term))
    }

    /// `(_ …)` or `(as …)` without arguments.
    pub(super) fn identifier(&mut self, sexpr: Sexpr<'_>) -> TermId {
        self.compound(sexpr, &[])
            .unwrap_or_else(|| self.unknown(sexpr, &[]))
    }

    fn qualified(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let name = head.item(1)?;
        let sort = self.sort(head.item(2)?);
        let Some(plain) = name.symbol() else {
            // `(as (_ name index) sort)` means the inner identifier.
            let inner = self.indexed(name, args)?;
            return (self.terms.sort(inner) == sort).then_some(inner);
        };
        let symbol = self.terms.symbols.intern(plain);
        if let Some(constructor) = self.constructor_named(sort, plain) {
            let params = self.terms.fun(constructor).params.clone();
            if args.is_empty() && !params.is_empty() {
                return Some(self.function_value(constructor));
            }
            let args = self.settle_all(args, &params);
            return match args.is_empty() {
                true => self.terms.try_fun_app(constructor, &args),
                false => self.apply_fun(constructor, &args),
            };
        }
        if args.is_empty()
            && let Some(term) = self.global_constant(symbol)
            && self.terms.sort(term) == sort
        {
            return Some(term);
        }
        let globals: Vec<Global> = self.scope.globals(symbol).collect();
        for global in globals {
            if let Some(term) = self.apply_global(global, args)
                && self.terms.sort(term) == sort
            {
                return Some(term);
            }
        }
        if let Ok(term) = self.terms.qualified_app(plain, args, sort) {
            return Some(term);
        }
        self.special_qualified(head, plain, args, sort)
    }

    /// A declared constant, a constructor without fields, or a function used as a value.
    pub(super) fn global_constant(&mut self, name: Symbol) -> Option<TermId> {
        let constant = self.scope.globals(name).find_map(|global| match global {
            Global::Constant(_, term) => Some(term),
            _ => None,
        });
        if constant.is_some() {
            return constant;
        }
        let fun = self.scope.globals(name).find_map(Global::fun);
        match fun {
            Some(fun) => Some(self.function_value(fun)),
            None => self.pending_constructor(name),
        }
    }

    /// A function symbol as a term of its own.
    fn function_value(&mut self, fun: Fun) -> TermId {
        let decl = self.terms.fun(fun);
        let parts = decl.params.iter().chain([&decl.result]);
        let parts = parts.copied().collect();
        let sort = self.terms.sorts.intern(SortKind::Function(parts));
        self.terms.node(Head::Fun(fun), &[], sort)
    }

    fn apply_global(&mut self, global: Global, args: &[TermId]) -> Option<TermId> {
        match global {
            Global::Constant(_, term) => self.apply_value(term, args),
            Global::Fun(fun) => self.apply_fun(fun, args),
            Global::Selector(id, constructor, field) => {
                let sort = self.data_sort_of(id, *args.first()?)?;
                let selector = self.terms.selector(sort, constructor, field)?;
                self.terms.try_fun_app(selector, args)
            }
            Global::Tester(id, constructor) => {
                let sort = self.data_sort_of(id, *args.first()?)?;
                let tester = self.terms.tester(sort, constructor)?;
                self.terms.try_fun_app(tester, args)
            }
            Global::Constructor(id, number) => self.apply_constructor(id, number, args),
        }
    }

    /// Applies a function symbol to exactly its number of arguments, to fewer, or to more.
    fn apply_fun(&mut self, fun: Fun, args: &[TermId]) -> Option<TermId> {
        let arity = self.terms.fun(fun).params.len();
        match args.len() {
            given if given == arity => self.terms.try_fun_app(fun, args),
            0 => None,
            given if given < arity => {
                let function = self.function_value(fun);
                let all: Vec<TermId> = [function].iter().chain(args).copied().collect();
                self.terms.apply_term(&all)
            }
            _ => {
                let function = self.terms.try_fun_app(fun, &args[..arity])?;
                self.apply_value(function, &args[arity..])
            }
        }
    }

    fn ill_sorted(&mut self, sexpr: Sexpr<'_>, args: &[TermId]) -> TermId {
        let head = sexpr.item(0).map_or(Cow::Borrowed(""), Sexpr::flat_text);
        let name = sexpr
            .item(0)
            .and_then(|h| h.symbol().or_else(|| h.item(1)?.symbol()));
        let known = name.is_some_and(|name| {
            let symbol = self.terms.symbols.intern(name);
            !self.terms.rows_named(symbol).is_empty() || !self.scope.is_free(symbol)
        });
        if !known || args.is_empty() {
            return self.unknown(sexpr, args);
        }
        let mut shown = format!("({}", head.chars().take(60).collect::<String>());
        for arg in args.iter().take(6) {
            shown.push(' ');
            let sort = self.terms.sort(*arg);
            self.terms
                .sorts
                .write(&mut shown, &self.terms.symbols, sort);
        }
        shown.push(')');
        self.opaque_terms += 1;
        self.issue(sexpr, Issue::DoesNotFit(shown));
        self.terms.opaque(&head, args, Sort::UNKNOWN)
    }
}
