//! Writes numbers: rationals as exact decimals of any length, and small numbers quickly.

use crate::value::{Int, Rat};
use std::fmt::Write;

/// The literal of a bit-vector of up to 64 bits.
pub(super) fn write_bits(out: &mut String, bits: u64, width: u32) {
    let (prefix, digit_bits) = if width.is_multiple_of(4) {
        ("#x", 4)
    } else {
        ("#b", 1)
    };
    out.push_str(prefix);
    let mask = (1u64 << digit_bits) - 1;
    for place in (0..width / digit_bits).rev() {
        let digit = bits >> (place * digit_bits) & mask;
        out.push(char::from(b"0123456789abcdef"[digit as usize]));
    }
}

/// A decimal where the number is one; a fraction where it is none.
pub(super) fn write_decimal(out: &mut String, rat: &Rat) {
    let written = decimal_places(&rat.denominator()).and_then(|places| {
        let scale = Int::from(10).pow(places)?;
        let scaled = rat.numerator().mul(&scale).div_smtlib(&rat.denominator())?;
        put(out, &scaled.to_string(), places as usize);
        Some(())
    });
    if written.is_none() {
        let _ = write!(out, "{rat}");
    }
}

/// Digits with a point so many places from the end.
fn put(out: &mut String, digits: &str, places: usize) {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("(- ", digits),
        None => ("", digits),
    };
    out.push_str(sign);
    let whole = digits.len().saturating_sub(places);
    out.push_str(if whole == 0 { "0" } else { &digits[..whole] });
    out.push('.');
    for _ in digits.len()..places {
        out.push('0');
    }
    out.push_str(if places == 0 { "0" } else { &digits[whole..] });
    if !sign.is_empty() {
        out.push(')');
    }
}

/// The least `n` such that the number divides `10^n`.
fn decimal_places(denominator: &Int) -> Option<u64> {
    let twos = (0..denominator.bit_len()).find(|bit| denominator.bit(*bit))?;
    let odd = denominator.shift_right_floor(twos);
    if odd.is_one() {
        return Some(twos);
    }
    // 5^n has about n·log2(5) bits.
    let guess = ((odd.bit_len() - 1) as f64 / 5f64.log2()) as u64;
    let fives = (guess..=guess + 1).find(|n| Int::from(5).pow(*n).as_ref() == Some(&odd))?;
    Some(twos.max(fives))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BitVec;

    fn written(text: &str) -> String {
        let mut out = String::new();
        write_decimal(&mut out, &Rat::parse(text).expect("a decimal"));
        out
    }

    #[test]
    fn decimals_keep_all_their_digits() {
        for text in ["0.0", "3.0", "0.25", "12.5", "0.001", "100.01"] {
            assert_eq!(written(text), text);
        }
        let long = format!("1.{}7", "0123456789".repeat(50));
        assert_eq!(written(&long), long);
        let tiny = format!("0.{}5", "0".repeat(300));
        assert_eq!(written(&tiny), tiny);
    }

    #[test]
    fn short_vectors_are_written_as_by_a_formatter() {
        for (width, bits) in [(1, 1), (3, 5), (4, 10), (8, 0xf0), (63, 1), (64, u64::MAX)] {
            let mut out = String::new();
            write_bits(&mut out, bits, width);
            assert_eq!(out, BitVec::from_u64(width, bits).to_string());
        }
    }

    #[test]
    fn other_fractions_stay_fractions() {
        let third = Rat::new(&Int::from(1), &Int::from(3)).expect("no zero below");
        let mut out = String::new();
        write_decimal(&mut out, &third);
        assert_eq!(out, "(/ 1.0 3.0)");
    }
}
