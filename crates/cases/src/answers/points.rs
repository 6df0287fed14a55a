//! Evaluates two terms at corner points, to find values of the symbols for which they differ.

use crate::corner::corner_values;
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::Interpretation;
use auspex_logic::{Fun, Model, Script, Sort, TermId, Terms, Value};
use std::collections::BTreeSet;
use std::collections::HashMap;

/// How many points are tried.
const POINTS: u64 = 60;
/// How much work the evaluation at one point may take.
const MOST_WORK: u64 = 2_000;

/// A point where the last assertion of a script, `(= left right)`, is false, in words: "With x = 3 the first is 5 and
/// the second 4." The equation itself is evaluated, since equal values may be written in several ways, such as regular
/// expressions.
pub(super) fn difference_of_sides(terms: &mut Terms, script: &Script) -> Option<String> {
    let equation = super::reading::last_assertion(script)?;
    let [left, right]: [TermId; 2] = terms.args(equation).try_into().ok()?;
    let symbols = super::reading::symbols(terms, script, &[equation]);
    let mut draw = Draw::new(0, 0);
    for _ in 0..POINTS {
        let point = point(terms, &symbols, &mut draw)?;
        let mut model = Model::with_definitions(script);
        for (fun, value) in &point {
            let everywhere = Interpretation::Table(HashMap::new(), Some(value.clone()));
            match terms.fun(*fun).params.is_empty() {
                true => model.set_value(*fun, value.clone()),
                false => model.set(*fun, everywhere),
            }
        }
        let value = |term| {
            let mut evaluator = Evaluator::new(terms, &model).at_most(MOST_WORK);
            evaluator.value(term).ok()
        };
        if value(equation) == Some(Value::Bool(false))
            && let (Some(one), Some(other)) = (value(left), value(right))
        {
            let sort = terms.sort(left);
            let values = [terms.value_text(&one, sort), terms.value_text(&other, sort)];
            let place = shown(terms, &point);
            return Some(format!(
                "{place}the first is {} and the second {}.",
                values[0], values[1]
            ));
        }
    }
    None
}

/// A value for each symbol; of a function, its value everywhere.
fn point(terms: &Terms, symbols: &BTreeSet<Fun>, draw: &mut Draw) -> Option<Vec<(Fun, Value)>> {
    let value = |fun: &Fun| Some((*fun, value(terms, terms.fun(*fun).result, draw)?));
    symbols.iter().map(value).collect()
}

fn value(terms: &Terms, sort: Sort, draw: &mut Draw) -> Option<Value> {
    let corners = corner_values(&terms.sorts, sort);
    // The first values are the simplest.
    let few = match draw.coin() {
        true => corners.len().min(6),
        false => corners.len(),
    };
    match corners.get(draw.index(few)) {
        Some(value) => Some(value.clone()),
        None => Model::default().default_value(terms, sort),
    }
}

fn shown(terms: &mut Terms, point: &[(Fun, Value)]) -> String {
    let mut parts = Vec::new();
    for (fun, value) in point {
        let decl = terms.fun(*fun).clone();
        let name = terms.symbols.name(decl.name).to_string();
        let value = terms.value_text(value, decl.result);
        parts.push(format!("{name} = {value}"));
    }
    match parts.is_empty() {
        true => "Always ".to_string(),
        false => format!("With {} ", parts.join(", ")),
    }
}
