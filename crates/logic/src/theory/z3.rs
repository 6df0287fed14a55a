//! Names that only z3 has: older spellings, arrays as functions and sets, counting constraints, special relations.
//! Their semantics is that of the corresponding standard operators, if any.

use super::Meaning::{Lazy, None as Unknown, Strict};
use super::{Args, Open, Row, SolverSet, core, row};
use crate::sort::{Sort, Sorts};
use crate::value::Value;

const Z3: SolverSet = SolverSet::Z3;
const AS_TO_INT: super::Meaning = Unknown("whole division of reals");
const UNDOCUMENTED: super::Meaning = Unknown("an operator that no document defines");
const AS_ARRAY: super::Meaning = Unknown("functions as arrays");
const AS_SET: super::Meaning = Unknown("sets as arrays");
const ORDER: super::Meaning = Unknown("some order of that kind");

pub const CORE: &[Row] = &[
    // Supported only without a logic: read, never made.
    row(
        "(iff Bool Bool Bool :chainable)",
        SolverSet(0),
        Strict(core::equal),
    )
    .commutative()
    .examples(&[("(iff true false)", "false")]),
    row(
        "(implies Bool Bool Bool :right-assoc)",
        SolverSet(0),
        Lazy(core::implies),
    )
    .examples(&[("(implies true false)", "false")]),
    row("(par (A) (if Bool A A A))", Z3, Lazy(core::ite)).examples(&[("(if true 1 2)", "1")]),
    row("((_ at-most k) Bool Bool)", Z3, Strict(at_most))
        .rule(all_bool)
        .examples(&[("((_ at-most 1) true false true)", "false")]),
    row("((_ at-least k) Bool Bool)", Z3, Strict(at_least))
        .rule(all_bool)
        .examples(&[("((_ at-least 2) true false true)", "true")]),
    row("((_ pble k c) Bool Bool)", Z3, Strict(weighted_at_most))
        .rule(weighted)
        .examples(&[("((_ pble 3 2 2) true true)", "false")]),
    row("((_ pbge k c) Bool Bool)", Z3, Strict(weighted_at_least))
        .rule(weighted)
        .examples(&[("((_ pbge 3 2 2) true true)", "true")]),
    row("((_ pbeq k c) Bool Bool)", Z3, Strict(weighted_equal))
        .rule(weighted)
        .examples(&[("((_ pbeq 4 2 2) true true)", "true")]),
];

/// Special relations: some order, the same one wherever the same number stands.
pub const ORDERS: &[Row] = &[
    row("(par (A) ((_ partial-order k) A A Bool))", Z3, ORDER),
    row("(par (A) ((_ linear-order k) A A Bool))", Z3, ORDER),
    row("(par (A) ((_ tree-order k) A A Bool))", Z3, ORDER),
    row(
        "(par (A) ((_ piecewise-linear-order k) A A Bool))",
        Z3,
        ORDER,
    ),
];

pub const INTS: &[Row] = &[
    // An undocumented name: read, never made.
    row("(~ Int Int)", SolverSet(0), UNDOCUMENTED),
    row("(rem Int Int Int)", Z3, Strict(remainder))
        .nonlinear()
        .examples(&[("(rem 7 (- 2))", "(- 1)"), ("(rem (- 7) 2)", "1")]),
    // Ill-sorted by the standard: read, never made.
    row("(div Real Real Int :left-assoc)", SolverSet(0), AS_TO_INT).nonlinear(),
    row("(mod Real Real Int)", SolverSet(0), AS_TO_INT).nonlinear(),
];

pub const REALS: &[Row] = &[
    row("(~ Real Real)", SolverSet(0), UNDOCUMENTED),
    // z3 rounds the argument first, cvc5 does not: read, never made.
    row(
        "(to_real Real Real)",
        SolverSet(0),
        Unknown("to_real of a real, on which solvers differ"),
    ),
];

pub const ARRAYS: &[Row] = &[
    row(
        "(par (X Y) (default (Array X Y) Y))",
        Z3,
        Unknown("the default of an array"),
    ),
    row(
        "(par (X Y) (array-ext (Array X Y) (Array X Y) X))",
        Z3,
        Unknown("a place where arrays differ"),
    ),
    row("(par (X Y) (select (-> X Y) X Y))", Z3, AS_ARRAY),
    row("(par (X Y Z) (select (-> X Y Z) X Y Z))", Z3, AS_ARRAY),
    row(
        "(par (W X Y Z) (select (-> W X Y Z) W X Y Z))",
        Z3,
        AS_ARRAY,
    ),
    row("(par (X Y) (store (-> X Y) X Y (-> X Y)))", Z3, AS_ARRAY),
    row(
        "(par (X Y Z) (store (-> X Y Z) X Y Z (-> X Y Z)))",
        Z3,
        AS_ARRAY,
    ),
    row("(par (X Y) (const Y (-> X Y) :qualified))", Z3, AS_ARRAY),
    row(
        "(par (X Y Z) (const Z (-> X Y Z) :qualified))",
        Z3,
        AS_ARRAY,
    ),
    row(
        "(par (W X Y Z) (const Z (-> W X Y Z) :qualified))",
        Z3,
        AS_ARRAY,
    ),
    row("(par (X) (select (Set X) X Bool))", Z3, AS_SET),
    row("(par (X) (store (Set X) X Bool (Set X)))", Z3, AS_SET),
    row("(par (X) (const Bool (Set X) :qualified))", Z3, AS_SET),
];

pub const BIT_VECTORS: &[Row] = &[row("(mkbv Bool (_ BitVec m))", Z3, Strict(from_bits))
    .rule(one_bit_each)
    .examples(&[("(mkbv false true true)", "#b110")])];

pub const STRINGS: &[Row] = &[
    row(
        "(str.indexof String String Int)",
        Z3,
        Unknown("use three arguments"),
    ),
    row(
        "(par (A) (seq.indexof (Seq A) (Seq A) Int))",
        Z3,
        Unknown("use three arguments"),
    ),
];

fn all_bool(_: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    (indices.len() == 1 && !args.is_empty() && args.iter().all(|arg| *arg == Sort::BOOL))
        .then_some(Sort::BOOL)
}

/// One coefficient for each argument, after the bound.
fn weighted(_: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    (indices.len() == args.len() + 1 && args.iter().all(|arg| *arg == Sort::BOOL))
        .then_some(Sort::BOOL)
}

fn one_bit_each(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    let width = u32::try_from(args.len()).ok()?;
    (indices.is_empty() && width > 0 && args.iter().all(|arg| *arg == Sort::BOOL))
        .then(|| sorts.bit_vec(width))
}

fn truths<'a>(args: &'a Args<'_>) -> impl Iterator<Item = bool> + 'a {
    args.values.iter().map(|value| *value == Value::TRUE)
}

fn count(args: &Args<'_>) -> u64 {
    truths(args).filter(|truth| *truth).count() as u64
}

fn at_most(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(count(args) <= args.indices[0]))
}

fn at_least(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(count(args) >= args.indices[0]))
}

/// The sum of the coefficients of true arguments, and the bound.
fn sum(args: &Args<'_>) -> Result<(u64, u64), Open> {
    let coefficients = args.indices[1..].iter().zip(truths(args));
    let mut chosen = coefficients.filter(|(_, truth)| *truth).map(|(c, _)| *c);
    let sum = chosen.try_fold(0u64, |sum, c| sum.checked_add(c));
    Ok((sum.ok_or(Open::TooLarge)?, args.indices[0]))
}

fn weighted_at_most(args: &Args<'_>) -> Result<Value, Open> {
    sum(args).map(|(sum, bound)| Value::Bool(sum <= bound))
}

fn weighted_at_least(args: &Args<'_>) -> Result<Value, Open> {
    sum(args).map(|(sum, bound)| Value::Bool(sum >= bound))
}

fn weighted_equal(args: &Args<'_>) -> Result<Value, Open> {
    sum(args).map(|(sum, bound)| Value::Bool(sum == bound))
}

/// The modulus, with the sign of the divisor.
fn remainder(args: &Args<'_>) -> Result<Value, Open> {
    let (Value::Int(dividend), Value::Int(divisor)) = (&args.values[0], &args.values[1]) else {
        return Err(Open::NoMeaning("a value that is not an integer"));
    };
    let modulus = dividend.mod_smtlib(divisor).ok_or(Open::Unspecified)?;
    Ok(Value::Int(if divisor.is_negative() {
        modulus.neg()
    } else {
        modulus
    }))
}

/// The first argument is the lowest bit.
fn from_bits(args: &Args<'_>) -> Result<Value, Open> {
    let digits: String = truths(args)
        .map(|truth| if truth { '1' } else { '0' })
        .collect();
    let digits: String = digits.chars().rev().collect();
    crate::value::BitVec::parse(&format!("#b{digits}"))
        .map(Value::BitVec)
        .ok_or(Open::TooLarge)
}
