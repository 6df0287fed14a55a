//! Exponential, trigonometric and related functions of intervals, by their series with a bound on the remainder.
//! Results are rounded outward, and there is none where a function may be undefined.

use super::Int;
use super::dyadic::Dyadic;
use super::interval::Interval;
use std::sync::OnceLock;

/// Bits beyond the wanted ones, for what rounding loses on the way.
const SPARE: u64 = 16;
/// Arguments of `exp` beyond this power of two are given up, and so are angles beyond the other.
const MOST_EXPONENT: i64 = 14;
const MOST_ANGLE: i64 = 2000;
/// No series needs so many terms at the precisions we use.
const MOST_TERMS: i64 = 4000;
/// To how many bits constants are kept.
const MOST_KNOWN: u64 = 1024;

/// The values of an increasing function, from those at both ends.
fn increasing(
    x: &Interval,
    bits: u64,
    at: fn(&Dyadic, u64) -> Option<Interval>,
) -> Option<Interval> {
    let (low, high) = (at(x.low(), bits)?, at(x.high(), bits)?);
    Some(Interval::new(low.low().clone(), high.high().clone()))
}

/// The sum of `first` and of the terms that `next` makes of the one before; what is left out after a term that is
/// small beside the first is less than that term.
fn series(
    first: &Interval,
    bits: u64,
    mut next: impl FnMut(&Interval, i64) -> Option<(Interval, Interval)>,
) -> Option<Interval> {
    let Some(start) = first.size()?.magnitude() else {
        return Some(first.clone());
    };
    let (mut power, mut sum) = (first.clone(), first.clone());
    for number in 1..MOST_TERMS {
        let term;
        (power, term) = next(&power, number)?;
        sum = sum.add(&term, bits)?;
        let size = power.size()?;
        if size.magnitude().is_none_or(|m| m < start - bits as i64) {
            return sum.widened(&size, bits);
        }
    }
    None
}

pub fn exp(x: &Interval, bits: u64) -> Option<Interval> {
    increasing(x, bits, exp_at)
}

fn exp_at(x: &Dyadic, bits: u64) -> Option<Interval> {
    let Some(magnitude) = x.magnitude() else {
        return Some(Interval::int(1));
    };
    if magnitude > MOST_EXPONENT {
        return None;
    }
    // Halved until it is below 2^-8, and the result squared as often.
    let halvings = (magnitude + 8).max(0);
    let bits = bits + SPARE + 2 * halvings as u64;
    let x = Interval::point(x.scaled(-halvings));
    let mut result = series(&Interval::int(1), bits, |term, number| {
        let term = term.mul(&x, bits)?.div(&Interval::int(number), bits)?;
        Some((term.clone(), term))
    })?;
    for _ in 0..halvings {
        result = result.mul(&result, bits)?;
    }
    Some(result)
}

pub fn log(x: &Interval, bits: u64) -> Option<Interval> {
    x.is_positive().then(|| increasing(x, bits, log_at))?
}

/// x = m·2^e with m near 1: the logarithm of m by a series, and e times that of 2.
fn log_at(x: &Dyadic, bits: u64) -> Option<Interval> {
    let bits = bits + SPARE;
    let mut exponent = x.magnitude()?;
    let mut m = Interval::point(x.scaled(-exponent));
    let two_thirds = Interval::int(2).div(&Interval::int(3), bits)?;
    if m.compare(&two_thirds) != Some(std::cmp::Ordering::Greater) {
        m = m.scaled(1);
        exponent -= 1;
    }
    let one = Interval::int(1);
    let ratio = m.sub(&one, bits)?.div(&m.add(&one, bits)?, bits)?;
    let of_m = odd_series(&ratio, bits, false)?.scaled(1);
    log_of_two(bits)?
        .mul(&Interval::int(exponent), bits)?
        .add(&of_m, bits)
}

/// z + z³/3 + z⁵/5 + …, or with alternating signs; for z up to 1/3.
fn odd_series(z: &Interval, bits: u64, alternating: bool) -> Option<Interval> {
    let square = z.mul(z, bits)?;
    let square = if alternating { square.neg() } else { square };
    series(z, bits, |power, number| {
        let power = power.mul(&square, bits)?;
        let term = power.div(&Interval::int(2 * number + 1), bits)?;
        Some((power, term))
    })
}

/// A constant to so many bits. Its series takes longer than all else here, so it is summed up once for most precisions.
fn constant(
    known: &OnceLock<Option<Interval>>,
    series: fn(u64) -> Option<Interval>,
    bits: u64,
) -> Option<Interval> {
    match bits <= MOST_KNOWN {
        true => known
            .get_or_init(|| series(MOST_KNOWN))
            .as_ref()?
            .shortened(bits),
        false => series(bits),
    }
}

pub fn pi(bits: u64) -> Option<Interval> {
    static PI: OnceLock<Option<Interval>> = OnceLock::new();
    constant(&PI, pi_by_series, bits + SPARE)
}

fn log_of_two(bits: u64) -> Option<Interval> {
    static LOG: OnceLock<Option<Interval>> = OnceLock::new();
    constant(&LOG, log_of_two_by_series, bits)
}

fn log_of_two_by_series(bits: u64) -> Option<Interval> {
    let third = Interval::int(1).div(&Interval::int(3), bits)?;
    Some(odd_series(&third, bits, false)?.scaled(1))
}

fn pi_by_series(bits: u64) -> Option<Interval> {
    let part = |n: i64| odd_series(&Interval::int(1).div(&Interval::int(n), bits)?, bits, true);
    part(5)?.scaled(4).sub(&part(239)?.scaled(2), bits)
}

pub fn atan(x: &Interval, bits: u64) -> Option<Interval> {
    increasing(x, bits, atan_at)
}

fn atan_at(x: &Dyadic, bits: u64) -> Option<Interval> {
    let bits = bits + SPARE;
    let one = Interval::int(1);
    let mut y = Interval::point(x.clone());
    if x.magnitude().is_some_and(|m| m > 1) {
        let quarter_turn = pi(bits)?.scaled(-1);
        let rest = atan(&one.div(&y, bits)?, bits)?;
        let quarter_turn = if x.signum() < 0 {
            quarter_turn.neg()
        } else {
            quarter_turn
        };
        return quarter_turn.sub(&rest, bits);
    }
    // Half the angle, three times.
    for _ in 0..3 {
        let root = one.add(&y.mul(&y, bits)?, bits)?.sqrt(bits)?;
        y = y.div(&one.add(&root, bits)?, bits)?;
    }
    Some(odd_series(&y, bits, true)?.scaled(3))
}

/// The sine of an angle turned by so many quarters; it changes no faster than the angle.
fn turned_sine(x: &Interval, quarters: i64, bits: u64) -> Option<Interval> {
    let sine = sine_at(&x.middle()?, quarters, bits)?;
    let sine = sine.widened(&x.width()?, bits)?;
    sine.max(&Interval::int(-1))?.min(&Interval::int(1))
}

pub fn sin(x: &Interval, bits: u64) -> Option<Interval> {
    turned_sine(x, 0, bits)
}

pub fn cos(x: &Interval, bits: u64) -> Option<Interval> {
    turned_sine(x, 1, bits)
}

fn sine_at(x: &Dyadic, quarters: i64, bits: u64) -> Option<Interval> {
    let magnitude = x.magnitude().unwrap_or(0);
    if magnitude > MOST_ANGLE {
        return None;
    }
    let bits = bits + SPARE + magnitude.max(0) as u64;
    let quarter_turn = pi(bits)?.scaled(-1);
    let angle = Interval::point(x.clone());
    let turns = angle.div(&quarter_turn, bits)?.middle()?;
    let half = Dyadic::from_int(Int::ONE).scaled(-1);
    let turns = turns.add(&half)?.floor()?;
    let rest = Interval::point(Dyadic::from_int(turns.clone())).mul(&quarter_turn, bits)?;
    let rest = angle.sub(&rest, bits)?;
    let quarter = turns.add(&Int::from(quarters)).low_bits(2);
    let sine = match u8::try_from(&quarter).ok()? {
        0 => taylor(&rest, bits, true)?,
        1 => taylor(&rest, bits, false)?,
        2 => taylor(&rest, bits, true)?.neg(),
        _ => taylor(&rest, bits, false)?.neg(),
    };
    Some(sine)
}

/// The sine or cosine of an angle of less than an eighth of a turn, or little more.
fn taylor(x: &Interval, bits: u64, sine: bool) -> Option<Interval> {
    let square = x.mul(x, bits)?.neg();
    let first = if sine { x.clone() } else { Interval::int(1) };
    series(&first, bits, |term, number| {
        let last = 2 * number + i64::from(sine);
        let below = Interval::int(last * (last - 1));
        let term = term.mul(&square, bits)?.div(&below, bits)?;
        Some((term.clone(), term))
    })
}

pub fn tan(x: &Interval, bits: u64) -> Option<Interval> {
    sin(x, bits)?.div(&cos(x, bits)?, bits)
}

pub fn asin(x: &Interval, bits: u64) -> Option<Interval> {
    increasing(x, bits, asin_at)
}

fn asin_at(x: &Dyadic, bits: u64) -> Option<Interval> {
    let bits = bits + SPARE;
    let one = Interval::int(1);
    let x = Interval::point(x.clone());
    let below = one.sub(&x.mul(&x, 2 * bits)?, 2 * bits)?;
    if below.is_zero() {
        return pi(bits)?.scaled(-1).mul(&x, bits);
    }
    // Outside [-1, 1] there is no root.
    atan(&x.div(&below.sqrt(bits)?, bits)?, bits)
}

pub fn acos(x: &Interval, bits: u64) -> Option<Interval> {
    pi(bits)?.scaled(-1).sub(&asin(x, bits)?, bits)
}

/// The angle of the point (x, y), in (-π, π].
pub fn atan2(y: &Interval, x: &Interval, bits: u64) -> Option<Interval> {
    let quarter_turn = || Some(pi(bits)?.scaled(-1));
    if x.is_positive() {
        return atan(&y.div(x, bits)?, bits);
    }
    if y.is_zero() && x.is_negative() {
        return pi(bits);
    }
    let other = atan(&x.div(y, bits)?, bits)?;
    match y.is_positive() {
        true => quarter_turn()?.sub(&other, bits),
        false => quarter_turn()?.neg().sub(&other, bits),
    }
}

pub fn sinh(x: &Interval, bits: u64) -> Option<Interval> {
    Some(exp(x, bits)?.sub(&exp(&x.neg(), bits)?, bits)?.scaled(-1))
}

pub fn cosh(x: &Interval, bits: u64) -> Option<Interval> {
    Some(exp(x, bits)?.add(&exp(&x.neg(), bits)?, bits)?.scaled(-1))
}

pub fn tanh(x: &Interval, bits: u64) -> Option<Interval> {
    let one = Interval::int(1);
    let below = exp(&x.scaled(1), bits)?.add(&one, bits)?;
    one.sub(&Interval::int(2).div(&below, bits)?, bits)
}
