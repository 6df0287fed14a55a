//! The semantics of cvc5's tables (bags of tuples) and groups of relations: joins, projections, groups.

use super::{Args, Open};
use crate::value::{Int, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Joins of more rows are not computed.
const MOST_ROWS: usize = 10_000;

type Bag = BTreeMap<Value, Int>;

const NO_TUPLE: Open = Open::NoMeaning("a table of rows that are no tuples");

fn set<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a BTreeSet<Value>, Open> {
    match &args.values[place] {
        Value::Set(set) if args.values[place].is_comparable() => Ok(set),
        _ => Err(Open::NoMeaning("a value that is not a relation")),
    }
}

fn bag<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Bag, Open> {
    match &args.values[place] {
        Value::Bag(bag) if args.values[place].is_comparable() => Ok(bag),
        _ => Err(Open::NoMeaning("a value that is not a table")),
    }
}

fn columns(row: &Value) -> Result<&[Value], Open> {
    match row {
        Value::Tuple(parts) => Ok(parts),
        _ => Err(NO_TUPLE),
    }
}

fn places(args: &Args<'_>) -> Vec<usize> {
    let places = args.indices.iter();
    places
        .map(|i| usize::try_from(*i).unwrap_or(usize::MAX))
        .collect()
}

fn project(row: &Value, places: &[usize]) -> Result<Value, Open> {
    let all = columns(row)?;
    let chosen: Option<Vec<Value>> = places.iter().map(|p| all.get(*p).cloned()).collect();
    chosen
        .map(|parts| Value::Tuple(parts.into()))
        .ok_or(NO_TUPLE)
}

fn add(bag: &mut Bag, row: Value, count: &Int) {
    let old = bag.entry(row).or_insert_with(|| Int::from(0));
    *old = old.add(count);
}

pub(super) fn project_set(args: &Args<'_>) -> Result<Value, Open> {
    let places = places(args);
    let rows: Result<BTreeSet<Value>, Open> = set(args, 0)?
        .iter()
        .map(|row| project(row, &places))
        .collect();
    Ok(Value::Set(Arc::new(rows?)))
}

pub(super) fn project_bag(args: &Args<'_>) -> Result<Value, Open> {
    let places = places(args);
    let mut made = Bag::new();
    for (row, count) in bag(args, 0)? {
        add(&mut made, project(row, &places)?, count);
    }
    Ok(Value::Bag(Arc::new(made)))
}

/// Parts whose rows agree at the places; the partition of the empty relation has one part, which is empty.
pub(super) fn group_set(args: &Args<'_>) -> Result<Value, Open> {
    let places = places(args);
    let mut groups: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
    for row in set(args, 0)? {
        groups
            .entry(project(row, &places)?)
            .or_default()
            .insert(row.clone());
    }
    let mut parts: BTreeSet<Value> = groups
        .into_values()
        .map(|g| Value::Set(Arc::new(g)))
        .collect();
    if parts.is_empty() {
        parts.insert(Value::Set(Arc::default()));
    }
    Ok(Value::Set(Arc::new(parts)))
}

pub(super) fn group_bag(args: &Args<'_>) -> Result<Value, Open> {
    let places = places(args);
    let mut groups: BTreeMap<Value, Bag> = BTreeMap::new();
    for (row, count) in bag(args, 0)? {
        let group = groups.entry(project(row, &places)?).or_default();
        add(group, row.clone(), count);
    }
    let mut parts = Bag::new();
    for group in groups.into_values() {
        add(&mut parts, Value::Bag(Arc::new(group)), &Int::from(1));
    }
    if parts.is_empty() {
        parts.insert(Value::Bag(Arc::default()), Int::from(1));
    }
    Ok(Value::Bag(Arc::new(parts)))
}

/// Two rows as one if they agree at the paired places.
fn joined(left: &Value, right: &Value, places: &[usize]) -> Result<Option<Value>, Open> {
    let (a, b) = (columns(left)?, columns(right)?);
    let agree = places.chunks(2).all(|pair| match pair {
        [x, y] => a.get(*x) == b.get(*y),
        _ => false,
    });
    Ok(agree.then(|| Value::Tuple([a, b].concat().into())))
}

pub(super) fn join_sets(args: &Args<'_>) -> Result<Value, Open> {
    let (a, b, places) = (set(args, 0)?, set(args, 1)?, places(args));
    if a.len().saturating_mul(b.len()) > MOST_ROWS {
        return Err(Open::TooLarge);
    }
    let mut made = BTreeSet::new();
    for left in a {
        for right in b {
            made.extend(joined(left, right, &places)?);
        }
    }
    Ok(Value::Set(Arc::new(made)))
}

pub(super) fn join_bags(args: &Args<'_>) -> Result<Value, Open> {
    let (a, b, places) = (bag(args, 0)?, bag(args, 1)?, places(args));
    if a.len().saturating_mul(b.len()) > MOST_ROWS {
        return Err(Open::TooLarge);
    }
    let mut made = Bag::new();
    for (left, n) in a {
        for (right, m) in b {
            if let Some(row) = joined(left, right, &places)? {
                add(&mut made, row, &n.mul(m));
            }
        }
    }
    Ok(Value::Bag(Arc::new(made)))
}

/// The first components with at least this many partners.
pub(super) fn join_image(args: &Args<'_>) -> Result<Value, Open> {
    let Value::Int(least) = &args.values[1] else {
        return Err(Open::NoMeaning("a value that is not an integer"));
    };
    // With a minimum of zero, elements without a partner count, too; no document says which elements these are.
    if *least <= Int::from(0) {
        return Err(Open::NoMeaning("an image with no least number of partners"));
    }
    let mut partners: BTreeMap<&Value, i64> = BTreeMap::new();
    for row in set(args, 0)? {
        let [first, _] = columns(row)? else {
            return Err(NO_TUPLE);
        };
        *partners.entry(first).or_default() += 1;
    }
    let enough = partners
        .into_iter()
        .filter(|(_, n)| Int::from(*n) >= *least);
    let rows = enough.map(|(x, _)| Value::Tuple([x.clone()].into()));
    Ok(Value::Set(Arc::new(rows.collect())))
}
