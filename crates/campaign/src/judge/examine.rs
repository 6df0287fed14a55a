//! Examines a script for `check`, `reduce`, `bisect` and `recheck`: runs it on every solver in fresh processes,
//! unchanged and with requests for models and cores added, and judges every answer to every query.

use crate::judge::confirm::fresh_run;
use crate::judge::judging::{Forms, Judge, Judged, Sources};
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::{Class, Form, Link, Related, Side};
use auspex_cases::{Budget, Case, Evidence, Origin};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::script::{Command, Script};
use auspex_logic::{Answer, Terms};
use auspex_solvers::{Limits, Query, Session, Solver};

/// The examination of one script.
pub struct Examination {
    /// The solvers that answered, in the given order.
    pub team: Team,
    pub runs: Vec<SolverRun>,
    pub queries: Vec<Judged>,
    /// Solvers that could not be started, with the reason.
    pub absent: Vec<(String, String)>,
}

/// The verdict on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreVerdict {
    /// The same solver finds its members alone unsatisfiable, or it has every assertion.
    Confirmed,
    /// Its members are satisfiable, or it contains a name that no assertion has.
    Wrong,
    /// No solver answered about its members alone.
    Open,
}

/// A script as a case without known answers, with the queries that solvers are asked.
pub fn case_of(mut script: Script, terms: &Terms) -> Case {
    plain_queries(terms, &mut script);
    // A script without a query gets one.
    if script.queries().is_empty() {
        script.push(Command::CheckSat);
    }
    Case {
        evidence: vec![Evidence::NoneKnown; script.queries().len()],
        script,
        origin: Origin::default(),
    }
}

/// Treats queries by a tactic as queries; if the tactic gives up the answer is `unknown`. A tactic does not optimize,
/// which only a plain `(check-sat)` does: the query gets an empty list of assumptions.
pub fn plain_queries(terms: &Terms, script: &mut Script) {
    let optimizes = script
        .commands
        .iter()
        .any(|c| matches!(c, Command::Goal(_)));
    for command in &mut script.commands {
        let is_query = match command {
            Command::CheckSatUsing(_) => true,
            Command::Other(text) => terms.symbols.name(*text).starts_with("(check-sat-using"),
            _ => false,
        };
        if is_query {
            *command = match optimizes {
                true => Command::CheckSatAssuming(Vec::new()),
                false => Command::CheckSat,
            };
        }
    }
}

/// Runs and judges a script. `text` is the text of the case.
pub fn examine(
    terms: &mut Terms,
    case: &Case,
    text: &str,
    solvers: &[Solver],
    limits: &Limits,
) -> Examination {
    let mut team = Team::new(Vec::new(), limits.clone());
    let mut runs = Vec::new();
    let mut absent = Vec::new();
    for solver in solvers {
        match ask(case, text, solver, limits) {
            Ok(asked) => {
                let member = team.join(solver.clone());
                runs.extend(asked.into_iter().map(|run| SolverRun { member, ..run }));
            }
            Err(error) => absent.push((solver.title(), error)),
        }
    }
    let queries = judge(terms, case, &runs, &team, &[]);
    Examination {
        team,
        runs,
        queries,
        absent,
    }
}

/// Runs the script with all requests that can be judged, and unchanged, because added commands may hide a crash.
fn ask(
    case: &Case,
    text: &str,
    solver: &Solver,
    limits: &Limits,
) -> Result<Vec<SolverRun>, String> {
    let query = Query {
        want_core: case.script.assertions().any(|a| a.name.is_some()),
        ..Query::new(text).model()
    };
    let run = Session::start(solver, limits).ask(&query);
    let run = SolverRun::of(0, run.map_err(|error| error.to_string())?);
    let exact = solver.fresh_exact(text, limits);
    let exact = SolverRun::of(0, exact.map_err(|error| error.to_string())?).in_form(Form::Exact);
    Ok(vec![run, exact])
}

/// Judges runs with all evidence that fresh processes can give.
pub fn judge(
    terms: &mut Terms,
    case: &Case,
    runs: &[SolverRun],
    team: &Team,
    recorded: &[Related],
) -> Vec<Judged> {
    let limits = team.limits.clone();
    let mut ask = |member: usize, text: &str| fresh_run(team, member, text, &limits);
    let mut judge = Judge {
        team,
        budget: Budget::THOROUGH,
        sources: Sources::Recorded(recorded),
        forms: Forms::ALL,
        ask: &mut ask,
    };
    judge.judge(terms, case, runs)
}

impl Judged {
    /// The verdict on the model in a reply.
    pub fn model(
        &self,
        terms: &mut Terms,
        case: &Case,
        query: usize,
        reply: usize,
    ) -> Option<ModelVerdict> {
        let text = self.facts.replies.get(reply)?.model()?;
        let model = read_model(terms, &case.script, text).ok()?;
        Some(validate(terms, &model, case.script.queries().get(query)?))
    }

    /// The verdict on the core in a reply.
    pub fn core(&self, reply: usize) -> Option<CoreVerdict> {
        let asked = self.facts.replies.get(reply)?;
        if !matches!(asked.answer, Answer::Unsat { core: Some(_) }) {
            return None;
        }
        let wrong = |class| {
            let mut verdicts = self.verdicts.iter();
            verdicts.any(|v| v.class == class && v.accused.contains(&reply))
        };
        if wrong(Class::WrongCore) || wrong(Class::SelfContradiction) {
            return Some(CoreVerdict::Wrong);
        }
        let mut related = self.facts.related.iter();
        let Some(alone) = related.find(|one| one.link == Link::CoreOf(reply)) else {
            return Some(CoreVerdict::Confirmed);
        };
        let mut own = alone.replies.iter().filter(|r| r.solver == asked.solver);
        match own.any(|reply| reply.side() == Some(Side::Unsat)) {
            true => Some(CoreVerdict::Confirmed),
            false => Some(CoreVerdict::Open),
        }
    }
}
