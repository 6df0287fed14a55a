//! Makes the equations: a term and the value that we compute for it, as text, with the term's operators.

use super::Plan;
use super::growing::{Grower, Readers};
use auspex_cases::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::ground;
use auspex_logic::render::{self, Sharing, post_order};
use auspex_logic::term::FunKind;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Head, Model, OpTable, Sort, TermId, Terms, Theory, Value};

/// A term with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    pub term: String,
    pub value: String,
    /// The solvers that support all operators of the term and the value.
    pub audience: SolverSet,
    /// The rows of the term, the root's first.
    pub rows: Vec<u32>,
    /// Declarations that the term needs; the same for all equations of a theory.
    pub prelude: &'static str,
}

impl Equation {
    /// The equation as a formula.
    pub fn text(&self) -> String {
        match self.value.as_str() {
            "true" => self.term.clone(),
            "false" => format!("(not {})", self.term),
            value => format!("(= {} {value})", self.term),
        }
    }
}

/// The longest term; longer ones show little and take long.
const LONGEST: usize = 4_000;
/// How many terms are made before the solvers are asked.
const ROUND: u64 = 2_048;

/// The equations of one theory, round by round.
pub(super) struct Source<'a> {
    plan: &'a Plan,
    theory: Theory,
    left: u64,
    next: u64,
    /// The remaining equations of an exhaustive run.
    listed: Option<Vec<Equation>>,
    readers: Readers,
    pub(super) open: u64,
}

impl<'a> Source<'a> {
    pub(super) fn new(plan: &'a Plan, theory: Theory, readers: Readers) -> Source<'a> {
        Source {
            plan,
            theory,
            left: plan.count,
            next: 0,
            listed: plan.exhaustive.then(|| exhaustive(theory)),
            readers,
            open: 0,
        }
    }

    pub(super) fn next_round(&mut self) -> Option<Vec<Equation>> {
        if let Some(listed) = &mut self.listed {
            let rest = listed.len().saturating_sub(ROUND as usize);
            let round = listed.split_off(rest);
            return (!round.is_empty()).then_some(round);
        }
        if self.left == 0 {
            return None;
        }
        let wanted = self.left.min(ROUND);
        let round = self.random_round(wanted);
        self.left -= wanted;
        (!round.is_empty()).then_some(round)
    }

    /// A number of terms with a value; those without one are counted and skipped.
    fn random_round(&mut self, wanted: u64) -> Vec<Equation> {
        let mut terms = Terms::new();
        let grower = Grower::new(&mut terms, self.plan, self.theory, &self.readers);
        let mut round = Vec::new();
        // Stop if no term of a theory has a value.
        let most_tries = wanted * 20;
        for _ in 0..most_tries {
            if round.len() as u64 == wanted {
                break;
            }
            let mut draw = Draw::new(self.plan.seed, self.next);
            self.next += 1;
            let grown = grower.ground_term(&mut terms, &mut draw, self.next as usize);
            let Some((term, audience)) = grown else {
                continue;
            };
            match equation(&mut terms, term, audience, grower.prelude()) {
                Some(equation) => round.push(equation),
                None => self.open += 1,
            }
        }
        round
    }
}

/// The equation of a ground term, if its value can be written.
pub(super) fn equation(
    terms: &mut Terms,
    term: TermId,
    audience: u16,
    prelude: &'static str,
) -> Option<Equation> {
    let value = value_of(terms, term)?;
    // Decimal notation of a long number takes longer than computing it.
    if value.heap_size() > LONGEST {
        return None;
    }
    let sort = terms.sort(term);
    let value = terms.value_term(&value, sort)?;
    let (known, rows) = made_of(terms, term);
    let (value_known, _) = made_of(terms, value);
    let audience = SolverSet(audience & known.0 & value_known.0);
    let text = |term| render::term(terms, term, Sharing::Expanded);
    let (term, value) = (text(term), text(value));
    (term.len() + value.len() <= LONGEST).then_some(Equation {
        term,
        value,
        audience,
        rows,
        prelude,
    })
}

fn value_of(terms: &Terms, term: TermId) -> Option<Value> {
    let model = Model::default();
    Evaluator::new(terms, &model).value(term).ok()
}

/// The solvers that support all operators of a term, and the operators' rows, the root's first.
fn made_of(terms: &Terms, root: TermId) -> (SolverSet, Vec<u32>) {
    let mut known = SolverSet::STANDARD;
    let mut rows = Vec::new();
    for term in post_order(terms, root) {
        match terms.head(term) {
            Head::Op(op) => {
                known = SolverSet(known.0 & terms.op(op).known.0);
                let row = terms.op_row(op) as u32;
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
            // z3 has another name for updates.
            Head::Fun(fun) if matches!(terms.fun(fun).kind, FunKind::Updater(..)) => {
                known = SolverSet(known.0 & !SolverSet::Z3.0);
            }
            _ => {}
        }
    }
    // The root comes last in post-order, unless its row occurred below it.
    if let Head::Op(op) = terms.head(root) {
        let own = terms.op_row(op) as u32;
        rows.retain(|row| *row != own);
        rows.insert(0, own);
    }
    (known, rows)
}

/// Every operator of bit-vectors at widths 1 to 4, and of floating point at (2,2), (2,3) and (3,3), on all values.
fn exhaustive(theory: Theory) -> Vec<Equation> {
    /// Five rounding modes and two of the 59 floats of (3,3).
    const MOST: usize = 20_000;
    const LARGEST_INDEX: u64 = 5;
    let mut terms = Terms::new();
    let mut sorts: Vec<Sort> = (1..=4).map(|width| terms.sorts.bit_vec(width)).collect();
    match theory {
        Theory::BitVectors => {}
        Theory::FloatingPoint => {
            sorts.push(Sort::ROUNDING_MODE);
            sorts.extend([(2, 2), (2, 3), (3, 3)].map(|(eb, sb)| terms.sorts.float(eb, sb)));
        }
        _ => return Vec::new(),
    }
    let table = OpTable::builtin();
    let mut all = Vec::new();
    for (row, decl) in table.rows().iter().enumerate() {
        if decl.theory != theory {
            continue;
        }
        for instance in ground::instances(&mut terms, row as u32, &sorts, LARGEST_INDEX) {
            let mark = terms.mark();
            if let Some(applications) = ground::applications(&mut terms, &instance, MOST) {
                let equations = applications.iter();
                let equations: Vec<Equation> = equations
                    .filter_map(|term| equation(&mut terms, *term, u16::MAX, ""))
                    .collect();
                all.extend(equations);
            }
            terms.release(mark);
        }
    }
    all
}
