//! Builds the terms and sorts of rules from bindings.

use super::bindings::{Bindings, WITH_FIELDS};
use super::pattern::{Literal, Node, SortPattern, Variable};
use super::size::Size;
use auspex_logic::term::BinderKind;
use auspex_logic::value::BitVec;
use auspex_logic::{Fun, Sort, SortKind, TermId, Terms, Value};

/// Supplies terms for the variables that matching leaves open, and restricts what may be used.
pub trait Supply {
    /// A term of a sort.
    fn term(&mut self, terms: &mut Terms, sort: Sort) -> Option<TermId>;
    /// A literal with a property.
    fn literal(&mut self, terms: &mut Terms, sort: Sort, literal: Literal) -> Option<TermId>;
    /// A sort that has terms.
    fn sort(&mut self, terms: &mut Terms) -> Option<Sort>;
    /// A function of one argument.
    fn function(&mut self, terms: &Terms, argument: Sort) -> Option<Fun>;
    /// A number below a bound.
    fn choose(&mut self, bound: usize) -> usize;
    /// Whether a new application of an operator may be used.
    fn allows(&self, terms: &Terms, application: TermId) -> bool;
}

/// An empty supply: everything is bound, and every operator may be used.
pub struct Nothing;

impl Supply for Nothing {
    fn term(&mut self, _: &mut Terms, _: Sort) -> Option<TermId> {
        None
    }

    fn literal(&mut self, _: &mut Terms, _: Sort, _: Literal) -> Option<TermId> {
        None
    }

    fn sort(&mut self, _: &mut Terms) -> Option<Sort> {
        None
    }

    fn function(&mut self, _: &Terms, _: Sort) -> Option<Fun> {
        None
    }

    fn choose(&mut self, _: usize) -> usize {
        0
    }

    fn allows(&self, _: &Terms, _: TermId) -> bool {
        true
    }
}

impl SortPattern {
    /// The sort, once everything in it is bound.
    pub fn instance(&self, terms: &mut Terms, bindings: &Bindings) -> Option<Sort> {
        Some(match self {
            SortPattern::Exactly(sort) => *sort,
            SortPattern::Any(place) => bindings.sort(*place)?,
            SortPattern::Number => bindings.numeric()?,
            SortPattern::BitVec(width) => {
                let width = width.width(bindings).filter(|width| *width > 0)?;
                terms.sorts.bit_vec(width)
            }
            SortPattern::Float(e, s) => {
                let (eb, sb) = (e.width(bindings)?, s.width(bindings)?);
                terms.sorts.float(eb, sb)
            }
            SortPattern::Array(i, e) => {
                let (i, e) = (i.instance(terms, bindings)?, e.instance(terms, bindings)?);
                terms.sorts.array(i, e)
            }
            SortPattern::Seq(e) => {
                let e = e.instance(terms, bindings)?;
                terms.sorts.seq(e)
            }
            SortPattern::Set(e) => {
                let e = e.instance(terms, bindings)?;
                terms.sorts.set(e)
            }
            SortPattern::Bag(e) => {
                let e = e.instance(terms, bindings)?;
                terms.sorts.intern(SortKind::Bag(e))
            }
            SortPattern::Data => bindings.data()?,
            SortPattern::Field => bindings.field(terms)?,
            SortPattern::Rest => return None,
        })
    }
}

/// The state of building a term.
struct Building<'b> {
    terms: &'b mut Terms,
    variables: &'b [Variable],
    bindings: &'b mut Bindings,
    supply: &'b mut dyn Supply,
}

impl Node {
    /// Builds the term; open variables are supplied and then bound.
    pub fn instance(
        &self,
        terms: &mut Terms,
        variables: &[Variable],
        bindings: &mut Bindings,
        supply: &mut dyn Supply,
    ) -> Option<TermId> {
        let mut building = Building {
            terms,
            variables,
            bindings,
            supply,
        };
        building.node(self)
    }

    /// The term, if everything in it is bound.
    pub fn build(&self, terms: &mut Terms, bindings: &Bindings) -> Option<TermId> {
        self.instance(terms, &[], &mut bindings.clone(), &mut Nothing)
    }
}

impl Building<'_> {
    fn node(&mut self, node: &Node) -> Option<TermId> {
        match node {
            Node::Variable(at) => self.variable(*at as usize),
            Node::Bound(name, sort) => self.bound(name, sort),
            Node::Integer(int) => self.terms.value_term(&Value::Int(int.clone()), Sort::INT),
            Node::Number(size) => {
                let value = Value::Int(size.value(self.bindings)?);
                self.terms.value_term(&value, Sort::INT)
            }
            Node::Value(value, sort) => self.terms.value_term(value, *sort),
            Node::Bits(value, width) => {
                let width = width.width(self.bindings)?;
                let sort = self.terms.sorts.bit_vec(width);
                let bits = BitVec::from_int(width, &value.value(self.bindings)?);
                self.terms.value_term(&Value::BitVec(bits), sort)
            }
            Node::Apply {
                name,
                indices,
                args,
                sort,
                ..
            } => self.application((name, indices), args, sort.as_ref()),
            Node::Quantifier {
                universal,
                variables,
                body,
            } => self.quantifier(*universal, variables, body),
            Node::Cases {
                letter,
                first,
                last,
                parts,
            } => self.cases(*letter, (first, last), parts),
            Node::Function(arg) => {
                let arg = self.node(arg)?;
                if self.bindings.function.is_none() {
                    let function = self.supply.function(self.terms, self.terms.sort(arg))?;
                    self.bindings.function = Some(function);
                }
                self.terms.fun_app(self.bindings.function?, &[arg]).ok()
            }
            Node::Constructor(slot) => {
                self.choose_constructor(*slot)?;
                self.constructed(*slot, &[])
            }
            Node::Fields(field, rest) => self.fields(field, *rest as usize),
            Node::Rebuilt(arg) => self.rebuilt(arg),
            Node::Selector(arg) => {
                let (arg, number) = self.subject(WITH_FIELDS, arg)?;
                let fun = self.bindings.constructor(self.terms, WITH_FIELDS)?;
                let fields = self.terms.fun(fun).params.len();
                let field = self.bindings.turn.checked_rem(fields)?;
                let sort = self.terms.sort(arg);
                let fun = self.terms.selector(sort, number, field as u32)?;
                self.terms.fun_app(fun, &[arg]).ok()
            }
            Node::Tester(slot, arg) => {
                let (arg, number) = self.subject(*slot, arg)?;
                let sort = self.terms.sort(arg);
                let fun = self.terms.tester(sort, number)?;
                self.terms.fun_app(fun, &[arg]).ok()
            }
        }
    }

    fn variable(&mut self, at: usize) -> Option<TermId> {
        if self.bindings.terms[at].is_none() {
            self.bindings.terms[at] = Some(self.supplied(self.variables.get(at)?)?);
        }
        self.bindings.terms[at]
    }

    fn supplied(&mut self, variable: &Variable) -> Option<TermId> {
        let sort = match variable.sort.instance(self.terms, self.bindings) {
            Some(sort) => sort,
            None => self.supply.sort(self.terms)?,
        };
        if !variable.sort.matches(self.terms, sort, self.bindings) {
            return None;
        }
        match variable.literal {
            Some(literal) => self.supply.literal(self.terms, sort, literal),
            None => self.supply.term(self.terms, sort),
        }
    }

    fn bound(&mut self, name: &str, sort: &SortPattern) -> Option<TermId> {
        let sort = sort.instance(self.terms, self.bindings)?;
        let name = self.terms.symbols.intern(name);
        Some(self.terms.variable(name, sort))
    }

    fn application(
        &mut self,
        (name, indices): (&str, &[Size]),
        args: &[Node],
        sort: Option<&SortPattern>,
    ) -> Option<TermId> {
        let args: Option<Vec<TermId>> = args.iter().map(|arg| self.node(arg)).collect();
        let args = args?;
        let term = if let Some(sort) = sort {
            let sort = sort.instance(self.terms, self.bindings)?;
            self.terms.qualified_app(name, &args, sort).ok()?
        } else {
            let indices = indices.iter().map(|index| index.index(self.bindings));
            let indices: Option<Vec<u64>> = indices.collect();
            self.terms.indexed_app(name, &indices?, &args).ok()?
        };
        self.supply.allows(self.terms, term).then_some(term)
    }

    fn quantifier(
        &mut self,
        universal: bool,
        variables: &[(Box<str>, SortPattern)],
        body: &Node,
    ) -> Option<TermId> {
        let bound = variables.iter().map(|(name, sort)| self.bound(name, sort));
        let bound: Option<Vec<TermId>> = bound.collect();
        let (bound, body) = (bound?, self.node(body)?);
        let kind = if universal {
            BinderKind::Forall
        } else {
            BinderKind::Exists
        };
        Some(self.terms.quantified(kind, &bound, body))
    }

    fn cases(
        &mut self,
        letter: u8,
        (first, last): (&Size, &Size),
        [condition, then, otherwise]: &[Node; 3],
    ) -> Option<TermId> {
        let outside = *self.bindings;
        let mut term = self.node(otherwise)?;
        for number in (first.index(&outside)?..=last.index(&outside)?).rev() {
            *self.bindings = outside.with_number(letter, number);
            let (condition, then) = (self.node(condition)?, self.node(then)?);
            term = self.terms.app("ite", &[condition, then, term]).ok()?;
        }
        *self.bindings = outside;
        Some(term)
    }

    /// `(cn x r)`: the fields other than the chosen one are those of `r`, or new if it is open.
    fn fields(&mut self, field: &Node, rest: usize) -> Option<TermId> {
        self.choose_constructor(WITH_FIELDS)?;
        let field = self.node(field)?;
        let fun = self.bindings.constructor(self.terms, WITH_FIELDS)?;
        let sorts = self.terms.fun(fun).params.clone();
        let chosen = self.bindings.turn.checked_rem(sorts.len())?;
        let others = self.bindings.terms[rest].map(|term| self.terms.args(term).to_vec());
        let mut args = Vec::with_capacity(sorts.len());
        for (place, sort) in sorts.iter().enumerate() {
            args.push(match &others {
                _ if place == chosen => field,
                Some(others) => *others.get(place)?,
                None => self.supply.term(self.terms, *sort)?,
            });
        }
        let term = self.constructed(WITH_FIELDS, &args)?;
        self.bindings.terms[rest].get_or_insert(term);
        Some(term)
    }

    fn rebuilt(&mut self, arg: &Node) -> Option<TermId> {
        let (arg, number) = self.subject(WITH_FIELDS, arg)?;
        let fun = self.bindings.constructor(self.terms, WITH_FIELDS)?;
        let sort = self.terms.sort(arg);
        let mut args = Vec::new();
        for field in 0..self.terms.fun(fun).params.len() as u32 {
            let selector = self.terms.selector(sort, number, field)?;
            args.push(self.terms.fun_app(selector, &[arg]).ok()?);
        }
        self.constructed(WITH_FIELDS, &args)
    }

    /// A term of the datatype, and the number of the constructor of a slot.
    fn subject(&mut self, slot: u8, arg: &Node) -> Option<(TermId, u32)> {
        let arg = self.node(arg)?;
        self.bindings
            .bind_data(self.terms.sort(arg))
            .then_some(())?;
        self.choose_constructor(slot)?;
        Some((arg, self.bindings.constructors[slot as usize]?))
    }

    /// An application of the constructor of a slot. Its fields need not determine the instance of a parametric
    /// datatype.
    fn constructed(&mut self, slot: u8, args: &[TermId]) -> Option<TermId> {
        let sort = self.bindings.data()?;
        let plain = args.is_empty() || self.terms.data_of(sort)?.1.is_empty();
        let fun = self.bindings.constructor(self.terms, slot)?;
        plain.then(|| self.terms.fun_app(fun, args).ok())?
    }

    /// Binds a constructor that matching left open to any that fits.
    fn choose_constructor(&mut self, slot: u8) -> Option<()> {
        let bound = self.bindings.constructors;
        if bound[slot as usize].is_some() {
            return Some(());
        }
        let (id, _) = self.terms.data_of(self.bindings.data()?)?;
        let constructors = &self.terms.sorts.datatype(id).constructors;
        let fits = |number: &u32| {
            constructors[*number as usize].selectors.is_empty() == (slot != WITH_FIELDS)
                && !bound.contains(&Some(*number))
        };
        let fitting: Vec<u32> = (0..constructors.len() as u32).filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let choice = fitting[self.supply.choose(fitting.len())];
        self.bindings.constructors[slot as usize] = Some(choice);
        Some(())
    }
}
