//! The current time, as rows and findings record it, and dates.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The date of a time in ISO form: `2026-01-31`.
pub fn date(at: u64) -> String {
    let (year, month, day) = civil((at / 86400) as i64);
    format!("{year}-{month:02}-{day:02}")
}

/// The number of days since 1970 of a date in ISO form.
pub fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month);
    if !is_date || !(1..=31).contains(&day) || parts.next().is_some() {
        return None;
    }
    let (year, month) = match month > 2 {
        true => (year, month - 3),
        false => (year - 1, month + 9),
    };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    let in_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some(era * 146_097 + in_era - 719_468)
}

/// The date of a day since 1970; years begin in March here, so that the leap day is the last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = match month < 10 {
        true => (year, month + 3),
        false => (year + 1, month - 9),
    };
    (year + era * 400, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_belong_together() {
        for (at, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_795_046_400, "2026-11-19"),
        ] {
            assert_eq!(date(at), text);
            assert_eq!(day(text), Some((at / 86400) as i64));
        }
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-1-1-1",
            "x-1-1",
            "2026-01-99",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
