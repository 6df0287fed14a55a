//! Reads sorts and datatype declarations.

use super::scope::{Global, SortName};
use super::{Issue, ScriptReader};
use crate::intern::Symbol;
use crate::script::Command;
use crate::sort::{Constructor, DataId, Datatype, Sort, SortKind};
use auspex_syntax::Sexpr;

/// Sorts nested deeper than this are kept as text; no real script has them.
const DEEPEST: usize = 200;

impl ScriptReader<'_> {
    /// Reads a sort. What nobody knows becomes an opaque sort with the same text.
    pub(crate) fn sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        self.sort_at(sexpr, 0)
    }

    fn sort_at(&mut self, sexpr: Sexpr<'_>, depth: usize) -> Sort {
        if depth > DEEPEST {
            return self.opaque_sort(sexpr);
        }
        if let Some(name) = sexpr.symbol() {
            return self.named_sort(sexpr, name);
        }
        match sexpr.head() {
            Some("_") => self.indexed_sort(sexpr),
            Some(name) => {
                let args: Vec<Sort> = sexpr
                    .items()
                    .skip(1)
                    .map(|s| self.sort_at(s, depth + 1))
                    .collect();
                self.applied_sort(sexpr, name, &args)
            }
            None => self.opaque_sort(sexpr),
        }
    }

    fn named_sort(&mut self, sexpr: Sexpr<'_>, name: &str) -> Sort {
        let symbol = self.terms.symbols.intern(name);
        match self.scope.sort_name(symbol).cloned() {
            Some(SortName::Declared(0)) => {
                return self
                    .terms
                    .sorts
                    .intern(SortKind::Declared(symbol, Box::default()));
            }
            Some(SortName::Defined(parameters, sort)) if parameters.is_empty() => return sort,
            Some(SortName::Data(id, 0)) => {
                return self.terms.sorts.intern(SortKind::Data(id, Box::default()));
            }
            Some(SortName::Parameter) => {
                return self.terms.sorts.intern(SortKind::Parameter(symbol));
            }
            _ => {}
        }
        match name {
            "Bool" => Sort::BOOL,
            "Int" => Sort::INT,
            "Real" => Sort::REAL,
            "String" => Sort::STRING,
            "RegLan" => Sort::REG_LAN,
            "RoundingMode" => Sort::ROUNDING_MODE,
            "Float16" => self.terms.sorts.float(5, 11),
            "Float32" => self.terms.sorts.float(8, 24),
            "Float64" => self.terms.sorts.float(11, 53),
            "Float128" => self.terms.sorts.float(15, 113),
            "UnitTuple" => self.terms.sorts.intern(SortKind::Tuple(Box::default())),
            _ => self.opaque_sort(sexpr),
        }
    }

    fn indexed_sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        let name = sexpr.item(1).and_then(|n| n.symbol()).unwrap_or("");
        let number = |i: usize| {
            sexpr
                .item(i)
                .and_then(|n| n.text().parse::<u32>().ok())
                .filter(|n| *n > 0)
        };
        match (name, number(2), number(3), sexpr.count()) {
            ("BitVec", Some(width), None, 3) => self.terms.sorts.bit_vec(width),
            ("FloatingPoint", Some(eb), Some(sb), 4)
                if eb > 1 && sb > 1 && eb <= 1 << 20 && sb <= 1 << 28 =>
            {
                self.terms.sorts.float(eb, sb)
            }
            ("FiniteField", _, None, 3) => {
                let order = self
                    .terms
                    .symbols
                    .intern(sexpr.item(2).map_or("", |n| n.text()));
                self.terms.sorts.intern(SortKind::FiniteField(order))
            }
            _ => self.opaque_sort(sexpr),
        }
    }

    fn applied_sort(&mut self, sexpr: Sexpr<'_>, name: &str, args: &[Sort]) -> Sort {
        let symbol = self.terms.symbols.intern(name);
        match self.scope.sort_name(symbol).cloned() {
            Some(SortName::Declared(arity)) if arity as usize == args.len() => {
                return self
                    .terms
                    .sorts
                    .intern(SortKind::Declared(symbol, args.into()));
            }
            Some(SortName::Data(id, arity)) if arity as usize == args.len() => {
                return self.terms.sorts.intern(SortKind::Data(id, args.into()));
            }
            Some(SortName::Defined(parameters, sort)) if parameters.len() == args.len() => {
                return self.terms.sorts.instantiate(sort, &parameters, args);
            }
            _ => {}
        }
        let kind = match (name, args) {
            ("Array", [index, element]) => SortKind::Array(*index, *element),
            // z3's arrays with several indices are functions.
            ("Array", [_, _, _, ..]) => SortKind::Function(args.into()),
            ("Seq", [element]) => SortKind::Seq(*element),
            ("Set", [element]) => SortKind::Set(*element),
            ("Bag", [element]) => SortKind::Bag(*element),
            // z3's regular expressions over any sequence; those over strings are the standard's.
            ("RegEx", [Sort::STRING]) => SortKind::RegLan,
            ("Tuple", _) => SortKind::Tuple(args.into()),
            ("Relation", _) => {
                let tuple = self.terms.sorts.intern(SortKind::Tuple(args.into()));
                SortKind::Set(tuple)
            }
            ("Table", _) => {
                let tuple = self.terms.sorts.intern(SortKind::Tuple(args.into()));
                SortKind::Bag(tuple)
            }
            ("->", [_, _, ..]) => return self.function_sort(args),
            _ => return self.opaque_sort(sexpr),
        };
        self.terms.sorts.intern(kind)
    }

    /// `(-> A (-> B C))` and `(-> A B C)` are one sort.
    fn function_sort(&mut self, args: &[Sort]) -> Sort {
        let mut parts = args.to_vec();
        while let Some(SortKind::Function(rest)) =
            parts.last().map(|s| self.terms.sorts.kind(*s).clone())
        {
            parts.pop();
            parts.extend(rest);
        }
        self.terms.sorts.intern(SortKind::Function(parts.into()))
    }

    fn opaque_sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        self.issue(
            sexpr,
            Issue::UnknownSort(sexpr.text().chars().take(60).collect()),
        );
        let text = self.terms.symbols.intern(sexpr.text());
        self.terms.sorts.intern(SortKind::Opaque(text))
    }

    /// `(declare-datatype name body)`.
    pub(super) fn declare_datatype(&mut self, command: Sexpr<'_>) -> Option<Command> {
        let name = command.item(1)?.symbol()?;
        let body = command.item(2)?;
        self.datatypes(&[(name, body)], command.head()? == "declare-codatatype")
    }

    /// `(declare-datatypes ((name arity)…) (body…))`, and the older `(declare-datatypes (T…) ((name constructor…)…))`.
    pub(super) fn declare_datatypes(&mut self, command: Sexpr<'_>) -> Option<Command> {
        let (names, bodies) = (command.item(1)?, command.item(2)?);
        let codata = command.head()? == "declare-codatatypes";
        if names.items().next().is_none_or(|first| !first.is_list()) {
            return self.old_datatypes(names, bodies, codata);
        }
        let declared: Option<Vec<_>> = names
            .items()
            .zip(bodies.items())
            .map(|(n, body)| Some((n.item(0)?.symbol()?, body)))
            .collect();
        let declared = declared.filter(|d| d.len() == names.count())?;
        self.datatypes(&declared, codata)
    }

    fn datatypes(&mut self, declared: &[(&str, Sexpr<'_>)], codatatype: bool) -> Option<Command> {
        let mut ids = Vec::new();
        for (name, body) in declared {
            let parameters = match body.head() {
                Some("par") if body.item(1).is_some_and(|p| p.is_list()) => {
                    self.parameter_names(body.item(1)?)
                }
                _ => Vec::new(),
            };
            ids.push(self.new_datatype(name, parameters, codatatype));
        }
        for (id, (_, body)) in ids.iter().zip(declared) {
            let parameters = self.terms.sorts.datatype(*id).parameters.clone();
            let list = if parameters.is_empty() && body.head() != Some("par") {
                *body
            } else {
                body.item(2)?
            };
            self.fill_datatype(*id, &parameters, list.items())?;
        }
        Some(Command::DeclareDatatypes(ids))
    }

    fn old_datatypes(
        &mut self,
        parameters: Sexpr<'_>,
        bodies: Sexpr<'_>,
        codatatype: bool,
    ) -> Option<Command> {
        let parameters = self.parameter_names(parameters);
        let mut ids = Vec::new();
        for body in bodies.items() {
            let name = body.item(0)?.symbol()?;
            ids.push(self.new_datatype(name, parameters.clone(), codatatype));
        }
        for (id, body) in ids.iter().zip(bodies.items()) {
            self.fill_datatype(*id, &parameters, body.items().skip(1))?;
        }
        Some(Command::DeclareDatatypes(ids))
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
        for parameter in parameters {
            self.scope.add_sort(*parameter, SortName::Parameter);
        }
        let mut all = Vec::new();
        for sexpr in constructors {
            let name = sexpr.symbol().or_else(|| sexpr.item(0)?.symbol())?;
            let name = self.terms.symbols.intern(name);
            let mut selectors = Vec::new();
            for field in sexpr.items().skip(1) {
                let selector = self.terms.symbols.intern(field.item(0)?.symbol()?);
                selectors.push((selector, self.data_sort(field.item(1)?)));
            }
            all.push(Constructor { name, selectors });
        }
        for parameter in parameters {
            self.scope.remove_sort(*parameter);
        }
        self.terms.sorts.set_constructors(id, all);
        self.declare_parts(id);
        Some(())
    }

    /// A field's sort; inside an old-style declaration a datatype's bare name means itself with its parameters.
    fn data_sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        if let Some(name) = sexpr.symbol() {
            let symbol = self.terms.symbols.intern(name);
            if let Some(SortName::Data(id, arity)) = self.scope.sort_name(symbol).cloned()
                && arity > 0
            {
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
    fn declare_parts(&mut self, id: DataId) {
        let datatype = self.terms.sorts.datatype(id).clone();
        let sort = datatype
            .parameters
            .is_empty()
            .then(|| self.terms.sorts.intern(SortKind::Data(id, Box::default())));
        for (c, constructor) in datatype.constructors.iter().enumerate() {
            let c = c as u32;
            let global = match sort.and_then(|s| self.terms.constructor(s, c)) {
                Some(fun) => Global::Fun(fun),
                None => Global::Constructor(id, c),
            };
            self.scope.add_global(constructor.name, global);
            let tester = format!("is-{}", self.terms.symbols.name(constructor.name));
            let tester = self.terms.symbols.intern(&tester);
            self.scope.add_global(tester, Global::Tester(id, c));
            for (f, (name, _)) in constructor.selectors.iter().enumerate() {
                self.scope
                    .add_global(*name, Global::Selector(id, c, f as u32));
            }
        }
    }
}
