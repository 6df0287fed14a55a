//! Fingerprints: the identity that two findings of one bug share, and the coarser bucket that bounds floods. Crashes
//! are distinguished by site and message, wrong models by the false part of an assertion, other wrong answers by the
//! operators of the script, and after reduction by its whole shape.

use crate::judge::shape::{operators, shape, special_operators, text_shape};
use crate::stable;
use auspex_cases::Class;
use auspex_logic::TheorySet;
use auspex_logic::{Crash, CrashKind, Script, Terms};

/// The most findings stored for one bucket; others are only counted, since most are the same bug.
pub const BUCKET_LIMIT: usize = 25;

/// The identity of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub class: Class,
    /// Twelve hexadecimal digits: most likely one bug.
    pub fingerprint: String,
    /// Class, solvers and theories: bugs that may well be one.
    pub bucket: String,
    /// Operators that may cause a wrong answer, as keys of [`Kind`].
    pub operators: Vec<String>,
}

impl Identity {
    /// Makes it the identity of options that are unsound whatever the script.
    pub fn stand_for(&mut self, make: &str, options: &[String]) {
        let words = options.join(" ");
        self.bucket = format!("{make} is unsound under {words}");
        self.fingerprint = stable::name(&["unsound", make, &words]);
        self.operators.clear();
    }
}

/// Class and solver, within which findings are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind(String);

impl Kind {
    pub fn new(class: Class, solvers: &str) -> Kind {
        Kind(format!("{} {solvers}", class.name()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    pub fn key(&self, operator: &str) -> String {
        format!("operator {} {operator}", self.0)
    }

    /// The key of the only operator of a script, which must be the broken one.
    pub fn alone(&self, operators: &[String]) -> Option<String> {
        match operators {
            [only] => Some(self.key(only)),
            _ => None,
        }
    }
}

/// Whether a script is original or reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Found,
    Reduced,
}

/// The data that distinguishes bugs.
pub struct Suspect<'a> {
    pub class: Class,
    /// Names of the accused solvers, without releases.
    pub solvers: &'a [&'a str],
    /// The smallest false part of an assertion, for a wrong model.
    pub site: &'a str,
    pub crash: Option<&'a Crash>,
    pub theories: TheorySet,
    pub stage: Stage,
}

/// Computes the identity.
pub fn identify(terms: &Terms, script: &Script, suspect: &Suspect<'_>) -> Identity {
    let mut solvers = suspect.solvers.to_vec();
    solvers.sort_unstable();
    solvers.dedup();
    let solvers = solvers.join("+");
    let class = suspect.class.name();
    let what = match (suspect.class, suspect.crash, suspect.stage) {
        (Class::Crash, Some(crash), _) => crash_site(crash),
        (Class::InvalidModel, _, Stage::Found) => text_shape(terms, suspect.site),
        (_, _, Stage::Found) => operators(terms, script).join(" "),
        (_, _, Stage::Reduced) => shape(terms, script),
    };
    let bucket = match (suspect.class, suspect.crash) {
        (Class::Crash, Some(_)) => format!("{class} {solvers} {what}"),
        _ => {
            let theories = suspect.theories.names().join("+");
            // Findings that are not bugs are grouped by reason.
            let reason = match suspect.class.is_bug() {
                true => String::new(),
                false => normalised(suspect.site),
            };
            format!("{class} {solvers} {theories} {reason}")
                .trim_end()
                .to_string()
        }
    };
    let operators = match suspect.class {
        class if class == Class::Crash || !class.is_bug() => Vec::new(),
        class => {
            let kind = Kind::new(class, &solvers);
            let names = special_operators(terms, script);
            names.iter().map(|name| kind.key(name)).collect()
        }
    };
    Identity {
        class: suspect.class,
        operators,
        fingerprint: stable::name(&[class, &solvers, &what]),
        bucket,
    }
}

/// The site and message of a crash, without parts that change from run to run.
pub fn crash_site(crash: &Crash) -> String {
    let how = match &crash.how {
        CrashKind::Signal(number) => format!("signal {number}"),
        CrashKind::ExitCode(code) => format!("exit {code}"),
        other => format!("{other:?}"),
    };
    let site = crash.site.as_deref().map(file_name).unwrap_or_default();
    // With a site, the message only repeats it with other numbers in it.
    let said = match site.is_empty() {
        true => normalised(crash.message.lines().next().unwrap_or("")),
        false => String::new(),
    };
    format!("{how} {site} {said}").trim().to_string()
}

/// `file.cpp:12` without the folders of the machine it was built on.
fn file_name(site: &str) -> &str {
    site.rsplit(['/', '\\']).next().unwrap_or(site)
}

/// A message without addresses, numbers and quoted parts.
pub fn normalised(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message.trim().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '0'..='9' => {
                while rest.next_if(|c| c.is_ascii_alphanumeric()).is_some() {}
                out.push('#');
            }
            '"' => {
                while rest.next_if(|c| *c != '"').is_some() {}
                rest.next();
                out.push_str("\"…\"");
            }
            _ if c.is_whitespace() => {
                while rest.next_if(|c| c.is_whitespace()).is_some() {}
                out.push(' ');
            }
            _ => out.push(c),
        }
    }
    out.truncate(out.char_indices().nth(300).map_or(out.len(), |(at, _)| at));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn crash(message: &str, site: Option<&str>) -> Crash {
        Crash {
            how: CrashKind::Assertion,
            site: site.map(str::to_string),
            message: message.to_string(),
        }
    }

    fn of(class: Class, solver: &str, text: &str, crash: Option<&Crash>, stage: Stage) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        let suspect = Suspect {
            class,
            solvers: &[solver],
            site: "",
            crash,
            theories: TheorySet::default(),
            stage,
        };
        identify(&terms, &script, &suspect).fingerprint
    }

    #[test]
    fn crashes_at_one_site_are_one_bug_whatever_the_script() {
        let here = crash("x at 0x7f12 failed", Some("/build/a/src/core.cpp:12"));
        let again = crash("y at 0x8f13 failed", Some("/home/b/src/core.cpp:12"));
        let there = crash("x at 0x7f12 failed", Some("/build/a/src/core.cpp:99"));
        let id = |c| of(Class::Crash, "z3", "(assert true)", Some(c), Stage::Found);
        assert_eq!(id(&here), id(&again));
        assert_ne!(id(&here), id(&there));
    }

    #[test]
    fn what_is_no_bug_is_put_together_by_theory_and_reason() {
        let bucket = |class, site, text: &str| {
            let mut terms = Terms::new();
            let script = read_script(&mut terms, text).unwrap().script;
            let suspect = Suspect {
                class,
                solvers: &["z3"],
                site,
                crash: None,
                theories: TheorySet::of(&[auspex_logic::Theory::Ints]),
                stage: Stage::Found,
            };
            identify(&terms, &script, &suspect).bucket
        };
        let one = bucket(Class::Incompleteness, "(incomplete 12)", "(assert true)");
        assert_eq!(
            one,
            bucket(
                Class::Incompleteness,
                "(incomplete 7)",
                "(assert (not true))"
            )
        );
        assert_ne!(one, bucket(Class::Incompleteness, "other", "(assert true)"));
        let wrong = |site| bucket(Class::WrongSat, site, "(assert true)");
        assert_eq!(wrong("here"), wrong("there"));
    }

    #[test]
    fn messages_lose_numbers_and_addresses() {
        assert_eq!(
            normalised("bad node 12 at 0x7ffe \"a b\" here"),
            normalised("bad node 9  at 0x12 \"c\" here")
        );
        assert_ne!(normalised("bad node"), normalised("bad edge"));
    }

    #[test]
    fn wrong_answers_are_told_apart_by_solver_class_and_operators() {
        let text = "(declare-const x Int)(assert (< x 1))";
        let id = |class, solver, text| of(class, solver, text, None, Stage::Found);
        let one = id(Class::WrongSat, "z3", text);
        assert_eq!(
            one,
            id(
                Class::WrongSat,
                "z3",
                "(declare-const y Int)(assert (< y 5))"
            )
        );
        assert_ne!(one, id(Class::WrongSat, "cvc5", text));
        assert_ne!(one, id(Class::WrongUnsat, "z3", text));
        assert_ne!(
            one,
            id(
                Class::WrongSat,
                "z3",
                "(declare-const y Int)(assert (<= y 5))"
            )
        );
    }
}
