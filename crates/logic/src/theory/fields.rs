//! Finite fields of prime order, as cvc5 has them. Literals such as `#f3m7` are read elsewhere.

use super::Meaning::None as Unknown;
use super::{Known, Row, row};

const CVC5: Known = Known::CVC5;
const NO_VALUES: super::Meaning = Unknown("elements of finite fields");

pub const ROWS: &[Row] = &[
    row(
        "(ff.add (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :left-assoc)",
        CVC5,
        NO_VALUES,
    )
    .commutative(),
    row(
        "(ff.mul (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :left-assoc)",
        CVC5,
        NO_VALUES,
    )
    .commutative()
    .nonlinear(),
    row(
        "(ff.neg (_ FiniteField p) (_ FiniteField p))",
        CVC5,
        NO_VALUES,
    ),
    row(
        "(ff.bitsum (_ FiniteField p) (_ FiniteField p) (_ FiniteField p) :left-assoc)",
        CVC5,
        NO_VALUES,
    ),
];
