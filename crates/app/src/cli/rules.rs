//! `auspex rules`: lists strategies, the rules they use, and the proof state of every rule.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_cases::rules::claim::Claim;
use auspex_cases::rules::{Monotone, Rule, Use, approximations, fusions, laws, monotone};
use auspex_cases::strategy;
use auspex_logic::OpTable;
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    /// Only the rules of this strategy
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Check every rule on small domains again by evaluation, which takes some seconds
    #[arg(long)]
    check: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// One rule of the list.
#[derive(Serialize)]
struct Entry {
    strategy: &'static str,
    theory: String,
    name: String,
    rule: String,
    source: String,
    /// The solvers that proved it, from the record.
    solvers: Vec<&'static str>,
    /// The result of evaluation, with `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluated: Option<String>,
}

#[derive(Serialize)]
struct StrategyEntry {
    name: &'static str,
    about: &'static str,
    seeds: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let strategies = match &arguments.strategy {
        Some(name) => vec![strategy::parse(name).map_err(Failure::Usage)?],
        None => strategy::ALL.to_vec(),
    };
    let strategies: Vec<StrategyEntry> = strategies
        .into_iter()
        .map(|s| StrategyEntry {
            name: s.name(),
            about: s.about(),
            seeds: s.needs_seeds(),
        })
        .collect();
    let mut entries = Vec::new();
    let inverses = fusions().iter().flat_map(|fusion| &fusion.inverses);
    let rules = laws().iter().chain(approximations()).chain(inverses);
    for rule in rules.filter(|rule| wants(arguments, user(rule))) {
        entries.push(rule_entry(rule, arguments.check));
    }
    if wants(arguments, "approximate") {
        let rows = monotone().iter();
        entries.extend(rows.map(|row| monotone_entry(row, arguments.check)));
    }
    let mut out = terminal.out();
    if arguments.json {
        let all = serde_json::json!({ "strategies": strategies, "rules": entries });
        serde_json::to_writer_pretty(&mut out, &all).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        show(&mut out, &strategies, &entries)?;
    }
    out.flush()?;
    let refuted = |e: &Entry| e.evaluated.as_ref().is_some_and(|s| s.starts_with("FALSE"));
    Ok(match entries.iter().any(refuted) {
        true => Exit::Found,
        false => Exit::Clean,
    })
}

fn wants(arguments: &Arguments, strategy: &str) -> bool {
    let kind = |name: &String| name.split(':').next() == Some(strategy);
    arguments.strategy.as_ref().is_none_or(kind)
}

/// The strategy that uses a rule.
fn user(rule: &Rule) -> &'static str {
    match rule.used_as {
        Use::Law => "construct",
        Use::Approximation => "approximate",
        Use::Inverse => "fusion",
    }
}

/// Evaluates all instances of a claim on small domains.
fn evaluated(claim: &Claim) -> String {
    let all = claim.check();
    match all.counterexample {
        Some(why) => format!("FALSE: {why}"),
        None if all.exhaustive => format!("all {} assignments", all.held),
        None => format!("{} assignments", all.held),
    }
}

fn rule_entry(rule: &Rule, check: bool) -> Entry {
    Entry {
        strategy: user(rule),
        theory: rule.theory.name().to_string(),
        name: rule.name.clone(),
        rule: rule.statement(),
        source: rule.source.title().to_string(),
        solvers: rule.provers().to_vec(),
        evaluated: check.then(|| evaluated(&rule.claim())),
    }
}

fn monotone_entry(row: &Monotone, check: bool) -> Entry {
    Entry {
        strategy: "approximate",
        theory: "where monotonic".to_string(),
        name: row.title(),
        rule: row.statement(),
        source: String::new(),
        solvers: row.provers().to_vec(),
        evaluated: check.then(|| evaluated(&row.claim())),
    }
}

fn show(
    out: &mut impl Write,
    strategies: &[StrategyEntry],
    entries: &[Entry],
) -> std::io::Result<()> {
    writeln!(out, "strategies ({})", strategies.len())?;
    for strategy in strategies {
        let seeds = if strategy.seeds { "seeds" } else { "no seeds" };
        writeln!(out, "  {:<12} {seeds:<9} {}", strategy.name, strategy.about)?;
    }
    for group in entries.chunk_by(|a, b| a.strategy == b.strategy && a.theory == b.theory) {
        let title = format!("{} {}", group[0].strategy, group[0].theory);
        writeln!(out, "\n{} ({})", title.trim_end(), group.len())?;
        for entry in group {
            let mut state = entry.solvers.join(" ");
            if let Some(evaluated) = &entry.evaluated {
                state = format!("{state} {evaluated}");
            }
            let line = format!("  {:<28} {:<16} {}", entry.name, state.trim(), entry.rule);
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    let table = OpTable::builtin();
    writeln!(
        out,
        "\n{} operators; `auspex ops` lists them",
        table.rows().len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_rules_of_every_use_with_their_proofs() {
        let find = |rules: &'static [Rule], name: &str| rules.iter().find(|rule| rule.name == name);
        let law = find(laws(), "bvadd-by-int").expect("a law");
        let approximation = find(approximations(), "bvult-bvule").expect("a rule");
        let inverse = &fusions()[0].inverses[0];
        for rule in [law, approximation, inverse] {
            let entry = rule_entry(rule, true);
            assert_eq!(entry.solvers, ["z3", "cvc5"]);
            assert!(entry.evaluated.is_some_and(|e| e.starts_with("all ")));
        }
        let row = monotone_entry(&monotone()[0], true);
        assert!(row.evaluated.is_some_and(|e| e.starts_with("all ")));
    }

    #[test]
    fn says_what_is_false() {
        let text = "(law a ((x (_ BitVec n)) (y (_ BitVec n))) (=> (bvult x y) (bvugt x y)))";
        let wrong = auspex_cases::rules::read_rule(text, auspex_logic::Theory::BitVectors);
        let said = wrong.and_then(|wrong| rule_entry(&wrong, true).evaluated);
        assert!(said.is_some_and(|e| e.starts_with("FALSE: ")));
    }

    #[test]
    fn refuses_unknown_strategies() {
        let arguments = Arguments {
            strategy: Some("guess".into()),
            check: false,
            json: false,
        };
        assert!(run(&arguments, Terminal::new(true)).is_err());
    }
}
