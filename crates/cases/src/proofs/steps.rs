//! Judges the steps of a proof: by the rule, by logic and equality, by evaluation; what is left is asked of solvers.

use super::Sequent;
use super::closure::proves;
use super::draft::{How, Proof};
use super::points::{Point, Truth, survey, truth_at};
use super::rules::named;
use auspex_logic::render::post_order;
use auspex_logic::{Model, TermId, Terms};

/// Sequents of more premises are not judged.
const MOST_PREMISES: usize = 300;

/// How much work a proof may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many steps are judged; the rest stays open.
    pub steps: usize,
    /// How many of them are evaluated, and at how many points each.
    pub evaluated: usize,
    pub tries: usize,
}

impl Effort {
    /// For one proof in a campaign.
    pub const QUICK: Effort = Effort {
        steps: 4_000,
        evaluated: 300,
        tries: 24,
    };

    /// For a proof that is read only.
    pub const NONE: Effort = Effort {
        steps: 0,
        evaluated: 0,
        tries: 0,
    };

    /// For a proof that a person asks about.
    pub const THOROUGH: Effort = Effort {
        steps: 1_000_000,
        evaluated: 20_000,
        tries: 60,
    };
}

/// What is known about a step.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Its rule is in the table and accepts it.
    Rule,
    /// It follows by logic and equality, whatever its rule.
    Logic,
    /// Evaluation at all points proves it.
    Evaluation,
    /// It is an assumption, or an assertion of the script.
    Assumed,
    /// The premises are true and the conclusion is false at this point.
    Wrong(Box<Point>),
    /// The solver gives no reason for it.
    Hole,
    /// Its conclusion, or a premise, is not in the language of the standard.
    Unread(String),
    /// It depends on more than its premises.
    Context,
    Open,
}

impl Verdict {
    /// The word in tables.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Rule => "rule",
            Verdict::Logic => "logic",
            Verdict::Evaluation => "evaluation",
            Verdict::Assumed => "assumed",
            Verdict::Wrong(_) => "WRONG",
            Verdict::Hole => "hole",
            Verdict::Unread(_) => "internal",
            Verdict::Context => "context",
            Verdict::Open => "open",
        }
    }
}

/// The verdicts on the steps of a proof, in order. Holes are judged, too: one that does not hold is no hole but wrong
/// only if the solver vouches for it, so it stays a hole.
pub fn judge(terms: &mut Terms, proof: &Proof, effort: Effort) -> Vec<Verdict> {
    let mut left = effort.evaluated;
    let mut all = Vec::with_capacity(proof.steps.len());
    for number in 0..proof.steps.len() {
        let verdict = match number < effort.steps {
            true => judge_step(terms, proof, number, (&mut left, effort.tries)),
            false => Verdict::Open,
        };
        all.push(verdict);
    }
    all
}

fn judge_step(
    terms: &mut Terms,
    proof: &Proof,
    number: usize,
    (left, tries): (&mut usize, usize),
) -> Verdict {
    let step = &proof.steps[number];
    match step.how {
        How::Assumption => return Verdict::Assumed,
        How::Hole => return Verdict::Hole,
        How::Context => return Verdict::Context,
        How::Discharge => return Verdict::Rule,
        How::Assertion | How::Derived => {}
    }
    let Some(conclusion) = step.conclusion else {
        return Verdict::Unread(step.unread.clone().unwrap_or_default());
    };
    if step.how == How::Assertion {
        if proof.input.contains(&Some(conclusion)) {
            return Verdict::Assumed;
        }
        if is_rewritten(terms, proof, conclusion) {
            return Verdict::Logic;
        }
    }
    let (known, is_whole) = premises(proof, number);
    let sequent = Sequent {
        premises: known,
        conclusion,
    };
    if sequent.premises.len() > MOST_PREMISES {
        return Verdict::Open;
    }
    if named(&step.rule).is_some_and(|row| row.accepts(terms, &sequent)) {
        return Verdict::Rule;
    }
    if step.how != How::Assertion && proves(terms, &sequent) {
        return Verdict::Logic;
    }
    if *left == 0 {
        return Verdict::Open;
    }
    *left -= 1;
    let found = survey(terms, &proof.script, &sequent, tries);
    match found.fails {
        // Assertions that contradict each other imply what is no assertion.
        None if step.how == How::Assertion => Verdict::Open,
        None if found.is_complete => Verdict::Evaluation,
        // With a premise that cannot be read nothing is refuted.
        Some(point) if is_whole => Verdict::Wrong(Box::new(point)),
        _ if !is_whole => Verdict::Unread("a premise that cannot be read".to_string()),
        _ => Verdict::Open,
    }
}

/// Whether one assertion of the script says the same in other words.
fn is_rewritten(terms: &Terms, proof: &Proof, conclusion: TermId) -> bool {
    let mut input = proof.input.iter().flatten();
    input.any(|assertion| {
        let sequent = Sequent {
            premises: vec![*assertion],
            conclusion,
        };
        proves(terms, &sequent)
    })
}

/// The premises of a step that can be read, and whether these are all.
fn premises(proof: &Proof, number: usize) -> (Vec<TermId>, bool) {
    let step = &proof.steps[number];
    let of_steps = step
        .premises
        .iter()
        .map(|place| proof.steps[*place].conclusion);
    let mut all: Vec<Option<TermId>> = of_steps.chain(step.extra.iter().copied()).collect();
    if step.how == How::Assertion {
        all.extend(&proof.input);
    }
    let is_whole = all.iter().all(Option::is_some);
    (all.into_iter().flatten().collect(), is_whole)
}

/// A step as a claim to ask of solvers; none if a part of it cannot be read.
pub fn sequent(proof: &Proof, number: usize) -> Option<Sequent> {
    let (premises, is_whole) = premises(proof, number);
    let conclusion = proof.steps[number].conclusion?;
    is_whole.then_some(Sequent {
        premises,
        conclusion,
    })
}

/// The smallest step that is false under a model of the input although its premises are true: where a wrong `unsat`
/// comes from. Holes count here, for the answer is known to be wrong, but only where no other step is false.
pub fn smallest_false(terms: &Terms, proof: &Proof, model: &Model) -> Option<usize> {
    let rank = |number: usize| {
        let step = &proof.steps[number];
        if !matches!(step.how, How::Derived | How::Hole | How::Assertion) {
            return None;
        }
        let sequent = sequent(proof, number)?;
        let is_false = truth_at(terms, model, &sequent) == Truth::Fails;
        let size = |term| post_order(terms, term).len();
        let whole: usize = sequent.formulas().map(size).sum();
        is_false.then_some((step.how == How::Hole, whole, number))
    };
    let smallest = (0..proof.steps.len()).filter_map(rank).min();
    smallest.map(|(_, _, number)| number)
}

/// Whether the last step concludes `false`, outside of every assumption.
pub fn ends_in_false(terms: &mut Terms, proof: &Proof) -> bool {
    let falsity = terms.bool(false);
    proof.steps.iter().any(|step| {
        step.conclusion == Some(falsity)
            && matches!(step.how, How::Derived | How::Hole | How::Assertion)
    })
}
