//! Every row of an inverse on all arguments of small domains: the set has exactly the values that lead to an allowed
//! result, and the sets of floating-point arithmetic at least no others.

use super::super::allowed::Allowed;
use super::*;
use auspex_logic::eval::Evaluator;
use auspex_logic::value::{BitVec, Float, Format, Int, Rat, RoundingMode, Str};
use auspex_logic::{Model, Sort};

/// A domain by its name: all its values and their sort.
fn domain(terms: &mut Terms, name: &str) -> (Vec<Value>, Sort) {
    let ints = |range: std::ops::RangeInclusive<i64>| {
        range.map(|n| Value::Int(Int::from(n))).collect::<Vec<_>>()
    };
    let words = |letters: &str, longest: usize| {
        let mut all = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            let longer = last.iter().flat_map(|word: &Vec<u32>| {
                letters
                    .chars()
                    .map(|c| [word.as_slice(), &[u32::from(c)]].concat())
            });
            last = longer.collect();
            all.extend(last.iter().cloned());
        }
        let word = |word: Vec<u32>| Str::new(&word).map(Value::Str);
        all.into_iter().filter_map(word).collect::<Vec<_>>()
    };
    match name {
        "int" => (ints(-9..=9), Sort::INT),
        "place" => (ints(-2..=4), Sort::INT),
        "real" => {
            let halves = (-9..=9).filter_map(|n: i64| Rat::new(&Int::from(n), &Int::from(2)));
            (halves.map(Value::Real).collect(), Sort::REAL)
        }
        "word" => (words("ab", 3), Sort::STRING),
        "short" => (words("ab", 2), Sort::STRING),
        "digits" => (words("019-", 3), Sort::STRING),
        "bits" => {
            let all = (0..16).map(|n| Value::BitVec(BitVec::from_u64(4, n)));
            (all.collect(), terms.sorts.bit_vec(4))
        }
        "mode" => {
            let all = [RoundingMode::Rne, RoundingMode::Rtp, RoundingMode::Rtn];
            (
                all.into_iter().map(Value::Rounding).collect(),
                Sort::ROUNDING_MODE,
            )
        }
        "float" => {
            let format = Format::new(2, 3).expect("a format");
            let all = (0..32).map(|n| Float::from_ieee_bits(format, &BitVec::from_u64(5, n)));
            let mut all: Vec<Value> = all.map(Value::Float).collect();
            all.dedup();
            (all, terms.sorts.float(2, 3))
        }
        other => panic!("{other} is no domain"),
    }
}

/// Sets that have the present result, drawn from all results.
fn sets(result: &Value, all: &[Value]) -> Vec<Allowed> {
    let exactly = Allowed::Exactly(result.clone());
    let mut sets = vec![exactly.clone()];
    for other in all.iter().filter(|other| *other != result).take(6) {
        sets.push(Allowed::AnythingBut(other.clone()));
        sets.push(Allowed::Except(Box::new(Allowed::Exactly(other.clone()))));
        let either = vec![exactly.clone(), Allowed::Exactly(other.clone())];
        sets.push(Allowed::Either(either));
    }
    match result {
        Value::Int(n) => {
            let (below, above) = (n.sub(&Int::from(1)), n.add(&Int::from(2)));
            sets.extend([
                Allowed::Ints(Some(below.clone()), None),
                Allowed::Ints(None, Some(above.clone())),
                Allowed::Ints(Some(below), Some(above)),
            ]);
        }
        Value::Float(float) => {
            for other in all {
                let Value::Float(other) = other else { continue };
                for open in [true, false] {
                    sets.push(Allowed::Floats(Some((other.clone(), open)), None, false));
                    sets.push(Allowed::Floats(None, Some((other.clone(), open)), true));
                }
                let ends = [other, float].map(|end| Some((end.clone(), false)));
                sets.push(Allowed::Floats(ends[0].clone(), ends[1].clone(), false));
            }
        }
        Value::BitVec(bits) => {
            for mask in 1..15 {
                let mask = BitVec::from_int(bits.width(), &Int::from(mask));
                sets.push(Allowed::Bits(mask.clone(), bits.and(&mask)));
            }
        }
        _ => {}
    }
    sets.retain(|set| set.contains(result) == Some(true));
    sets
}

/// Tries an operator on all arguments; how many sets were given.
fn check(name: &str, indices: &[u64], domains: &[&str], is_exact: bool) -> u64 {
    let mut terms = Terms::new();
    let domains: Vec<(Vec<Value>, Sort)> = domains
        .iter()
        .map(|name| domain(&mut terms, name))
        .collect();
    let mark = terms.mark();
    let model = Model::default();
    let mut apply = |values: &[Value]| {
        let args = values.iter().zip(&domains);
        let args: Vec<TermId> = args
            .map(|(value, (_, sort))| terms.value_term(value, *sort).expect("a literal"))
            .collect();
        let term = terms.indexed_app(name, indices, &args).expect("sorts fit");
        let value = Evaluator::new(&terms, &model).value(term);
        terms.release(mark);
        value.expect("a value")
    };
    let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
    for (values, _) in &domains {
        let longer = tuples.iter().flat_map(|tuple| {
            values
                .iter()
                .map(|value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
        });
        tuples = longer.collect();
    }
    // Division by zero and the like are open: the rows leave them alone.
    let open = |tuple: &Vec<Value>| {
        let zero = Value::Int(Int::from(0));
        matches!(name, "div" | "mod") && tuple[1] == zero
    };
    tuples.retain(|tuple| !open(tuple));
    let results: std::collections::HashMap<Vec<Value>, Value> = tuples
        .iter()
        .map(|tuple| (tuple.clone(), apply(tuple)))
        .collect();
    let all: std::collections::BTreeSet<Value> = results.values().cloned().collect();
    let all: Vec<Value> = all.into_iter().collect();
    let mut given = 0;
    for tuple in &tuples {
        let now = &results[tuple];
        for allowed in sets(now, &all) {
            for at in 0..tuple.len() {
                let context = Context {
                    allowed: &allowed,
                    values: tuple,
                    indices,
                };
                let set = match inverse(name) {
                    Some(inverse) => inverted(inverse, &context, at),
                    None => rule(name).expect("a row")(&context, at),
                };
                let Some(set) = set else { continue };
                given += 1;
                for value in &domains[at].0 {
                    let mut changed = tuple.clone();
                    changed[at] = value.clone();
                    let Some(result) = results.get(&changed) else {
                        continue;
                    };
                    let (inside, wanted) = (set.contains(value), allowed.contains(result));
                    let sound = inside != Some(true) || wanted == Some(true);
                    assert!(
                        sound && (!is_exact || inside == wanted),
                        "{name} {tuple:?} at {at}: {value:?} leads to {result:?}, {allowed:?} gives {set:?}"
                    );
                }
            }
        }
    }
    given
}

#[test]
fn inverses_have_exactly_the_values_that_lead_to_a_set() {
    let rows: &[(&str, &[u64], &[&str])] = &[
        ("div", &[], &["int", "int"]),
        ("mod", &[], &["int", "int"]),
        ("divisible", &[3], &["int"]),
        ("abs", &[], &["int"]),
        ("to_int", &[], &["real"]),
        ("sign_extend", &[2], &["bits"]),
        ("bvmul", &[], &["bits", "bits"]),
        ("rotate_left", &[3], &["bits"]),
        ("rotate_right", &[5], &["bits"]),
        ("bvshl", &[], &["bits", "bits"]),
        ("bvlshr", &[], &["bits", "bits"]),
        ("bvashr", &[], &["bits", "bits"]),
        ("str.len", &[], &["word"]),
        ("str.substr", &[], &["word", "place", "place"]),
        ("str.at", &[], &["word", "place"]),
        ("str.replace", &[], &["short", "short", "short"]),
        ("str.to_int", &[], &["digits"]),
        ("str.from_int", &[], &["int"]),
        ("str.indexof", &[], &["word", "short", "place"]),
    ];
    for (name, indices, domains) in rows {
        let given = check(name, indices, domains, true);
        assert!(given > 10, "{name}: only {given} sets");
    }
    let checked = |name: &str| name == "seq.len" || rows.iter().any(|row| row.0 == name);
    assert!(INVERSES.iter().all(|(name, _)| checked(name)));
}

#[test]
fn intervals_through_floating_point_arithmetic_are_sound() {
    let binary = ["fp.add", "fp.sub", "fp.mul", "fp.div"];
    for name in binary {
        let given = check(name, &[], &["mode", "float", "float"], false);
        assert!(given > 1000, "{name}: only {given} sets");
    }
    for name in ["fp.sqrt", "fp.roundToIntegral"] {
        let given = check(name, &[], &["mode", "float"], false);
        assert!(given > 500, "{name}: only {given} sets");
    }
}
