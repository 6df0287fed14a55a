//! Finite fields of prime order, as cvc5 has them. Literals such as `#f3m7` are read elsewhere.

use super::Meaning::None as Unknown;
use super::{Row, SolverSet, row};
use crate::value::{Int, Value};

const CVC5: SolverSet = SolverSet::CVC5;
/// The order of the field is part of the sort, which a meaning does not see; see `meaning`.
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

/// What an operator gives in the field of that order.
pub fn meaning(name: &str, args: &[Value], order: &Int) -> Option<Value> {
    let numbers: Option<Vec<&Int>> = args
        .iter()
        .map(|arg| match arg {
            Value::Int(int) => Some(int),
            _ => None,
        })
        .collect();
    let numbers = numbers?;
    let sum = match name {
        "ff.add" => numbers.iter().fold(Int::from(0), |sum, n| sum.add(n)),
        "ff.mul" => numbers
            .iter()
            .try_fold(Int::from(1), |product, n| product.mul(n).mod_smtlib(order))?,
        "ff.neg" => numbers.first()?.neg(),
        // The first argument counts once, the next twice, the next four times.
        "ff.bitsum" => {
            let doubled = |sum: Int, n: &&Int| sum.add(&sum).add(n);
            numbers.iter().rev().fold(Int::from(0), doubled)
        }
        _ => return None,
    };
    sum.mod_smtlib(order).map(Value::Int)
}

/// `#f5m7`, `(as ff5 F)` or `(as ff-2 F)`, before it is reduced.
pub fn literal(text: &str) -> Option<Int> {
    let digits = match text.strip_prefix("#f") {
        Some(rest) => rest.split_once('m')?.0,
        None => {
            let name = text.strip_prefix("(as ")?.split_whitespace().next()?;
            name.strip_prefix("ff")?
        }
    };
    match digits.strip_prefix('-') {
        Some(digits) => Int::parse(digits).map(|n| n.neg()),
        None => Int::parse(digits),
    }
}

#[cfg(test)]
mod tests {
    use crate::theory::tests::value;

    #[test]
    fn computes_modulo_the_order() {
        assert_eq!(
            value("(= (ff.mul (as ff3 (_ FiniteField 7)) #f5m7) #f1m7)"),
            "true"
        );
        assert_eq!(
            value("(= (ff.neg #f3m7) (as ff-3 (_ FiniteField 7)))"),
            "true"
        );
        assert_eq!(value("(= (ff.bitsum #f1m7 #f0m7 #f1m7) #f5m7)"), "true");
        assert_eq!(value("(= (ff.add #f6m7 #f1m7 #f1m7) #f2m7)"), "false");
    }
}
