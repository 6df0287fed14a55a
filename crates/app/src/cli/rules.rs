//! `auspex rules`: lists strategies, the rules they use, and the proof state of every rule.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_cases::rules::claim::{Claim, Evaluation};
use auspex_cases::rules::fusion::{self, Fusion};
use auspex_cases::rules::{self, Compiled, Kind, approximation, proof};
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
    if wants(arguments, "construct") {
        entries.extend(rules::all().iter().map(|rule| law(rule, arguments.check)));
    }
    if wants(arguments, "approximate") {
        let check = arguments.check;
        let rules = approximation::rules().iter();
        entries.extend(rules.map(|rule| approximation_rule(rule, check)));
        let rows = approximation::monotone().iter();
        entries.extend(rows.map(|row| monotone_argument(row, check)));
    }
    if wants(arguments, "fusion") {
        let laws = fusion::all().iter().flat_map(Fusion::laws);
        let entry = |rule| Entry {
            strategy: "fusion",
            ..law(rule, arguments.check)
        };
        entries.extend(laws.map(entry));
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

fn law(compiled: &Compiled, check: bool) -> Entry {
    let rule = compiled.rule;
    let sign = match rule.kind {
        Kind::Equality => "=",
        Kind::Equivalence => "<=>",
        Kind::Implication => "=>",
    };
    let mut text = format!("{} {sign} {}", rule.before, rule.after);
    if !rule.when.is_empty() {
        text.push_str(&format!(" if {}", rule.when.join(" ")));
    }
    Entry {
        strategy: "construct",
        theory: compiled.theory.name().to_string(),
        name: rule.name.to_string(),
        rule: text,
        source: rule.source.to_string(),
        solvers: proof::proved_by(compiled).to_vec(),
        evaluated: check.then(|| evaluated(compiled)),
    }
}

fn evaluated(compiled: &Compiled) -> String {
    let checked = proof::check(compiled);
    match checked.refuted {
        Some(why) => format!("FALSE: {why}"),
        None if checked.exhaustive => format!("all {} assignments", checked.confirmed),
        None => format!("{} assignments", checked.confirmed),
    }
}

/// Evaluates all instances of a claim on small domains.
fn evaluated_claim(claim: &Claim) -> String {
    match claim.check() {
        Ok(Evaluation {
            counterexample: Some(why),
            ..
        }) => format!("FALSE: {why}"),
        Ok(all) if all.exhaustive => format!("all {} assignments", all.held),
        Ok(some) => format!("{} assignments", some.held),
        Err(why) => format!("FALSE: {why}"),
    }
}

fn monotone_argument(row: &approximation::Monotone, check: bool) -> Entry {
    let claim = row.claim();
    Entry {
        strategy: "approximate",
        theory: "where monotonic".to_string(),
        name: claim.title.clone(),
        rule: approximation::write_monotone(row),
        source: String::new(),
        solvers: row.provers().to_vec(),
        evaluated: check.then(|| evaluated_claim(&claim)),
    }
}

fn approximation_rule(rule: &approximation::Rule, check: bool) -> Entry {
    Entry {
        strategy: "approximate",
        theory: rule.theory.name().to_string(),
        name: rule.name.clone(),
        rule: approximation::write_rule(rule),
        source: rule.source.name().to_string(),
        solvers: rule.provers().to_vec(),
        evaluated: check.then(|| evaluated_claim(&rule.claim())),
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
    fn shows_rules_with_their_proofs() {
        let rule = rules::named("bvadd-by-int").expect("a rule");
        let entry = law(rule, true);
        assert_eq!(entry.solvers, ["z3", "cvc5"]);
        assert!(entry.evaluated.is_some_and(|e| e.starts_with("all ")));
    }

    #[test]
    fn checks_rules_of_approximation_too() {
        let rules = approximation::rules().iter();
        let rule = rules
            .clone()
            .find(|rule| rule.name == "bvult-bvule")
            .expect("a rule");
        let entry = approximation_rule(rule, true);
        assert_eq!(entry.solvers, ["z3", "cvc5"]);
        assert!(entry.evaluated.is_some_and(|e| e.starts_with("all ")));
        let wrong = approximation::Rule {
            greater: "(bvugt x y)".into(),
            ..rule.clone()
        };
        let said = approximation_rule(&wrong, true).evaluated;
        assert!(said.is_some_and(|e| e.starts_with("FALSE: ")));
        let row = monotone_argument(&approximation::monotone()[0], true);
        assert!(row.evaluated.is_some_and(|e| e.starts_with("all ")));
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
