//! Tuples, relations (sets of tuples) and tables (bags of tuples), as cvc5 has them, with CVC4's names. Their sorts
//! depend on the length of tuples, so they are computed instead of matched.

use super::Meaning::{None as Unknown, Strict};
use super::{Args, Open, Row, SolverSet, row, tables};
use crate::sort::{Sort, SortKind, Sorts};
use crate::value::{MAX_LENGTH, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

const CVC5: SolverSet = SolverSet::CVC5;
const CVC4: SolverSet = SolverSet::CVC4;
const BOTH: SolverSet = SolverSet::CVC5.union(SolverSet::CVC4);
const FOLDED: super::Meaning = Unknown("aggregation of a relation");

/// Examples follow cvc5's theory reference of datatypes (tuples) and of sets and relations.
pub const TUPLES: &[Row] = &[
    row("(tuple X Tuple)", CVC5, Strict(tuple))
        .rule(tuple_sort)
        .examples(&[("(= (tuple 1 true) (tuple 1 false))", "false")]),
    row("(tuple.unit Tuple)", CVC5, Strict(tuple))
        .rule(tuple_sort)
        .examples(&[("(= tuple.unit tuple.unit)", "true")]),
    row("((_ tuple.select i) Tuple X)", CVC5, Strict(select))
        .rule(select_sort)
        .examples(&[("((_ tuple.select 1) (tuple 1 true))", "true")]),
    row("((_ tuple.update i) Tuple X Tuple)", CVC5, Strict(update))
        .rule(update_sort)
        .examples(&[("(= ((_ tuple.update 0) (tuple 1 2) 3) (tuple 3 2))", "true")]),
    row("((_ tuple.project i) Tuple Tuple)", CVC5, Strict(project))
        .rule(project_sort)
        .examples(&[(
            "(= ((_ tuple.project 1 1) (tuple 1 2)) (tuple 2 2))",
            "true",
        )]),
    row("(tuple.project Tuple Tuple)", CVC5, Strict(project))
        .rule(project_sort)
        .examples(&[("(= (tuple.project (tuple 1 2)) tuple.unit)", "true")]),
    row("(mkTuple X Tuple)", CVC4, Strict(tuple))
        .rule(tuple_sort)
        .examples(&[("(= (mkTuple 1 true) (mkTuple 1 false))", "false")]),
    row("((_ tupSel i) Tuple X)", CVC4, Strict(select))
        .rule(select_sort)
        .examples(&[("((_ tupSel 1) (mkTuple 1 true))", "true")]),
    row("((_ tuple_select i) Tuple X)", BOTH, Strict(select))
        .rule(select_sort)
        .examples(&[("((_ tuple_select 0) (tuple true 1))", "true")]),
    row("((_ tuple_update i) Tuple X Tuple)", BOTH, Strict(update))
        .rule(update_sort)
        .examples(&[("(= ((_ tuple_update 0) (tuple 1 2) 3) (tuple 3 2))", "true")]),
    row("((_ tuple_project i) Tuple Tuple)", BOTH, Strict(project))
        .rule(project_sort)
        .examples(&[("(= ((_ tuple_project 1) (tuple 1 2)) (tuple 2))", "true")]),
];

pub const RELATIONS: &[Row] = &[
    row("(rel.transpose Relation Relation)", CVC5, Strict(transpose))
        .rule(transpose_sort)
        .examples(&[(
            "(= (rel.transpose (set.singleton (tuple 1 true))) (set.singleton (tuple true 1)))",
            "true",
        )]),
    row("(rel.tclosure Relation Relation)", CVC5, Strict(closure))
        .rule(closure_sort)
        .examples(&[(
            "(set.member (tuple 1 3) (rel.tclosure (set.insert (tuple 1 2) (set.singleton (tuple 2 3)))))",
            "true",
        )]),
    row("(rel.join Relation Relation Relation)", CVC5, Strict(join))
        .rule(join_sort)
        .examples(&[(
            "(= (rel.join (set.singleton (tuple 1 2)) (set.singleton (tuple 2 true))) (set.singleton (tuple 1 true)))",
            "true",
        )]),
    row("(rel.product Relation Relation Relation)", CVC5, Strict(product))
        .rule(product_sort)
        .examples(&[(
            "(= (rel.product (set.singleton (tuple 1)) (set.singleton (tuple 2))) (set.singleton (tuple 1 2)))",
            "true",
        )]),
    row("(rel.iden Relation Relation)", CVC5, Strict(identity))
        .rule(identity_sort)
        .examples(&[(
            "(= (rel.iden (set.singleton (tuple 1))) (set.singleton (tuple 1 1)))",
            "true",
        )]),
    row("(rel.join_image Relation Int Relation)", CVC5, Strict(tables::join_image)).rule(image_sort).examples(&[("(= (rel.join_image (set.insert (tuple 1 2) (set.singleton (tuple 1 3))) 2) (set.singleton (tuple 1)))","true")]),
    row("((_ rel.project i) Relation Relation)", CVC5, Strict(tables::project_set)).rule(project_all_sort).examples(&[("(= ((_ rel.project 1) (set.singleton (tuple 1 true))) (set.singleton (tuple true)))","true")]),
    row("((_ rel.table_join m n) Relation Relation Relation)", CVC5, Strict(tables::join_sets)).rule(product_sort).examples(&[("(= ((_ rel.table_join 0 0) (set.singleton (tuple 1)) (set.singleton (tuple 2))) (as set.empty (Relation Int Int)))","true")]),
    row("((_ rel.group i) Relation (Set Relation))", CVC5, Strict(tables::group_set)).rule(group_sort).examples(&[("(set.card ((_ rel.group 0) (set.insert (tuple 1 2) (set.singleton (tuple 1 3)))))","1")]),
    row("((_ rel.aggr i) Function X Relation (Set X))", CVC5, FOLDED).rule(aggregate_sort),
    row("(rel.project Relation Relation)", CVC5, Strict(tables::project_set)).rule(project_all_sort).examples(&[("(= (rel.project (set.singleton (tuple 1))) (set.singleton tuple.unit))","true")]),
    row("(rel.group Relation (Set Relation))", CVC5, Strict(tables::group_set)).rule(group_sort).examples(&[("(set.card (rel.group (set.insert (tuple 1 2) (set.singleton (tuple 3 3)))))","1")]),
    row("(rel.aggr Function X Relation (Set X))", CVC5, FOLDED).rule(aggregate_sort),
    row("(transpose Relation Relation)", CVC4, Strict(transpose))
        .rule(transpose_sort)
        .examples(&[(
            "(= (transpose (singleton (mkTuple 1 2))) (singleton (mkTuple 2 1)))",
            "true",
        )]),
    row("(tclosure Relation Relation)", CVC4, Strict(closure))
        .rule(closure_sort)
        .examples(&[("(member (mkTuple 1 1) (tclosure (singleton (mkTuple 1 2))))", "false")]),
    row("(join Relation Relation Relation)", CVC4, Strict(join))
        .rule(join_sort)
        .examples(&[("(card (join (singleton (mkTuple 1 2)) (singleton (mkTuple 1 2))))", "0")]),
    row("(product Relation Relation Relation)", CVC4, Strict(product))
        .rule(product_sort)
        .examples(&[("(card (product (singleton (mkTuple 1)) (singleton (mkTuple 1))))", "1")]),
    row("(iden Relation Relation)", CVC4, Strict(identity))
        .rule(identity_sort)
        .examples(&[("(member (mkTuple 1 2) (iden (singleton (mkTuple 1))))", "false")]),
    row("(join_image Relation Int Relation)", CVC4, Strict(tables::join_image)).rule(image_sort).examples(&[("(card (join_image (singleton (mkTuple 1 2)) 2))","0")]),
];

pub const TABLES: &[Row] = &[
    row("(table.product Table Table Table)", CVC5, Strict(tables::join_bags)).rule(product_sort).examples(&[("(= (table.product (bag (tuple 1) 2) (bag (tuple true) 3)) (bag (tuple 1 true) 6))","true")]),
    row("((_ table.project i) Table Table)", CVC5, Strict(tables::project_bag)).rule(project_all_sort).examples(&[("(= ((_ table.project 1) (bag.union_disjoint (bag (tuple 1 0) 2) (bag (tuple 2 0) 3))) (bag (tuple 0) 5))","true")]),
    row("((_ table.join m n) Table Table Table)", CVC5, Strict(tables::join_bags)).rule(product_sort).examples(&[("(= ((_ table.join 0 0) (bag (tuple 1) 2) (bag (tuple 1) 3)) (bag (tuple 1 1) 6))","true")]),
    row("((_ table.group i) Table (Bag Table))", CVC5, Strict(tables::group_bag)).rule(group_sort).examples(&[("(bag.card ((_ table.group 0) (bag.union_disjoint (bag (tuple 1 0) 2) (bag (tuple 2 0) 3))))","2")]),
    row("((_ table.aggr i) Function X Table (Bag X))", CVC5, FOLDED).rule(aggregate_sort),
    row("(table.project Table Table)", CVC5, Strict(tables::project_bag)).rule(project_all_sort).examples(&[("(= (table.project (bag (tuple 1) 2)) (bag tuple.unit 2))","true")]),
    row("(table.join Table Table Table)", CVC5, Strict(tables::join_bags)).rule(product_sort).examples(&[("(= (table.join (bag (tuple 1) 2) (bag (tuple 2) 1)) (bag (tuple 1 2) 2))","true")]),
    row("(table.group Table (Bag Table))", CVC5, Strict(tables::group_bag)).rule(group_sort).examples(&[("(bag.card (table.group (bag (tuple 1) 2)))","1")]),
    row("(table.aggr Function X Table (Bag X))", CVC5, FOLDED).rule(aggregate_sort),
];

// ---- sorts ----

fn parts(sorts: &Sorts, tuple: Sort) -> Option<Vec<Sort>> {
    match sorts.kind(tuple) {
        SortKind::Tuple(parts) => Some(parts.to_vec()),
        _ => None,
    }
}

/// The sort constructor: set or bag.
type Collect = fn(Sort) -> SortKind;

/// A set or bag of tuples: the parts of a tuple, and what makes such a collection.
fn columns(sorts: &Sorts, relation: Sort) -> Option<(Vec<Sort>, Collect)> {
    match *sorts.kind(relation) {
        SortKind::Set(tuple) => Some((parts(sorts, tuple)?, SortKind::Set)),
        SortKind::Bag(tuple) => Some((parts(sorts, tuple)?, SortKind::Bag)),
        _ => None,
    }
}

fn tuple_of(sorts: &mut Sorts, parts: Vec<Sort>) -> Sort {
    sorts.intern(SortKind::Tuple(parts.into()))
}

fn relation_of(sorts: &mut Sorts, parts: Vec<Sort>, collect: Collect) -> Option<Sort> {
    let tuple = tuple_of(sorts, parts);
    let relation = sorts.intern(collect(tuple));
    (!sorts.is_too_large(relation)).then_some(relation)
}

fn tuple_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    if !indices.is_empty() || args.contains(&Sort::UNKNOWN) {
        return None;
    }
    let tuple = tuple_of(sorts, args.to_vec());
    (!sorts.is_too_large(tuple)).then_some(tuple)
}

fn part(parts: &[Sort], index: u64) -> Option<Sort> {
    parts.get(usize::try_from(index).ok()?).copied()
}

fn select_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    match (indices, args) {
        (&[index], &[tuple]) => part(&parts(sorts, tuple)?, index),
        _ => None,
    }
}

fn update_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    match (indices, args) {
        (&[index], &[tuple, new]) => (part(&parts(sorts, tuple)?, index)? == new).then_some(tuple),
        _ => None,
    }
}

fn project_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[tuple] = args else {
        return None;
    };
    let all = parts(sorts, tuple)?;
    let chosen: Option<Vec<Sort>> = indices.iter().map(|i| part(&all, *i)).collect();
    Some(tuple_of(sorts, chosen?))
}

fn project_all_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation] = args else {
        return None;
    };
    let (all, collect) = columns(sorts, relation)?;
    let chosen: Option<Vec<Sort>> = indices.iter().map(|i| part(&all, *i)).collect();
    relation_of(sorts, chosen?, collect)
}

fn transpose_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation] = args else {
        return None;
    };
    let (mut all, collect) = columns(sorts, relation)?;
    all.reverse();
    relation_of(sorts, all, collect)
}

fn closure_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation] = args else {
        return None;
    };
    let (all, _) = columns(sorts, relation)?;
    (all.len() == 2 && all[0] == all[1]).then_some(relation)
}

fn join_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[a, b] = args else {
        return None;
    };
    let ((mut a, collect), (b, _)) = (columns(sorts, a)?, columns(sorts, b)?);
    if a.pop()? != *b.first()? {
        return None;
    }
    a.extend(&b[1..]);
    // Two relations of one column each would leave none; cvc5 refuses that.
    if a.is_empty() {
        return None;
    }
    relation_of(sorts, a, collect)
}

fn product_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[a, b] = args else {
        return None;
    };
    let ((mut a, collect), (b, _)) = (columns(sorts, a)?, columns(sorts, b)?);
    a.extend(b);
    relation_of(sorts, a, collect)
}

fn identity_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation] = args else {
        return None;
    };
    let (all, collect) = columns(sorts, relation)?;
    let &[only] = all.as_slice() else {
        return None;
    };
    relation_of(sorts, vec![only, only], collect)
}

fn image_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation, Sort::INT] = args else {
        return None;
    };
    let (all, collect) = columns(sorts, relation)?;
    (all.len() == 2).then(|| relation_of(sorts, vec![all[0]], collect))?
}

fn group_sort(sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[relation] = args else {
        return None;
    };
    let (all, collect) = columns(sorts, relation)?;
    let fits = indices.iter().all(|i| part(&all, *i).is_some());
    fits.then(|| sorts.intern(collect(relation)))
}

fn aggregate_sort(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let &[function, start, relation] = args else {
        return None;
    };
    let (_, collect) = columns(sorts, relation)?;
    match sorts.kind(function) {
        SortKind::Function(parts) if parts[1..] == [start, start] => {
            Some(sorts.intern(collect(start)))
        }
        _ => None,
    }
}

// ---- meanings ----

fn fields(value: &Value) -> Result<&[Value], Open> {
    match value {
        Value::Tuple(parts) if parts.iter().all(Value::is_comparable) => Ok(parts),
        Value::Tuple(_) => Err(Open::NoMeaning("tuples of values that cannot be compared")),
        _ => Err(Open::NoMeaning("a value that is not a tuple")),
    }
}

fn rows<'a>(args: &'a Args<'_>, place: usize) -> Result<Vec<&'a [Value]>, Open> {
    match &args.values[place] {
        Value::Set(tuples) => tuples.iter().map(fields).collect(),
        _ => Err(Open::NoMeaning("a value that is not a relation")),
    }
}

fn relation(rows: impl Iterator<Item = Vec<Value>>) -> Result<Value, Open> {
    let mut set = BTreeSet::new();
    for row in rows {
        set.insert(Value::Tuple(row.into()));
        if set.len() > MAX_LENGTH {
            return Err(Open::TooLarge);
        }
    }
    Ok(Value::Set(Arc::new(set)))
}

fn tuple(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Tuple(args.values.into()))
}

fn index(args: &Args<'_>, number: usize) -> usize {
    usize::try_from(args.indices[number]).unwrap_or(usize::MAX)
}

fn select(args: &Args<'_>) -> Result<Value, Open> {
    let part = fields(&args.values[0])?.get(index(args, 0));
    part.cloned().ok_or(Open::NoMeaning("a missing component"))
}

fn update(args: &Args<'_>) -> Result<Value, Open> {
    let mut parts = fields(&args.values[0])?.to_vec();
    let part = parts.get_mut(index(args, 0));
    *part.ok_or(Open::NoMeaning("a missing component"))? = args.values[1].clone();
    Ok(Value::Tuple(parts.into()))
}

fn project(args: &Args<'_>) -> Result<Value, Open> {
    let all = fields(&args.values[0])?;
    let chosen = (0..args.indices.len()).map(|n| all.get(index(args, n)).cloned());
    let chosen: Option<Vec<Value>> = chosen.collect();
    let chosen = chosen.ok_or(Open::NoMeaning("a missing component"))?;
    Ok(Value::Tuple(chosen.into()))
}

fn transpose(args: &Args<'_>) -> Result<Value, Open> {
    let rows = rows(args, 0)?;
    relation(rows.iter().map(|row| row.iter().rev().cloned().collect()))
}

fn identity(args: &Args<'_>) -> Result<Value, Open> {
    let rows = rows(args, 0)?;
    relation(rows.iter().map(|row| [*row, *row].concat()))
}

fn product(args: &Args<'_>) -> Result<Value, Open> {
    let (a, b) = (rows(args, 0)?, rows(args, 1)?);
    relation(a.iter().flat_map(|x| b.iter().map(|y| [*x, *y].concat())))
}

fn join(args: &Args<'_>) -> Result<Value, Open> {
    let (a, b) = (rows(args, 0)?, rows(args, 1)?);
    relation(joined(&a, &b).into_iter())
}

/// All pairs in which the last of one is the first of the other, without those two.
fn joined(a: &[&[Value]], b: &[&[Value]]) -> Vec<Vec<Value>> {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    pairs
        .filter_map(|(x, y)| {
            let ((last, before), (first, after)) = (x.split_last()?, y.split_first()?);
            (last == first).then(|| [before, after].concat())
        })
        .collect()
}

fn closure(args: &Args<'_>) -> Result<Value, Open> {
    const MOST: usize = 256;
    let steps = rows(args, 0)?;
    let mut all: BTreeSet<Vec<Value>> = steps.iter().map(|row| row.to_vec()).collect();
    loop {
        if all.len() > MOST {
            return Err(Open::TooLarge);
        }
        let known: Vec<&[Value]> = all.iter().map(Vec::as_slice).collect();
        let more = joined(&known, &steps);
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            return relation(all.into_iter());
        }
    }
}
