//! The team: the solvers under test, the operators that each supports, and a worker's live sessions with them.

pub(crate) mod adaptive_timeout;
pub mod case_profile;
pub mod configuration;
mod refusals;
mod sessions;
mod solver_run;
pub mod sweep;
pub mod vocabulary;

use crate::team::case_profile::CaseProfile;
use crate::team::configuration::Configuration;
use crate::team::vocabulary::{Vocabularies, Vocabulary, logics_of};
use auspex_cases::SolverId;
use auspex_cases::features::Features;
use auspex_cases::logic_set::LogicSet;
use auspex_logic::TheorySet;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Command, OpTable, Script, Terms, Theory};
use auspex_solvers::options::Setting;
use auspex_solvers::settable::changes_meaning;
use auspex_solvers::{Limits, Solver};
pub use sessions::{Wants, WorkerSessions};
pub use solver_run::SolverRun;
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
    /// What its theories allow.
    features: Features,
    logics: LogicSet,
    /// Rows that it takes only under an option that it does not have.
    turned_off: Vec<u32>,
    /// Commands and attributes that it does not take.
    strange: Vec<String>,
    /// The only floating-point formats that it takes; none if it takes all.
    formats: Option<Vec<(u32, u32)>>,
    /// The name in counters.
    pub label: String,
}

/// All solvers of a campaign.
#[derive(Clone, Debug)]
pub struct Team {
    /// The solvers as the user wants them, then perhaps one of them in the configuration of a block.
    pub members: Vec<Member>,
    /// How many there are as the user wants them.
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
        reads_otherwise: solver.options.iter().any(|word| {
            let set = Setting::read(word);
            set.is_some_and(|set| changes_meaning(profile, &set.name, &set.value))
        }),
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
        let profile = &solver.profile;
        let turned_off: Vec<_> = profile
            .turned_off(solver.version.as_ref(), &solver.options)
            .collect();
        let rows = turned_off.iter().flat_map(|one| &one.operators);
        let strange = turned_off.iter().flat_map(|one| &one.words);
        let mut formats = turned_off.iter().map(|one| &one.formats_beyond);
        Member {
            label: title.clone(),
            vocabulary: Vocabulary::new(profile, solver.version.as_ref()),
            features: Features::of_names(&profile.theories),
            logics: logics_of(profile),
            turned_off: rows
                .flat_map(|name| OpTable::builtin().named(name).to_vec())
                .collect(),
            strange: strange.cloned().collect(),
            formats: formats.rfind(|all| !all.is_empty()).cloned(),
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

    /// Whether it takes a script, according to its profile.
    pub fn understands(&self, script: &CaseProfile) -> bool {
        self.objection(script).is_none()
    }

    /// What of a script it does not take, according to its profile.
    pub fn objection(&self, script: &CaseProfile) -> Option<String> {
        let strange = |known: &Vec<(u32, u32)>| {
            let mut formats = script.formats.iter();
            formats.find(|one| !known.contains(one)).copied()
        };
        let is_off = |row: &&u32| self.turned_off.contains(row);
        if self
            .theories
            .is_some_and(|known| !known.includes(script.theories))
        {
            return Some("has no such theory".to_string());
        }
        if !self.vocabulary.lists(&script.operators) {
            return Some("has no such operator".to_string());
        }
        if !self.features.includes(script.needs) {
            return Some("has no such sorts, functions, quantifiers or products".to_string());
        }
        if let Some((eb, sb)) = self.formats.as_ref().and_then(strange) {
            return Some(format!("takes no format {eb} {sb}"));
        }
        if let Some(word) = self.strange.iter().find(|word| script.words.contains(word)) {
            return Some(format!("takes no {word}"));
        }
        if let Some(row) = script.operators.iter().find(is_off) {
            let table = OpTable::builtin();
            let name = &table.rows()[*row as usize].name;
            return Some(format!("takes {name} under an option only"));
        }
        let wants_cores = script
            .words
            .iter()
            .any(|word| word == ":produce-unsat-cores");
        if wants_cores && !self.gives_cores(script) {
            return Some("gives no cores of this".to_string());
        }
        match (
            &script.logic,
            self.logics.takes(script.logic.as_deref(), script.needs),
        ) {
            (_, true) => None,
            (Some(logic), false) => Some(format!("does not take this in {logic}")),
            (None, false) => Some("takes no script without a logic".to_string()),
        }
    }
}

impl Member {
    /// Whether it can be asked for the core of a script.
    pub fn gives_cores(&self, script: &CaseProfile) -> bool {
        let profile = &self.solver.profile;
        let logic = script.logic.as_ref();
        let allowed = logic.and_then(|logic| self.logics.allowed(logic));
        let needs = script.needs.union(allowed.unwrap_or(script.needs));
        let clashes = |word: &String| match Features::named(word) {
            Some(feature) => needs.includes(feature),
            None => script.words.contains(word),
        };
        profile.cores && !profile.cores_clash.iter().any(clashes)
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

    /// The same solvers, and one of them in a configuration, which stands last.
    pub fn configured(&self, configuration: &Configuration) -> Team {
        let mut team = self.clone();
        team.members.truncate(team.plain);
        if let Some(member) = self.plain().get(configuration.member) {
            let solver = member.solver.clone().with_options(&configuration.options);
            let mut configured = Member::new(solver);
            configured.label = format!("{} with options", member.title);
            team.members.push(configured);
        }
        team
    }

    /// The makes to which a script means something else than the standard says, because of an option that it sets.
    pub fn other_makes(&self, terms: &Terms, script: &Script) -> Vec<String> {
        let set = script.commands.iter().filter_map(|command| match command {
            Command::SetOption(name, value) => Some((name, value)),
            _ => None,
        });
        let mut makes = Vec::new();
        for (name, value) in set {
            let (name, value) = (terms.symbols.name(*name), terms.symbols.name(*value));
            let name = name.strip_prefix(':').unwrap_or(name);
            let profiles = self.members.iter().map(|member| &member.solver.profile);
            let other = profiles.filter(|profile| changes_meaning(profile, name, value));
            makes.extend(other.map(|profile| profile.name.clone()));
        }
        makes
    }

    /// The whole time limit of one query.
    pub fn time_limit(&self) -> Duration {
        self.limits.soft.unwrap_or(self.limits.wall)
    }

    /// The solvers as the user configured them.
    pub fn plain(&self) -> &[Member] {
        &self.members[..self.plain]
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
    fn a_configuration_stands_last_in_the_same_team() {
        let plain = Team::new(vec![member(&[]).solver], Limits::default());
        let configuration = |word: &str| Configuration {
            member: 0,
            options: vec![word.to_string()],
            groups: Vec::new(),
        };
        let team = plain.configured(&configuration("--odd"));
        let team = team.configured(&configuration("--fast"));
        let titles: Vec<&str> = team.members.iter().map(|m| m.title.as_str()).collect();
        assert_eq!(titles, ["toy", "toy --fast"]);
        assert_eq!(team.members[1].label, "toy with options");
        assert_eq!((team.key(), team.plain), (plain.key(), 1));
    }

    #[test]
    fn who_reads_a_script_otherwise_is_known_by_its_options() {
        let profile = |name: &str| {
            let mut all = auspex_solvers::profile::profiles(None).unwrap().into_iter();
            Arc::new(all.find(|profile| profile.name == name).unwrap())
        };
        let solver = |name: &str| Solver {
            profile: profile(name),
            ..member(&[]).solver
        };
        let team = Team::new(vec![solver("z3"), solver("cvc5")], Limits::default());
        let makes = |text: &str| {
            let mut terms = Terms::new();
            let script = auspex_logic::read_script(&mut terms, text).unwrap().script;
            team.other_makes(&terms, &script)
        };
        assert_eq!(makes("(set-option :encoding ascii)(check-sat)"), ["z3"]);
        assert_eq!(
            makes("(set-option :solve-int-as-bv 8)(check-sat)"),
            ["cvc5"]
        );
        assert_eq!(makes("(set-option :encoding unicode)(check-sat)"), [""; 0]);
        let own = solver("z3").with_options(&["smt.arith.ignore_int=true".to_string()]);
        assert!(id_of(&own).reads_otherwise && !id_of(&solver("z3")).reads_otherwise);
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
