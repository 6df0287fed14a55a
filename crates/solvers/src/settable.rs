//! Which options may be set, and by whom.
//! Foreign scripts and findings may set the options on the make's list of harmless ones, to values that cannot name a
//! file. An option is harmless if it changes only the search for an answer or the form of that answer.
//! Campaigns set these, too, except those in the make's `never` rows.
//!
//! ```text
//! smt.arith.solver   on the list                 set by scripts and campaigns
//! rlimit             on the list, and `never`    set by scripts only: it makes the solver give up
//! trace_file_name    a name that stands for files   never set
//! ```

use crate::allow::sets_quietly;
use crate::options::{Setting, is_command};
use crate::profile::{Never, Profile, Reason};
use std::fmt;

/// Options of the standard and common variants, allowed for every make.
const STANDARD: [&str; 9] = [
    "produce-*",
    "print-success",
    "incremental",
    "interactive-mode",
    "global-declarations",
    "global-decls",
    "random-seed",
    "reproducible-resource-limit",
    "expand-definitions",
];

/// Words that no allowed name may contain, whatever a list says: they indicate files, channels and verbose output.
const NEVER: [&str; 16] = [
    "log",
    "logs",
    "out",
    "path",
    "dir",
    "prefix",
    "drat",
    "channel",
    "aig",
    "dimacs",
    "verbose",
    "verbosity",
    "include",
    "exec",
    "command",
    "plugin",
];

/// The same as parts of words: `axioms2files`, `lemmas2console`.
const NEVER_WITHIN: [&str; 5] = ["file", "console", "dump", "trace", "output"];

/// The longest value.
const LONGEST: usize = 60;

/// An option in a finding that it may not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the option {option:?} of {solver} is not one that a finding may set; to run it anyway, name the solver with its options in --solver"
)]
pub struct BadOption {
    pub solver: String,
    pub option: String,
}

/// Why a campaign does not set an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// None if it is not known to be harmless.
    pub reason: Option<Reason>,
    pub means: String,
}

impl Refusal {
    fn of(row: &Never) -> Refusal {
        Refusal {
            reason: Some(row.reason),
            means: row.means.clone(),
        }
    }

    fn unlisted() -> Refusal {
        Refusal {
            reason: None,
            means: "not on the list of options that are known to be harmless".to_string(),
        }
    }

    /// For an option whose values are not listed.
    pub(crate) fn untyped() -> Refusal {
        Refusal {
            reason: None,
            means: "takes any text".to_string(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.means)
    }
}

/// Why no campaign sets an option of this name, whatever the value.
pub fn refusal(profile: &Profile, name: &str) -> Option<Refusal> {
    let Some(plain) = plain_name(name).filter(|plain| is_quiet(plain)) else {
        return Some(Refusal {
            reason: Some(Reason::Files),
            means: "stands for files, channels or chatter".to_string(),
        });
    };
    let row = profile.never.iter().find(|row| row.names(&plain, None));
    match row {
        Some(row) => Some(Refusal::of(row)),
        None if !is_listed(profile, &plain) => Some(Refusal::unlisted()),
        None => None,
    }
}

/// Why no campaign sets an option to this value.
pub fn refusal_of(profile: &Profile, setting: &Setting) -> Option<Refusal> {
    let plain = plain_name(&setting.name).unwrap_or_default();
    let mut rows = profile.never.iter();
    let row = rows.find(|row| row.names(&plain, Some(&setting.value)));
    let refused = row
        .map(Refusal::of)
        .or_else(|| refusal(profile, &setting.name));
    refused.or_else(|| (!is_plain_value(&setting.value)).then(Refusal::untyped))
}

/// Whether a script means something else under an option than the standard says.
pub fn changes_meaning(profile: &Profile, name: &str, value: &str) -> bool {
    let plain = plain_name(name).unwrap_or_default();
    let mut rows = profile.never.iter();
    rows.any(|row| row.reason == Reason::Meaning && row.names(&plain, Some(value)))
}

impl Never {
    /// Whether the row names an option; of one that it names with a value only that value, if it is asked for one.
    fn names(&self, plain: &str, value: Option<&str>) -> bool {
        self.options
            .iter()
            .any(|pattern| match (pattern.split_once('='), value) {
                (None, _) => fits(pattern, plain),
                (Some((name, meant)), Some(value)) => fits(name, plain) && meant == value,
                (Some(_), None) => false,
            })
    }
}

/// Whether a foreign script may set an option of this name (without the colon) to this value.
pub fn may_set(profile: &Profile, name: &str, value: &str) -> bool {
    let narrates = || profile.narrating.contains(&format!("{name}={value}"));
    (may_be_set(profile, name) && is_plain_value(value)) || narrates()
}

/// Whether an option that a finding brings along may be given to a solver: on its command line, or as a command.
pub fn may_pass(profile: &Profile, option: &str) -> bool {
    if profile.names_argument(option) {
        return true;
    }
    match Setting::read(option) {
        Some(Setting { name, value }) => may_set(profile, &name, &value),
        None => is_command(option) && sets_quietly(profile, option),
    }
}

fn may_be_set(profile: &Profile, name: &str) -> bool {
    let Some(plain) = plain_name(name) else {
        return false;
    };
    let mut rows = profile.never.iter();
    let harms = rows.any(|row| row.reason == Reason::Files && row.names(&plain, None));
    is_quiet(&plain) && !harms && is_listed(profile, &plain)
}

fn is_listed(profile: &Profile, plain: &str) -> bool {
    let listed = STANDARD.iter().copied();
    let mut listed = listed.chain(profile.settable.iter().map(String::as_str));
    listed.any(|pattern| fits(pattern, plain))
}

/// Whether no part of a name indicates files, channels or verbose output.
pub(crate) fn is_quiet(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let within = NEVER_WITHIN.iter().any(|part| name.contains(part));
    !within && !words.any(|word| NEVER.contains(&word))
}

/// The name in normal spelling, as solvers compare names; none if it has unusual characters.
fn plain_name(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let fits = !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain);
    fits.then(|| name.to_ascii_lowercase().replace('-', "_"))
}

/// A pattern is a name, or has stars for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.replace('-', "_");
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A number or a plain word: nothing with a slash, a dot between letters or a quote.
pub(crate) fn is_plain_value(value: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
    let fits = !value.is_empty() && value.len() <= LONGEST;
    let number = value
        .chars()
        .all(|c| c.is_ascii_digit() || "-.".contains(c));
    let numbered = value.chars().any(|c| c.is_ascii_digit()) && !value.contains("..");
    fits && (value.chars().all(word) || (number && numbered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Tier, profiles};

    fn profile(name: &str) -> Profile {
        let all = profiles(None).unwrap();
        all.into_iter().find(|p| p.name == name).unwrap()
    }

    #[test]
    fn options_of_the_search_may_be_set() {
        for (make, name, value) in [
            ("z3", "smt.arith.solver", "2"),
            ("z3", "auto-config", "false"),
            ("z3", "AUTO_CONFIG", "false"),
            ("z3", "opt.priority", "pareto"),
            ("z3", "fp.xform.bit_blast", "true"),
            ("z3", "encoding", "unicode"),
            ("cvc5", "strings-exp", "true"),
            ("cvc5", "bv-solver", "bitblast-internal"),
            ("cvc5", "nl-ext-rbound", "true"),
            ("verit", "produce-models", "true"),
        ] {
            assert!(
                may_set(&profile(make), name, value),
                "{make} {name} {value}"
            );
        }
    }

    #[test]
    fn files_channels_and_chatter_may_not() {
        for (make, name, value) in [
            ("z3", "trace_file_name", "x"),
            ("z3", "trace", "true"),
            ("z3", "solver.proof.log", "x"),
            ("z3", "sat.drat.file", "x"),
            ("z3", "SAT.DRAT.FILE", "x"),
            ("z3", "solver.axioms2files", "true"),
            ("z3", "opt.solution-prefix", "x"),
            ("z3", "fp.print_aig", "x"),
            ("z3", "smt.arith.solver", "/tmp/x"),
            ("z3", "smt.logic", "..x"),
            ("z3", "smt.arith\u{b}solver", "2"),
            ("cvc5", "regular-output-channel", "stderr"),
            ("cvc5", "oracles", "true"),
            ("cvc5", "write-partitions-to", "x"),
            ("cvc5", "plugin-share-skolems", "true"),
            ("opensmt", "dump-state", "x"),
            ("verit", "proof-file", "x"),
        ] {
            assert!(
                !may_set(&profile(make), name, value),
                "{make} {name} {value}"
            );
        }
    }

    #[test]
    fn arguments_of_findings_have_a_known_form() {
        let z3 = profile("z3");
        for good in [
            "smt.random_seed=7",
            "sat.phase=random",
            "model_validate=true",
        ] {
            assert!(may_pass(&z3, good), "{good}");
        }
        for bad in [
            "trace=true",
            "trace_file_name=/tmp/x",
            "sat.drat.file=x",
            "/tmp/x.smt2",
            "x.smt2",
            "-tr:x",
            "-v:10",
            "",
        ] {
            assert!(!may_pass(&z3, bad), "{bad}");
        }
        let cvc5 = profile("cvc5");
        for good in [
            "--safe-mode=safe",
            "--no-cbqi",
            "--incremental",
            "--seed=17",
        ] {
            assert!(may_pass(&cvc5, good), "{good}");
        }
        for bad in ["--out=/tmp/x", "-o", "--oracles", "--dump-models"] {
            assert!(!may_pass(&cvc5, bad), "{bad}");
        }
    }

    #[test]
    fn a_campaign_sets_less_than_a_script_may() {
        let refused = |make: &str, word: &str| {
            let setting = Setting::read(word).unwrap();
            refusal_of(&profile(make), &setting).map(|why| why.reason)
        };
        for (make, word, reason) in [
            ("z3", "rlimit=7", Some(Reason::Limits)),
            ("z3", "encoding=ascii", Some(Reason::Meaning)),
            ("z3", "smt.arith.ignore_int=true", Some(Reason::Meaning)),
            ("z3", "smt.arith.solver=0", Some(Reason::Unsound)),
            ("z3", "pp.decimal=true", Some(Reason::Output)),
            ("z3", "sat.drat.file=x", Some(Reason::Files)),
            ("z3", "sat.max_memory=1", Some(Reason::Limits)),
            ("cvc5", "--solve-int-as-bv=8", Some(Reason::Meaning)),
            ("cvc5", "--oracles", None),
            ("cvc5", "--tlimit-per=1", Some(Reason::Limits)),
        ] {
            assert_eq!(refused(make, word), Some(reason), "{make} {word}");
        }
        for (make, word) in [
            ("z3", "encoding=unicode"),
            ("z3", "smt.bv.solver=2"),
            ("z3", "smt.arith.solver=2"),
            ("z3", "(set-option :sat.smt true)"),
            ("z3", "parallel.enable=true"),
            ("cvc5", "--no-cbqi"),
            ("cvc5", "--bv-solver=bitblast-internal"),
            ("bitwuzla", "--rewrite-level=0"),
        ] {
            assert_eq!(refused(make, word), None, "{make} {word}");
        }
    }

    #[test]
    fn the_judge_is_told_what_changes_the_meaning() {
        let z3 = profile("z3");
        assert!(changes_meaning(&z3, "encoding", "ascii"));
        assert!(!changes_meaning(&z3, "encoding", "unicode"));
        assert!(changes_meaning(&z3, "smt.arith.ignore-int", "true"));
        assert!(!changes_meaning(&z3, "rlimit", "7"));
        assert!(changes_meaning(&profile("cvc5"), "solve-int-as-bv", "8"));
    }

    #[test]
    fn commands_of_a_configuration_may_pass() {
        let z3 = profile("z3");
        for good in [
            "(set-option :smt.arith.solver 2)",
            "(set-simplifier (then simplify elim-term-ite))",
            "(check-sat-using (then simplify (using-params smt :random_seed 3)))",
        ] {
            assert!(may_pass(&z3, good), "{good}");
        }
        for bad in [
            "(set-option :trace true)",
            "(set-simplifier simplify)(echo x)",
            "(include \"x\")",
            "(check-sat-using (using-params sat :drat.file /p/f))",
            "(assert false)",
            "(",
        ] {
            assert!(!may_pass(&z3, bad), "{bad}");
        }
    }

    #[test]
    fn no_campaign_refuses_an_option_that_a_profile_recommends() {
        for profile in profiles(None).unwrap() {
            let rows = profile
                .options
                .iter()
                .filter(|row| row.tier != Tier::Unsupported);
            let rows = rows
                .map(|row| &row.text)
                .filter(|text| text.as_str() != "--incremental");
            for setting in rows.filter_map(|text| Setting::read(text)) {
                let refused = refusal_of(&profile, &setting).filter(|why| why.reason.is_some());
                assert_eq!(refused, None, "{} {setting:?}", profile.name);
            }
        }
    }

    #[test]
    fn all_arguments_of_the_profiles_may_pass() {
        for profile in profiles(None).unwrap() {
            let tiers = profile.tiers.iter().flat_map(|tier| &tier.arguments);
            let rows = profile.options.iter().flat_map(|row| row.text.split(' '));
            for word in tiers.map(String::as_str).chain(rows) {
                assert!(may_pass(&profile, word), "{} {word}", profile.name);
            }
        }
    }
}
