//! A kit: the part of the operator table for one set of theories and solvers, prepared once: sorts with corner
//! values, operators by result sort, small terms by value. A kit is independent of arenas.

use super::build::Builder;
use crate::draw::Draw;
use crate::rules::Rule;
use auspex_logic::theory::SolverSet;
use auspex_logic::{OpDecl, OpTable, Sort, SortKind, Sorts, Theory, TheorySet, Value};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// A sort of a kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortNo(pub(super) u16);

impl SortNo {
    /// A sort that only one case has.
    pub const OTHER: SortNo = SortNo(u16::MAX);
}

/// The structure of a kit's sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spec {
    /// A sort with the same handle in every arena.
    Fixed(Sort),
    BitVec(u32),
    Float(u32, u32),
    Array(SortNo, SortNo),
    Seq(SortNo),
    Set(SortNo),
    Bag(SortNo),
}

/// One sort with its values and operators.
pub struct Kind {
    pub spec: Spec,
    /// The theories it needs, not counting Core, Ints and Reals for their sorts.
    pub theories: TheorySet,
    /// Corner values, simplest first.
    pub values: Vec<Value>,
    /// Whether every solver supports the operators that write its values.
    pub written: bool,
    /// The rows of those operators.
    pub writers: Vec<u32>,
    /// Whether it is simple, a short vector, or made of such in one step.
    pub small: bool,
    /// Whether it has so few values that solvers reason about their number.
    pub finite: bool,
    /// Operators with this result, by theory.
    pub groups: Vec<Group>,
    /// Operators with an argument of this sort, with their results.
    pub takers: Vec<(SortNo, Instance)>,
    /// Terms of one operation on corner values, by their value.
    pub synonyms: FxHashMap<Value, Vec<Synonym>>,
}

impl Kind {
    /// Whether there can be variables and equations of this sort: regular expressions have none.
    pub fn is_first_class(&self) -> bool {
        self.spec != Spec::Fixed(Sort::REG_LAN)
    }
}

/// The operators of one theory with one result sort: one list of instances per operator.
pub struct Group {
    pub theory: TheorySet,
    pub rows: Vec<Vec<Instance>>,
}

/// An operator with fixed indices and argument sorts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub row: u32,
    pub indices: Box<[u64]>,
    pub args: Box<[SortNo]>,
    pub theories: TheorySet,
    /// Whether arguments must be values: cvc5 and CVC4 reject anything else in a constant array.
    pub values_only: bool,
    /// Whether it is expensive: solvers turn it into large circuits, and with variables inside many queries time out.
    pub hard: bool,
    /// Whether all its sorts are small.
    pub small: bool,
    /// Whether all its sorts are finite.
    pub finite: bool,
}

/// An operation on corner values of its argument sorts.
#[derive(Clone, Debug)]
pub struct Synonym {
    pub instance: Instance,
    pub values: Box<[u16]>,
}

/// An operator to start from, with the sorts it can give.
pub struct Root {
    pub instances: Vec<(SortNo, Instance)>,
}

/// A rule with its letters.
pub struct Law {
    pub rule: &'static Rule,
    pub number_letters: Vec<char>,
    pub sort_letters: Vec<u8>,
    /// Which variables are elements of constant arrays, for solvers that want these to be values.
    pub valued: Box<[bool]>,
}

/// The sorts and operators for one set of theories and solvers.
pub struct Kit {
    pub kinds: Vec<Kind>,
    /// By theory, the operators to start from.
    pub roots: Vec<(Theory, Vec<Root>)>,
    pub table: Arc<OpTable>,
    /// By theory, the proved rules whose operators every solver supports.
    pub rules: Vec<(Theory, Vec<Law>)>,
    pub numbers: FxHashMap<Spec, SortNo>,
    /// Whether cvc5 or CVC4 is among the solvers; they reject some ways of writing values.
    pub careful: bool,
    /// Whether datatypes are wanted and every solver supports them.
    pub datatypes: bool,
}

/// A kit with its key.
type Made = (Vec<Theory>, SolverSet, Arc<Kit>);

/// The cache of kits.
static KITS: Mutex<Vec<Made>> = Mutex::new(Vec::new());

impl Kit {
    /// The kit for some theories (all if none are given) and solvers, made at the first call.
    pub fn of(theories: &[Theory], solvers: SolverSet) -> Arc<Kit> {
        let mut kits = KITS.lock().unwrap_or_else(|broken| broken.into_inner());
        let found = kits
            .iter()
            .find(|(t, s, _)| t == theories && *s == solvers)
            .map(|(_, _, kit)| kit.clone());
        found.unwrap_or_else(|| {
            let kit = Arc::new(Builder::new(theories, solvers).finish());
            kits.push((theories.to_vec(), solvers, kit.clone()));
            kit
        })
    }

    pub fn kind(&self, sort: SortNo) -> &Kind {
        &self.kinds[usize::from(sort.0)]
    }

    /// Whether operators of a theory are used.
    pub fn has(&self, theory: Theory) -> bool {
        self.roots.iter().any(|(own, _)| *own == theory)
    }

    pub fn decl(&self, row: u32) -> &OpDecl {
        &self.table.rows()[row as usize]
    }

    /// A few theories for one case; Core is always among them.
    pub fn focus(&self, draw: &mut Draw) -> TheorySet {
        let mut focus = TheorySet::one(Theory::Core);
        for _ in 0..draw.between(1, 3) {
            if let Some((theory, _)) = self.theory(favour, draw) {
                focus = focus.union(TheorySet::one(*theory));
                if *theory == Theory::Regex {
                    focus = focus.union(TheorySet::one(Theory::Strings));
                }
            }
        }
        focus
    }

    /// A random theory by weight, with its operators to start from.
    fn theory(&self, weight: fn(Theory) -> u64, draw: &mut Draw) -> Option<&(Theory, Vec<Root>)> {
        let total: u64 = self.roots.iter().map(|(t, _)| weight(*t)).sum();
        let mut at = draw.below(total);
        self.roots.iter().find(|(theory, _)| {
            let share = weight(*theory);
            let hit = at < share;
            at = at.wrapping_sub(share);
            hit
        })
    }

    /// An operator over small sorts to start from, with its result sort.
    pub fn small_root(&self, draw: &mut Draw) -> Option<&(SortNo, Instance)> {
        let (_, rows) = self.theory(small_favour, draw)?;
        let root = draw.pick(rows)?;
        smallest(&root.instances, |(_, instance)| instance, draw)
    }

    /// An operator over small sorts with a wanted result.
    pub fn small_operator(&self, sort: SortNo, draw: &mut Draw) -> Option<&Instance> {
        let groups = &self.kind(sort).groups;
        let group = by_weight(groups, |s| (s.theory, s.rows.len()), TheorySet::ALL, draw)?;
        let instances = draw.pick(&group.rows)?;
        smallest(instances, |instance| instance, draw)
    }

    /// An operator to start from, with its result sort.
    pub fn root(&self, focus: TheorySet, draw: &mut Draw) -> Option<&(SortNo, Instance)> {
        let (_, rows) = by_weight(
            &self.roots,
            |(t, rows)| (TheorySet::one(*t), rows.len()),
            focus,
            draw,
        )?;
        let root = draw.pick(rows)?;
        fitting(&root.instances, |(_, i)| i.theories, focus, draw)
    }

    /// An operator with a wanted result.
    pub fn operator(&self, sort: SortNo, focus: TheorySet, draw: &mut Draw) -> Option<&Instance> {
        let groups = &self.kind(sort).groups;
        let group = by_weight(groups, |s| (s.theory, s.rows.len()), focus, draw)?;
        let instances = draw.pick(&group.rows)?;
        fitting(instances, |i| i.theories, focus, draw)
    }

    /// An operator that takes a sort, with its result.
    pub fn taker(
        &self,
        sort: SortNo,
        focus: TheorySet,
        draw: &mut Draw,
    ) -> Option<&(SortNo, Instance)> {
        let takers = &self.kind(sort).takers;
        if takers.is_empty() {
            return None;
        }
        fitting(takers, |(_, i)| i.theories, focus, draw)
    }

    /// A rule of a theory in focus.
    pub fn law(&self, focus: TheorySet, draw: &mut Draw) -> Option<&Law> {
        let (_, laws) = by_weight(
            &self.rules,
            |(t, laws)| (TheorySet::one(*t), laws.len()),
            focus,
            draw,
        )?;
        draw.pick(laws)
    }
}

/// The weight of a theory. Arrays need a second theory for their parts, and most of their sorts need bit-vectors or
/// strings.
fn favour(theory: Theory) -> u64 {
    match theory {
        Theory::Arrays | Theory::BitVectors => 3,
        Theory::Strings => 2,
        _ => 1,
    }
}

/// The weight of a theory as the root of a small equation: theories that interact most with others come first.
fn small_favour(theory: Theory) -> u64 {
    match theory {
        Theory::Arrays => 6,
        Theory::BitVectors => 4,
        Theory::Strings => 3,
        _ => 1,
    }
}

/// One of several over small sorts, half of the time over finite ones. Instances are in that order.
fn smallest<'k, T>(
    from: &'k [T],
    instance: impl Fn(&T) -> &Instance,
    draw: &mut Draw,
) -> Option<&'k T> {
    let small = from.partition_point(|item| instance(item).small);
    let finite = from[..small].partition_point(|item| instance(item).finite);
    let some = match draw.coin() {
        true if finite > 0 => &from[..finite],
        _ => &from[..small],
    };
    draw.pick(some)
}

/// One of several within the focus. Theories with many rows get only a little more weight, so that none dominates.
fn by_weight<'k, T>(
    from: &'k [T],
    facts: impl Fn(&T) -> (TheorySet, usize),
    focus: TheorySet,
    draw: &mut Draw,
) -> Option<&'k T> {
    const HEAVIEST: usize = 4;
    let weight = |item: &T| match facts(item) {
        (theory, rows) if focus.includes(theory) => rows.min(HEAVIEST) as u64,
        _ => 0,
    };
    let total: u64 = from.iter().map(weight).sum();
    let mut at = draw.below(total);
    from.iter().find(|item| {
        let share = weight(item);
        let hit = at < share;
        at = at.wrapping_sub(share);
        hit
    })
}

/// One of several within the focus; half of the time simpler ones, which come first, are preferred.
fn fitting<'k, T>(
    from: &'k [T],
    theories: impl Fn(&T) -> TheorySet,
    focus: TheorySet,
    draw: &mut Draw,
) -> Option<&'k T> {
    const TRIES: usize = 6;
    let simple = draw.coin();
    let mut place = || match simple {
        true => skewed(from.len(), draw),
        false => draw.index(from.len()),
    };
    (0..TRIES)
        .map(|_| &from[place()])
        .find(|item| focus.includes(theories(item)))
}

/// A random position, small ones more often. The list is not empty.
pub fn skewed(len: usize, draw: &mut Draw) -> usize {
    draw.index(len).min(draw.index(len))
}

/// The sort of a kit in an arena.
pub fn local_sort(kit: &Kit, sorts: &mut Sorts, sort: SortNo) -> Sort {
    match kit.kind(sort).spec {
        Spec::Fixed(sort) => sort,
        Spec::BitVec(width) => sorts.bit_vec(width),
        Spec::Float(eb, sb) => sorts.float(eb, sb),
        Spec::Array(index, element) => {
            let (index, element) = (
                local_sort(kit, sorts, index),
                local_sort(kit, sorts, element),
            );
            sorts.array(index, element)
        }
        Spec::Seq(element) => {
            let element = local_sort(kit, sorts, element);
            sorts.seq(element)
        }
        Spec::Set(element) => {
            let element = local_sort(kit, sorts, element);
            sorts.set(element)
        }
        Spec::Bag(element) => {
            let element = local_sort(kit, sorts, element);
            sorts.intern(SortKind::Bag(element))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solvers() -> SolverSet {
        SolverSet::Z3.union(SolverSet::CVC5)
    }

    #[test]
    fn same_request_same_kit() {
        let one = Kit::of(&[Theory::BitVectors], solvers());
        let other = Kit::of(&[Theory::BitVectors], solvers());
        assert!(Arc::ptr_eq(&one, &other));
        let third = Kit::of(&[Theory::BitVectors], SolverSet::Z3);
        assert!(!Arc::ptr_eq(&one, &third));
    }

    #[test]
    fn knows_only_what_the_solvers_know() {
        let kit = Kit::of(&[], solvers());
        let instances = kit.kinds.iter().flat_map(|k| &k.groups);
        let mut rows = instances.flat_map(|s| s.rows.iter().flatten());
        assert!(rows.all(|i| kit.decl(i.row).known.includes(solvers())));
        let standard = Kit::of(&[], SolverSet(0));
        let instances = standard.kinds.iter().flat_map(|k| &k.groups);
        let mut rows = instances.flat_map(|s| s.rows.iter().flatten());
        assert!(rows.all(|i| standard.decl(i.row).known.is_standard()));
    }

    #[test]
    fn has_arrays_over_every_pair_of_basic_sorts() {
        let kit = Kit::of(&[], solvers());
        let pairs = |index: Spec, element: Spec| {
            kit.kinds.iter().any(|kind| match kind.spec {
                Spec::Array(i, e) => kit.kind(i).spec == index && kit.kind(e).spec == element,
                _ => false,
            })
        };
        let basic = [
            Spec::Fixed(Sort::BOOL),
            Spec::Fixed(Sort::INT),
            Spec::Fixed(Sort::REAL),
            Spec::Fixed(Sort::STRING),
            Spec::BitVec(4),
            Spec::Float(8, 24),
        ];
        for index in basic {
            assert!(basic.iter().all(|element| pairs(index, *element)));
        }
    }

    #[test]
    fn has_arrays_over_bit_vectors_of_every_width() {
        let kit = Kit::of(&[Theory::Arrays, Theory::BitVectors], solvers());
        for width in 1..=64 {
            let vector = Spec::BitVec(width);
            let over = |kind: &Kind| matches!(kind.spec, Spec::Array(index, element) if kit.kind(index).spec == vector && kit.kind(element).spec == vector);
            let array = kit.kinds.iter().find(|kind| over(kind));
            // There is something to do with them, too.
            assert!(array.is_some_and(|a| !a.groups.is_empty()), "{width}");
        }
        let strings = Kit::of(&[Theory::Strings], solvers());
        assert!(
            !strings
                .kinds
                .iter()
                .any(|kind| matches!(kind.spec, Spec::Array(..)))
        );
    }

    #[test]
    fn constant_arrays_of_variables_are_for_those_who_read_them() {
        let law = |solvers: SolverSet| {
            let kit = Kit::of(&[Theory::Arrays], solvers);
            let mut laws = kit.rules.iter().flat_map(|(_, laws)| laws);
            let law = laws.find(|law| law.rule.name == "select-const");
            law.map(|law| law.valued.to_vec())
        };
        assert_eq!(law(SolverSet::Z3), Some(vec![false, false]));
        assert_eq!(law(solvers()), Some(vec![false, true]));
    }

    #[test]
    fn small_operators_have_small_sorts_only() {
        let kit = Kit::of(&[], solvers());
        let mut draw = Draw::new(1, 1);
        let mut found = 0;
        for _ in 0..1000 {
            if let Some((sort, instance)) = kit.small_root(&mut draw) {
                let mut sorts = instance.args.iter().chain([sort]);
                assert!(sorts.all(|s| kit.kind(*s).small));
                found += 1;
            }
        }
        assert!(found > 800, "{found}");
    }

    #[test]
    fn synonyms_have_their_value() {
        let kit = Kit::of(&[Theory::BitVectors], solvers());
        let four = kit.kinds.iter().find(|k| k.spec == Spec::BitVec(4));
        assert!(four.is_some_and(|k| k.synonyms.values().map(Vec::len).sum::<usize>() > 50));
    }
}
