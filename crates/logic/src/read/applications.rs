//! Finds out what the head of an application means, and sorts it.

use super::scope::Global;
use super::{Issue, ScriptReader};
use crate::Symbol;
use crate::sort::{DataId, Sort, SortKind};
use crate::term::{Fun, Head, TermId};
use crate::value::{BitVec, Int, Str, Value};
use auspex_syntax::Sexpr;

impl ScriptReader<'_> {
    /// An application whose arguments have been read.
    pub(super) fn application(&mut self, sexpr: Sexpr<'_>, args: &[TermId]) -> TermId {
        let Some(head) = sexpr.item(0) else {
            return self.unknown(sexpr, &[]);
        };
        let term = match head.symbol() {
            Some(name) => self.named_application(head, name, args),
            None => self.compound_application(head, args),
        };
        term.unwrap_or_else(|| self.ill_sorted(sexpr, args))
    }

    fn named_application(
        &mut self,
        head: Sexpr<'_>,
        name: &str,
        args: &[TermId],
    ) -> Option<TermId> {
        let symbol = self.terms.symbols.intern(name);
        if let Some(local) = self.scope.local(symbol) {
            return self.apply_value(local, args);
        }
        if args.is_empty()
            && let Some(term) = self.global_constant(symbol)
        {
            return Some(term);
        }
        for at in 0..self.scope.globals(symbol).len() {
            let global = self.scope.globals(symbol)[at];
            if let Some(term) = self.apply_global(global, args) {
                return Some(term);
            }
        }
        if !self.terms.rows_named(symbol).is_empty()
            && let Ok(term) = self.terms.op_app(symbol, &[], args)
        {
            return Some(term);
        }
        self.special(head, name, &[], args)
    }

    /// `((_ name index…) args)` or `((as name sort) args)`.
    fn compound_application(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        match head.head() {
            Some("_") => self.indexed(head, args),
            _ => self.qualified(head, args),
        }
    }

    /// An application of a term; the first value is that term.
    pub(super) fn term_application(&mut self, sexpr: Sexpr<'_>, values: &[TermId]) -> TermId {
        self.terms.apply_term(values).unwrap_or_else(|| {
            self.opaque_terms += 1;
            self.issue(
                sexpr,
                Issue::DoesNotFit("a term is applied that is no function".into()),
            );
            self.terms.opaque("", values, Sort::UNKNOWN)
        })
    }

    fn apply_value(&mut self, function: TermId, args: &[TermId]) -> Option<TermId> {
        let all: Vec<TermId> = std::iter::once(function)
            .chain(args.iter().copied())
            .collect();
        self.terms.apply_term(&all)
    }

    /// `(_ …)` or `(as …)` without arguments.
    pub(super) fn identifier(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let term = match sexpr.head() {
            Some("_") => self.indexed(sexpr, &[]),
            _ => self.qualified(sexpr, &[]),
        };
        term.unwrap_or_else(|| self.unknown(sexpr, &[]))
    }

    fn indexed(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let name = head.item(1)?.symbol()?;
        if let Some(term) = self.indexed_literal(head, name) {
            return Some(term);
        }
        match name {
            "is" => {
                let constructor = self
                    .constructor_named(self.terms.sort(*args.first()?), head.item(2)?.symbol()?)?;
                let FunDeclParts { sort, number } = self.constructor_parts(constructor)?;
                let tester = self.terms.tester(sort, number)?;
                return self.terms.fun_app(tester, args).ok();
            }
            "update" if args.len() == 2 => {
                let selector = self.terms.symbols.intern(head.item(2)?.symbol()?);
                let sort = self.terms.sort(args[0]);
                let (constructor, field) = self.selector_named(sort, selector)?;
                let updater = self.terms.updater(sort, constructor, field)?;
                return self.terms.fun_app(updater, args).ok();
            }
            "as-array" => return self.function_as_array(head.item(2)?.symbol()?),
            _ => {}
        }
        let indices: Option<Vec<u64>> = head
            .items()
            .skip(2)
            .map(|i| i.text().parse().ok())
            .collect();
        if let Some(indices) = &indices
            && let Ok(term) = self.terms.indexed_app(name, indices, args)
        {
            return Some(term);
        }
        self.special(head, name, &indices.unwrap_or_default(), args)
    }

    /// `(_ bv5 8)`, `(_ char #x41)`.
    fn indexed_literal(&mut self, head: Sexpr<'_>, name: &str) -> Option<TermId> {
        if let Some(digits) = name.strip_prefix("bv")
            && head.count() == 3
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
        {
            let width: u32 = head.item(2)?.text().parse().ok().filter(|w| *w > 0)?;
            let bits = BitVec::from_int(width, &Int::parse(digits)?);
            let sort = self.terms.sorts.bit_vec(width);
            return Some(self.terms.literal_node(Value::BitVec(bits), sort));
        }
        if matches!(name, "char" | "Char") && head.count() == 3 {
            let text = head.item(2)?.text();
            let code = match text.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => text.parse().ok()?,
            };
            let string = Str::new(&[code])?;
            return Some(self.terms.literal_node(Value::Str(string), Sort::STRING));
        }
        None
    }

    fn qualified(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let name = head.item(1)?;
        let sort = self.sort(head.item(2)?);
        if let Some(plain) = name.symbol() {
            let symbol = self.terms.symbols.intern(plain);
            if let Some(constructor) = self.constructor_named(sort, plain) {
                return self.terms.fun_app(constructor, args).ok();
            }
            for at in 0..self.scope.globals(symbol).len() {
                let global = self.scope.globals(symbol)[at];
                if let Some(term) = self.apply_global(global, args)
                    && self.terms.sort(term) == sort
                {
                    return Some(term);
                }
            }
            if let Ok(term) = self.terms.qualified_app(plain, args, sort) {
                return Some(term);
            }
            return self.special_qualified(head, plain, args, sort);
        }
        // `(as (_ name index) sort)` adds nothing to the inner identifier.
        let inner = self.indexed(name, args)?;
        (self.terms.sort(inner) == sort).then_some(inner)
    }

    /// A declared constant, a constructor without fields, or a function used as a value.
    pub(super) fn global_constant(&mut self, name: Symbol) -> Option<TermId> {
        let globals = self.scope.globals(name);
        let global = globals.iter().rev().copied().find(|g| match g {
            Global::Fun(fun) => self.terms.fun(*fun).params.is_empty(),
            _ => false,
        });
        if let Some(Global::Fun(fun)) = global {
            return self.terms.fun_app(fun, &[]).ok();
        }
        let fun = globals.iter().find_map(|g| match g {
            Global::Fun(fun) => Some(*fun),
            _ => None,
        });
        let Some(fun) = fun else {
            return self.constant_of_parametric(name);
        };
        let decl = self.terms.fun(fun).clone();
        let mut parts = decl.params.to_vec();
        parts.push(decl.result);
        let sort = self.terms.sorts.intern(SortKind::Function(parts.into()));
        Some(self.terms.node(Head::Fun(fun), &[], sort))
    }

    /// A parametric constructor without a sort, such as a bare `nil`: its sort cannot be told.
    fn constant_of_parametric(&mut self, name: Symbol) -> Option<TermId> {
        match self.scope.globals(name) {
            [Global::Constructor(..), ..] => {
                let text = self.terms.symbols.name(name).to_string();
                Some(self.terms.opaque(&text, &[], Sort::UNKNOWN))
            }
            _ => None,
        }
    }

    fn apply_global(&mut self, global: Global, args: &[TermId]) -> Option<TermId> {
        match global {
            Global::Fun(fun)
                if self.terms.fun(fun).params.len() > args.len()
                    || self.is_function_valued(fun, args) =>
            {
                let name = self.terms.fun(fun).name;
                let function = self.global_constant(name)?;
                self.apply_value(function, args)
            }
            Global::Fun(fun) => self.terms.fun_app(fun, args).ok(),
            Global::Selector(id, constructor, field) => {
                let sort = self.data_sort_of(id, *args.first()?)?;
                let selector = self.terms.selector(sort, constructor, field)?;
                self.terms.fun_app(selector, args).ok()
            }
            Global::Tester(id, constructor) => {
                let sort = self.data_sort_of(id, *args.first()?)?;
                let tester = self.terms.tester(sort, constructor)?;
                self.terms.fun_app(tester, args).ok()
            }
            Global::Constructor(id, number) => {
                let sort = self.infer_instance(id, number, args)?;
                let constructor = self.terms.constructor(sort, number)?;
                self.terms.fun_app(constructor, args).ok()
            }
        }
    }

    fn is_function_valued(&self, fun: Fun, args: &[TermId]) -> bool {
        let decl = self.terms.fun(fun);
        !args.is_empty()
            && decl.params.is_empty()
            && matches!(self.terms.sorts.kind(decl.result), SortKind::Function(_))
    }

    fn data_sort_of(&self, id: DataId, arg: TermId) -> Option<Sort> {
        let sort = self.terms.sort(arg);
        matches!(self.terms.data_of(sort), Some((d, _)) if d == id).then_some(sort)
    }

    /// Which instance of a parametric datatype a constructor's arguments belong to.
    fn infer_instance(&mut self, id: DataId, number: u32, args: &[TermId]) -> Option<Sort> {
        let datatype = self.terms.sorts.datatype(id).clone();
        let fields = &datatype.constructors.get(number as usize)?.selectors;
        if fields.len() != args.len() {
            return None;
        }
        let mut found: Vec<Option<Sort>> = vec![None; datatype.parameters.len()];
        for ((_, field), arg) in fields.iter().zip(args) {
            self.unify(
                *field,
                self.terms.sort(*arg),
                &datatype.parameters,
                &mut found,
            );
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
        if let SortKind::Parameter(name) = self.terms.sorts.kind(pattern) {
            if let Some(at) = parameters.iter().position(|p| p == name) {
                found[at].get_or_insert(actual);
            }
            return;
        }
        let (inner, actuals) = (
            self.terms.sorts.parts(pattern),
            self.terms.sorts.parts(actual),
        );
        for (p, a) in inner.iter().zip(&actuals) {
            self.unify(*p, *a, parameters, found);
        }
    }

    pub(super) fn constructor_named(&mut self, sort: Sort, name: &str) -> Option<Fun> {
        let (id, _) = self.terms.data_of(sort)?;
        let constructors = &self.terms.sorts.datatype(id).constructors;
        let number = constructors
            .iter()
            .position(|c| self.terms.symbols.name(c.name) == name)?;
        self.terms.constructor(sort, number as u32)
    }

    fn selector_named(&self, sort: Sort, name: Symbol) -> Option<(u32, u32)> {
        let (id, _) = self.terms.data_of(sort)?;
        let constructors = self
            .terms
            .sorts
            .datatype(id)
            .constructors
            .iter()
            .enumerate();
        constructors
            .flat_map(|(c, constructor)| {
                constructor
                    .selectors
                    .iter()
                    .enumerate()
                    .map(move |(f, (n, _))| (c as u32, f as u32, *n))
            })
            .find(|(_, _, n)| *n == name)
            .map(|(c, f, _)| (c, f))
    }

    fn constructor_parts(&self, fun: Fun) -> Option<FunDeclParts> {
        let decl = self.terms.fun(fun);
        match decl.kind {
            crate::term::FunKind::Constructor(_, number) => Some(FunDeclParts {
                sort: decl.result,
                number,
            }),
            _ => None,
        }
    }

    /// z3's `(_ as-array f)`: the function as an array value.
    fn function_as_array(&mut self, name: &str) -> Option<TermId> {
        let symbol = self.terms.symbols.intern(name);
        let fun = self.scope.globals(symbol).iter().find_map(|g| match g {
            Global::Fun(fun) if self.terms.fun(*fun).params.len() == 1 => Some(*fun),
            _ => None,
        })?;
        let (param, result) = (self.terms.fun(fun).params[0], self.terms.fun(fun).result);
        let sort = self.terms.sorts.array(param, result);
        Some(self.terms.node(Head::Fun(fun), &[], sort))
    }

    fn ill_sorted(&mut self, sexpr: Sexpr<'_>, args: &[TermId]) -> TermId {
        let head = sexpr.item(0).map_or("", |h| h.text());
        let known = sexpr
            .item(0)
            .and_then(|h| h.symbol().or_else(|| h.item(1)?.symbol()))
            .is_some_and(|name| {
                let symbol = self.terms.symbols.intern(name);
                !self.terms.rows_named(symbol).is_empty() || !self.scope.globals(symbol).is_empty()
            });
        if !known || args.is_empty() {
            return self.unknown(sexpr, args);
        }
        let mut shown = format!("({}", head.chars().take(60).collect::<String>());
        for arg in args.iter().take(6) {
            shown.push(' ');
            self.terms
                .sorts
                .write(&mut shown, &self.terms.symbols, self.terms.sort(*arg));
        }
        shown.push(')');
        self.opaque_terms += 1;
        self.issue(sexpr, Issue::DoesNotFit(shown));
        self.terms.opaque(head, args, Sort::UNKNOWN)
    }
}

struct FunDeclParts {
    sort: Sort,
    number: u32,
}
