//! Which options a foreign script or finding may set: names from a positive list, and values that cannot name a file.
//! A harmless option changes only the search for an answer or the form of the answer.

use crate::profile::Profile;

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

/// Whether a foreign script may set the option of this name (without the colon) to this value.
pub fn may_set(profile: &Profile, name: &str, value: &str) -> bool {
    may_be_set(profile, name) && is_plain_value(value)
}

/// Whether an argument from a finding may be passed on a solver's command line.
pub fn may_pass(profile: &Profile, argument: &str) -> bool {
    if profile.names_argument(argument) {
        return true;
    }
    let (dashes, rest) = match argument.strip_prefix("--") {
        Some(rest) => (true, rest),
        None => match argument.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, argument),
        },
    };
    match rest.split_once('=') {
        Some((name, value)) => may_set(profile, name, value),
        // A word without dashes and without a value would name a file.
        None => dashes && may_be_set(profile, rest.strip_prefix("no-").unwrap_or(rest)),
    }
}

fn may_be_set(profile: &Profile, name: &str) -> bool {
    let name = plain_name(name);
    let listed = STANDARD.iter().copied();
    let mut listed = listed.chain(profile.settable.iter().map(String::as_str));
    name.is_some_and(|name| is_quiet(&name) && listed.any(|pattern| fits(pattern, &name)))
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

/// A pattern is a name, or a prefix followed by a star.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.replace('-', "_");
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
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
    use crate::profile::profiles;

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
