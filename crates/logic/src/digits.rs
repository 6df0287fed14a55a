//! Writes numbers.

/// A number in decimal digits, without the detour over a formatter.
pub(crate) fn write_number(out: &mut String, mut number: u64) {
    const DIGITS: usize = 20;
    let mut digits = [b'0'; DIGITS];
    let mut first = DIGITS - 1;
    loop {
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
        first -= 1;
    }
    out.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_written_as_by_a_formatter() {
        for number in [0, 1, 9, 10, 407, u64::MAX] {
            let mut out = String::new();
            write_number(&mut out, number);
            assert_eq!(out, number.to_string());
        }
    }
}
