//! Confirms a bug that shows only after other scripts in the same process: the last of these, each between a push and
//! a pop, become part of the script.
//!
//! ```text
//! (push 1) (assert false) (check-sat) (pop 1)
//! (push 1) (assert true) (check-sat)              unsat, though by itself it is sat
//! ```

use super::confirm::{Confirmed, Setting, Suspected, fresh_run};
use super::judging::{Forms, Judge, Unconfirmed};
use crate::judge::examine::case_of;
use crate::team::SolverRun;
use auspex_cases::{Budget, Case, Class};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Terms, read_script};
use auspex_solvers::Mode;
use std::sync::Arc;

impl Suspected<'_> {
    /// The same verdict in a fresh process that is asked the earlier scripts, too: as few of the last ones as show it.
    pub(super) fn after_others(&self, terms: &mut Terms, first: &Unconfirmed) -> Option<Confirmed> {
        let [accused] = first.accused()[..] else {
            return None;
        };
        let run = self.runs.iter().find(|run| run.member == accused)?;
        if run.earlier.is_empty() || !first.verdict.class.is_bug() {
            return None;
        }
        let all = run.earlier.len();
        let mut shown = self.after(terms, first, (run, all))?;
        let fewer = std::iter::successors(Some(1), |count| Some(2 * count));
        for count in fewer.take_while(|count| *count < all) {
            if let Some(shorter) = self.after(terms, first, (run, count)) {
                shown = shorter;
                break;
            }
        }
        Some(shown)
    }

    /// The same verdict after so many earlier scripts.
    fn after(
        &self,
        terms: &mut Terms,
        first: &Unconfirmed,
        (run, count): (&SolverRun, usize),
    ) -> Option<Confirmed> {
        let exact = self.exact(terms, first);
        let own = render::script(terms, &exact, Sharing::Auto);
        let earlier = &run.earlier[run.earlier.len() - count..];
        let text = joined(earlier, &own, run.mode);
        let script = read_script(terms, &text).ok()?.script;
        let mut case = case_of(script, terms);
        let before = case.evidence.len().checked_sub(self.case.evidence.len())?;
        case.evidence
            .splice(before.., self.case.evidence.iter().cloned());
        case.origin = self.case.origin.clone();
        let limits = &self.team.limits;
        let ask = |run: &SolverRun| fresh_run(self.team, run.member, &text, limits);
        let runs: Vec<SolverRun> = self.runs.iter().filter_map(ask).collect();
        let now = self.verdict_on(terms, &case, &runs, (first, before))?;
        let whole = Suspected {
            case: &case,
            runs: &runs,
            ..*self
        };
        let confirmed = whole.twice(terms, &now, &text, Setting::AfterOthers)?;
        Some(Confirmed {
            case: Some(case),
            ..confirmed
        })
    }

    /// The verdict on the query in question, where others come before it.
    fn verdict_on(
        &self,
        terms: &mut Terms,
        case: &Case,
        runs: &[SolverRun],
        (first, before): (&Unconfirmed, usize),
    ) -> Option<Unconfirmed> {
        let limits = &self.team.limits;
        let mut judge = Judge {
            team: self.team,
            budget: Budget::THOROUGH,
            sources: self.sources,
            forms: Forms::default(),
            ask: &mut |member, text| fresh_run(self.team, member, text, limits),
        };
        let seen = judge.verdicts(terms, case, runs);
        seen.into_iter().find(|now| {
            let is_proof = now.verdict.class.is_proof();
            now.query == before + first.query
                && now.accused() == first.accused()
                && (now.verdict.class == first.verdict.class
                    || (is_proof && first.verdict.class == Class::SelfContradiction))
        })
    }
}

/// One script: the header of the last, the earlier ones, and the last between a push and the end.
fn joined(earlier: &[Arc<str>], last: &str, mode: Mode) -> String {
    let is_header = |line: &&str| line.starts_with("(set-");
    let header = last.lines().take_while(is_header);
    let body = last.lines().skip_while(is_header);
    let mut text = String::new();
    for line in header {
        text.push_str(line);
        text.push('\n');
    }
    text.extend(earlier.iter().map(AsRef::<str>::as_ref));
    text.push_str("(push 1)\n");
    for line in body {
        text.push_str(match (mode, line) {
            (Mode::CheckSatUsing, "(check-sat)") => "(check-sat-using default)",
            _ => line,
        });
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_scripts_stand_between_the_header_and_the_script() {
        let earlier = ["(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n".into()];
        let last = "(set-logic ALL)\n(assert q)\n(check-sat)\n";
        assert_eq!(
            joined(&earlier, last, Mode::CheckSatUsing),
            "(set-logic ALL)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n\
             (push 1)\n(assert q)\n(check-sat-using default)\n"
        );
    }
}
