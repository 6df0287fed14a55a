//! Reals and Reals_Ints, with the transcendental functions: exact where their values are rational, by bounds elsewhere.

use super::Meaning::{None as NoMeaning, Strict};
use super::SolverSet;
use super::{Args, Open, OpenCase, Row, row};
use crate::value::{Expression, Function, Number, Rat, Value};
use std::cmp::Ordering;

const STANDARD: SolverSet = SolverSet::STANDARD;
const EXTRA: SolverSet = SolverSet::CVC5.union(SolverSet::Z3).union(SolverSet::DREAL);
const CONVENTIONS: super::Meaning =
    NoMeaning("a function whose range solvers may choose differently");
/// Why a number known only by its bounds is not an exact value.
pub(crate) const TRANSCENDENTAL: &str =
    "a transcendental function, whose value is almost never rational";

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
        .says(
            "SMT-LIB theory Reals: t = n * q for q = (/ t n) where n is not 0; for n = \
             0 any function of t",
        )
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
    row("(to_int Real Int)", STANDARD, Strict(to_int))
        .says(
            "SMT-LIB theory Reals_Ints: the largest integer that is at most the \
             argument",
        )
        .examples(&[("(to_int (- 1.5))", "(- 2)")]),
    row("(abs Real Real)", EXTRA, Strict(absolute)).examples(&[("(abs (- 1.5))", "1.5")]),
    row(
        "(/_total Real Real Real)",
        SolverSet::CVC5,
        Strict(divide_total),
    )
    .nonlinear()
    .examples(&[("(/_total 1.0 0.0)", "0.0")]),
    // cvc5 documents it for positive constant exponents only, and dReal gives it no value where the base is negative
    // and the exponent no literal, though both read more than that.
    row("(^ Real Real Real)", SolverSet::Z3, Strict(power))
        .nonlinear()
        .examples(&[("(^ 0.5 2.0)", "0.25")]),
    row("(^ Real Int Real)", SolverSet::Z3, Strict(power))
        .nonlinear()
        .examples(&[("(^ 0.5 2)", "0.25")]),
];

/// Functions over the reals whose values are almost never rational.
pub const TRANSCENDENTALS: &[Row] = &[
    row(
        "(exp Real Real)",
        EXTRA,
        Strict(|args| known(args, 0, 1, Function::Exp)),
    )
    .nonlinear()
    .examples(&[("(exp 0.0)", "1.0")]),
    row(
        "(log Real Real)",
        SolverSet::DREAL,
        Strict(|args| known(args, 1, 0, Function::Log)),
    )
    .nonlinear()
    .examples(&[("(log 1.0)", "0.0")]),
    row(
        "(sin Real Real)",
        EXTRA,
        Strict(|args| known(args, 0, 0, Function::Sin)),
    )
    .nonlinear()
    .examples(&[("(sin 0.0)", "0.0")]),
    row(
        "(cos Real Real)",
        EXTRA,
        Strict(|args| known(args, 0, 1, Function::Cos)),
    )
    .nonlinear()
    .examples(&[("(cos 0.0)", "1.0")]),
    row(
        "(tan Real Real)",
        EXTRA,
        Strict(|args| known(args, 0, 0, Function::Tan)),
    )
    .nonlinear()
    .examples(&[("(tan 0.0)", "0.0")]),
    row(
        "(csc Real Real)",
        SolverSet::CVC5,
        Strict(|args| enclosed(args, Function::Csc)),
    )
    .nonlinear()
    .examples(&[("(to_int (csc 1.0))", "1")]),
    row(
        "(sec Real Real)",
        SolverSet::CVC5,
        Strict(|args| known(args, 0, 1, Function::Sec)),
    )
    .nonlinear()
    .examples(&[("(sec 0.0)", "1.0")]),
    row(
        "(cot Real Real)",
        SolverSet::CVC5,
        Strict(|args| enclosed(args, Function::Cot)),
    )
    .nonlinear()
    .examples(&[("(to_int (cot 0.5))", "1")]),
    row(
        "(arcsin Real Real)",
        SolverSet::CVC5.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Asin)),
    )
    .nonlinear()
    .examples(&[("(arcsin 0.0)", "0.0")]),
    row(
        "(arccos Real Real)",
        SolverSet::CVC5.union(SolverSet::DREAL),
        Strict(|args| known(args, 1, 0, Function::Acos)),
    )
    .nonlinear()
    .examples(&[("(arccos 1.0)", "0.0")]),
    row(
        "(arctan Real Real)",
        SolverSet::CVC5.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Atan)),
    )
    .nonlinear()
    .examples(&[("(arctan 0.0)", "0.0")]),
    row("(arccsc Real Real)", SolverSet::CVC5, CONVENTIONS).nonlinear(),
    row("(arcsec Real Real)", SolverSet::CVC5, CONVENTIONS).nonlinear(),
    row("(arccot Real Real)", SolverSet::CVC5, CONVENTIONS).nonlinear(),
    row(
        "(asin Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Asin)),
    )
    .nonlinear()
    .examples(&[("(asin 0.0)", "0.0")]),
    row(
        "(acos Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 1, 0, Function::Acos)),
    )
    .nonlinear()
    .examples(&[("(acos 1.0)", "0.0")]),
    row(
        "(atan Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Atan)),
    )
    .nonlinear()
    .examples(&[("(atan 0.0)", "0.0")]),
    // dReal supports it, but its answers are not understood yet, so they convict no solver.
    row(
        "(atan2 Real Real Real)",
        SolverSet::NONE,
        Strict(|args| enclosed(args, Function::Atan2)),
    )
    .nonlinear()
    .examples(&[("(to_int (atan2 1.0 (- 1.0)))", "2")]),
    row(
        "(sinh Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Sinh)),
    )
    .nonlinear()
    .examples(&[("(sinh 0.0)", "0.0")]),
    row(
        "(cosh Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 1, Function::Cosh)),
    )
    .nonlinear()
    .examples(&[("(cosh 0.0)", "1.0")]),
    row(
        "(tanh Real Real)",
        SolverSet::Z3.union(SolverSet::DREAL),
        Strict(|args| known(args, 0, 0, Function::Tanh)),
    )
    .nonlinear()
    .examples(&[("(tanh 0.0)", "0.0")]),
    row("(min Real Real Real)", SolverSet::DREAL, Strict(minimum))
        .commutative()
        .examples(&[("(min 1.0 2.0)", "1.0")]),
    row("(max Real Real Real)", SolverSet::DREAL, Strict(maximum))
        .commutative()
        .examples(&[("(max 1.0 2.0)", "2.0")]),
    // No standard says which root is meant; cvc5 1.0.3 allows the negative one. Bounds only show what is possible.
    row(
        "(sqrt Real Real)",
        SolverSet::CVC5.union(SolverSet::DREAL),
        Strict(|args| enclosed(args, Function::Sqrt)),
    )
    .nonlinear()
    .examples(&[("(abs (sqrt 6.25))", "2.5")]),
    row(
        "(real.pi Real)",
        SolverSet::CVC5,
        Strict(|args| enclosed(args, Function::Pi)),
    )
    .examples(&[("(to_int real.pi)", "3")]),
    row(
        "(pi Real)",
        SolverSet::Z3,
        Strict(|args| enclosed(args, Function::Pi)),
    )
    .examples(&[("(to_int pi)", "3")]),
    row("(euler Real)", SolverSet::Z3, Strict(euler)).examples(&[("(to_int euler)", "2")]),
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

/// A number as an expression of others; none where that may be undefined.
fn enclosed(args: &Args<'_>, function: Function) -> Result<Value, Open> {
    let parts: Option<Vec<Expression>> = args.values.iter().map(Expression::of).collect();
    let number = parts.and_then(|parts| Expression::apply(function, parts));
    number
        .map(Value::from)
        .ok_or(Open::NoMeaning(TRANSCENDENTAL))
}

/// A function with one argument at which its value is rational.
fn known(args: &Args<'_>, place: i64, value: i64, function: Function) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Real(rat) if *rat == Rat::from(place) => Ok(Value::Real(Rat::from(value))),
        _ => enclosed(args, function),
    }
}

fn euler(args: &Args<'_>) -> Result<Value, Open> {
    let values = &[Value::Real(Rat::ONE)];
    enclosed(&Args { values, ..*args }, Function::Exp)
}

fn any_enclosed(args: &Args<'_>) -> bool {
    args.values.iter().any(Value::is_expression)
}

/// Fractions are kept in lowest terms, which takes time that grows with the square of their length.
const LARGEST_BITS: u64 = 1 << 20;
const UNRELATED: Open = Open::NoMeaning("arithmetic with unrelated irrational numbers");

/// A binary operation on fractions, and on numbers over one root.
fn binary(
    args: &Args<'_>,
    rational: impl Fn(&Rat, &Rat) -> Rat,
    algebraic: impl Fn(&Number, &Number) -> Option<Number>,
    function: Function,
) -> Result<Value, Open> {
    if let [Value::Real(a), Value::Real(b)] = args.values {
        if a.bit_len() + b.bit_len() > LARGEST_BITS {
            return Err(Open::TooLarge);
        }
        return Ok(Value::Real(rational(a, b)));
    }
    if any_enclosed(args) {
        return enclosed(args, function);
    }
    algebraic(&number(args, 0)?, &number(args, 1)?)
        .map(Value::from)
        .ok_or(UNRELATED)
}

fn compare(args: &Args<'_>, holds: impl Fn(Ordering) -> bool) -> Result<Value, Open> {
    let order = match args.values {
        [Value::Real(a), Value::Real(b)] => a.cmp(b),
        [a, b] => a.real_order(b).ok_or(Open::NoMeaning(
            "comparison of unrelated irrational numbers",
        ))?,
        _ => return Err(Open::NoMeaning("an order of other than two numbers")),
    };
    Ok(Value::Bool(holds(order)))
}

fn negate(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        return enclosed(args, Function::Neg);
    }
    number(args, 0).map(|a| Value::from(a.neg()))
}

fn absolute(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        return enclosed(args, Function::Abs);
    }
    let value = number(args, 0)?;
    let negative = value.signum().ok_or(Open::TooLarge)? < 0;
    Ok(Value::from(if negative { value.neg() } else { value }))
}

fn add(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::add, Number::add, Function::Add)
}

fn subtract(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::sub, Number::sub, Function::Sub)
}

fn multiply(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Rat::mul, Number::mul, Function::Mul)
}

/// Division by zero is an uninterpreted function of the dividend.
fn divide(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        return enclosed(args, Function::Div);
    }
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
        _ => Err(Open::NoMeaning("a value that is not an integer")),
    }
}

fn to_int(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        let floor = Expression::of(&args.values[0]).and_then(|number| number.floor());
        return floor.map(Value::Int).ok_or(Open::TooLarge);
    }
    number(args, 0)?
        .floor()
        .map(Value::Int)
        .ok_or(Open::TooLarge)
}

pub(super) fn is_int(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        // Strictly between two integers: not an integer. Bounds cannot show that a number is one.
        let floor = Expression::of(&args.values[0]).and_then(|number| number.floor());
        let floor = Value::Real(Rat::from(floor.ok_or(Open::TooLarge)?));
        let above = args.values[0].real_order(&floor) == Some(Ordering::Greater);
        return above.then_some(Value::FALSE).ok_or(Open::TooLarge);
    }
    let value = number(args, 0)?;
    let floor = value.floor().ok_or(Open::TooLarge)?;
    let order = value.compare(&Number::Rational(Rat::from(floor)));
    Ok(Value::Bool(order.ok_or(Open::TooLarge)? == Ordering::Equal))
}

/// Exact for integer exponents; unspecified for zero to a power that is not positive.
fn power(args: &Args<'_>) -> Result<Value, Open> {
    const LARGEST: u64 = 4096;
    let whole = |value: &Value| matches!(value, Value::Real(rat) if rat.is_int());
    let is_real = matches!(&args.values[1], Value::Real(_) | Value::Irrational(_));
    if is_real && (any_enclosed(args) || !whole(&args.values[1])) {
        return enclosed(args, Function::Power);
    }
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
    if any_enclosed(args) {
        return enclosed(args, Function::Min);
    }
    chosen(args, Ordering::is_le)
}

fn maximum(args: &Args<'_>) -> Result<Value, Open> {
    if any_enclosed(args) {
        return enclosed(args, Function::Max);
    }
    chosen(args, Ordering::is_ge)
}

/// The first argument if it has this order to the second, else the second.
fn chosen(args: &Args<'_>, first: impl Fn(Ordering) -> bool) -> Result<Value, Open> {
    let place = match compare(args, first)? {
        Value::Bool(true) => 0,
        _ => 1,
    };
    Ok(args.values[place].clone())
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::{holds, undetermined};

    /// Only an evaluator that is asked to takes bounds for a value.
    #[test]
    fn bounds_are_no_exact_values() {
        for term in ["(sin 1.0)", "(sqrt 4.0)", "(< (exp 1.0) 3.0)"] {
            assert_eq!(undetermined(term), Reason::NoMeaning(super::TRANSCENDENTAL));
        }
    }

    #[test]
    fn bounds_decide_comparisons() {
        for formula in [
            "(< 2.718 (exp 1.0) 2.719)",
            "(> (+ (sin 1.0) (cos 1.0)) (* 1.38 (sin 1.5)))",
            "(distinct (tan 1.0) 1.5574)",
            "(= (to_int (- (log 10.0))) (- 3))",
            "(not (is_int (^ 2.0 0.5)))",
            "(<= (abs (sin 4.0)) (max (sin 4.0) 1.0) (min 2.0 (cosh 1.5)))",
            "(= (/ (sin 2.0) (cos 2.0)) (/ (sin 2.0) (cos 2.0)))",
        ] {
            holds(formula);
        }
    }

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
