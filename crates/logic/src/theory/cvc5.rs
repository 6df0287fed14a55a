//! Names only cvc5 knows that belong to no theory of their own: sequences by the names of strings,
//! and bitwise `and` on integers with a width that is a term.

use super::Meaning::{None as Unknown, Strict};
use super::{Args, Open, Row, SolverSet, row};
use crate::value::{Int, Value};

const CVC5: SolverSet = SolverSet::CVC5;
const BY_STRINGS: super::Meaning = Unknown("sequences by the names of strings");

pub const INTS: &[Row] = &[row("(piand Int Int Int Int)", CVC5, Strict(and_of_width))
    .nonlinear()
    .examples(&[("(piand 3 13 7)", "5")])];

pub const SEQUENCES: &[Row] = &[
    row(
        "(par (A) (str.++ (Seq A) (Seq A) (Seq A) :left-assoc))",
        CVC5,
        BY_STRINGS,
    ),
    row("(par (A) (str.len (Seq A) Int))", CVC5, BY_STRINGS),
    row("(par (A) (str.at (Seq A) Int (Seq A)))", CVC5, BY_STRINGS),
    row(
        "(par (A) (str.substr (Seq A) Int Int (Seq A)))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.update (Seq A) Int (Seq A) (Seq A)))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.contains (Seq A) (Seq A) Bool))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.prefixof (Seq A) (Seq A) Bool))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.suffixof (Seq A) (Seq A) Bool))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.indexof (Seq A) (Seq A) Int Int))",
        CVC5,
        BY_STRINGS,
    ),
    row(
        "(par (A) (str.replace (Seq A) (Seq A) (Seq A) (Seq A)))",
        CVC5,
        BY_STRINGS,
    ),
    row("(par (A) (str.rev (Seq A) (Seq A)))", CVC5, BY_STRINGS),
];

/// `(piand k x y)` is `((_ iand k) x y)`, for a positive width.
fn and_of_width(args: &Args<'_>) -> Result<Value, Open> {
    const WIDEST: u32 = 1 << 16;
    let (Value::Int(width), Value::Int(a), Value::Int(b)) =
        (&args.values[0], &args.values[1], &args.values[2])
    else {
        return Err(Open::NoMeaning("a value that is not an integer"));
    };
    if width.is_negative() || width.is_zero() {
        return Err(Open::NoMeaning("piand of a width that is not positive"));
    }
    let width = width
        .to_u32()
        .filter(|w| *w <= WIDEST)
        .ok_or(Open::TooLarge)?;
    let modulus = Int::power_of_two(width.into()).ok_or(Open::TooLarge)?;
    let both = a.bit_and(b).mod_smtlib(&modulus).ok_or(Open::TooLarge)?;
    Ok(Value::Int(both))
}
