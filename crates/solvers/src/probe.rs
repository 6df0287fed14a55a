//! Probes a solver's abilities: one small query per theory, a model, a core.

use crate::limits::Limits;
use crate::profile::Mode;
use crate::run::Query;
use crate::session::Session;
use crate::solver::{Solver, StartError};
use auspex_logic::answer::Answer;
use std::time::Duration;

/// The abilities that a probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Theories whose query it answered correctly.
    pub theories: Vec<&'static str>,
    /// Theories whose query it answered wrongly; there should be none.
    pub wrong: Vec<&'static str>,
    pub models: bool,
    pub cores: bool,
    pub modes: Vec<Mode>,
    /// Its output on standard error when it first gave no answer, to explain a solver that answers nothing.
    pub complaint: String,
}

/// The query of a theory.
struct Question {
    theory: &'static str,
    logic: &'static str,
    text: &'static str,
    satisfiable: bool,
}

const fn question(
    theory: &'static str,
    logic: &'static str,
    text: &'static str,
    satisfiable: bool,
) -> Question {
    Question {
        theory,
        logic,
        text,
        satisfiable,
    }
}

const QUESTIONS: &[Question] = &[
    question(
        "core",
        "QF_UF",
        "(declare-fun p () Bool)(assert (and p (not p)))",
        false,
    ),
    question(
        "ints",
        "QF_LIA",
        "(declare-fun x () Int)(assert (and (< 3 x) (< x 5)))",
        true,
    ),
    question(
        "reals",
        "QF_LRA",
        "(declare-fun x () Real)(assert (and (< 3.0 x) (< x 4.0)))",
        true,
    ),
    question(
        "bit-vectors",
        "QF_BV",
        "(declare-fun x () (_ BitVec 4))(assert (= (bvadd x #x1) x))",
        false,
    ),
    question(
        "floating-point",
        "QF_FP",
        "(declare-fun x () (_ FloatingPoint 8 24))(assert (fp.isNaN x))",
        true,
    ),
    question(
        "arrays",
        "QF_ABV",
        "(declare-fun a () (Array (_ BitVec 4) (_ BitVec 4)))(assert (not (= (select (store a #x1 #x2) #x1) #x2)))",
        false,
    ),
    question(
        "uninterpreted",
        "QF_UFBV",
        "(declare-fun f ((_ BitVec 4)) (_ BitVec 4))(declare-fun x () (_ BitVec 4))(declare-fun y () (_ BitVec 4))(assert (and (= x y) (not (= (f x) (f y)))))",
        false,
    ),
    question(
        "datatypes",
        "QF_DT",
        "(declare-datatype D ((c0) (c1)))(declare-fun d () D)(assert (not (= d c0)))",
        true,
    ),
    question(
        "strings",
        "QF_SLIA",
        "(declare-fun s () String)(assert (= (str.len s) 2))",
        true,
    ),
    question(
        "quantifiers",
        "BV",
        "(assert (forall ((x (_ BitVec 4))) (bvult x #x7)))",
        false,
    ),
    question(
        "nonlinear",
        "QF_NRA",
        "(declare-fun x () Real)(assert (= (* x x) 4.0))",
        true,
    ),
];

/// Whether it found the query satisfiable; dReal's `delta-sat` counts.
pub(crate) fn says_sat(answer: &Answer) -> bool {
    match answer {
        Answer::Sat { .. } => true,
        Answer::Unknown { reason } => reason.starts_with("delta-sat"),
        _ => false,
    }
}

fn last_line(text: &str) -> String {
    let lines = text.lines().rev();
    let said = lines.map(str::trim).find(|line| !line.is_empty());
    said.unwrap_or_default().to_string()
}

/// Runs one small query per theory, and asks for a model and a core.
pub fn probe(solver: &Solver) -> Result<Abilities, StartError> {
    let profile = &solver.profile;
    let limits = Limits {
        wall: Duration::from_secs(5),
        ..Limits::default()
    };
    let mut abilities = Abilities {
        modes: profile.modes.clone(),
        ..Abilities::default()
    };
    for question in QUESTIONS {
        let logic = profile.logic_for(question.logic);
        let script = format!(
            "(set-logic {logic})\n{}\n(check-sat)\n(exit)\n",
            question.text
        );
        let run = solver.fresh(&script, &limits)?;
        match (run.answer(), question.satisfiable) {
            (Answer::Unsat { .. }, false) => abilities.theories.push(question.theory),
            (answer, true) if says_sat(answer) => abilities.theories.push(question.theory),
            (Answer::Sat { .. }, false) | (Answer::Unsat { .. }, true) => {
                abilities.wrong.push(question.theory);
            }
            _ if abilities.complaint.is_empty() => abilities.complaint = last_line(&run.stderr),
            _ => {}
        }
    }
    let logic = profile.logic_for("QF_UF");
    let script = format!("(set-logic {logic})\n(declare-fun p () Bool)\n(assert p)\n");
    let mut session = Session::start(solver, &limits);
    let run = session.ask(&Query::new(&script).model())?;
    abilities.models = matches!(run.answer(), Answer::Sat { model: Some(_) });
    let script = format!(
        "(set-logic {logic})\n(declare-fun p () Bool)\n(assert (! p :named a))\n(assert (! (not p) :named b))\n"
    );
    let run = session.ask(&Query::new(&script).core())?;
    abilities.cores = matches!(run.answer(), Answer::Unsat { core: Some(_) });
    Ok(abilities)
}
