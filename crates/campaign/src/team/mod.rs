//! The team: the solvers under test, the operators that each supports, and a worker's live sessions with them.

pub(crate) mod adaptive_timeout;
pub mod case_profile;
mod sessions;
mod solver_run;
pub mod vocabulary;

use crate::team::case_profile::{CaseProfile, TheorySet};
use crate::team::vocabulary::{Vocabularies, Vocabulary};
use auspex_cases::SolverId;
use auspex_logic::Theory;
use auspex_logic::theory::SolverSet;
use auspex_solvers::profile::Tier;
use auspex_solvers::{Limits, Solver};
pub use sessions::{Wants, WorkerSessions};
pub use solver_run::SolverRun;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One solver in one configuration.
#[derive(Clone, Debug)]
pub struct Member {
    pub solver: Solver,
    /// The solver's identity in facts.
    pub id: Arc<SolverId>,
    /// Name, release and options.
    pub title: String,
    /// The theories in its profile; none if it lists none.
    theories: Option<TheorySet>,
    /// The operators that it supports.
    pub vocabulary: Vocabulary,
    /// The name in counters.
    pub label: String,
}

/// All solvers of a campaign.
#[derive(Clone, Debug)]
pub struct Team {
    /// The solvers as the user configured them, then each with an additional option, which are asked in a few blocks
    /// only.
    pub members: Vec<Member>,
    /// The number of solvers without additional options.
    pub plain: usize,
    /// The limits of one query in the campaign.
    pub limits: Limits,
}

/// The names of our theories in profiles, which may list more.
const THEORY_NAMES: [(&str, Theory); 15] = [
    ("ints", Theory::Ints),
    ("reals", Theory::Reals),
    ("bit-vectors", Theory::BitVectors),
    ("floating-point", Theory::FloatingPoint),
    ("arrays", Theory::Arrays),
    ("strings", Theory::Strings),
    ("regular-expressions", Theory::Regex),
    ("datatypes", Theory::Datatypes),
    ("sequences", Theory::Sequences),
    ("sets", Theory::Sets),
    ("bags", Theory::Bags),
    ("finite-fields", Theory::FiniteFields),
    ("transcendentals", Theory::Transcendentals),
    ("separation-logic", Theory::Separation),
    ("relations", Theory::Relations),
];

/// A solver's identity in facts.
pub fn id_of(solver: &Solver) -> SolverId {
    let profile = &solver.profile;
    SolverId {
        make: profile.name.clone(),
        family: profile.family.clone().unwrap_or(profile.name.clone()),
        release: solver.version.as_ref().map(ToString::to_string),
        options: solver.options.clone(),
        has_partial_functions: profile.partial_functions,
    }
}

impl Member {
    pub fn new(solver: Solver) -> Member {
        let title = solver.title();
        let names = &solver.profile.theories;
        let theories = (!names.is_empty()).then(|| {
            let named = |(name, _): &&(&str, Theory)| names.iter().any(|n| n == name);
            let known = THEORY_NAMES.iter().filter(named).map(|(_, theory)| *theory);
            let always = [Theory::Core, Theory::User];
            TheorySet::of(&known.chain(always).collect::<Vec<_>>())
        });
        Member {
            label: title.clone(),
            vocabulary: Vocabulary::new(&solver.profile, solver.version.as_ref()),
            id: Arc::new(id_of(&solver)),
            solver,
            title,
            theories,
        }
    }

    pub fn name(&self) -> &str {
        &self.solver.profile.name
    }

    pub fn release(&self) -> Option<String> {
        self.solver.version.as_ref().map(ToString::to_string)
    }

    /// The command line that runs a script.
    pub fn command(&self) -> String {
        self.solver.command(Path::new("script.smt2")).line()
    }

    /// Whether it supports the theories and operators of a script, according to its profile.
    pub fn understands(&self, features: &CaseProfile) -> bool {
        let theories = features.theories;
        self.theories.is_none_or(|known| theories.within(known))
            && self.vocabulary.lists(&features.operators)
    }
}

impl Team {
    pub fn new(solvers: Vec<Solver>, limits: Limits) -> Team {
        let members: Vec<Member> = solvers.into_iter().map(Member::new).collect();
        Team {
            plain: members.len(),
            members,
            limits,
        }
    }

    /// Adds a solver; returns its position.
    pub fn join(&mut self, solver: Solver) -> usize {
        self.members.push(Member::new(solver));
        self.plain = self.members.len();
        self.plain - 1
    }

    /// Adds each solver with each of the options that its maintainers support.
    pub fn with_options(mut self) -> Team {
        for member in self.members.clone().into_iter().take(self.plain) {
            let Some(version) = &member.solver.version else {
                continue;
            };
            for row in member.solver.profile.options_for(Tier::Normal, version) {
                let words = row.text.split_whitespace();
                let option: Vec<String> = words.map(String::from).collect();
                if !member.solver.options.contains(&row.text) {
                    let mut variant = Member::new(member.solver.clone().with_options(&option));
                    variant.label = format!("{} with options", member.title);
                    self.members.push(variant);
                }
            }
        }
        self
    }

    /// The whole time limit of one query.
    pub fn time_limit(&self) -> Duration {
        self.limits.soft.unwrap_or(self.limits.wall)
    }

    /// The solvers as the user configured them.
    pub fn plain(&self) -> &[Member] {
        &self.members[..self.plain]
    }

    /// Positions of the solvers with an additional option.
    pub fn variants(&self) -> Range<usize> {
        self.plain..self.members.len()
    }

    /// The solvers that cases are made for.
    pub fn vocabularies(&self) -> Vocabularies {
        let mut vocabularies: Vec<Vocabulary> = Vec::new();
        for member in self.plain() {
            if !vocabularies.contains(&member.vocabulary) {
                vocabularies.push(member.vocabulary.clone());
            }
        }
        Vocabularies::new(vocabularies)
    }

    /// The solvers that must all support the operators of a table's cases.
    pub fn known(&self) -> SolverSet {
        let names = self.plain().iter().map(Member::name);
        names.fold(SolverSet(0), |all, name| {
            let row = SolverSet::SOLVERS.iter().find(|(_, known)| *known == name);
            row.map_or(all, |(one, _)| all.union(*one))
        })
    }

    /// An identifier of the team, since what was learned about a seed holds for these solvers.
    pub fn key(&self) -> String {
        let titles: Vec<&str> = self.plain().iter().map(|m| m.title.as_str()).collect();
        crate::stable::name(&titles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::OpTable;
    use auspex_solvers::profile::OptionRow;
    use auspex_solvers::version::Version;
    use auspex_solvers::{Invocation, Profile};

    fn member(theories: &[&str]) -> Member {
        let mut profile = Profile::unknown("toy");
        profile.theories = theories.iter().map(ToString::to_string).collect();
        Member::new(Solver {
            profile: Arc::new(profile),
            base: Invocation::default(),
            version: None,
            commit: None,
            options: Vec::new(),
        })
    }

    #[test]
    fn a_solver_is_not_asked_what_it_does_not_know() {
        let strings = CaseProfile {
            theories: TheorySet::of(&[Theory::Core, Theory::Strings]),
            ..CaseProfile::default()
        };
        assert!(!member(&["bit-vectors"]).understands(&strings));
        assert!(member(&["bit-vectors", "strings"]).understands(&strings));
        assert!(
            member(&[]).understands(&strings),
            "the profile lists no theories"
        );
        let sets = CaseProfile {
            operators: OpTable::builtin().named("set.union").to_vec(),
            ..CaseProfile::default()
        };
        assert!(!member(&[]).understands(&sets), "not in the standard");
    }

    #[test]
    fn every_theory_of_a_standard_script_has_a_name_in_profiles() {
        let named = THEORY_NAMES.map(|(_, theory)| theory);
        for theory in Theory::ALL {
            let always = matches!(theory, Theory::Core | Theory::User);
            assert!(always || named.contains(&theory), "{}", theory.name());
        }
    }

    #[test]
    fn options_make_more_members_of_the_same_team() {
        let mut profile = Profile::unknown("toy");
        let option = |text: &str, tier| OptionRow {
            text: text.to_string(),
            tier,
            means: String::new(),
            since: None,
            until: None,
        };
        profile.options = vec![
            option("--fast", Tier::Normal),
            option("--odd", Tier::Unsupported),
        ];
        let solver = |version| Solver {
            profile: Arc::new(profile.clone()),
            base: Invocation::default(),
            version,
            commit: None,
            options: Vec::new(),
        };
        let plain = Team::new(vec![solver(Version::read("1.0"))], Limits::default());
        let team = plain.clone().with_options();
        let titles: Vec<&str> = team.members.iter().map(|m| m.title.as_str()).collect();
        assert_eq!(titles, ["toy 1.0", "toy 1.0 --fast"]);
        assert_eq!(team.members[1].label, "toy 1.0 with options");
        assert_eq!((team.key(), team.variants()), (plain.key(), 1..2));
        let unknown = Team::new(vec![solver(None)], Limits::default()).with_options();
        assert!(unknown.variants().is_empty(), "which options does it have?");
    }

    #[test]
    fn a_team_is_known_by_its_members() {
        let team = |members: Vec<Member>| Team {
            plain: members.len(),
            members,
            limits: Limits::default(),
        };
        let one = team(vec![member(&[])]);
        let two = team(vec![member(&[]), member(&[])]);
        assert_eq!(one.key(), team(vec![member(&[])]).key());
        assert_ne!(one.key(), two.key());
        assert_eq!(one.known(), SolverSet(0));
    }
}
