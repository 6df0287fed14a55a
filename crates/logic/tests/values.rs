//! Laws of values: the term of a value denotes it, printed and read again, and a model made of values is judged right.

use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::value::{
    ArrayValue, BitVec, Escapes, Float, Format, Int, Rat, RoundingMode, Str,
};
use auspex_logic::{Model, Sort, SortKind, Terms, Value, read_script};
use proptest::prelude::*;
use std::sync::Arc;

/// A stream of choices from one number.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Declares datatypes and gives a sort of every kind, some nested.
fn sorts(terms: &mut Terms) -> Vec<Sort> {
    let text = "(declare-datatypes ((E 0) (L 1)) (((a) (b)) (par (T) ((nil) (cons (head T) (tail (L T)))))))\
        (declare-const e E)(declare-const l (L Int))(declare-const t (Tuple Int Bool))\
        (declare-const f (_ FiniteField 13))(declare-const g (Bag (Seq E)))\
        (declare-const m (Array E (Set (_ BitVec 3))))(declare-const q (Seq (Tuple Real String)))";
    let reading = read_script(terms, text).expect("well-formed");
    assert_eq!(reading.issues, []);
    let funs: Vec<_> = reading.script.declared().collect();
    let mut all: Vec<Sort> = funs.into_iter().map(|fun| terms.fun(fun).result).collect();
    all.extend([
        Sort::BOOL,
        Sort::INT,
        Sort::REAL,
        Sort::STRING,
        Sort::ROUNDING_MODE,
    ]);
    all.extend([1, 5, 64, 65, 130].map(|width| terms.sorts.bit_vec(width)));
    all.extend([(2, 2), (3, 5), (11, 53), (15, 113)].map(|(eb, sb)| terms.sorts.float(eb, sb)));
    let bits = terms.sorts.bit_vec(2);
    all.push(terms.sorts.array(bits, Sort::INT));
    all.push(terms.sorts.array(Sort::INT, Sort::BOOL));
    all
}

fn random(terms: &Terms, chance: &mut Chance, sort: Sort, depth: u32) -> Value {
    let several = |chance: &mut Chance, element: Sort| -> Vec<Value> {
        let count = if depth > 2 { 0 } else { chance.below(4) };
        (0..count)
            .map(|_| random(terms, chance, element, depth + 1))
            .collect()
    };
    let word = |chance: &mut Chance| (chance.below(1 << 31) << 31) ^ chance.below(1 << 31);
    match terms.sorts.kind(sort).clone() {
        SortKind::Bool => Value::Bool(chance.below(2) == 1),
        SortKind::Int => {
            let large = Int::from(word(chance)).mul(&Int::from(word(chance)));
            Value::Int(
                [Int::from(chance.below(9) as i64 - 4), large][chance.below(2) as usize].clone(),
            )
        }
        SortKind::Real => {
            let (n, d) = (chance.below(99) as i64 - 49, chance.below(12) as i64 + 1);
            Value::Real(Rat::new(&Int::from(n), &Int::from(d)).expect("not zero"))
        }
        SortKind::String => {
            let parts = [
                "a",
                "\"",
                "\\u{0}",
                "\\u{5c}",
                "u{41}",
                "\\u{2FFFF}",
                "\\u{d800}",
                " ",
            ];
            let text: String = (0..chance.below(5))
                .map(|_| parts[chance.below(8) as usize])
                .collect();
            Value::Str(Str::read(&text, Escapes::Standard).expect("within bounds"))
        }
        SortKind::RoundingMode => Value::Rounding(RoundingMode::ALL[chance.below(5) as usize]),
        SortKind::BitVec(width) => {
            let bits = Int::from(word(chance))
                .mul(&Int::from(word(chance)))
                .mul(&Int::from(word(chance)));
            Value::BitVec(BitVec::from_int(width, &bits))
        }
        SortKind::Float { eb, sb } => {
            let bits = Int::from(word(chance))
                .mul(&Int::from(word(chance)))
                .mul(&Int::from(word(chance)));
            let format = Format::new(eb, sb).expect("a format");
            Value::Float(Float::from_ieee_bits(
                format,
                &BitVec::from_int(eb + sb, &bits),
            ))
        }
        SortKind::FiniteField(_) => Value::Int(Int::from(chance.below(13))),
        SortKind::Array(index, element) => {
            let default = random(terms, chance, element, depth + 1);
            let mut array = ArrayValue::constant(&terms.sorts, index, default);
            for place in several(chance, index) {
                array.put(place, random(terms, chance, element, depth + 1));
            }
            array.normalize(&terms.sorts, index);
            Value::Array(Arc::new(array))
        }
        SortKind::Seq(element) => Value::Seq(several(chance, element).into()),
        SortKind::Set(element) => {
            Value::Set(Arc::new(several(chance, element).into_iter().collect()))
        }
        SortKind::Bag(element) => {
            let items = several(chance, element).into_iter();
            let items = items.map(|item| (item, Int::from(chance.below(3) + 1)));
            Value::Bag(Arc::new(items.collect()))
        }
        SortKind::Tuple(parts) => Value::Tuple(
            parts
                .iter()
                .map(|p| random(terms, chance, *p, depth + 1))
                .collect(),
        ),
        SortKind::Data(id, arguments) => {
            let datatype = terms.sorts.datatype(id);
            let last = datatype.constructors.len() as u64;
            let number = if depth > 2 { 0 } else { chance.below(last) } as usize;
            // The only parameter stands for the only argument; the other field is the list again.
            let fields =
                datatype.constructors[number]
                    .selectors
                    .iter()
                    .map(|(_, field)| match terms.sorts.kind(*field) {
                        SortKind::Parameter(_) => arguments[0],
                        _ => sort,
                    });
            let fields = fields
                .map(|field| random(terms, chance, field, depth + 1))
                .collect();
            Value::data(sort, number as u32, fields)
        }
        other => panic!("no values of {other:?} here"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_term_of_a_value_denotes_it(seed in any::<u64>()) {
        let mut terms = Terms::new();
        for sort in sorts(&mut terms) {
            let value = random(&terms, &mut Chance(seed), sort, 0);
            let term = terms.value_term(&value, sort).expect("every such value has a term");
            prop_assert_eq!(terms.sort(term), sort);
            let model = Model::default();
            prop_assert_eq!(Evaluator::new(&terms, &model).value(term), Ok(value));
        }
    }

    #[test]
    fn printed_and_read_again_it_is_the_same_value(seed in any::<u64>()) {
        let mut terms = Terms::new();
        for sort in sorts(&mut terms) {
            // The datatypes are declared in a script that is not repeated here.
            let mut text = String::new();
            terms.sorts.write(&mut text, &terms.symbols, sort);
            if text.contains('E') || text.contains('L') {
                continue;
            }
            let value = random(&terms, &mut Chance(seed), sort, 0);
            let term = terms.value_term(&value, sort).expect("every such value has a term");
            let printed = render::term(&terms, term, Sharing::Expanded);
            let script = format!("(declare-const c {text})(assert (= c {printed}))");
            let reading = read_script(&mut terms, &script).expect("well-formed");
            prop_assert_eq!(&reading.issues, &vec![], "in {}", script);
            let again = terms.args(reading.script.roots()[0])[1];
            let model = Model::default();
            prop_assert_eq!(Evaluator::new(&terms, &model).value(again), Ok(value));
        }
    }

    #[test]
    fn a_witness_is_a_valid_model_and_another_value_is_not(seed in any::<u64>()) {
        let mut terms = Terms::new();
        for sort in sorts(&mut terms) {
            let mut chance = Chance(seed);
            let value = random(&terms, &mut chance, sort, 0);
            let other = random(&terms, &mut chance, sort, 0);
            let constant = terms.declare_fun("witness", &[], sort);
            let left = terms.fun_app(constant, &[]).expect("a constant");
            let right = terms.value_term(&value, sort).expect("every such value has a term");
            let equal = terms.app("=", &[left, right]).expect("one sort");
            let mut script = auspex_logic::Script::default();
            script.push(auspex_logic::Command::Assert(auspex_logic::Assertion { term: equal, name: None }));
            script.push(auspex_logic::Command::CheckSat);
            let query = script.queries().remove(0);
            let mut model = Model::with_definitions(&script);
            model.set_value(constant, value.clone());
            prop_assert_eq!(validate(&terms, &model, &query), ModelVerdict::Valid);
            if other != value {
                model.set_value(constant, other);
                let invalid = ModelVerdict::Invalid { assertion: equal };
                prop_assert_eq!(validate(&terms, &model, &query), invalid);
            }
        }
    }
}
