//! Proves rules with the solvers of this machine: every query that denies a rule must be unsatisfiable.

use auspex_logic::Answer;
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use std::time::Duration;

/// What one solver says about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Every query is unsatisfiable.
    Proved,
    /// Some query got no answer, or was refused; the text says how.
    Open(String),
    /// This query is satisfiable.
    Denied(String),
}

/// The provers with the options under which they know all theories.
const PROVERS: [(&str, &[&str]); 2] = [
    ("z3", &[]),
    (
        "cvc5",
        &["--arrays-exp", "--fp-exp", "--strings-exp", "--sets-exp"],
    ),
];

/// Live solvers to ask.
pub struct Provers {
    sessions: Vec<(&'static str, Session)>,
}

impl Provers {
    /// Those of the known provers that are on this machine, with a time for each query.
    pub fn of_machine(time: Duration) -> Provers {
        let limits = Limits {
            wall: 2 * time,
            soft: Some(time),
            ..Limits::default()
        };
        let Ok(catalog) = Catalog::of_user() else {
            return Provers {
                sessions: Vec::new(),
            };
        };
        let found = PROVERS.into_iter().filter_map(|(name, options)| {
            let solver = catalog.find(name).ok()?.solver;
            let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
            let solver = solver.clone().with_tier("plain").unwrap_or(solver);
            Some((
                name,
                Session::start(&solver.with_options(&options), &limits),
            ))
        });
        Provers {
            sessions: found.collect(),
        }
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.sessions.iter().map(|(name, _)| *name).collect()
    }

    /// Asks every prover the queries about one rule. Where none of them proves all of these, but each query is proved
    /// by one, they have proved it `TOGETHER`.
    pub fn ask(&mut self, queries: &[String]) -> Vec<(&'static str, Said)> {
        let sessions = self.sessions.iter_mut();
        let mut said: Vec<(&str, Said)> = sessions
            .map(|(name, session)| (*name, ask(session, queries)))
            .collect();
        let all_open = said.iter().all(|(_, said)| matches!(said, Said::Open(_)));
        if all_open && said.len() > 1 && queries.len() > 1 {
            said.push((TOGETHER, self.together(queries)));
        }
        said
    }

    fn together(&mut self, queries: &[String]) -> Said {
        for script in queries {
            let sessions = self.sessions.iter_mut();
            let said: Vec<Said> = sessions.map(|(_, session)| one(session, script)).collect();
            if let Some(denied) = said.iter().find(|said| matches!(said, Said::Denied(_))) {
                return denied.clone();
            }
            if !said.contains(&Said::Proved) {
                return Said::Open(script.clone());
            }
        }
        Said::Proved
    }
}

/// The name under which several provers have proved a rule, each a part of its instances.
pub const TOGETHER: &str = "z3+cvc5";

/// Ends at the first query that is not proved.
fn ask(session: &mut Session, queries: &[String]) -> Said {
    let mut said = queries.iter().map(|script| one(session, script));
    said.find(|said| *said != Said::Proved)
        .unwrap_or(Said::Proved)
}

fn one(session: &mut Session, script: &str) -> Said {
    let run = session.ask(&Query::new(script).mode(Mode::Reset));
    match run.ok().and_then(|run| run.answers.into_iter().next()) {
        Some(Answer::Unsat { .. }) => Said::Proved,
        Some(Answer::Sat { .. }) => Said::Denied(script.to_string()),
        other => Said::Open(format!("{other:?}").chars().take(150).collect()),
    }
}
