//! Makes unsatisfiable cases from rules: one side of a law holds and the other does not.
//!
//! ```text
//! (not (= (bvadd x0 x1) x2)) (= ((_ int2bv 4) (+ (bv2nat x0) (bv2nat x1))) x2)      an equality denied
//! (not (= (bvnot (bvadd x0 x1)) x2)) (= (bvnot ((_ int2bv 4) (+ …))) x2)            the same inside of a context
//! ```
//!
//! After Bugariu and Müller: equivalent formulas A and B, of which ¬A ∧ B is asserted. `links` makes the core larger
//! and hides it, `axioms` puts quantifiers around the sides.

use super::axioms;
use super::draft::{Claim, Draft};
use super::grow::{Grown, Maker};
use super::kit::Law;
use super::laws::Chosen;
use super::links;
use crate::rules::{Bindings, Relation};
use auspex_logic::{Sort, TermId};

/// The two sides of a law: equal, or the first implies the second.
pub(super) struct Sides {
    /// A: built from the unchanged arguments.
    pub before: TermId,
    /// B: changed step by step.
    pub after: TermId,
}

/// A negated rule.
pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    let chosen = maker.choose_law()?;
    let arguments = maker.arguments(&chosen, depth)?;
    let arguments: Vec<TermId> = arguments.iter().map(|a| a.term).collect();
    let mut draft = Draft::new(Claim::Contradiction(because(&chosen)), &chosen.rule.name);
    draft.quantified = chosen.rule.has_quantifier();
    for condition in &chosen.rule.conditions {
        let condition = maker.build(&chosen, &condition.node, &arguments)?;
        draft.member(condition);
    }
    let mut sides = Sides {
        before: maker.build(&chosen, &chosen.rule.left.node, &arguments)?,
        after: maker.build(&chosen, &chosen.rule.right.node, &arguments)?,
    };
    if !chosen.rule.relation.is_implication() && !draft.quantified {
        let levels = maker.draw.between(0, depth);
        surround(maker, &mut draft, &mut sides, levels);
    }
    links::change(maker, &mut draft, &mut sides)?;
    deny(maker, &mut draft, &chosen, &sides)?;
    links::redundancies(maker, &mut draft, depth)?;
    Some(draft)
}

/// The plain negation of a law; if an identity is given, with one variable linked by it.
pub(super) fn plain(maker: &mut Maker<'_>, law: &Law, identity: Option<&Law>) -> Option<Draft> {
    let chosen = maker.instantiate(law, &Bindings::default())?;
    let arguments = maker.arguments(&chosen, 0)?;
    let arguments: Vec<TermId> = arguments.iter().map(|a| a.term).collect();
    let mut draft = Draft::new(Claim::Contradiction(because(&chosen)), &law.rule.name);
    draft.quantified = law.rule.has_quantifier();
    for condition in &law.rule.conditions {
        let condition = maker.build(&chosen, &condition.node, &arguments)?;
        draft.member(condition);
    }
    let mut sides = Sides {
        before: maker.build(&chosen, &law.rule.left.node, &arguments)?,
        after: maker.build(&chosen, &law.rule.right.node, &arguments)?,
    };
    if let Some(identity) = identity {
        links::replace_by(maker, &mut draft, &mut sides, identity)?;
    }
    let denied = Denied {
        holds: sides.after,
        fails: sides.before,
        implication: false,
    };
    let denied = match law.rule.relation.is_implication() {
        true => Denied {
            holds: sides.before,
            fails: sides.after,
            implication: true,
        },
        false => denied,
    };
    let (holds, fails) = denied.formulas(maker)?;
    let fails = maker.negation(fails)?;
    draft.member(fails);
    draft.member(holds);
    Some(draft)
}

fn because(chosen: &Chosen) -> String {
    let rule = chosen.rule;
    let word = match rule.relation {
        Relation::Equal => "equals",
        Relation::Equivalent => "is equivalent to",
        Relation::Below(_) => "implies",
    };
    format!(
        "by the rule {}, {} {word} {}",
        rule.name, rule.left.text, rule.right.text
    )
}

/// Wraps both sides in the same context of a number of operators.
fn surround(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    sides: &mut Sides,
    levels: u64,
) -> Option<()> {
    let value = maker.value_of(sides.before)?;
    let local = maker.terms.sort(sides.before);
    let sort = maker.number_of_sort(local)?;
    let grown = Grown {
        term: sides.before,
        value,
    };
    let context = maker.context(sort, grown, levels);
    if context.layers.is_empty() {
        return None;
    }
    sides.before = context.grown.term;
    sides.after = maker.inside(&context.layers, sides.after);
    let step = format!("in a context of {}", context.layers.len());
    draft.steps.push(step);
    Some(())
}

/// The side that is asserted, and the one that is negated.
#[derive(Clone, Copy)]
pub(super) struct Denied {
    pub holds: TermId,
    pub fails: TermId,
    /// The first side only implies the second, so their values may differ.
    pub implication: bool,
}

impl Denied {
    /// The sides as formulas: Boolean ones as they are, others, and some of these, as `side = r` with a new variable.
    pub fn formulas(&self, maker: &mut Maker<'_>) -> Option<(TermId, TermId)> {
        let local = maker.terms.sort(self.holds);
        let plain = local == Sort::BOOL && (self.implication || maker.draw.coin());
        if plain {
            return Some((self.holds, self.fails));
        }
        let sort = maker.number_of_sort(local)?;
        let result = maker.any_variable(sort)?.term;
        let holds = maker.equation(self.holds, result)?;
        Some((holds, maker.equation(self.fails, result)?))
    }
}

/// Asserts that one side holds and the other does not.
fn deny(maker: &mut Maker<'_>, draft: &mut Draft, chosen: &Chosen, sides: &Sides) -> Option<()> {
    let implication = chosen.rule.relation.is_implication();
    if !implication && maker.draw.one_in(6) {
        let different = maker.terms.app("distinct", &[sides.before, sides.after]);
        draft.member(different.ok()?);
        return Some(());
    }
    // For an equality either side may be the one that holds.
    let (holds, fails) = match implication || maker.draw.one_in(4) {
        true => (sides.before, sides.after),
        false => (sides.after, sides.before),
    };
    let denied = Denied {
        holds,
        fails,
        implication,
    };
    if !draft.quantified && maker.draw.one_in(4) {
        return axioms::deny(maker, draft, &denied);
    }
    let (holds, fails) = denied.formulas(maker)?;
    let fails = maker.negation(fails)?;
    draft.member(fails);
    draft.member(holds);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::draw::Draw;
    use crate::strategy::construct::grow::Maker;
    use crate::strategy::construct::kit::Kit;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{Terms, Theory, read_script};

    /// The steps and the text of cases that deny a law.
    fn made(theories: &[Theory], count: u64) -> Vec<(Vec<String>, String)> {
        let kit = Kit::of(theories, SolverSet::Z3.union(SolverSet::CVC5));
        let one = |number| {
            let mut terms = Terms::new();
            let mut draw = Draw::new(9, number);
            let mut maker = Maker::new(&kit, &mut terms, &mut draw, &[]);
            let case = super::draft(&mut maker, 3)?.finish(&mut maker)?;
            let text = render::script(&terms, &case.script, Sharing::Auto);
            Some((case.origin.steps, text))
        };
        (0..count).filter_map(one).collect()
    }

    fn count(made: &[(Vec<String>, String)], step: &str, times: usize) -> usize {
        let has = |steps: &&Vec<String>| steps.iter().filter(|s| *s == step).count() >= times;
        made.iter().map(|(steps, _)| steps).filter(has).count()
    }

    #[test]
    fn transformations_repeat_and_combine() {
        let made = made(&[Theory::BitVectors], 3000);
        assert!(made.len() > 2000, "{}", made.len());
        for (step, times, least) in [
            ("variable replaced", 1, 400),
            ("variable replaced", 3, 20),
            ("constant replaced", 1, 100),
            ("constant replaced", 2, 10),
            ("variable of one side replaced", 1, 20),
            ("redundancy", 2, 60),
            ("in a context of 3", 1, 60),
            ("side behind a function with pattern", 1, 60),
            ("terms behind quantified variables", 1, 40),
        ] {
            let found = count(&made, step, times);
            assert!(found >= least, "{step} {times} times: {found}");
        }
    }

    #[test]
    fn texts_read_back_without_issues() {
        for (_, text) in made(&[], 300) {
            let reading = read_script(&mut Terms::new(), &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
        }
    }

    #[test]
    fn table_nine_is_used_where_constant_arrays_must_hold_values() {
        let theories = [Theory::Arrays, Theory::BitVectors];
        let uses = |steps: &[String]| steps.iter().any(|s| s.contains("select-const"));
        let made = made(&theories, 2000);
        assert!(made.iter().any(|(steps, _)| uses(steps)));
    }
}
