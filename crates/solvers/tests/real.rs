//! Every solver that is here, asked for real: each mode gives the same true answers as a fresh process.
//! Where no solver is on PATH or in the cache there is nothing to ask, and the recorded replies must do.

use auspex_logic::answer::Answer;
use auspex_solvers::discover::Catalog;
use auspex_solvers::session::Recycle;
use auspex_solvers::{Limits, Mode, Query, Session, Solver};

fn found() -> Vec<Solver> {
    let found = Catalog::of_user().unwrap().found();
    found.into_iter().map(|found| found.solver).collect()
}

/// The solvers that know what the scripts are about.
fn solvers() -> Vec<Solver> {
    let knows = |solver: &Solver| solver.profile.theories.iter().any(|t| t == "bit-vectors");
    found().into_iter().filter(knows).collect()
}

/// The script with the logic that the solver has.
fn adapted(script: &str, solver: &Solver) -> String {
    script.replace("QF_BV", solver.profile.logic_for("QF_BV"))
}

const SAT: &str = "(set-logic QF_BV)\n(declare-fun x () (_ BitVec 8))\n(assert (bvult #xfe x))\n";
const UNSAT: &str = "(set-logic QF_BV)\n(declare-fun x () (_ BitVec 8))\n\
    (assert (! (bvult x #x03) :named low))\n(assert (! (bvult #x05 x) :named high))\n";
const SEVERAL: &str = "(set-logic QF_BV)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n(push 1)\n(assert (not p))\n\
    (check-sat)\n(pop 1)\n(check-sat)\n";
const REFUSED: &str = "(set-logic QF_BV)\n(assert missing)\n";

fn words(answers: &[Answer]) -> Vec<&'static str> {
    answers.iter().map(Answer::word).collect()
}

#[test]
fn every_mode_of_every_solver_tells_the_truth() {
    for solver in solvers() {
        let old = solver.profile.name == "boolector" && !solver.profile.models;
        for &mode in solver.profile.modes.iter().filter(|_| !old) {
            let mut session = Session::start(&solver, &Limits::default());
            for round in 0..3 {
                ask_all(&mut session, mode, round);
            }
        }
        // Modes may change from query to query.
        let mut session = Session::start(&solver, &Limits::default());
        for (round, &mode) in solver.profile.modes.iter().cycle().take(8).enumerate() {
            let script = adapted(SAT, &solver);
            let run = session.ask(&Query::new(&script).mode(mode)).unwrap();
            let place = format!("{} {mode:?} round {round}", solver.title());
            assert_eq!(words(&run.answers), ["sat"], "{place}: {run:#?}");
            assert_eq!(run.mode, mode, "{place}");
        }
        assert!(session.starts <= 1, "{}", solver.title());
    }
}

#[test]
fn modes_may_change_from_query_to_query() {
    for solver in solvers() {
        let old = solver.profile.name == "boolector" && !solver.profile.models;
        let modes = &solver.profile.modes;
        let mut session = Session::start(&solver, &Limits::default());
        for (round, mode) in modes.iter().chain(modes.iter().rev()).enumerate() {
            if !old {
                ask_all(&mut session, *mode, round);
            }
        }
    }
}

#[test]
fn a_wrong_status_hides_no_model() {
    let told = SAT.replace("(declare-fun", "(set-info :status unsat)\n(declare-fun");
    for solver in solvers().iter().filter(|solver| solver.profile.models) {
        let script = adapted(&told, solver);
        let mut session = Session::start(solver, &Limits::default());
        let run = session.ask(&Query::new(&script).model()).unwrap();
        assert!(
            matches!(run.answer(), Answer::Sat { model: Some(_) }),
            "{}: {run:#?}",
            solver.title()
        );
    }
}

/// Asks all four kinds of script one after the other, so that a trace of one would show in the next.
#[test]
fn only_what_needs_it_is_solved_incrementally() {
    let once = "(set-logic QF_BV)\n(set-option :unconstrained-simp true)\n\
                (declare-const x (_ BitVec 4))\n(assert (= (bvadd x #x1) #x3))\n(check-sat)\n";
    let twice = "(set-logic ALL)\n(declare-const x Int)\n(push 1)\n(assert (> x 3))\n(check-sat)\n(pop 1)\n";
    let is_cvc5 = |solver: &&Solver| solver.profile.name == "cvc5";
    for solver in solvers().iter().filter(is_cvc5) {
        for script in [once, twice] {
            let run = solver.fresh(script, &Limits::default()).unwrap();
            // The safe mode refuses the option as such.
            let complains = run.stdout.contains("incremental");
            assert!(!complains, "{}: {run:#?}", solver.title());
        }
    }
}

fn ask_all(session: &mut Session, mode: Mode, round: usize) {
    let solver = session.solver().clone();
    let place = format!("{} {mode:?} round {round}", solver.title());
    let mut ask = |script: &str| {
        let script = adapted(script, &solver);
        let query = Query::new(&script).mode(mode).model().core();
        session.ask(&query).unwrap()
    };
    let run = ask(SAT);
    assert!(
        matches!(run.answer(), Answer::Sat { .. }),
        "{place}: {run:#?}"
    );
    if let Answer::Sat { model } = run.answer() {
        assert_eq!(model.is_some(), solver.profile.models, "{place}: {run:#?}");
    }
    let run = ask(REFUSED);
    assert_eq!(words(&run.answers), ["rejected"], "{place}: {run:#?}");
    // A solver without cores may not know names either.
    let unnamed = UNSAT
        .replace("(! ", "(and ")
        .replace(":named low", "true")
        .replace(":named high", "true");
    let run = ask(if solver.profile.cores {
        UNSAT
    } else {
        &unnamed
    });
    let Answer::Unsat { core } = run.answer() else {
        panic!("{place}: {run:#?}");
    };
    assert_eq!(core.is_some(), solver.profile.cores, "{place}: {run:#?}");
    let run = ask(SEVERAL);
    assert_eq!(
        words(&run.answers),
        ["sat", "unsat", "sat"],
        "{place}: {run:#?}"
    );
}

#[test]
fn a_session_is_recycled_when_due() {
    let Some(solver) = solvers()
        .into_iter()
        .find(|solver| solver.profile.has(Mode::PushPop))
    else {
        return;
    };
    let recycle = Recycle {
        queries: 10,
        ..Recycle::default()
    };
    let mut session = Session::start(&solver, &Limits::default()).recycle(recycle);
    let script = adapted(SAT, &solver);
    for _ in 0..30 {
        let run = session
            .ask(&Query::new(&script).mode(Mode::PushPop))
            .unwrap();
        assert_eq!(words(&run.answers), ["sat"]);
    }
    assert_eq!(session.starts, 3);
}

#[test]
fn scripts_that_leave_their_scope_run_in_a_safer_mode() {
    let Some(solver) = solvers()
        .into_iter()
        .find(|solver| solver.profile.has(Mode::PushPop))
    else {
        return;
    };
    let mut session = Session::start(&solver, &Limits::default());
    for (script, mode) in [
        ("(declare-fun p () Bool)(assert p)", Mode::PushPop),
        ("(declare-fun p () Bool)(pop 1)(check-sat)", Mode::Reset),
        (
            "(declare-fun p () Bool)(set-option :print-success false)(check-sat)",
            Mode::Reset,
        ),
        ("(declare-fun p () Bool)(assert p", Mode::Fresh),
    ] {
        let run = session
            .ask(&Query::new(script).mode(Mode::PushPop))
            .unwrap();
        assert_eq!(run.mode, mode, "{script}");
    }
}

#[test]
fn an_option_of_one_query_does_not_reach_the_next() {
    let z3 = solvers()
        .into_iter()
        .find(|solver| solver.profile.name == "z3");
    let Some(solver) = z3 else { return };
    let mut session = Session::start(&solver, &Limits::default());
    let mut seed = |script: &str, mode| {
        let run = session.ask(&Query::new(script).mode(mode)).unwrap();
        let reply = run
            .replies
            .iter()
            .find(|reply| reply.command == "get-option");
        reply.unwrap().text.trim().to_string()
    };
    let set =
        "(set-option :smt.random_seed 7)(assert true)(check-sat)(get-option :smt.random_seed)";
    let ask = "(assert true)(check-sat)(get-option :smt.random_seed)";
    for mode in [Mode::Reset, Mode::PushPop] {
        assert_eq!(seed(set, mode), "7");
        assert_eq!(seed(ask, mode), "0", "{mode:?}");
    }
}

#[test]
fn a_refused_option_ends_in_an_answer_or_in_a_refusal() {
    let script = format!("(set-option :no-such-option 1)\n{SAT}");
    for solver in solvers() {
        let script = adapted(&script, &solver);
        for &mode in &solver.profile.modes {
            let mut session = Session::start(&solver, &Limits::default());
            let run = session.ask(&Query::new(&script).mode(mode)).unwrap();
            let word = run.answer().word();
            assert!(
                matches!(word, "sat" | "rejected"),
                "{} {mode:?}: {run:#?}",
                solver.title()
            );
        }
    }
}

#[test]
fn no_script_writes_into_the_folder_of_the_user() {
    let away = std::env::temp_dir().join(format!("auspex-away-{}", std::process::id()));
    let options = "(set-option :trace true)\n";
    let absolute = format!(
        "(set-option :regular-output-channel {away:?})\n(set-option :trace_file_name {away:?})\n"
    );
    for solver in solvers().into_iter().filter(|s| s.profile.name == "z3") {
        for &mode in &solver.profile.modes {
            let script = format!("{absolute}{options}{SAT}");
            let run = Session::start(&solver, &Limits::default())
                .ask(&Query::new(&script).mode(mode))
                .unwrap();
            assert_eq!(words(&run.answers), ["sat"], "{mode:?}: {run:#?}");
            assert!(!std::path::Path::new("z3.log").exists(), "{mode:?}");
            assert!(!away.exists(), "{mode:?}");
        }
    }
}

/// dReal alone has no bit-vectors. Its wheel needs a library that few systems have, so it is asked where it is.
#[test]
fn nearly_satisfiable_is_neither_sat_nor_unsat() {
    const ROOT: &str = "(set-logic QF_NRA)\n(declare-fun x () Real)\n(assert (= (* x x) 2.0))\n";
    const NEVER: &str = "(set-logic QF_NRA)\n(declare-fun x () Real)\n(assert (> (sin x) 1.1))\n";
    // No double is a tenth; the driver must not take one for it.
    const TENTH: &str = "(set-logic QF_NRA)\n(declare-fun x () Real)\n(assert (= (* 10 x) 1))\n(assert (= x 0.1))\n";
    const REFUSED: &str = "(set-logic QF_NRA)\n(assert (< y 1))\n";
    for solver in found().into_iter().filter(|s| s.profile.name == "dreal") {
        for &mode in &solver.profile.modes {
            let mut session = Session::start(&solver, &Limits::default());
            let mut ask = |script: &str| {
                let run = session.ask(&Query::new(script).mode(mode)).unwrap();
                run.answer().clone()
            };
            let near = ask(ROOT);
            let delta =
                matches!(&near, Answer::Unknown { reason } if reason.starts_with("delta-sat"));
            assert!(delta, "{mode:?}: {near:?}");
            assert_eq!(ask(NEVER).word(), "unsat", "{mode:?}");
            assert_eq!(ask(TENTH).word(), "unknown", "{mode:?}");
            assert_eq!(ask(REFUSED).word(), "rejected", "{mode:?}");
            assert_eq!(ask(NEVER).word(), "unsat", "{mode:?}");
        }
    }
}
