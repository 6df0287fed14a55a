//! Core: Boolean connectives, equality, distinctness and `ite`.

use super::Meaning::{Lazy, Strict};
use super::SolverSet;
use super::{Args, Open, Row, row};
use crate::value::Value;
use std::cmp::Ordering;

const STANDARD: SolverSet = SolverSet::STANDARD;

pub const ROWS: &[Row] = &[
    row("(not Bool Bool)", STANDARD, Lazy(not)).examples(&[("(not true)", "false")]),
    row("(=> Bool Bool Bool :right-assoc)", STANDARD, Lazy(implies)).examples(&[
        ("(=> true false)", "false"),
        ("(=> false true false)", "true"),
    ]),
    row("(and Bool Bool Bool :left-assoc)", STANDARD, Lazy(and))
        .commutative()
        .examples(&[("(and true false)", "false")]),
    row("(or Bool Bool Bool :left-assoc)", STANDARD, Lazy(or))
        .commutative()
        .examples(&[("(or true false)", "true")]),
    row("(xor Bool Bool Bool :left-assoc)", STANDARD, Strict(xor))
        .commutative()
        .examples(&[
            ("(xor true true)", "false"),
            ("(xor true true true)", "true"),
        ]),
    row("(par (A) (= A A Bool :chainable))", STANDARD, Strict(equal))
        .commutative()
        .examples(&[("(= 1 2)", "false"), ("(= 2 2 2)", "true")]),
    row(
        "(par (A) (distinct A A Bool :pairwise))",
        STANDARD,
        Strict(distinct),
    )
    .commutative()
    .examples(&[("(distinct 1 2 1)", "false"), ("(distinct 1 2 3)", "true")]),
    row("(par (A) (ite Bool A A A))", STANDARD, Lazy(ite)).examples(&[("(ite false 1 2)", "2")]),
];

fn not(args: &[Option<Value>]) -> Option<Value> {
    let p = args[0].as_ref()?.as_bool()?;
    Some(Value::Bool(!p))
}

fn and(args: &[Option<Value>]) -> Option<Value> {
    absorb(args, false)
}

fn or(args: &[Option<Value>]) -> Option<Value> {
    absorb(args, true)
}

/// One absorbing argument decides; otherwise all must be determined.
fn absorb(args: &[Option<Value>], absorbing: bool) -> Option<Value> {
    let mut open = false;
    for arg in args {
        match arg.as_ref().and_then(Value::as_bool) {
            Some(value) if value == absorbing => return Some(Value::Bool(absorbing)),
            Some(_) => {}
            None => open = true,
        }
    }
    if open {
        None
    } else {
        Some(Value::Bool(!absorbing))
    }
}

pub(super) fn implies(args: &[Option<Value>]) -> Option<Value> {
    let (conclusion, premises) = args.split_last()?;
    let mut open = conclusion.is_none();
    if conclusion == &Some(Value::TRUE) {
        return Some(Value::TRUE);
    }
    for premise in premises {
        match premise.as_ref().and_then(Value::as_bool) {
            Some(false) => return Some(Value::TRUE),
            Some(true) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(Value::FALSE) }
}

fn xor(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(args.values[0] != args.values[1]))
}

pub(super) fn equal(args: &Args<'_>) -> Result<Value, Open> {
    same(&args.values[0], &args.values[1]).map(Value::Bool)
}

fn distinct(args: &Args<'_>) -> Result<Value, Open> {
    same(&args.values[0], &args.values[1]).map(|same| Value::Bool(!same))
}

pub(super) fn ite(args: &[Option<Value>]) -> Option<Value> {
    match args[0].as_ref().and_then(Value::as_bool) {
        Some(true) => args[1].clone(),
        Some(false) => args[2].clone(),
        // Both branches are equal, so the condition does not matter.
        None if args[1].is_some() && args[1] == args[2] => args[1].clone(),
        None => None,
    }
}

/// Results that need the evaluator, which can apply functions.
pub const FUNCTIONS: &str = "equality of functions";

/// Equality of two values, if their data decides it.
pub fn same(a: &Value, b: &Value) -> Result<bool, Open> {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => {
            if x.default == y.default && x.entries == y.entries {
                return Ok(true);
            }
            same_array(x, y)
        }
        (Value::Regex(x), Value::Regex(y)) => x.same_language(y).as_bool().ok_or(Open::TooLarge),
        _ if a.is_comparable() && b.is_comparable() => Ok(a == b),
        _ if a == b => Ok(true),
        (Value::Irrational(_), Value::Irrational(_) | Value::Real(_))
        | (Value::Real(_), Value::Irrational(_)) => match a.real_order(b) {
            Some(order) => Ok(order == Ordering::Equal),
            None => Err(Open::NoMeaning("equality of unrelated irrational numbers")),
        },
        (Value::Closure(_), _) | (_, Value::Closure(_)) => Err(Open::NoMeaning(FUNCTIONS)),
        _ => Err(Open::NoMeaning(
            "equality of values with functions or irrational numbers inside",
        )),
    }
}

fn same_array(x: &crate::value::ArrayValue, y: &crate::value::ArrayValue) -> Result<bool, Open> {
    // A difference at an explicit index of one of them decides.
    for place in x.entries.keys().chain(y.entries.keys()) {
        if !same(x.select(place), y.select(place))? {
            return Ok(false);
        }
    }
    if x.open_universe && x.default != y.default {
        return Err(Open::NoMeaning(
            "equality of arrays over a sort whose universe is not known",
        ));
    }
    same(&x.default, &y.default)
}
