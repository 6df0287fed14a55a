//! Reals and Reals_Ints, with the transcendental functions as far as they are exact.

use super::Known;
use super::Meaning::{None as NoMeaning, Strict};
use super::{Args, Open, Row, row};
use crate::value::{Rat, Value};

const STANDARD: Known = Known::STANDARD;
const EXTRA: Known = Known::CVC5.and(Known::Z3).and(Known::DREAL);
const INEXACT: super::Meaning = NoMeaning("a transcendental function has no exact value");

pub const ROWS: &[Row] = &[
    row("(- Real Real)", STANDARD, Strict(negate)).examples(&[("(- 0.5)", "(- 0.5)")]),
    row("(- Real Real Real :left-assoc)", STANDARD, Strict(subtract))
        .examples(&[("(- 1.0 0.25)", "0.75")]),
    row("(+ Real Real Real :left-assoc)", STANDARD, Strict(add))
        .commutative()
        .examples(&[("(+ 0.5 0.25 0.25)", "1.0")]),
    row("(* Real Real Real :left-assoc)", STANDARD, Strict(multiply))
        .commutative()
        .nonlinear()
        .examples(&[("(* 0.5 4.0)", "2.0")]),
    row("(/ Real Real Real :left-assoc)", STANDARD, Strict(divide))
        .nonlinear()
        .examples(&[("(/ 1.0 4.0)", "0.25"), ("(/ 8.0 2.0 2.0)", "2.0")]),
    row("(<= Real Real Bool :chainable)", STANDARD, Strict(at_most))
        .examples(&[("(<= 0.5 0.5)", "true")]),
    row("(< Real Real Bool :chainable)", STANDARD, Strict(less))
        .examples(&[("(< 0.5 0.5)", "false")]),
    row("(>= Real Real Bool :chainable)", STANDARD, Strict(at_least))
        .examples(&[("(>= 0.5 1.0)", "false")]),
    row("(> Real Real Bool :chainable)", STANDARD, Strict(greater))
        .examples(&[("(> 1.0 0.5)", "true")]),
    row("(to_real Int Real)", STANDARD, Strict(to_real)).examples(&[("(to_real 3)", "3.0")]),
    row("(to_int Real Int)", STANDARD, Strict(to_int)).examples(&[("(to_int (- 1.5))", "(- 2)")]),
    row("(is_int Real Bool)", STANDARD, Strict(is_int)).examples(&[("(is_int 1.5)", "false")]),
    row(
        "(abs Real Real)",
        Known::Z3.and(Known::CVC5),
        Strict(absolute),
    )
    .examples(&[("(abs (- 1.5))", "1.5")]),
    row(
        "(/_total Real Real Real)",
        Known::CVC5,
        Strict(divide_total),
    )
    .nonlinear()
    .examples(&[("(/_total 1.0 0.0)", "0.0")]),
    row("(^ Real Real Real)", EXTRA, Strict(power))
        .nonlinear()
        .examples(&[("(^ 0.5 2.0)", "0.25")]),
    row("(^ Real Int Real)", Known::Z3, Strict(power))
        .nonlinear()
        .examples(&[("(^ 0.5 2)", "0.25")]),
];

/// Functions over the reals whose values are almost never rational.
pub const TRANSCENDENTALS: &[Row] = &[
    row("(exp Real Real)", EXTRA, INEXACT).nonlinear(),
    row("(log Real Real)", Known::DREAL, INEXACT).nonlinear(),
    row("(sin Real Real)", EXTRA, INEXACT).nonlinear(),
    row("(cos Real Real)", EXTRA, INEXACT).nonlinear(),
    row("(tan Real Real)", EXTRA, INEXACT).nonlinear(),
    row("(csc Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(sec Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(cot Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arcsin Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arccos Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arctan Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arccsc Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arcsec Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arccot Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(asin Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(acos Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(atan Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(atan2 Real Real Real)", Known::DREAL, INEXACT).nonlinear(),
    row("(sinh Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(cosh Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(tanh Real Real)", Known::Z3.and(Known::DREAL), INEXACT).nonlinear(),
    row("(min Real Real Real)", Known::DREAL, Strict(minimum))
        .commutative()
        .examples(&[("(min 1.0 2.0)", "1.0")]),
    row("(max Real Real Real)", Known::DREAL, Strict(maximum))
        .commutative()
        .examples(&[("(max 1.0 2.0)", "2.0")]),
    // No standard says which root; cvc5 1.0.3 lets it be the negative one.
    row("(sqrt Real Real)", Known::CVC5.and(Known::DREAL), INEXACT).nonlinear(),
    row("(real.pi Real)", Known::CVC5, INEXACT),
    row("(pi Real)", Known::Z3, INEXACT),
    row("(euler Real)", Known::Z3, INEXACT),
];

fn real<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Rat, Open> {
    match &args.values[place] {
        Value::Real(rat) => Ok(rat),
        _ => Err(Open::NoMeaning("arithmetic with an irrational number")),
    }
}

fn binary(args: &Args<'_>, f: impl Fn(&Rat, &Rat) -> Rat) -> Result<Value, Open> {
    Ok(Value::Real(f(real(args, 0)?, real(args, 1)?)))
}

fn compare(args: &Args<'_>, f: impl Fn(&Rat, &Rat) -> bool) -> Result<Value, Open> {
    Ok(Value::Bool(f(real(args, 0)?, real(args, 1)?)))
}

fn negate(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Real(real(args, 0)?.neg()))
}

fn absolute(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Real(real(args, 0)?.abs()))
}

fn add(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::add)
}

fn subtract(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::sub)
}

fn multiply(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::mul)
}

/// Division by zero is an uninterpreted function of the dividend.
fn divide(args: &Args<'_>) -> Result<Value, Open> {
    real(args, 0)?
        .div(real(args, 1)?)
        .map(Value::Real)
        .ok_or(Open::Unspecified)
}

fn divide_total(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Real(
        real(args, 0)?
            .div(real(args, 1)?)
            .unwrap_or_else(|| Rat::from(0)),
    ))
}

fn at_most(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Rat::le)
}

fn less(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Rat::lt)
}

fn at_least(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Rat::ge)
}

fn greater(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Rat::gt)
}

fn to_real(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Int(int) => Ok(Value::Real(Rat::from(int.clone()))),
        _ => Err(Open::NoMeaning("an integer that is none")),
    }
}

fn to_int(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(real(args, 0)?.floor()))
}

fn is_int(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Irrational(_) => Ok(Value::FALSE),
        _ => Ok(Value::Bool(real(args, 0)?.is_int())),
    }
}

/// Exact for whole exponents; zero to a power that is not positive is left open.
fn power(args: &Args<'_>) -> Result<Value, Open> {
    const LARGEST: u64 = 4096;
    let base = real(args, 0)?;
    let exponent = match &args.values[1] {
        Value::Int(int) => int.to_i64(),
        _ => real(args, 1)?.to_int().and_then(|int| int.to_i64()),
    };
    let exponent = exponent.ok_or(Open::NoMeaning("a power that may be irrational"))?;
    if exponent <= 0 && base.is_zero() {
        return Err(Open::Unspecified);
    }
    if exponent.unsigned_abs() > LARGEST {
        return Err(Open::TooLarge);
    }
    base.pow(exponent).map(Value::Real).ok_or(Open::TooLarge)
}

fn minimum(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, |a, b| a.min(b).clone())
}

fn maximum(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, |a, b| a.max(b).clone())
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::undetermined;

    #[test]
    fn the_least_word_as_exponent_is_too_large() {
        for exponent in ["(- 9223372036854775808)", "(- 9223372036854775808.0)"] {
            assert_eq!(
                undetermined(&format!("(^ 2.0 {exponent})")),
                Reason::TooLarge
            );
        }
    }
}
