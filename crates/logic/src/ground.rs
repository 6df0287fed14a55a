//! Ground equations for checking the table against solvers: a row's examples, and a row applied to all values of
//! small sorts. Each equation holds by our semantics; a solver that disagrees finds its negation satisfiable.

use crate::eval::Evaluator;
use crate::render::{self, Sharing};
use crate::sort::Sort;
use crate::term::{TermId, Terms};
use crate::theory::{Meaning, OpDecl};
use crate::value::{Value, array};
use crate::{Model, OpTable};

/// The examples of a row as equations.
pub fn examples(decl: &OpDecl) -> impl Iterator<Item = String> {
    decl.examples
        .iter()
        .map(|(term, value)| format!("(= {term} {value})"))
}

/// One way to apply a row: its indices and the sorts of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub row: u32,
    pub indices: Vec<u64>,
    pub params: Vec<Sort>,
}

/// All instances of a row with a meaning, with arguments of the given sorts and indices up to a bound.
pub fn instances(terms: &mut Terms, row: u32, sorts: &[Sort], largest_index: u64) -> Vec<Instance> {
    let table: std::sync::Arc<OpTable> = terms.table().clone();
    let decl = &table.rows()[row as usize];
    if matches!(decl.meaning, Meaning::None(_)) || decl.sig.qualified {
        return Vec::new();
    }
    let numbers: Vec<u64> = (0..=largest_index).collect();
    let mut found = Vec::new();
    for indices in tuples(&numbers, decl.sig.indices.len()) {
        for params in tuples(sorts, decl.sig.params.len()) {
            if decl
                .sig
                .infer(&mut terms.sorts, &indices, &params)
                .is_some()
            {
                found.push(Instance {
                    row,
                    indices: indices.clone(),
                    params,
                });
            }
        }
    }
    found
}

/// An instance applied to all values of its argument sorts; `None` if that gives more than `most` applications.
pub fn applications(terms: &mut Terms, instance: &Instance, most: usize) -> Option<Vec<TermId>> {
    let mut choices: Vec<Vec<TermId>> = Vec::new();
    let mut count = 1usize;
    for sort in &instance.params {
        let values = array::enumerate(&terms.sorts, *sort)?;
        count = count.checked_mul(values.len()).filter(|n| *n <= most)?;
        choices.push(
            values
                .iter()
                .map(|v| terms.value_term(v, *sort))
                .collect::<Option<_>>()?,
        );
    }
    let op = terms.op_with(instance.row, &instance.indices);
    let table = terms.table().clone();
    let sig = &table.rows()[instance.row as usize].sig;
    let result = sig.infer(&mut terms.sorts, &instance.indices, &instance.params)?;
    (0..count)
        .map(|number| terms.apply_op(op, &pick(&choices, number), result))
        .collect()
}

/// Each application with its value as `(= application value)`, except those that the standard leaves unspecified.
pub fn equations(terms: &mut Terms, applications: &[TermId]) -> Vec<String> {
    let model = Model::default();
    let mut evaluator = Evaluator::new(terms, &model);
    let values: Vec<Option<Value>> = applications
        .iter()
        .map(|a| evaluator.value(*a).ok())
        .collect();
    let mut equations = Vec::new();
    for (application, value) in applications.iter().zip(&values) {
        let sort = terms.sort(*application);
        if let Some(value) = value.as_ref().and_then(|v| terms.value_term(v, sort)) {
            let text = |term| render::term(terms, term, Sharing::Expanded);
            equations.push(format!("(= {} {})", text(*application), text(value)));
        }
    }
    equations
}

/// One element of each list, by the digits of a number; the last place changes fastest.
fn pick(choices: &[Vec<TermId>], mut number: usize) -> Vec<TermId> {
    let mut picked = Vec::with_capacity(choices.len());
    for choice in choices.iter().rev() {
        picked.push(choice[number % choice.len()]);
        number /= choice.len();
    }
    picked.reverse();
    picked
}

/// All tuples of a length over some items.
fn tuples<T: Clone>(items: &[T], length: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|start| {
                items.iter().map(move |item| {
                    let mut longer = start.clone();
                    longer.push(item.clone());
                    longer
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_named(terms: &Terms, name: &str) -> u32 {
        terms.table().named(name)[0]
    }

    fn equations_of(name: &str, indices: &[u64], widths: &[u32]) -> Vec<String> {
        let mut terms = Terms::new();
        let params = widths.iter().map(|w| terms.sorts.bit_vec(*w)).collect();
        let instance = Instance {
            row: row_named(&terms, name),
            indices: indices.to_vec(),
            params,
        };
        let all = applications(&mut terms, &instance, 100).expect("few");
        equations(&mut terms, &all)
    }

    #[test]
    fn lists_every_application_with_its_value() {
        let expected = [
            "(= (bvadd #b0 #b0) #b0)",
            "(= (bvadd #b0 #b1) #b1)",
            "(= (bvadd #b1 #b0) #b1)",
            "(= (bvadd #b1 #b1) #b0)",
        ];
        assert_eq!(equations_of("bvadd", &[], &[1, 1]), expected);
        let expected = ["(= ((_ repeat 2) #b0) #b00)", "(= ((_ repeat 2) #b1) #b11)"];
        assert_eq!(equations_of("repeat", &[2], &[1]), expected);
    }

    #[test]
    fn leaves_out_what_the_standard_leaves_open() {
        let expected = ["(= (bvudiv_i #b0 #b1) #b0)", "(= (bvudiv_i #b1 #b1) #b1)"];
        assert_eq!(equations_of("bvudiv_i", &[], &[1, 1]), expected);
    }

    #[test]
    fn finds_the_instances_of_a_row() {
        let mut terms = Terms::new();
        let sorts = [1, 2].map(|w| terms.sorts.bit_vec(w));
        let row = row_named(&terms, "extract");
        let found = instances(&mut terms, row, &sorts, 3);
        let indices: Vec<&[u64]> = found.iter().map(|i| i.indices.as_slice()).collect();
        assert_eq!(indices, [&[0, 0][..], &[0, 0], &[1, 0], &[1, 1]]);
    }

    #[test]
    fn refuses_too_many_applications() {
        let mut terms = Terms::new();
        let params = vec![terms.sorts.bit_vec(8); 2];
        let instance = Instance {
            row: row_named(&terms, "bvadd"),
            indices: Vec::new(),
            params,
        };
        assert_eq!(applications(&mut terms, &instance, 1000), None);
    }
}
