//! `storm`: combines the Boolean parts of a satisfiable seed, whose truth values under a model are known, into new
//! formulas that are true under the same model, spread over scopes with several queries.
//!
//! ```text
//! before  (assert (and (< x 5) (or (> x 7) p)))                      model x = 3, p = true
//! after   (assert (=> (> x 7) (not p))) (check-sat)
//!         (push 1) (assert (xor (< x 5) (and p (> x 7)))) (check-sat) (pop 1) (assert p) (check-sat)
//! ```
//! Preserves: the model, which is the witness of every query and is evaluated before the case is used. After Mansur
//! et al. (STORM), 2020.

use super::flat::{Flat, Subterms, assertion, script};
use super::{GenContext, Seed, Strategy};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::{Command, Head, Model, Script, Sort, TermId, Terms, Value};

pub struct Storm;

/// The depth of a new formula above the parts of the seed.
const DEEPEST: u32 = 3;
/// The most open scopes.
const LEVELS: usize = 3;
/// The most parts of a seed that are used.
const PARTS: usize = 200;

impl Strategy for Storm {
    fn name(&self) -> &'static str {
        "storm"
    }

    fn about(&self) -> &'static str {
        "Recombines the Boolean parts of a seed into formulas that are true under its model, over several queries."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let (flat, model, seed) = chosen(workshop, draw)?;
        let terms = &mut *workshop.terms;
        let parts = Parts::of(terms, &flat, &model)?;
        let script = spread(terms, draw, &flat, &parts);
        let queries = script.queries();
        let valid = |query| validate(terms, &model, query) == ModelVerdict::Valid;
        if !queries.iter().all(valid) {
            return None;
        }
        Some(Case {
            evidence: vec![Evidence::Witness(Box::new(model)); queries.len()],
            script,
            origin: Origin {
                strategy: self.name(),
                seed: Some(seed),
                steps: vec!["recombined its parts under a model".to_string()],
            },
        })
    }

    fn stages(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Vec<Script> {
        let before = chosen(workshop, &mut draw.clone());
        let before = before.map(|(flat, ..)| flat.script(workshop.terms));
        let case = self.make(workshop, draw).map(|case| case.script);
        before.into_iter().chain(case).collect()
    }
}

/// A seed with a model, and its name.
fn chosen(workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<(Flat, Model, String)> {
    let with_models = workshop.seeds.iter().filter(|s| !s.models.is_empty());
    let with_models: Vec<&Seed> = with_models.collect();
    let seed = *draw.pick(&with_models)?;
    let model = draw.pick(&seed.models)?.clone();
    Some((Flat::of(workshop.terms, seed)?, model, seed.name.clone()))
}

/// Boolean parts of a seed by their truth value.
struct Parts {
    truths: Vec<TermId>,
    lies: Vec<TermId>,
}

impl Parts {
    /// None if there is nothing to combine.
    fn of(terms: &Terms, flat: &Flat, model: &Model) -> Option<Parts> {
        let mut evaluator = Evaluator::new(terms, model);
        let mut parts = Parts {
            truths: Vec::new(),
            lies: Vec::new(),
        };
        let all = Subterms::of(terms, flat.assertions.clone()).0;
        let usable = |term: &TermId| {
            terms.sort(*term) == Sort::BOOL
                && terms.is_closed(*term)
                && !matches!(terms.head(*term), Head::Literal(_) | Head::Annotated(_))
        };
        for term in all.into_iter().filter(usable).take(PARTS) {
            match evaluator.value(term) {
                Ok(Value::Bool(true)) => parts.truths.push(term),
                Ok(Value::Bool(false)) => parts.lies.push(term),
                _ => {}
            }
        }
        (parts.truths.len() + parts.lies.len() > 1).then_some(parts)
    }

    /// A part with a truth value; negated if there is no other, and sometimes anyway.
    fn part(&self, terms: &mut Terms, draw: &mut Draw, truth: bool) -> Option<TermId> {
        let (same, opposite) = match truth {
            true => (&self.truths, &self.lies),
            false => (&self.lies, &self.truths),
        };
        if same.is_empty() || (!opposite.is_empty() && draw.one_in(3)) {
            let part = *draw.pick(opposite)?;
            return terms.app("not", &[part]).ok();
        }
        draw.pick(same).copied()
    }

    /// A formula with a truth value.
    fn formula(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        truth: bool,
        depth: u32,
    ) -> Option<TermId> {
        if depth == 0 || draw.one_in(5) {
            return self.part(terms, draw, truth);
        }
        let (name, truths) = shape(draw, truth);
        let args = truths
            .into_iter()
            .map(|t| self.formula(terms, draw, t, depth - 1));
        let args: Vec<TermId> = args.collect::<Option<_>>()?;
        terms.app(name, &args).ok()
    }
}

/// A connective with truth values for its arguments, so that it has the wanted one.
fn shape(draw: &mut Draw, truth: bool) -> (&'static str, Vec<bool>) {
    let mut some = |truth: bool| {
        // At least one argument decides; the others are arbitrary.
        let mut all: Vec<bool> = (0..draw.between(1, 2)).map(|_| draw.coin()).collect();
        all.insert(draw.index(all.len() + 1), truth);
        all
    };
    let several = some(truth);
    let left = draw.coin();
    match draw.below(7) {
        0 if truth => ("and", several.iter().map(|_| true).collect()),
        0 => ("and", several),
        1 if truth => ("or", several),
        1 => ("or", several.iter().map(|_| false).collect()),
        2 if truth => (
            "=>",
            if left {
                vec![false, draw.coin()]
            } else {
                vec![true, true]
            },
        ),
        2 => ("=>", vec![true, false]),
        3 => ("xor", vec![left, left != truth]),
        4 => ("=", vec![left, left == truth]),
        5 if left => ("ite", vec![true, truth, draw.coin()]),
        5 => ("ite", vec![false, draw.coin(), truth]),
        _ => ("not", vec![!truth]),
    }
}

/// A script of true formulas in scopes, with some queries.
fn spread(terms: &mut Terms, draw: &mut Draw, flat: &Flat, parts: &Parts) -> Script {
    let mut script = script(terms, &flat.logic, flat.declarations.clone());
    let mut levels = 0;
    let mut changed = false;
    for _ in 0..draw.between(3, 12) {
        let weights = [
            60,
            if levels < LEVELS { 20 } else { 0 },
            if levels > 0 { 15 } else { 0 },
            if changed { 30 } else { 0 },
        ];
        match draw.weighted(&weights) {
            Some(0) => {
                let depth = draw.between(1, u64::from(DEEPEST)) as u32;
                let formula = parts.formula(terms, draw, true, depth);
                script.commands.extend(formula.map(assertion));
                changed = true;
            }
            Some(1) => {
                script.push(Command::Push(1));
                levels += 1;
            }
            Some(2) => {
                script.push(Command::Pop(1));
                levels -= 1;
                changed = true;
            }
            _ => {
                script.push(Command::CheckSat);
                changed = false;
            }
        }
    }
    let asked = script
        .commands
        .iter()
        .any(|c| matches!(c, Command::CheckSat));
    if changed || !asked {
        script.push(Command::CheckSat);
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::read_model;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;

    const SEED: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const p Bool)\
         (assert (! (and (< x 5) (or (> x 7) p)) :named a))(push 1)(assert (=> p (= x 3)))(check-sat)(pop 1)(check-sat)";
    const MODEL: &str = "((define-fun x () Int 3)(define-fun p () Bool true))";

    fn made(models: bool, draws: u64) -> Vec<(String, Vec<bool>)> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, SEED).expect("well-formed").script;
        let model = read_model(&mut terms, &script, MODEL).expect("a model");
        let seeds = [Seed {
            name: "seed".into(),
            script,
            status: None,
            models: if models { vec![model] } else { Vec::new() },
            core: None,
        }];
        let mut all = Vec::new();
        for number in 0..draws {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: SolverSet(0),
                forbidden: &[],
            };
            let Some(case) = Storm.make(&mut workshop, &mut Draw::new(5, number)) else {
                continue;
            };
            let queries = case.script.queries();
            assert_eq!(queries.len(), case.evidence.len());
            let holds = |(query, evidence): (_, &Evidence)| match evidence {
                Evidence::Witness(model) => validate(&terms, model, query) == ModelVerdict::Valid,
                _ => false,
            };
            let holds = queries.iter().zip(&case.evidence).map(holds).collect();
            all.push((render::script(&terms, &case.script, Sharing::Auto), holds));
        }
        all
    }

    #[test]
    fn every_query_is_true_under_the_model() {
        let all = made(true, 1000);
        assert!(all.len() > 950, "{}", all.len());
        assert!(all.iter().all(|(_, holds)| holds.iter().all(|h| *h)));
        for (text, _) in &all {
            let reading = read_script(&mut Terms::new(), text).expect("well-formed");
            assert_eq!(reading.issues, [], "in {text}");
        }
    }

    #[test]
    fn reaches_scopes_connectives_and_several_queries() {
        let all = made(true, 1000);
        for word in ["(push 1)", "(pop 1)", "(xor ", "(ite ", "(=> ", "QF_LIA"] {
            assert!(all.iter().any(|(text, _)| text.contains(word)), "{word}");
        }
        let several = all.iter().filter(|(_, holds)| holds.len() > 1).count();
        assert!(several > all.len() / 4, "{several}");
        assert!(!all.iter().any(|(text, _)| text.contains(":named")));
    }

    #[test]
    fn leaves_a_seed_without_a_model_alone() {
        assert_eq!(made(false, 20).len(), 0);
    }
}
