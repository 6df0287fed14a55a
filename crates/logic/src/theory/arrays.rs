//! ArraysEx and constant arrays: functional arrays with extensional equality.

use super::Meaning::{None as Unknown, Strict};
use super::SolverSet;
use super::{Args, Open, Row, row};
use crate::sort::SortKind;
use crate::value::{ArrayValue, Value};
use std::sync::Arc;

const STANDARD: SolverSet = SolverSet::STANDARD;
/// Constant arrays are no standard syntax, but everybody's.
const COMMON: SolverSet = SolverSet::Z3
    .union(SolverSet::CVC5)
    .union(SolverSet::CVC4)
    .union(SolverSet::BITWUZLA)
    .union(SolverSet::MATHSAT);

pub const ROWS: &[Row] = &[
    row(
        "(par (X Y) (select (Array X Y) X Y))",
        STANDARD,
        Strict(select),
    )
    .says(
        "SMT-LIB theory ArraysEx: (select (store a i e) i) is e, and at any other index \
         it is (select a j)",
    )
    .examples(&[("(select (store ((as const (Array Int Int)) 0) 1 5) 1)", "5")]),
    row(
        "(par (X Y) (store (Array X Y) X Y (Array X Y)))",
        STANDARD,
        Strict(store),
    )
    .says(
        "SMT-LIB theory ArraysEx: (select (store a i e) i) is e, and at any other index \
         it is (select a j)",
    )
    .examples(&[(
        "(= (store ((as const (Array Int Int)) 0) 1 0) ((as const (Array Int Int)) 0))",
        "true",
    )]),
    row(
        "(par (X Y) (const Y (Array X Y) :qualified))",
        COMMON,
        Strict(constant),
    )
    .literals(0b1)
    .examples(&[("(select ((as const (Array Int Bool)) true) 7)", "true")]),
    row(
        "(par (X Y) (eqrange (Array X Y) (Array X Y) X X Bool))",
        SolverSet::CVC5,
        Unknown("bounded array equality"),
    )
    .examples(&[]),
];

fn select(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Array(array) => {
            // With an open universe two different names are still two different elements.
            if args.values[1].is_comparable() {
                Ok(array.select(&args.values[1]).clone())
            } else {
                Err(Open::NoMeaning(
                    "selection at an index that cannot be compared",
                ))
            }
        }
        _ => Err(Open::NoMeaning(
            "selection from an array given as a function",
        )),
    }
}

fn store(args: &Args<'_>) -> Result<Value, Open> {
    let (Value::Array(array), SortKind::Array(index, _)) =
        (&args.values[0], args.sorts.kind(args.sort))
    else {
        return Err(Open::NoMeaning("a write to an array given as a function"));
    };
    if !args.values[1].is_comparable() {
        return Err(Open::NoMeaning(
            "a write at an index that cannot be compared",
        ));
    }
    let changed = array.store(
        args.sorts,
        *index,
        args.values[1].clone(),
        args.values[2].clone(),
    );
    Ok(Value::Array(Arc::new(changed)))
}

fn constant(args: &Args<'_>) -> Result<Value, Open> {
    let SortKind::Array(index, _) = args.sorts.kind(args.sort) else {
        return Err(Open::NoMeaning("a constant array of no array sort"));
    };
    let array = ArrayValue::constant(args.sorts, *index, args.values[0].clone());
    Ok(Value::Array(Arc::new(array)))
}
