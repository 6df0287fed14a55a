//! Sequences over any sort, as z3 and cvc5 have them.
//!
//! The two agree except for what one of them lacks. `seq.nth` outside of the sequence is left open
//! by both: an uninterpreted function of the sequence and the position.

use super::Meaning::{Applying, Strict};
use super::strings::{index, int, position};
use super::{Apply, Args, Open, OpenCase, Row, SolverSet, row};
use crate::value::{Int, Value, words};

const Z3: SolverSet = SolverSet::Z3;
const CVC5: SolverSet = SolverSet::CVC5;
const BOTH: SolverSet = SolverSet::Z3.union(SolverSet::CVC5);

/// Examples are those of cvc5's theory reference of sequences, with numbers put in.
pub const ROWS: &[Row] = &[
    row(
        "(par (A) (seq.empty (Seq A) :qualified))",
        BOTH,
        Strict(empty),
    )
    .examples(&[("(seq.len (as seq.empty (Seq Int)))", "0")]),
    row("(par (A) (seq.unit A (Seq A)))", BOTH, Strict(unit)).examples(&[
        ("(seq.len (seq.unit 5))", "1"),
        ("(seq.nth (seq.unit 5) 0)", "5"),
    ]),
    row(
        "(par (A) (seq.++ (Seq A) (Seq A) (Seq A) :left-assoc))",
        BOTH,
        Strict(concat),
    )
    .examples(&[(
        "(seq.nth (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 3)) 2)",
        "3",
    )]),
    row("(par (A) (seq.len (Seq A) Int))", BOTH, Strict(len))
        .examples(&[("(seq.len (seq.++ (seq.unit 1) (seq.unit 1)))", "2")]),
    row("(par (A) (seq.nth (Seq A) Int A))", BOTH, Strict(nth))
        .open(OpenCase::Any)
        .examples(&[("(seq.nth (seq.++ (seq.unit 1) (seq.unit 2)) 1)", "2")]),
    row("(par (A) (seq.at (Seq A) Int (Seq A)))", BOTH, Strict(at)).examples(&[
        (
            "(= (seq.at (seq.++ (seq.unit 1) (seq.unit 2)) 1) (seq.unit 2))",
            "true",
        ),
        ("(seq.len (seq.at (seq.unit 1) 1))", "0"),
        ("(seq.len (seq.at (seq.unit 1) (- 1)))", "0"),
    ]),
    row(
        "(par (A) (seq.extract (Seq A) Int Int (Seq A)))",
        BOTH,
        Strict(extract),
    )
    .examples(&[
        (
            "(= (seq.extract (seq.++ (seq.unit 1) (seq.unit 2)) 1 9) (seq.unit 2))",
            "true",
        ),
        ("(seq.len (seq.extract (seq.unit 1) 0 (- 1)))", "0"),
    ]),
    row(
        "(par (A) (seq.update (Seq A) Int (Seq A) (Seq A)))",
        CVC5,
        Strict(update),
    )
    .examples(&[
        (
            "(= (seq.update (seq.unit 1) 0 (seq.++ (seq.unit 2) (seq.unit 3))) (seq.unit 2))",
            "true",
        ),
        (
            "(= (seq.update (seq.unit 1) 1 (seq.unit 2)) (seq.unit 1))",
            "true",
        ),
    ]),
    row(
        "(par (A) (seq.contains (Seq A) (Seq A) Bool))",
        BOTH,
        Strict(contains),
    )
    .examples(&[
        (
            "(seq.contains (seq.++ (seq.unit 1) (seq.unit 2)) (seq.unit 2))",
            "true",
        ),
        ("(seq.contains (seq.unit 1) (seq.unit 2))", "false"),
    ]),
    row(
        "(par (A) (seq.indexof (Seq A) (Seq A) Int Int))",
        BOTH,
        Strict(index_of),
    )
    .examples(&[
        (
            "(seq.indexof (seq.++ (seq.unit 1) (seq.unit 2)) (seq.unit 2) 0)",
            "1",
        ),
        ("(seq.indexof (seq.unit 1) (seq.unit 1) 1)", "(- 1)"),
    ]),
    row(
        "(par (A) (seq.last_indexof (Seq A) (Seq A) Int))",
        Z3,
        Strict(last_index_of),
    )
    .examples(&[(
        "(seq.last_indexof (seq.++ (seq.unit 1) (seq.unit 1)) (seq.unit 1))",
        "1",
    )]),
    row(
        "(par (A) (seq.replace (Seq A) (Seq A) (Seq A) (Seq A)))",
        BOTH,
        Strict(replace),
    )
    .examples(&[
        (
            "(= (seq.replace (seq.unit 1) (seq.unit 1) (seq.unit 2)) (seq.unit 2))",
            "true",
        ),
        (
            "(= (seq.replace (seq.unit 1) (seq.unit 3) (seq.unit 2)) (seq.unit 1))",
            "true",
        ),
    ]),
    row(
        "(par (A) (seq.replace_all (Seq A) (Seq A) (Seq A) (Seq A)))",
        CVC5,
        Strict(replace_all),
    )
    .examples(&[(
        "(= (seq.replace_all (seq.++ (seq.unit 1) (seq.unit 1)) (seq.unit 1) (seq.unit 2)) \
         (seq.++ (seq.unit 2) (seq.unit 2)))",
        "true",
    )]),
    row(
        "(par (A) (str.replace_all (Seq A) (Seq A) (Seq A) (Seq A)))",
        Z3,
        Strict(replace_all),
    )
    .examples(&[(
        "(= (str.replace_all (seq.unit 1) (seq.unit 1) (seq.unit 2)) (seq.unit 2))",
        "true",
    )]),
    row("(par (A) (seq.rev (Seq A) (Seq A)))", CVC5, Strict(reverse)).examples(&[(
        "(seq.nth (seq.rev (seq.++ (seq.unit 1) (seq.unit 2))) 0)",
        "2",
    )]),
    row(
        "(par (A) (seq.prefixof (Seq A) (Seq A) Bool))",
        BOTH,
        Strict(prefix_of),
    )
    .examples(&[(
        "(seq.prefixof (seq.unit 1) (seq.++ (seq.unit 1) (seq.unit 2)))",
        "true",
    )]),
    row(
        "(par (A) (seq.suffixof (Seq A) (Seq A) Bool))",
        BOTH,
        Strict(suffix_of),
    )
    .examples(&[(
        "(seq.suffixof (seq.unit 1) (seq.++ (seq.unit 1) (seq.unit 2)))",
        "false",
    )]),
    // z3's functions over sequences; it writes the function as an array or a lambda.
    row("(par (A B) (seq.map (-> A B) (Seq A) (Seq B)))", Z3, Applying(map)).examples(&[(
        "(= (seq.map (lambda ((x Int)) (+ x 1)) (seq.++ (seq.unit 1) (seq.unit 2))) \
         (seq.++ (seq.unit 2) (seq.unit 3)))",
        "true",
    )]),
    row("(par (A B) (seq.map (Array A B) (Seq A) (Seq B)))", Z3, Applying(map)).examples(&[(
        "(= (seq.map ((as const (Array Int Bool)) true) (seq.unit 1)) (seq.unit true))",
        "true",
    )]),
    row("(par (A B) (seq.mapi (-> Int A B) Int (Seq A) (Seq B)))", Z3, Applying(map_with_index)).examples(&[(
        "(= (seq.mapi (lambda ((i Int) (x Int)) (+ (* 10 i) x)) 5 (seq.++ (seq.unit 1) (seq.unit 2))) \
         (seq.++ (seq.unit 51) (seq.unit 62)))",
        "true",
    )]),
    row("(par (A B) (seq.foldl (-> B A B) B (Seq A) B))", Z3, Applying(fold)).examples(&[(
        "(seq.foldl (lambda ((sum Int) (x Int)) (+ (* 10 sum) x)) 7 (seq.++ (seq.unit 1) (seq.unit 2)))",
        "712",
    )]),
    row("(par (A B) (seq.fold_left (-> B A B) B (Seq A) B))", Z3, Applying(fold)).examples(&[(
        "(seq.fold_left (lambda ((sum Int) (x Int)) (- sum x)) 7 (seq.++ (seq.unit 1) (seq.unit 2)))",
        "4",
    )]),
    row("(par (A B) (seq.foldli (-> Int B A B) Int B (Seq A) B))", Z3, Applying(fold_with_index)).examples(&[(
        "(seq.foldli (lambda ((i Int) (sum Int) (x Int)) (+ (* 10 sum) x (* 100 i))) 3 7 \
         (seq.++ (seq.unit 1) (seq.unit 2)))",
        "4112",
    )]),
    row("(par (A B) (seq.fold_lefti (-> Int B A B) Int B (Seq A) B))", Z3, Applying(fold_with_index)).examples(&[(
        "(seq.fold_lefti (lambda ((i Int) (sum Int) (x Int)) (+ i sum x)) 1 0 (seq.unit 5))",
        "6",
    )]),
];

fn sequence<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a [Value], Open> {
    match &args.values[place] {
        Value::Seq(items) => Ok(items),
        _ => Err(Open::NoMeaning("a value that is not a sequence")),
    }
}

/// For operators that compare elements.
fn comparable<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a [Value], Open> {
    let items = sequence(args, place)?;
    match items.iter().all(Value::is_comparable) {
        true => Ok(items),
        false => Err(Open::NoMeaning(
            "sequences of elements that cannot be compared",
        )),
    }
}

fn value(items: impl Into<std::sync::Arc<[Value]>>) -> Result<Value, Open> {
    Ok(Value::Seq(items.into()))
}

fn empty(_: &Args<'_>) -> Result<Value, Open> {
    value([])
}

fn unit(args: &Args<'_>) -> Result<Value, Open> {
    value([args.values[0].clone()])
}

fn concat(args: &Args<'_>) -> Result<Value, Open> {
    value(words::join(&[sequence(args, 0)?, sequence(args, 1)?])?)
}

fn len(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(Some(sequence(args, 0)?.len())))
}

fn nth(args: &Args<'_>) -> Result<Value, Open> {
    let at = usize::try_from(position(args, 1)?).ok();
    let item = at.and_then(|at| sequence(args, 0).ok()?.get(at));
    item.cloned().ok_or(Open::Unspecified)
}

fn at(args: &Args<'_>) -> Result<Value, Open> {
    value(words::extract(sequence(args, 0)?, position(args, 1)?, 1))
}

fn extract(args: &Args<'_>) -> Result<Value, Open> {
    value(words::extract(
        sequence(args, 0)?,
        position(args, 1)?,
        position(args, 2)?,
    ))
}

fn update(args: &Args<'_>) -> Result<Value, Open> {
    value(words::update(
        sequence(args, 0)?,
        position(args, 1)?,
        sequence(args, 2)?,
    ))
}

fn contains(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(words::contains(
        comparable(args, 0)?,
        comparable(args, 1)?,
    )))
}

fn index_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(words::index_of(
        comparable(args, 0)?,
        comparable(args, 1)?,
        position(args, 2)?,
    )))
}

fn last_index_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(words::last_index_of(
        comparable(args, 0)?,
        comparable(args, 1)?,
    )))
}

fn replace(args: &Args<'_>) -> Result<Value, Open> {
    value(words::replace(
        comparable(args, 0)?,
        comparable(args, 1)?,
        sequence(args, 2)?,
    )?)
}

fn replace_all(args: &Args<'_>) -> Result<Value, Open> {
    value(words::replace_all(
        comparable(args, 0)?,
        comparable(args, 1)?,
        sequence(args, 2)?,
    )?)
}

fn reverse(args: &Args<'_>) -> Result<Value, Open> {
    let items: Vec<Value> = sequence(args, 0)?.iter().rev().cloned().collect();
    value(items)
}

fn prefix_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(
        comparable(args, 1)?.starts_with(comparable(args, 0)?),
    ))
}

fn suffix_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(
        comparable(args, 1)?.ends_with(comparable(args, 0)?),
    ))
}

fn map(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let items = sequence(args, 1)?.iter();
    let images: Result<Vec<Value>, Open> = items
        .map(|item| apply(&args.values[0], std::slice::from_ref(item)))
        .collect();
    value(images?)
}

/// The elements with their indices, counted from an integer.
fn indexed<'a>(from: &'a Int, items: &'a [Value]) -> impl Iterator<Item = (Value, &'a Value)> {
    let index = |at: usize| Value::Int(from.add(&Int::from(at as u64)));
    items
        .iter()
        .enumerate()
        .map(move |(at, item)| (index(at), item))
}

fn map_with_index(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let items = indexed(int(args, 1)?, sequence(args, 2)?);
    let images: Result<Vec<Value>, Open> = items
        .map(|(at, item)| apply(&args.values[0], &[at, item.clone()]))
        .collect();
    value(images?)
}

fn fold(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let first = args.values[1].clone();
    let mut items = sequence(args, 2)?.iter();
    items.try_fold(first, |sum, item| {
        apply(&args.values[0], &[sum, item.clone()])
    })
}

fn fold_with_index(args: &Args<'_>, apply: Apply<'_>) -> Result<Value, Open> {
    let first = args.values[2].clone();
    let mut items = indexed(int(args, 1)?, sequence(args, 3)?);
    items.try_fold(first, |sum, (at, item)| {
        apply(&args.values[0], &[at, sum, item.clone()])
    })
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::{undetermined, value};

    #[test]
    fn nth_outside_is_open() {
        assert_eq!(
            undetermined("(seq.nth (seq.unit 1) 1)"),
            Reason::Unspecified
        );
        assert_eq!(
            undetermined("(seq.nth (seq.unit 1) (- 1))"),
            Reason::Unspecified
        );
        assert_eq!(
            undetermined("(seq.nth (seq.unit 1) 99999999999999999999)"),
            Reason::Unspecified
        );
    }

    #[test]
    fn elements_that_cannot_be_compared_are_still_counted() {
        let unit = "(seq.unit (re.* (str.to_re \"a\")))";
        assert_eq!(value(&format!("(seq.len (seq.++ {unit} {unit}))")), "2");
        assert!(matches!(
            undetermined(&format!("(seq.contains {unit} {unit})")),
            Reason::NoMeaning(_)
        ));
    }
}
