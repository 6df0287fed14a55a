//! Proves claims with the solvers of this machine: every query that denies a claim must be unsatisfiable.

use auspex_cases::rules::claim::Claim;
use auspex_logic::Answer;
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use std::time::Duration;

/// What one solver says about one claim.
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
    ("cvc5", &["--arrays-exp", "--fp-exp", "--strings-exp"]),
];

/// Live solvers to ask.
pub struct Provers {
    sessions: Vec<(&'static str, Session)>,
}

impl Provers {
    /// Those of the known provers that are on this machine.
    pub fn of_machine(patience: Duration) -> Provers {
        let limits = Limits {
            wall: 2 * patience,
            soft: Some(patience),
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

    /// Asks every prover at most so many queries about a claim.
    pub fn ask(&mut self, claim: &Claim, most: usize) -> Vec<(&'static str, Said)> {
        let mut queries = claim.queries();
        queries.truncate(most);
        let sessions = self.sessions.iter_mut();
        sessions
            .map(|(name, session)| (*name, ask(session, &queries)))
            .collect()
    }
}

fn ask(session: &mut Session, queries: &[String]) -> Said {
    let mut said = Said::Proved;
    for script in queries {
        let run = session.ask(&Query::new(script).mode(Mode::Reset));
        match run.ok().and_then(|run| run.answers.into_iter().next()) {
            Some(Answer::Unsat { .. }) => {}
            Some(Answer::Sat { .. }) => return Said::Denied(script.clone()),
            other => {
                let text = format!("{other:?}");
                said = Said::Open(text.chars().take(150).collect());
            }
        }
    }
    said
}
