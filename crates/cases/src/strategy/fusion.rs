//! `fusion`: combines two seeds with the same answer into one script, by new variables from which variables of both
//! can be computed.
//!
//! ```text
//! before  (assert (> x 0)) (assert (< x 9))            x = 5
//!         (assert (= y 3))                             y = 3
//! after   (assert (> (- fused!1 y) 0)) (assert (< x 9)) (assert (= (- fused!1 x) 3))      fused!1 = (+ x y) = 8
//! ```
//! Preserves: with `fused!1 = (+ x y)` each replacement equals the replaced occurrence, by a proved law. So the
//! models of two satisfiable seeds together are a model, which is evaluated again; and if that equation is asserted,
//! two unsatisfiable seeds stay unsatisfiable. After Winterer, Zhang and Su (YinYang), 2020.

use super::flat::{Flat, Renaming, assertion, rebuild, script};
use super::{GenContext, Seed, Strategy, position};
use crate::case::{Case, Evidence, Origin, Relation, RelationKind, SeedStatus, Source};
use crate::draw::Draw;
use crate::features::Features;
use crate::rules::fusion::Fused;
use crate::rules::{self, Fusion};
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Fun, Model, Script, TermId, Terms, Theory};

pub struct Fuse;

/// The most pairs of variables that are fused.
const PAIRS: u64 = 3;
/// The largest number in a fusion function.
const NUMBERS: u64 = 9;

impl Strategy for Fuse {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn about(&self) -> &'static str {
        "Fuses two seeds with the same answer by new variables from which the variables of both can be computed."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn seeds(&self) -> usize {
        2
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let couple = Couple::choose(workshop, draw)?;
        couple.fuse(workshop, draw)
    }

    fn stages(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Vec<Script> {
        let Some(couple) = Couple::choose(workshop, draw) else {
            return Vec::new();
        };
        let before = couple.flat.iter().map(|flat| flat.script(workshop.terms));
        let mut stages: Vec<Script> = before.collect();
        stages.extend(couple.fuse(workshop, draw).map(|case| case.script));
        stages
    }
}

/// Two seeds without a common name.
struct Couple {
    flat: [Flat; 2],
    /// A model of both, if they have models.
    model: Option<Model>,
    names: [String; 2],
    /// The positions of the seeds.
    places: [usize; 2],
    /// What is known about both: the weaker knowledge of the two.
    status: Option<SeedStatus>,
    prefix: String,
}

impl Couple {
    fn choose(workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Couple> {
        let seeds = workshop.seeds.iter();
        let (sat, others): (Vec<&Seed>, Vec<&Seed>) = seeds.partition(|s| !s.models.is_empty());
        let unsat = |seed: &&Seed| {
            let known = [SeedStatus::ConstructedUnsat, SeedStatus::AgreedUnsat];
            seed.status.is_some_and(|status| known.contains(&status))
        };
        let unsat: Vec<&Seed> = others.into_iter().filter(unsat).collect();
        // In proportion to the seeds of either kind; a seed may be fused with itself.
        let total = sat.len() + unsat.len();
        let is_sat = draw.index(total) < sat.len();
        let seeds = if is_sat { &sat } else { &unsat };
        let mut two = [*draw.pick(seeds)?, *draw.pick(seeds)?];
        let terms = &mut *workshop.terms;
        let mut flat = [Flat::of(terms, two[0])?, Flat::of(terms, two[1])?];
        if flat[1].has_sorts() {
            two.swap(0, 1);
            flat.swap(0, 1);
        }
        if flat[1].has_sorts() {
            return None;
        }
        let models = match is_sat {
            true => Some([draw.pick(&two[0].models)?, draw.pick(&two[1].models)?]),
            false => None,
        };
        let prefix = free_prefix(terms, &flat);
        let renaming = Renaming::apart(terms, &flat[1], &flat[0], &prefix);
        let model = models.map(|[first, second]| {
            let mut model = first.clone();
            renaming.extend(terms, &mut model, &flat[1], second);
            model
        });
        flat[1] = renaming.flat(terms, &flat[1]);
        Some(Couple {
            flat,
            model,
            names: two.map(|seed| seed.name.clone()),
            places: two.map(|seed| position(workshop.seeds, seed)),
            status: two.iter().map(|seed| seed.status).max().flatten(),
            prefix,
        })
    }

    fn fuse(mut self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let mut steps = vec![format!("fused with {}", self.names[1])];
        let mut ties = Vec::new();
        for number in 1..=draw.between(1, PAIRS) {
            if let Some(tie) = self.tie(workshop, draw, number) {
                steps.push(tie.step.clone());
                ties.push(tie);
            }
        }
        if ties.is_empty() {
            return None;
        }
        let terms = &mut *workshop.terms;
        for tie in &ties {
            self.replace(terms, draw, tie);
        }
        let (script, evidence) = match self.model.take() {
            Some(model) => self.satisfiable(terms, draw, &ties, model)?,
            None => self.unsatisfiable(terms, draw, &ties)?,
        };
        Some(Case {
            script,
            evidence: vec![evidence],
            origin: Origin {
                strategy: "fusion",
                seed: Some(self.names[0].clone()),
                steps,
            },
        })
    }

    /// Chooses a variable of each seed and a function that fuses them.
    fn tie(&self, workshop: &mut GenContext<'_>, draw: &mut Draw, number: u64) -> Option<Tie> {
        let usable: Vec<&Fusion> = usable(workshop).collect();
        let terms = &mut *workshop.terms;
        let constants = self.flat.each_ref().map(|flat| constants(terms, flat));
        let x = *draw.pick(&constants[0])?;
        let sort = terms.fun(x).result;
        let like = constants[1]
            .iter()
            .filter(|y| terms.fun(**y).result == sort);
        let like: Vec<Fun> = like.copied().collect();
        let y = *draw.pick(&like)?;
        let fun = terms.declare_fun(&format!("{}{number}", self.prefix), &[], sort);
        let mut term = |fun| terms.fun_app(fun, &[]).ok();
        let three = [term(x)?, term(y)?, term(fun)?];
        let factor = draw.between(1, NUMBERS);
        let mut fitting = Vec::new();
        for fusion in usable {
            let built = fusion.build(terms, factor, three);
            fitting.extend(built.map(|built| (&fusion.name, built)));
        }
        let chosen = draw.index(fitting.len());
        let (name, built) = fitting.into_iter().nth(chosen)?;
        let symbol = |fun: Fun| terms.symbols.name(terms.fun(fun).name);
        let step = format!("{name} of {} and {}", symbol(x), symbol(y));
        Some(Tie {
            fun,
            three,
            built,
            step,
        })
    }

    /// Replaces about half of the occurrences of the two variables.
    fn replace(&mut self, terms: &mut Terms, draw: &mut Draw, tie: &Tie) {
        let [x, y, _] = tie.three;
        for (flat, old, new) in [(0, x, tie.built.x), (1, y, tie.built.y)] {
            for root in &mut self.flat[flat].assertions {
                *root = rebuild(terms, *root, &mut |terms, term, args| {
                    for (at, arg) in terms.args(term).iter().enumerate() {
                        if *arg == old && draw.coin() {
                            args[at] = new;
                        }
                    }
                    None
                });
            }
        }
    }

    fn satisfiable(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        ties: &[Tie],
        mut model: Model,
    ) -> Option<(Script, Evidence)> {
        let mut asserted: Vec<TermId> = self
            .flat
            .iter()
            .flat_map(|f| f.assertions.clone())
            .collect();
        for tie in ties {
            let value = Evaluator::new(terms, &model).value(tie.built.z).ok()?;
            model.set_value(tie.fun, value);
            if draw.one_in(4) {
                asserted.push(terms.equation(tie.three[2], tie.built.z)?);
            }
        }
        draw.shuffle(&mut asserted);
        let script = self.script(terms, ties, &asserted);
        let query = script.queries().pop()?;
        let valid = validate(terms, &model, &query) == ModelVerdict::Valid;
        valid.then(|| (script, Evidence::Witness(Box::new(model))))
    }

    /// The conjunction or disjunction of both, with the equations that define the new variables.
    fn unsatisfiable(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        ties: &[Tie],
    ) -> Option<(Script, Evidence)> {
        let mut asserted: Vec<TermId> = match draw.coin() {
            true => self
                .flat
                .iter()
                .flat_map(|f| f.assertions.clone())
                .collect(),
            false => {
                let mut sides = Vec::new();
                for flat in &self.flat {
                    sides.push(all_of(terms, &flat.assertions)?);
                }
                vec![terms.app("or", &sides).ok()?]
            }
        };
        for tie in ties {
            let [x, y, z] = tie.three;
            asserted.push(terms.equation(z, tie.built.z)?);
            // These equations are implied, which solvers must find out.
            for (variable, same) in [(x, tie.built.x), (y, tie.built.y)] {
                if draw.coin() {
                    asserted.push(terms.equation(variable, same)?);
                }
            }
        }
        draw.shuffle(&mut asserted);
        let evidence = Evidence::Relation(Relation {
            kind: RelationKind::UnsatIfAll,
            sources: self
                .places
                .map(|seed| Source::Seed { seed, query: 0 })
                .to_vec(),
            status: self.status,
        });
        Some((self.script(terms, ties, &asserted), evidence))
    }

    fn script(&self, terms: &mut Terms, ties: &[Tie], asserted: &[TermId]) -> Script {
        let mut declarations = Vec::new();
        for flat in &self.flat {
            declarations.extend(flat.declarations.iter().cloned());
        }
        declarations.extend(ties.iter().map(|tie| Command::DeclareFun(tie.fun)));
        let mut used = Features::NONE;
        for tie in ties {
            for term in [tie.built.z, tie.built.x, tie.built.y] {
                used = used.union(Features::of_root(terms, term));
            }
        }
        let same = self.flat[0].logic == self.flat[1].logic;
        let logic = match same && self.flat[0].allows(used) {
            true => self.flat[0].logic.clone(),
            false => "ALL".to_string(),
        };
        let mut script = script(terms, &logic, declarations);
        script
            .commands
            .extend(asserted.iter().map(|term| assertion(*term)));
        script.push(Command::CheckSat);
        script
    }
}

/// Two variables and what they are fused to.
struct Tie {
    /// The new variable.
    fun: Fun,
    /// The variable of the first seed, that of the second, and the new one.
    three: [TermId; 3],
    built: Fused,
    step: String,
}

/// A prefix that no name of two scripts has.
fn free_prefix(terms: &Terms, flat: &[Flat; 2]) -> String {
    let names = flat.each_ref().map(|flat| flat.names(terms));
    let taken = |prefix: &str| names.iter().flatten().any(|name| name.starts_with(prefix));
    let mut prefix = "fused!".to_string();
    while taken(&prefix) {
        prefix.push('!');
    }
    prefix
}

/// The proved functions that all solvers support and the campaign allows.
fn usable<'w>(workshop: &GenContext<'w>) -> impl Iterator<Item = &'static Fusion> + use<'w> {
    let (solvers, theories) = (workshop.solvers, workshop.theories);
    rules::fusions().iter().filter(move |fusion| {
        let wanted = fusion.theory() == Theory::Core || theories.is_empty();
        let wanted = wanted || theories.contains(&fusion.theory());
        wanted && fusion.is_proved() && fusion.known_to().includes(solvers)
    })
}

/// The constants that a script declares.
fn constants(terms: &Terms, flat: &Flat) -> Vec<Fun> {
    let is_constant = |fun: &Fun| {
        let decl = terms.fun(*fun);
        decl.kind == FunKind::Declared && decl.params.is_empty()
    };
    flat.symbols().into_iter().filter(is_constant).collect()
}

fn all_of(terms: &mut Terms, all: &[TermId]) -> Option<TermId> {
    match all {
        [one] => Some(*one),
        _ => terms.app("and", all).ok(),
    }
}

#[cfg(test)]
mod tests;
