//! Version numbers and commits of solvers, found in the output of a program; versions are compared part by part.

use std::cmp::Ordering;
use std::fmt;

/// `4.8.12` as `[4, 8, 12]`; missing parts count as zero, so `1.3` equals `1.3.0`.
#[derive(Clone, Debug, Default)]
pub struct Version {
    parts: Vec<u64>,
}

impl Version {
    /// Reads dotted numbers; anything after them (`.post24`, `-dev`, `+git`) is ignored.
    pub fn read(text: &str) -> Option<Version> {
        let digits = text.trim_start_matches(['v', 'V']);
        let mut parts = Vec::new();
        for part in digits.split('.') {
            let end = part
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(part.len());
            let Ok(number) = part[..end].parse() else {
                break;
            };
            parts.push(number);
            if end < part.len() {
                break;
            }
        }
        (!parts.is_empty()).then_some(Version { parts })
    }

    /// The first word in a program's output that looks like a version: two or more dotted numbers.
    pub fn find(output: &str) -> Option<Version> {
        output
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"' | '[' | ']'))
            .map(|word| word.trim_start_matches(['v', 'V']))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
            .find_map(|word| Version::read(word).filter(|version| version.parts.len() >= 2))
    }

    /// Whether `self` starts with the parts of `prefix`: `4.8` covers `4.8.12`.
    pub fn starts_with(&self, prefix: &Version) -> bool {
        self.parts.starts_with(&prefix.parts)
    }

    /// Without zeros after the third part: packages say `4.13.0.0`, the program says `4.13.0`.
    pub fn short(mut self) -> Version {
        while self.parts.len() > 3 && self.parts.last() == Some(&0) {
            self.parts.pop();
        }
        self
    }

    fn significant(&self) -> &[u64] {
        let end = self.parts.iter().rposition(|&part| part != 0);
        &self.parts[..end.map_or(0, |last| last + 1)]
    }
}

/// The first word in a program's output that looks like a commit of git: seven to forty hexadecimal digits, not all
/// of them decimal, as those of a date are.
pub fn commit(output: &str) -> Option<String> {
    let mut words = output.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let word = words.find(|word| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_lowercase())
    });
    word.map(str::to_string)
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.significant().cmp(other.significant())
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                out.write_str(".")?;
            }
            write!(out, "{part}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Version {
        Version::read(text).unwrap()
    }

    #[test]
    fn orders_by_number_not_by_letter() {
        assert!(read("4.8.12") > read("4.8.5"));
        assert!(read("5.4.0") > read("4.16.0"));
        assert!(read("1.3") == read("1.3.0"));
        assert!(read("1.0.3") < read("1.3"));
    }

    #[test]
    fn finds_the_commit_in_what_programs_print() {
        let find = |text| commit(text).unwrap_or_default();
        let z3 =
            "Z3 version 4.8.12 - 64 bit - build hashcode 3a402ca2c14c3891d24658318406f80ce59b719f";
        assert_eq!(find(z3), "3a402ca2c14c3891d24658318406f80ce59b719f");
        let cvc5 = "This is cvc5 version 1.3.1-dev.15.2ab41f9c [git 2ab41f9c on branch main]";
        assert_eq!(find(cvc5), "2ab41f9c");
        assert_eq!(find("Yices 2.6.5\nRevision: 87f3a1b"), "87f3a1b");
        for none in [
            "Z3 version 5.4.0 - 64 bit",
            "on 20221029 18:49:40",
            "defaced 1.0",
            "",
        ] {
            assert_eq!(find(none), "", "{none}");
        }
    }

    #[test]
    fn finds_the_version_in_what_programs_print() {
        let find = |text| Version::find(text).map(|version| version.to_string());
        assert_eq!(
            find("Z3 version 4.8.12 - 64 bit").as_deref(),
            Some("4.8.12")
        );
        assert_eq!(
            find("This is cvc5 version 1.0.3\ncompiled with GCC version 12.2.0").as_deref(),
            Some("1.0.3")
        );
        assert_eq!(find("Yices 2.6.5\nCopyright SRI").as_deref(), Some("2.6.5"));
        assert_eq!(find("1.5.118").as_deref(), Some("1.5.118"));
    }

    #[test]
    fn finds_no_version_where_there_is_none() {
        assert!(Version::find("usage: solver FILE 3 times").is_none());
        assert!(Version::read("latest").is_none());
    }
}
