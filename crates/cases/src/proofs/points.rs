//! Evaluates a sequent at points: corner values, numbers that occur in it and their neighbours, given models, and all
//! points where there are few. A point where the premises are true and the conclusion is false refutes it.

use super::Sequent;
use crate::corner::corner_values;
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::Interpretation;
use auspex_logic::render::post_order;
use auspex_logic::term::FunKind;
use auspex_logic::value::{BitVec, Int};
use auspex_logic::{Fun, Head, Model, Script, Sort, SortKind, TermId, Terms, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How much work the evaluation of one formula at one point may take.
const MOST_WORK: u64 = 2_000;
/// So many points are all points.
const FEW: usize = 64;
/// Terms of more nodes are not evaluated at points that are only tried.
const LARGEST: usize = 4_000;

/// Values of the symbols.
#[derive(Clone, Debug)]
pub struct Point {
    values: Vec<(Fun, Interpretation)>,
    model: Model,
}

/// What evaluation has found out.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// A point where the premises are true and the conclusion is false.
    pub fails: Option<Point>,
    /// A point where the premises are true and the conclusion, too.
    pub holds: Option<Point>,
    /// Whether it was evaluated at all points there are.
    pub is_complete: bool,
}

impl Survey {
    /// Whether evaluation proves the sequent.
    pub fn is_proof(&self) -> bool {
        self.is_complete && self.fails.is_none()
    }
}

/// What one point shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Holds,
    Fails,
    /// A premise is false.
    Vacuous,
    Unknown,
}

/// What a point shows about a sequent.
pub fn truth_at(terms: &Terms, model: &Model, sequent: &Sequent) -> Truth {
    let mut evaluator = Evaluator::new(terms, model).at_most(MOST_WORK);
    let mut is = |term: TermId| match evaluator.value(term) {
        Ok(Value::Bool(known)) => Some(known),
        _ => None,
    };
    let conclusion = is(sequent.conclusion);
    let premises: Vec<Option<bool>> = sequent.premises.iter().map(|term| is(*term)).collect();
    match conclusion {
        _ if premises.contains(&Some(false)) => Truth::Vacuous,
        Some(true) if premises.iter().all(Option::is_some) => Truth::Holds,
        Some(false) if premises.iter().all(Option::is_some) => Truth::Fails,
        _ => Truth::Unknown,
    }
}

/// Evaluates a sequent at up to `tries` points. The script has the definitions of its symbols.
pub fn survey(terms: &mut Terms, script: &Script, sequent: &Sequent, tries: usize) -> Survey {
    let mut found = Survey::default();
    let nodes: BTreeSet<TermId> = sequent
        .formulas()
        .flat_map(|root| post_order(terms, root))
        .collect();
    if nodes.len() > LARGEST {
        return found;
    }
    let symbols: Vec<Fun> = symbols(terms, script, sequent.formulas())
        .into_iter()
        .collect();
    let choices = Choices::of(terms, &symbols, &nodes);
    let all = Choices::all(terms, &symbols);
    let count = all.as_ref().map_or(tries, Vec::len);
    let (mut draw, mut undecided) = (Draw::new(0, 0), false);
    for number in 0..count {
        let values = match &all {
            Some(all) => all[number].clone(),
            None => match choices.draw(terms, &symbols, &mut draw) {
                Some(values) => values,
                None => return found,
            },
        };
        let point = Point::new(script, values);
        match truth_at(terms, &point.model, sequent) {
            Truth::Holds => {
                found.holds.get_or_insert(point);
            }
            Truth::Fails => {
                found.fails.get_or_insert(point);
            }
            Truth::Vacuous => {}
            Truth::Unknown => undecided = true,
        }
        if found.fails.is_some() && found.holds.is_some() {
            break;
        }
    }
    found.is_complete = all.is_some() && !undecided;
    found
}

impl Point {
    /// The values that a model gives to the constants of some terms.
    pub fn of(terms: &Terms, roots: impl IntoIterator<Item = TermId>, model: &Model) -> Point {
        let nodes = roots.into_iter().flat_map(|root| post_order(terms, root));
        let nodes: BTreeSet<TermId> = nodes.collect();
        let mut evaluator = Evaluator::new(terms, model).at_most(MOST_WORK);
        let values = nodes.into_iter().filter_map(|node| match terms.head(node) {
            Head::Fun(fun)
                if terms.args(node).is_empty() && terms.fun(fun).kind == FunKind::Declared =>
            {
                let value = evaluator.value(node).ok()?;
                Some((fun, Interpretation::Value(value)))
            }
            _ => None,
        });
        Point {
            values: values.collect(),
            model: model.clone(),
        }
    }

    fn new(script: &Script, values: Vec<(Fun, Interpretation)>) -> Point {
        let mut model = Model::with_definitions(script);
        for (fun, value) in &values {
            model.set(*fun, value.clone());
        }
        Point { values, model }
    }

    /// The value of a term there; none where that is not determined, or takes long.
    pub fn value(&self, terms: &Terms, term: TermId) -> Option<Value> {
        let mut evaluator = Evaluator::new(terms, &self.model).at_most(MOST_WORK);
        evaluator.value(term).ok()
    }

    /// Whether it is about no symbols.
    pub fn is_anywhere(&self) -> bool {
        self.values.is_empty()
    }

    /// `a = 1, b = 0`, or `any values` where there are no symbols.
    pub fn text(&self, terms: &mut Terms) -> String {
        let mut parts = Vec::new();
        for (fun, what) in &self.values {
            let decl = terms.fun(*fun).clone();
            let name = terms.symbols.name(decl.name).to_string();
            let mut value = |value: &Value| terms.value_text(value, decl.result);
            match what {
                Interpretation::Value(one) => parts.push(format!("{name} = {}", value(one))),
                Interpretation::Table(_, Some(one)) => {
                    parts.push(format!("{name} = {} everywhere", value(one)));
                }
                Interpretation::Table(_, None) | Interpretation::Body(..) => {}
            }
        }
        match parts.is_empty() {
            true => "any values".to_string(),
            false => parts.join(", "),
        }
    }
}

/// The declared symbols below some terms, also those inside definitions.
pub fn symbols(
    terms: &Terms,
    script: &Script,
    roots: impl IntoIterator<Item = TermId>,
) -> BTreeSet<Fun> {
    let mut all = BTreeSet::new();
    let mut waiting: Vec<TermId> = roots.into_iter().collect();
    let mut opened = BTreeSet::new();
    while let Some(root) = waiting.pop() {
        for term in post_order(terms, root) {
            let Head::Fun(fun) = terms.head(term) else {
                continue;
            };
            match terms.fun(fun).kind {
                FunKind::Declared => {
                    all.insert(fun);
                }
                FunKind::Defined if opened.insert(fun) => {
                    let mut definitions = script.definitions();
                    waiting.extend(definitions.find(|d| d.fun == fun).map(|d| d.body));
                }
                _ => {}
            }
        }
    }
    all
}

/// Values to choose from, by sort.
struct Choices(BTreeMap<Sort, Vec<Value>>);

impl Choices {
    /// The literals of a sort and their neighbours first, then its corner values.
    fn of(terms: &mut Terms, symbols: &[Fun], nodes: &BTreeSet<TermId>) -> Choices {
        let mut all: BTreeMap<Sort, Vec<Value>> = BTreeMap::new();
        for node in nodes {
            if let Some(value) = terms.literal_value(*node) {
                let known = all.entry(terms.sort(*node)).or_default();
                known.extend(with_neighbours(value));
            }
        }
        let mut done = BTreeSet::new();
        for fun in symbols {
            let sort = terms.fun(*fun).result;
            if !done.insert(sort) {
                continue;
            }
            let mut values = all.remove(&sort).unwrap_or_default();
            values.extend(elements(terms, sort));
            values.extend(corner_values(&terms.sorts, sort));
            if values.is_empty() {
                values.extend(Model::default().default_value(terms, sort));
            }
            let mut seen = BTreeSet::new();
            values.retain(|value| seen.insert(value.clone()));
            all.insert(sort, values);
        }
        Choices(all)
    }

    fn of_sort(&self, sort: Sort) -> &[Value] {
        self.0.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// A value for each symbol; of a function, its value everywhere.
    fn draw(
        &self,
        terms: &Terms,
        symbols: &[Fun],
        draw: &mut Draw,
    ) -> Option<Vec<(Fun, Interpretation)>> {
        let values = symbols.iter().map(|fun| {
            let values = self.of_sort(terms.fun(*fun).result);
            // The first values are the simplest, or occur.
            let few = match draw.below(3) {
                0 => values.len(),
                1 => values.len().min(16),
                _ => values.len().min(5),
            };
            let value = values.get(draw.index(few.max(1)))?.clone();
            Some((*fun, everywhere(terms, *fun, value)))
        });
        values.collect()
    }

    /// All points, if they are few.
    fn all(terms: &Terms, symbols: &[Fun]) -> Option<Vec<Vec<(Fun, Interpretation)>>> {
        let mut points: Vec<Vec<(Fun, Interpretation)>> = vec![Vec::new()];
        for fun in symbols {
            let decl = terms.fun(*fun);
            let values = every(terms, decl.result)?;
            if !decl.params.is_empty() || points.len() * values.len() > FEW {
                return None;
            }
            let grown = points.iter().flat_map(|point| {
                values.iter().map(|value| {
                    let mut point = point.clone();
                    point.push((*fun, Interpretation::Value(value.clone())));
                    point
                })
            });
            points = grown.collect();
        }
        Some(points)
    }
}

/// All values of a small sort.
fn every(terms: &Terms, sort: Sort) -> Option<Vec<Value>> {
    match terms.sorts.kind(sort) {
        SortKind::Bool => Some(vec![Value::FALSE, Value::TRUE]),
        SortKind::BitVec(width) if *width <= 5 => {
            let bits = (0..1u64 << width).map(|bits| BitVec::from_u64(*width, bits));
            Some(bits.map(Value::BitVec).collect())
        }
        _ => None,
    }
}

fn everywhere(terms: &Terms, fun: Fun, value: Value) -> Interpretation {
    match terms.fun(fun).params.is_empty() {
        true => Interpretation::Value(value),
        false => Interpretation::Table(HashMap::new(), Some(value)),
    }
}

fn with_neighbours(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(int) => {
            let one = Int::from(1);
            let (above, below) = (int.add(&one), int.sub(&one));
            vec![value.clone(), Value::Int(above), Value::Int(below)]
        }
        _ => vec![value.clone()],
    }
}

/// Three elements of an uninterpreted sort.
fn elements(terms: &mut Terms, sort: Sort) -> Vec<Value> {
    let SortKind::Declared(name, _) = terms.sorts.kind(sort) else {
        return Vec::new();
    };
    let name = terms.symbols.name(*name).to_string();
    let elements = (0..3).map(|number| format!("{name}!{number}"));
    elements
        .map(|element| Value::Element(terms.symbols.intern(&element)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    /// The assertions of a script; the last one is claimed to follow from the others.
    fn surveyed(text: &str) -> (Survey, String) {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        let mut premises: Vec<TermId> = script.assertions().map(|a| a.term).collect();
        let conclusion = premises.pop().unwrap();
        let sequent = Sequent {
            premises,
            conclusion,
        };
        let survey = survey(&mut terms, &script, &sequent, 60);
        let told = survey.fails.as_ref().map(|point| point.text(&mut terms));
        (survey, told.unwrap_or_default())
    }

    #[test]
    fn finds_the_point_next_to_a_number() {
        let text = "(declare-const b Int)(assert (=> (>= b 417) (>= b 418)))";
        assert_eq!(surveyed(text).1, "b = 417");
        let text = "(declare-const b Int)(assert (>= b 417))(assert (> b 416))";
        let (survey, _) = surveyed(text);
        assert!(survey.fails.is_none() && survey.holds.is_some());
    }

    #[test]
    fn few_points_are_a_proof() {
        let declared = "(declare-const p Bool)(declare-const b (_ BitVec 3))";
        let (survey, _) = surveyed(&format!("{declared}(assert (or p (not p) (= b #b000)))"));
        assert!(survey.is_proof());
        let (survey, _) = surveyed(&format!("{declared}(assert (or p (bvult b #b111)))"));
        assert!(!survey.is_proof() && survey.fails.is_some());
    }

    #[test]
    fn what_the_standard_leaves_open_refutes_nothing() {
        let text = "(declare-const x Real)(assert (= (/ x 0.0) 1.0))";
        let (survey, _) = surveyed(text);
        assert!(survey.fails.is_none() && !survey.is_proof());
    }
}
