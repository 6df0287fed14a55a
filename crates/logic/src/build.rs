//! Checked construction of terms: an application is built only if it is well-sorted. Integers are converted to reals
//! where a mixed application would be ill-sorted otherwise, as solvers do.

use crate::intern::Symbol;
use crate::sort::{DataId, Sort, SortKind};
use crate::term::{
    Annotation, Attribute, Binder, BinderKind, Fun, FunDecl, FunKind, Head, Op, TermId, Terms,
};
use crate::value::{Rat, Value};

/// Applications of up to this many arguments are sorted without allocating.
const FEW: usize = 8;

/// Why a term cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortError {
    /// No operator of that name takes these arguments.
    DoesNotFit { name: String, args: Vec<Sort> },
    /// No operator or function has that name.
    NotDeclared { name: String },
}

impl Terms {
    /// A Boolean literal.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.literal_node(Value::Bool(value), Sort::BOOL)
    }

    /// `(= left right)` of two terms of one sort, which needs no search for a signature.
    pub fn equation(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        let sort = self.sort(left);
        if sort == Sort::UNKNOWN || sort != self.sort(right) {
            return self.app("=", &[left, right]).ok();
        }
        let row = *self.table.named("=").first()?;
        let op = self.op_with(row, &[]);
        Some(self.node(Head::Op(op), &[left, right], Sort::BOOL))
    }

    /// Applies the operator of that name whose signature fits.
    pub fn app(&mut self, name: &str, args: &[TermId]) -> Result<TermId, SortError> {
        self.indexed_app(name, &[], args)
    }

    pub fn indexed_app(
        &mut self,
        name: &str,
        indices: &[u64],
        args: &[TermId],
    ) -> Result<TermId, SortError> {
        match self.symbols.find(name) {
            Some(symbol) if !self.rows_named(symbol).is_empty() => {
                self.op_app(symbol, indices, args)
            }
            _ => Err(SortError::NotDeclared { name: name.into() }),
        }
    }

    /// Applies one of the rows of an operator name.
    #[inline]
    pub(crate) fn try_op_app(
        &mut self,
        name: Symbol,
        indices: &[u64],
        args: &[TermId],
    ) -> Option<TermId> {
        self.try_rows(name, indices, args).or_else(|| {
            let lifted = self.lift_to_reals(args)?;
            self.try_rows(name, indices, &lifted)
        })
    }

    /// Applies one of the rows of an operator name, or says why none fits.
    pub fn op_app(
        &mut self,
        name: Symbol,
        indices: &[u64],
        args: &[TermId],
    ) -> Result<TermId, SortError> {
        self.try_op_app(name, indices, args)
            .ok_or_else(|| SortError::DoesNotFit {
                name: self.symbols.name(name).into(),
                args: args.iter().map(|a| self.sort(*a)).collect(),
            })
    }

    fn try_rows(&mut self, name: Symbol, indices: &[u64], args: &[TermId]) -> Option<TermId> {
        let (mut few, mut many) = ([Sort::UNKNOWN; FEW], Vec::new());
        let arg_sorts = self.sorts_of(args, &mut few, &mut many);
        let (rows, all, sorts) = self.rows_and_sorts(name);
        let (row, sort) = rows.iter().find_map(|row| {
            let sig = &all[*row as usize].sig;
            let sort = (!sig.qualified).then(|| sig.infer(sorts, indices, arg_sorts))?;
            Some((*row, sort?))
        })?;
        let op = self.op_with(row, indices);
        Some(self.node(Head::Op(op), args, sort))
    }

    /// The sorts of terms; those of a few without allocating.
    #[inline]
    fn sorts_of<'s>(
        &self,
        args: &[TermId],
        few: &'s mut [Sort; FEW],
        many: &'s mut Vec<Sort>,
    ) -> &'s [Sort] {
        if args.len() > FEW {
            many.extend(args.iter().map(|arg| self.sort(*arg)));
            return many;
        }
        for (sort, arg) in few.iter_mut().zip(args) {
            *sort = self.sort(*arg);
        }
        &few[..args.len()]
    }

    /// The result sort of an operator for arguments of some sorts.
    pub(crate) fn op_result(
        &mut self,
        name: Symbol,
        indices: &[u64],
        args: &[Sort],
    ) -> Option<Sort> {
        let (rows, all, sorts) = self.rows_and_sorts(name);
        let mut sigs = rows.iter().map(|row| &all[*row as usize].sig);
        sigs.find_map(|sig| sig.infer(sorts, indices, args))
    }

    /// Applies an operator whose result sort is written with `as`.
    pub fn qualified_app(
        &mut self,
        name: &str,
        args: &[TermId],
        sort: Sort,
    ) -> Result<TermId, SortError> {
        let sorts: Vec<Sort> = args.iter().map(|a| self.sort(*a)).collect();
        let table = self.table().clone();
        for row in table.named(name) {
            if table.rows()[*row as usize]
                .sig
                .fits(&mut self.sorts, &[], &sorts, sort)
            {
                return Ok(self.node(Head::Op(Op(*row)), args, sort));
            }
        }
        if sorts.contains(&Sort::INT)
            && let Some(lifted) = args
                .iter()
                .map(|a| self.to_real(*a))
                .collect::<Option<Vec<_>>>()
            && lifted != args
        {
            return self.qualified_app(name, &lifted, sort);
        }
        Err(SortError::DoesNotFit {
            name: name.into(),
            args: sorts,
        })
    }

    /// Applies an operator already chosen, with its indices.
    pub fn apply_op(&mut self, op: Op, args: &[TermId], wanted: Sort) -> Option<TermId> {
        let (mut few, mut many) = ([Sort::UNKNOWN; FEW], Vec::new());
        let sorts = self.sorts_of(args, &mut few, &mut many);
        let row = self.op_row(op);
        let sig = &self.table.rows().get(row)?.sig;
        // Most operators have no indices, and then this allocates nothing.
        let indices = self.op_indices(op).to_vec();
        let fits = if sig.qualified {
            sig.fits(&mut self.sorts, &indices, sorts, wanted)
        } else {
            sig.infer(&mut self.sorts, &indices, sorts) == Some(wanted)
        };
        fits.then(|| self.node(Head::Op(op), args, wanted))
    }

    /// The same arguments under another operator, if it takes them and has the same result sort.
    pub fn with_op(&mut self, term: TermId, op: Op) -> Option<TermId> {
        let (mut few, many);
        let args = self.args(term);
        let args = match args.len() {
            count @ 0..=FEW => {
                few = [term; FEW];
                few[..count].copy_from_slice(args);
                &few[..count]
            }
            _ => {
                many = args.to_vec();
                &many[..]
            }
        };
        self.apply_op(op, args, self.sort(term))
    }

    /// Like `apply_op`, for arguments that the caller knows to be well-sorted.
    pub fn apply_fitting(&mut self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        debug_assert!(
            self.apply_op(op, args, sort).is_some(),
            "the caller has checked the sorts"
        );
        self.node(Head::Op(op), args, sort)
    }

    /// A quantifier's body with patterns for its instances: `(! body :pattern (term…) …)`.
    pub fn with_patterns(&mut self, body: TermId, patterns: &[&[TermId]]) -> TermId {
        if patterns.is_empty() {
            return body;
        }
        let key = self.symbols.intern(":pattern");
        let lists = patterns.iter().map(|p| Attribute::Terms(p.len() as u32));
        let attributes = lists.map(|list| (key, list)).collect();
        let mut args = vec![body];
        args.extend(patterns.iter().copied().flatten());
        self.annotated_node(Annotation { attributes }, &args)
    }

    /// Applies a function symbol of the script.
    pub fn fun_app(&mut self, fun: Fun, args: &[TermId]) -> Result<TermId, SortError> {
        self.try_fun_app(fun, args)
            .ok_or_else(|| SortError::DoesNotFit {
                name: self.symbols.name(self.fun(fun).name).into(),
                args: args.iter().map(|a| self.sort(*a)).collect(),
            })
    }

    pub(crate) fn try_fun_app(&mut self, fun: Fun, args: &[TermId]) -> Option<TermId> {
        let decl = self.fun(fun);
        let result = decl.result;
        let exact = decl.params.len() == args.len()
            && decl
                .params
                .iter()
                .zip(args)
                .all(|(p, a)| *p == self.sort(*a));
        if exact {
            return Some(self.node(Head::Fun(fun), args, result));
        }
        let params = decl.params.clone();
        let args = self.fit(&params, args)?;
        Some(self.node(Head::Fun(fun), &args, result))
    }

    fn fit(&mut self, params: &[Sort], args: &[TermId]) -> Option<Vec<TermId>> {
        if params.len() != args.len() {
            return None;
        }
        let both = params.iter().zip(args);
        both.map(|(param, arg)| self.fit_one(*param, *arg))
            .collect()
    }

    /// A term of the wanted sort: the term itself, or an integer converted to a real.
    fn fit_one(&mut self, param: Sort, arg: TermId) -> Option<TermId> {
        let sort = self.sort(arg);
        let open = sort == Sort::UNKNOWN || param == Sort::UNKNOWN;
        if open || sort == param || self.sorts.is_compatible(sort, param) {
            Some(arg)
        } else if param == Sort::REAL && sort == Sort::INT {
            self.to_real(arg)
        } else {
            None
        }
    }

    /// Applies a function that is a term.
    pub fn apply_term(&mut self, args: &[TermId]) -> Option<TermId> {
        let SortKind::Function(parts) = self.sorts.kind(self.sort(args[0])).clone() else {
            return None;
        };
        let given = args.len() - 1;
        if given == 0 || given >= parts.len() {
            return None;
        }
        let mut fitting = vec![args[0]];
        fitting.extend(self.fit(&parts[..given], &args[1..])?);
        let sort = match &parts[given..] {
            [result] => *result,
            more => self.sorts.intern(SortKind::Function(more.into())),
        };
        Some(self.node(Head::Apply, &fitting, sort))
    }

    pub fn quantified(&mut self, kind: BinderKind, variables: &[TermId], body: TermId) -> TermId {
        let sort = match kind {
            BinderKind::Forall | BinderKind::Exists => Sort::BOOL,
            BinderKind::Choice => self.sort(variables[0]),
            // Then its only body is both the condition and the element.
            BinderKind::Comprehension => return self.comprehension(variables, body, body),
            BinderKind::Lambda => {
                let mut parts: Vec<Sort> = variables.iter().map(|v| self.sort(*v)).collect();
                // A function that returns a function takes the arguments of both.
                match self.sorts.kind(self.sort(body)) {
                    SortKind::Function(more) => parts.extend(more.iter()),
                    _ => parts.push(self.sort(body)),
                }
                self.sorts.intern(SortKind::Function(parts.into()))
            }
        };
        let variables = variables.into();
        self.binder_node(Binder { kind, variables }, &[body], sort)
    }

    /// The set of all `element` for which `condition` holds.
    pub fn comprehension(
        &mut self,
        variables: &[TermId],
        condition: TermId,
        element: TermId,
    ) -> TermId {
        let kind = BinderKind::Comprehension;
        let element_sort = self.sort(element);
        let sort = self.sorts.set(element_sort);
        let variables = variables.into();
        self.binder_node(Binder { kind, variables }, &[condition, element], sort)
    }

    /// An unknown term, with its known arguments.
    pub fn opaque(&mut self, head: &str, args: &[TermId], sort: Sort) -> TermId {
        let head = self.symbols.intern(head);
        self.node(Head::Opaque(head), args, sort)
    }

    /// A constant or function symbol of the script.
    pub fn declare_fun(&mut self, name: &str, params: &[Sort], result: Sort) -> Fun {
        let name = self.symbols.intern(name);
        self.declare(FunDecl {
            name,
            params: params.into(),
            result,
            kind: FunKind::Declared,
        })
    }

    /// The constructor of a datatype instance.
    pub fn constructor(&mut self, sort: Sort, number: u32) -> Option<Fun> {
        let (id, arguments) = self.data_of(sort)?;
        let (name, fields) = self.constructor_fields(id, number, &arguments)?;
        let params = fields.into_iter().map(|(_, sort)| sort).collect();
        Some(self.declare(FunDecl {
            name,
            params,
            result: sort,
            kind: FunKind::Constructor(id, number),
        }))
    }

    /// A selector of a datatype instance.
    pub fn selector(&mut self, sort: Sort, constructor: u32, field: u32) -> Option<Fun> {
        let (id, arguments) = self.data_of(sort)?;
        let (_, fields) = self.constructor_fields(id, constructor, &arguments)?;
        let (name, result) = *fields.get(field as usize)?;
        let kind = FunKind::Selector(id, constructor, field);
        Some(self.declare(FunDecl {
            name,
            params: Box::new([sort]),
            result,
            kind,
        }))
    }

    /// The tester of a constructor of a datatype instance.
    pub fn tester(&mut self, sort: Sort, constructor: u32) -> Option<Fun> {
        let (id, arguments) = self.data_of(sort)?;
        let (name, _) = self.constructor_fields(id, constructor, &arguments)?;
        let kind = FunKind::Tester(id, constructor);
        Some(self.declare(FunDecl {
            name,
            params: Box::new([sort]),
            result: Sort::BOOL,
            kind,
        }))
    }

    /// The updater of a selector of a datatype instance.
    pub fn updater(&mut self, sort: Sort, constructor: u32, field: u32) -> Option<Fun> {
        let (id, arguments) = self.data_of(sort)?;
        let (_, fields) = self.constructor_fields(id, constructor, &arguments)?;
        let (name, of) = *fields.get(field as usize)?;
        let kind = FunKind::Updater(id, constructor, field);
        Some(self.declare(FunDecl {
            name,
            params: Box::new([sort, of]),
            result: sort,
            kind,
        }))
    }

    /// The datatype of a sort, with its arguments.
    pub fn data_of(&self, sort: Sort) -> Option<(DataId, Box<[Sort]>)> {
        match self.sorts.kind(sort) {
            SortKind::Data(id, arguments) => Some((*id, arguments.clone())),
            _ => None,
        }
    }

    fn constructor_fields(
        &mut self,
        id: DataId,
        number: u32,
        arguments: &[Sort],
    ) -> Option<(Symbol, Vec<(Symbol, Sort)>)> {
        let datatype = self.sorts.datatype(id);
        let constructor = datatype.constructors.get(number as usize)?;
        let name = constructor.name;
        let mut fields = constructor.selectors.to_vec();
        let parameters = datatype.parameters.clone();
        if !parameters.is_empty() {
            for (_, sort) in &mut fields {
                *sort = self.sorts.instantiate(*sort, &parameters, arguments);
            }
        }
        Some((name, fields))
    }

    /// The arguments with integers converted to reals, if both occur.
    fn lift_to_reals(&mut self, args: &[TermId]) -> Option<Vec<TermId>> {
        let has_int = args.iter().any(|a| self.sort(*a) == Sort::INT);
        let all_numbers = args
            .iter()
            .all(|a| matches!(self.sort(*a), Sort::INT | Sort::REAL | Sort::BOOL));
        if !has_int || !all_numbers && !args.iter().any(|a| self.sort(*a) == Sort::ROUNDING_MODE) {
            return None;
        }
        args.iter()
            .map(|a| {
                if self.sort(*a) == Sort::INT {
                    self.to_real(*a)
                } else {
                    Some(*a)
                }
            })
            .collect()
    }

    /// An integer term as a real: literals become decimals, other terms get `to_real`.
    pub fn to_real(&mut self, term: TermId) -> Option<TermId> {
        if self.sort(term) != Sort::INT {
            return Some(term);
        }
        if let Some(Value::Int(int)) = self.literal_value(term) {
            let value = Value::Real(Rat::from(int.clone()));
            return Some(self.literal_node(value, Sort::REAL));
        }
        // `(- 5)` stays a literal with a sign.
        if let (Head::Op(op), &[arg]) = (self.head(term), self.args(term))
            && &*self.op(op).name == "-"
            && self.literal_value(arg).is_some()
        {
            let arg = self.to_real(arg)?;
            return self.app("-", &[arg]).ok();
        }
        self.app("to_real", &[term]).ok()
    }
}
