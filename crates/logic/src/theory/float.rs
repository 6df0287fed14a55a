//! FloatingPoint of SMT-LIB 2.7, with the extensions of z3 and cvc5.
//! The operations themselves are methods of `Float`; here they get names, sorts and examples.
//! Examples in `(_ FloatingPoint 2 3)`: `#b0 #b01 #b00` is 1, `#b0 #b01 #b10` is 1.5, `#b0 #b10 #b00` is 2,
//! `#b0 #b10 #b11` is 3.5, the largest number, and `#b0 #b00 #b01` is 0.25, the smallest positive one.

use super::Meaning::Strict;
use super::SolverSet;
use super::bitvec::{bits, width_index};
use super::{Args, Open, OpenCase, Row, row};
use crate::value::float_convert::NoReal;
use crate::value::{BitVec, Float, Format, Int, Rat, RoundingMode, Value};

const STANDARD: SolverSet = SolverSet::STANDARD;
const Z3: SolverSet = SolverSet::Z3;
const CVC: SolverSet = SolverSet::CVC5.union(SolverSet::CVC4);

pub const ROWS: &[Row] = &[
    row(
        "(fp (_ BitVec 1) (_ BitVec eb) (_ BitVec i) (_ FloatingPoint eb i+1))",
        STANDARD,
        Strict(from_parts),
    )
    .examples(&[
        ("(fp #b0 #b11 #b00)", "(_ +oo 2 3)"),
        ("(fp #b1 #b11 #b01)", "(_ NaN 2 3)"),
    ]),
    row(
        "((_ +oo eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(Float::infinity(format(a)?, false)))),
    )
    .examples(&[("(_ +oo 2 2)", "(fp #b0 #b11 #b0)")]),
    row(
        "((_ -oo eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(Float::infinity(format(a)?, true)))),
    )
    .examples(&[("(_ -oo 2 2)", "(fp #b1 #b11 #b0)")]),
    row(
        "((_ +zero eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(Float::zero(format(a)?, false)))),
    )
    .examples(&[("(_ +zero 2 4)", "(fp #b0 #b00 #b000)")]),
    row(
        "((_ -zero eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(Float::zero(format(a)?, true)))),
    )
    .examples(&[("(_ -zero 3 2)", "(fp #b1 #b000 #b0)")]),
    row(
        "((_ NaN eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(Float::nan(format(a)?)))),
    )
    .examples(&[("(_ NaN 2 2)", "(fp #b1 #b11 #b1)")]),
    row(
        "(fp.abs (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(float(a, 0)?.abs()))),
    )
    .examples(&[("(fp.abs (_ -zero 2 3))", "(_ +zero 2 3)")]),
    row(
        "(fp.neg (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(float(a, 0)?.neg()))),
    )
    .examples(&[
        ("(fp.neg (_ +zero 2 3))", "(_ -zero 2 3)"),
        ("(fp.neg (_ NaN 2 3))", "(_ NaN 2 3)"),
    ]),
    row(
        "(fp.add RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| rounded(a, Float::add)),
    )
    .nonlinear()
    .examples(&[
        ("(fp.add RNE (fp #b0 #b01 #b00) (fp #b0 #b01 #b00))", "(fp #b0 #b10 #b00)"),
        ("(fp.add RTN (fp #b0 #b01 #b00) (fp #b1 #b01 #b00))", "(_ -zero 2 3)"),
        ("(fp.add RNE (_ +oo 2 3) (_ -oo 2 3))", "(_ NaN 2 3)"),
    ]),
    row(
        "(fp.sub RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| rounded(a, Float::sub)),
    )
    .nonlinear()
    .examples(&[
        ("(fp.sub RNE (fp #b0 #b10 #b00) (fp #b0 #b01 #b00))", "(fp #b0 #b01 #b00)"),
        ("(fp.sub RNE (fp #b0 #b01 #b00) (fp #b0 #b01 #b00))", "(_ +zero 2 3)"),
    ]),
    row(
        "(fp.mul RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| rounded(a, Float::mul)),
    )
    .nonlinear()
    .examples(&[
        ("(fp.mul RNE (fp #b0 #b10 #b00) (fp #b0 #b10 #b00))", "(_ +oo 2 3)"),
        ("(fp.mul RTZ (fp #b0 #b10 #b00) (fp #b0 #b10 #b00))", "(fp #b0 #b10 #b11)"),
        ("(fp.mul RNE (_ +zero 2 3) (_ +oo 2 3))", "(_ NaN 2 3)"),
    ]),
    row(
        "(fp.div RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| rounded(a, Float::div)),
    )
    .nonlinear()
    .examples(&[
        ("(fp.div RNE (fp #b0 #b01 #b00) (_ -zero 2 3))", "(_ -oo 2 3)"),
        ("(fp.div RNE (_ +zero 2 3) (_ +zero 2 3))", "(_ NaN 2 3)"),
        // One third is nearest to 0.25.
        ("(fp.div RNE (fp #b0 #b01 #b00) (fp #b0 #b10 #b10))", "(fp #b0 #b00 #b01)"),
    ]),
    row(
        "(fp.fma RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) \
         (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(fused),
    )
    .nonlinear()
    .says("SMT-LIB theory FloatingPoint: x * y + z, rounded once")
    .examples(&[
        // 2 * 2 - 1 is 3, although 2 * 2 overflows.
        (
            "(fp.fma RNE (fp #b0 #b10 #b00) (fp #b0 #b10 #b00) (fp #b1 #b01 #b00))",
            "(fp #b0 #b10 #b10)",
        ),
    ]),
    row(
        "(fp.sqrt RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(float(a, 1)?.sqrt(mode(a)?)))),
    )
    .nonlinear()
    .examples(&[
        ("(fp.sqrt RNE (_ -zero 2 3))", "(_ -zero 2 3)"),
        ("(fp.sqrt RNE (fp #b1 #b01 #b00))", "(_ NaN 2 3)"),
        // The root of 2 is nearest to 1.5.
        ("(fp.sqrt RNE (fp #b0 #b10 #b00))", "(fp #b0 #b01 #b10)"),
    ]),
    row(
        "(fp.rem (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(float(a, 0)?.rem(float(a, 1)?)))),
    )
    .says(
        "SMT-LIB theory FloatingPoint: x - y * n, where n is the integer nearest to x / \
         y; if two are equally near, the even one",
    )
    .nonlinear()
    .examples(&[
        // 3 / 2 is 1.5, of which the even neighbour is 2.
        ("(fp.rem (fp #b0 #b10 #b10) (fp #b0 #b10 #b00))", "(fp #b1 #b01 #b00)"),
        ("(fp.rem (fp #b0 #b01 #b00) (_ +oo 2 3))", "(fp #b0 #b01 #b00)"),
        ("(fp.rem (fp #b1 #b10 #b00) (fp #b0 #b01 #b00))", "(_ -zero 2 3)"),
    ]),
    row(
        "(fp.roundToIntegral RoundingMode (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| Ok(Value::Float(float(a, 1)?.round_to_integral(mode(a)?)))),
    )
    .nonlinear()
    .says(
        "SMT-LIB theory FloatingPoint: the integral number that the rounding mode \
         selects; a result of zero has the sign of the argument",
    )
    .examples(&[
        ("(fp.roundToIntegral RNE (fp #b0 #b01 #b10))", "(fp #b0 #b10 #b00)"),
        ("(fp.roundToIntegral RTZ (fp #b0 #b01 #b10))", "(fp #b0 #b01 #b00)"),
        ("(fp.roundToIntegral RNE (fp #b1 #b00 #b01))", "(_ -zero 2 3)"),
    ]),
    row(
        "(fp.min (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| extremum(a, Float::minimum)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: the smaller argument, or the other one if one is \
         NaN; of two zeros with different signs either",
    )
    .open(OpenCase::Argument)
    .examples(&[
        ("(fp.min (fp #b0 #b01 #b00) (_ -oo 2 3))", "(_ -oo 2 3)"),
        ("(fp.min (_ NaN 2 3) (fp #b0 #b01 #b00))", "(fp #b0 #b01 #b00)"),
    ]),
    row(
        "(fp.max (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| extremum(a, Float::maximum)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: the larger argument, or the other one if one is \
         NaN; of two zeros with different signs either",
    )
    .open(OpenCase::Argument)
    .examples(&[
        ("(fp.max (fp #b0 #b01 #b00) (_ -oo 2 3))", "(fp #b0 #b01 #b00)"),
        ("(fp.max (_ -zero 2 3) (_ -zero 2 3))", "(_ -zero 2 3)"),
    ]),
    row(
        "(fp.leq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)",
        STANDARD,
        Strict(|a| compare(a, Float::ieee_leq)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: false if an argument is NaN; the two zeros \
         are equal",
    )
    .examples(&[
        ("(fp.leq (_ -zero 2 3) (_ +zero 2 3) (fp #b0 #b01 #b00))", "true"),
        ("(fp.leq (_ NaN 2 3) (_ NaN 2 3))", "false"),
    ]),
    row(
        "(fp.lt (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)",
        STANDARD,
        Strict(|a| compare(a, Float::ieee_lt)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: false if an argument is NaN; the two zeros \
         are equal",
    )
    .examples(&[
        ("(fp.lt (_ -zero 2 3) (_ +zero 2 3))", "false"),
        ("(fp.lt (_ -oo 2 3) (fp #b1 #b10 #b11))", "true"),
    ]),
    row(
        "(fp.geq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)",
        STANDARD,
        Strict(|a| compare(a, Float::ieee_geq)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: false if an argument is NaN; the two zeros \
         are equal",
    )
    .examples(&[("(fp.geq (_ -zero 2 3) (_ +zero 2 3))", "true")]),
    row(
        "(fp.gt (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)",
        STANDARD,
        Strict(|a| compare(a, Float::ieee_gt)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: false if an argument is NaN; the two zeros \
         are equal",
    )
    .examples(&[("(fp.gt (_ +oo 2 3) (fp #b0 #b10 #b11))", "true")]),
    row(
        "(fp.eq (_ FloatingPoint eb sb) (_ FloatingPoint eb sb) Bool :chainable)",
        STANDARD,
        Strict(|a| compare(a, Float::ieee_eq)),
    )
    .commutative()
    .says(
        "SMT-LIB theory FloatingPoint: equality of IEEE 754: the two zeros are \
         equal, and NaN is not equal to itself",
    )
    .examples(&[
        ("(fp.eq (_ -zero 2 3) (_ +zero 2 3))", "true"),
        ("(fp.eq (_ NaN 2 3) (_ NaN 2 3))", "false"),
    ]),
    row(
        "(fp.isNormal (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_normal)),
    )
    .examples(&[
        ("(fp.isNormal (fp #b0 #b01 #b00))", "true"),
        ("(fp.isNormal (_ +zero 2 3))", "false"),
    ]),
    row(
        "(fp.isSubnormal (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_subnormal)),
    )
    .examples(&[
        ("(fp.isSubnormal (fp #b0 #b00 #b01))", "true"),
        ("(fp.isSubnormal (_ +zero 2 3))", "false"),
    ]),
    row(
        "(fp.isZero (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_zero)),
    )
    .examples(&[("(fp.isZero (_ -zero 2 3))", "true")]),
    row(
        "(fp.isInfinite (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_infinite)),
    )
    .examples(&[("(fp.isInfinite (_ -oo 2 3))", "true"), ("(fp.isInfinite (_ NaN 2 3))", "false")]),
    row(
        "(fp.isNaN (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_nan)),
    )
    .examples(&[("(fp.isNaN (fp #b1 #b11 #b10))", "true")]),
    row(
        "(fp.isNegative (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_negative)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: true if the sign bit is 1, also for -zero; \
         false for NaN",
    )
    .examples(&[
        ("(fp.isNegative (_ -zero 2 3))", "true"),
        ("(fp.isNegative (fp #b1 #b11 #b10))", "false"),
    ]),
    row(
        "(fp.isPositive (_ FloatingPoint eb sb) Bool)",
        STANDARD,
        Strict(|a| classify(a, Float::is_positive)),
    )
    .says(
        "SMT-LIB theory FloatingPoint: true if the sign bit is 0, also for +zero; \
         false for NaN",
    )
    .examples(&[
        ("(fp.isPositive (_ +zero 2 3))", "true"),
        ("(fp.isPositive (_ NaN 2 3))", "false"),
    ]),
    row(
        "((_ to_fp eb sb) (_ BitVec eb+sb) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(from_ieee_bits),
    )
    .examples(&[("((_ to_fp 2 3) #b11000)", "(fp #b1 #b10 #b00)")]),
    row(
        "((_ to_fp eb sb) RoundingMode (_ FloatingPoint m n) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(from_float),
    )
    .examples(&[
        // 1.5 lies halfway between 1 and 2, the two neighbours in (2, 2).
        ("((_ to_fp 2 2) RNE (fp #b0 #b01 #b11))", "(fp #b0 #b10 #b0)"),
        ("((_ to_fp 3 4) RNE (_ NaN 2 3))", "(_ NaN 3 4)"),
    ]),
    row(
        "((_ to_fp eb sb) RoundingMode Real (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(from_real),
    )
    .examples(&[
        ("((_ to_fp 2 3) RNE 1.5)", "(fp #b0 #b01 #b10)"),
        ("((_ to_fp 2 3) RTN 0.0)", "(_ +zero 2 3)"),
        ("((_ to_fp 2 3) RTZ (- 0.1))", "(_ -zero 2 3)"),
    ]),
    row(
        "((_ to_fp eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| from_bits(a, Float::from_sbv)),
    )
    .examples(&[("((_ to_fp 2 3) RNE #b1111)", "(fp #b1 #b01 #b00)")]),
    row(
        "((_ to_fp_unsigned eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb))",
        STANDARD,
        Strict(|a| from_bits(a, Float::from_ubv)),
    )
    .examples(&[
        ("((_ to_fp_unsigned 2 3) RNE #b11)", "(fp #b0 #b10 #b10)"),
        ("((_ to_fp_unsigned 2 3) RNE #b1111)", "(_ +oo 2 3)"),
    ]),
    row(
        "((_ fp.to_ubv m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m))",
        STANDARD,
        Strict(|a| to_bits(a, Float::to_ubv)),
    )
    .open(OpenCase::Any)
    .says(
        "SMT-LIB theory FloatingPoint: rounded to an integer; any value for NaN, \
         infinities, and integers outside of 0 to 2^m - 1",
    )
    .examples(&[
        ("((_ fp.to_ubv 4) RNE (fp #b0 #b01 #b10))", "#b0010"),
        ("((_ fp.to_ubv 4) RTZ (fp #b1 #b00 #b01))", "#b0000"),
    ]),
    row(
        "((_ fp.to_sbv m) RoundingMode (_ FloatingPoint eb sb) (_ BitVec m))",
        STANDARD,
        Strict(|a| to_bits(a, Float::to_sbv)),
    )
    .open(OpenCase::Any)
    .says(
        "SMT-LIB theory FloatingPoint: rounded to an integer; any value for NaN, \
         infinities, and integers outside of -2^(m-1) to 2^(m-1) - 1",
    )
    .examples(&[("((_ fp.to_sbv 4) RTN (fp #b1 #b01 #b10))", "#b1110")]),
    row("(fp.to_real (_ FloatingPoint eb sb) Real)", STANDARD, Strict(to_real))
        .open(OpenCase::Any)
        .says(
            "SMT-LIB theory FloatingPoint: the exact real number; any value for NaN and \
             infinities",
        )
        .examples(&[
        ("(fp.to_real (fp #b1 #b10 #b01))", "(- 2.5)"),
        ("(fp.to_real (_ -zero 2 3))", "0.0"),
    ]),
    // cvc5's names without overloading.
    row(
        "((_ to_fp_bv eb sb) (_ BitVec eb+sb) (_ FloatingPoint eb sb))",
        CVC,
        Strict(from_ieee_bits),
    )
    .examples(&[("((_ to_fp_bv 2 3) #b11000)", "(fp #b1 #b10 #b00)")]),
    row(
        "((_ to_fp_fp eb sb) RoundingMode (_ FloatingPoint m n) (_ FloatingPoint eb sb))",
        CVC,
        Strict(from_float),
    )
    .examples(&[("((_ to_fp_fp 2 2) RNE (_ -oo 2 3))", "(_ -oo 2 2)")]),
    row(
        "((_ to_fp_real eb sb) RoundingMode Real (_ FloatingPoint eb sb))",
        CVC,
        Strict(from_real),
    )
    .examples(&[("((_ to_fp_real 2 3) RNE 1.5)", "(fp #b0 #b01 #b10)")]),
    row(
        "((_ to_fp_signed eb sb) RoundingMode (_ BitVec m) (_ FloatingPoint eb sb))",
        CVC,
        Strict(|a| from_bits(a, Float::from_sbv)),
    )
    .examples(&[("((_ to_fp_signed 2 3) RNE #b1111)", "(fp #b1 #b01 #b00)")]),
    // z3's further conversions.
    row(
        "((_ to_fp eb sb) RoundingMode Int (_ FloatingPoint eb sb))",
        Z3,
        Strict(from_integer),
    )
    .examples(&[("((_ to_fp 2 3) RNE (- 1))", "(fp #b1 #b01 #b00)")]),
    row(
        "((_ to_fp eb sb) RoundingMode Real Int (_ FloatingPoint eb sb))",
        Z3,
        Strict(|a| from_scaled(a, 1, 2)),
    )
    .examples(&[("((_ to_fp 5 11) RNE 1.5 3)", "((_ to_fp 5 11) RNE 12.0)")]),
    row(
        "((_ to_fp eb sb) RoundingMode Int Real (_ FloatingPoint eb sb))",
        Z3,
        Strict(|a| from_scaled(a, 2, 1)),
    )
    .examples(&[("((_ to_fp 5 11) RNE 3 1.5)", "((_ to_fp 5 11) RNE 12.0)")]),
    row(
        "((_ to_fp eb sb) (_ BitVec 1) (_ BitVec eb) (_ BitVec sb-1) (_ FloatingPoint eb sb))",
        Z3,
        Strict(from_parts),
    )
    .examples(&[("((_ to_fp 2 3) #b1 #b10 #b00)", "(fp #b1 #b10 #b00)")]),
    row("(fp.to_ieee_bv (_ FloatingPoint eb sb) (_ BitVec eb+sb))", Z3, Strict(to_ieee_bits))
        .examples(&[("(fp.to_ieee_bv (_ -oo 2 3))", "#b11100")]),
    row("(to_ieee_bv (_ FloatingPoint eb sb) (_ BitVec eb+sb))", Z3, Strict(to_ieee_bits))
        .examples(&[("(to_ieee_bv (_ -oo 2 3))", "#b11100")]),
];

fn float<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Float, Open> {
    match &args.values[place] {
        Value::Float(float) => Ok(float),
        _ => Err(Open::NoMeaning(
            "a value that is not a floating-point number",
        )),
    }
}

/// The rounding mode, always the first argument.
fn mode(args: &Args<'_>) -> Result<RoundingMode, Open> {
    match &args.values[0] {
        Value::Rounding(mode) => Ok(*mode),
        _ => Err(Open::NoMeaning("a value that is not a rounding mode")),
    }
}

/// The format named by the indices; the sort check has rejected invalid formats.
fn format(args: &Args<'_>) -> Result<Format, Open> {
    let index = |place: usize| u32::try_from(args.indices[place]).ok();
    let parts = index(0).zip(index(1));
    parts
        .and_then(|(eb, sb)| Format::new(eb, sb))
        .ok_or(Open::TooLarge)
}

fn rounded(args: &Args<'_>, f: fn(&Float, RoundingMode, &Float) -> Float) -> Result<Value, Open> {
    Ok(Value::Float(f(
        float(args, 1)?,
        mode(args)?,
        float(args, 2)?,
    )))
}

fn compare(args: &Args<'_>, f: fn(&Float, &Float) -> bool) -> Result<Value, Open> {
    Ok(Value::Bool(f(float(args, 0)?, float(args, 1)?)))
}

fn classify(args: &Args<'_>, f: fn(&Float) -> bool) -> Result<Value, Open> {
    Ok(Value::Bool(f(float(args, 0)?)))
}

/// For zeros of different sign the standard allows either result.
fn extremum(args: &Args<'_>, f: fn(&Float, &Float) -> Option<Float>) -> Result<Value, Open> {
    f(float(args, 0)?, float(args, 1)?)
        .map(Value::Float)
        .ok_or(Open::Unspecified)
}

fn fused(args: &Args<'_>) -> Result<Value, Open> {
    let sum = float(args, 1)?.fma(mode(args)?, float(args, 2)?, float(args, 3)?);
    Ok(Value::Float(sum))
}

fn from_parts(args: &Args<'_>) -> Result<Value, Open> {
    let float = Float::from_parts(bits(args, 0)?, bits(args, 1)?, bits(args, 2)?);
    float.map(Value::Float).ok_or(Open::TooLarge)
}

fn from_ieee_bits(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Float(Float::from_ieee_bits(
        format(args)?,
        bits(args, 0)?,
    )))
}

fn from_float(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Float(
        float(args, 1)?.to_format(format(args)?, mode(args)?),
    ))
}

fn from_bits(
    args: &Args<'_>,
    f: fn(Format, RoundingMode, &BitVec) -> Float,
) -> Result<Value, Open> {
    Ok(Value::Float(f(format(args)?, mode(args)?, bits(args, 1)?)))
}

fn real<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Rat, Open> {
    match &args.values[place] {
        Value::Real(real) => Ok(real),
        _ => Err(Open::NoMeaning("rounding of an irrational number")),
    }
}

fn integer<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Int, Open> {
    match &args.values[place] {
        Value::Int(int) => Ok(int),
        _ => Err(Open::NoMeaning("a value that is not an integer")),
    }
}

fn from_real(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Float(Float::from_rat(
        format(args)?,
        mode(args)?,
        real(args, 1)?,
    )))
}

fn from_integer(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Float(Float::from_int(
        format(args)?,
        mode(args)?,
        integer(args, 1)?,
    )))
}

/// A real number times a power of two.
fn from_scaled(args: &Args<'_>, number: usize, scale: usize) -> Result<Value, Open> {
    let (number, scale) = (real(args, number)?, integer(args, scale)?);
    Ok(Value::Float(Float::from_scaled_rat(
        format(args)?,
        mode(args)?,
        number,
        scale,
    )))
}

/// Open for NaN, the infinities and numbers out of range.
fn to_bits(
    args: &Args<'_>,
    f: fn(&Float, RoundingMode, u32) -> Option<BitVec>,
) -> Result<Value, Open> {
    let bits = f(float(args, 1)?, mode(args)?, width_index(args)?);
    bits.map(Value::BitVec).ok_or(Open::Unspecified)
}

/// Open for NaN and the infinities.
fn to_real(args: &Args<'_>) -> Result<Value, Open> {
    match float(args, 0)?.to_rat() {
        Ok(real) => Ok(Value::Real(real)),
        Err(NoReal::NotFinite) => Err(Open::Unspecified),
        Err(NoReal::TooLong) => Err(Open::TooLarge),
    }
}

/// Open for NaN, which has several bit patterns.
fn to_ieee_bits(args: &Args<'_>) -> Result<Value, Open> {
    float(args, 0)?
        .to_ieee_bits()
        .map(Value::BitVec)
        .ok_or(Open::Unspecified)
}

#[cfg(test)]
mod tests {
    use crate::eval::{Evaluator, Reason};
    use crate::{Model, Terms, Value, read_script};

    fn outcome(formula: &str) -> Result<Value, Reason> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &format!("(assert {formula})")).expect("well-formed");
        assert_eq!(reading.issues, [], "in {formula}");
        let model = Model::default();
        let value = Evaluator::new(&terms, &model).value(reading.script.roots()[0]);
        value.map_err(|open| open.reason)
    }

    #[test]
    fn equality_tells_zeros_apart_and_nan_is_itself() {
        assert_eq!(
            outcome("(= (_ +zero 5 11) (_ -zero 5 11))"),
            Ok(Value::FALSE)
        );
        assert_eq!(
            outcome("(= (_ NaN 5 11) (fp #b1 #b11111 #b0000000001))"),
            Ok(Value::TRUE)
        );
        assert_eq!(
            outcome("(fp.eq (_ +zero 5 11) (_ -zero 5 11))"),
            Ok(Value::TRUE)
        );
    }

    #[test]
    fn conversions_compose() {
        let there_and_back = "(= (fp.to_real ((_ to_fp 8 24) RNE ((_ to_fp 11 53) RNE 0.1))) \
                              (/ 13421773.0 134217728.0))";
        assert_eq!(outcome(there_and_back), Ok(Value::TRUE));
        assert_eq!(
            outcome("(= ((_ fp.to_sbv 8) RTZ ((_ to_fp 5 11) RNE #xf0)) #xf0)"),
            Ok(Value::TRUE)
        );
    }

    #[test]
    fn what_the_standard_leaves_open_has_no_value() {
        for formula in [
            "(fp.isNegative (fp.min (_ +zero 5 11) (_ -zero 5 11)))",
            "(fp.isNegative (fp.max (_ -zero 5 11) (_ +zero 5 11)))",
            "(= ((_ fp.to_ubv 4) RNE (_ NaN 5 11)) #x0)",
            "(= ((_ fp.to_sbv 4) RNE ((_ to_fp 5 11) RNE 8.0)) #x0)",
            "(= (fp.to_real (_ -oo 5 11)) 0.0)",
            "(= (fp.to_ieee_bv (_ NaN 2 3)) #b01110)",
        ] {
            assert_eq!(outcome(formula), Err(Reason::Unspecified), "{formula}");
        }
    }

    #[test]
    fn enormous_exponents_are_no_danger() {
        let far = "(fp.lt ((_ to_fp 60 5) RNE 1.0 1000000000000) (_ +oo 60 5))";
        assert_eq!(outcome(far), Ok(Value::TRUE));
        let real = "(= (fp.to_real ((_ to_fp 60 5) RNE 1.0 1000000000000)) 0.0)";
        assert_eq!(outcome(real), Err(Reason::TooLarge));
        assert_eq!(
            outcome("(fp.isNaN (_ NaN 4000000000 5))"),
            Err(Reason::TooLarge)
        );
    }
}
