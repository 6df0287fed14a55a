//! Reads datatype declarations, old and new style.

use super::ScriptReader;
use super::scope::{Global, SortName};
use crate::intern::Symbol;
use crate::script::Command;
use crate::sort::{Constructor, DataId, Datatype, Sort, SortKind};
use auspex_syntax::Sexpr;
use rustc_hash::FxHashSet;

impl ScriptReader<'_> {
    /// `(declare-datatype name body)`.
    pub(super) fn declare_datatype(&mut self, command: Sexpr<'_>) -> Option<Command> {
        let (name, body) = (command.item(1)?.symbol()?, command.item(2)?);
        let codata = command.head()? == "declare-codatatype";
        is_body(body).then(|| self.datatypes(&[(name, body)], codata))?
    }

    /// `(declare-datatypes ((name arity)…) (body…))`, and the older `(declare-datatypes (T…) ((name constructor…)…))`.
    pub(super) fn declare_datatypes(&mut self, command: Sexpr<'_>) -> Option<Command> {
        let (names, bodies) = (command.item(1)?, command.item(2)?);
        let codata = command.head()? == "declare-codatatypes";
        if names.items().next().is_none_or(|first| !first.is_list()) {
            return self.old_datatypes(names, bodies, codata);
        }
        if names.count() != bodies.count() || !bodies.items().all(is_body) {
            return None;
        }
        let declared: Option<Vec<_>> = names
            .items()
            .zip(bodies.items())
            .map(|(n, body)| Some((n.head()?, body)))
            .collect();
        self.datatypes(&declared?, codata)
    }

    fn datatypes(&mut self, declared: &[(&str, Sexpr<'_>)], codatatype: bool) -> Option<Command> {
        self.are_new_sorts(declared.iter().map(|(name, _)| *name))?;
        let mut ids = Vec::new();
        for (name, body) in declared {
            let parameters = match parametric(*body) {
                Some((parameters, _)) => self.parameter_names(parameters),
                None => Vec::new(),
            };
            ids.push(self.new_datatype(name, parameters, codatatype));
        }
        for (id, (_, body)) in ids.iter().zip(declared) {
            let parameters = self.terms.sorts.datatype(*id).parameters.clone();
            let list = parametric(*body).map_or(*body, |(_, list)| list);
            self.fill_datatype(*id, &parameters, list.items())?;
        }
        Some(self.finish_datatypes(ids))
    }

    fn old_datatypes(
        &mut self,
        parameters: Sexpr<'_>,
        bodies: Sexpr<'_>,
        codatatype: bool,
    ) -> Option<Command> {
        let well_formed =
            |body: Sexpr<'_>| body.head().is_some() && body.items().skip(1).all(is_constructor);
        if !bodies.is_list() || !bodies.items().all(well_formed) {
            return None;
        }
        self.are_new_sorts(bodies.items().filter_map(|body| body.head()))?;
        let parameters = self.parameter_names(parameters);
        let mut ids = Vec::new();
        for body in bodies.items() {
            ids.push(self.new_datatype(body.head()?, parameters.clone(), codatatype));
        }
        for (id, body) in ids.iter().zip(bodies.items()) {
            self.fill_datatype(*id, &parameters, body.items().skip(1))?;
        }
        Some(self.finish_datatypes(ids))
    }

    fn are_new_sorts<'s>(&mut self, names: impl Iterator<Item = &'s str>) -> Option<()> {
        let mut seen = FxHashSet::default();
        for name in names {
            let name = self.terms.symbols.intern(name);
            (self.scope.is_new_sort(name) && seen.insert(name)).then_some(())?;
        }
        Some(())
    }

    /// If the same declaration was read before, its sorts are used instead of new ones.
    fn finish_datatypes(&mut self, new: Vec<DataId>) -> Command {
        let ids = self.terms.sorts.merge_datatypes(new);
        for id in &ids {
            self.enter_datatype(*id);
        }
        Command::DeclareDatatypes(ids)
    }

    fn parameter_names(&mut self, list: Sexpr<'_>) -> Vec<Symbol> {
        list.items()
            .filter_map(|p| p.symbol())
            .map(|p| self.terms.symbols.intern(p))
            .collect()
    }

    fn new_datatype(&mut self, name: &str, parameters: Vec<Symbol>, codatatype: bool) -> DataId {
        let name = self.terms.symbols.intern(name);
        let arity = parameters.len() as u32;
        let id = self.terms.sorts.add_datatype(Datatype {
            name,
            parameters,
            constructors: vec![],
            codatatype,
        });
        self.scope.add_sort(name, SortName::Data(id, arity));
        id
    }

    fn fill_datatype<'s>(
        &mut self,
        id: DataId,
        parameters: &[Symbol],
        constructors: impl Iterator<Item = Sexpr<'s>>,
    ) -> Option<()> {
        let outside = self.scope.sorts_len();
        for parameter in parameters {
            self.scope.add_sort(*parameter, SortName::Parameter);
        }
        let mut all = Vec::new();
        for sexpr in constructors {
            let name = sexpr.symbol().or_else(|| sexpr.head())?;
            let name = self.terms.symbols.intern(name);
            let mut selectors = Vec::new();
            for field in sexpr.items().skip(1) {
                let selector = self.terms.symbols.intern(field.head()?);
                selectors.push((selector, self.data_sort(field.item(1)?)));
            }
            all.push(Constructor { name, selectors });
        }
        self.scope.forget_sorts(outside);
        self.terms.sorts.set_constructors(id, all);
        Some(())
    }

    /// A field's sort; inside an old-style declaration a datatype's bare name means itself with its parameters.
    fn data_sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        if let Some(name) = sexpr.symbol() {
            let symbol = self.terms.symbols.intern(name);
            if let Some(SortName::Data(id, arity)) = self.scope.sort_name(symbol)
                && *arity > 0
            {
                let id = *id;
                let parameters = self.terms.sorts.datatype(id).parameters.clone();
                let args = parameters
                    .iter()
                    .map(|p| self.terms.sorts.intern(SortKind::Parameter(*p)))
                    .collect();
                return self.terms.sorts.intern(SortKind::Data(id, args));
            }
        }
        self.sort(sexpr)
    }

    /// Makes a datatype declared elsewhere visible.
    pub(super) fn enter_datatype(&mut self, id: DataId) {
        let datatype = self.terms.sorts.datatype(id);
        let (name, arity) = (datatype.name, datatype.parameters.len() as u32);
        self.scope.add_sort(name, SortName::Data(id, arity));
        self.declare_parts(id);
    }

    /// Makes constructors, selectors and old-style testers known by name.
    pub(super) fn declare_parts(&mut self, id: DataId) {
        let datatype = self.terms.sorts.datatype(id).clone();
        let sort = datatype
            .parameters
            .is_empty()
            .then(|| self.terms.sorts.intern(SortKind::Data(id, Box::default())));
        for (c, constructor) in datatype.constructors.iter().enumerate() {
            let c = c as u32;
            match sort.and_then(|s| self.terms.constructor(s, c)) {
                Some(fun) => self.add_fun(fun),
                None => {
                    let global = Global::Constructor(id, c);
                    self.scope.add_global(constructor.name, global);
                }
            }
            let tester = format!("is-{}", self.terms.symbols.name(constructor.name));
            let tester = self.terms.symbols.intern(&tester);
            self.scope.add_global(tester, Global::Tester(id, c));
            for (f, (name, _)) in constructor.selectors.iter().enumerate() {
                let global = Global::Selector(id, c, f as u32);
                self.scope.add_global(*name, global);
            }
        }
    }

    /// `(declare-datatypes ((List 1)) ((par (T) ((nil) (insert (head T) (tail (List T)))))))`.
    pub(super) fn declare_builtin_list(&mut self) -> DataId {
        let mut symbol = |name: &str| self.terms.symbols.intern(name);
        let (list, t) = (symbol("List"), symbol("T"));
        let (nil, insert, head, tail) = (
            symbol("nil"),
            symbol("insert"),
            symbol("head"),
            symbol("tail"),
        );
        let new = self.terms.sorts.add_datatype(Datatype {
            name: list,
            parameters: vec![t],
            constructors: vec![],
            codatatype: false,
        });
        let element = self.terms.sorts.intern(SortKind::Parameter(t));
        let rest = SortKind::Data(new, Box::new([element]));
        let rest = self.terms.sorts.intern(rest);
        let constructor = |name, selectors| Constructor { name, selectors };
        let fields = vec![(head, element), (tail, rest)];
        let constructors = vec![constructor(nil, vec![]), constructor(insert, fields)];
        self.terms.sorts.set_constructors(new, constructors);
        self.terms.sorts.merge_datatypes(vec![new])[0]
    }
}

/// `(constructor…)` or `(par (T…) (constructor…))`.
fn is_body(body: Sexpr<'_>) -> bool {
    let list = parametric(body).map_or(body, |(_, list)| list);
    list.is_list() && list.items().all(is_constructor)
}

/// Distinguishes a constructor named `par` by the text after it.
fn parametric(body: Sexpr<'_>) -> Option<(Sexpr<'_>, Sexpr<'_>)> {
    let (parameters, list) = (body.item(1)?, body.item(2)?);
    let names = parameters.is_list() && parameters.items().all(|p| p.symbol().is_some());
    (body.head() == Some("par") && body.count() == 3 && names).then_some((parameters, list))
}

/// `name`, or `(name (selector sort)…)`.
fn is_constructor(sexpr: Sexpr<'_>) -> bool {
    let is_field = |field: Sexpr<'_>| field.head().is_some() && field.count() == 2;
    sexpr.symbol().is_some() || sexpr.head().is_some() && sexpr.items().skip(1).all(is_field)
}
