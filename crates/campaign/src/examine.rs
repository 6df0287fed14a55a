//! Examines a script: runs it on every solver in fresh processes and judges every answer to every query.

use auspex_cases::oracle::{Complaint, Reply, Trial, crash, judge};
use auspex_cases::{Care, Class, Evidence};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::{Command, Query, Script};
use auspex_logic::{Answer, Terms};
use auspex_solvers::run::Query as Ask;
use auspex_solvers::session::Session;
use auspex_solvers::{Limits, Run, Solver};
use std::time::Duration;

/// What became of one script.
pub struct Examination {
    pub queries: Vec<QueryResult>,
    /// The solvers' names, in the order of the columns.
    pub solvers: Vec<String>,
    /// Solvers that could not be started, with the reason.
    pub absent: Vec<(String, String)>,
}

/// One query: every solver's answer with what it is worth, and the complaints.
pub struct QueryResult {
    pub cells: Vec<Cell>,
    pub complaints: Vec<Complaint>,
}

pub struct Cell {
    pub answer: Answer,
    pub time: Duration,
    pub model: Option<ModelVerdict>,
    pub core: Option<CoreVerdict>,
}

/// What a reported core is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreVerdict {
    /// Asked again alone, it is unsatisfiable.
    Confirmed,
    /// Asked again alone, it is satisfiable, with a model that our evaluator accepts.
    Wrong,
    /// Asked again alone, the answer is neither.
    Open,
}

/// What solvers said to a script.
pub struct Columns<'s> {
    runs: Vec<(&'s Solver, Run)>,
    absent: Vec<(String, String)>,
}

impl<'s> Columns<'s> {
    /// Asks every solver for everything that can be judged.
    pub fn ask(script: &Script, text: &str, solvers: &'s [Solver], limits: &Limits) -> Columns<'s> {
        let named = script.assertions().any(|a| a.name.is_some());
        let ask = Ask {
            want_core: named,
            ..Ask::new(text).model()
        };
        let mut columns = Columns {
            runs: Vec::new(),
            absent: Vec::new(),
        };
        for solver in solvers {
            match Session::start(solver, limits).ask(&ask) {
                Ok(run) => columns.runs.push((solver, run)),
                Err(error) => columns.absent.push((solver.title(), error.to_string())),
            }
        }
        columns
    }

    /// Whether one crashed in the middle of a question.
    pub fn has_crash(&self) -> bool {
        let mut answers = self.runs.iter().flat_map(|(_, run)| &run.answers);
        answers.any(|answer| matches!(answer, Answer::Crashed(_)))
    }

    pub fn extend(&mut self, more: Columns<'s>) {
        self.runs.extend(more.runs);
        self.absent.extend(more.absent);
    }
}

/// Runs and judges a script. `text` is what was read into `script`.
pub fn examine(
    terms: &mut Terms,
    script: &Script,
    text: &str,
    solvers: &[Solver],
    limits: &Limits,
) -> Examination {
    judge_all(
        terms,
        script,
        Columns::ask(script, text, solvers, limits),
        limits,
    )
}

/// Judges what solvers said to a script.
pub fn judge_all(
    terms: &mut Terms,
    script: &Script,
    columns: Columns<'_>,
    limits: &Limits,
) -> Examination {
    let queries = queries_of(script);
    let Columns {
        runs: columns,
        absent,
    } = columns;
    let mut results = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        let replies: Vec<Reply> = columns
            .iter()
            .map(|(solver, run)| Reply::new(solver.title(), answer_at(run, number)))
            .collect();
        let evidence = Evidence::Agreement;
        let mut trial = Trial {
            terms,
            script,
            query,
            evidence: &evidence,
            replies: &replies,
            care: Care::THOROUGH,
        };
        let mut complaints = judge(&mut trial);
        if number + 1 == queries.len() {
            // A crash after the last answer does not hide behind it.
            let late = columns.iter().enumerate();
            complaints.extend(late.filter_map(|(at, (solver, run))| {
                let later = run.later.as_ref()?;
                Some(crash::complaint(at, &solver.title(), &later.crash))
            }));
        }
        let mut cells = Vec::new();
        for (at, (solver, run)) in columns.iter().enumerate() {
            let core = check_core(terms, script, query, solver, &replies[at].answer, limits);
            if core == Some(CoreVerdict::Wrong) {
                complaints.push(Complaint {
                    class: Class::WrongCore,
                    accused: vec![at],
                    why: format!(
                        "{} reports a core that is satisfiable on its own.",
                        replies[at].solver
                    ),
                    site: String::new(),
                });
            }
            let model = model_verdict(terms, script, query, &replies[at].answer);
            cells.push(Cell {
                answer: replies[at].answer.clone(),
                time: run.wall,
                model,
                core,
            });
        }
        results.push(QueryResult { cells, complaints });
    }
    let solvers = columns.iter().map(|(solver, _)| solver.title()).collect();
    Examination {
        queries: results,
        solvers,
        absent,
    }
}

/// A script without a query is asked one about everything.
pub fn queries_of(script: &Script) -> Vec<Query> {
    let queries = script.queries();
    if !queries.is_empty() {
        return queries;
    }
    let mut asked = script.clone();
    asked.push(Command::CheckSat);
    asked.queries()
}

fn answer_at(run: &Run, number: usize) -> Answer {
    run.answers
        .get(number)
        .cloned()
        .unwrap_or_else(|| match run.answers.last() {
            // After a crash, a timeout or a refusal nothing more comes.
            Some(
                last @ (Answer::Crashed(_)
                | Answer::Timeout
                | Answer::OutOfMemory
                | Answer::Rejected { .. }),
            ) => last.clone(),
            _ => Answer::Garbled {
                text: "no answer".into(),
            },
        })
}

fn model_verdict(
    terms: &mut Terms,
    script: &Script,
    query: &Query,
    answer: &Answer,
) -> Option<ModelVerdict> {
    let Answer::Sat { model: Some(text) } = answer else {
        return None;
    };
    let model = read_model(terms, script, text).ok()?;
    Some(validate(terms, &model, query))
}

/// Asks the core alone: declarations, the members of the core and the unnamed assertions.
fn check_core(
    terms: &mut Terms,
    script: &Script,
    query: &Query,
    solver: &Solver,
    answer: &Answer,
    limits: &Limits,
) -> Option<CoreVerdict> {
    let Answer::Unsat { core: Some(core) } = answer else {
        return None;
    };
    let member = |name: Option<auspex_logic::Symbol>| match name {
        Some(name) => core.iter().any(|c| c == terms.symbols.name(name)),
        None => true,
    };
    let mut alone = Script::default();
    let definitions = script.commands.iter().filter(|command| {
        matches!(
            command,
            Command::DeclareFun(_)
                | Command::DeclareSort(..)
                | Command::DefineSort(..)
                | Command::DeclareDatatypes(_)
                | Command::DefineFun(_)
                | Command::DefineFunsRec(_)
                | Command::SetLogic(_)
        )
    });
    alone.commands.extend(definitions.cloned());
    let members = query.assertions.iter().filter(|a| member(a.name));
    alone.commands.extend(members.map(|a| Command::Assert(*a)));
    alone.push(Command::CheckSat);
    let text = render::script(terms, &alone, Sharing::Auto);
    let run = Session::start(solver, limits)
        .ask(&Ask::new(&text).model())
        .ok()?;
    Some(match run.answer() {
        Answer::Unsat { .. } => CoreVerdict::Confirmed,
        sat @ Answer::Sat { .. } => {
            let query = alone.queries().pop()?;
            match model_verdict(terms, &alone, &query, sat) {
                Some(ModelVerdict::Valid) => CoreVerdict::Wrong,
                _ => CoreVerdict::Open,
            }
        }
        _ => CoreVerdict::Open,
    })
}
