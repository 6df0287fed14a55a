//! Tests of the claims that a reply about objectives makes.

use super::*;
use crate::answers::testing::{asked, obligations};

const X: &str = "(declare-const x Int)(assert (< x 5))";

fn claims(script: &str, said: &str, model: Option<&str>) -> Vec<String> {
    obligations(&Optima, script, said, model)
}

fn about_x(goals: &str, said: &str, model: Option<&str>) -> Vec<String> {
    claims(
        &format!("{X}{goals}(check-sat)(get-objectives)"),
        &format!("(objectives {said})"),
        model,
    )
}

#[test]
fn a_number_is_attained_and_nothing_is_better() {
    assert_eq!(
        about_x("(maximize x)", "(x 4)", None),
        [
            "No model has x larger than 4. => unsat: (assert (< x 5))(assert (> x 4))",
            "Some model has x equal to 4. => sat: (assert (< x 5))(assert (= x 4))",
        ]
    );
    let model = |value| Some(format!("((define-fun x () Int {value}))"));
    let right = about_x("(maximize x)", "(x 4)", model(4).as_deref());
    assert_eq!(right.len(), 1, "its model attains it");
    let wrong = about_x("(maximize x)", "(x 4)", model(3).as_deref());
    assert_eq!(
        wrong[1],
        "Its model has x equal to 4.0. => wrong: But under its model the value is 3.0."
    );
}

#[test]
fn an_order_is_judged_up_to_the_first_that_nothing_attains() {
    let goals = "(maximize x)(minimize (* 2 x))(minimize x)";
    let all = about_x(goals, "(x 4) ((* 2 x) (* (- 1) oo)) (x 4)", None);
    assert_eq!(
        all[2..],
        [
            "There is no bound, so some model that attains the objectives before it has (* 2 x) smaller than (- 1000000). \
          => sat: (assert (< x 5))(assert (= x 4))(assert (< (* 2 x) (- 1000000)))"
        ]
    );
}

#[test]
fn in_a_box_each_stands_alone() {
    let script = "(set-option :opt.priority box)(declare-const a Real)(declare-const b Real)(assert (< a 0))\
                  (maximize a)(maximize b)(check-sat)(get-objectives)";
    // z3 5.0.0.
    assert_eq!(
        claims(script, "(objectives (a (* (- 1.0) epsilon)) (b oo))", None),
        [
            "No model has a equal to 0.0 or larger. => unsat: (assert (< a 0.0))(assert (>= a 0.0))",
            "Models have a as close to 0.0 as (- 0.001). => sat: (assert (< a 0.0))(assert (> a (- 0.001)))",
            "There is no bound, so some model has b larger than 1000000.0. => sat: (assert (< a 0.0))(assert (> b 1000000.0))",
        ]
    );
    // z3 4.13.4.
    assert_eq!(
        claims(script, "(objectives (a (- 1)) (b (* (- 1) oo)))", None)[2],
        "No model has b larger than minus infinity. => unsat: (assert (< a 0.0))"
    );
}

#[test]
fn no_model_is_better_in_one_and_as_good_in_the_others() {
    let script = "(set-option :opt.priority pareto)(declare-const x Int)(declare-const p Bool)\
                  (maximize x)(assert-soft p :weight 2.5 :id s)(check-sat)(get-objectives)";
    let model = Some("((define-fun x () Int 3)(define-fun p () Bool false))");
    assert_eq!(
        claims(script, "(objectives (x 3) (s 2.5))", model),
        [
            "No model is better in one objective and as good in the others. => unsat: (assert (>= x 3))\
             (assert (<= (ite p 0.0 2.5) 2.5))(assert (or (> x 3) (< (ite p 0.0 2.5) 2.5)))"
        ]
    );
}

#[test]
fn soft_assertions_of_one_name_are_one_objective() {
    let script = "(declare-const p Bool)(declare-const q Bool)(assert-soft p :id a)(assert-soft q :weight 0.5)\
                  (assert-soft (not p) :weight 3 :id a)(check-sat)(get-objectives)";
    let all = claims(script, "(objectives (a 1) ( 0))", None);
    assert_eq!(
        all[0],
        "No model has the penalty of a smaller than 1.0. => unsat: \
         (assert (< (+ (ite p 0.0 1.0) (ite (not p) 0.0 3.0)) 1.0))"
    );
    assert!(all[2].starts_with(
        "No model that attains the objectives before it has the penalty smaller than 0.0."
    ));
}

#[test]
fn bounds_are_claimed_on_the_outer_side_only() {
    let all = about_x("(maximize x)", "(x (interval 2 4))", None);
    assert_eq!(
        all,
        ["No model has x larger than 4. => unsat: (assert (< x 5))(assert (> x 4))"]
    );
    assert_eq!(
        about_x("(minimize x)", "(x (interval (* (- 1) oo) 4))", None),
        [""; 0]
    );
}

#[test]
fn bit_vectors_are_unsigned() {
    let script = "(declare-const b (_ BitVec 4))(minimize b)(check-sat)(get-objectives)";
    assert_eq!(
        claims(script, "(objectives (b 8))", None)[0],
        "No model has b smaller than (_ bv8 4). => unsat: (assert (bvult b #x8))"
    );
    assert_eq!(
        claims(script, "(objectives (b 16))", None),
        ["The optimum of b is 16.0. => wrong: But b is a bit-vector of 4 bits."]
    );
}

#[test]
fn what_was_said_of_other_assertions_claims_nothing() {
    let mut terms = Terms::new();
    for (text, is_asked) in [
        ("(maximize x)(check-sat)(get-model)(get-objectives)", true),
        ("(maximize x)(check-sat)(maximize x)(get-objectives)", false),
        (
            "(maximize x)(check-sat)(assert (< x 0))(get-objectives)",
            false,
        ),
        (
            "(maximize x)(push 1)(check-sat)(pop 1)(get-objectives)",
            false,
        ),
        (
            "(maximize x)(check-sat-assuming ((< x 0)))(get-objectives)",
            false,
        ),
        ("(maximize x)(check-sat-using smt)(get-objectives)", false),
    ] {
        let text = format!("{X}{text}");
        let script = auspex_logic::read_script(&mut terms, &text).unwrap().script;
        let last = script.commands.len() - 1;
        assert_eq!(Optima.is_asked(&terms, &script, last), is_asked, "{text}");
    }
}

#[test]
fn what_cannot_be_read_claims_nothing() {
    for (goals, said) in [
        ("(maximize x)", "(x 4) (y 5)"),
        ("(maximize x)", "(x nan)"),
        ("(assert-soft (= x 1) :weight (- 2))", "(s 1)"),
    ] {
        let all = about_x(goals, said, None);
        assert!(all[0].starts_with("unread: "), "{all:?}");
    }
}

#[test]
fn asks_the_same_for_the_same_draw_and_puts_its_questions_around_one_query() {
    let script = "(declare-const x Int)(declare-const y Int)(assert (< (+ x y) 5))(assert (or (> x 1) (= y 2)))(check-sat)";
    let mut made = 0;
    for number in 0..60 {
        let text = asked(&Optima, script, "z3", number);
        assert_eq!(text, asked(&Optima, script, "z3", number));
        let Some(text) = text else { continue };
        made += 1;
        let asks = text.contains("(check-sat)\n(get-model)\n(get-objectives)\n");
        let twice = text.matches("(check-sat)\n(get-objectives)\n").count() == 2;
        assert!(asks || twice, "{text}");
        let mut terms = Terms::new();
        let reading = auspex_logic::read_script(&mut terms, &text).unwrap();
        assert_eq!(reading.issues, [], "{text}");
    }
    assert!(made > 50);
    assert_eq!(asked(&Optima, script, "cvc5", 1), None);
    let nonlinear = "(declare-const x Int)(assert (< (* x x) 5))(check-sat)";
    assert_eq!(asked(&Optima, nonlinear, "z3", 1), None);
}

/// What the replies to two queries about x contradict, as claims.
fn against(goals: &str, said: &str, earlier: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let text = format!(
        "(set-option :opt.priority box){X}(declare-const p Bool)(push 1)(maximize x)(assert-soft p :weight 2 :id g)\
         (check-sat)(get-objectives)(pop 1)(push 1){goals}(check-sat)(get-objectives)"
    );
    let script = auspex_logic::read_script(&mut terms, &text).unwrap().script;
    let questions = (0..script.commands.len()).filter(|at| Optima.is_asked(&terms, &script, *at));
    let questions: Vec<usize> = questions.collect();
    let earlier = [crate::oracle::QuestionReply {
        command: questions[0],
        question: "(get-objectives)".to_string(),
        said: format!("(objectives {earlier})"),
    }];
    let told = Optima.obligations(&mut Asked {
        said: &format!("(objectives {said})"),
        answer: Some(&Answer::Sat { model: None }),
        earlier: &earlier,
        ..Asked::new(&mut terms, &script, questions[1])
    });
    let wrong = |one: &Obligation| matches!(one.check, crate::answers::Check::Wrong(_));
    let told = told.expect("readable").into_iter().filter(wrong);
    told.map(|one| one.claim).collect()
}

#[test]
fn an_objective_in_other_words_has_the_same_optimum() {
    let goals = "(minimize (- x))(maximize (+ (* 2 x) 1))(minimize (- 3 x))(minimize (ite p 0.0 2.0))(minimize x)";
    let words = |values: [&str; 5]| {
        let names = ["(- x)", "(+ (* 2 x) 1)", "(- 3 x)", "(ite p 0.0 2.0)", "x"];
        let pairs = names.iter().zip(values);
        pairs
            .map(|(name, value)| format!("({name} {value})"))
            .collect::<String>()
    };
    let right = words(["(- 4)", "9", "(- 1)", "0", "(* (- 1) oo)"]);
    assert_eq!(against(goals, &right, "(x 4) (g 0)"), [] as [&str; 0]);
    let wrong = words(["(- 3)", "8", "(- 1)", "2", "(* (- 1) oo)"]);
    assert_eq!(
        against(goals, &wrong, "(x 4) (g 0)"),
        [
            "The smallest value of (- x) is (- 1.0) times the largest value of x, so it is (- 4.0).",
            "The largest value of (+ (* 2 x) 1) is 1.0 and 2.0 times the largest value of x, so it is 9.0.",
            "The smallest value of (- 3 x) is 3.0 more than the smallest value of (- x), so it is 0.0.",
            "The smallest value of (ite p 0.0 2.0) is the same as the smallest value of the penalty of g, so it is 0.0.",
        ]
    );
}

#[test]
fn what_stands_in_another_order_or_about_other_assertions_says_nothing() {
    let lex = "(set-option :opt.priority lex)(maximize x)(minimize x)";
    assert_eq!(against(lex, "(x 4) (x 4)", "(x 4) (g 0)"), [] as [&str; 0]);
    let more = "(assert (< x 3))(maximize x)";
    assert_eq!(against(more, "(x 2)", "(x 4) (g 0)"), [] as [&str; 0]);
    let products = "(maximize (* x x))(maximize (mod x 2))";
    assert_eq!(
        against(products, "((* x x) oo) ((mod x 2) 1)", "(x 4) (g 0)"),
        [] as [&str; 0]
    );
}

#[test]
fn some_problems_ask_for_an_objective_twice() {
    let script = "(declare-const x Int)(declare-const y Int)(assert (< (+ x y) 5))(assert (or (> x 1) (= y 2)))(check-sat)";
    let all = (0..80).filter_map(|number| asked(&Optima, script, "z3", number));
    let twice: Vec<String> = all
        .filter(|text| text.matches("(check-sat)").count() == 2)
        .collect();
    assert!(twice.len() > 5, "{}", twice.len());
    for text in twice {
        assert!(
            text.starts_with("(set-option :opt.priority box)\n"),
            "{text}"
        );
        let mut terms = Terms::new();
        let reading = auspex_logic::read_script(&mut terms, &text).unwrap();
        assert_eq!(reading.issues, [], "{text}");
        assert_eq!(
            text.matches("(get-objectives)\n(pop 1)").count(),
            2,
            "{text}"
        );
    }
}
