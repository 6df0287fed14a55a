//! From answers to suspicions: puts all answers to each query of a case before the oracles.

use crate::features::Theories;
use crate::fingerprint::{Identity, Stage, Suspect, identify};
use crate::team::{Asked, Team};
use auspex_cases::{Care, Case, Complaint, Evidence, Reply, Trial, judge};
use auspex_logic::{Answer, Crash, Terms};

/// A complaint about the answer to one query, not confirmed yet.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// Number of the query in the script.
    pub query: usize,
    pub complaint: Complaint,
    /// The accused, by their position in the team.
    pub accused: Vec<usize>,
    pub crash: Option<Crash>,
}

/// All complaints about all queries of a case.
pub fn suspicions(
    terms: &mut Terms,
    case: &Case,
    asked: &[Asked],
    team: &Team,
    care: Care,
) -> Vec<Suspicion> {
    let queries = case.script.queries();
    let last = queries.len().saturating_sub(1);
    let mut all = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        let (replies, owners) = replies(asked, team, number, number == last);
        let mut trial = Trial {
            terms,
            script: &case.script,
            query,
            evidence: case.evidence.get(number).unwrap_or(&Evidence::Agreement),
            replies: &replies,
            care,
        };
        for complaint in judge(&mut trial) {
            let accused = complaint.accused.iter().map(|at| owners[*at]).collect();
            let crash = complaint
                .accused
                .iter()
                .find_map(|at| match &replies[*at].answer {
                    Answer::Crashed(crash) => Some(crash.clone()),
                    _ => None,
                });
            all.push(Suspicion {
                query: number,
                complaint,
                accused,
                crash,
            });
        }
    }
    all
}

/// The replies to one query, and whose each is.
pub(crate) fn replies(
    asked: &[Asked],
    team: &Team,
    number: usize,
    is_last: bool,
) -> (Vec<Reply>, Vec<usize>) {
    let mut replies = Vec::new();
    let mut owners = Vec::new();
    for one in asked {
        let said = one.answers.get(number).cloned();
        // A crash after the last answer does not hide behind it.
        let later = one.later.clone().filter(|_| is_last).map(Answer::Crashed);
        for answer in said.into_iter().chain(later) {
            let solver = team.members[one.member].title.clone();
            let time = Some(one.cpu);
            replies.push(Reply {
                solver,
                answer,
                time,
            });
            owners.push(one.member);
        }
    }
    (replies, owners)
}

impl Suspicion {
    /// Which bug it would be.
    pub fn identity(
        &self,
        terms: &Terms,
        case: &Case,
        theories: Theories,
        team: &Team,
    ) -> Identity {
        let solvers: Vec<&str> = self
            .accused
            .iter()
            .map(|at| team.members[*at].name())
            .collect();
        let suspect = Suspect {
            class: self.complaint.class,
            solvers: &solvers,
            site: &self.complaint.site,
            crash: self.crash.as_ref(),
            theories,
            stage: Stage::Found,
        };
        identify(terms, &case.script, &suspect)
    }
}
