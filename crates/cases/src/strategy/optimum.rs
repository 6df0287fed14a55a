//! `optimum` makes optimization problems whose optimum is known: a point is chosen first, and constraints that it
//! satisfies are put around it so that their sum bounds the objective there. It needs no seeds. In z3's commands.
//!
//! ```text
//! point x = 3, y = -1; objective 2x + 3y, so 3 there
//! (assert (<= (+ x y) 2)) (assert (<= (+ x (* 2 y)) 1))      their sum: 2x + 3y <= 3
//! (maximize (+ (* 2 x) (* 3 y)))                             optimum 3
//! ```
//!
//! Objectives of one script are about different variables, so each has its optimum in any order of weighing. A real
//! objective may be bounded by a strict inequality, or have no bound; bit-vectors are bounded as unsigned numbers; of
//! soft assertions that exclude each other the heaviest holds.

use super::{GenContext, Strategy};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::value::Rat;
use auspex_logic::{Theory, read_script};
use std::fmt::Write;

pub struct Optimum;

const NAME: &str = "optimum";

impl Strategy for Optimum {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Makes optimization problems for z3 around a point chosen first, so that the optimum is known."
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3"]
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let mut problem = Problem::default();
        for number in 0..1 + draw.weighted(&[4, 2, 1])? {
            let part = part(workshop.theories, draw)?;
            part(&mut problem, draw, number)?;
        }
        problem.finish(workshop, draw)
    }
}

/// A part of a problem: one objective over variables of its own.
type Part = fn(&mut Problem, &mut Draw, usize) -> Option<()>;

fn part(theories: &[Theory], draw: &mut Draw) -> Option<Part> {
    let may = |theory| u32::from(theories.is_empty() || theories.contains(&theory));
    let parts: [(Part, u32); 4] = [
        (Problem::integers, 4 * may(Theory::Ints)),
        (Problem::reals, 4 * may(Theory::Reals)),
        (Problem::bits, 2 * may(Theory::BitVectors)),
        (Problem::soft, 2),
    ];
    let weights: Vec<u32> = parts.iter().map(|(_, weight)| *weight).collect();
    Some(parts[draw.weighted(&weights)?].0)
}

/// How an objective is bounded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Attained at the point.
    Tight,
    /// Approached at the point and not attained.
    Strict,
    None,
}

/// A problem as it grows.
#[derive(Default)]
struct Problem {
    declarations: String,
    /// Assertions, in an order that is drawn at the end.
    assertions: Vec<String>,
    objectives: Vec<String>,
    /// The witness, as definitions.
    witness: String,
    /// What each objective must have.
    expected: Vec<String>,
}

impl Problem {
    fn integers(&mut self, draw: &mut Draw, number: usize) -> Option<()> {
        let bound = [Bound::Tight, Bound::None][draw.weighted(&[6, 1])?];
        self.linear(draw, ("Int", number), bound)
    }

    fn reals(&mut self, draw: &mut Draw, number: usize) -> Option<()> {
        let bound = [Bound::Tight, Bound::Strict, Bound::None][draw.weighted(&[4, 2, 1])?];
        self.linear(draw, ("Real", number), bound)
    }

    /// Linear constraints around a point.
    fn linear(
        &mut self,
        draw: &mut Draw,
        (sort, number): (&str, usize),
        bound: Bound,
    ) -> Option<()> {
        let count = draw.between(1, 4) as usize;
        let scale = if sort == "Real" && draw.coin() { 4 } else { 1 };
        let point: Vec<Rat> = (0..count)
            .map(|_| Rat::from(signed(draw, 9)).div(&Rat::from(scale)))
            .collect::<Option<_>>()?;
        let mut objective: Vec<i64> = (0..count).map(|_| signed(draw, 4)).collect();
        if objective.iter().all(|factor| *factor == 0) {
            objective[0] = 1;
        }
        let space = Space {
            sort,
            names: (0..count).map(|at| format!("v{number}{at}")).collect(),
            point,
        };
        let optimum = space.at_point(&objective);
        match bound {
            Bound::Tight => self.tight(draw, &space, &objective),
            Bound::Strict => {
                let term = space.sum(&objective);
                let text = format!("(< {term} {})", space.literal(&optimum));
                self.assertions.push(text);
            }
            Bound::None => {}
        }
        for _ in 0..draw.below(4) {
            self.slack(draw, &space, &objective, bound);
        }
        let witness: Vec<Rat> = match bound {
            Bound::Strict => space.before_point(&objective)?,
            Bound::Tight | Bound::None => space.point.clone(),
        };
        for (name, value) in space.names.iter().zip(&witness) {
            self.declare(name, sort, &space.literal(value));
        }
        self.objective(draw, &space, &objective, (bound, optimum));
        Some(())
    }

    /// Two inequalities that are equations at the point and add up to the objective; under a condition and its
    /// opposite they may be others.
    fn tight(&mut self, draw: &mut Draw, space: &Space<'_>, objective: &[i64]) {
        let halves = |draw: &mut Draw| {
            let one: Vec<i64> = objective.iter().map(|_| signed(draw, 3)).collect();
            let other = objective.iter().zip(&one).map(|(all, one)| all - one);
            let other: Vec<i64> = other.collect();
            [space.below(&one, 0), space.below(&other, 0)]
        };
        if !draw.one_in(3) {
            self.assertions.extend(halves(draw));
            return;
        }
        let [one, other] = halves(draw);
        let [third, fourth] = halves(draw);
        let name = format!("b{}", space.names[0]);
        self.declare(&name, "Bool", ["true", "false"][draw.index(2)]);
        self.assertions.push(format!("(ite {name} {one} {third})"));
        self.assertions.push(format!(
            "(or (and {name} {other}) (and (not {name}) {fourth}))"
        ));
    }

    /// A constraint that holds at the point with room to spare. Where there is to be no bound it does not stand in the
    /// way of the objective.
    fn slack(&mut self, draw: &mut Draw, space: &Space<'_>, objective: &[i64], bound: Bound) {
        let mut factors: Vec<i64> = objective.iter().map(|_| signed(draw, 3)).collect();
        let along: i64 = factors.iter().zip(objective).map(|(a, b)| a * b).sum();
        if bound == Bound::None && along > 0 {
            factors.iter_mut().for_each(|factor| *factor = -*factor);
        }
        self.assertions
            .push(space.below(&factors, 1 + draw.below(9) as i64));
    }

    fn objective(
        &mut self,
        draw: &mut Draw,
        space: &Space<'_>,
        objective: &[i64],
        (bound, optimum): (Bound, Rat),
    ) {
        let minimize = draw.coin();
        let (verb, term, optimum) = match minimize {
            false => ("maximize", space.sum(objective), optimum),
            true => {
                let negated: Vec<i64> = objective.iter().map(|factor| -factor).collect();
                ("minimize", space.sum(&negated), optimum.neg())
            }
        };
        let number = space.literal(&optimum);
        let value = match (bound, minimize) {
            (Bound::Tight, _) => number,
            (Bound::Strict, false) => format!("(+ {number} (* (- 1.0) epsilon))"),
            (Bound::Strict, true) => format!("(+ {number} epsilon)"),
            (Bound::None, false) => "oo".to_string(),
            (Bound::None, true) => "(* (- 1) oo)".to_string(),
        };
        self.expected.push(format!("({term} {value})"));
        self.objectives.push(format!("({verb} {term})"));
    }

    /// A sum of bit-vectors with its value at the point as the bound.
    fn bits(&mut self, draw: &mut Draw, number: usize) -> Option<()> {
        let width = draw.between(2, 8);
        let most = (1u64 << width) - 1;
        let names = [format!("w{number}0"), format!("w{number}1")];
        let sort = format!("(_ BitVec {width})");
        let literal = |value: u64| format!("(_ bv{value} {width})");
        let point = [draw.between(0, most), draw.between(0, most)];
        for (name, value) in names.iter().zip(point) {
            self.declare(name, &sort, &literal(value));
        }
        let [x, y] = &names;
        let (term, value) = match draw.below(4) {
            0 => (format!("(bvadd {x} {y})"), (point[0] + point[1]) & most),
            1 => (format!("(bvxor {x} {y})"), point[0] ^ point[1]),
            2 => (format!("(bvmul {x} {y})"), (point[0] * point[1]) & most),
            _ => (x.clone(), point[0]),
        };
        let maximize = draw.coin();
        let (verb, within) = match maximize {
            true => ("maximize", "bvule"),
            false => ("minimize", "bvuge"),
        };
        self.assertions
            .push(format!("({within} {term} {})", literal(value)));
        if draw.coin() {
            let bound = literal(draw.between(point[1], most));
            self.assertions.push(format!("(bvule {y} {bound})"));
        }
        self.expected.push(format!("({term} {value})"));
        self.objectives.push(format!("({verb} {term})"));
        Some(())
    }

    /// Groups of soft assertions of which one can hold: the penalty is the weight of all but the heaviest of each.
    fn soft(&mut self, draw: &mut Draw, number: usize) -> Option<()> {
        let (mut penalty, mut lines) = (0, Vec::new());
        for group in 0..draw.between(1, 3) {
            let count = draw.between(2, 3);
            let weights: Vec<u64> = (0..count).map(|_| draw.between(1, 9)).collect();
            let heaviest = weights.iter().copied().max()?;
            let holds = weights.iter().position(|weight| *weight == heaviest)?;
            penalty += weights.iter().sum::<u64>() - heaviest;
            let names: Vec<String> = (0..count)
                .map(|at| format!("s{number}{group}{at}"))
                .collect();
            for (at, (name, weight)) in names.iter().zip(&weights).enumerate() {
                let is_negated = draw.coin();
                let value = (at == holds) != is_negated;
                self.declare(name, "Bool", &value.to_string());
                lines.push((literal(name, is_negated), *weight));
            }
            let of_group = lines[lines.len() - names.len()..].to_vec();
            for (at, (one, _)) in of_group.iter().enumerate() {
                for (other, _) in &of_group[at + 1..] {
                    self.assertions.push(format!("(not (and {one} {other}))"));
                }
            }
        }
        let soft = lines.iter().map(|(term, weight)| {
            let weight = match weight {
                1 => String::new(),
                _ => format!(" :weight {weight}"),
            };
            format!("(assert-soft {term}{weight} :id g{number})")
        });
        self.objectives.push(soft.collect::<Vec<_>>().join("\n"));
        self.expected.push(format!("(g{number} {penalty})"));
        Some(())
    }

    fn declare(&mut self, name: &str, sort: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.declarations, "(declare-const {name} {sort})");
        let _ = writeln!(self.witness, "(define-fun {name} () {sort} {value})");
    }

    /// The case, if its witness satisfies it.
    fn finish(mut self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        draw.shuffle(&mut self.assertions);
        let mut text = match draw.weighted(&[3, 2, 1])? {
            0 => String::new(),
            1 => "(set-option :opt.priority box)\n".to_string(),
            // An objective that nothing attains is on no front.
            _ if self.expected.iter().any(|line| is_open(line)) => String::new(),
            _ => "(set-option :opt.priority pareto)\n".to_string(),
        };
        let in_order = !text.contains("box");
        if in_order
            && self.expected[..self.expected.len() - 1]
                .iter()
                .any(|line| is_open(line))
        {
            // What comes after it in the order has no optimum.
            text = "(set-option :opt.priority box)\n".to_string();
        }
        text.push_str(&self.declarations);
        for assertion in &self.assertions {
            let _ = writeln!(text, "(assert {assertion})");
        }
        let goals = self.objectives.join("\n");
        let _ = writeln!(text, "{goals}\n(check-sat)\n(get-model)\n(get-objectives)");
        let reading = read_script(workshop.terms, &text).ok()?;
        let mut script = reading.script;
        script.spans.clear();
        let model = read_model(workshop.terms, &script, &format!("({})", self.witness)).ok()?;
        let query = script.queries().pop()?;
        let holds = validate(workshop.terms, &model, &query) == ModelVerdict::Valid;
        let expected = format!("expected: (objectives {})", self.expected.join(" "));
        holds.then(|| Case {
            script,
            evidence: vec![Evidence::Witness(Box::new(model))],
            origin: Origin {
                strategy: NAME,
                seed: None,
                steps: vec![expected],
            },
        })
    }
}

/// Whether an expected value is one that no model attains.
fn is_open(line: &str) -> bool {
    line.contains("oo)") || line.contains("epsilon")
}

fn literal(name: &str, is_negated: bool) -> String {
    match is_negated {
        true => format!("(not {name})"),
        false => name.to_string(),
    }
}

/// A number from `-most` to `most`.
fn signed(draw: &mut Draw, most: u64) -> i64 {
    draw.below(2 * most + 1) as i64 - most as i64
}

/// The variables of one objective, and the point at which it has its optimum.
struct Space<'s> {
    sort: &'s str,
    names: Vec<String>,
    point: Vec<Rat>,
}

impl Space<'_> {
    fn literal(&self, value: &Rat) -> String {
        match (self.sort, value.to_int()) {
            ("Int", Some(value)) => value.to_smtlib(),
            _ => value.to_smtlib(),
        }
    }

    /// A linear term with these factors.
    fn sum(&self, factors: &[i64]) -> String {
        let parts = factors.iter().zip(&self.names);
        let parts = parts
            .filter(|(factor, _)| **factor != 0)
            .map(|(factor, name)| match factor {
                1 => name.clone(),
                _ => format!("(* {} {name})", self.literal(&Rat::from(*factor))),
            });
        match parts.collect::<Vec<_>>().as_slice() {
            [] => self.literal(&Rat::ZERO),
            [one] => one.clone(),
            several => format!("(+ {})", several.join(" ")),
        }
    }

    fn at_point(&self, factors: &[i64]) -> Rat {
        let parts = factors.iter().zip(&self.point);
        let parts = parts.map(|(factor, value)| Rat::from(*factor).mul(value));
        parts.fold(Rat::ZERO, |sum, part| sum.add(&part))
    }

    /// A point from which the objective still grows a little towards the chosen one.
    fn before_point(&self, objective: &[i64]) -> Option<Vec<Rat>> {
        let pairs = self.point.iter().zip(objective);
        let back = |factor: &i64| Rat::from(*factor).div(&Rat::from(1000));
        pairs
            .map(|(value, factor)| Some(value.sub(&back(factor)?)))
            .collect()
    }

    /// That a linear term is at most so much above its value at the point.
    fn below(&self, factors: &[i64], room: i64) -> String {
        let bound = self.at_point(factors).add(&Rat::from(room));
        format!("(<= {} {})", self.sum(factors), self.literal(&bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::Terms;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;

    fn made(number: u64) -> Option<(Case, String)> {
        let mut terms = Terms::new();
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &[],
            theories: &[],
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        let case = Optimum.make(&mut workshop, &mut Draw::new(5, number))?;
        let text = render::script(&terms, &case.script, Sharing::Auto);
        Some((case, text))
    }

    #[test]
    fn every_draw_gives_a_problem_that_says_what_is_expected() {
        let mut kinds = [0; 4];
        for number in 0..300 {
            let (case, text) = made(number).expect("a case");
            assert_eq!(made(number).expect("a case").1, text);
            let expected = &case.origin.steps[0];
            let goals = text.matches("(maximize").count() + text.matches("(minimize").count();
            assert!(goals > 0 || text.contains("(assert-soft"), "{text}");
            let words = ["oo)", "epsilon", "(g", "(w"];
            for (kind, word) in kinds.iter_mut().zip(words) {
                *kind += usize::from(expected.contains(word));
            }
            let mut terms = Terms::new();
            assert_eq!(read_script(&mut terms, &text).unwrap().issues, [], "{text}");
        }
        assert!(kinds.iter().all(|count| *count > 10), "{kinds:?}");
    }
}
