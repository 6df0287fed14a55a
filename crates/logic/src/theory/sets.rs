//! Finite sets, as cvc5 has them, with the older names of CVC4.
//!
//! z3 means arrays by `(Set X)`, and its finite sets are another sort; neither is meant here.
//! The universe set and with it the complement are left open: cvc5 lets the universe be any set
//! that includes all sets of the input. `set.choose` is determined only for singletons.

use super::Meaning::{Applying, None as Unknown, Strict};
use super::folding::fold_in_any_order;
use super::strings::index;
use super::{Apply, Args, Open, OpenCase, Row, SolverSet, row};
use crate::value::{MAX_LENGTH, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

const CVC5: SolverSet = SolverSet::CVC5;
const CVC4: SolverSet = SolverSet::CVC4;

const UNIVERSE: &str = "the universe set may be any set that includes all sets of the input";

/// Examples are those of cvc5's theory reference of sets, with numbers put in.
pub const ROWS: &[Row] = &[
    row(
        "(par (X) (set.empty (Set X) :qualified))",
        CVC5,
        Strict(empty),
    )
    .examples(&[("(set.card (as set.empty (Set Int)))", "0")]),
    row(
        "(par (X) (set.singleton X (Set X)))",
        CVC5,
        Strict(singleton),
    )
    .examples(&[("(set.member 1 (set.singleton 1))", "true")]),
    row(
        "(par (X) (set.insert X (Set X) (Set X) :right-assoc))",
        CVC5,
        Strict(insert),
    )
    .examples(&[
        ("(set.card (set.insert 1 2 3 (set.singleton 4)))", "4"),
        ("(set.card (set.insert 4 (set.singleton 4)))", "1"),
    ]),
    row(
        "(par (X) (set.union (Set X) (Set X) (Set X) :left-assoc))",
        CVC5,
        Strict(union),
    )
    .commutative()
    .examples(&[(
        "(set.card (set.union (set.singleton 1) (set.singleton 2)))",
        "2",
    )]),
    row(
        "(par (X) (set.inter (Set X) (Set X) (Set X) :left-assoc))",
        CVC5,
        Strict(intersection),
    )
    .commutative()
    .examples(&[(
        "(set.card (set.inter (set.singleton 1) (set.singleton 2)))",
        "0",
    )]),
    row(
        "(par (X) (set.minus (Set X) (Set X) (Set X) :left-assoc))",
        CVC5,
        Strict(difference),
    )
    .examples(&[(
        "(= (set.minus (set.insert 1 (set.singleton 2)) (set.singleton 2)) (set.singleton 1))",
        "true",
    )]),
    row(
        "(par (X) (set.member X (Set X) Bool))",
        CVC5,
        Strict(member),
    )
    .examples(&[("(set.member 1 (set.singleton 2))", "false")]),
    row(
        "(par (X) (set.subset (Set X) (Set X) Bool))",
        CVC5,
        Strict(subset),
    )
    .examples(&[
        (
            "(set.subset (as set.empty (Set Int)) (set.singleton 1))",
            "true",
        ),
        ("(set.subset (set.singleton 1) (set.singleton 2))", "false"),
    ]),
    row("(par (X) (set.card (Set X) Int))", CVC5, Strict(card)).examples(&[(
        "(set.card (set.union (set.singleton 1) (set.singleton 1)))",
        "1",
    )]),
    row(
        "(par (X) (set.is_empty (Set X) Bool))",
        CVC5,
        Strict(is_empty),
    )
    .examples(&[("(set.is_empty (set.singleton 1))", "false")]),
    row(
        "(par (X) (set.is_singleton (Set X) Bool))",
        CVC5,
        Strict(is_singleton),
    )
    .examples(&[("(set.is_singleton (set.singleton 1))", "true")]),
    row("(par (X) (set.choose (Set X) X))", CVC5, Strict(choose))
        .open(OpenCase::Element)
        .examples(&[("(set.choose (set.singleton 1))", "1")]),
    row(
        "(par (X) (set.complement (Set X) (Set X)))",
        CVC5,
        Unknown(UNIVERSE),
    ),
    row(
        "(par (X) (set.universe (Set X) :qualified))",
        CVC5,
        Unknown(UNIVERSE),
    ),
    // Functions over sets; folding is open unless the order of the elements does not matter.
    row("(par (X Y) (set.map (-> X Y) (Set X) (Set Y)))", CVC5, Applying(map)).examples(&[(
        "(= (set.map (lambda ((x Int)) (* 0 x)) (set.insert 1 (set.singleton 2))) (set.singleton 0))",
        "true",
    )]),
    row("(par (X) (set.filter (-> X Bool) (Set X) (Set X)))", CVC5, Applying(filter)).examples(&[(
        "(= (set.filter (lambda ((x Int)) (> x 1)) (set.insert 1 (set.singleton 2))) (set.singleton 2))",
        "true",
    )]),
    row("(par (X) (set.all (-> X Bool) (Set X) Bool))", CVC5, Applying(all)).examples(&[
        ("(set.all (lambda ((x Int)) (> x 1)) (set.insert 1 (set.singleton 2)))", "false"),
        ("(set.all (lambda ((x Int)) false) (as set.empty (Set Int)))", "true"),
    ]),
    row("(par (X) (set.some (-> X Bool) (Set X) Bool))", CVC5, Applying(some)).examples(&[
        ("(set.some (lambda ((x Int)) (> x 1)) (set.insert 1 (set.singleton 2)))", "true"),
        ("(set.some (lambda ((x Int)) true) (as set.empty (Set Int)))", "false"),
    ]),
    row("(par (X Y) (set.fold (-> X Y Y) Y (Set X) Y))", CVC5, Applying(fold)).examples(&[(
        "(set.fold (lambda ((x Int) (y Int)) (+ x y)) 0 (set.insert 1 2 (set.singleton 3)))",
        "6",
    )]),
    // CVC4's names.
    row(
        "(par (X) (emptyset (Set X) :qualified))",
        CVC4,
        Strict(empty),
    )
    .examples(&[("(card (as emptyset (Set Int)))", "0")]),
    row("(par (X) (singleton X (Set X)))", CVC4, Strict(singleton))
        .examples(&[("(member 1 (singleton 1))", "true")]),
    row(
        "(par (X) (insert X (Set X) (Set X) :right-assoc))",
        CVC4,
        Strict(insert),
    )
    .examples(&[("(card (insert 1 2 3 (singleton 4)))", "4")]),
    row(
        "(par (X) (union (Set X) (Set X) (Set X) :left-assoc))",
        CVC4,
        Strict(union),
    )
    .commutative()
    .examples(&[("(card (union (singleton 1) (singleton 2)))", "2")]),
    row(
        "(par (X) (intersection (Set X) (Set X) (Set X) :left-assoc))",
        CVC4,
        Strict(intersection),
    )
    .commutative()
    .examples(&[("(card (intersection (singleton 1) (singleton 2)))", "0")]),
    row(
        "(par (X) (setminus (Set X) (Set X) (Set X) :left-assoc))",
        CVC4,
        Strict(difference),
    )
    .examples(&[("(card (setminus (singleton 1) (singleton 2)))", "1")]),
    row("(par (X) (member X (Set X) Bool))", CVC4, Strict(member))
        .examples(&[("(member 1 (singleton 2))", "false")]),
    row(
        "(par (X) (subset (Set X) (Set X) Bool))",
        CVC4,
        Strict(subset),
    )
    .examples(&[("(subset (singleton 1) (singleton 1))", "true")]),
    row("(par (X) (card (Set X) Int))", CVC4, Strict(card))
        .examples(&[("(card (singleton 1))", "1")]),
    row(
        "(par (X) (is_singleton (Set X) Bool))",
        CVC4,
        Strict(is_singleton),
    )
    .examples(&[("(is_singleton (singleton 1))", "true")]),
    row("(par (X) (choose (Set X) X))", CVC4, Strict(choose))
        .examples(&[("(choose (singleton 1))", "1")]),
    row(
        "(par (X) (complement (Set X) (Set X)))",
        CVC4,
        Unknown(UNIVERSE),
    ),
    row(
        "(par (X) (univset (Set X) :qualified))",
        CVC4,
        Unknown(UNIVERSE),
    ),
];

type Elements = BTreeSet<Value>;

/// Elements must be comparable as data, for all operators.
fn set<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Elements, Open> {
    match &args.values[place] {
        Value::Set(items) if items.iter().all(Value::is_comparable) => Ok(items),
        Value::Set(_) => Err(Open::NoMeaning("sets of elements that cannot be compared")),
        _ => Err(Open::NoMeaning("a value that is not a set")),
    }
}

fn element<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Value, Open> {
    let element = &args.values[place];
    match element.is_comparable() {
        true => Ok(element),
        false => Err(Open::NoMeaning("sets of elements that cannot be compared")),
    }
}

fn value(items: Elements) -> Result<Value, Open> {
    match items.len() <= MAX_LENGTH {
        true => Ok(Value::Set(Arc::new(items))),
        false => Err(Open::TooLarge),
    }
}

fn empty(_: &Args<'_>) -> Result<Value, Open> {
    value(Elements::new())
}

fn singleton(args: &Args<'_>) -> Result<Value, Open> {
    value(Elements::from([element(args, 0)?.clone()]))
}

fn insert(args: &Args<'_>) -> Result<Value, Open> {
    let mut items = set(args, 1)?.clone();
    items.insert(element(args, 0)?.clone());
    value(items)
}

fn union(args: &Args<'_>) -> Result<Value, Open> {
    value(set(args, 0)? | set(args, 1)?)
}

fn intersection(args: &Args<'_>) -> Result<Value, Open> {
    value(set(args, 0)? & set(args, 1)?)
}

fn difference(args: &Args<'_>) -> Result<Value, Open> {
    value(set(args, 0)? - set(args, 1)?)
}

fn member(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(set(args, 1)?.contains(element(args, 0)?)))
}

fn subset(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(set(args, 0)?.is_subset(set(args, 1)?)))
}

fn card(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(Some(set(args, 0)?.len())))
}

fn is_empty(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(set(args, 0)?.is_empty()))
}

fn is_singleton(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(set(args, 0)?.len() == 1))
}

/// Any element, but always the same one for the same set; any value for an empty set.
fn choose(args: &Args<'_>) -> Result<Value, Open> {
    let items = set(args, 0)?;
    match (items.len(), items.first()) {
        (1, Some(only)) => Ok(only.clone()),
        _ => Err(Open::Unspecified),
    }
}

fn map(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let mut images = Elements::new();
    for item in set(args, 1)? {
        let image = apply(&args.values[0], std::slice::from_ref(item))?;
        if !image.is_comparable() {
            return Err(Open::NoMeaning("sets of elements that cannot be compared"));
        }
        images.insert(image);
    }
    value(images)
}

/// The elements that satisfy a predicate.
fn satisfying(args: &Args<'_>, apply: Apply<'_>) -> Result<Elements, Open> {
    let mut chosen = Elements::new();
    for item in set(args, 1)? {
        if apply(&args.values[0], std::slice::from_ref(item))? == Value::TRUE {
            chosen.insert(item.clone());
        }
    }
    Ok(chosen)
}

fn filter(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    value(satisfying(args, apply)?)
}

fn all(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(
        satisfying(args, apply)?.len() == set(args, 1)?.len(),
    ))
}

fn some(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(!satisfying(args, apply)?.is_empty()))
}

fn fold(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let items: Vec<Value> = set(args, 2)?.iter().cloned().collect();
    fold_in_any_order(&args.values[0], &args.values[1], items, apply)
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::{undetermined, value};

    #[test]
    fn choosing_among_several_or_none_is_open() {
        let several = "(set.choose (set.insert 1 (set.singleton 2)))";
        assert_eq!(undetermined(several), Reason::Unspecified);
        assert_eq!(
            undetermined("(set.choose (as set.empty (Set Int)))"),
            Reason::Unspecified
        );
    }

    #[test]
    fn the_same_choice_of_the_same_set_is_the_same() {
        assert_eq!(
            value(
                "(= (set.choose (set.insert 1 (set.singleton 2))) (set.choose (set.insert 1 (set.singleton 2))))"
            ),
            "true"
        );
    }

    #[test]
    fn the_universe_is_open() {
        let universe = undetermined("(set.complement (set.singleton true))");
        assert!(matches!(universe, Reason::NoMeaning(_)));
    }
}
