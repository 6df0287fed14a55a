//! One row per operator: from the values allowed for an application to those allowed for each argument.
//! Tables I and II of the paper, corrected, and rows for the operators they leave out.
//! An operator without a row keeps its arguments' values, which is always sound.

mod arithmetic;
mod bits;
mod curves;
mod data;
mod floats;
mod integers;
#[cfg(test)]
mod inverse_tests;
mod numbers;
mod shifts;
mod strings;
mod texts;

use super::allowed::Allowed;
use auspex_logic::term::FunKind;
use auspex_logic::value::Function;
use auspex_logic::{Head, TermId, Terms, Value};
use bits::{SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT, circle};
use rustc_hash::FxHashMap;
use shifts::Shift;
use std::sync::OnceLock;
use strings::Where;

/// The allowed set of an application, and the present values of its arguments.
pub struct Context<'a> {
    pub allowed: &'a Allowed,
    pub values: &'a [Value],
    pub indices: &'a [u64],
}

/// The allowed set of the argument at a place; `None` keeps its value.
pub type Rule = fn(&Context<'_>, usize) -> Option<Allowed>;

/// The allowed set of an argument of a term.
pub fn below(
    terms: &Terms,
    term: TermId,
    allowed: &Allowed,
    values: &[Value],
    at: usize,
) -> Option<Allowed> {
    let context = |indices| Context {
        allowed,
        values,
        indices,
    };
    match terms.head(term) {
        Head::Op(op) => {
            let name = &*terms.op(op).name;
            let context = context(terms.op_indices(op));
            match inverse(name) {
                Some(inverse) => inverted(inverse, &context, at),
                None => rule(name)?(&context, at),
            }
        }
        Head::Fun(fun) => match terms.fun(fun).kind {
            FunKind::Tester(_, number) => data::tester(&context(&[]), number),
            FunKind::Selector(_, number, field) => data::selector(&context(&[]), number, field),
            FunKind::Constructor(_, number) => data::constructor(&context(&[]), number, at),
            FunKind::Declared | FunKind::Defined | FunKind::Updater(..) => None,
        },
        _ => None,
    }
}

/// What `INVERSES` says about an operator.
pub fn inverse(operator: &str) -> Option<Rule> {
    static RULES: OnceLock<FxHashMap<&str, Rule>> = OnceLock::new();
    let rules = RULES.get_or_init(|| INVERSES.iter().copied().collect());
    rules.get(operator).copied()
}

/// The set that a rule gives, and of all values but some, all but those that lead to them.
fn inverted(inverse: Rule, context: &Context<'_>, at: usize) -> Option<Allowed> {
    let exactly;
    let not = match context.allowed {
        Allowed::AnythingBut(value) => {
            exactly = Allowed::Exactly(value.clone());
            &exactly
        }
        Allowed::Except(not) => not,
        Allowed::Either(parts) => {
            let parts = parts.iter().map(|allowed| {
                let context = Context {
                    allowed,
                    ..*context
                };
                inverted(inverse, &context, at)
            });
            return Some(Allowed::Either(parts.collect::<Option<_>>()?));
        }
        _ => return inverse(context, at),
    };
    let context = Context {
        allowed: not,
        ..*context
    };
    Some(match inverse(&context, at)? {
        Allowed::Anything => Allowed::Either(Vec::new()),
        Allowed::Exactly(value) => Allowed::AnythingBut(value),
        set => Allowed::Except(Box::new(set)),
    })
}

/// The rule of an operator.
pub fn rule(operator: &str) -> Option<Rule> {
    static RULES: OnceLock<FxHashMap<&str, Rule>> = OnceLock::new();
    let rules = RULES.get_or_init(|| ROWS.iter().copied().collect());
    rules.get(operator).copied()
}

pub const ROWS: &[(&str, Rule)] = &[
    ("not", negation),
    ("and", |c, at| connective(c, at, false)),
    ("or", |c, at| connective(c, at, true)),
    ("=>", implication),
    ("ite", choice),
    ("=", equality),
    ("distinct", distinctness),
    ("<", |c, at| numbers::ordered(c, at, true, false)),
    ("<=", |c, at| numbers::ordered(c, at, false, false)),
    (">", |c, at| numbers::ordered(c, at, true, true)),
    (">=", |c, at| numbers::ordered(c, at, false, true)),
    ("+", numbers::sum),
    ("-", numbers::difference),
    ("*", numbers::product),
    ("/", numbers::fraction),
    ("to_real", numbers::to_real),
    ("sin", |c, _| curves::bounded(c, 1)),
    ("cos", |c, _| curves::bounded(c, 1)),
    ("exp", |c, _| curves::rising(c, Function::Exp)),
    ("log", |c, _| curves::rising(c, Function::Log)),
    ("sqrt", |c, _| curves::rising(c, Function::Sqrt)),
    ("sinh", |c, _| curves::rising(c, Function::Sinh)),
    ("tanh", |c, _| curve(c, 1, Function::Tanh)),
    ("atan", |c, _| curve(c, 2, Function::Atan)),
    ("arctan", |c, _| curve(c, 2, Function::Atan)),
    ("asin", |c, _| curves::rising(c, Function::Asin)),
    ("arcsin", |c, _| curves::rising(c, Function::Asin)),
    ("bvult", |c, at| circle(c, at, &ULT)),
    ("bvule", |c, at| circle(c, at, &ULE)),
    ("bvugt", |c, at| circle(c, at, &UGT)),
    ("bvuge", |c, at| circle(c, at, &UGE)),
    ("bvslt", |c, at| circle(c, at, &SLT)),
    ("bvsle", |c, at| circle(c, at, &SLE)),
    ("bvsgt", |c, at| circle(c, at, &SGT)),
    ("bvsge", |c, at| circle(c, at, &SGE)),
    ("bvadd", bits::sum),
    ("bvsub", bits::difference),
    ("bvneg", bits::negation),
    ("bvnot", bits::complement),
    ("bvxor", bits::xor),
    ("bvand", |c, at| bits::mask(c, at, false)),
    ("bvor", |c, at| bits::mask(c, at, true)),
    ("extract", bits::extract),
    ("concat", bits::concat),
    ("zero_extend", bits::zero_extend),
    ("fp.add", arithmetic::sum),
    ("fp.sub", arithmetic::difference),
    ("fp.mul", arithmetic::product),
    ("fp.div", arithmetic::quotient),
    ("fp.sqrt", arithmetic::root),
    ("fp.roundToIntegral", arithmetic::integral),
    ("fp.lt", |c, at| floats::ordered(c, at, true, false)),
    ("fp.leq", |c, at| floats::ordered(c, at, false, false)),
    ("fp.gt", |c, at| floats::ordered(c, at, true, true)),
    ("fp.geq", |c, at| floats::ordered(c, at, false, true)),
    ("fp.eq", floats::equality),
    ("fp.neg", floats::negation),
    ("fp.abs", floats::absolute),
    ("fp.isNaN", floats::is_nan),
    ("fp.isInfinite", floats::is_infinite),
    ("fp.isNegative", |c, _| floats::has_sign(c, true)),
    ("fp.isPositive", |c, _| floats::has_sign(c, false)),
    ("select", data::selection),
    ("store", data::storing),
    ("seq.nth", data::item),
    ("seq.unit", data::unit),
    ("str.<", |c, at| strings::ordered(c, at, true)),
    ("str.<=", |c, at| strings::ordered(c, at, false)),
    ("str.prefixof", |c, at| strings::part(c, at, Where::Start)),
    ("str.suffixof", |c, at| strings::part(c, at, Where::End)),
    ("str.contains", |c, at| {
        strings::part(c, 1 - at, Where::Anywhere)
    }),
    ("str.in_re", strings::membership),
];

/// Rows that give exactly the values that lead to a set, so that others lead out of it.
pub const INVERSES: &[(&str, Rule)] = &[
    ("div", integers::quotient),
    ("mod", integers::remainder),
    ("divisible", integers::divisible),
    ("abs", integers::absolute),
    ("to_int", integers::to_int),
    ("sign_extend", shifts::sign_extend),
    ("bvmul", shifts::product),
    ("rotate_left", |c, _| shifts::rotated(c, true)),
    ("rotate_right", |c, _| shifts::rotated(c, false)),
    ("bvshl", |c, at| shifts::shifted(c, at, Shift::Left)),
    ("bvlshr", |c, at| shifts::shifted(c, at, Shift::Right)),
    ("bvashr", |c, at| shifts::shifted(c, at, Shift::Signed)),
    ("seq.len", data::sequence_length),
    ("str.len", strings::length),
    ("str.substr", texts::part),
    ("str.at", texts::letter),
    ("str.replace", texts::replaced),
    ("str.to_int", texts::number),
    ("str.from_int", texts::digits),
    ("str.indexof", texts::place),
];

/// A function that is bounded and rises.
fn curve(context: &Context<'_>, bound: i64, function: Function) -> Option<Allowed> {
    curves::bounded(context, bound).or_else(|| curves::rising(context, function))
}

/// Whether a Boolean application must be true or false; `None` if it may be either.
pub(super) fn wanted(context: &Context<'_>) -> Option<bool> {
    match context.allowed {
        Allowed::Exactly(Value::Bool(value)) => Some(*value),
        _ => None,
    }
}

fn negation(context: &Context<'_>, _: usize) -> Option<Allowed> {
    wanted(context).map(|value| Allowed::truth(!value))
}

/// `and` absorbs false, `or` absorbs true: one absorbing argument sets all others free.
fn connective(context: &Context<'_>, at: usize, absorbing: bool) -> Option<Allowed> {
    let value = wanted(context)?;
    if value != absorbing {
        return Some(Allowed::truth(value));
    }
    let others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at);
    let absorbed = others
        .map(|(_, v)| v)
        .any(|v| v.as_bool() == Some(absorbing));
    Some(if absorbed {
        Allowed::Anything
    } else {
        Allowed::truth(absorbing)
    })
}

fn implication(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let value = wanted(context)?;
    let last = context.values.len() - 1;
    if !value {
        return Some(Allowed::truth(at != last));
    }
    let holds_without = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .any(|(place, v)| v.as_bool() == Some(place == last));
    Some(if holds_without {
        Allowed::Anything
    } else {
        Allowed::truth(at == last)
    })
}

fn choice(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let chosen = if context.values[0].as_bool()? { 1 } else { 2 };
    match at {
        0 => {
            let both = [1, 2]
                .iter()
                .all(|i| context.allowed.contains(&context.values[*i]) == Some(true));
            both.then_some(Allowed::Anything)
        }
        at if at == chosen => Some(context.allowed.clone()),
        _ => Some(Allowed::Anything),
    }
}

/// All arguments equal: the others must stay so. Not all equal: one that differs sets the rest free.
fn equality(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let others = others(context, at)?;
    let same = others.iter().all(|v| *v == others[0]);
    match (wanted(context)?, same) {
        (true, true) => Some(Allowed::Exactly(others[0].clone())),
        (true, false) => None,
        (false, true) => Some(Allowed::AnythingBut(others[0].clone())),
        (false, false) => Some(Allowed::Anything),
    }
}

fn distinctness(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let others = others(context, at)?;
    let mut pairs = (1..others.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let repeated = pairs.any(|(i, j)| others[i] == others[j]);
    match (wanted(context)?, others.as_slice()) {
        (true, [other]) => Some(Allowed::AnythingBut((*other).clone())),
        (true, _) => None,
        (false, _) if repeated => Some(Allowed::Anything),
        (false, [other]) => Some(Allowed::Exactly((*other).clone())),
        (false, _) => None,
    }
}

/// The other arguments, if comparing them as data decides equality.
fn others<'c>(context: &Context<'c>, at: usize) -> Option<Vec<&'c Value>> {
    let others = context.values.iter().enumerate();
    let others: Vec<&Value> = others.filter(|(i, _)| *i != at).map(|(_, v)| v).collect();
    let comparable = !others.is_empty() && others.iter().all(|v| v.is_comparable());
    comparable.then_some(others)
}
