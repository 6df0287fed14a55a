//! Horn clauses whose answer is known: from an invariant that was chosen first, or from a finite derivation.
//!
//! ```text
//! invariant    (forall ((x Int)) (=> (p x) (p (+ x 2))))   (forall ((x Int)) (=> (and (p x) (not (= (mod x 2) 0))) false))
//!              sat, with p as (= (mod x 2) 0)
//! derivation   (p 0)   (forall ((x Int)) (=> (p x) (p (+ x 2))))   (forall ((x Int)) (=> (and (p x) (= x 4)) false))
//!              unsat: p holds for 0, 2 and 4
//! ```
//!
//! The state is made of components (`component.rs`), each with an invariant of its own that its steps keep: numbers,
//! bit-vectors, arrays, lists. Half of the scripts set options of z3's engine (`options.rs`). After HornGator (2026), which found that Horn solvers are wrong most where theories meet.

mod component;
mod derivation;
mod options;
mod program;

use super::{GenContext, Strategy};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use program::Program;

pub struct Horn;

pub(crate) const NAME: &str = "horn";

impl Strategy for Horn {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Makes Horn clauses from an invariant chosen first, or from a finite derivation of a contradiction."
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let program = Program::choose(draw, workshop.theories)?;
        let (mut script, evidence, step) = match draw.coin() {
            true => {
                let (script, model) = program.with_invariant(draw, workshop.terms)?;
                (
                    script,
                    Evidence::Witness(Box::new(model)),
                    "clauses that keep an invariant",
                )
            }
            false => {
                let (script, names) = program.with_derivation(draw, workshop.terms)?;
                let because = "facts and clauses derive what the last one forbids".to_string();
                (
                    script,
                    Evidence::Core { names, because },
                    "clauses with a derivation",
                )
            }
        };
        let options = options::options(draw, workshop.terms);
        script.commands.splice(0..0, options);
        Some(Case {
            script,
            evidence: vec![evidence],
            origin: Origin {
                strategy: NAME,
                seed: None,
                steps: vec![step.to_string()],
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Expected;
    use auspex_logic::eval::Evaluator;
    use auspex_logic::model::Interpretation;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::term::BinderKind;
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{Command, Head, Model, Script, TermId, Terms, Theory, Value, read_script};
    use rustc_hash::FxHashMap;

    fn case(terms: &mut Terms, number: u64, theories: &[Theory]) -> Option<Case> {
        let mut workshop = GenContext {
            terms,
            seeds: &[],
            theories,
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        Horn.make(&mut workshop, &mut Draw::new(5, number))
    }

    #[test]
    fn both_answers_occur_and_texts_read_back() {
        let (mut counts, mut configured) = ([0, 0], 0);
        for number in 0..300 {
            let mut terms = Terms::new();
            let Some(case) = case(&mut terms, number, &[]) else {
                continue;
            };
            let text = render::script(&terms, &case.script, Sharing::Auto);
            let reading = read_script(&mut Terms::new(), &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
            counts[usize::from(case.evidence[0].expected() == Some(Expected::Sat))] += 1;
            configured += usize::from(text.contains("(set-option :fp."));
        }
        assert!((80..220).contains(&configured), "{configured}");
        assert!(counts.iter().all(|count| *count > 80), "{counts:?}");
    }

    #[test]
    fn keeps_to_the_wanted_theories() {
        for number in 0..100 {
            let mut terms = Terms::new();
            let case = case(&mut terms, number, &[Theory::BitVectors]);
            let text = case.map(|case| render::script(&terms, &case.script, Sharing::Auto));
            assert!(!text.unwrap_or_default().contains("Int"));
        }
        assert!(case(&mut Terms::new(), 0, &[Theory::Strings]).is_none());
    }

    /// No clause is false under the chosen invariant at points with small values.
    #[test]
    fn clauses_keep_the_invariant_at_points() {
        let mut terms = Terms::new();
        let mut tried = 0;
        for number in 0..300 {
            let Some(case) = case(&mut terms, number, &[]) else {
                continue;
            };
            let Evidence::Witness(model) = &case.evidence[0] else {
                continue;
            };
            tried += 1;
            for assertion in case.script.assertions() {
                let mut draw = Draw::new(number, 1);
                for _ in 0..40 {
                    let instance = instance(&mut terms, assertion.term, &mut draw);
                    let value = Evaluator::new(&terms, model).value(instance);
                    let text = || render::script(&terms, &case.script, Sharing::Auto);
                    assert_ne!(
                        value,
                        Ok(Value::FALSE),
                        "{}\n{}",
                        text(),
                        render::term(&terms, instance, Sharing::Auto)
                    );
                }
            }
        }
        assert!(tried > 80);
    }

    /// A clause with values for its variables.
    fn instance(terms: &mut Terms, clause: TermId, draw: &mut Draw) -> TermId {
        let Head::Binder(number) = terms.head(clause) else {
            return clause;
        };
        assert_eq!(terms.binder(number).kind, BinderKind::Forall);
        let variables = terms.binder(number).variables.clone();
        let mut values = FxHashMap::default();
        for variable in &variables {
            let sort = terms.sort(*variable);
            let corners = crate::corner::corner_values(&terms.sorts, sort);
            let value = corners.get(draw.index(corners.len().min(9))).cloned();
            let value = value.or_else(|| Model::default().default_value(terms, sort));
            let term = value.and_then(|value| terms.value_term(&value, sort));
            values.insert(*variable, term.expect("a value"));
        }
        let body = terms.args(clause)[0];
        terms.replace_all(body, &values)
    }

    /// Without the last clause of a derivation there is a model: what is reachable is not everything.
    #[test]
    fn a_derivation_names_its_clauses() {
        let mut terms = Terms::new();
        let mut seen = 0;
        for number in 0..100 {
            let Some(case) = case(&mut terms, number, &[]) else {
                continue;
            };
            let Evidence::Core { names, .. } = &case.evidence[0] else {
                continue;
            };
            let asserted: Vec<_> = case.script.assertions().filter_map(|a| a.name).collect();
            assert!(names.len() > 1 && names.iter().all(|name| asserted.contains(name)));
            seen += 1;
        }
        assert!(seen > 30);
    }

    #[test]
    fn the_witness_defines_every_predicate() {
        let mut terms = Terms::new();
        for number in 0..50 {
            let Some(case) = case(&mut terms, number, &[]) else {
                continue;
            };
            let Evidence::Witness(model) = &case.evidence[0] else {
                continue;
            };
            let defined = |script: &Script| {
                let mut all = script.commands.iter();
                all.all(|command| match command {
                    Command::DeclareFun(fun) => {
                        matches!(model.interpretation(*fun), Some(Interpretation::Body(..)))
                    }
                    _ => true,
                })
            };
            assert!(defined(&case.script));
        }
    }
}
