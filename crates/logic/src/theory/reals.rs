//! Reals and Reals_Ints, with the transcendental functions as far as they are exact.

use super::Known;
use super::Meaning::{None as NoMeaning, Strict};
use super::{Args, Open, OpenCase, Row, row};
use crate::value::{Number, Rat, Value};
use std::cmp::Ordering;

const STANDARD: Known = Known::STANDARD;
const EXTRA: Known = Known::CVC5.and(Known::Z3).and(Known::DREAL);
const INEXACT: super::Meaning =
    NoMeaning("a transcendental function, whose value is almost never rational");

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
        .open(OpenCase::Any)
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
    row("(exp Real Real)", EXTRA, Strict(one_at_zero))
        .nonlinear()
        .examples(&[("(exp 0.0)", "1.0")]),
    row("(log Real Real)", Known::DREAL, Strict(zero_at_one))
        .nonlinear()
        .examples(&[("(log 1.0)", "0.0")]),
    row("(sin Real Real)", EXTRA, Strict(zero_at_zero))
        .nonlinear()
        .examples(&[("(sin 0.0)", "0.0")]),
    row("(cos Real Real)", EXTRA, Strict(one_at_zero))
        .nonlinear()
        .examples(&[("(cos 0.0)", "1.0")]),
    row("(tan Real Real)", EXTRA, Strict(zero_at_zero))
        .nonlinear()
        .examples(&[("(tan 0.0)", "0.0")]),
    row("(csc Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(sec Real Real)", Known::CVC5, Strict(one_at_zero))
        .nonlinear()
        .examples(&[("(sec 0.0)", "1.0")]),
    row("(cot Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row(
        "(arcsin Real Real)",
        Known::CVC5.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(arcsin 0.0)", "0.0")]),
    row(
        "(arccos Real Real)",
        Known::CVC5.and(Known::DREAL),
        Strict(zero_at_one),
    )
    .nonlinear()
    .examples(&[("(arccos 1.0)", "0.0")]),
    row(
        "(arctan Real Real)",
        Known::CVC5.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(arctan 0.0)", "0.0")]),
    row("(arccsc Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arcsec Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row("(arccot Real Real)", Known::CVC5, INEXACT).nonlinear(),
    row(
        "(asin Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(asin 0.0)", "0.0")]),
    row(
        "(acos Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(zero_at_one),
    )
    .nonlinear()
    .examples(&[("(acos 1.0)", "0.0")]),
    row(
        "(atan Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(atan 0.0)", "0.0")]),
    row("(atan2 Real Real Real)", Known::DREAL, INEXACT).nonlinear(),
    row(
        "(sinh Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(sinh 0.0)", "0.0")]),
    row(
        "(cosh Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(one_at_zero),
    )
    .nonlinear()
    .examples(&[("(cosh 0.0)", "1.0")]),
    row(
        "(tanh Real Real)",
        Known::Z3.and(Known::DREAL),
        Strict(zero_at_zero),
    )
    .nonlinear()
    .examples(&[("(tanh 0.0)", "0.0")]),
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

fn number(args: &Args<'_>, place: usize) -> Result<Number, Open> {
    args.values[place].as_number().ok_or(Open::NoMeaning(
        "arithmetic with a number known only by name",
    ))
}

/// Fractions are kept in lowest terms, which takes time that grows with the square of their length.
const LARGEST_BITS: u64 = 1 << 20;
const UNRELATED: Open = Open::NoMeaning("arithmetic with unrelated irrational numbers");

/// A binary operation on fractions, and on numbers over one root.
fn binary(
    args: &Args<'_>,
    rational: impl Fn(&Rat, &Rat) -> Rat,
    algebraic: impl Fn(&Number, &Number) -> Option<Number>,
) -> Result<Value, Open> {
    if let [Value::Real(a), Value::Real(b)] = args.values {
        if a.bit_len() + b.bit_len() > LARGEST_BITS {
            return Err(Open::TooLarge);
        }
        return Ok(Value::Real(rational(a, b)));
    }
    algebraic(&number(args, 0)?, &number(args, 1)?)
        .map(Value::from)
        .ok_or(UNRELATED)
}

/// How two reals compare, where that can be found out.
pub(super) fn ordering(a: &Value, b: &Value) -> Option<Ordering> {
    a.as_number()?.compare(&b.as_number()?)
}

fn compare(args: &Args<'_>, holds: impl Fn(Ordering) -> bool) -> Result<Value, Open> {
    let order = match args.values {
        [Value::Real(a), Value::Real(b)] => a.cmp(b),
        _ => number(args, 0)?
            .compare(&number(args, 1)?)
            .ok_or(Open::NoMeaning(
                "comparison of unrelated irrational numbers",
            ))?,
    };
    Ok(Value::Bool(holds(order)))
}

fn negate(args: &Args<'_>) -> Result<Value, Open> {
    number(args, 0).map(|a| Value::from(a.neg()))
}

fn absolute(args: &Args<'_>) -> Result<Value, Open> {
    let value = number(args, 0)?;
    let negative = value.signum().ok_or(Open::TooLarge)? < 0;
    Ok(Value::from(if negative { value.neg() } else { value }))
}

fn add(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::add, Number::add)
}

fn subtract(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::sub, Number::sub)
}

fn multiply(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::mul, Number::mul)
}

/// Division by zero is an uninterpreted function of the dividend.
fn divide(args: &Args<'_>) -> Result<Value, Open> {
    let divisor = number(args, 1)?;
    if divisor.signum().ok_or(Open::TooLarge)? == 0 {
        return Err(Open::Unspecified);
    }
    quotient(&number(args, 0)?, &divisor)
}

fn divide_total(args: &Args<'_>) -> Result<Value, Open> {
    let divisor = number(args, 1)?;
    if divisor.signum().ok_or(Open::TooLarge)? == 0 {
        return Ok(Value::Real(Rat::ZERO));
    }
    quotient(&number(args, 0)?, &divisor)
}

fn quotient(dividend: &Number, divisor: &Number) -> Result<Value, Open> {
    if let (Number::Rational(a), Number::Rational(b)) = (dividend, divisor)
        && a.bit_len() + b.bit_len() > LARGEST_BITS
    {
        return Err(Open::TooLarge);
    }
    let inverse = divisor.inverse().ok_or(Open::TooLarge)?;
    dividend.mul(&inverse).map(Value::from).ok_or(UNRELATED)
}

fn at_most(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Ordering::is_le)
}

fn less(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Ordering::is_lt)
}

fn at_least(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Ordering::is_ge)
}

fn greater(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Ordering::is_gt)
}

fn to_real(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Int(int) => Ok(Value::Real(Rat::from(int.clone()))),
        _ => Err(Open::NoMeaning("an integer that is none")),
    }
}

fn to_int(args: &Args<'_>) -> Result<Value, Open> {
    number(args, 0)?
        .floor()
        .map(Value::Int)
        .ok_or(Open::TooLarge)
}

fn is_int(args: &Args<'_>) -> Result<Value, Open> {
    let value = number(args, 0)?;
    let floor = value.floor().ok_or(Open::TooLarge)?;
    let order = value.compare(&Number::Rational(Rat::from(floor)));
    Ok(Value::Bool(order.ok_or(Open::TooLarge)? == Ordering::Equal))
}

/// Exact for whole exponents; zero to a power that is not positive is left open.
fn power(args: &Args<'_>) -> Result<Value, Open> {
    const LARGEST: u64 = 4096;
    let base = number(args, 0)?;
    let exponent = match &args.values[1] {
        Value::Int(int) => int.to_i64(),
        _ => real(args, 1)?.to_int().and_then(|int| int.to_i64()),
    };
    let exponent = exponent.ok_or(Open::NoMeaning("a power that may be irrational"))?;
    if exponent <= 0 && base.signum().ok_or(Open::TooLarge)? == 0 {
        return Err(Open::Unspecified);
    }
    if exponent.unsigned_abs() > LARGEST {
        return Err(Open::TooLarge);
    }
    if let Number::Rational(base) = &base {
        return base.pow(exponent).map(Value::Real).ok_or(Open::TooLarge);
    }
    let one = Number::Rational(Rat::ONE);
    let power = (0..exponent.unsigned_abs()).try_fold(one, |power, _| power.mul(&base));
    let power = match power {
        Some(power) if exponent < 0 => power.inverse(),
        power => power,
    };
    power.map(Value::from).ok_or(Open::TooLarge)
}

fn minimum(args: &Args<'_>) -> Result<Value, Open> {
    chosen(args, Ordering::is_le)
}

fn maximum(args: &Args<'_>) -> Result<Value, Open> {
    chosen(args, Ordering::is_ge)
}

/// The first argument if it compares so with the second, else the second.
fn chosen(args: &Args<'_>, first: impl Fn(Ordering) -> bool) -> Result<Value, Open> {
    let place = match compare(args, first)? {
        Value::Bool(true) => 0,
        _ => 1,
    };
    Ok(args.values[place].clone())
}

/// Functions with one argument at which their value is rational; elsewhere they are not computed.
fn only_at(args: &Args<'_>, place: i64, value: i64) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Real(rat) if *rat == Rat::from(place) => Ok(Value::Real(Rat::from(value))),
        _ => Err(Open::NoMeaning(
            "a transcendental function, whose value is almost never rational",
        )),
    }
}

fn zero_at_zero(args: &Args<'_>) -> Result<Value, Open> {
    only_at(args, 0, 0)
}

fn one_at_zero(args: &Args<'_>) -> Result<Value, Open> {
    only_at(args, 0, 1)
}

fn zero_at_one(args: &Args<'_>) -> Result<Value, Open> {
    only_at(args, 1, 0)
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
