//! Folds unordered collections; the result is determined only if the order does not matter.

use super::{Apply, Open};
use crate::value::Value;
use std::collections::BTreeSet;

/// Bags with more elements, counted with multiplicity, are not folded.
pub(super) const MOST_FOLDED: usize = 500;

/// The result of folding, if it is the same for every order of the items.
pub(super) fn fold_in_any_order(
    function: &Value,
    first: &Value,
    mut items: Vec<Value>,
    apply: Apply<'_>,
) -> Result<Value, Open> {
    if items.len() > MOST_FOLDED {
        return Err(Open::TooLarge);
    }
    let mut results = BTreeSet::new();
    let mut orders = 0;
    for_each_order(&mut items, 0, &mut |order| {
        orders += 1;
        if orders > MOST_ORDERS {
            return Err(Open::TooLarge);
        }
        let mut order = order.iter();
        let result = order.try_fold(first.clone(), |sum, item| {
            apply(function, &[item.clone(), sum])
        })?;
        results.insert(result);
        Ok(())
    })?;
    match (results.len(), results.pop_first()) {
        (1, Some(only)) => Ok(only),
        (_, Some(one)) if one.is_comparable() => Err(Open::Unspecified),
        _ => Err(Open::NoMeaning("folding to values that cannot be compared")),
    }
}

/// The number of orders of six different elements.
const MOST_ORDERS: usize = 720;

/// Visits all different orders of the items after the first `fixed` ones.
fn for_each_order(
    items: &mut Vec<Value>,
    fixed: usize,
    visit: &mut dyn FnMut(&[Value]) -> Result<(), Open>,
) -> Result<(), Open> {
    if fixed == items.len() {
        return visit(items);
    }
    for next in fixed..items.len() {
        if items[fixed..next].contains(&items[next]) {
            continue;
        }
        items.swap(fixed, next);
        for_each_order(items, fixed + 1, visit)?;
        items.swap(fixed, next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the items in the order in which they are folded, and counts the orders.
    fn orders(items: &[i64]) -> (usize, Result<Value, Open>) {
        let mut seen = BTreeSet::new();
        let items = items.iter().map(|n| Value::Int((*n).into())).collect();
        let first = Value::Seq([].into());
        let result = fold_in_any_order(&first, &first, items, &mut |_, args| {
            let Value::Seq(before) = &args[1] else {
                return Err(Open::Unspecified);
            };
            let word: Vec<Value> = before.iter().chain([&args[0]]).cloned().collect();
            seen.insert(word.clone());
            Ok(Value::Seq(word.into()))
        });
        let longest = seen.iter().map(Vec::len).max().unwrap_or(0);
        (
            seen.iter().filter(|word| word.len() == longest).count(),
            result,
        )
    }

    #[test]
    fn folding_that_depends_on_the_order_is_open() {
        assert_eq!(orders(&[1, 2, 3]), (6, Err(Open::Unspecified)));
        assert_eq!(orders(&[1, 1, 2]), (3, Err(Open::Unspecified)));
    }

    #[test]
    fn folding_equal_elements_has_one_order() {
        let (count, result) = orders(&[1; 100]);
        assert_eq!(count, 1);
        assert!(result.is_ok());
        assert_eq!(orders(&[1, 2, 3, 4, 5, 6, 7]).1, Err(Open::TooLarge));
    }
}
