//! `Float` against an independent specification on tiny formats: values by their formula as fractions,
//! rounding by a search through all floats of the format, every operand and every rounding mode.

use std::cmp::Ordering;

use super::bits::BitVec;
use super::float::{Float, Format, RoundingMode};
use super::int::Int;
use super::rat::Rat;

/// A fraction with a positive denominator, as naive as can be.
#[derive(Clone, Copy, Debug)]
struct Frac(i128, i128);

impl Frac {
    fn power_of_two(exponent: i32) -> Frac {
        match exponent {
            0.. => Frac(1 << exponent, 1),
            _ => Frac(1, 1 << -exponent),
        }
    }

    fn add(self, other: Frac) -> Frac {
        Frac(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn mul(self, other: Frac) -> Frac {
        Frac(self.0 * other.0, self.1 * other.1)
    }

    fn neg(self) -> Frac {
        Frac(-self.0, self.1)
    }

    fn inverse(self) -> Frac {
        Frac(self.1 * self.0.signum(), self.0.abs())
    }

    fn cmp(self, other: Frac) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }

    /// The nearest integer in the direction of the mode.
    fn to_integer(self, mode: RoundingMode) -> i128 {
        let floor = self.0.div_euclid(self.1);
        let twice_rest = Frac(2 * (self.0 - floor * self.1), self.1);
        let up = match (mode, twice_rest.cmp(Frac(1, 1))) {
            _ if twice_rest.0 == 0 => false,
            (RoundingMode::Rtp, _) => true,
            (RoundingMode::Rtn, _) => false,
            (RoundingMode::Rtz, _) => self.0 < 0,
            (_, Ordering::Less) => false,
            (_, Ordering::Greater) => true,
            (RoundingMode::Rne, Ordering::Equal) => floor % 2 != 0,
            (RoundingMode::Rna, Ordering::Equal) => self.0 > 0,
        };
        floor + i128::from(up)
    }
}

/// An element of the extended reals, with the sign bit that zeros and infinities carry.
#[derive(Clone, Copy, Debug)]
enum Ext {
    Nan,
    Inf(bool),
    Num(bool, Frac),
}
use Ext::{Inf, Nan, Num};

/// A format small enough to search.
struct Tiny {
    format: Format,
    eb: u32,
    sb: u32,
    /// Every finite value with its bits.
    finite: Vec<(u64, Frac)>,
}

impl Tiny {
    fn new(eb: u32, sb: u32) -> Tiny {
        let format = Format::new(eb, sb).expect("a format");
        let mut tiny = Tiny {
            format,
            eb,
            sb,
            finite: Vec::new(),
        };
        for bits in 0..1 << (eb + sb) {
            if let Num(_, value) = tiny.decode(bits) {
                tiny.finite.push((bits, value));
            }
        }
        tiny
    }

    fn all(&self) -> std::ops::Range<u64> {
        0..1 << (self.eb + self.sb)
    }

    fn float(&self, bits: u64) -> Float {
        Float::from_ieee_bits(self.format, &BitVec::from_u64(self.eb + self.sb, bits))
    }

    /// The formula of IEEE 754.
    fn decode(&self, bits: u64) -> Ext {
        let negative = bits >> (self.eb + self.sb - 1) == 1;
        let exponent = (bits >> (self.sb - 1)) & ((1 << self.eb) - 1);
        let fraction = bits & ((1 << (self.sb - 1)) - 1);
        if exponent == (1 << self.eb) - 1 {
            return if fraction == 0 { Inf(negative) } else { Nan };
        }
        let hidden = if exponent == 0 { 0 } else { 1 << (self.sb - 1) };
        let scale = exponent.max(1) as i32 - self.bias() - (self.sb as i32 - 1);
        let size = Frac((hidden + fraction) as i128, 1).mul(Frac::power_of_two(scale));
        Num(negative, if negative { size.neg() } else { size })
    }

    fn bias(&self) -> i32 {
        (1 << (self.eb - 1)) - 1
    }

    fn zero(&self, negative: bool) -> u64 {
        u64::from(negative) << (self.eb + self.sb - 1)
    }

    fn infinity(&self, negative: bool) -> u64 {
        self.zero(negative) | ((1 << self.eb) - 1) << (self.sb - 1)
    }

    fn nan(&self) -> u64 {
        self.infinity(false) | 1
    }

    /// Rounds the real number that `compare` knows only by its order to fractions.
    fn round(
        &self,
        mode: RoundingMode,
        zero_sign: bool,
        compare: impl Fn(Frac) -> Ordering,
    ) -> u64 {
        let sign = compare(Frac(0, 1));
        if sign.is_eq() {
            return self.zero(zero_sign);
        }
        let negative = sign.is_lt();
        // Of the two zeros, the one with the number's sign.
        let usable = |bits: &u64| *bits != self.zero(!negative);
        let candidates = || self.finite.iter().filter(|(bits, _)| usable(bits));
        let lower = candidates()
            .filter(|(_, v)| compare(*v).is_ge())
            .max_by(|a, b| a.1.cmp(b.1));
        let upper = candidates()
            .filter(|(_, v)| compare(*v).is_le())
            .min_by(|a, b| a.1.cmp(b.1));
        // Beyond the largest number the next value would be a power of two; the infinity stands for it.
        let beyond = Frac::power_of_two(self.bias() + 1);
        let lower = lower
            .copied()
            .unwrap_or((self.infinity(true), beyond.neg()));
        let upper = upper.copied().unwrap_or((self.infinity(false), beyond));
        let middle = lower.1.add(upper.1).mul(Frac(1, 2));
        let even = |a: u64, b: u64| if a.is_multiple_of(2) { a } else { b };
        match (mode, compare(middle)) {
            (RoundingMode::Rtp, _) => upper.0,
            (RoundingMode::Rtn, _) => lower.0,
            (RoundingMode::Rtz, _) => {
                if negative {
                    upper.0
                } else {
                    lower.0
                }
            }
            (_, Ordering::Less) => lower.0,
            (_, Ordering::Greater) => upper.0,
            (RoundingMode::Rne, Ordering::Equal) => even(lower.0, upper.0),
            (RoundingMode::Rna, Ordering::Equal) => {
                if negative {
                    lower.0
                } else {
                    upper.0
                }
            }
        }
    }

    fn round_frac(&self, mode: RoundingMode, zero_sign: bool, value: Frac) -> u64 {
        self.round(mode, zero_sign, |bound| value.cmp(bound))
    }

    fn add(&self, mode: RoundingMode, a: Ext, b: Ext) -> u64 {
        match (a, b) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Inf(s), Inf(t)) if s != t => self.nan(),
            (Inf(s), _) | (_, Inf(s)) => self.infinity(s),
            (Num(s, x), Num(t, y)) => {
                let sign = if mode == RoundingMode::Rtn {
                    s || t
                } else {
                    s && t
                };
                self.round_frac(mode, sign, x.add(y))
            }
        }
    }

    fn fma(&self, mode: RoundingMode, a: Ext, b: Ext, c: Ext) -> u64 {
        self.add(mode, multiply(a, b), c)
    }

    fn mul(&self, mode: RoundingMode, a: Ext, b: Ext) -> u64 {
        match multiply(a, b) {
            Nan => self.nan(),
            Inf(s) => self.infinity(s),
            Num(s, x) => self.round_frac(mode, s, x),
        }
    }

    fn div(&self, mode: RoundingMode, a: Ext, b: Ext) -> u64 {
        match (a, b) {
            (Nan, _) | (_, Nan) | (Inf(_), Inf(_)) => self.nan(),
            (Num(_, Frac(0, _)), Num(_, Frac(0, _))) => self.nan(),
            (Inf(s), Num(t, _)) | (Num(s, _), Num(t, Frac(0, _))) => self.infinity(s != t),
            (Num(s, _), Inf(t)) => self.zero(s != t),
            (Num(s, x), Num(t, y)) => self.round_frac(mode, s != t, x.mul(y.inverse())),
        }
    }

    fn sqrt(&self, mode: RoundingMode, a: Ext) -> u64 {
        match a {
            Nan | Inf(true) => self.nan(),
            Inf(false) => self.infinity(false),
            Num(_, x) if x.0 < 0 => self.nan(),
            // The root of x is compared by squares.
            Num(s, x) => self.round(mode, s, |bound| match bound.0 < 0 {
                true => Ordering::Greater,
                false => x.cmp(bound.mul(bound)),
            }),
        }
    }

    fn rem(&self, a: Ext, b: Ext) -> u64 {
        match (a, b) {
            (Nan | Inf(_), _) | (_, Nan | Num(_, Frac(0, _))) => self.nan(),
            (Num(s, x), Inf(_)) => self.round_frac(RoundingMode::Rne, s, x),
            (Num(s, x), Num(_, y)) => {
                let n = x.mul(y.inverse()).to_integer(RoundingMode::Rne);
                self.round_frac(RoundingMode::Rne, s, x.add(y.mul(Frac(-n, 1))))
            }
        }
    }

    fn round_to_integral(&self, mode: RoundingMode, a: Ext) -> u64 {
        match a {
            Nan => self.nan(),
            Inf(s) => self.infinity(s),
            Num(s, x) => self.round_frac(mode, s, Frac(x.to_integer(mode), 1)),
        }
    }
}

fn multiply(a: Ext, b: Ext) -> Ext {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(_), Num(_, Frac(0, _))) | (Num(_, Frac(0, _)), Inf(_)) => Nan,
        (Inf(s), Inf(t) | Num(t, _)) | (Num(s, _), Inf(t)) => Inf(s != t),
        (Num(s, x), Num(t, y)) => Num(s != t, x.mul(y)),
    }
}

const FORMATS: [(u32, u32); 3] = [(2, 2), (2, 3), (3, 3)];

fn check_binary(tiny: &Tiny, mode: RoundingMode, a: u64, b: u64) {
    let (x, y) = (tiny.float(a), tiny.float(b));
    let (s, t) = (tiny.decode(a), tiny.decode(b));
    assert_eq!(
        x.add(mode, &y),
        tiny.float(tiny.add(mode, s, t)),
        "(fp.add {mode} {x} {y})"
    );
    assert_eq!(
        x.mul(mode, &y),
        tiny.float(tiny.mul(mode, s, t)),
        "(fp.mul {mode} {x} {y})"
    );
    assert_eq!(
        x.div(mode, &y),
        tiny.float(tiny.div(mode, s, t)),
        "(fp.div {mode} {x} {y})"
    );
    let minus = match t {
        Nan => Nan,
        Inf(sign) => Inf(!sign),
        Num(sign, v) => Num(!sign, v.neg()),
    };
    assert_eq!(
        x.sub(mode, &y),
        tiny.float(tiny.add(mode, s, minus)),
        "(fp.sub {mode} {x} {y})"
    );
}

fn check_order(tiny: &Tiny, a: u64, b: u64) {
    let (x, y) = (tiny.float(a), tiny.float(b));
    let far = Frac(1 << 40, 1);
    let real = |e: Ext| match e {
        Nan => None,
        Inf(negative) => Some(if negative { far.neg() } else { far }),
        Num(_, v) => Some(v),
    };
    let order = real(tiny.decode(a))
        .zip(real(tiny.decode(b)))
        .map(|(v, w)| v.cmp(w));
    assert_eq!(x.compare(&y), order, "{x} {y}");
    assert_eq!(x.ieee_lt(&y), order.is_some_and(Ordering::is_lt));
    assert_eq!(x.ieee_leq(&y), order.is_some_and(Ordering::is_le));
    assert_eq!(x.ieee_gt(&y), order.is_some_and(Ordering::is_gt));
    assert_eq!(x.ieee_geq(&y), order.is_some_and(Ordering::is_ge));
    assert_eq!(x.ieee_eq(&y), order.is_some_and(Ordering::is_eq));
    let (smaller, greater) = match order {
        Some(Ordering::Less) => (Some(&x), Some(&y)),
        Some(Ordering::Greater) => (Some(&y), Some(&x)),
        Some(Ordering::Equal) => {
            if a == b {
                (Some(&x), Some(&x))
            } else {
                (None, None)
            }
        }
        None if x.is_nan() => (Some(&y), Some(&y)),
        None => (Some(&x), Some(&x)),
    };
    assert_eq!(x.minimum(&y).as_ref(), smaller, "(fp.min {x} {y})");
    assert_eq!(x.maximum(&y).as_ref(), greater, "(fp.max {x} {y})");
}

#[test]
fn binary_operations_are_right_on_every_pair() {
    for tiny in FORMATS.map(|(eb, sb)| Tiny::new(eb, sb)) {
        for (a, b) in tiny.all().flat_map(|a| tiny.all().map(move |b| (a, b))) {
            for mode in RoundingMode::ALL {
                check_binary(&tiny, mode, a, b);
            }
            check_order(&tiny, a, b);
            let (x, y) = (tiny.float(a), tiny.float(b));
            let expected = tiny.float(tiny.rem(tiny.decode(a), tiny.decode(b)));
            assert_eq!(x.rem(&y), expected, "(fp.rem {x} {y})");
        }
    }
}

#[test]
fn fused_multiplication_is_right_on_every_triple() {
    for tiny in [Tiny::new(2, 2), Tiny::new(2, 3)] {
        for (a, b) in tiny.all().flat_map(|a| tiny.all().map(move |b| (a, b))) {
            for c in tiny.all() {
                let (x, y, z) = (tiny.float(a), tiny.float(b), tiny.float(c));
                for mode in RoundingMode::ALL {
                    let expected = tiny.fma(mode, tiny.decode(a), tiny.decode(b), tiny.decode(c));
                    assert_eq!(
                        x.fma(mode, &y, &z),
                        tiny.float(expected),
                        "(fp.fma {mode} {x} {y} {z})"
                    );
                }
            }
        }
    }
}

#[test]
fn unary_operations_are_right_on_every_value() {
    for tiny in [(2, 2), (2, 3), (3, 3), (3, 5), (4, 4)].map(|(eb, sb)| Tiny::new(eb, sb)) {
        for a in tiny.all() {
            let (x, s) = (tiny.float(a), tiny.decode(a));
            for mode in RoundingMode::ALL {
                assert_eq!(
                    x.sqrt(mode),
                    tiny.float(tiny.sqrt(mode, s)),
                    "(fp.sqrt {mode} {x})"
                );
                let expected = tiny.float(tiny.round_to_integral(mode, s));
                assert_eq!(
                    x.round_to_integral(mode),
                    expected,
                    "(fp.roundToIntegral {mode} {x})"
                );
            }
            let (nan, infinite) = (matches!(s, Nan), matches!(s, Inf(_)));
            let zero = matches!(s, Num(_, Frac(0, _)));
            let smallest_normal = Frac::power_of_two(1 - tiny.bias());
            let normal =
                matches!(s, Num(_, v) if Frac(v.0.abs(), v.1).cmp(smallest_normal).is_ge());
            assert_eq!(
                (x.is_nan(), x.is_infinite(), x.is_zero(), x.is_normal()),
                (nan, infinite, zero, normal)
            );
            assert_eq!(x.is_subnormal(), !nan && !infinite && !zero && !normal);
            let negative = matches!(s, Inf(true) | Num(true, _));
            assert_eq!(
                (x.is_negative(), x.is_positive()),
                (negative, !nan && !negative)
            );
            assert_eq!(x.neg().neg(), x);
            assert_eq!(x.abs(), if negative { x.neg() } else { x.clone() });
            assert_eq!(x.neg().is_negative(), !nan && !negative);
        }
    }
}

#[test]
fn conversions_between_formats_are_right_on_every_value() {
    let formats =
        [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 3)].map(|(eb, sb)| Tiny::new(eb, sb));
    for (from, to) in formats
        .iter()
        .flat_map(|f| formats.iter().map(move |t| (f, t)))
    {
        for (a, mode) in from
            .all()
            .flat_map(|a| RoundingMode::ALL.map(|mode| (a, mode)))
        {
            let expected = match from.decode(a) {
                Nan => to.nan(),
                Inf(s) => to.infinity(s),
                Num(s, v) => to.round_frac(mode, s, v),
            };
            let x = from.float(a);
            assert_eq!(
                x.to_format(to.format, mode),
                to.float(expected),
                "{mode} {x} to {:?}",
                to.format
            );
        }
    }
}

#[test]
fn conversions_to_and_from_numbers_are_right() {
    for tiny in FORMATS.map(|(eb, sb)| Tiny::new(eb, sb)) {
        for (numerator, denominator) in (-150..150).flat_map(|n| (1..24).map(move |d| (n, d))) {
            let real = Rat::new(&Int::from(numerator), &Int::from(denominator)).unwrap();
            for mode in RoundingMode::ALL {
                let expected =
                    tiny.round_frac(mode, false, Frac(numerator.into(), denominator.into()));
                assert_eq!(
                    Float::from_rat(tiny.format, mode, &real),
                    tiny.float(expected),
                    "{mode} {real}"
                );
            }
        }
        for (width, n) in (1u32..8).flat_map(|w| (0u64..1 << w).map(move |n| (w, n))) {
            let bits = BitVec::from_u64(width, n);
            let signed = if n >> (width - 1) == 1 {
                n as i128 - (1 << width)
            } else {
                n as i128
            };
            for mode in RoundingMode::ALL {
                let expected = tiny.float(tiny.round_frac(mode, false, Frac(signed, 1)));
                assert_eq!(
                    Float::from_sbv(tiny.format, mode, &bits),
                    expected,
                    "{mode} {bits}"
                );
                let expected = tiny.float(tiny.round_frac(mode, false, Frac(n as i128, 1)));
                assert_eq!(
                    Float::from_ubv(tiny.format, mode, &bits),
                    expected,
                    "{mode} {bits}"
                );
            }
        }
    }
}

#[test]
fn conversions_to_bit_vectors_are_right_or_open() {
    for tiny in [(2, 2), (2, 3), (3, 3), (4, 3)].map(|(eb, sb)| Tiny::new(eb, sb)) {
        for (a, width) in tiny.all().flat_map(|a| (1u32..9).map(move |w| (a, w))) {
            let x = tiny.float(a);
            for mode in RoundingMode::ALL {
                let integer = match tiny.decode(a) {
                    Nan | Inf(_) => None,
                    Num(_, v) => Some(v.to_integer(mode)),
                };
                let as_bits = |n: i128| BitVec::from_int(width, &Int::from(n));
                let unsigned = integer.filter(|n| (0..1 << width).contains(n)).map(as_bits);
                assert_eq!(
                    x.to_ubv(mode, width),
                    unsigned,
                    "((_ fp.to_ubv {width}) {mode} {x})"
                );
                let half = 1 << (width - 1);
                let signed = integer.filter(|n| (-half..half).contains(n)).map(as_bits);
                assert_eq!(
                    x.to_sbv(mode, width),
                    signed,
                    "((_ fp.to_sbv {width}) {mode} {x})"
                );
            }
            let real = match tiny.decode(a) {
                Nan | Inf(_) => None,
                Num(_, v) => Rat::new(&Int::from(v.0), &Int::from(v.1)),
            };
            assert_eq!(x.to_rat().ok(), real, "(fp.to_real {x})");
        }
    }
}
