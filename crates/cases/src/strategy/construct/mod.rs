//! `construct` makes formulas that are satisfiable or unsatisfiable by construction, from single operators,
//! corner values and the reference semantics. It needs no seeds.
//!
//! ```text
//! (assert (= (bvadd x0 #x1) #x0))                                      sat, with x0 = #xf
//! (assert (! (= (bvadd #x0 #x0) #x1) :named a0))                       unsat: evaluates to false
//! ```
//! Every case has its proof: a witness that evaluation confirms, or a core with the reason why its members contradict
//! each other. After Bugariu and Müller, and Becker.

mod axioms;
mod build;
mod check;
mod contradict;
mod datatype_laws;
mod datatypes;
mod deep;
mod draft;
pub mod exhaustive;
mod grow;
mod kit;
mod laws;
mod links;
mod quantified;
mod sat;
mod small;
pub mod stream;
mod unsat;

use super::{GenContext, Parameter, Strategy, Values};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::Terms;
pub use deep::DEEPEST;
use draft::Draft;
use grow::Maker;
pub use kit::Kit;

pub(crate) const NAME: &str = "construct";

/// Formulas whose answer is known by construction.
pub struct Construct {
    name: &'static str,
    /// All depths up to this are equally frequent; if none is given, most cases are shallow.
    depth: Option<u64>,
}

impl Construct {
    pub const USUAL: Construct = Construct {
        name: NAME,
        depth: None,
    };
}

impl Strategy for Construct {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "Grows formulas from single operators and corner values, satisfiable or unsatisfiable by construction."
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn is_general(&self) -> bool {
        true
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::number(
            "depth",
            "levels of operators at most; 0 for one to eight, mostly few",
            self.depth.unwrap_or(0),
            0..=DEEPEST,
        )]
    }

    fn with(&self, name: &'static str, values: &Values) -> Result<Box<dyn Strategy>, String> {
        let depth = Some(values.get("depth")).filter(|depth| *depth > 0);
        Ok(Box::new(Construct { name, depth }))
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let kit = Kit::of(workshop.theories, workshop.solvers);
        let depth = match self.depth {
            Some(depth) => draw.between(1, depth),
            // Most bugs need shallow terms; some need deep ones.
            None => 1 + draw.weighted(&[8, 8, 4, 2, 1, 1, 1, 1])? as u64,
        };
        case(&kit, workshop.terms, draw, depth, workshop.forbidden)
    }
}

/// The forms of cases with their weights.
type Form = fn(&mut Maker<'_>, u64) -> Option<Draft>;
const FORMS: [(Form, u32); 7] = [
    (small::draft, 60),
    (sat::draft, 12),
    (unsat::ground, 9),
    (unsat::defined, 5),
    (contradict::draft, 14),
    (quantified::draft, 6),
    (sat::law, 2),
];

/// One case whose deepest term has a number of levels, if its form permits; it uses no forbidden row.
pub fn case(
    kit: &Kit,
    terms: &mut Terms,
    draw: &mut Draw,
    depth: u64,
    forbidden: &[u32],
) -> Option<Case> {
    // Datatypes are a theory like the others.
    let form: Form = match kit.datatypes && draw.one_in(kit.roots.len() as u64 + 1) {
        true if draw.coin() => return datatype_laws::case(kit, terms, draw),
        true => datatypes::draft,
        false => form(draw, depth)?,
    };
    let mut maker = Maker::new(kit, terms, draw, forbidden);
    // The root is a level.
    let draft = form(&mut maker, depth.saturating_sub(1))?;
    draft.finish(&mut maker)
}

/// Small equations have at most two levels.
fn form(draw: &mut Draw, depth: u64) -> Option<Form> {
    let some = if depth > 2 { &FORMS[1..] } else { &FORMS[..] };
    let weights: Vec<u32> = some.iter().map(|(_, weight)| *weight).collect();
    Some(some[draw.weighted(&weights)?].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Evidence, Expected};
    use auspex_logic::model::{ModelVerdict, validate};
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{Theory, read_script};

    fn both() -> SolverSet {
        SolverSet::Z3.union(SolverSet::CVC5)
    }

    fn text_of(number: u64, theories: &[Theory]) -> Option<(String, Expected)> {
        let mut terms = Terms::new();
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &[],
            theories,
            solvers: both(),
            forbidden: &[],
        };
        let case = Construct::USUAL.make(&mut workshop, &mut Draw::new(7, number))?;
        let text = render::script(&terms, &case.script, Sharing::Auto);
        case.evidence[0].expected().map(|expected| (text, expected))
    }

    #[test]
    fn same_number_same_case() {
        for number in 0..50 {
            assert_eq!(text_of(number, &[]), text_of(number, &[]));
        }
    }

    #[test]
    fn most_draws_give_a_case_and_both_answers_occur() {
        let cases: Vec<Expected> = (0..400)
            .filter_map(|n| text_of(n, &[]))
            .map(|(_, expected)| expected)
            .collect();
        assert!(cases.len() > 300, "{}", cases.len());
        let sat = cases.iter().filter(|e| **e == Expected::Sat).count();
        assert!(sat > 80 && cases.len() - sat > 80);
    }

    #[test]
    fn texts_read_back_without_issues() {
        for number in 0..400 {
            if let Some((text, _)) = text_of(number, &[]) {
                let mut terms = Terms::new();
                let reading = read_script(&mut terms, &text).expect("well-formed");
                assert_eq!(reading.issues, [], "{text}");
            }
        }
    }

    #[test]
    fn witnesses_are_valid() {
        let mut terms = Terms::new();
        for number in 0..400 {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &[],
                theories: &[],
                solvers: both(),
                forbidden: &[],
            };
            let Some(case) = Construct::USUAL.make(&mut workshop, &mut Draw::new(3, number)) else {
                continue;
            };
            if let Evidence::Witness(model) = &case.evidence[0] {
                let query = &case.script.queries()[0];
                assert_eq!(validate(&terms, model, query), ModelVerdict::Valid);
            }
        }
    }

    #[test]
    fn keeps_to_the_wanted_theories() {
        for number in 0..200 {
            if let Some((text, _)) = text_of(number, &[Theory::BitVectors]) {
                assert!(!text.contains("str.") && !text.contains("Array"), "{text}");
            }
        }
    }
}
