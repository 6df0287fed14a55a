//! Scripts of a few symbols whose answers anybody sees: a configuration that is wrong on many of them is unsound here,
//! which is one finding and not one for each script that shows it.

use auspex_cases::Side;
use auspex_solvers::{Limits, Mode, Query, Session, Solver};
use serde::{Deserialize, Serialize};

/// So many wrong answers are many.
const MANY: usize = 3;

use Side::{Sat, Unsat};

/// Declarations, and assertions with them: whether a model satisfies each.
const SCRIPTS: &[(&str, &[(&str, Side)])] = &[
    (
        "(declare-const p Bool)(declare-const q Bool)",
        &[
            ("(not p)", Sat),
            ("(and p (not p))", Unsat),
            ("(xor p q)", Sat),
        ],
    ),
    (
        "(declare-const x Int)",
        &[
            ("(and (< 3 x) (< x 5))", Sat),
            ("(and (< 3 x) (< x 4))", Unsat),
            ("(= (* 2 x) 6)", Sat),
            ("(= (* 2 x) 7)", Unsat),
            ("(= (mod x 3) 2)", Sat),
            ("(exists ((y Int)) (> y x))", Sat),
            ("(forall ((y Int)) (> y 0))", Unsat),
        ],
    ),
    (
        "(declare-const x Real)(declare-const b Bool)",
        &[
            ("(and (< 3.0 x) (< x 4.0))", Sat),
            ("(and (> x 10.0) (< x (ite b 1.0 2.0)))", Unsat),
            ("(and (> x 10.0) (< x (ite b 11.0 2.0)))", Sat),
            ("(> 1.0 (ite b 2.0 3.0))", Unsat),
            ("(= x (ite b 1.0 2.0))", Sat),
            ("(= (* x x) 4.0)", Sat),
            ("(< (* x x) 0.0)", Unsat),
        ],
    ),
    (
        "(declare-const x (_ BitVec 4))(declare-const b Bool)",
        &[
            ("(= (bvnot x) #x5)", Sat),
            ("(= (bvneg x) #x1)", Sat),
            ("(= (bvadd x #x1) x)", Unsat),
            ("(= (bvxor x #xf) #x3)", Sat),
            ("(= (bvnor x #x3) #x4)", Sat),
            ("(= (bvor x #x3) #x4)", Unsat),
            ("(= (bvand x #x3) #x4)", Unsat),
            ("(= (bvmul x #x3) #x6)", Sat),
            ("(= (bvmul x #x2) #x3)", Unsat),
            ("(= (bvudiv x #x3) #x4)", Sat),
            ("(= (bvshl x #x1) #x2)", Sat),
            ("(= (concat x x) #x23)", Unsat),
            ("(= ((_ extract 1 0) x) #b10)", Sat),
            ("(bvule (bvsub x #x1) #x1)", Sat),
            ("(bvult x #x0)", Unsat),
            ("(bvslt x #x0)", Sat),
            ("(bvult x (ite b #x0 #x0))", Unsat),
        ],
    ),
    (
        "(declare-const x (_ FloatingPoint 5 11))",
        &[("(fp.isNaN x)", Sat), ("(fp.lt x x)", Unsat)],
    ),
    (
        "(declare-const a (Array Int Int))",
        &[
            ("(= (select a 1) 2)", Sat),
            ("(= (select (store a 1 2) 1) 3)", Unsat),
        ],
    ),
    (
        "(declare-const s String)",
        &[
            ("(= (str.len s) 2)", Sat),
            ("(= (str.++ s \"a\") \"\")", Unsat),
            ("(str.in_re s (re.+ (str.to_re \"ab\")))", Sat),
        ],
    ),
    (
        "(declare-datatype D ((c0) (c1)))(declare-const d D)",
        &[("(not (= d c0))", Sat), ("(= c0 c1)", Unsat)],
    ),
    (
        "(declare-fun f (Int) Int)",
        &[
            ("(not (= (f 1) (f (+ 0 1))))", Unsat),
            ("(= (f 1) (+ (f 2) 1))", Sat),
        ],
    ),
];

/// The scripts, each with its answer.
fn scripts() -> impl Iterator<Item = (String, Side)> {
    let groups = SCRIPTS.iter();
    groups.flat_map(|(declared, terms)| {
        let script = |(term, side): &(&str, Side)| {
            let text = format!("(set-logic ALL)\n{declared}\n(assert {term})\n(check-sat)\n");
            (text, *side)
        };
        terms.iter().map(script).collect::<Vec<_>>()
    })
}

/// Options under which a release answers trivial scripts wrongly that it answers rightly without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnsoundOptions {
    pub options: Vec<String>,
    pub wrong: usize,
    pub asked: usize,
}

impl UnsoundOptions {
    /// What it says about a solver.
    pub fn sentence(&self, solver: &str) -> String {
        format!(
            "Under {} {solver} answers {} of {} trivial scripts wrongly, none of them without: the option is unsound here.",
            self.options.join(" "),
            self.wrong,
            self.asked
        )
    }
}

/// Whether a solver is unsound under these options and not without them.
pub fn unsound(plain: &Solver, options: &[String], limits: &Limits) -> Option<UnsoundOptions> {
    let configured = plain.clone().with_options(options);
    let all: Vec<(String, Side)> = scripts().collect();
    let told = answers(&configured, limits, &all);
    let pairs = all.iter().zip(&told);
    let wrong = pairs.filter(|((_, right), said)| **said == Some(right.other()));
    let wrong: Vec<(String, Side)> = wrong.map(|(one, _)| one.clone()).collect();
    let without = || answers(plain, limits, &wrong);
    let is_right = || {
        let mut pairs = wrong.iter().zip(without());
        pairs.all(|((_, right), said)| said == Some(*right))
    };
    (wrong.len() >= MANY && is_right()).then(|| UnsoundOptions {
        options: options.to_vec(),
        wrong: wrong.len(),
        asked: told.iter().flatten().count(),
    })
}

/// The side that a solver takes on each script, asked between `push` and `pop` where it can be.
fn answers(solver: &Solver, limits: &Limits, scripts: &[(String, Side)]) -> Vec<Option<Side>> {
    let mut session = Session::start(solver, limits);
    let ask = |(script, _): &(String, Side)| {
        let query = Query {
            mode: Mode::PushPop,
            ..Query::new(script)
        };
        let run = session.ask(&query).ok()?;
        run.answers.first().and_then(Side::of)
    };
    scripts.iter().map(ask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::{Terms, read_script};

    #[test]
    fn every_script_is_well_formed() {
        assert!(scripts().count() > 40);
        for (text, _) in scripts() {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, &text).unwrap();
            assert!(reading.issues.is_empty(), "{text}: {:?}", reading.issues);
            assert_eq!(reading.script.queries().len(), 1);
        }
    }
}
