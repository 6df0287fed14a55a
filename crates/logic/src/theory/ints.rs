//! Ints, with the integer extensions of z3 and cvc5.

use super::Meaning::Strict;
use super::SolverSet;
use super::reals::is_int;
use super::{Args, Open, OpenCase, Row, row};
use crate::value::{Int, Value};

const STANDARD: SolverSet = SolverSet::STANDARD;
const CVC5: SolverSet = SolverSet::CVC5;
/// In the standard, but not in z3.
const NOT_Z3: SolverSet = SolverSet(SolverSet::STANDARD.0 & !SolverSet::Z3.0);

pub const ROWS: &[Row] = &[
    row("(- Int Int)", STANDARD, Strict(negate)).examples(&[("(- 5)", "(- 5)")]),
    row("(- Int Int Int :left-assoc)", STANDARD, Strict(subtract)).examples(&[("(- 5 2 1)", "2")]),
    row("(+ Int Int Int :left-assoc)", STANDARD, Strict(add))
        .commutative()
        .examples(&[("(+ 1 2 3)", "6")]),
    row("(* Int Int Int :left-assoc)", STANDARD, Strict(multiply))
        .commutative()
        .nonlinear()
        .examples(&[("(* 2 3 (- 4))", "(- 24)")]),
    row("(div Int Int Int :left-assoc)", STANDARD, Strict(divide))
        .says(
            "SMT-LIB theory Ints: for n other than 0, m = n * (div m n) + (mod m n) and 0 <= \
         (mod m n) < |n|; for n = 0 any function",
        )
        .open(OpenCase::Any)
        .nonlinear()
        .examples(&[
            ("(div 7 2)", "3"),
            ("(div (- 7) 2)", "(- 4)"),
            ("(div 7 (- 2))", "(- 3)"),
        ]),
    row("(mod Int Int Int)", STANDARD, Strict(modulo))
        .says(
            "SMT-LIB theory Ints: for n other than 0, m = n * (div m n) + (mod m n) and 0 <= \
         (mod m n) < |n|; for n = 0 any function",
        )
        .open(OpenCase::Any)
        .nonlinear()
        .examples(&[("(mod (- 7) 2)", "1"), ("(mod 7 (- 2))", "1")]),
    row("(abs Int Int)", STANDARD, Strict(absolute))
        .says("SMT-LIB theory Ints: x if x >= 0, else (- x)")
        .examples(&[("(abs (- 3))", "3")]),
    row("(<= Int Int Bool :chainable)", STANDARD, Strict(at_most))
        .examples(&[("(<= 1 1 2)", "true")]),
    row("(< Int Int Bool :chainable)", STANDARD, Strict(less)).examples(&[("(< 1 1)", "false")]),
    row("(>= Int Int Bool :chainable)", STANDARD, Strict(at_least))
        .examples(&[("(>= 2 1 1)", "true")]),
    row("(> Int Int Bool :chainable)", STANDARD, Strict(greater)).examples(&[("(> 1 2)", "false")]),
    // A predicate on reals that logics without integers do not have.
    row("(is_int Real Bool)", STANDARD, Strict(is_int))
        .says("SMT-LIB theory Reals_Ints: (= x (to_real (to_int x)))")
        .examples(&[("(is_int 1.5)", "false")]),
    row(
        "((_ divisible n) Int Bool :where (1<=n))",
        NOT_Z3,
        Strict(divisible),
    )
    .says("SMT-LIB theory Ints: true if n divides the argument; every n divides 0")
    .examples(&[
        ("((_ divisible 3) 9)", "true"),
        ("((_ divisible 3) 0)", "true"),
    ]),
    row(
        "((_ iand k) Int Int Int :where (1<=k))",
        CVC5,
        Strict(bitwise_and),
    )
    .commutative()
    .nonlinear()
    .examples(&[("((_ iand 4) 12 10)", "8")]),
    row("(int.pow2 Int Int)", CVC5, Strict(power_of_two))
        .nonlinear()
        .examples(&[("(int.pow2 3)", "8")]),
    row("(int.log2 Int Int)", CVC5, Strict(log2))
        .nonlinear()
        .examples(&[("(int.log2 8)", "3")]),
    row("(int.ispow2 Int Bool)", CVC5, Strict(is_power_of_two))
        .nonlinear()
        .examples(&[("(int.ispow2 8)", "true")]),
    row("(^ Int Int Int)", SolverSet::Z3.union(CVC5), Strict(power))
        .nonlinear()
        .examples(&[("(^ 2 10)", "1024")]),
    // New in the standard; of the releases of z3, only the newest read it.
    row("(** Int Int Int)", SolverSet::Z3, Strict(standard_power))
        .open(OpenCase::Any)
        .nonlinear()
        .examples(&[
            ("(** 2 10)", "1024"),
            ("(** 0 0)", "1"),
            ("(** (- 1) (- 3))", "(- 1)"),
            ("(** 2 (- 1))", "0"),
        ]),
    row("(div_total Int Int Int)", CVC5, Strict(divide_total))
        .nonlinear()
        .examples(&[("(div_total 7 0)", "0")]),
    row("(mod_total Int Int Int)", CVC5, Strict(modulo_total))
        .nonlinear()
        .examples(&[("(mod_total 7 0)", "7")]),
];

fn int<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Int, Open> {
    match &args.values[place] {
        Value::Int(int) => Ok(int),
        _ => Err(Open::NoMeaning("a value that is not an integer")),
    }
}

fn unary(args: &Args<'_>, f: impl Fn(&Int) -> Int) -> Result<Value, Open> {
    Ok(Value::Int(f(int(args, 0)?)))
}

fn binary(args: &Args<'_>, f: impl Fn(&Int, &Int) -> Int) -> Result<Value, Open> {
    Ok(Value::Int(f(int(args, 0)?, int(args, 1)?)))
}

fn compare(args: &Args<'_>, f: impl Fn(&Int, &Int) -> bool) -> Result<Value, Open> {
    Ok(Value::Bool(f(int(args, 0)?, int(args, 1)?)))
}

fn negate(args: &Args<'_>) -> Result<Value, Open> {
    unary(args, Int::neg)
}

fn absolute(args: &Args<'_>) -> Result<Value, Open> {
    unary(args, Int::abs)
}

fn add(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Int::add)
}

fn subtract(args: &Args<'_>) -> Result<Value, Open> {
    binary(args, Int::sub)
}

fn multiply(args: &Args<'_>) -> Result<Value, Open> {
    let (a, b) = (int(args, 0)?, int(args, 1)?);
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && let Some(product) = a.checked_mul(*b)
    {
        return Ok(Value::Int(Int::Small(product)));
    }
    if a.bit_len() + b.bit_len() > Int::MAX_BITS {
        return Err(Open::TooLarge);
    }
    Ok(Value::Int(a.mul(b)))
}

/// Division by zero is an uninterpreted function of the dividend.
fn divide(args: &Args<'_>) -> Result<Value, Open> {
    int(args, 0)?
        .div_smtlib(int(args, 1)?)
        .map(Value::Int)
        .ok_or(Open::Unspecified)
}

fn modulo(args: &Args<'_>) -> Result<Value, Open> {
    int(args, 0)?
        .mod_smtlib(int(args, 1)?)
        .map(Value::Int)
        .ok_or(Open::Unspecified)
}

fn divide_total(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(
        int(args, 0)?
            .div_smtlib(int(args, 1)?)
            .unwrap_or(Int::from(0)),
    ))
}

fn modulo_total(args: &Args<'_>) -> Result<Value, Open> {
    let dividend = int(args, 0)?;
    Ok(Value::Int(
        dividend
            .mod_smtlib(int(args, 1)?)
            .unwrap_or_else(|| dividend.clone()),
    ))
}

fn at_most(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Int::le)
}

fn less(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Int::lt)
}

fn at_least(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Int::ge)
}

fn greater(args: &Args<'_>) -> Result<Value, Open> {
    compare(args, Int::gt)
}

fn divisible(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(
        int(args, 0)?.is_multiple_of(&Int::from(args.indices[0])),
    ))
}

/// cvc5's `iand`: the bit-wise and of the two's complements, modulo `2^k`.
fn bitwise_and(args: &Args<'_>) -> Result<Value, Open> {
    const WIDEST: u64 = 1 << 16;
    let width = args.indices[0];
    if width > WIDEST {
        return Err(Open::TooLarge);
    }
    let modulus = Int::power_of_two(width).ok_or(Open::TooLarge)?;
    binary(args, |a, b| {
        a.bit_and(b).mod_smtlib(&modulus).unwrap_or(Int::from(0))
    })
}

fn power_of_two(args: &Args<'_>) -> Result<Value, Open> {
    let exponent = int(args, 0)?;
    if exponent.is_negative() {
        return Ok(Value::Int(Int::from(0)));
    }
    exponent
        .to_u64()
        .and_then(Int::power_of_two)
        .map(Value::Int)
        .ok_or(Open::TooLarge)
}

fn log2(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(
        int(args, 0)?.log2_floor().map_or(Int::from(0), Int::from),
    ))
}

fn is_power_of_two(args: &Args<'_>) -> Result<Value, Open> {
    let value = int(args, 0)?;
    let power = value.log2_floor().and_then(Int::power_of_two);
    Ok(Value::Bool(power.as_ref() == Some(value)))
}

/// As theory Ints defines it since 2026: a negative exponent means division of 1 by the power.
fn standard_power(args: &Args<'_>) -> Result<Value, Open> {
    let (base, exponent) = (int(args, 0)?, int(args, 1)?);
    let one = Int::from(1);
    if exponent.is_negative() && base.is_zero() {
        return Err(Open::Unspecified);
    }
    let result = match (base, exponent.is_negative()) {
        (base, _) if *base == one => Some(one),
        (base, _) if *base == Int::from(-1) => match exponent.is_even() {
            true => Some(one),
            false => Some(base.clone()),
        },
        (_, true) => Some(Int::from(0)),
        (base, false) => exponent.to_u64().and_then(|exponent| base.pow(exponent)),
    };
    result.map(Value::Int).ok_or(Open::TooLarge)
}

/// z3 and cvc5 differ on negative exponents and on `0^0`, so these are unspecified.
fn power(args: &Args<'_>) -> Result<Value, Open> {
    let (base, exponent) = (int(args, 0)?, int(args, 1)?);
    if exponent.is_negative() || exponent.is_zero() && base.is_zero() {
        return Err(Open::Unspecified);
    }
    let exponent = exponent.to_u64().ok_or(Open::TooLarge)?;
    base.pow(exponent).map(Value::Int).ok_or(Open::TooLarge)
}
