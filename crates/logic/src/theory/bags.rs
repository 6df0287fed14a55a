//! Finite bags (multisets), as cvc5 has them.
//!
//! A bag is kept as its elements with their positive multiplicities. `bag.choose` is determined only
//! for bags of one distinct element.

use super::Meaning::{Applying, Strict};
use super::folding::{MOST_FOLDED, fold_in_any_order};
use super::{Apply, Args, Open, OpenCase, Row, SolverSet, row};
use crate::value::{Int, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const CVC5: SolverSet = SolverSet::CVC5;
/// No current release supports it.
const PAST: SolverSet = SolverSet(0);

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
        .open(OpenCase::Element)
        .examples(&[(r#"(bag.choose (bag "x" 4))"#, r#""x""#)]),
    // Functions over bags; folding is open unless the order of the elements does not matter.
    row("(par (X Y) (bag.map (-> X Y) (Bag X) (Bag Y)))", CVC5, Applying(map)).examples(&[(
        "(= (bag.map (lambda ((x Int)) (* 0 x)) (bag.union_disjoint (bag 1 2) (bag 2 3))) (bag 0 5))",
        "true",
    )]),
    row("(par (X) (bag.filter (-> X Bool) (Bag X) (Bag X)))", CVC5, Applying(filter)).examples(&[(
        "(= (bag.filter (lambda ((x Int)) (> x 1)) (bag.union_disjoint (bag 1 2) (bag 2 3))) (bag 2 3))",
        "true",
    )]),
    row("(par (X) (bag.all (-> X Bool) (Bag X) Bool))", CVC5, Applying(all)).examples(&[
        ("(bag.all (lambda ((x Int)) (> x 1)) (bag 2 3))", "true"),
        ("(bag.all (lambda ((x Int)) (> x 1)) (bag 1 3))", "false"),
    ]),
    row("(par (X) (bag.some (-> X Bool) (Bag X) Bool))", CVC5, Applying(some))
        .examples(&[("(bag.some (lambda ((x Int)) true) (as bag.empty (Bag Int)))", "false")]),
    row("(par (X Y) (bag.fold (-> X Y Y) Y (Bag X) Y))", CVC5, Applying(fold)).examples(&[(
        "(bag.fold (lambda ((x Int) (y Int)) (+ x y)) 1 (bag.union_disjoint (bag 1 2) (bag 2 3)))",
        "9",
    )]),
    row("(par (X) (bag.partition (-> X X Bool) (Bag X) (Bag (Bag X))))", CVC5, Applying(partition)).examples(&[
        (
            "(= (bag.partition (lambda ((x Int) (y Int)) (= (mod x 2) (mod y 2))) \
             (bag.union_disjoint (bag 1 2) (bag 2 4) (bag 3 3))) \
             (bag.union_disjoint (bag (bag.union_disjoint (bag 1 2) (bag 3 3)) 1) (bag (bag 2 4) 1)))",
            "true",
        ),
        ("(bag.card (bag.partition (lambda ((x Int) (y Int)) true) (as bag.empty (Bag Int))))", "0"),
    ]),
    // Names and operators of cvc5 1.0 that later releases do not have any more.
    row(
        "(par (X) (bag.duplicate_removal (Bag X) (Bag X)))",
        PAST,
        Strict(setof),
    )
    .examples(&[("(bag.card (bag.duplicate_removal (bag 1 3)))", "1")]),
    row(
        "(par (X) (bag.is_singleton (Bag X) Bool))",
        PAST,
        Strict(is_singleton),
    )
    .examples(&[
        ("(bag.is_singleton (bag 1 1))", "true"),
        ("(bag.is_singleton (bag 1 2))", "false"),
    ]),
    row(
        "(par (X) (bag.from_set (Set X) (Bag X)))",
        PAST,
        Strict(from_set),
    )
    .examples(&[("(bag.count 1 (bag.from_set (set.singleton 1)))", "1")]),
    row(
        "(par (X) (bag.to_set (Bag X) (Set X)))",
        PAST,
        Strict(to_set),
    )
    .examples(&[("(= (bag.to_set (bag 1 3)) (set.singleton 1))", "true")]),
];

type Elements = BTreeMap<Value, Int>;

const INCOMPARABLE: Open = Open::NoMeaning("bags of elements that cannot be compared");

/// Elements must be comparable as data, for all operators.
fn bag<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Elements, Open> {
    match &args.values[place] {
        Value::Bag(items) if items.keys().all(Value::is_comparable) => Ok(items),
        Value::Bag(_) => Err(INCOMPARABLE),
        _ => Err(Open::NoMeaning("a value that is not a bag")),
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
        _ => Err(Open::NoMeaning("a value that is not an integer")),
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

/// Any element, but always the same one for the same bag; any value for an empty bag.
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
        _ => Err(Open::NoMeaning("a value that is not a set")),
    }
}

fn to_set(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Set(Arc::new(
        bag(args, 0)?.keys().cloned().collect(),
    )))
}

fn map(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let mut images = Elements::new();
    for (element, count) in bag(args, 1)? {
        let image = apply(&args.values[0], std::slice::from_ref(element))?;
        if !image.is_comparable() {
            return Err(INCOMPARABLE);
        }
        let sum = multiplicity(&images, &image).add(count);
        images.insert(image, sum);
    }
    value(images)
}

/// The elements that satisfy a predicate, as often as they are there.
fn satisfying(args: &Args<'_>, apply: Apply<'_>) -> Result<Elements, Open> {
    let mut chosen = Elements::new();
    for (element, count) in bag(args, 1)? {
        if apply(&args.values[0], std::slice::from_ref(element))? == Value::TRUE {
            chosen.insert(element.clone(), count.clone());
        }
    }
    Ok(chosen)
}

fn filter(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    value(satisfying(args, apply)?)
}

fn all(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(
        satisfying(args, apply)?.len() == bag(args, 1)?.len(),
    ))
}

fn some(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(!satisfying(args, apply)?.is_empty()))
}

fn fold(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let mut items = Vec::new();
    for (element, count) in bag(args, 2)? {
        let count = count
            .to_usize()
            .filter(|count| items.len() + count <= MOST_FOLDED);
        let copies = std::iter::repeat_n(element, count.ok_or(Open::TooLarge)?);
        items.extend(copies.cloned());
    }
    fold_in_any_order(&args.values[0], &args.values[1], items, apply)
}

/// The classes of an equivalence relation, each once; unspecified if it is not an equivalence on the elements.
fn partition(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let items = bag(args, 1)?;
    let mut classes: Vec<Elements> = Vec::new();
    for (element, count) in items {
        let mut own = None;
        for (at, class) in classes.iter().enumerate() {
            let mut related = Vec::new();
            for other in class.keys() {
                related.push(apply(&args.values[0], &[element.clone(), other.clone()])?);
                related.push(apply(&args.values[0], &[other.clone(), element.clone()])?);
            }
            let belongs = related[0] == Value::TRUE;
            if related.iter().any(|r| *r != related[0]) || (belongs && own.is_some()) {
                return Err(Open::Unspecified);
            }
            own = if belongs { Some(at) } else { own };
        }
        match own {
            Some(at) => drop(classes[at].insert(element.clone(), count.clone())),
            None => classes.push(Elements::from([(element.clone(), count.clone())])),
        }
    }
    value(
        classes
            .into_iter()
            .map(|class| (Value::Bag(Arc::new(class)), Int::from(1))),
    )
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::undetermined;

    #[test]
    fn choosing_among_several_is_open() {
        let several = "(bag.choose (bag.union_disjoint (bag 1 1) (bag 2 1)))";
        assert_eq!(undetermined(several), Reason::Unspecified);
    }

    #[test]
    fn what_is_no_equivalence_does_not_partition() {
        let close = "(lambda ((x Int) (y Int)) (<= (- 1) (- x y) 1))";
        let three = "(bag.union_disjoint (bag 1 1) (bag 2 1) (bag 3 1))";
        assert_eq!(
            undetermined(&format!("(bag.partition {close} {three})")),
            Reason::Unspecified
        );
    }

    #[test]
    fn folding_counts_every_copy() {
        let last = "(lambda ((x Int) (y Int)) x)";
        assert_eq!(
            undetermined(&format!(
                "(bag.fold {last} 0 (bag.union_disjoint (bag 1 1) (bag 2 1)))"
            )),
            Reason::Unspecified
        );
        assert_eq!(
            undetermined("(bag.fold (lambda ((x Int) (y Int)) x) 0 (bag 1 1000000000000))"),
            Reason::TooLarge
        );
    }
}
