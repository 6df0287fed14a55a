//! Turns a case into an optimization problem: adds one to three objectives before a query, and `(get-objectives)`
//! after it. If the case has a witness, bounds that it satisfies may be asserted, so that an optimum is near it.
//!
//! ```text
//! (declare-const x Int) (assert (> (* 2 x) 3)) (check-sat)
//! (declare-const x Int) (assert (> (* 2 x) 3)) (assert (<= x 9)) (maximize (- (* 2 x) 1)) (check-sat) (get-objectives)
//! ```

use super::goals::number;
use crate::case::{Case, Evidence};
use crate::draw::Draw;
use crate::logics::smallest_of;
use auspex_logic::eval::Evaluator;
use auspex_logic::render::post_order;
use auspex_logic::script::Goal;
use auspex_logic::term::FunKind;
use auspex_logic::value::Rat;
use auspex_logic::{Assertion, Command, Head, Model, Script, Sort, SortKind, TermId, Terms, Value};

/// The most objectives.
const MOST: u64 = 3;
/// The widest bit-vectors that are optimized.
const WIDEST: u32 = 64;
/// How far from the witness a bound may be.
const FAR: u64 = 12;

/// The script with objectives; none if there is nothing to optimize.
pub(super) fn ask(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Script> {
    let mut script = case.script.clone();
    script.spans.clear();
    let has_goals = |command: &Command| matches!(command, Command::Goal(_));
    if !is_decidable(terms, &script) || script.commands.iter().any(has_goals) {
        return None;
    }
    let queries: Vec<usize> = (0..script.commands.len())
        .filter(|at| script.commands[*at] == Command::CheckSat)
        .collect();
    let at = *draw.pick(&queries)?;
    let number = script.queries().iter().position(|q| q.command == at)?;
    let witness = match case.evidence.get(number) {
        Some(Evidence::Witness(model)) => Some(&**model),
        _ => None,
    };
    let query = script.queries().swap_remove(number);
    let supply = Supply::of(terms, &query.demands().collect::<Vec<TermId>>());
    let (mut before, mut goals) = (Vec::new(), Vec::new());
    if let (Some(witness), true) = (witness, draw.coin()) {
        before = supply.bounds(draw, terms, witness);
    }
    for _ in 0..draw.between(1, MOST) {
        goals.extend(supply.goal(draw, terms)?);
    }
    let several = goals.len() > 1 && queries.len() == 1;
    let ask = terms.symbols.intern("(get-objectives)");
    let after = [Command::GetModel, Command::Other(ask)];
    script.commands.splice(at + 1..at + 1, after);
    script
        .commands
        .splice(at..at, before.into_iter().chain(goals));
    if several && draw.coin() {
        let priority = ["box", "pareto", "lex"][draw.weighted(&[3, 2, 1])?];
        let key = terms.symbols.intern(":opt.priority");
        let value = terms.symbols.intern(priority);
        script.commands.insert(0, Command::SetOption(key, value));
    }
    Some(script)
}

/// Whether optimizing is promised to end with the optimum: no quantifiers and no products of unknowns.
pub(super) fn is_decidable(terms: &Terms, script: &Script) -> bool {
    let logic = smallest_of(terms, &script.commands);
    let nonlinear = ["NIA", "NRA", "NIRA"];
    logic.starts_with("QF_") && !nonlinear.iter().any(|part| logic.contains(part))
}

/// The ingredients of objectives.
pub(super) struct Supply {
    /// Terms of number sorts and bit-vectors.
    numbers: Vec<TermId>,
    formulas: Vec<TermId>,
}

impl Supply {
    pub fn of(terms: &Terms, asserted: &[TermId]) -> Supply {
        let mut all: Vec<TermId> = Vec::new();
        for root in asserted {
            let parts = post_order(terms, *root).into_iter();
            all.extend(parts.filter(|term| terms.is_closed(*term)));
        }
        let mut known = rustc_hash::FxHashSet::default();
        all.retain(|term| known.insert(*term));
        let is_number = |term: &TermId| match terms.sorts.kind(terms.sort(*term)) {
            SortKind::Int | SortKind::Real => true,
            SortKind::BitVec(width) => *width <= WIDEST,
            _ => false,
        };
        let varies = |term: &TermId| !terms.args(*term).is_empty() || is_constant(terms, *term);
        Supply {
            numbers: all
                .iter()
                .copied()
                .filter(is_number)
                .filter(varies)
                .collect(),
            formulas: all
                .into_iter()
                .filter(|term| terms.sort(*term) == Sort::BOOL)
                .filter(varies)
                .collect(),
        }
    }

    /// Bounds of constants that the witness satisfies.
    fn bounds(&self, draw: &mut Draw, terms: &mut Terms, witness: &Model) -> Vec<Command> {
        let constants = self.numbers.iter().copied();
        let constants: Vec<TermId> = constants.filter(|term| is_constant(terms, *term)).collect();
        let mut bounds = Vec::new();
        for term in constants {
            let Some(at) = Evaluator::new(terms, witness)
                .value(term)
                .ok()
                .and_then(number)
            else {
                continue;
            };
            for (name, sign) in [(["<=", "<"], 1i64), ([">=", ">"], -1)] {
                let far = Rat::from(sign * draw.between(1, FAR) as i64);
                let sort = terms.sort(term);
                let Some(bound) = literal(terms, sort, at.add(&far)) else {
                    continue;
                };
                let name = name[usize::from(sort == Sort::REAL && draw.coin())];
                if !draw.one_in(6)
                    && let Ok(term) = terms.app(name, &[term, bound])
                {
                    bounds.push(Command::Assert(Assertion { term, name: None }));
                }
            }
        }
        bounds
    }

    /// One objective; soft assertions come several at once.
    pub fn goal(&self, draw: &mut Draw, terms: &mut Terms) -> Option<Vec<Command>> {
        let soft = self.numbers.is_empty() || draw.one_in(4);
        if soft && !self.formulas.is_empty() {
            return self.soft(draw, terms);
        }
        let verb = ["maximize", "minimize"][draw.index(2)];
        let term = self.objective(draw, terms)?;
        Some(vec![goal(terms, verb, term, None)])
    }

    fn soft(&self, draw: &mut Draw, terms: &mut Terms) -> Option<Vec<Command>> {
        let id = ["", ":id g", ":id h"][draw.index(3)];
        let mut all = Vec::new();
        for _ in 0..draw.between(1, 4) {
            let mut term = *draw.pick(&self.formulas)?;
            if draw.coin() {
                term = terms.app("not", &[term]).ok()?;
            }
            let weight = match draw.below(3) {
                0 => String::new(),
                1 => format!(":weight {}", draw.between(1, 9)),
                _ => format!(":weight {}.{}", draw.below(4), draw.between(1, 9)),
            };
            let attributes = format!("{weight} {id}");
            all.push(goal(terms, "assert-soft", term, Some(attributes.trim())));
        }
        Some(all)
    }

    /// A term of the case, or a linear one over two of them.
    fn objective(&self, draw: &mut Draw, terms: &mut Terms) -> Option<TermId> {
        let one = *draw.pick(&self.numbers)?;
        let sort = terms.sort(one);
        let alike = self.numbers.iter().copied();
        let alike: Vec<TermId> = alike.filter(|term| terms.sort(*term) == sort).collect();
        let other = *draw.pick(&alike)?;
        let is_bits = matches!(terms.sorts.kind(sort), SortKind::BitVec(_));
        let names = match is_bits {
            true => ["bvadd", "bvsub", "bvnot"],
            false => ["+", "-", "*"],
        };
        let made = match draw.below(6) {
            0 => terms.app(names[0], &[one, other]).ok(),
            1 => terms.app(names[1], &[one, other]).ok(),
            2 if is_bits => terms.app(names[2], &[one]).ok(),
            2 => {
                let factor = Rat::from(draw.between(2, 5) as i64);
                let factor = literal(terms, sort, factor)?;
                terms.app(names[2], &[factor, one]).ok()
            }
            3 if !is_bits => terms.app("-", &[one]).ok(),
            _ => None,
        };
        Some(made.unwrap_or(one))
    }
}

fn is_constant(terms: &Terms, term: TermId) -> bool {
    let is_declared = |fun| terms.fun(fun).kind == FunKind::Declared;
    matches!(terms.head(term), Head::Fun(fun) if is_declared(fun)) && terms.args(term).is_empty()
}

pub(super) fn literal(terms: &mut Terms, sort: Sort, value: Rat) -> Option<TermId> {
    let value = match terms.sorts.kind(sort) {
        SortKind::Int => Value::Int(value.to_int()?),
        SortKind::Real => Value::Real(value),
        _ => return None,
    };
    terms.value_term(&value, sort)
}

pub(super) fn goal(
    terms: &mut Terms,
    verb: &str,
    term: TermId,
    attributes: Option<&str>,
) -> Command {
    let attributes = attributes.filter(|text| !text.is_empty());
    Command::Goal(Goal {
        verb: terms.symbols.intern(verb),
        term,
        attributes: attributes.map(|text| terms.symbols.intern(text)),
    })
}
