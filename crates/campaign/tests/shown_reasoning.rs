//! Lemmas and proofs of a real cvc5: none is accused as it is, and altered ones are caught at a point.

mod provided;

use auspex_campaign::judge::false_step::false_step;
use auspex_cases::answers::{Asked, lemma, proof, replies};
use auspex_cases::proofs::steps::{Effort, Verdict};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Script, Terms, read_script};
use auspex_solvers::{Catalog, Limits, Query, Session, Solver};
use provided::provided;

const SCRIPT: &str = "(set-logic QF_NIA)
(declare-const a Int)
(declare-const b Int)
(assert (> b 2))
(assert (> (* a b) 9))
(assert (< (* a b) (* 2 a)))
(check-sat)
";

fn cvc5() -> Option<Solver> {
    solver("cvc5")
}

fn solver(name: &str) -> Option<Solver> {
    let catalog = Catalog::of_user().ok()?;
    provided(&catalog, name).then_some(())?;
    Some(catalog.find(name).ok()?.solver)
}

/// x = #xa satisfies it; z3 5.1.0 answers unsat with smt.bv.solver=2.
const REFUTED: &str = "(set-logic ALL)
(declare-const x (_ BitVec 4))
(assert (= (bvnot x) #x5))
(push 1)
(check-sat)
";

#[test]
fn the_proof_of_a_wrong_unsat_shows_where_it_goes_wrong() {
    let told = |release: &str, script: &str| {
        let z3 = solver(release)?.with_options(&["smt.bv.solver=2".to_string()]);
        let model = "((define-fun x () (_ BitVec 4) #xa))";
        let told = false_step(&mut Terms::new(), &z3, &Limits::default(), script, &[model]);
        Some(told)
    };
    let Some(Some(wrong)) = told("z3@5.1.0", REFUTED) else {
        assert!(solver("z3@5.1.0").is_none(), "no step");
        return;
    };
    assert!(wrong.rule.contains("th-lemma"), "{wrong:?}");
    assert_eq!(wrong.point, "x = #xa");
    assert!(wrong.premises.is_empty(), "{wrong:?}");
    let contradiction = REFUTED.replace("(push 1)", "(assert (= x #x0))");
    assert_eq!(told("z3@5.1.0", &contradiction).flatten(), None, "no model");
    assert_eq!(told("z3@5.4.0", REFUTED).flatten(), None, "it answers sat");
}

/// The script with what it asks for, and the reply to its last question.
struct Shown {
    terms: Terms,
    script: Script,
    command: usize,
    said: String,
}

impl Shown {
    fn of(solver: &Solver, asking: fn(&mut Terms, &Script) -> Script) -> Shown {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, SCRIPT).unwrap().script;
        let script = asking(&mut terms, &script);
        let text = render::script(&terms, &script, Sharing::Auto);
        let mut session = Session::start(solver, &Limits::default());
        let run = session.ask(&Query::new(&text)).unwrap();
        assert!(matches!(run.answer(), Answer::Unsat { .. }), "{run:?}");
        let last = replies(&terms, &script, &run.said).pop().expect("a reply");
        Shown {
            terms,
            script,
            command: last.command,
            said: last.said,
        }
    }

    fn asked<'a>(&'a mut self, said: &'a str) -> Asked<'a> {
        Asked {
            said,
            answer: Some(&Answer::Unsat { core: None }),
            ..Asked::new(&mut self.terms, &self.script, self.command)
        }
    }
}

#[test]
fn lemmas_hold_and_altered_ones_do_not() {
    let Some(cvc5) = cvc5() else { return };
    let mut shown = Shown::of(&cvc5, |terms, script| {
        lemma::narrated(terms, script, "cvc5").expect("cvc5 prints lemmas")
    });
    let said = shown.said.clone();
    let states = |shown: &mut Shown, said: &str| -> Vec<lemma::State> {
        let judged = lemma::judged(&mut shown.asked(said)).expect("readable");
        judged.into_iter().map(|one| one.state).collect()
    };
    let right = states(&mut shown, &said);
    assert!(
        right.len() > 5 && !right.contains(&lemma::State::Wrong),
        "{right:?}"
    );
    let (mut lies, mut caught) = (0, 0);
    for line in said.lines().filter(|line| line.contains("(>= ")) {
        let altered = line.replacen("(>= ", "(< ", 1);
        lies += 1;
        caught += usize::from(states(&mut shown, &altered) == [lemma::State::Wrong]);
    }
    eprintln!("{caught} of {lies} altered lemmas are wrong at a point");
    assert!(2 * caught > lies);
}

#[test]
fn steps_hold_and_altered_ones_do_not() {
    let Some(cvc5) = cvc5() else { return };
    let mut shown = Shown::of(&cvc5, proof::with_proof);
    let said = shown.said.clone();
    let verdicts = |shown: &mut Shown, said: &str| {
        proof::judged(&mut shown.asked(said), Effort::THOROUGH).expect("readable")
    };
    let is_wrong = |verdict: &Verdict| matches!(verdict, Verdict::Wrong(_));
    let right = verdicts(&mut shown, &said);
    assert!(right.verdicts.len() > 10);
    let wrong = right.verdicts.iter().position(is_wrong);
    assert_eq!(wrong.map(|at| right.claim(&shown.terms, at)), None);
    let steps = said.lines().filter(|line| line.starts_with("(step @"));
    let (mut lies, mut caught) = (0, 0);
    for line in steps.step_by(7) {
        let Some((before, after)) = line.split_once(" :rule ") else {
            continue;
        };
        let Some((name, conclusion)) = before["(step ".len()..].split_once(' ') else {
            continue;
        };
        let altered = format!("(step {name} (not {conclusion}) :rule {after}");
        let lie = verdicts(&mut shown, &said.replace(line, &altered));
        let own = lie.proof.steps.iter().position(|step| step.id == name);
        let verdict = &lie.verdicts[own.expect("the step is there")];
        lies += 1;
        caught += usize::from(lie.verdicts.iter().any(is_wrong));
        // Contradictory premises imply the opposite, too.
        let accepted = matches!(
            verdict,
            Verdict::Rule | Verdict::Logic | Verdict::Evaluation
        );
        assert!(!accepted || line.contains(":premises"), "{altered}");
    }
    eprintln!("{caught} of {lies} altered steps are wrong at a point");
    assert!(2 * caught > lies);
}
