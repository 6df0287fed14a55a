//! Makes a case again from its replay line, and runs a stored finding again.

use crate::findings::finding::{EvidenceRecord, Finding};
use crate::judge::candidate::Candidate;
use crate::judge::confirm::fresh_run;
use crate::judge::examine;
use crate::judge::judging::{Forms, Judge, Sources, Unconfirmed};
use crate::schedule::maker::Maker;
use crate::schedule::recipe::{BadRecipe, Recipe, Source};
use crate::script::without_names;
use crate::seeds::pool::SeedFile;
use crate::team::case_profile::features;
use crate::team::vocabulary::Vocabularies;
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::{Link, Related, SourceStatus};
use auspex_cases::strategy::named;
use auspex_cases::{Budget, Case, Class, Evidence, Seed};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, Terms, read_script};
use auspex_solvers::{Limits, Query, Solver};
use std::time::Duration;

/// Why a case could not be made again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Line(#[from] BadRecipe),
    #[error("unknown strategy {0}")]
    NoStrategy(String),
    #[error("the seed {0} is missing")]
    NoSeed(String),
    #[error("the replay line gives no case; it was written by another release of auspex")]
    NoCase,
    #[error("the stored script cannot be read")]
    Unreadable,
    #[error("{0}")]
    Profiles(String),
}

/// Makes the case of a replay line again, with the operators of the arena. Seeds that are files come from the
/// finding.
pub fn make(
    terms: &mut Terms,
    recipe: &Recipe,
    finding: Option<&Finding>,
) -> Result<Case, ReplayError> {
    let (maker, seeds) = workplace(terms, recipe, finding)?;
    let strategy = maker.strategies[0];
    let case = maker.make(terms, strategy, &seeds, recipe.case);
    let mut case = case.ok_or(ReplayError::NoCase)?;
    match &recipe.asks {
        None if strategy.makes().is_empty() => {
            let needs = features(terms, &case.script).needs;
            maker.set_logic(terms, &mut case.script, recipe.case, needs);
            Ok(case)
        }
        None => Ok(case),
        Some(question) => maker
            .ask(terms, &case, recipe.case, question)
            .ok_or(ReplayError::NoCase),
    }
}

/// The texts a finding was made from, oldest first: its seeds, then the script before each mutation.
pub fn stages(finding: &Finding) -> Vec<String> {
    let mut texts: Vec<String> = finding.seeds.iter().map(|s| s.text.clone()).collect();
    let terms = &mut finding.terms();
    if let Ok(recipe) = finding.replay.parse::<Recipe>()
        && let Ok((maker, seeds)) = workplace(terms, &recipe, Some(finding))
    {
        let mut scripts = maker.stages(terms, maker.strategies[0], &seeds, recipe.case);
        scripts.pop();
        let text = |script: &Script| render::script(terms, script, Sharing::Auto);
        texts.extend(scripts.iter().map(text));
    }
    texts
}

/// The maker of a case, and its seeds.
fn workplace(
    terms: &mut Terms,
    recipe: &Recipe,
    finding: Option<&Finding>,
) -> Result<(Maker, Vec<Seed>), ReplayError> {
    let strategy =
        named(&recipe.strategy).ok_or_else(|| ReplayError::NoStrategy(recipe.strategy.clone()))?;
    let maker = Maker {
        seed: recipe.seed,
        strategies: vec![strategy],
        theories: recipe.theories.clone(),
        vocabularies: Vocabularies::named(&recipe.solvers).map_err(ReplayError::Profiles)?,
        kinds: Vec::new(),
        table: terms.table().clone(),
    };
    let mut seeds = Vec::new();
    for source in &recipe.from {
        seeds.push(seed(terms, &maker, source, finding)?);
    }
    Ok((maker, seeds))
}

fn seed(
    terms: &mut Terms,
    maker: &Maker,
    source: &Source,
    finding: Option<&Finding>,
) -> Result<Seed, ReplayError> {
    match source {
        Source::Made(number) => maker.made_seed(terms, *number).ok_or(ReplayError::NoCase),
        Source::File { key, name } => {
            let missing = || ReplayError::NoSeed(name.clone());
            let records = finding.map_or(&[][..], |finding| &finding.seeds);
            for record in records.iter().filter(|record| record.name == *name) {
                let file = SeedFile::new(record.name.clone(), record.text.clone());
                if let Ok(file) = file
                    && file.key == *key
                {
                    let loaded = file.load(terms, &record.facts);
                    return loaded.ok_or_else(missing);
                }
            }
            Err(missing())
        }
    }
}

/// Whether two scripts have the same assertions, whatever their options and other commands.
pub fn same_assertions(a: (&Terms, &Script), b: (&Terms, &Script)) -> bool {
    texts(a) == texts(b)
}

/// Whether the last assertions of a script are those of another.
pub fn ends_with(whole: (&Terms, &Script), last: (&Terms, &Script)) -> bool {
    texts(whole).ends_with(&texts(last))
}

fn texts((terms, script): (&Terms, &Script)) -> Vec<String> {
    // Names were given to ask for cores.
    let script = without_names(script);
    let assertions = script
        .commands
        .iter()
        .filter(|c| matches!(c, Command::Assert(_)));
    let text = |command: &Command| {
        let mut out = String::new();
        render::command_to(terms, command, Sharing::Auto, &mut out);
        out
    };
    assertions.map(text).collect()
}

/// The result of running a stored finding again.
pub struct Rerun {
    pub runs: Vec<SolverRun>,
    pub verdicts: Vec<Unconfirmed>,
}

impl Rerun {
    /// The verdict that a finding is about, if it shows again.
    pub fn shows(&self, finding: &Finding, team: &Team) -> Option<&Unconfirmed> {
        let accused = finding.accused.first()?;
        let of_class = |class: Class| {
            let mut verdicts = self.verdicts.iter();
            verdicts.find(|one| {
                let mut titles = one.accused().into_iter().map(|at| &team.members[at].title);
                one.verdict.class == class && titles.any(|title| title == accused)
            })
        };
        // If only other solvers contradict a reduced script, they are the evidence.
        let others = match finding.class {
            Class::WrongSat => of_class(Class::Disagreement),
            _ => None,
        };
        // A proof that one of two contradicting answers is wrong is even stronger.
        let decided = match finding.class {
            Class::SelfContradiction | Class::Disagreement => {
                let proofs = Class::ALL.into_iter().filter(|class| class.is_proof());
                proofs.into_iter().find_map(of_class)
            }
            _ => None,
        };
        of_class(finding.class).or(others).or(decided)
    }
}

/// The evidence for a script other than the original: only a model can be checked again, and a relation whose sources
/// were reduced with the script.
fn still_valid(finding: &Finding, text: &str, terms: &mut Terms, script: &Script) -> Evidence {
    let holds = |model: &str| {
        let candidate = Candidate::read(text);
        candidate.is_some_and(|mut c| (0..c.queries()).all(|n| c.holds(model, &[n])))
    };
    let related = finding.related.iter();
    let sources = related.filter(|one| matches!(one.link, Link::Source(_)));
    let as_reduced = finding.reduced.as_deref() == Some(text)
        && sources.clone().count() > 0
        && sources.clone().all(|one| one.reduced.is_some());
    match &finding.evidence {
        record @ EvidenceRecord::Witness { model } if holds(model) => record.restore(terms, script),
        record @ EvidenceRecord::Relation { .. } if as_reduced => record.restore(terms, script),
        _ => Evidence::NoneKnown,
    }
}

/// The related scripts that belong to a text of the finding.
pub fn related_to(finding: &Finding, text: &str) -> Vec<Related> {
    let reduced = finding.reduced.as_deref() == Some(text) && text != finding.script;
    let mut all = finding.related_facts();
    for (one, record) in all.iter_mut().zip(&finding.related) {
        if let (true, Some(reduced)) = (reduced, &record.reduced) {
            one.text.clone_from(&reduced.text);
            one.known = SourceStatus::Nothing;
        }
    }
    all
}

/// The other forms of the query that a finding refers to.
pub fn forms(finding: &Finding) -> Forms {
    let links: Vec<Link> = finding.related.iter().map(|one| one.link).collect();
    Forms::of(&links)
}

/// Processor time of the accused when it was found slow.
fn took(finding: &Finding) -> Duration {
    let replies = finding.replies.iter();
    let accused = replies.filter(|reply| finding.accused.contains(&reply.title));
    let most = accused.map(|reply| reply.cpu_ms).fold(0.0, f64::max);
    Duration::try_from_secs_f64(most / 1e3).unwrap_or_default()
}

/// A text of a finding as a case, with what is still known about it.
pub fn case_of(finding: &Finding, text: &str, terms: &mut Terms) -> Result<Case, ReplayError> {
    let reading = read_script(terms, text).map_err(|_| ReplayError::Unreadable)?;
    let mut case = examine::case_of(reading.script, terms);
    let evidence = match text == finding.script {
        true => finding.evidence.restore(terms, &case.script),
        false => still_valid(finding, text, terms, &case.script),
    };
    // A reduced script may have fewer queries.
    let place = finding.query.min(case.evidence.len().saturating_sub(1));
    if let Some(one) = case.evidence.get_mut(place) {
        *one = evidence;
    }
    Ok(case)
}

/// Runs the stored script on every solver of a team in fresh processes, and judges.
pub fn rerun(finding: &Finding, text: &str, team: &Team) -> Result<Rerun, ReplayError> {
    let mut terms = finding.terms();
    let case = case_of(finding, text, &mut terms)?;
    let mut runs = Vec::new();
    for (member, one) in team.members.iter().enumerate() {
        let mut solver = one.solver.clone();
        if finding.setting.is_incremental() {
            let incremental = solver.profile.incremental.clone();
            solver = solver.with_options(&incremental);
        }
        runs.extend(
            ask_again(finding, text, &solver, &team.limits).map(|run| SolverRun { member, ..run }),
        );
    }
    let slow_from = (finding.class == Class::Slowness).then(|| took(finding) / 2);
    let budget = Budget {
        slow_from,
        ..Budget::THOROUGH
    };
    let recorded = related_to(finding, text);
    let mut ask = |member: usize, text: &str| fresh_run(team, member, text, &team.limits);
    let mut judge = Judge {
        team,
        budget,
        sources: Sources::Recorded(&recorded),
        forms: forms(finding),
        ask: &mut ask,
    };
    let verdicts = judge.verdicts(&mut terms, &case, &runs);
    Ok(Rerun { runs, verdicts })
}

/// Asks one solver in the form that showed the bug.
pub fn ask_again(
    finding: &Finding,
    text: &str,
    solver: &Solver,
    limits: &Limits,
) -> Option<SolverRun> {
    // The script itself may not ask for the wrong model, or for the model that refutes an `unsat`.
    let by_model = matches!(
        finding.class,
        Class::InvalidModel | Class::WrongUnsat | Class::Wrong(_)
    );
    let by_core = finding.is_about_core();
    let query = Query {
        want_model: by_model && solver.profile.models,
        want_core: by_core && solver.profile.cores,
        ..Query::new(text)
    };
    let run = match query.want_model || query.want_core {
        true => solver.fresh_query(&query, limits),
        false => solver.fresh(text, limits),
    };
    Some(SolverRun::of(0, run.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_makes_the_same_case_twice() {
        let recipe: Recipe = "strategy=construct seed=5 case=77".parse().unwrap();
        let text = || {
            let mut terms = Terms::new();
            let case = make(&mut terms, &recipe, None).unwrap();
            render::script(&terms, &case.script, Sharing::Auto)
        };
        assert_eq!(text(), text());
        let mutant: Recipe = "strategy=typefuzz seed=5 case=77 from=made:3"
            .parse()
            .unwrap();
        assert!(make(&mut Terms::new(), &mutant, None).is_ok());
    }

    #[test]
    fn what_is_missing_is_told() {
        let made = |line: &str| make(&mut Terms::new(), &line.parse().unwrap(), None).err();
        assert!(matches!(
            made("strategy=nope seed=1 case=1"),
            Some(ReplayError::NoStrategy(_))
        ));
        let file = "strategy=typefuzz seed=1 case=1 from=file:0:a.smt2";
        assert!(matches!(made(file), Some(ReplayError::NoSeed(_))));
    }

    #[test]
    fn options_and_commands_around_the_assertions_do_not_matter() {
        let same = |a: &str, b: &str| {
            let (mut one, mut two) = (Terms::new(), Terms::new());
            let a = read_script(&mut one, a).unwrap().script;
            let b = read_script(&mut two, b).unwrap().script;
            same_assertions((&one, &a), (&two, &b))
        };
        let plain = "(declare-const x Int)(assert (< x 1))(check-sat)";
        let more = "(set-option :produce-models true)(declare-const x Int)(push 1)(assert (< x 1))(check-sat)(get-model)";
        assert!(same(plain, more));
        assert!(!same(
            plain,
            "(declare-const x Int)(assert (< x 2))(check-sat)"
        ));
    }
}
