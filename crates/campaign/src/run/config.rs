//! `auspex.toml`: settings of a campaign in a file instead of on the command line.
//!
//! ```toml
//! solver = ["z3@4.13.0", "cvc5"]
//! seeds = ["regressions"]
//! theories = ["bv", "arrays"]
//! signature = "my-operators.smt2"
//! time = "8h"
//! timeout = 2.0
//!
//! [[ignore]]
//! solver = "z3"
//! contains = ["bvfoo"]
//! why = "reported"
//! ```

use crate::findings::ignore::IgnoreRow;
use crate::reading::LARGEST;
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a file; the command line takes precedence.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Config {
    pub solver: Vec<String>,
    /// Relative to the file.
    pub seeds: Vec<PathBuf>,
    pub strategy: Vec<String>,
    pub theories: Vec<String>,
    /// Which options solvers are asked under now and then.
    pub options: Option<String>,
    /// The user's own operators; relative to the file.
    pub signature: Option<PathBuf>,
    pub time: Option<String>,
    pub workers: Option<u16>,
    pub seed: Option<u64>,
    pub out: Option<PathBuf>,
    /// Seconds per query.
    pub timeout: Option<f64>,
    /// Megabytes per solver process.
    pub memory: Option<u64>,
    /// The largest seed, in bytes.
    pub largest_seed: Option<u64>,
    /// The folder's limit of disk space.
    pub disk_limit: Option<String>,
    /// Look for bugs only.
    pub bugs_only: bool,
    /// Do not bring collections of seeds in the background.
    pub no_seed_install: bool,
    pub ignore: Vec<IgnoreRow>,
}

impl Config {
    pub fn read(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        match config.out_of_range() {
            Some(why) => Err(why),
            None => Ok(config),
        }
    }

    /// Rejects a number out of range.
    fn out_of_range(&self) -> Option<String> {
        let seconds = 0.001..=86_400.0;
        let numbers = [
            ("workers", self.workers.map(u64::from), 1..=1024),
            ("memory", self.memory, 16..=1 << 22),
            ("largest-seed", self.largest_seed, 1..=LARGEST),
        ];
        let wrong = |value: &u64, range: &RangeInclusive<u64>| !range.contains(value);
        for (name, value, range) in numbers {
            if let Some(value) = value.filter(|value| wrong(value, &range)) {
                let (from, to) = (range.start(), range.end());
                return Some(format!("{name} = {value}: must be from {from} to {to}"));
            }
        }
        let timeout = self.timeout.filter(|timeout| !seconds.contains(timeout));
        timeout.map(|timeout| format!("timeout = {timeout}: must be from 0.001 to 86400"))
    }
}

/// `90`, `90s`, `10m`, `1.5h`, `2d`, or several of them: `1h30m`.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c != '.' && !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        let unit = rest[end..].chars().next().unwrap_or('s');
        seconds += number
            * match unit {
                's' => 1.0,
                'm' => 60.0,
                'h' => 3600.0,
                'd' => 86_400.0,
                _ => return None,
            };
        rest = rest[end..].get(unit.len_utf8()..).unwrap_or("");
    }
    (!text.trim().is_empty()).then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// Bytes: `1000000`, `500M`, `1.5G`; a kilo is 1,024.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| c != '.' && !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let shift = match text[end..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" | "KB" => 10,
        "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => return None,
    };
    let bytes = (number * (1u64 << shift) as f64) as u64;
    (bytes > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        assert_eq!(size("1000"), Some(1000));
        assert_eq!(size("1.5k"), Some(1536));
        assert_eq!(size("20GB"), Some(20 << 30));
        for text in ["", "G", "0", "1X", "-1G", "1..2M", "none"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn times_as_people_write_them() {
        for (text, seconds) in [
            ("90", 90.0),
            ("10m", 600.0),
            ("1h30m", 5400.0),
            ("1.5h", 5400.0),
            ("2d", 172_800.0),
        ] {
            assert_eq!(
                duration(text),
                Some(Duration::from_secs_f64(seconds)),
                "{text}"
            );
        }
        for text in ["", "m", "10x", "1..2", "-1s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_wrong_word_is_told() {
        let good = Config::read("solver = [\"z3\"]\n[[ignore]]\ncontains = [\"x\"]\n").unwrap();
        assert_eq!(good.ignore.len(), 1);
        assert!(Config::read("solvr = 1").unwrap_err().contains("solvr"));
    }

    #[test]
    fn numbers_have_their_ranges() {
        assert!(Config::read("workers = 8\nmemory = 2048\ntimeout = 2.5").is_ok());
        for text in [
            "workers = 0",
            "workers = 100000",
            "memory = 0",
            "memory = 99999999999",
            "largest-seed = 0",
            "timeout = nan",
            "timeout = -1.0",
            "timeout = 1e300",
        ] {
            assert!(Config::read(text).is_err(), "{text}");
        }
    }
}
