//! Proofs: every step that a solver shows must hold, and the last one is `false`.
//!
//! ```text
//! (check-sat) (get-proof)     unsat, (… (step @p3 (>= b 1) :rule eq_resolve :premises (@p1 @p2)) …)
//!     claims: @p1 and @p2 imply (>= b 1)        must be unsat: they, and its negation
//! ```
//!
//! Steps that the table of rules, logic or evaluation at all points settles claim nothing more. Of the rest the most
//! different ones are asked of other solvers. Holes are not judged, and neither is what names internal symbols.

use super::lemma::known_models;
use super::reading::{declines, is_named, short};
use super::{AnswerKind, Asked, Check, Kind, Obligation};
use crate::case::{Case, Expected};
use crate::draw::Draw;
use crate::proofs::draft::Proof;
use crate::proofs::points::{Point, Truth, truth_at};
use crate::proofs::steps::{Effort, Verdict, judge, sequent, smallest_false};
use crate::proofs::{Format, Sequent, read};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Model, Script, TermId, Terms};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub struct Proofs;

/// How many steps of one proof are asked of other solvers.
const ASKED: usize = 6;
/// So many premises are shown.
const SHOWN: usize = 4;

/// The settings that a proof needs.
const SETTINGS: [(&str, &str); 2] = [
    (":produce-proofs", "true"),
    (":proof-print-conclusion", "true"),
];

impl AnswerKind for Proofs {
    fn kind(&self) -> Kind {
        Kind::ProofStep
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5", "z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-proof"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) || !matches!(asked.answer, Some(Answer::Unsat { .. })) {
            return Ok(Vec::new());
        }
        let judged = judged(asked, Effort::QUICK)?;
        let mut all = Vec::new();
        for (number, verdict) in judged.verdicts.iter().enumerate() {
            if let Verdict::Wrong(point) = verdict {
                let point = point.text(asked.terms);
                all.push(Obligation {
                    claim: judged.claim(asked.terms, number),
                    check: Check::Wrong(format!(
                        "But with {point} the premises are true and the conclusion is false."
                    )),
                });
            }
        }
        all.extend(under_models(asked, &judged));
        for number in judged.most_different(ASKED) {
            let claim = judged.claim(asked.terms, number);
            if let Some(commands) = judged.question(asked.terms, number) {
                all.extend(asked.must_be_unsat(&claim, &commands));
            }
        }
        Ok(all)
    }

    fn ask(&self, _: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        if !self.makes().contains(&make) {
            return None;
        }
        let known = case.evidence.last().and_then(|one| one.expected());
        (known != Some(Expected::Sat)).then(|| with_proof(terms, &case.script))
    }
}

/// The step where the proof of a wrong `unsat` goes wrong.
fn under_models(asked: &mut Asked<'_>, judged: &Judged) -> Option<Obligation> {
    let (number, _) = false_under_model(asked, judged)?;
    Some(Obligation {
        claim: judged.claim(asked.terms, number),
        check: Check::Wrong(
            "But under a model of all assertions its premises are true and its conclusion is false (checked by evaluation)."
                .to_string(),
        ),
    })
}

/// Where the assertions have a model, `unsat` is wrong: the smallest step that is false under it, though its premises
/// are true, is where the proof goes wrong.
fn false_under_model(asked: &mut Asked<'_>, judged: &Judged) -> Option<(usize, Model)> {
    let proof = &judged.proof;
    for model in known_models(asked, &proof.script) {
        let satisfies = proof.input.iter().all(|assertion| {
            let holds = |term| truth_at(asked.terms, &model, &Sequent::valid(term)) == Truth::Holds;
            assertion.is_some_and(holds)
        });
        if satisfies && let Some(number) = smallest_false(asked.terms, proof, &model) {
            return Some((number, model));
        }
    }
    None
}

/// A step of a proof that is false at a point although its premises are true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FalseStep {
    /// Its name in the proof.
    pub step: String,
    pub rule: String,
    pub conclusion: String,
    pub premises: Vec<String>,
    /// The values of its symbols.
    pub point: String,
}

impl FalseStep {
    /// The step of a reply to `(get-proof)` that is false under one of the models given for the query.
    pub fn of(asked: &mut Asked<'_>) -> Option<FalseStep> {
        let judged = judged(asked, Effort::NONE).ok()?;
        let (number, model) = false_under_model(asked, &judged)?;
        let step = &judged.proof.steps[number];
        let sequent = sequent(&judged.proof, number)?;
        let text = |term: &TermId| render::term(asked.terms, *term, Sharing::Auto);
        let (conclusion, premises) = (
            text(&sequent.conclusion),
            sequent.premises.iter().map(text).collect(),
        );
        let point = Point::of(asked.terms, sequent.formulas(), &model);
        Some(FalseStep {
            step: step.id.clone(),
            rule: step.rule.clone(),
            conclusion,
            premises,
            point: point.text(asked.terms),
        })
    }
}

/// The same script, with a request for a proof after its last query.
pub fn with_proof(terms: &mut Terms, script: &Script) -> Script {
    let mut made = script.clone();
    made.spans.clear();
    let is_query = |command: &Command| {
        matches!(
            command,
            Command::CheckSat | Command::CheckSatAssuming(_) | Command::CheckSatUsing(_)
        )
    };
    let last = made.commands.iter().rposition(is_query);
    // What stands after the query may need another state.
    made.commands
        .truncate(last.map_or(made.commands.len(), |at| at + 1));
    if last.is_none() {
        made.push(Command::CheckSat);
    }
    made.push(Command::Other(terms.symbols.intern("(get-proof)")));
    for (key, value) in SETTINGS.into_iter().rev() {
        let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
        if !made.commands.contains(&option) {
            made.commands.insert(0, option);
        }
    }
    made
}

/// A proof with the verdict on each step.
pub struct Judged {
    pub format: Format,
    pub proof: Proof,
    pub verdicts: Vec<Verdict>,
}

/// The proof in a reply, judged without other solvers.
pub fn judged(asked: &mut Asked<'_>, effort: Effort) -> Result<Judged, String> {
    let force = asked.in_force();
    let (format, proof) = read(
        asked.terms,
        &force.declarations,
        &force.assertions,
        asked.said,
    )?;
    let verdicts = judge(asked.terms, &proof, effort);
    Ok(Judged {
        format,
        proof,
        verdicts,
    })
}

impl Judged {
    /// How many steps are settled in each way.
    pub fn census(&self) -> BTreeMap<&'static str, usize> {
        let mut all = BTreeMap::new();
        for verdict in &self.verdicts {
            *all.entry(verdict.word()).or_default() += 1;
        }
        all
    }

    /// Up to so many open steps, of as many rules as there are.
    pub fn most_different(&self, count: usize) -> Vec<usize> {
        let is_open = |number: &usize| matches!(self.verdicts[*number], Verdict::Open);
        let open: Vec<usize> = (0..self.verdicts.len()).filter(is_open).collect();
        let mut rules = BTreeSet::new();
        let (first, rest): (Vec<usize>, Vec<usize>) = open
            .into_iter()
            .partition(|number| rules.insert(self.proof.steps[*number].rule.clone()));
        first.into_iter().chain(rest).take(count).collect()
    }

    /// What a step claims, as a sentence.
    pub fn claim(&self, terms: &Terms, number: usize) -> String {
        let step = &self.proof.steps[number];
        let text = |term| short(&render::term(terms, term, Sharing::Auto));
        let conclusion = step.conclusion.map_or_else(String::new, text);
        let (id, rule) = (&step.id, &step.rule);
        let premises = sequent(&self.proof, number).map_or_else(Vec::new, |one| one.premises);
        let more = premises.len().saturating_sub(SHOWN);
        let mut shown: Vec<String> = premises.into_iter().take(SHOWN).map(text).collect();
        if more > 0 {
            shown.push(format!("{more} more"));
        }
        let from = match shown.is_empty() {
            true => "without premises".to_string(),
            false => format!("from {}", shown.join(", ")),
        };
        format!("Step {id} concludes {conclusion} {from} by {rule}.")
    }

    /// The commands that must be unsatisfiable if a step holds.
    pub fn question(&self, terms: &Terms, number: usize) -> Option<String> {
        let sequent = sequent(&self.proof, number)?;
        let mut commands = String::new();
        // Names that the proof declares itself.
        for command in &self.proof.script.commands {
            if let Command::DeclareFun(fun) = command
                && terms.symbols.name(terms.fun(*fun).name).contains('!')
            {
                render::command_to(terms, command, Sharing::Auto, &mut commands);
                commands.push('\n');
            }
        }
        for premise in &sequent.premises {
            let premise = render::term(terms, *premise, Sharing::Auto);
            commands.push_str(&format!("(assert {premise})\n"));
        }
        let conclusion = render::term(terms, sequent.conclusion, Sharing::Auto);
        commands.push_str(&format!("(assert (not {conclusion}))"));
        Some(commands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::asked;

    const SCRIPT: &str = "(set-logic QF_BV)(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(assert (= x y))(assert (bvugt x y))(check-sat)(get-proof)";

    /// cvc5 1.4.2.
    const CPC: &str = "(
(declare-const x (_ BitVec 3))
(declare-const y (_ BitVec 3))
(define @t1 () (bvugt x y))
(define @t2 () (bvult y y))
(define @t3 () (bvult y x))
(assume @p1 (= x y))
(assume @p2 @t1)
(step @p3 (= @t2 false) :rule bv-ult-self :args (y))
(step @p4 (= @t3 @t2) :rule cong :premises (@p1) :args (@t3))
(step @p5 (= @t3 false) :rule trans :premises (@p4 @p3))
(step @p6 (= @t1 @t3) :rule bv-ugt-eliminate :args (x y))
(step @p7 @t3 :rule eq_resolve :premises (@p2 @p6))
(step @p8 false :rule eq_resolve :premises (@p7 @p5))
)";

    /// cvc5 1.4.2 with `--proof-format-mode=alethe`.
    const ALETHE: &str = "(
(assume a0 (! (= x y) :named @p_1))
(assume a1 (! (bvugt x y) :named @p_2))
(step t0 (cl (not (! (= (! (bvult y x) :named @p_3) false) :named @p_5)) (not @p_3) false) :rule equiv_pos2)
(step t1 (cl (= @p_3 (! (bvult y y) :named @p_6))) :rule cong :premises (a0))
(step t2 (cl (= @p_6 false)) :rule hole :args (\"untranslated rewrite\"))
(step t3 (cl @p_5) :rule trans :premises (t1 t2))
(step t4 (cl (not (! (= @p_2 @p_3) :named @p_4)) (not @p_2) @p_3) :rule equiv_pos2)
(step t5 (cl @p_4) :rule hole :args (\"untranslated rewrite\"))
(step t6 (cl @p_3) :rule resolution :premises (t4 t5 a1))
(step t7 (cl false) :rule resolution :premises (t0 t3 t6))
(step t8 (cl (not false)) :rule false)
(step t9 (cl) :rule resolution :premises (t7 t8))
)";

    /// z3 5.4.0.
    const Z3: &str = "((set-logic QF_BV)
(proof
(let ((@x38 (monotonicity (rewrite (= (bvule y y) true)) (= (not (bvule y y)) (not true)))))
(let ((@x42 (trans @x38 (rewrite (= (not true) false)) (= (not (bvule y y)) false))))
(let ((@x30 (monotonicity (asserted (= x y)) (= (bvule x y) (bvule y y)))))
(let ((@x44 (trans (monotonicity @x30 (= (not (bvule x y)) (not (bvule y y)))) @x42 (= (not (bvule x y)) false))))
(let (($x13 (bvule x y)))
(let (($x14 (not $x13)))
(let ((@x17 (mp (asserted (bvugt x y)) (rewrite (= (bvugt x y) $x14)) $x14)))
(mp @x17 @x44 false))))))))))";

    fn with_proof_of<T>(
        script: &str,
        said: &str,
        others: &[&str],
        act: impl FnOnce(&mut Asked<'_>) -> T,
    ) -> T {
        let mut terms = Terms::new();
        let script = auspex_logic::read_script(&mut terms, script)
            .unwrap()
            .script;
        let command = script.commands.len() - 1;
        act(&mut Asked {
            said,
            answer: Some(&Answer::Unsat { core: None }),
            others,
            ..Asked::new(&mut terms, &script, command)
        })
    }

    /// The verdict on each step, by its name.
    fn words(said: &str) -> Vec<String> {
        with_proof_of(SCRIPT, said, &[], |asked| {
            let judged = judged(asked, Effort::THOROUGH).unwrap();
            let steps = judged.proof.steps.iter().zip(&judged.verdicts);
            steps
                .map(|(step, verdict)| format!("{} {}", step.id, verdict.word()))
                .collect()
        })
    }

    #[test]
    fn every_step_of_a_right_proof_is_settled() {
        assert_eq!(
            words(CPC),
            [
                "@p1 assumed",
                "@p2 assumed",
                "@p3 evaluation",
                "@p4 rule",
                "@p5 rule",
                "@p6 evaluation",
                "@p7 rule",
                "@p8 rule"
            ]
        );
        let alethe = words(ALETHE);
        let held = |one: &&String| one.ends_with("rule") || one.ends_with("assumed");
        assert_eq!(alethe.iter().filter(held).count(), 10, "{alethe:?}");
        assert_eq!(alethe.len(), 12);
        let z3 = words(Z3);
        let held = |one: &&String| !one.ends_with("WRONG") && !one.ends_with("open");
        assert_eq!(z3.iter().filter(held).count(), z3.len(), "{z3:?}");
        assert_eq!(z3.len(), 12);
    }

    #[test]
    fn an_altered_step_is_wrong_at_a_point() {
        for (from, to, step) in [
            ("(step @p3 (= @t2 false)", "(step @p3 (= @t2 true)", "@p3"),
            ("(step @p7 @t3", "(step @p7 (not @t3)", "@p7"),
            ("(step @p6 (= @t1 @t3)", "(step @p6 (= @t1 @t2)", "@p6"),
            (":premises (@p2 @p6)", ":premises (@p6)", "@p7"),
        ] {
            let said = CPC.replace(from, to);
            assert_ne!(said, CPC);
            let told = words(&said);
            assert!(told.contains(&format!("{step} WRONG")), "{step}: {told:?}");
        }
        let foreign = words(&CPC.replace("(assume @p1 (= x y))", "(assume @p1 (= x (bvnot y)))"));
        assert_eq!(foreign[0], "@p1 open", "it is no assertion of the script");
        let told = words(&ALETHE.replace("(step t6 (cl @p_3)", "(step t6 (cl (not @p_3))"));
        assert!(told.contains(&"t6 WRONG".to_string()), "{told:?}");
        let told = words(&Z3.replace("(= (bvugt x y) $x14)", "(= (bvugt x y) $x13)"));
        assert!(told.iter().any(|one| one.ends_with("WRONG")), "{told:?}");
    }

    #[test]
    fn holes_convict_where_the_assertions_have_a_model() {
        let script = "(set-logic QF_BV)(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(assert (bvugt x y))(check-sat)(get-proof)";
        let said = "((assume a0 (bvugt x y))(step t0 (cl (not (bvugt x y))) :rule hole)(step t1 (cl) :rule resolution :premises (a0 t0)))";
        let model = "((define-fun x () (_ BitVec 3) #b111)(define-fun y () (_ BitVec 3) #b001))";
        let told = |others: &[&str]| {
            with_proof_of(script, said, others, |asked| {
                let all = Proofs.obligations(asked).unwrap();
                all.into_iter()
                    .map(|one| one.claim)
                    .collect::<Vec<String>>()
            })
        };
        assert_eq!(told(&[]), Vec::<String>::new());
        assert_eq!(
            told(&[model]),
            ["Step t0 concludes (not (bvugt x y)) without premises by hole."]
        );
    }

    #[test]
    fn what_is_no_proof_commits_to_nothing() {
        let unread = |said: &str| {
            with_proof_of(SCRIPT, said, &[], |asked| {
                Proofs.obligations(asked).is_err()
            })
        };
        assert!(unread("((a b c))"));
        assert!(unread("(proof"));
        let none = with_proof_of(SCRIPT, "(error \"no proof\")", &[], |asked| {
            Proofs.obligations(asked).unwrap().len()
        });
        assert_eq!(none, 0);
    }

    #[test]
    fn a_made_case_asks_after_its_last_query() {
        let text =
            "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)";
        let made = asked(&Proofs, text, "cvc5", 0).unwrap();
        assert!(made.starts_with(
            "(set-option :produce-proofs true)\n(set-option :proof-print-conclusion true)"
        ));
        assert!(made.ends_with("(check-sat)\n(get-proof)\n"), "{made}");
        assert_eq!(asked(&Proofs, text, "yices", 0), None);
    }
}
