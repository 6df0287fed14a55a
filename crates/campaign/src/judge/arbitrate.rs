//! Arbitrates a disagreement that no model decides: asks other makes, and other releases and options of the
//! contradicting solvers. Their answers join the facts, and all are judged again.

use crate::judge::confirm::{Confirmed, Suspected, fresh_run};
use crate::judge::judging::{Forms, Judge, Unconfirmed};
use crate::team::case_profile::CaseProfile;
use crate::team::{Member, SolverRun, Team};
use auspex_cases::oracle::differential::{Further, further};
use auspex_cases::{Budget, Case, Class, Evidence, QueryContext};
use auspex_logic::Terms;
use auspex_solvers::profile::Tier;
use auspex_solvers::{Catalog, Limits, Query, Session};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many options of one solver are tried.
const OPTIONS: usize = 2;
/// The least time limit for arbitration; disagreements are rare.
const TIME: Duration = Duration::from_secs(2);

/// Installed solvers outside of the team, by name, oldest release first.
pub struct Neighbours(BTreeMap<String, Vec<Member>>);

impl Neighbours {
    /// Finds them, which starts each of them once.
    pub fn of(team: &Team) -> Neighbours {
        let found = Catalog::of_user().map_or_else(|_| Vec::new(), |catalog| catalog.found());
        let all = found.into_iter().map(|found| Member::new(found.solver));
        let taken = |one: &Member| {
            team.members
                .iter()
                .any(|m| m.vocabulary.spec == one.vocabulary.spec)
        };
        Neighbours::among(all.filter(|one| !taken(one)).collect())
    }

    fn among(mut all: Vec<Member>) -> Neighbours {
        all.sort_by(|a, b| a.solver.version.cmp(&b.solver.version));
        let mut makes: BTreeMap<String, Vec<Member>> = BTreeMap::new();
        for one in all {
            makes.entry(one.name().to_string()).or_default().push(one);
        }
        Neighbours(makes)
    }

    /// The solvers to ask for one of the wanted answers.
    fn helpful(&self, wish: &Further, team: &Team) -> Vec<Member> {
        match wish {
            // Models are always requested.
            Further::Model { .. } => Vec::new(),
            Further::OtherMakes { asked } => {
                let others = self.0.iter().filter(|(make, _)| !asked.contains(make));
                others.filter_map(|(_, all)| all.last().cloned()).collect()
            }
            Further::OtherReleases { make } => match self.0.get(make).map(Vec::as_slice) {
                Some([oldest, .., newest]) => vec![oldest.clone(), newest.clone()],
                Some([only]) => vec![only.clone()],
                _ => Vec::new(),
            },
            Further::OtherOptions { make } => {
                let one = team.plain().iter().find(|member| member.name() == make);
                one.map_or_else(Vec::new, with_options)
            }
        }
    }
}

/// The same solver with one more option each.
fn with_options(member: &Member) -> Vec<Member> {
    let solver = &member.solver;
    let Some(version) = &solver.version else {
        return Vec::new();
    };
    let rows = solver.profile.options_for(Tier::Normal, version);
    let other = rows.filter(|row| !solver.options.contains(&row.text));
    let with = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        Member::new(solver.clone().with_options(&words))
    };
    other.take(OPTIONS).map(|row| with(&row.text)).collect()
}

/// A disagreement with the additional answers, and the team extended by their solvers.
pub fn arbitrate(
    terms: &mut Terms,
    suspected: &Suspected<'_>,
    features: &CaseProfile,
    mut confirmed: Confirmed,
    neighbours: &Neighbours,
) -> (Confirmed, Team) {
    let mut wider = suspected.team.clone();
    let helpful = wishes(terms, suspected.case, &confirmed);
    let helpful = helpful
        .iter()
        .flat_map(|wish| neighbours.helpful(wish, suspected.team));
    for member in helpful.filter(|member| member.understands(features)) {
        let place = wider.members.len();
        if let Some(run) = ask(&member, place, &confirmed.script, &wider.limits) {
            wider.members.push(member);
            confirmed.runs.push(run);
        }
    }
    let limits = wider.limits.clone();
    let mut ask = |member: usize, text: &str| fresh_run(&wider, member, text, &limits);
    let mut judge = Judge {
        team: &wider,
        budget: Budget::THOROUGH,
        sources: suspected.sources,
        forms: Forms::default(),
        ask: &mut ask,
    };
    let query = confirmed.verdict.query;
    let seen = judge.verdicts(terms, suspected.case, &confirmed.runs);
    let seen = seen.into_iter().filter(|one| one.query == query);
    let verdicts = seen.filter_map(|one| about(one, &confirmed.verdict));
    if let Some(verdict) = verdicts.min_by_key(|one| one.verdict.class) {
        confirmed.verdict = verdict;
    }
    (confirmed, wider)
}

/// The answers that would help to decide it.
fn wishes(terms: &mut Terms, case: &Case, confirmed: &Confirmed) -> Vec<Further> {
    let queries = case.script.queries();
    let Some(query) = queries.get(confirmed.verdict.query) else {
        return Vec::new();
    };
    let facts = &confirmed.verdict.facts;
    let context = QueryContext::new(terms, &case.script, query, &Evidence::NoneKnown);
    further(&context.with(&facts.replies, &[]))
}

fn ask(member: &Member, place: usize, script: &str, limits: &Limits) -> Option<SolverRun> {
    let limits = Limits {
        wall: (limits.wall * 2).max(TIME),
        soft: None,
        ..limits.clone()
    };
    let mut session = Session::start(&member.solver, &limits);
    let run = session.ask(&Query::new(script).model()).ok()?;
    Some(SolverRun {
        later: None,
        ..SolverRun::of(place, run)
    })
}

/// The verdict on the solvers that contradicted each other; errors of the others are ignored here.
fn about(mut now: Unconfirmed, first: &Unconfirmed) -> Option<Unconfirmed> {
    let proved = now.verdict.class.is_proof();
    if !proved && now.verdict.class != Class::Disagreement {
        return None;
    }
    // Only their answers were reproduced in fresh processes.
    let accused = first.accused();
    let members = &now.facts.members;
    let kept = now.verdict.accused.iter().copied();
    let kept: Vec<usize> = kept.filter(|at| accused.contains(&members[*at])).collect();
    now.verdict.accused = match kept.is_empty() && !proved {
        true => (0..members.len())
            .filter(|at| accused.contains(&members[*at]))
            .collect(),
        false => kept,
    };
    (!now.verdict.accused.is_empty()).then_some(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judging::QueryFacts;
    use auspex_cases::oracle::{Grounds, Reply};
    use auspex_cases::{SolverId, Verdict};
    use auspex_logic::Answer;
    use auspex_solvers::{Invocation, Profile, Solver, Version};
    use std::sync::Arc;

    fn member(name: &str, release: &str) -> Member {
        Member::new(Solver {
            profile: Arc::new(Profile::unknown(name)),
            base: Invocation::default(),
            version: Version::read(release),
            commit: None,
            options: Vec::new(),
        })
    }

    fn asked_for(wish: &Further) -> Vec<String> {
        let releases = ["1.2", "1.0", "1.1"].map(|release| member("toy", release));
        let others = [member("other", "3.0"), member("other", "2.0")];
        let neighbours = Neighbours::among(releases.into_iter().chain(others).collect());
        let team = Team::new(vec![member("toy", "1.3").solver], Limits::default());
        let found = neighbours.helpful(wish, &team);
        found.into_iter().map(|one| one.title).collect()
    }

    #[test]
    fn the_oldest_and_the_newest_other_release_are_asked() {
        let make = "toy".to_string();
        assert_eq!(
            asked_for(&Further::OtherReleases { make }),
            ["toy 1.0", "toy 1.2"]
        );
        let make = "unknown".to_string();
        assert_eq!(asked_for(&Further::OtherReleases { make }), [""; 0]);
    }

    #[test]
    fn other_makes_are_asked_in_their_newest_release() {
        let asked = vec!["toy".to_string()];
        assert_eq!(asked_for(&Further::OtherMakes { asked }), ["other 3.0"]);
    }

    /// A verdict on solvers by their places in the team; every reply is that of the solver at its place.
    fn verdict(class: Class, accused: &[usize]) -> Unconfirmed {
        let id = Arc::new(SolverId::new("toy", "1.0"));
        let reply = |_| Reply::new(id.clone(), Answer::Timeout);
        Unconfirmed {
            query: 0,
            verdict: Verdict {
                accused: accused.to_vec(),
                ..Verdict::new(class, 0, Grounds::TrueByEvaluation)
            },
            facts: QueryFacts {
                replies: (0..5).map(reply).collect(),
                runs: (0..5).collect(),
                members: (0..5).collect(),
                related: Vec::new(),
            },
        }
    }

    #[test]
    fn a_majority_stays_a_disagreement_about_the_same_solvers() {
        let first = verdict(Class::Disagreement, &[0, 1]);
        let likely = about(verdict(Class::Disagreement, &[0, 4]), &first).unwrap();
        assert_eq!(likely.accused(), [0]);
        assert_eq!(likely.verdict.class, Class::Disagreement);
        let shifted = about(verdict(Class::Disagreement, &[4]), &first).unwrap();
        assert_eq!(shifted.accused(), [0, 1]);
    }

    #[test]
    fn what_others_do_wrong_is_another_matter() {
        let first = verdict(Class::Disagreement, &[0, 1]);
        assert!(about(verdict(Class::InvalidModel, &[4]), &first).is_none());
        assert!(about(verdict(Class::Crash, &[0]), &first).is_none());
        let decided = about(verdict(Class::WrongUnsat, &[1]), &first).unwrap();
        assert_eq!(decided.verdict.class, Class::WrongUnsat);
    }
}
