//! Asks around about a disagreement that no model decides: other makes, other releases and other options of those
//! who contradict each other. What they say joins the verdict; it stays a disagreement unless a model decides it.

use crate::confirm::Proof;
use crate::features::Features;
use crate::suspicion::{Suspicion, replies, suspicions};
use crate::team::{Asked, Member, Team};
use auspex_cases::oracle::differential::{Further, further};
use auspex_cases::{Care, Case, Class, Evidence, Trial};
use auspex_logic::Terms;
use auspex_solvers::profile::Tier;
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many options of one solver are tried.
const OPTIONS: usize = 2;
/// A disagreement is rare: whoever is asked about it gets so much time at least.
const TIME: Duration = Duration::from_secs(2);

/// Solvers on this machine that are not in the team, by name, oldest release first.
pub struct Neighbours(BTreeMap<String, Vec<Member>>);

impl Neighbours {
    /// Looks for them, which starts each of them once.
    pub fn of(team: &Team) -> Neighbours {
        let found = Catalog::of_user().map_or_else(|_| Vec::new(), |catalog| catalog.found());
        let all = found.into_iter().map(|found| Member::new(found.solver));
        let taken = |one: &Member| {
            team.members
                .iter()
                .any(|m| m.reader.spec == one.reader.spec)
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

    /// Whom to ask for one of the things that would help.
    fn helpful(&self, wish: &Further, team: &Team) -> Vec<Member> {
        match wish {
            // Models are asked for all along.
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

/// The proof with what others say, and the team with them in it.
pub fn ask_around(
    terms: &mut Terms,
    case: &Case,
    features: &Features,
    mut proof: Proof,
    team: &Team,
    neighbours: &Neighbours,
) -> (Proof, Team) {
    let mut wider = team.clone();
    let helpful = wishes(terms, case, &proof, team);
    let helpful = helpful.iter().flat_map(|w| neighbours.helpful(w, team));
    for member in helpful.filter(|member| member.understands(features)) {
        let place = wider.members.len();
        if let Some(asked) = ask(&member, place, &proof.script, &team.limits) {
            wider.members.push(member);
            proof.asked.push(asked);
        }
    }
    let query = proof.suspicion.query;
    let seen = suspicions(terms, case, &proof.asked, &wider, Care::THOROUGH);
    let seen = seen.into_iter().filter(|one| one.query == query);
    let verdicts = seen.filter_map(|one| about(one, &proof.suspicion));
    if let Some(verdict) = verdicts.min_by_key(|one| one.complaint.class) {
        proof.suspicion = verdict;
    }
    (proof, wider)
}

/// What would help to decide it.
fn wishes(terms: &mut Terms, case: &Case, proof: &Proof, team: &Team) -> Vec<Further> {
    let queries = case.script.queries();
    let number = proof.suspicion.query;
    let Some(query) = queries.get(number) else {
        return Vec::new();
    };
    let (replies, _) = replies(&proof.asked, team, number, false);
    further(&Trial {
        terms,
        script: &case.script,
        query,
        evidence: &Evidence::Agreement,
        replies: &replies,
        care: Care::THOROUGH,
    })
}

fn ask(member: &Member, place: usize, script: &str, limits: &Limits) -> Option<Asked> {
    let limits = Limits {
        wall: (limits.wall * 2).max(TIME),
        soft: None,
        ..limits.clone()
    };
    let mut session = Session::start(&member.solver, &limits);
    let run = session.ask(&Query::new(script).model()).ok()?;
    Some(Asked {
        member: place,
        answers: run.answers,
        later: None,
        mode: Mode::Fresh,
        wall: run.wall,
        cpu: run.cpu,
    })
}

/// A verdict on those who contradicted each other at first: what others do wrong is another matter.
fn about(mut verdict: Suspicion, first: &Suspicion) -> Option<Suspicion> {
    let proved = matches!(
        verdict.complaint.class,
        Class::WrongUnsat | Class::WrongSat | Class::InvalidModel
    );
    if !proved && verdict.complaint.class != Class::Disagreement {
        return None;
    }
    // Only their answers were seen again in processes of their own.
    verdict.accused.retain(|at| first.accused.contains(at));
    if verdict.accused.is_empty() && !proved {
        verdict.accused = first.accused.clone();
    }
    (!verdict.accused.is_empty()).then_some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::Complaint;
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
        let make = "nobody".to_string();
        assert_eq!(asked_for(&Further::OtherReleases { make }), [""; 0]);
    }

    #[test]
    fn other_makes_are_asked_in_their_newest_release() {
        let asked = vec!["toy".to_string()];
        assert_eq!(asked_for(&Further::OtherMakes { asked }), ["other 3.0"]);
    }

    fn verdict(class: Class, accused: &[usize]) -> Suspicion {
        Suspicion {
            query: 0,
            complaint: Complaint {
                class,
                accused: Vec::new(),
                why: String::new(),
                site: String::new(),
            },
            accused: accused.to_vec(),
            crash: None,
        }
    }

    #[test]
    fn a_majority_stays_a_disagreement_about_the_same_solvers() {
        let first = verdict(Class::Disagreement, &[0, 1]);
        let likely = about(verdict(Class::Disagreement, &[0, 4]), &first).unwrap();
        assert_eq!(likely.accused, [0]);
        assert_eq!(likely.complaint.class, Class::Disagreement);
        let shifted = about(verdict(Class::Disagreement, &[4]), &first).unwrap();
        assert_eq!(shifted.accused, [0, 1]);
    }

    #[test]
    fn what_others_do_wrong_is_another_matter() {
        let first = verdict(Class::Disagreement, &[0, 1]);
        assert!(about(verdict(Class::InvalidModel, &[4]), &first).is_none());
        assert!(about(verdict(Class::Crash, &[0]), &first).is_none());
        let decided = about(verdict(Class::WrongUnsat, &[1]), &first).unwrap();
        assert_eq!(decided.complaint.class, Class::WrongUnsat);
    }
}
