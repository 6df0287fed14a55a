//! The solvers under test, and a worker's live sessions with them.

use crate::run::adaptive_timeout::AdaptiveTimeout;
use crate::schedule::features::{CaseProfile, TheorySet};
use crate::schedule::readers::{Reader, Readers};
use auspex_cases::SolverId;
use auspex_cases::oracle::{Form, Reply};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Answer, Crash, Said, Theory};
use auspex_solvers::profile::Tier;
use auspex_solvers::solver::StartError;
use auspex_solvers::{Limits, Mode, Query, Run, Session, Solver};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One solver in one configuration.
#[derive(Clone, Debug)]
pub struct Member {
    pub solver: Solver,
    /// The solver as the facts about its answers name it.
    pub id: Arc<SolverId>,
    /// Name, release and options.
    pub title: String,
    /// What it understands; none means that nobody has said.
    theories: Option<TheorySet>,
    /// The operators that it lists.
    pub reader: Reader,
    /// The name under which it is counted.
    pub label: String,
}

/// All solvers of a campaign.
#[derive(Clone, Debug)]
pub struct Team {
    /// The solvers as the user wants them, then each with one more option, asked in a few blocks only.
    pub members: Vec<Member>,
    /// How many there are without more options.
    pub plain: usize,
    /// Of one query in the campaign.
    pub limits: Limits,
}

/// The names in profiles for our theories; a profile may know more.
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

/// A solver as facts about its answers name it.
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
            reader: Reader::new(&solver.profile, solver.version.as_ref()),
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

    /// What to type to run a script.
    pub fn command(&self) -> String {
        self.solver.command(Path::new("script.smt2")).line()
    }

    /// Whether it knows the theories and the operators of a script, as far as anybody has said.
    pub fn understands(&self, features: &CaseProfile) -> bool {
        let theories = features.theories;
        self.theories.is_none_or(|known| theories.within(known))
            && self.reader.lists(&features.operators)
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

    /// Adds a solver, and gives its place.
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

    /// The whole time that a solver has for one query.
    pub fn patience(&self) -> Duration {
        self.limits.soft.unwrap_or(self.limits.wall)
    }

    /// The solvers as the user wants them.
    pub fn plain(&self) -> &[Member] {
        &self.members[..self.plain]
    }

    /// Positions of the solvers with one more option.
    pub fn variants(&self) -> Range<usize> {
        self.plain..self.members.len()
    }

    /// Those that cases are made for.
    pub fn readers(&self) -> Readers {
        let mut readers: Vec<Reader> = Vec::new();
        for member in self.plain() {
            if !readers.contains(&member.reader) {
                readers.push(member.reader.clone());
            }
        }
        Readers::new(readers)
    }

    /// The solvers that must all know the operators of a table's cases.
    pub fn known(&self) -> SolverSet {
        let names = self.plain().iter().map(Member::name);
        names.fold(SolverSet(0), |all, name| {
            let row = SolverSet::SOLVERS.iter().find(|(_, known)| *known == name);
            row.map_or(all, |(one, _)| all.union(*one))
        })
    }

    /// Names the team: what was learned about a seed holds for these solvers.
    pub fn key(&self) -> String {
        let titles: Vec<&str> = self.plain().iter().map(|m| m.title.as_str()).collect();
        crate::stable::name(&titles)
    }
}

/// How one solver answered one script.
#[derive(Clone, Debug)]
pub struct SolverRun {
    /// Position in the team.
    pub member: usize,
    pub form: Form,
    /// One per query, as far as it came.
    pub answers: Vec<Answer>,
    /// A crash after the last answer.
    pub later: Option<Crash>,
    /// The replies to its questions, as far as it came.
    pub said: Vec<Said>,
    pub mode: Mode,
    pub wall: Duration,
    pub cpu: Duration,
}

impl SolverRun {
    /// What a member of the team said to a whole script.
    pub fn of(member: usize, run: Run) -> SolverRun {
        SolverRun {
            member,
            form: match run.mode {
                Mode::Fresh => Form::Script,
                Mode::Reset | Mode::PushPop | Mode::CheckSatUsing => Form::Live,
            },
            answers: run.answers,
            later: run.later.map(|later| later.crash),
            said: run.said,
            mode: run.mode,
            wall: run.wall,
            cpu: run.cpu,
        }
    }

    pub fn in_form(self, form: Form) -> SolverRun {
        SolverRun { form, ..self }
    }

    /// The answer to a query of the script.
    pub fn answer(&self, number: usize) -> Option<&Answer> {
        self.answers.get(number)
    }

    /// One of its answers, as a fact.
    pub fn reply(&self, team: &Team, answer: Answer) -> Reply {
        Reply {
            solver: team.members[self.member].id.clone(),
            form: self.form,
            answer,
            questions: Vec::new(),
            time: Some(self.cpu),
        }
    }
}

/// What a query is asked for besides its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    pub mode: Mode,
    pub models: bool,
    pub cores: bool,
    /// Whether the answers are expected to be `sat`.
    pub likely_sat: bool,
}

/// What a solver refuses: operators and theories that never came through.
#[derive(Debug, Default)]
struct Refusals {
    /// By operator row, or theory: how often asked, how often refused.
    seen: HashMap<Trait, (u32, u32)>,
    spared: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Trait {
    Operator(u32),
    Theory(Theory),
}

/// After so many refusals and no answer a solver is no longer asked about an operator.
const PATIENCE: u32 = 12;
/// Of so many scripts that are spared, one is asked all the same: the refusals may have had other reasons.
const RETRY: u32 = 64;

fn traits(features: &CaseProfile) -> impl Iterator<Item = Trait> {
    let theories = Theory::ALL
        .into_iter()
        .filter(|t| features.theories.contains(*t));
    let operators = features.operators.iter().map(|row| Trait::Operator(*row));
    operators.chain(theories.map(Trait::Theory))
}

impl Refusals {
    fn expects_answer(&mut self, features: &CaseProfile) -> bool {
        let hopeless = traits(features).any(|one| {
            let seen = self.seen.get(&one);
            seen.is_some_and(|(asked, refused)| *refused >= PATIENCE && refused == asked)
        });
        self.spared += u32::from(hopeless);
        !hopeless || self.spared.is_multiple_of(RETRY)
    }

    fn note(&mut self, features: &CaseProfile, refused: bool) {
        for one in traits(features) {
            let (asked, refusals) = self.seen.entry(one).or_default();
            *asked += 1;
            *refusals += u32::from(refused);
        }
    }
}

/// Of so many seconds of solvers one goes to second chances.
const SECOND_CHANCES: u32 = 8;

/// Sessions of one worker, one per solver.
pub struct WorkerSessions<'t> {
    team: &'t Team,
    sessions: Vec<Session>,
    /// How long a first attempt of each may take.
    patience: Vec<AdaptiveTimeout>,
    refusals: Vec<Refusals>,
    /// The time of all attempts, and of second ones.
    spent: Duration,
    again: Duration,
}

impl<'t> WorkerSessions<'t> {
    /// A hasty crew tests more cases, a crew that is not always gives the same time.
    pub fn new(team: &'t Team, hasty: bool) -> WorkerSessions<'t> {
        let patience = match hasty {
            true => AdaptiveTimeout::learning(&team.limits),
            false => AdaptiveTimeout::endless(&team.limits),
        };
        let limits = patience.limits();
        let members = team.members.iter();
        WorkerSessions {
            team,
            sessions: members
                .map(|m| Session::start(&m.solver, &limits))
                .collect(),
            patience: vec![patience; team.members.len()],
            refusals: team.members.iter().map(|_| Refusals::default()).collect(),
            spent: Duration::ZERO,
            again: Duration::ZERO,
        }
    }

    /// Whether asking makes sense: the solver knows the theories, and does not refuse all scripts like it.
    pub fn expects_answer(&mut self, member: usize, features: &CaseProfile) -> bool {
        self.team.members[member].understands(features)
            && self.refusals[member].expects_answer(features)
    }

    /// Asks one solver one script.
    pub fn ask(
        &mut self,
        member: usize,
        script: &str,
        wants: Wants,
        features: &CaseProfile,
    ) -> Result<SolverRun, StartError> {
        let query = Query {
            script,
            mode: wants.mode,
            want_model: wants.models && self.team.members[member].solver.profile.models,
            want_core: wants.cores && self.team.members[member].solver.profile.cores,
            likely_sat: wants.likely_sat,
        };
        let mut run = self.sessions[member].ask(&query)?;
        self.spent += run.wall;
        let in_vain = run.answers.contains(&Answer::Timeout);
        let hurried = self.patience[member].hurries();
        if self.patience[member].note(run.wall, in_vain) {
            self.rest(member);
        }
        if in_vain && hurried && self.again * SECOND_CHANCES <= self.spent {
            run = self.ask_again(member, query, &run)?;
        }
        let refused = |a: &Answer| matches!(a, Answer::Rejected { .. });
        let all_refused = !run.answers.is_empty() && run.answers.iter().all(refused);
        self.refusals[member].note(features, all_refused);
        Ok(SolverRun::of(member, run))
    }

    /// Asks a script that a case is related to, after a reset where the solver has one.
    pub fn ask_related(
        &mut self,
        member: usize,
        script: &str,
        features: &CaseProfile,
    ) -> Option<SolverRun> {
        let wants = Wants {
            mode: Mode::Reset,
            models: true,
            cores: false,
            likely_sat: false,
        };
        self.ask(member, script, wants, features).ok()
    }

    /// Asks in a fresh process with the whole time limit.
    fn ask_again(
        &mut self,
        member: usize,
        query: Query<'_>,
        first: &Run,
    ) -> Result<Run, StartError> {
        let mut session = Session::start(&self.team.members[member].solver, &self.team.limits);
        let mut run = session.ask(&Query {
            mode: Mode::Fresh,
            ..query
        })?;
        self.spent += run.wall;
        self.again += run.wall;
        run.wall += first.wall;
        run.cpu += first.cpu;
        Ok(run)
    }

    /// Ends the live process of a solver that will not be asked soon, or will get other limits.
    pub fn rest(&mut self, member: usize) {
        let solver = &self.team.members[member].solver;
        let limits = self.patience[member].limits();
        let starts = self.starts(member);
        self.sessions[member] = Session::start(solver, &limits);
        self.sessions[member].starts = starts;
    }

    /// Processes started so far for live sessions with a solver.
    pub fn starts(&self, member: usize) -> u64 {
        self.sessions[member].starts
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
        assert!(member(&[]).understands(&strings), "nobody has said");
        let sets = CaseProfile {
            operators: OpTable::builtin().named("set.union").to_vec(),
            ..CaseProfile::default()
        };
        assert!(!member(&[]).understands(&sets), "not in the standard");
    }

    #[test]
    fn what_is_always_refused_is_hardly_asked_any_more() {
        let script = |operators: &[u32]| CaseProfile {
            operators: operators.to_vec(),
            ..CaseProfile::default()
        };
        let mut refusals = Refusals::default();
        for _ in 0..PATIENCE {
            assert!(refusals.expects_answer(&script(&[1, 2])));
            refusals.note(&script(&[1, 2]), true);
            refusals.note(&script(&[1]), false);
        }
        let asked = (0..640)
            .filter(|_| refusals.expects_answer(&script(&[1, 2])))
            .count();
        assert_eq!(asked, 10, "operator 2 is refused");
        assert!(refusals.expects_answer(&script(&[1])));
        refusals.note(&script(&[1, 2]), false);
        assert!(refusals.expects_answer(&script(&[1, 2])), "once is enough");
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
