//! z3's own list of its parameters, `z3 -pd`: modules, then `name (type) meaning (default: value)`.
//! What numbers and words stand for is read from the meaning, where it lists them.

use super::{Domain, Parameter, tier_in};
use crate::profile::Tier;

/// More values than this are no list of choices.
const CHOICES: usize = 12;

pub(super) fn read(text: &str) -> Vec<Parameter> {
    let (mut module, mut all) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("[module] ") {
            let name = rest.split([',', ' ']).next().unwrap_or("");
            module = format!("{name}.");
        } else if let Some(row) = line.strip_prefix("    ") {
            all.extend(parameter(&module, row));
        }
    }
    all
}

fn parameter(module: &str, row: &str) -> Option<Parameter> {
    let (name, rest) = row.split_once(" (")?;
    let (kind, rest) = rest.split_once(')')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let (means, default) = match rest.rsplit_once("(default: ") {
        Some((means, default)) => (means.trim(), default.trim_end().trim_end_matches(')')),
        None => (rest.trim(), ""),
    };
    let domain = match kind {
        "bool" => Domain::Boolean,
        "unsigned int" => numbers(means).unwrap_or(Domain::Integer {
            least: 0,
            most: i128::from(u32::MAX),
        }),
        "double" => Domain::Real {
            least: 0.0,
            most: f64::MAX,
        },
        "symbol" => words(means, default).unwrap_or(Domain::Text),
        _ => Domain::Text,
    };
    Some(Parameter {
        name: format!("{module}{name}"),
        domain,
        default: default.to_string(),
        tier: tier_in(means, Tier::Advanced),
        category: String::new(),
        means: means.to_string(),
    })
}

/// The numbers that a meaning explains: `0 - geometric, 1 - luby`.
fn numbers(means: &str) -> Option<Domain> {
    let mut values: Vec<String> = Vec::new();
    let pieces: Vec<&str> = means
        .split([',', ':', ' '])
        .filter(|p| !p.is_empty())
        .collect();
    for pair in pieces.windows(2) {
        let number = pair[0].trim_end_matches('-');
        let explained = pair[0].ends_with('-') || pair[1] == "-" || pair[1] == "=";
        let next = values.len().to_string();
        if explained && number == next {
            values.push(next);
        }
    }
    (2..=CHOICES)
        .contains(&values.len())
        .then_some(Domain::Choice { values })
}

/// The words that a meaning lists: in quotes, or between commas after the last colon that the default follows.
fn words(means: &str, default: &str) -> Option<Domain> {
    let is_word = |word: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        !word.is_empty() && word.chars().all(plain)
    };
    let quoted: Vec<&str> = means
        .split('\'')
        .skip(1)
        .step_by(2)
        .filter(is_word)
        .collect();
    let listed = || {
        let outside = without_remarks(means);
        let list = outside
            .rsplit_once(':')
            .map_or(outside.as_str(), |(_, list)| list)
            .to_string();
        let parts = list.replace(" or ", ",");
        let parts = parts
            .split([',', '|'])
            .filter_map(|part| part.split_whitespace().last());
        parts.map(str::to_string).collect::<Vec<_>>()
    };
    let mut values: Vec<String> = match quoted.is_empty() {
        false => quoted.into_iter().map(str::to_string).collect(),
        true => listed(),
    };
    values.retain(|word| is_word(&word.as_str()));
    values.dedup();
    let fits = values.len() >= 2 && values.len() <= CHOICES && values.iter().any(|v| v == default);
    fits.then_some(Domain::Choice { values })
}

/// A text without what stands in round brackets.
fn without_remarks(text: &str) -> String {
    let mut depth = 0usize;
    let kept = text.chars().filter(|c| {
        depth += usize::from(*c == '(');
        let inside = depth > 0;
        depth -= usize::from(*c == ')' && inside);
        !inside
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "Global parameters
    auto_config (bool) use heuristics to automatically select solver and configure it (default: true)
    trace_file_name (string) trace out file name (see option 'trace') (default: z3.log)

To set a module parameter, use <module-name>.<parameter-name>=value
Example:  pp.decimal=true

[module] tactic, description: tactic parameters
    default_tactic (symbol) overwrite default tactic in strategic solver
[module] sat, description: propositional SAT solver
    phase (symbol) phase selection strategy: always_false, always_true, basic_caching, random, caching, local_search (default: caching)
    restart (symbol) restart strategy: static, luby, ema or geometric (default: ema)
    pb.solver (symbol) method: circuit (arithmetical circuit), totalizer (use totalizer encoding), solver (use native solver) (default: solver)
    drat.file (symbol) file to dump DRAT proofs
    random_freq (double) frequency of random case splits (default: 0.01)
[module] smt, description: smt solver based on lazy smt
    bv.solver (unsigned int) bit-vector solver engine: 0 - bit-blasting, 1 - polysat, 2 - intblast, requires sat.smt=true (default: 0)
    dt_lazy_splits (unsigned int) How lazy datatype splits are performed: 0- eager, 1- lazy for infinite types, 2- lazy (default: 1)
    max_conflicts (unsigned int) maximum number of conflicts before giving up. (default: 4294967295)
    string_solver (symbol) options are: 'z3str3' (specialized), 'seq' (sequence solver) (default: seq)
    dump (bool) (experimental) something (default: false)
";

    fn named(name: &str) -> Parameter {
        let all = read(LISTING);
        all.into_iter().find(|one| one.name == name).unwrap()
    }

    fn choice(values: &[&str]) -> Domain {
        let values = values.iter().map(ToString::to_string).collect();
        Domain::Choice { values }
    }

    #[test]
    fn names_types_and_defaults_are_read() {
        assert_eq!(read(LISTING).len(), 13);
        assert_eq!(named("auto_config").domain, Domain::Boolean);
        assert_eq!(named("auto_config").default, "true");
        assert_eq!(named("tactic.default_tactic").default, "");
        assert_eq!(named("sat.drat.file").domain, Domain::Text);
        let most = i128::from(u32::MAX);
        assert_eq!(
            named("smt.max_conflicts").domain,
            Domain::Integer { least: 0, most }
        );
        assert_eq!(named("smt.dump").tier, Tier::Unsupported);
        assert_eq!(named("smt.bv.solver").tier, Tier::Advanced);
    }

    #[test]
    fn values_are_read_from_the_meaning() {
        assert_eq!(named("smt.bv.solver").domain, choice(&["0", "1", "2"]));
        assert_eq!(named("smt.dt_lazy_splits").domain, choice(&["0", "1", "2"]));
        assert_eq!(
            named("sat.restart").domain,
            choice(&["static", "luby", "ema", "geometric"])
        );
        assert_eq!(
            named("sat.pb.solver").domain,
            choice(&["circuit", "totalizer", "solver"])
        );
        assert_eq!(
            named("smt.string_solver").domain,
            choice(&["z3str3", "seq"])
        );
        let Domain::Choice { values } = named("sat.phase").domain else {
            panic!("a list of words");
        };
        assert_eq!(values.len(), 6);
    }

    #[test]
    fn other_text_is_no_listing() {
        for text in [
            "",
            "Error: invalid command line option: -pd",
            "    (bool)",
            "    x (bool",
            "[module] ",
        ] {
            assert_eq!(read(text), []);
        }
    }
}
