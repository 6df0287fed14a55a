//! Mutates a satisfiable script in any way that its model survives: the mutant is satisfiable, whatever it contains.
//!
//! ```text
//! model x = 5                     (assert (> x 3))
//!   →  (assert (> (str.len (str.++ "ab" s)) 1))       s = "" is chosen along the way; the model satisfies it
//! ```
//!
//! Keeps: the model, extended by values for new variables, makes every assertion true; the evaluator says so before
//! the case is used. After Kim and So's Diver, with sets of allowed values for more theories, and with terms that are
//! grown towards an allowed value instead of only guessed.

pub mod allowed;
pub mod analysis;
mod complicate;
mod guide;
pub mod mirror;
pub mod rules;

use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{Ingredients, Palette, Pool, Rules, grow};
use crate::strategy::{Seed, Strategy, Workshop};
use analysis::{Place, analyse};
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::{Assertion, Command, Query, Script};
use auspex_logic::{Model, TermId, Terms, Value};

/// The strategy with its parts, each of which can be left out to see what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Diver {
    /// Choose places by the size of their allowed sets, not all alike.
    pub weighted: bool,
    /// Turn a term whose value is not allowed into one whose value is.
    pub guided: bool,
    /// Introduce fresh variables.
    pub complicating: bool,
    /// Terms tried for one place.
    pub attempts: usize,
}

impl Diver {
    pub const USUAL: Diver = Diver {
        weighted: true,
        guided: true,
        complicating: true,
        attempts: 50,
    };
}

/// Occurrences looked at in one script.
const MOST_PLACES: usize = 600;
/// New operators above each other, as in the paper.
const DEPTH: u64 = 5;
/// Mutations in one case.
const LONGEST_CHAIN: u64 = 8;

impl Strategy for Diver {
    fn name(&self) -> &'static str {
        "diver"
    }

    fn about(&self) -> &'static str {
        "Mutates anything as long as a known model still satisfies the script."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Option<Case> {
        let with_models: Vec<&Seed> = workshop
            .seeds
            .iter()
            .filter(|seed| !seed.models.is_empty())
            .collect();
        let seed = *draw.pick(&with_models)?;
        let model = draw.pick(&seed.models)?.clone();
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: Features::ALL,
        };
        let mut dive = Dive::new(workshop.terms, &seed.script, model)?;
        dive.vary_model(workshop.terms, draw);
        for _ in 0..draw.between(1, LONGEST_CHAIN) {
            dive.mutate(workshop.terms, draw, &rules, *self);
        }
        dive.finish(workshop.terms, &seed.name)
    }
}

/// A script on its way, with the model that it must keep.
pub(crate) struct Dive {
    /// Declarations and definitions, in order.
    header: Vec<Command>,
    pub(crate) assertions: Vec<Assertion>,
    pub(crate) model: Model,
    definitions: Script,
    steps: Vec<String>,
    fresh: u32,
}

impl Dive {
    /// The seed's first query as a script without levels, if the model satisfies it.
    pub(crate) fn new(terms: &Terms, seed: &Script, model: Model) -> Option<Dive> {
        let query = seed.queries().into_iter().next()?;
        let header: Vec<Command> = seed.commands[..query.command]
            .iter()
            .filter(|c| is_declaration(c))
            .cloned()
            .collect();
        let mut assertions = query.assertions;
        assertions.extend(query.assumptions.iter().map(|term| Assertion {
            term: *term,
            name: None,
        }));
        let definitions = Script {
            commands: header.clone(),
            spans: Vec::new(),
        };
        let dive = Dive {
            header,
            assertions,
            model,
            definitions,
            steps: Vec::new(),
            fresh: 0,
        };
        dive.holds(terms).then_some(dive)
    }

    /// Whether the model makes every assertion true.
    pub(crate) fn holds(&self, terms: &Terms) -> bool {
        let query = Query {
            assertions: self.assertions.clone(),
            ..Query::default()
        };
        validate(terms, &self.model, &query) == ModelVerdict::Valid
    }

    pub(crate) fn roots(&self) -> Vec<TermId> {
        self.assertions.iter().map(|a| a.term).collect()
    }

    /// Changes the value of a symbol now and then, where the script stays true.
    fn vary_model(&mut self, terms: &mut Terms, draw: &mut Draw) {
        let constants: Vec<_> = self
            .definitions
            .declared()
            .filter(|f| terms.fun(*f).params.is_empty())
            .collect();
        for _ in 0..draw.below(4) {
            let Some(fun) = draw.pick(&constants).copied() else {
                return;
            };
            let sort = terms.fun(fun).result;
            let Some(term) = crate::grow::constant(terms, draw, sort) else {
                continue;
            };
            let Ok(value) = Evaluator::new(terms, &self.model).value(term) else {
                continue;
            };
            let old = self.model.clone();
            self.model.set_value(fun, value);
            if !self.holds(terms) {
                self.model = old;
            }
        }
    }

    fn mutate(&mut self, terms: &mut Terms, draw: &mut Draw, rules: &Rules<'_>, how: Diver) {
        let roots = self.roots();
        let places = analyse(
            terms,
            &mut Evaluator::new(terms, &self.model),
            &roots,
            MOST_PLACES,
        );
        let weight = |place: &Place| {
            if how.weighted {
                place.allowed.score()
            } else {
                1
            }
        };
        let weights: Vec<u32> = places.iter().map(weight).collect();
        let Some(place) = draw.weighted(&weights).map(|at| &places[at]) else {
            return;
        };
        let pool = Pool::of(terms, &roots);
        let palette = Palette::new(terms.table(), rules, pool.kinds(&terms.sorts));
        let with = Ingredients {
            pool: &pool,
            palette: &palette,
            scope: &[],
            place: crate::grow::EVERYWHERE,
            avoid: Some(place.term),
            constants: 4,
        };
        let sort = terms.sort(place.term);
        for _ in 0..how.attempts {
            let depth = draw.between(1, DEPTH) as u32;
            let Some(grown) = grow(terms, draw, sort, depth, &with) else {
                continue;
            };
            let Some(new) = self.steer(terms, draw, place, grown, how.guided) else {
                continue;
            };
            let Some(term) = terms.replace_at(roots[place.root], &place.path, new) else {
                continue;
            };
            if term == roots[place.root] || !self.is_true(terms, term) {
                continue;
            }
            self.record(terms, place, new);
            self.assertions[place.root].term = term;
            if how.complicating && draw.coin() {
                self.complicate(terms, draw, place.root, &place.path, new);
            }
            return;
        }
    }

    /// The grown term if its value is allowed, or changed so that its value is.
    fn steer(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        place: &Place,
        grown: TermId,
        guided: bool,
    ) -> Option<TermId> {
        let value = Evaluator::new(terms, &self.model).value(grown).ok()?;
        match place.allowed.contains(&value) {
            Some(true) => Some(grown),
            // Where we cannot say, the evaluator will.
            None => Some(grown),
            Some(false) if !guided => None,
            Some(false) => {
                let target = place.allowed.sample(draw)?;
                guide::towards(terms, draw, grown, &value, &target)
            }
        }
    }

    fn is_true(&self, terms: &Terms, term: TermId) -> bool {
        Evaluator::new(terms, &self.model).value(term) == Ok(Value::TRUE)
    }

    fn record(&mut self, terms: &Terms, place: &Place, new: TermId) {
        let old = render::term(terms, place.term, Sharing::Auto);
        let new = render::term(terms, new, Sharing::Auto);
        self.steps
            .push(format!("assertion {}: {old} becomes {new}", place.root + 1));
    }

    fn finish(self, terms: &mut Terms, seed: &str) -> Option<Case> {
        if self.steps.is_empty() || !self.holds(terms) {
            return None;
        }
        let mut script = Script::default();
        let all = terms.symbols.intern("ALL");
        script.push(Command::SetLogic(all));
        script.commands.extend(self.header);
        script
            .commands
            .extend(self.assertions.into_iter().map(Command::Assert));
        script.push(Command::CheckSat);
        let origin = Origin {
            strategy: "diver",
            seed: Some(seed.to_string()),
            steps: self.steps,
        };
        Some(Case {
            script,
            evidence: vec![Evidence::Witness(Box::new(self.model))],
            origin,
        })
    }
}

/// Commands that later ones may need.
fn is_declaration(command: &Command) -> bool {
    matches!(
        command,
        Command::DeclareSort(..)
            | Command::DefineSort(..)
            | Command::DeclareDatatypes(_)
            | Command::DeclareFun(_)
            | Command::DefineFun(_)
            | Command::DefineFunsRec(_)
    )
}

/// The places of a script with what may stand there and how likely each is chosen, for `auspex explain`.
pub fn explain(terms: &Terms, script: &Script, model: Model) -> Option<Vec<(Place, u32)>> {
    let dive = Dive::new(terms, script, model)?;
    let places = analyse(
        terms,
        &mut Evaluator::new(terms, &dive.model),
        &dive.roots(),
        MOST_PLACES,
    );
    Some(
        places
            .into_iter()
            .map(|place| (place.clone(), place.allowed.score()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::read_model;
    use auspex_logic::read_script;
    use auspex_logic::theory::Known;

    /// Scripts with a model, over several theories.
    const SEEDS: &[(&str, &str)] = &[
        (
            "(declare-const x Int)(declare-const y Int)(declare-const p Bool)\
             (assert (and (> x y) (or (= x 5) p)))(assert (<= (+ x (* 2 y)) 20))(assert (distinct (- x) (abs y)))",
            "((define-fun x () Int 5)(define-fun y () Int 3)(define-fun p () Bool false))",
        ),
        (
            "(declare-const r Real)(declare-const i Int)(assert (< 0.5 r))(assert (not (< (to_real i) r)))\
             (assert (= (to_int r) 2))",
            "((define-fun r () Real 2.5)(define-fun i () Int 3))",
        ),
        (
            "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))(assert (bvult a b))\
             (assert (bvsle (bvadd a #x01) (bvsub b #x02)))(assert (= ((_ extract 3 0) (bvand a b)) #x4))\
             (assert (not (bvuge (bvnot a) (bvneg a))))(assert (= (bvor a #x0f) #x1f))",
            "((define-fun a () (_ BitVec 8) #x14)(define-fun b () (_ BitVec 8) #x2c))",
        ),
        (
            "(declare-const s String)(declare-const t String)(assert (str.< s t))(assert (str.prefixof s t))\
             (assert (str.in_re t (re.+ (re.range \"a\" \"c\"))))(assert (not (str.contains s t)))\
             (assert (>= (str.len t) 2))",
            "((define-fun s () String \"ab\")(define-fun t () String \"abc\"))",
        ),
        (
            "(declare-const m (Array Int Bool))(declare-const k Int)(assert (select m k))\
             (assert (ite (select m 7) (= k 3) (> k 0)))",
            "((define-fun m () (Array Int Bool) (store ((as const (Array Int Bool)) false) 3 true))(define-fun k () Int 3))",
        ),
    ];

    fn seeds(terms: &mut Terms) -> Vec<Seed> {
        let read = |terms: &mut Terms, (script, model): &(&str, &str)| {
            let reading = read_script(terms, &format!("{script}(check-sat)")).expect("well-formed");
            assert_eq!(reading.issues, []);
            let model = read_model(terms, &reading.script, model).expect("a model");
            Seed {
                name: "test".into(),
                script: reading.script,
                status: None,
                models: vec![model],
                core: None,
            }
        };
        SEEDS.iter().map(|seed| read(terms, seed)).collect()
    }

    #[test]
    fn allowed_values_keep_the_formula_true() {
        let mut terms = Terms::new();
        let mut checked = 0;
        for seed in seeds(&mut terms) {
            let dive =
                Dive::new(&terms, &seed.script, seed.models[0].clone()).expect("the model holds");
            let roots = dive.roots();
            let places = analyse(
                &terms,
                &mut Evaluator::new(&terms, &dive.model),
                &roots,
                MOST_PLACES,
            );
            for place in places {
                for number in 0..20 {
                    let Some(value) = place.allowed.sample(&mut Draw::new(7, number)) else {
                        continue;
                    };
                    if place.allowed.contains(&value) != Some(true) {
                        continue;
                    }
                    let sort = terms.sort(place.term);
                    let Some(new) = terms.value_term(&value, sort) else {
                        continue;
                    };
                    let changed = terms
                        .replace_at(roots[place.root], &place.path, new)
                        .expect("sorts fit");
                    let shown = render::term(&terms, changed, Sharing::Expanded);
                    assert!(
                        dive.is_true(&terms, changed),
                        "{:?} allows {value:?} in {shown}",
                        place.allowed
                    );
                    checked += 1;
                }
            }
        }
        assert!(checked > 500, "only {checked} values were tried");
    }

    #[test]
    fn every_mutant_keeps_its_model() {
        let mut terms = Terms::new();
        let seeds = seeds(&mut terms);
        let mark = terms.mark();
        let mut made = 0;
        for number in 0..300 {
            let mut workshop = Workshop {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: Known(0),
                forbidden: &[],
            };
            if let Some(case) = Diver::USUAL.make(&mut workshop, &mut Draw::new(1, number)) {
                let query = case.script.queries().pop().expect("one query");
                let Evidence::Witness(model) = &case.evidence[0] else {
                    panic!("a witness")
                };
                assert_eq!(validate(&terms, model, &query), ModelVerdict::Valid);
                made += 1;
            }
            terms.release(mark);
        }
        assert!(made > 200, "only {made} of 300 draws gave a mutant");
    }

    #[test]
    fn leaves_a_seed_without_a_valid_model_alone() {
        let mut terms = Terms::new();
        let mut seeds = seeds(&mut terms);
        seeds.truncate(1);
        let script = seeds[0].script.clone();
        let wrong = "((define-fun x () Int 0)(define-fun y () Int 3)(define-fun p () Bool false))";
        seeds[0].models = vec![read_model(&mut terms, &script, wrong).expect("a model")];
        let mut workshop = Workshop {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: Known(0),
            forbidden: &[],
        };
        assert!(
            Diver::USUAL
                .make(&mut workshop, &mut Draw::new(1, 1))
                .is_none()
        );
    }
}
