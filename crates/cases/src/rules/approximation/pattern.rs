//! Patterns of rules: matching them against terms of any sorts and widths, and building their instances.

use super::Literal;
use crate::features::{Features, is_nonlinear};
use auspex_logic::sort::DataId;
use auspex_logic::term::FunKind;
use auspex_logic::value::{BitVec, Escapes, Int, Rat, RoundingMode, Str};
use auspex_logic::{Fun, Head, OpDecl, OpTable, Sort, SortKind, TermId, Terms, Value};
use auspex_syntax::{Document, Kind, Sexpr};

/// A sort with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SortPattern {
    Exactly(Sort),
    /// Any sort that can be compared; the same one for the same number.
    Any(u8),
    /// `Int` or `Real`.
    Number,
    BitVec(u8),
    Float(u8, u8),
    Array(Box<SortPattern>, Box<SortPattern>),
    Seq(Box<SortPattern>),
    Set(Box<SortPattern>),
    Data,
    /// The sort of the chosen field of a constructor.
    Field,
    /// The other fields of a constructor.
    Rest,
}

/// An index of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    Exactly(u64),
    Any(u8),
}

/// A side of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Variable(u8),
    /// The hole of a context.
    Hole,
    /// An integer, which is a real among reals.
    Integer(Int),
    Value(Value, Sort),
    /// `(_ bv5 n)`.
    Bits(u64, u8),
    Apply {
        name: Box<str>,
        /// The rows that the name may mean.
        rows: Box<[u32]>,
        indices: Box<[Index]>,
        args: Box<[Node]>,
    },
    /// `((as name sort) args…)`.
    Qualified {
        name: Box<str>,
        rows: Box<[u32]>,
        sort: SortPattern,
        args: Box<[Node]>,
    },
    /// A constructor without fields.
    Constructor(u8),
    /// A constructor with fields, of which one is chosen: that one, and the variable of the others.
    Fields(Box<Node>, u8),
    /// The selector of the chosen field.
    Selector(Box<Node>),
    /// The constructor applied to all of its fields of a term.
    Rebuilt(Box<Node>),
    Tester(u8, Box<Node>),
    Function(Box<Node>),
}

/// The names of constructors in rules: two without fields, and one with any number of them.
const CONSTRUCTORS: [&str; 3] = ["c0", "d0", "cn"];
/// The one that has fields.
const WITH_FIELDS: u8 = 2;
const NUMBERS: [&str; 6] = ["n", "m", "e", "s", "k", "l"];
const SORTS: [&str; 3] = ["X", "Y", "Z"];
const NUMBER: usize = 3;
const DATA: usize = 4;
pub(crate) const MOST_VARIABLES: usize = 8;

/// A variable of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub sort: SortPattern,
    pub literal: Option<Literal>,
}

/// What the parts of a rule stand for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bindings {
    pub(crate) terms: [Option<TermId>; MOST_VARIABLES],
    sorts: [Option<Sort>; 5],
    numbers: [Option<u64>; 6],
    constructors: [Option<u32>; 3],
    function: Option<Fun>,
    /// The remainder of this number by the number of fields chooses one.
    turn: usize,
}

/// Gives terms for the variables that matching leaves open, and says what may be used.
pub trait Supply {
    /// A term of a sort.
    fn term(&mut self, terms: &mut Terms, sort: Sort) -> Option<TermId>;
    /// A literal with a property.
    fn literal(&mut self, terms: &mut Terms, sort: Sort, literal: Literal) -> Option<TermId>;
    /// A sort of which there are terms.
    fn sort(&mut self, terms: &mut Terms) -> Option<Sort>;
    /// A function of one argument.
    fn function(&mut self, terms: &Terms, argument: Sort) -> Option<Fun>;
    /// A number below a bound.
    fn choose(&mut self, bound: usize) -> usize;
    /// Whether a row of the operator table, used so that it brings these features, may be used.
    fn allows(&self, decl: &OpDecl, row: u32, features: Features) -> bool;
}

// ---- reading ----

pub(crate) fn read_sort(text: &str) -> Option<SortPattern> {
    let document = Document::read(text).ok()?;
    sort_pattern(document.items().next()?)
}

fn sort_pattern(sexpr: Sexpr<'_>) -> Option<SortPattern> {
    let boxed = |place: usize| Some(Box::new(sort_pattern(sexpr.item(place)?)?));
    if let Some(name) = sexpr.symbol() {
        if let Some(number) = SORTS.iter().position(|s| *s == name) {
            return Some(SortPattern::Any(number as u8));
        }
        return Some(match name {
            "N" => SortPattern::Number,
            "D" => SortPattern::Data,
            "F" => SortPattern::Field,
            "Rest" => SortPattern::Rest,
            "Bool" => SortPattern::Exactly(Sort::BOOL),
            "Int" => SortPattern::Exactly(Sort::INT),
            "Real" => SortPattern::Exactly(Sort::REAL),
            "String" => SortPattern::Exactly(Sort::STRING),
            "RegLan" => SortPattern::Exactly(Sort::REG_LAN),
            "RoundingMode" => SortPattern::Exactly(Sort::ROUNDING_MODE),
            _ => return None,
        });
    }
    match (sexpr.head()?, sexpr.item(1)?.symbol()) {
        ("_", Some("BitVec")) => Some(SortPattern::BitVec(number_named(sexpr.item(2)?)?)),
        ("_", Some("FloatingPoint")) => Some(SortPattern::Float(
            number_named(sexpr.item(2)?)?,
            number_named(sexpr.item(3)?)?,
        )),
        ("Array", _) => Some(SortPattern::Array(boxed(1)?, boxed(2)?)),
        ("Seq", _) => Some(SortPattern::Seq(boxed(1)?)),
        ("Set", _) => Some(SortPattern::Set(boxed(1)?)),
        _ => None,
    }
}

fn number_named(sexpr: Sexpr<'_>) -> Option<u8> {
    let name = sexpr.symbol()?;
    NUMBERS.iter().position(|n| *n == name).map(|n| n as u8)
}

/// Reads one side of a rule.
pub(crate) fn read_node(text: &str, variables: &[Variable], table: &OpTable) -> Option<Node> {
    let document = Document::read(text).ok()?;
    node(document.items().next()?, variables, table)
}

fn node(sexpr: Sexpr<'_>, variables: &[Variable], table: &OpTable) -> Option<Node> {
    match sexpr.kind() {
        Kind::Symbol | Kind::QuotedSymbol => symbol(sexpr.symbol()?, variables, table),
        Kind::Numeral => Int::parse(sexpr.text()).map(Node::Integer),
        Kind::Decimal => Some(Node::Value(
            Value::Real(Rat::parse(sexpr.text())?),
            Sort::REAL,
        )),
        Kind::String => {
            let string = Str::read(&sexpr.string()?, Escapes::Standard)?;
            Some(Node::Value(Value::Str(string), Sort::STRING))
        }
        Kind::Binary | Kind::Hexadecimal => {
            // Its sort is made with the arena at hand; the width says all.
            Some(Node::Value(
                Value::BitVec(BitVec::parse(sexpr.text())?),
                Sort::UNKNOWN,
            ))
        }
        Kind::List => list(sexpr, variables, table),
        Kind::Keyword => None,
    }
}

fn symbol(name: &str, variables: &[Variable], table: &OpTable) -> Option<Node> {
    if let Some(number) = variables.iter().position(|v| v.name == name) {
        return Some(Node::Variable(number as u8));
    }
    match name {
        "_" => return Some(Node::Hole),
        "true" => return Some(Node::Value(Value::TRUE, Sort::BOOL)),
        "false" => return Some(Node::Value(Value::FALSE, Sort::BOOL)),
        _ => {}
    }
    if let Some(slot) = slot_named(name) {
        return Some(Node::Constructor(slot));
    }
    if let Some(mode) = RoundingMode::parse(name) {
        return Some(Node::Value(Value::Rounding(mode), Sort::ROUNDING_MODE));
    }
    apply(name, Box::default(), Box::default(), table)
}

fn slot_named(name: &str) -> Option<u8> {
    let slot = CONSTRUCTORS.iter().position(|n| *n == name)?;
    Some(slot as u8)
}

fn apply(name: &str, indices: Box<[Index]>, args: Box<[Node]>, table: &OpTable) -> Option<Node> {
    let rows = table.named(name);
    (!rows.is_empty()).then(|| Node::Apply {
        name: name.into(),
        rows: rows.into(),
        indices,
        args,
    })
}

fn list(sexpr: Sexpr<'_>, variables: &[Variable], table: &OpTable) -> Option<Node> {
    if sexpr.head() == Some("_") {
        return indexed_constant(sexpr, table);
    }
    if sexpr.head() == Some("as") {
        return qualified(sexpr, Box::default(), table);
    }
    let args: Option<Box<[Node]>> = sexpr
        .items()
        .skip(1)
        .map(|item| node(item, variables, table))
        .collect();
    let (head, args) = (sexpr.item(0)?, args?);
    let one = |args: Box<[Node]>| args.into_iter().next().map(Box::new);
    match (head.symbol(), head.head()) {
        (Some("f"), _) => Some(Node::Function(one(args)?)),
        (Some("sn"), _) => Some(Node::Selector(one(args)?)),
        (Some("rebuilt"), _) => Some(Node::Rebuilt(one(args)?)),
        (Some("cn"), _) => match &*args {
            [field, Node::Variable(rest)] => Some(Node::Fields(Box::new(field.clone()), *rest)),
            _ => None,
        },
        (Some(name), _) => apply(name, Box::default(), args, table),
        (None, Some("as")) => qualified(head, args, table),
        (None, Some("_")) if head.item(1)?.symbol() == Some("is") => {
            let name = head.item(2)?.symbol()?;
            Some(Node::Tester(slot_named(name)?, one(args)?))
        }
        (None, Some("_")) => {
            let indices: Option<Box<[Index]>> = head.items().skip(2).map(index).collect();
            apply(head.item(1)?.symbol()?, indices?, args, table)
        }
        _ => None,
    }
}

fn index(sexpr: Sexpr<'_>) -> Option<Index> {
    match sexpr.text().parse() {
        Ok(number) => Some(Index::Exactly(number)),
        Err(_) => number_named(sexpr).map(Index::Any),
    }
}

fn indexed_constant(sexpr: Sexpr<'_>, table: &OpTable) -> Option<Node> {
    let name = sexpr.item(1)?.symbol()?;
    if let Some(value) = name
        .strip_prefix("bv")
        .and_then(|digits| digits.parse().ok())
    {
        return Some(Node::Bits(value, number_named(sexpr.item(2)?)?));
    }
    let indices: Option<Box<[Index]>> = sexpr.items().skip(2).map(index).collect();
    apply(name, indices?, Box::default(), table)
}

fn qualified(head: Sexpr<'_>, args: Box<[Node]>, table: &OpTable) -> Option<Node> {
    let name = head.item(1)?.symbol()?;
    Some(Node::Qualified {
        name: name.into(),
        rows: table.named(name).into(),
        sort: sort_pattern(head.item(2)?)?,
        args,
    })
}

// ---- matching ----

impl SortPattern {
    pub(crate) fn is_bool(&self) -> bool {
        *self == SortPattern::Exactly(Sort::BOOL)
    }

    pub(crate) fn matches(&self, terms: &Terms, sort: Sort, bindings: &mut Bindings) -> bool {
        if sort == Sort::UNKNOWN {
            return false;
        }
        let kind = terms.sorts.kind(sort);
        match (self, kind) {
            (SortPattern::Exactly(wanted), _) => *wanted == sort,
            (SortPattern::Any(slot), _) => {
                is_comparable(terms, sort) && bind(&mut bindings.sorts[*slot as usize], sort)
            }
            (SortPattern::Number, SortKind::Int | SortKind::Real) => {
                bind(&mut bindings.sorts[NUMBER], sort)
            }
            (SortPattern::BitVec(n), SortKind::BitVec(width)) => {
                bind(&mut bindings.numbers[*n as usize], u64::from(*width))
            }
            (SortPattern::Float(e, s), SortKind::Float { eb, sb }) => {
                bind(&mut bindings.numbers[*e as usize], u64::from(*eb))
                    && bind(&mut bindings.numbers[*s as usize], u64::from(*sb))
            }
            (SortPattern::Array(i, e), SortKind::Array(index, element)) => {
                i.matches(terms, *index, bindings) && e.matches(terms, *element, bindings)
            }
            (SortPattern::Seq(e), SortKind::Seq(element))
            | (SortPattern::Set(e), SortKind::Set(element)) => e.matches(terms, *element, bindings),
            (SortPattern::Data, SortKind::Data(..)) => bind(&mut bindings.sorts[DATA], sort),
            // Constructors see to the sorts of their fields.
            (SortPattern::Field, _) => is_comparable(terms, sort),
            _ => false,
        }
    }

    /// The sort, once everything in it is bound.
    fn instance(&self, terms: &mut Terms, bindings: &Bindings) -> Option<Sort> {
        let small = |n: u8| u32::try_from(bindings.numbers[n as usize]?).ok();
        Some(match self {
            SortPattern::Exactly(sort) => *sort,
            SortPattern::Any(slot) => bindings.sorts[*slot as usize]?,
            SortPattern::Number => bindings.sorts[NUMBER]?,
            SortPattern::BitVec(n) => terms.sorts.bit_vec(small(*n)?),
            SortPattern::Float(e, s) => terms.sorts.float(small(*e)?, small(*s)?),
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
            SortPattern::Data => bindings.sorts[DATA]?,
            SortPattern::Field => {
                let fun = bindings.constructor(terms, WITH_FIELDS)?;
                let params = &terms.fun(fun).params;
                *params.get(bindings.turn.checked_rem(params.len())?)?
            }
            SortPattern::Rest => return None,
        })
    }
}

fn bind<T: PartialEq + Copy>(slot: &mut Option<T>, value: T) -> bool {
    *slot.get_or_insert(value) == value
}

/// Whether solvers take `=` between terms of a sort.
fn is_comparable(terms: &Terms, sort: Sort) -> bool {
    terms.sorts.is_known(sort)
        && !matches!(
            terms.sorts.kind(sort),
            SortKind::RegLan | SortKind::Function(_)
        )
}

impl Bindings {
    /// Nothing is bound; the number chooses a field of constructors.
    pub(crate) fn choosing(turn: usize) -> Bindings {
        Bindings {
            turn,
            ..Bindings::default()
        }
    }

    fn constructor(&self, terms: &mut Terms, slot: u8) -> Option<Fun> {
        terms.constructor(self.sorts[DATA]?, self.constructors[slot as usize]?)
    }

    /// Different names stand for different constructors of the same datatype.
    fn bind_constructor(&mut self, slot: u8, sort: Sort, number: u32) -> bool {
        let slot = slot as usize;
        let taken = (0..3).any(|other| other != slot && self.constructors[other] == Some(number));
        !taken && bind(&mut self.sorts[DATA], sort) && bind(&mut self.constructors[slot], number)
    }

    /// The other fields of an application, by the application; the same ones if they are bound already.
    fn bind_rest(&mut self, terms: &Terms, rest: u8, term: TermId, chosen: usize) -> bool {
        let bound = *self.terms[rest as usize].get_or_insert(term);
        let (old, new) = (terms.args(bound), terms.args(term));
        let mut pairs = old.iter().zip(new).enumerate();
        old.len() == new.len() && pairs.all(|(field, (a, b))| field == chosen || a == b)
    }

    /// Whether every bound variable that must be a literal is one with the property.
    pub(crate) fn meets(&self, terms: &Terms, variables: &[Variable]) -> bool {
        variables
            .iter()
            .zip(&self.terms)
            .all(|(variable, term)| match (variable.literal, term) {
                (Some(literal), Some(term)) => {
                    terms.literal_value(*term).is_some_and(|v| literal.holds(v))
                }
                _ => true,
            })
    }
}

impl Node {
    /// Adds the numbers of its variables.
    pub(crate) fn variables(&self, all: &mut Vec<u8>) {
        match self {
            Node::Variable(number) => all.push(*number),
            Node::Apply { args, .. } | Node::Qualified { args, .. } => {
                args.iter().for_each(|arg| arg.variables(all));
            }
            Node::Selector(arg) | Node::Rebuilt(arg) | Node::Function(arg) => arg.variables(all),
            Node::Tester(_, arg) | Node::Fields(arg, _) => arg.variables(all),
            Node::Hole | Node::Constructor(_) => {}
            Node::Integer(_) | Node::Value(..) | Node::Bits(..) => {}
        }
    }

    pub(crate) fn matches(
        &self,
        terms: &Terms,
        variables: &[Variable],
        term: TermId,
        bindings: &mut Bindings,
    ) -> bool {
        let all = |nodes: &[Node], args: &[TermId], bindings: &mut Bindings| {
            nodes.len() == args.len()
                && nodes
                    .iter()
                    .zip(args)
                    .all(|(node, arg)| node.matches(terms, variables, *arg, bindings))
        };
        match (self, terms.head(term)) {
            (Node::Hole, _) => true,
            (Node::Variable(number), _) => {
                let number = *number as usize;
                match bindings.terms[number] {
                    Some(bound) => bound == term,
                    None => {
                        bindings.terms[number] = Some(term);
                        variables[number]
                            .sort
                            .matches(terms, terms.sort(term), bindings)
                    }
                }
            }
            (Node::Integer(int), Head::Literal(number)) => match terms.literal(number) {
                Value::Int(value) => value == int,
                Value::Real(value) => *value == Rat::from(int.clone()),
                _ => false,
            },
            (Node::Value(value, _), Head::Literal(number)) => terms.literal(number) == value,
            (Node::Bits(value, n), Head::Literal(number)) => match terms.literal(number) {
                Value::BitVec(bits) => {
                    bits.to_u64() == Some(*value)
                        && bind(&mut bindings.numbers[*n as usize], u64::from(bits.width()))
                }
                _ => false,
            },
            (
                Node::Apply {
                    rows,
                    indices,
                    args,
                    ..
                },
                Head::Op(op),
            ) => {
                rows.contains(&(terms.op_row(op) as u32))
                    && indices_match(indices, terms.op_indices(op), bindings)
                    && all(args, terms.args(term), bindings)
            }
            (
                Node::Qualified {
                    rows, sort, args, ..
                },
                Head::Op(op),
            ) => {
                rows.contains(&(terms.op_row(op) as u32))
                    && sort.matches(terms, terms.sort(term), bindings)
                    && all(args, terms.args(term), bindings)
            }
            (Node::Function(arg), Head::Fun(fun)) => {
                let decl = terms.fun(fun);
                matches!(decl.kind, FunKind::Declared | FunKind::Defined)
                    && decl.params.len() == 1
                    && terms.args(term).len() == 1
                    && bind(&mut bindings.function, fun)
                    && arg.matches(terms, variables, terms.args(term)[0], bindings)
            }
            (_, Head::Fun(fun)) => self.matches_data(terms, variables, term, fun, bindings),
            _ => false,
        }
    }

    fn matches_data(
        &self,
        terms: &Terms,
        variables: &[Variable],
        term: TermId,
        fun: Fun,
        bindings: &mut Bindings,
    ) -> bool {
        let args = terms.args(term);
        let decl = terms.fun(fun);
        let subject = decl.params.first().copied().unwrap_or(Sort::UNKNOWN);
        let fields = |id: DataId, number: u32| {
            let constructors = &terms.sorts.datatype(id).constructors;
            constructors[number as usize].selectors.len()
        };
        match (self, decl.kind) {
            (Node::Constructor(slot), FunKind::Constructor(_, number)) => {
                decl.params.is_empty() && bindings.bind_constructor(*slot, decl.result, number)
            }
            (Node::Fields(field, rest), FunKind::Constructor(_, number)) => {
                let Some(chosen) = bindings.turn.checked_rem(args.len()) else {
                    return false;
                };
                bindings.bind_constructor(WITH_FIELDS, decl.result, number)
                    && bindings.bind_rest(terms, *rest, term, chosen)
                    && field.matches(terms, variables, args[chosen], bindings)
            }
            (Node::Selector(node), FunKind::Selector(id, number, of)) => {
                bindings.turn.checked_rem(fields(id, number)) == Some(of as usize)
                    && bindings.bind_constructor(WITH_FIELDS, subject, number)
                    && node.matches(terms, variables, args[0], bindings)
            }
            (Node::Rebuilt(node), FunKind::Constructor(_, number)) => {
                let Some(of) = rebuilt_of(terms, term) else {
                    return false;
                };
                bindings.bind_constructor(WITH_FIELDS, decl.result, number)
                    && node.matches(terms, variables, of, bindings)
            }
            (Node::Tester(slot, node), FunKind::Tester(id, number)) => {
                (*slot == WITH_FIELDS) == (fields(id, number) > 0)
                    && bindings.bind_constructor(*slot, subject, number)
                    && node.matches(terms, variables, args[0], bindings)
            }
            _ => false,
        }
    }
}

/// The term whose fields are all those of a constructor application, in order.
fn rebuilt_of(terms: &Terms, term: TermId) -> Option<TermId> {
    let first = terms.args(*terms.args(term).first()?).first().copied()?;
    let Head::Fun(fun) = terms.head(term) else {
        return None;
    };
    let FunKind::Constructor(id, number) = terms.fun(fun).kind else {
        return None;
    };
    let mut args = terms.args(term).iter().enumerate();
    let all = args.all(|(field, arg)| match terms.head(*arg) {
        Head::Fun(selector) => {
            terms.fun(selector).kind == FunKind::Selector(id, number, field as u32)
                && terms.args(*arg) == [first]
        }
        _ => false,
    });
    all.then_some(first)
}

fn indices_match(wanted: &[Index], actual: &[u64], bindings: &mut Bindings) -> bool {
    wanted.len() == actual.len()
        && wanted
            .iter()
            .zip(actual)
            .all(|(index, number)| match index {
                Index::Exactly(wanted) => wanted == number,
                Index::Any(slot) => bind(&mut bindings.numbers[*slot as usize], *number),
            })
}

// ---- building ----

impl Node {
    /// The term of this pattern; variables still open are supplied and then bound.
    pub(crate) fn instance(
        &self,
        terms: &mut Terms,
        variables: &[Variable],
        bindings: &mut Bindings,
        supply: &mut dyn Supply,
    ) -> Option<TermId> {
        match self {
            Node::Hole => None,
            Node::Variable(number) => {
                let number = *number as usize;
                if bindings.terms[number].is_none() {
                    bindings.terms[number] =
                        Some(supplied(terms, &variables[number], bindings, supply)?);
                }
                bindings.terms[number]
            }
            Node::Integer(int) => terms.value_term(&Value::Int(int.clone()), Sort::INT),
            Node::Value(Value::BitVec(bits), _) => {
                let sort = terms.sorts.bit_vec(bits.width());
                terms.value_term(&Value::BitVec(bits.clone()), sort)
            }
            Node::Value(value, sort) => terms.value_term(value, *sort),
            Node::Bits(value, n) => {
                let width = u32::try_from(bindings.numbers[*n as usize]?).ok()?;
                let sort = terms.sorts.bit_vec(width);
                terms.value_term(&Value::BitVec(BitVec::from_u64(width, *value)), sort)
            }
            Node::Apply {
                name,
                indices,
                args,
                ..
            } => {
                let args = instances(args, terms, variables, bindings, supply)?;
                let indices: Option<Vec<u64>> = indices
                    .iter()
                    .map(|index| match index {
                        Index::Exactly(number) => Some(*number),
                        Index::Any(slot) => bindings.numbers[*slot as usize],
                    })
                    .collect();
                let term = terms.indexed_app(name, &indices?, &args).ok()?;
                is_allowed(terms, term, supply).then_some(term)
            }
            Node::Qualified {
                name, sort, args, ..
            } => {
                let args = instances(args, terms, variables, bindings, supply)?;
                let sort = sort.instance(terms, bindings)?;
                let term = terms.qualified_app(name, &args, sort).ok()?;
                is_allowed(terms, term, supply).then_some(term)
            }
            Node::Function(arg) => {
                let arg = arg.instance(terms, variables, bindings, supply)?;
                if bindings.function.is_none() {
                    bindings.function = Some(supply.function(terms, terms.sort(arg))?);
                }
                terms.fun_app(bindings.function?, &[arg]).ok()
            }
            Node::Constructor(slot) => {
                choose_constructor(terms, *slot, bindings, supply)?;
                applied(terms, *slot, &[], bindings)
            }
            Node::Fields(field, rest) => {
                choose_constructor(terms, WITH_FIELDS, bindings, supply)?;
                let field = field.instance(terms, variables, bindings, supply)?;
                let fun = bindings.constructor(terms, WITH_FIELDS)?;
                let sorts = terms.fun(fun).params.clone();
                let chosen = bindings.turn.checked_rem(sorts.len())?;
                let others = bindings.terms[*rest as usize].map(|term| terms.args(term).to_vec());
                let mut args = Vec::with_capacity(sorts.len());
                for (place, sort) in sorts.iter().enumerate() {
                    args.push(match &others {
                        _ if place == chosen => field,
                        Some(others) => *others.get(place)?,
                        None => supply.term(terms, *sort)?,
                    });
                }
                let term = applied(terms, WITH_FIELDS, &args, bindings)?;
                bindings.terms[*rest as usize].get_or_insert(term);
                Some(term)
            }
            Node::Rebuilt(arg) => {
                let arg = arg.instance(terms, variables, bindings, supply)?;
                bind(&mut bindings.sorts[DATA], terms.sort(arg)).then_some(())?;
                choose_constructor(terms, WITH_FIELDS, bindings, supply)?;
                let number = bindings.constructors[WITH_FIELDS as usize]?;
                let fun = bindings.constructor(terms, WITH_FIELDS)?;
                let fields = 0..terms.fun(fun).params.len() as u32;
                let mut args = Vec::new();
                for field in fields {
                    let selector = terms.selector(terms.sort(arg), number, field)?;
                    args.push(terms.fun_app(selector, &[arg]).ok()?);
                }
                applied(terms, WITH_FIELDS, &args, bindings)
            }
            Node::Selector(arg) => {
                let arg = arg.instance(terms, variables, bindings, supply)?;
                bind(&mut bindings.sorts[DATA], terms.sort(arg)).then_some(())?;
                choose_constructor(terms, WITH_FIELDS, bindings, supply)?;
                let number = bindings.constructors[WITH_FIELDS as usize]?;
                let fun = bindings.constructor(terms, WITH_FIELDS)?;
                let field = bindings.turn.checked_rem(terms.fun(fun).params.len())?;
                let fun = terms.selector(terms.sort(arg), number, field as u32)?;
                terms.fun_app(fun, &[arg]).ok()
            }
            Node::Tester(slot, arg) => {
                let arg = arg.instance(terms, variables, bindings, supply)?;
                bind(&mut bindings.sorts[DATA], terms.sort(arg)).then_some(())?;
                choose_constructor(terms, *slot, bindings, supply)?;
                let fun = terms.tester(terms.sort(arg), bindings.constructors[*slot as usize]?)?;
                terms.fun_app(fun, &[arg]).ok()
            }
        }
    }
}

/// An application of the constructor of a slot. Fields need not tell the instance of a parametric datatype.
fn applied(terms: &mut Terms, slot: u8, args: &[TermId], bindings: &Bindings) -> Option<TermId> {
    let sort = bindings.sorts[DATA]?;
    let plain = args.is_empty() || terms.data_of(sort)?.1.is_empty();
    let fun = bindings.constructor(terms, slot)?;
    plain.then(|| terms.fun_app(fun, args).ok())?
}

fn instances(
    nodes: &[Node],
    terms: &mut Terms,
    variables: &[Variable],
    bindings: &mut Bindings,
    supply: &mut dyn Supply,
) -> Option<Vec<TermId>> {
    nodes
        .iter()
        .map(|node| node.instance(terms, variables, bindings, supply))
        .collect()
}

fn supplied(
    terms: &mut Terms,
    variable: &Variable,
    bindings: &mut Bindings,
    supply: &mut dyn Supply,
) -> Option<TermId> {
    let sort = match variable.sort.instance(terms, bindings) {
        Some(sort) => sort,
        None => supply.sort(terms)?,
    };
    if !variable.sort.matches(terms, sort, bindings) {
        return None;
    }
    match variable.literal {
        Some(literal) => supply.literal(terms, sort, literal),
        None => supply.term(terms, sort),
    }
}

/// Whether the solvers know the operator at the root, and the logic allows it.
fn is_allowed(terms: &Terms, term: TermId, supply: &dyn Supply) -> bool {
    let Head::Op(op) = terms.head(term) else {
        return true;
    };
    let decl = terms.op(op);
    let mut features = Features::of_theory(decl.theory);
    if is_nonlinear(terms, decl, terms.args(term)) {
        features = features.union(Features::NONLINEAR);
    }
    supply.allows(decl, terms.op_row(op) as u32, features)
}

/// Binds a constructor that matching left open to any that fits.
fn choose_constructor(
    terms: &Terms,
    slot: u8,
    bindings: &mut Bindings,
    supply: &mut dyn Supply,
) -> Option<()> {
    if bindings.constructors[slot as usize].is_some() {
        return Some(());
    }
    let (id, _) = terms.data_of(bindings.sorts[DATA]?)?;
    let constructors = &terms.sorts.datatype(id).constructors;
    let fitting: Vec<u32> = (0..constructors.len() as u32)
        .filter(|number| {
            constructors[*number as usize].selectors.is_empty() == (slot != WITH_FIELDS)
                && !bindings.constructors.contains(&Some(*number))
        })
        .collect();
    if fitting.is_empty() {
        return None;
    }
    bindings.constructors[slot as usize] = Some(fitting[supply.choose(fitting.len())]);
    Some(())
}
