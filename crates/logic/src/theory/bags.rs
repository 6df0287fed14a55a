//! Finite bags (multisets), as cvc5 has them.
//!
//! A bag is kept as its elements with their positive multiplicities. `bag.choose` is determined only
//! for bags of one distinct element.

use super::Meaning::Strict;
use super::{Args, Known, Open, Row, row};
use crate::value::{Int, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const CVC5: Known = Known::CVC5;

/// Examples are those of cvc5's theory reference of bags, with numbers put in.
pub const ROWS: &[Row] = &[
    row(
        "(par (X) (bag.empty (Bag X) :qualified))",
        CVC5,
        Strict(empty),
    )
    .examples(&[("(bag.card (as bag.empty (Bag Int)))", "0")]),
    row("(par (X) (bag X Int (Bag X)))", CVC5, Strict(make)).examples(&[
        (r#"(bag.count "a" (bag "a" 3))"#, "3"),
        (r#"(= (bag "a" 0) (as bag.empty (Bag String)))"#, "true"),
        (r#"(= (bag "a" (- 1)) (as bag.empty (Bag String)))"#, "true"),
    ]),
    row("(par (X) (bag.count X (Bag X) Int))", CVC5, Strict(count))
        .examples(&[(r#"(bag.count "b" (bag "a" 3))"#, "0")]),
    row(
        "(par (X) (bag.member X (Bag X) Bool))",
        CVC5,
        Strict(member),
    )
    .examples(&[(r#"(bag.member "a" (bag "a" 3))"#, "true")]),
    row(
        "(par (X) (bag.union_disjoint (Bag X) (Bag X) (Bag X) :left-assoc))",
        CVC5,
        Strict(union_disjoint),
    )
    .commutative()
    .examples(&[(
        "(bag.count 1 (bag.union_disjoint (bag 1 2) (bag 1 3)))",
        "5",
    )]),
    row(
        "(par (X) (bag.union_max (Bag X) (Bag X) (Bag X) :left-assoc))",
        CVC5,
        Strict(union_max),
    )
    .commutative()
    .examples(&[("(bag.count 1 (bag.union_max (bag 1 2) (bag 1 3)))", "3")]),
    row(
        "(par (X) (bag.inter_min (Bag X) (Bag X) (Bag X) :left-assoc))",
        CVC5,
        Strict(inter_min),
    )
    .commutative()
    .examples(&[("(bag.count 1 (bag.inter_min (bag 1 2) (bag 1 3)))", "2")]),
    row(
        "(par (X) (bag.difference_subtract (Bag X) (Bag X) (Bag X) :left-assoc))",
        CVC5,
        Strict(subtract),
    )
    .examples(&[
        (
            "(bag.count 1 (bag.difference_subtract (bag 1 3) (bag 1 2)))",
            "1",
        ),
        (
            "(bag.count 1 (bag.difference_subtract (bag 1 2) (bag 1 3)))",
            "0",
        ),
    ]),
    row(
        "(par (X) (bag.difference_remove (Bag X) (Bag X) (Bag X) :left-assoc))",
        CVC5,
        Strict(remove),
    )
    .examples(&[
        (
            "(bag.count 1 (bag.difference_remove (bag 1 3) (bag 1 2)))",
            "0",
        ),
        (
            "(bag.count 1 (bag.difference_remove (bag 1 3) (bag 2 2)))",
            "3",
        ),
    ]),
    row(
        "(par (X) (bag.subbag (Bag X) (Bag X) Bool))",
        CVC5,
        Strict(subbag),
    )
    .examples(&[
        ("(bag.subbag (bag 1 2) (bag 1 3))", "true"),
        ("(bag.subbag (bag 1 3) (bag 1 2))", "false"),
    ]),
    row("(par (X) (bag.setof (Bag X) (Bag X)))", CVC5, Strict(setof))
        .examples(&[("(= (bag.setof (bag 1 3)) (bag 1 1))", "true")]),
    row("(par (X) (bag.card (Bag X) Int))", CVC5, Strict(card)).examples(&[(
        r#"(bag.card (bag.union_disjoint (bag "x" 4) (bag "y" 1)))"#,
        "5",
    )]),
    row("(par (X) (bag.choose (Bag X) X))", CVC5, Strict(choose))
        .examples(&[(r#"(bag.choose (bag "x" 4))"#, r#""x""#)]),
    // Names and operators of cvc5 1.0.
    row(
        "(par (X) (bag.duplicate_removal (Bag X) (Bag X)))",
        CVC5,
        Strict(setof),
    )
    .examples(&[("(bag.card (bag.duplicate_removal (bag 1 3)))", "1")]),
    row(
        "(par (X) (bag.is_singleton (Bag X) Bool))",
        CVC5,
        Strict(is_singleton),
    )
    .examples(&[
        ("(bag.is_singleton (bag 1 1))", "true"),
        ("(bag.is_singleton (bag 1 2))", "false"),
    ]),
    row(
        "(par (X) (bag.from_set (Set X) (Bag X)))",
        CVC5,
        Strict(from_set),
    )
    .examples(&[("(bag.count 1 (bag.from_set (set.singleton 1)))", "1")]),
    row(
        "(par (X) (bag.to_set (Bag X) (Set X)))",
        CVC5,
        Strict(to_set),
    )
    .examples(&[("(= (bag.to_set (bag 1 3)) (set.singleton 1))", "true")]),
];

type Elements = BTreeMap<Value, Int>;

const INCOMPARABLE: Open = Open::NoMeaning("bags of elements that cannot be compared");

/// For all operators: elements are told apart by their data.
fn bag<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Elements, Open> {
    match &args.values[place] {
        Value::Bag(items) if items.keys().all(Value::is_comparable) => Ok(items),
        Value::Bag(_) => Err(INCOMPARABLE),
        _ => Err(Open::NoMeaning("a bag that is none")),
    }
}

fn element<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Value, Open> {
    let element = &args.values[place];
    if element.is_comparable() {
        Ok(element)
    } else {
        Err(INCOMPARABLE)
    }
}

fn multiplicity(bag: &Elements, element: &Value) -> Int {
    bag.get(element).cloned().unwrap_or(Int::from(0))
}

/// The bag with these multiplicities, of which only the positive ones count.
fn value(items: impl IntoIterator<Item = (Value, Int)>) -> Result<Value, Open> {
    let positive = items.into_iter().filter(|(_, count)| *count > Int::from(0));
    Ok(Value::Bag(Arc::new(positive.collect())))
}

/// A bag from the multiplicities of each element in two bags.
fn by_multiplicities(args: &Args<'_>, combine: fn(&Int, &Int) -> Int) -> Result<Value, Open> {
    let (left, right) = (bag(args, 0)?, bag(args, 1)?);
    let elements = left
        .keys()
        .chain(right.keys().filter(|element| !left.contains_key(element)));
    value(elements.map(|element| {
        let count = combine(&multiplicity(left, element), &multiplicity(right, element));
        (element.clone(), count)
    }))
}

fn empty(_: &Args<'_>) -> Result<Value, Open> {
    value([])
}

fn make(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[1] {
        Value::Int(count) => value([(element(args, 0)?.clone(), count.clone())]),
        _ => Err(Open::NoMeaning("an integer that is none")),
    }
}

fn count(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(multiplicity(bag(args, 1)?, element(args, 0)?)))
}

fn member(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(bag(args, 1)?.contains_key(element(args, 0)?)))
}

fn union_disjoint(args: &Args<'_>) -> Result<Value, Open> {
    by_multiplicities(args, Int::add)
}

fn union_max(args: &Args<'_>) -> Result<Value, Open> {
    by_multiplicities(args, |a, b| a.max(b).clone())
}

fn inter_min(args: &Args<'_>) -> Result<Value, Open> {
    by_multiplicities(args, |a, b| a.min(b).clone())
}

fn subtract(args: &Args<'_>) -> Result<Value, Open> {
    by_multiplicities(args, Int::sub)
}

fn remove(args: &Args<'_>) -> Result<Value, Open> {
    by_multiplicities(
        args,
        |a, b| if b.is_zero() { a.clone() } else { Int::from(0) },
    )
}

fn subbag(args: &Args<'_>) -> Result<Value, Open> {
    let (part, whole) = (bag(args, 0)?, bag(args, 1)?);
    let fits = part
        .iter()
        .all(|(element, count)| *count <= multiplicity(whole, element));
    Ok(Value::Bool(fits))
}

fn setof(args: &Args<'_>) -> Result<Value, Open> {
    value(
        bag(args, 0)?
            .keys()
            .map(|element| (element.clone(), Int::from(1))),
    )
}

fn card(args: &Args<'_>) -> Result<Value, Open> {
    let counts = bag(args, 0)?.values();
    Ok(Value::Int(
        counts.fold(Int::from(0), |sum, count| sum.add(count)),
    ))
}

/// Any element, but always the same one for the same bag; of an empty bag anything.
fn choose(args: &Args<'_>) -> Result<Value, Open> {
    let items = bag(args, 0)?;
    match (items.len(), items.keys().next()) {
        (1, Some(only)) => Ok(only.clone()),
        _ => Err(Open::Unspecified),
    }
}

/// One element, once.
fn is_singleton(args: &Args<'_>) -> Result<Value, Open> {
    let items = bag(args, 0)?;
    Ok(Value::Bool(
        items.len() == 1 && items.values().all(Int::is_one),
    ))
}

fn from_set(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::Set(items) => value(items.iter().map(|item| (item.clone(), Int::from(1)))),
        _ => Err(Open::NoMeaning("a set that is none")),
    }
}

fn to_set(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Set(Arc::new(
        bag(args, 0)?.keys().cloned().collect(),
    )))
}
