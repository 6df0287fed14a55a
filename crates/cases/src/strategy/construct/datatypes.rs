//! Makes cases about datatypes of common shapes over sorts of the kit: constructors, selectors and testers applied to
//! values.
//!
//! ```text
//! (declare-datatypes ((D 0)) (((c0) (c1 (s10 Int) (s11 D)))))
//! (= (s10 (c1 7 x0)) 7)                                       sat, with x0 = c0
//! ((_ is c0) (c1 7 c0))                                       unsat: evaluates to false
//! ```

use super::draft::{Claim, Draft};
use super::grow::{Grown, Leaves, Maker};
use super::kit::SortNo;
use super::sat;
use auspex_logic::sort::{Constructor, DataId, Datatype};
use auspex_logic::{Sort, SortKind, TermId, Value};

/// The sort of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// The datatype itself.
    Own,
    /// The first or the second of the sorts drawn for the datatype.
    First,
    Second,
}

use Field::{First, Own, Second};

/// The constructors with their fields; the first one never contains the datatype itself.
type Shape = &'static [&'static [Field]];
const SHAPES: [Shape; 6] = [
    // An enumeration, a record, a choice, a list, a tree, and two kinds of links.
    &[&[], &[], &[]],
    &[&[First, Second]],
    &[&[First], &[Second]],
    &[&[], &[First, Own]],
    &[&[First], &[Own, Own]],
    &[&[], &[Own], &[First, Own]],
];

const CONSTRUCTORS: [&str; 3] = ["c0", "c1", "c2"];
const SELECTORS: [[&str; 2]; 3] = [["s00", "s01"], ["s10", "s11"], ["s20", "s21"]];

/// A datatype of one case.
struct Data {
    shape: Shape,
    sorts: [SortNo; 2],
    id: DataId,
    sort: Sort,
}

/// The sort of an operation's result.
enum Of {
    Bool,
    Own,
    Kit(SortNo),
}

/// An operation on a datatype equals its result, or a ground one something else.
pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    // Trees grow with the power of their depth.
    const DEEPEST: u64 = 5;
    let depth = depth.min(DEEPEST);
    let data = Data::declare(maker)?;
    let satisfiable = maker.draw.coin();
    maker.leaves = match satisfiable {
        true if maker.draw.coin() => Leaves::Mixed,
        true => Leaves::Free,
        false => Leaves::Ground,
    };
    let (of, left) = data.operation(maker, depth)?;
    let (claim, term) = match satisfiable {
        true => (Claim::Witness, data.right(maker, of, left, depth)?),
        false => {
            let because = "the ground assertion evaluates to false".into();
            let wrong = data.wrong(maker, of, left, depth)?;
            (Claim::Contradiction(because), wrong)
        }
    };
    let mut draft = Draft::new(claim, "operation on a datatype");
    draft.datatypes.push(data.id);
    draft.member(term);
    Some(draft)
}

impl Data {
    fn declare(maker: &mut Maker<'_>) -> Option<Data> {
        let shape = *maker.draw.pick(&SHAPES)?;
        let sorts = [maker.any_sort()?, maker.any_sort()?];
        let name = maker.terms.symbols.intern("D");
        let id = maker.terms.sorts.add_datatype(Datatype {
            name,
            parameters: Vec::new(),
            constructors: Vec::new(),
            codatatype: false,
        });
        let sort = maker.terms.sorts.intern(SortKind::Data(id, Box::default()));
        let mut constructors = Vec::with_capacity(shape.len());
        for (number, fields) in shape.iter().enumerate() {
            let mut selectors = Vec::with_capacity(fields.len());
            for (place, field) in fields.iter().enumerate() {
                let of = match field {
                    Own => sort,
                    First => maker.sort(sorts[0]),
                    Second => maker.sort(sorts[1]),
                };
                let name = maker.terms.symbols.intern(SELECTORS[number][place]);
                selectors.push((name, of));
            }
            let name = maker.terms.symbols.intern(CONSTRUCTORS[number]);
            constructors.push(Constructor { name, selectors });
        }
        maker.terms.sorts.set_constructors(id, constructors);
        Some(Data {
            shape,
            sorts,
            id,
            sort,
        })
    }

    /// A value of the datatype: a constructor's application, or a variable.
    fn value(&self, maker: &mut Maker<'_>, depth: u64) -> Option<Grown> {
        let number = match depth {
            0 => 0,
            _ => maker.draw.index(self.shape.len()),
        };
        let known = maker.variables.len();
        let built = self.built(maker, number, depth)?;
        if maker.is_free() {
            // The variables of the fields are no longer needed.
            maker.forget(known);
            let term = maker.fresh_in(SortNo::OTHER, self.sort, built.value.clone());
            return Some(Grown { term, ..built });
        }
        Some(built)
    }

    fn built(&self, maker: &mut Maker<'_>, number: usize, depth: u64) -> Option<Grown> {
        let mut args: Vec<TermId> = Vec::with_capacity(2);
        let mut fields: Vec<Value> = Vec::with_capacity(2);
        for field in self.shape[number] {
            let grown = match field {
                Own => self.value(maker, depth.saturating_sub(1)),
                First => maker.grow(self.sorts[0], depth.min(1)),
                Second => maker.grow(self.sorts[1], depth.min(1)),
            }?;
            args.push(grown.term);
            fields.push(grown.value);
        }
        let constructor = maker.terms.constructor(self.sort, number as u32)?;
        let term = maker.terms.fun_app(constructor, &args).ok()?;
        let value = Value::data(self.sort, number as u32, fields.into());
        Some(Grown { term, value })
    }

    fn operation(&self, maker: &mut Maker<'_>, depth: u64) -> Option<(Of, Grown)> {
        let argument = self.value(maker, depth + 1)?;
        let Value::Data(data) = &argument.value else {
            return None;
        };
        let fields = self.shape[data.constructor as usize];
        match maker
            .draw
            .weighted(&[if fields.is_empty() { 0 } else { 4 }, 2, 1])?
        {
            0 => {
                let place = maker.draw.index(fields.len());
                let selector = maker
                    .terms
                    .selector(self.sort, data.constructor, place as u32)?;
                let term = maker.terms.fun_app(selector, &[argument.term]).ok()?;
                let of = match fields[place] {
                    Own => Of::Own,
                    First => Of::Kit(self.sorts[0]),
                    Second => Of::Kit(self.sorts[1]),
                };
                let value = data.fields[place].clone();
                Some((of, Grown { term, value }))
            }
            1 => {
                let number = maker.draw.index(self.shape.len()) as u32;
                let tester = maker.terms.tester(self.sort, number)?;
                let term = maker.terms.fun_app(tester, &[argument.term]).ok()?;
                let value = Value::Bool(data.constructor == number);
                Some((Of::Bool, Grown { term, value }))
            }
            _ => Some((Of::Own, argument)),
        }
    }

    /// The operation equals its result.
    fn right(&self, maker: &mut Maker<'_>, of: Of, left: Grown, depth: u64) -> Option<TermId> {
        let right = match of {
            Of::Bool => return sat::literal_of(maker, &left),
            Of::Own => maker.fresh_in(SortNo::OTHER, self.sort, left.value),
            Of::Kit(sort) => sat::right_side(maker, sort, &left.value, depth)?.term,
        };
        maker.equation(left.term, right)
    }

    /// The operation equals something else.
    fn wrong(&self, maker: &mut Maker<'_>, of: Of, left: Grown, depth: u64) -> Option<TermId> {
        const TRIES: usize = 4;
        if !left.value.is_comparable() {
            return None;
        }
        let right = match of {
            Of::Bool => {
                return match left.value.as_bool()? {
                    true => maker.negation(left.term),
                    false => Some(left.term),
                };
            }
            Of::Own => (0..TRIES).find_map(|_| {
                let other = self.value(maker, depth + 1)?;
                (other.value != left.value && other.value.is_comparable()).then_some(other.term)
            })?,
            Of::Kit(sort) => maker.other(sort, &left.value, depth)?.term,
        };
        maker.equation(left.term, right)
    }
}

#[cfg(test)]
mod tests {
    use crate::case::Expected;
    use crate::draw::Draw;
    use crate::strategy::construct::{Kit, case};
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{Terms, Theory, read_script};

    fn texts(solvers: SolverSet) -> Vec<(String, Option<Expected>)> {
        let kit = Kit::of(&[Theory::Datatypes, Theory::Ints], solvers);
        let made = (0..300).filter_map(|number| {
            let mut terms = Terms::new();
            let case = case(&kit, &mut terms, &mut Draw::new(5, number), 2, &[])?;
            let text = render::script(&terms, &case.script, Sharing::Auto);
            Some((text, case.evidence[0].expected()))
        });
        made.filter(|(text, _)| text.contains("declare-datatype"))
            .collect()
    }

    #[test]
    fn makes_both_answers_and_reads_back() {
        let texts = texts(SolverSet::Z3.union(SolverSet::CVC5));
        for expected in [Expected::Sat, Expected::Unsat] {
            assert!(texts.iter().any(|(_, e)| *e == Some(expected)));
        }
        for (text, _) in texts {
            let reading = read_script(&mut Terms::new(), &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
        }
    }

    #[test]
    fn not_for_solvers_without_datatypes() {
        assert_eq!(texts(SolverSet::BITWUZLA), []);
    }
}
