//! `Float` against the machine's own `f32` and `f64`, and against rustc_apfloat in the other rounding modes.

use proptest::prelude::*;
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, ieee};

use super::bits::BitVec;
use super::float::{Float, Format, RoundingMode};
use super::int::Int;
use super::rat::Rat;
use RoundingMode::{Rna, Rne, Rtn, Rtp, Rtz};

fn from_f32(x: f32) -> Float {
    Float::from_ieee_bits(
        Format::FLOAT32,
        &BitVec::from_u64(32, u64::from(x.to_bits())),
    )
}

fn from_f64(x: f64) -> Float {
    Float::from_ieee_bits(Format::FLOAT64, &BitVec::from_u64(64, x.to_bits()))
}

/// Bit patterns that meet every class, and pairs whose exponents are close.
fn patterns64() -> impl Strategy<Value = u64> {
    let exponents = prop_oneof![0u64..3, 1000u64..1080, 2044u64..2048, 0u64..2048];
    let fractions = prop_oneof![
        Just(0),
        Just((1 << 52) - 1),
        (0u32..52).prop_map(|k| 1 << k),
        (0u32..52).prop_map(|k| (1 << 52) - (1 << k)),
        0u64..1 << 52,
    ];
    (0u64..2, exponents, fractions).prop_map(|(s, e, f)| s << 63 | e << 52 | f)
}

fn patterns32() -> impl Strategy<Value = u32> {
    let exponents = prop_oneof![0u32..3, 110u32..150, 252u32..256, 0u32..256];
    let fractions = prop_oneof![
        Just(0),
        Just((1 << 23) - 1),
        (0u32..23).prop_map(|k| 1 << k),
        (0u32..23).prop_map(|k| (1 << 23) - (1 << k)),
        0u32..1 << 23,
    ];
    (0u32..2, exponents, fractions).prop_map(|(s, e, f)| s << 31 | e << 23 | f)
}

/// IEEE remainder from the exact truncated remainder of the language.
fn ieee_remainder(x: f64, y: f64) -> f64 {
    if y.is_infinite() && x.is_finite() {
        return x;
    }
    let rest = (x % y).abs();
    let size = y.abs();
    // `x % 2y` tells the parity of the quotient; where 2y overflows, the quotient is below 2.
    let odd = if (2.0 * size).is_finite() {
        (x % (2.0 * size)).abs() >= size
    } else {
        x.abs() >= size
    };
    // `rest > size - rest` is `2 rest > size` without overflow or underflow; the difference is exact there.
    let other = size - rest;
    let up = rest > other || (rest == other && odd);
    let result = if up { -other } else { rest };
    if x.is_sign_negative() {
        -result
    } else {
        result
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_machine_on_float64(a in patterns64(), b in patterns64(), c in patterns64()) {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let (p, q, r) = (from_f64(x), from_f64(y), from_f64(z));
        prop_assert_eq!(p.add(Rne, &q), from_f64(x + y));
        prop_assert_eq!(p.sub(Rne, &q), from_f64(x - y));
        prop_assert_eq!(p.mul(Rne, &q), from_f64(x * y));
        prop_assert_eq!(p.div(Rne, &q), from_f64(x / y));
        prop_assert_eq!(p.fma(Rne, &q, &r), from_f64(x.mul_add(y, z)));
        prop_assert_eq!(p.sqrt(Rne), from_f64(x.sqrt()));
        prop_assert_eq!(p.rem(&q), from_f64(ieee_remainder(x, y)));
        prop_assert_eq!(p.round_to_integral(Rne), from_f64(x.round_ties_even()));
        prop_assert_eq!(p.round_to_integral(Rna), from_f64(x.round()));
        prop_assert_eq!(p.round_to_integral(Rtp), from_f64(x.ceil()));
        prop_assert_eq!(p.round_to_integral(Rtn), from_f64(x.floor()));
        prop_assert_eq!(p.round_to_integral(Rtz), from_f64(x.trunc()));
        prop_assert_eq!(p.compare(&q), x.partial_cmp(&y));
        prop_assert_eq!(p.to_format(Format::FLOAT32, Rne), from_f32(x as f32));
        prop_assert_eq!((p.is_normal(), p.is_subnormal()), (x.is_normal(), x.is_subnormal()));
        if x.is_finite() {
            let exact = p.to_rat().unwrap();
            for mode in RoundingMode::ALL {
                prop_assert_eq!(Float::from_rat(Format::FLOAT64, mode, &exact).abs(), p.abs());
            }
        }
    }

    #[test]
    fn agrees_with_the_machine_on_float32(a in patterns32(), b in patterns32(), c in patterns32()) {
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let (p, q, r) = (from_f32(x), from_f32(y), from_f32(z));
        prop_assert_eq!(p.add(Rne, &q), from_f32(x + y));
        prop_assert_eq!(p.sub(Rne, &q), from_f32(x - y));
        prop_assert_eq!(p.mul(Rne, &q), from_f32(x * y));
        prop_assert_eq!(p.div(Rne, &q), from_f32(x / y));
        prop_assert_eq!(p.fma(Rne, &q, &r), from_f32(x.mul_add(y, z)));
        prop_assert_eq!(p.sqrt(Rne), from_f32(x.sqrt()));
        prop_assert_eq!(p.rem(&q), from_f32(ieee_remainder(f64::from(x), f64::from(y)) as f32));
        prop_assert_eq!(p.to_format(Format::FLOAT64, Rne), from_f64(f64::from(x)));
        let (signed, unsigned) = (p.to_sbv(Rtz, 32), p.to_ubv(Rtz, 64));
        let in_range = f64::from(x) > -2_147_483_649.0 && f64::from(x) < 2_147_483_648.0;
        prop_assert_eq!(signed, in_range.then(|| BitVec::from_int(32, &Int::from(x as i32))));
        let in_range = x > -1.0 && x < 18_446_744_073_709_551_616.0;
        prop_assert_eq!(unsigned, in_range.then(|| BitVec::from_u64(64, x as u64)));
    }

    #[test]
    fn agrees_with_the_machine_on_integers(n in any::<i64>(), shift in 0u32..63) {
        let n = n >> shift;
        let bits = BitVec::from_u64(64, n as u64);
        prop_assert_eq!(Float::from_sbv(Format::FLOAT64, Rne, &bits), from_f64(n as f64));
        prop_assert_eq!(Float::from_sbv(Format::FLOAT32, Rne, &bits), from_f32(n as f32));
        prop_assert_eq!(Float::from_ubv(Format::FLOAT64, Rne, &bits), from_f64(n as u64 as f64));
        prop_assert_eq!(Float::from_ubv(Format::FLOAT32, Rne, &bits), from_f32(n as u64 as f32));
    }

    #[test]
    fn reads_decimals_as_the_language_does(text in "[0-9]{1,25}\\.[0-9]{1,25}") {
        let real = Rat::parse(&text).unwrap();
        prop_assert_eq!(Float::from_rat(Format::FLOAT64, Rne, &real), from_f64(text.parse().unwrap()));
        prop_assert_eq!(Float::from_rat(Format::FLOAT32, Rne, &real), from_f32(text.parse().unwrap()));
    }
}

fn ap_mode(mode: RoundingMode) -> Round {
    match mode {
        Rne => Round::NearestTiesToEven,
        Rna => Round::NearestTiesToAway,
        Rtp => Round::TowardPositive,
        Rtn => Round::TowardNegative,
        Rtz => Round::TowardZero,
    }
}

fn from_ap<F: ApFloat>(format: Format, x: F) -> Float {
    let bits = dashu_int::UBig::from(x.to_bits());
    Float::from_ieee_bits(format, &BitVec::from_ubig(format.width(), bits))
}

/// A bit pattern of the format from random words, often with an extreme exponent or fraction.
fn shape(format: Format, bits: u128, kind: u8) -> u128 {
    let fraction_bits = format.sb() - 1;
    let width = format.width();
    let all = if width == 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    };
    let fraction = (1u128 << fraction_bits) - 1;
    let exponent = ((1u128 << format.eb()) - 1) << fraction_bits;
    let bias = ((1u128 << (format.eb() - 1)) - 1) << fraction_bits;
    all & match kind % 8 {
        0 => bits & !exponent,
        1 => bits | exponent,
        2 => bits & !fraction,
        3 => bits | fraction,
        4 => (bits & !exponent) | bias,
        5 => (bits & !exponent) | (exponent & !(1 << fraction_bits)),
        _ => bits,
    }
}

fn check_arithmetic<F: ApFloat>(format: Format, mode: RoundingMode, patterns: [u128; 3]) {
    let [x, y, z] = patterns.map(F::from_bits);
    let [p, q, r] = [x, y, z].map(|v| from_ap(format, v));
    let (round, ours) = (ap_mode(mode), |v: F| from_ap(format, v));
    assert_eq!(
        p.add(mode, &q),
        ours(x.add_r(y, round).value),
        "(fp.add {mode} {p} {q})"
    );
    assert_eq!(
        p.sub(mode, &q),
        ours(x.sub_r(y, round).value),
        "(fp.sub {mode} {p} {q})"
    );
    assert_eq!(
        p.mul(mode, &q),
        ours(x.mul_r(y, round).value),
        "(fp.mul {mode} {p} {q})"
    );
    assert_eq!(
        p.div(mode, &q),
        ours(x.div_r(y, round).value),
        "(fp.div {mode} {p} {q})"
    );
    let fused = x.mul_add_r(y, z, round).value;
    assert_eq!(
        p.fma(mode, &q, &r),
        ours(fused),
        "(fp.fma {mode} {p} {q} {r})"
    );
    let integral = x.round_to_integral(round).value;
    assert_eq!(
        p.round_to_integral(mode),
        ours(integral),
        "(fp.roundToIntegral {mode} {p})"
    );
    assert_eq!(p.rem(&q), ours(x.ieee_rem(y).value), "(fp.rem {p} {q})");
    assert_eq!(p.compare(&q), x.partial_cmp(&y), "{p} {q}");
}

fn check_casts<F, G>(from: Format, to: Format, mode: RoundingMode, bits: u128)
where
    F: ApFloat + FloatConvert<G>,
    G: ApFloat,
{
    let x = F::from_bits(bits);
    let cast: G = x.convert_r(ap_mode(mode), &mut false).value;
    let p = from_ap(from, x);
    assert_eq!(
        p.to_format(to, mode),
        from_ap(to, cast),
        "{mode} {p} to {to:?}"
    );
}

fn mode() -> impl Strategy<Value = RoundingMode> {
    prop::sample::select(RoundingMode::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_apfloat_in_every_mode(m in mode(), bits in any::<[u128; 3]>(), kinds in any::<[u8; 3]>()) {
        let bfloat = Format::new(8, 8).unwrap();
        let shaped = |f: Format| [0, 1, 2].map(|i| shape(f, bits[i], kinds[i]));
        check_arithmetic::<ieee::Half>(Format::FLOAT16, m, shaped(Format::FLOAT16));
        check_arithmetic::<ieee::BFloat>(bfloat, m, shaped(bfloat));
        check_arithmetic::<ieee::Single>(Format::FLOAT32, m, shaped(Format::FLOAT32));
        check_arithmetic::<ieee::Double>(Format::FLOAT64, m, shaped(Format::FLOAT64));
        check_arithmetic::<ieee::Quad>(Format::FLOAT128, m, shaped(Format::FLOAT128));
    }

    #[test]
    fn casts_agree_with_apfloat(m in mode(), bits in any::<u128>(), kind in any::<u8>()) {
        let (half, single) = (Format::FLOAT16, Format::FLOAT32);
        let (double, quad) = (Format::FLOAT64, Format::FLOAT128);
        check_casts::<ieee::Quad, ieee::Double>(quad, double, m, shape(quad, bits, kind));
        check_casts::<ieee::Double, ieee::Single>(double, single, m, shape(double, bits, kind));
        check_casts::<ieee::Single, ieee::Half>(single, half, m, shape(single, bits, kind));
        check_casts::<ieee::Half, ieee::Quad>(half, quad, m, shape(half, bits, kind));
    }
}
