//! The status as lines of text: for logs, pipes and small terminals.

use auspex_campaign::Status;
use auspex_campaign::activity::summary;
use auspex_campaign::coverage::Edges;
use auspex_campaign::status::{FindingLine, SolverTally, StrategyTally};
use auspex_cases::Class;
use std::time::Duration;

/// What has been shown already.
pub struct Lines {
    /// Findings shown so far.
    shown: u64,
    /// Seconds after the start when the next line is due.
    next: f64,
    ticks: f64,
    /// The problem that was reported last.
    trouble: Option<String>,
}

impl Lines {
    pub fn new(status: &Status) -> Lines {
        Lines {
            shown: status.findings(),
            next: 2.0,
            ticks: 0.0,
            trouble: None,
        }
    }

    /// Once a second.
    pub fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed.as_secs_f64() >= self.ticks;
        if due {
            self.ticks = elapsed.as_secs_f64() + 1.0;
        }
        due
    }

    /// New findings, and the state if it is time; less often the longer it runs.
    pub fn next(&mut self, status: &Status) -> Vec<String> {
        let mut lines = Vec::new();
        let new = status.findings().saturating_sub(self.shown) as usize;
        for line in status.newest.iter().take(new).rev() {
            lines.push(format!("FOUND {}: {}", line.id, line.about()));
        }
        self.shown = status.findings();
        if status.elapsed >= self.next {
            lines.push(state(status));
            self.next = status.elapsed + (status.elapsed / 4.0).clamp(2.0, 60.0);
        }
        if status.trouble != self.trouble {
            lines.push(match &status.trouble {
                Some(trouble) => format!("TROUBLE {trouble}"),
                None => "the problem is resolved".to_string(),
            });
            self.trouble.clone_from(&status.trouble);
        }
        lines
    }
}

/// The whole state in one line.
fn state(status: &Status) -> String {
    let mut text = format!(
        "{:>8} {:>8} cases {:>7.1}/s now {:>7.1}/s overall, findings {}{}",
        clock(status.elapsed),
        status.tally.cases,
        status.rate_now,
        status.rate,
        status.findings(),
        classes(status),
    );
    if status.besides() > 0 {
        text.push_str(&format!(", not bugs: {}", besides(status)));
    }
    let plain = |name: &str| !name.ends_with("with options");
    let release = |name: &str| {
        let words: Vec<&str> = name.split_whitespace().take(2).collect();
        words.join(" ")
    };
    let solvers = status.tally.solvers.iter();
    let solvers: Vec<_> = solvers.filter(|(name, _)| plain(name)).collect();
    for (name, solver) in &solvers {
        let answers = solver.answers.iter().map(|(word, n)| format!("{word} {n}"));
        let answers: Vec<String> = answers.collect();
        // Show options only where two entries differ in nothing else.
        let mut short = release(name);
        let same = |(other, _): &&(&String, _)| release(other) == short;
        if solvers.iter().filter(same).count() > 1 {
            short.clone_from(name);
        }
        text.push_str(&format!(" | {short}: {}", answers.join(" ")));
    }
    for (name, edges) in &status.edges {
        text.push_str(&format!(" | {}: {} edges", release(name), edges.reached));
    }
    text.push_str(&format!(" | own cpu {:.1} %", status.own_share()));
    text
}

/// How many findings to list.
const SHOWN: usize = 12;

/// All details, one fact per line.
pub fn details(status: &Status) -> Vec<String> {
    let mut lines = run_lines(status);
    for (name, solver) in &status.tally.solvers {
        lines.extend(solver_lines(name, solver));
    }
    lines.extend(status.edges.iter().map(edge_line));
    for (name, strategy) in &status.tally.strategies {
        lines.push(strategy_line(name, strategy));
    }
    let covered = status.walk.covered.iter();
    lines.extend(covered.map(|line| format!("covered {line}")));
    lines.extend(finding_lines(status));
    if let Some(trouble) = &status.trouble {
        lines.push(format!("trouble: {trouble}"));
    }
    lines
}

fn run_lines(status: &Status) -> Vec<String> {
    let tally = &status.tally;
    vec![
        format!(
            "{} cases, {} queries in {}; this run {:.1} cases a second with {} workers",
            tally.cases,
            tally.queries,
            clock(status.elapsed_all),
            status.rate,
            status.workers
        ),
        format!(
            "own processor share {:.1} % ({:.1} s of ours, {:.1} s of solvers), memory {} MB, disk {} MB",
            status.own_share(),
            status.own_cpu,
            status.solver_cpu,
            status.memory >> 20,
            status.disk.div_ceil(1 << 20)
        ),
        format!(
            "seeds {}: used {}, set aside {}, skipped {}",
            status.seeds, status.seeds_used, status.seeds_set_aside, status.seeds_skipped
        ),
        format!(
            "suspicions {}: confirmed {}, duplicates {}, silenced {}, similar {}, suppressed {}, not reproduced {}; cases avoided {}",
            tally.suspicions,
            tally.confirmed,
            tally.repeats,
            tally.silenced.values().sum::<u64>(),
            tally.similar,
            tally.suppressed,
            tally.unrepeatable,
            tally.avoided
        ),
        format!("modes: {}", counts(&tally.modes)),
        format!("worker time: {}", summary(&tally.times)),
    ]
}

fn solver_lines(name: &str, solver: &SolverTally) -> Vec<String> {
    let mut lines = vec![format!("{name}: {}", counts(&solver.answers))];
    lines.push(format!(
        "    {:.1} s, {:.1} s of processor; processes started {}, recycled {}, ended {}; skipped {}",
        solver.wall_us as f64 / 1e6,
        solver.cpu_us as f64 / 1e6,
        solver.starts,
        solver.recycled,
        solver.killed,
        solver.skipped
    ));
    lines.push(format!(
        "    refused {:.1} % of what it was asked",
        solver.refused_share()
    ));
    for (what, reasons) in [("refused", &solver.refusals), ("skipped", &solver.skips)] {
        let mut reasons: Vec<_> = reasons.iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        let line = |(why, n): &(&String, &u64)| format!("    {what} {n}: {why}");
        lines.extend(reasons.iter().take(8).map(line));
    }
    lines
}

/// How much of an instrumented solver was reached.
pub fn edge_line((name, edges): (&String, &Edges)) -> String {
    let part = 100.0 * edges.reached as f64 / edges.of.max(1) as f64;
    format!(
        "{name}: reached {} of {} edges, {part:.1} %",
        edges.reached, edges.of
    )
}

fn strategy_line(name: &str, strategy: &StrategyTally) -> String {
    format!(
        "{name}: {} cases, {} draws without a case, {} new features, {} suspicions, {} findings, {:.1} s of solvers",
        strategy.cases,
        strategy.empty,
        strategy.features,
        strategy.suspicions,
        strategy.findings,
        strategy.solver_us as f64 / 1e6
    )
}

fn finding_lines(status: &Status) -> Vec<String> {
    let seen =
        |line: &FindingLine| format!("  {}  seen {}: {}", line.id, line.repeats + 1, line.about());
    let mut lines = vec![format!("findings {}{}", status.findings(), classes(status))];
    lines.extend(status.newest.iter().take(SHOWN).map(seen));
    if status.newest.len() > SHOWN {
        lines.push("  list them all with `auspex findings`".to_string());
    }
    if status.besides() > 0 {
        lines.push(format!("not bugs: {}", besides(status)));
    }
    lines.extend(status.lesser.iter().take(SHOWN).map(seen));
    lines
}

fn counts(map: &std::collections::BTreeMap<String, u64>) -> String {
    let parts: Vec<String> = map.iter().map(|(word, n)| format!("{word} {n}")).collect();
    parts.join(", ")
}

/// ` (wrong-sat 1, crash 2)`, or nothing.
pub fn classes(status: &Status) -> String {
    match counted(status, true) {
        parts if parts.is_empty() => String::new(),
        parts => format!(" ({parts})"),
    }
}

/// `incompleteness 3, slowness 1`: findings that are not bugs.
pub fn besides(status: &Status) -> String {
    counted(status, false)
}

fn counted(status: &Status, bugs: bool) -> String {
    let is_bug = |class: &str| Class::named(class).is_none_or(Class::is_bug);
    let classes = status.classes.iter();
    let wanted = classes.filter(|(class, _)| is_bug(class) == bugs);
    let parts: Vec<String> = wanted.map(|(class, n)| format!("{class} {n}")).collect();
    parts.join(", ")
}

/// `1:02:03`, or `2:03` below an hour.
pub fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_read_as_clocks() {
        assert_eq!(clock(59.9), "0:59");
        assert_eq!(clock(3723.0), "1:02:03");
    }

    #[test]
    fn what_is_no_bug_is_counted_apart() {
        let mut status = Status::default();
        status.classes.insert("crash".to_string(), 1);
        status.classes.insert("incompleteness".to_string(), 3);
        assert_eq!((status.findings(), status.besides()), (1, 3));
        assert_eq!(classes(&status), " (crash 1)");
        assert_eq!(besides(&status), "incompleteness 3");
        assert!(state(&status).contains("findings 1 (crash 1), not bugs: incompleteness 3"));
    }

    #[test]
    fn a_finding_is_told_once_and_the_state_now_and_then() {
        let mut status = Status::default();
        let mut lines = Lines::new(&status);
        assert_eq!(lines.next(&status).len(), 0);
        status.elapsed = 3.0;
        assert_eq!(lines.next(&status).len(), 1);
        status.classes.insert("crash".to_string(), 1);
        status.newest.push(FindingLine {
            id: "crash-z3-1".to_string(),
            class: "crash".to_string(),
            accused: "z3".to_string(),
            strategy: "construct".to_string(),
            why: "z3 failed an assertion".to_string(),
            gist: "smt/theory_lra.cpp:12".to_string(),
            found: 0,
            repeats: 0,
            reduced: false,
            same_as: None,
        });
        let told = lines.next(&status);
        assert_eq!(told, ["FOUND crash-z3-1: smt/theory_lra.cpp:12"]);
        assert_eq!(lines.next(&status).len(), 0);
    }
}
