//! Short formats for numbers, sizes and times.

use auspex_campaign::clock::date;
pub use auspex_campaign::report::chart::{compact, duration};

/// A number in groups of three digits: `1 234 567`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A rate, with a decimal only if it is small.
pub fn rate(value: f64) -> String {
    match value {
        v if v >= 100.0 => number(v.round() as u64),
        // The sum of -0.0 and 0.0 is 0.0, while the larger of them is either.
        v => format!("{:.1}", v.max(0.0) + 0.0),
    }
}

/// A size in human units.
pub fn bytes(value: u64) -> String {
    match value {
        v if v >= 1 << 30 => format!("{:.1} GB", v as f64 / f64::from(1 << 30)),
        v if v >= 1 << 20 => format!("{} MB", v >> 20),
        v if v >= 1 << 10 => format!("{} kB", v >> 10),
        v => format!("{v} B"),
    }
}

/// A name escaped as one segment of an address.
pub fn segment(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(byte as char),
            b'.' if !name.trim_matches('.').is_empty() => out.push('.'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// How long ago a time is.
pub fn ago(at: u64, now: u64) -> String {
    match now.saturating_sub(at) {
        0..60 => "just now".to_string(),
        s if s < 3600 => format!("{} min ago", s / 60),
        s if s < 2 * 86400 => format!("{} h ago", s / 3600),
        s => format!("{} days ago", s / 86400),
    }
}

/// A time in ISO form: `2026-01-31 13:05:09 UTC`.
pub fn moment(at: u64) -> String {
    let rest = at % 86400;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{} {hour:02}:{minute:02}:{second:02} UTC", date(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!([number(0), number(999)], ["0", "999"]);
        assert_eq!(
            [rate(25.94), rate(1234.4), rate(-0.0)],
            ["25.9", "1\u{202f}234", "0.0"]
        );
        assert_eq!(
            [bytes(12), bytes(2048), bytes(3 << 30)],
            ["12 B", "2 kB", "3.0 GB"]
        );
    }

    #[test]
    fn moments_follow_the_calendar() {
        assert_eq!(moment(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(moment(1_794_809_439), "2026-11-16 06:10:39 UTC");
    }

    #[test]
    fn names_stay_within_their_part_of_an_address() {
        assert_eq!(segment("a.b-c"), "a.b-c");
        assert_eq!(segment("../x?y#é\""), "..%2Fx%3Fy%23%C3%A9%22");
        assert_eq!(segment(".."), "%2E%2E");
    }

    #[test]
    fn what_was_is_told_from_now() {
        assert_eq!(ago(100, 90), "just now");
        assert_eq!([ago(0, 300), ago(0, 7200)], ["5 min ago", "2 h ago"]);
    }
}
