//! Bugs to ignore: those that a profile lists, and those that the user excludes.

use crate::judge::fingerprint::Identity;
use crate::judge::judging::Unconfirmed;
use crate::team::Team;
use serde::{Deserialize, Serialize};

/// One entry of a user's ignore list. All given fields must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct IgnoreRow {
    pub fingerprint: Option<String>,
    pub class: Option<String>,
    /// Name of the solver, without release.
    pub solver: Option<String>,
    /// Parts of the message, the site or the script.
    pub contains: Vec<String>,
    /// A remark.
    pub why: String,
}

impl IgnoreRow {
    fn fits(&self, found: &Unconfirmed, identity: &Identity, team: &Team, text: &str) -> bool {
        let says_nothing = *self
            == IgnoreRow {
                why: self.why.clone(),
                ..IgnoreRow::default()
            };
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
        let accused = found.accused();
        let mut accused = accused.iter().map(|at| team.members[*at].name());
        !says_nothing
            && is(&self.fingerprint, &identity.fingerprint)
            && is(&self.class, found.verdict.class.name())
            && (self.solver.is_none() || accused.any(|name| is(&self.solver, name)))
            && self
                .contains
                .iter()
                .all(|part| text.contains(part.as_str()))
    }
}

/// Why a verdict is not followed up, if so.
pub fn ignored(
    rows: &[IgnoreRow],
    found: &Unconfirmed,
    identity: &Identity,
    team: &Team,
    script: &str,
) -> Option<String> {
    let message = found.crash().map_or("", |crash| crash.message.as_str());
    let text = format!("{}\n{message}\n{script}", found.verdict.site);
    if let Some(row) = rows
        .iter()
        .find(|row| row.fits(found, identity, team, &text))
    {
        return Some(row.why.clone());
    }
    let shown = if message.is_empty() { script } else { message };
    let known = |at: &usize| {
        let solver = &team.members[*at].solver;
        let version = solver.version.as_ref()?;
        Some(solver.profile.known_bug(shown, version)?.link.clone())
    };
    // A disagreement that contains one solver's known bug may be another's fault.
    let links: Vec<Option<String>> = found.accused().iter().map(known).collect();
    match links.iter().all(Option::is_some) {
        true => links.into_iter().flatten().next(),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judging::QueryFacts;
    use auspex_cases::oracle::Grounds;
    use auspex_cases::{Class, Reply, Verdict};
    use auspex_logic::Answer;
    use auspex_solvers::{Invocation, Limits, Profile, Solver};
    use std::sync::Arc;

    fn check(row: IgnoreRow) -> bool {
        let solver = Solver {
            profile: Arc::new(Profile::unknown("toy")),
            base: Invocation::default(),
            version: None,
            commit: None,
            options: Vec::new(),
        };
        let team = Team::new(vec![solver], Limits::default());
        let id = team.members[0].id.clone();
        let grounds = Grounds::TrueByEvaluation;
        let found = Unconfirmed {
            query: 0,
            verdict: Verdict::new(Class::WrongSat, 0, grounds),
            facts: QueryFacts {
                replies: vec![Reply::new(id, Answer::Sat { model: None })],
                runs: vec![0],
                members: vec![0],
                related: Vec::new(),
            },
        };
        let identity = Identity {
            class: Class::WrongSat,
            fingerprint: "f".to_string(),
            bucket: String::new(),
            operators: Vec::new(),
        };
        ignored(&[row], &found, &identity, &team, "(assert (bvfoo x))").is_some()
    }

    #[test]
    fn all_that_is_given_must_fit() {
        let row = IgnoreRow {
            class: Some("wrong-sat".to_string()),
            contains: vec!["bvfoo".to_string()],
            ..IgnoreRow::default()
        };
        assert!(check(row.clone()));
        assert!(!check(IgnoreRow {
            solver: Some("z3".to_string()),
            ..row.clone()
        }));
        assert!(!check(IgnoreRow {
            class: Some("crash".to_string()),
            ..row
        }));
    }

    #[test]
    fn an_empty_row_ignores_nothing() {
        assert!(!check(IgnoreRow {
            why: "nothing".to_string(),
            ..IgnoreRow::default()
        }));
    }
}
