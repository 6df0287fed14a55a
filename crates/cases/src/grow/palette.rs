//! The operators that may root a new term, by the kind of their result.

use crate::features::Features;
use auspex_logic::sig::Pattern;
use auspex_logic::theory::Known;
use auspex_logic::{OpDecl, OpTable, Sort, SortKind, Sorts, Theory};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// The number of kinds of sorts that operators are sorted by.
const KINDS: usize = 13;
const REG_LAN: usize = 4;
const OTHER: usize = KINDS - 1;

/// Which rows of the table may be used.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The solvers that must all know an operator; none means standard operators only.
    pub solvers: Known,
    /// The theories to use; none means all.
    pub theories: &'a [Theory],
    /// Rows that were found not to be supported, sorted.
    pub forbidden: &'a [u32],
    /// The features a new term may have.
    pub features: Features,
}

/// What a row needs and gives, worked out once for the built-in table.
#[derive(Clone, Copy)]
struct RowFacts {
    /// The kind of the result; none if it can be any.
    result: Option<usize>,
    /// The kinds of the arguments, as bits.
    needs: u32,
    features: Features,
}

/// Operators by the kind of their result.
pub struct Palette {
    table: Arc<OpTable>,
    by_kind: [Vec<u32>; KINDS],
    pub features: Features,
}

impl Palette {
    /// The rows that follow the rules and whose arguments can be had, given the kinds of sorts at hand.
    pub fn new(table: &Arc<OpTable>, rules: &Rules<'_>, at_hand: Kinds) -> Palette {
        let mut by_kind: [Vec<u32>; KINDS] = Default::default();
        let mut add = |row: usize, decl: &OpDecl, facts: &RowFacts| {
            let row = row as u32;
            if facts.needs & !at_hand.0 != 0 || !follows(decl, facts, rules, row) {
                return;
            }
            match facts.result {
                Some(kind) => by_kind[kind].push(row),
                // Not regular expressions: not every solver takes them as values.
                None => (0..KINDS)
                    .filter(|kind| *kind != REG_LAN)
                    .for_each(|kind| by_kind[kind].push(row)),
            }
        };
        if Arc::ptr_eq(table, &OpTable::builtin()) {
            let facts = builtin_facts();
            for (row, decl) in table.rows().iter().enumerate() {
                add(row, decl, &facts[row]);
            }
        } else {
            for (row, decl) in table.rows().iter().enumerate() {
                add(row, decl, &RowFacts::of(decl));
            }
        }
        Palette {
            table: table.clone(),
            by_kind,
            features: rules.features,
        }
    }

    /// As `new`; what was asked for lately is kept, since most cases of a campaign ask for the same.
    pub fn shared(table: &Arc<OpTable>, rules: &Rules<'_>, at_hand: Kinds) -> Arc<Palette> {
        const MOST: usize = 16;
        thread_local! {
            static LATELY: RefCell<Vec<(Wish, Arc<Palette>)>> = const { RefCell::new(Vec::new()) };
        }
        LATELY.with_borrow_mut(|lately| {
            if let Some((_, palette)) = lately.iter().find(|(wish, palette)| {
                wish.is(rules, at_hand) && Arc::ptr_eq(&palette.table, table)
            }) {
                return palette.clone();
            }
            let palette = Arc::new(Palette::new(table, rules, at_hand));
            if lately.len() == MOST {
                lately.remove(0);
            }
            lately.push((Wish::of(rules, at_hand), palette.clone()));
            palette
        })
    }

    /// The rows that can give a sort, as far as its kind tells.
    pub fn rows(&self, sorts: &Sorts, sort: Sort) -> &[u32] {
        &self.by_kind[kind(sorts, sort)]
    }

    pub fn decl(&self, row: u32) -> &OpDecl {
        &self.table.rows()[row as usize]
    }
}

/// What a palette was made for.
struct Wish {
    solvers: Known,
    theories: Vec<Theory>,
    forbidden: Vec<u32>,
    features: Features,
    at_hand: Kinds,
}

impl Wish {
    fn of(rules: &Rules<'_>, at_hand: Kinds) -> Wish {
        Wish {
            solvers: rules.solvers,
            theories: rules.theories.to_vec(),
            forbidden: rules.forbidden.to_vec(),
            features: rules.features,
            at_hand,
        }
    }

    fn is(&self, rules: &Rules<'_>, at_hand: Kinds) -> bool {
        self.at_hand == at_hand
            && self.solvers == rules.solvers
            && self.features == rules.features
            && self.theories == rules.theories
            && self.forbidden == rules.forbidden
    }
}

fn builtin_facts() -> &'static [RowFacts] {
    static FACTS: OnceLock<Vec<RowFacts>> = OnceLock::new();
    FACTS.get_or_init(|| OpTable::builtin().rows().iter().map(RowFacts::of).collect())
}

fn follows(decl: &OpDecl, facts: &RowFacts, rules: &Rules<'_>, row: u32) -> bool {
    let known = decl.theory == Theory::User
        || if rules.solvers == Known(0) {
            decl.known.is_standard()
        } else {
            decl.known.includes(rules.solvers)
        };
    known
        && rules.features.includes(facts.features)
        && (rules.theories.is_empty()
            || decl.theory == Theory::Core
            || decl.theory == Theory::User
            || rules.theories.contains(&decl.theory))
        && rules.forbidden.binary_search(&row).is_err()
}

impl RowFacts {
    fn of(decl: &OpDecl) -> RowFacts {
        let mut features = Features::of_row(decl).and(pattern_features(&decl.sig.result));
        let mut needs = 0;
        for param in &decl.sig.params {
            features = features.and(pattern_features(param));
            needs |= pattern_kind(param).map_or(0, |kind| 1 << kind);
        }
        // A product or quotient can still be linear; whatever else is nonlinear always is.
        let arithmetic = matches!(
            decl.theory,
            Theory::Ints | Theory::Reals | Theory::Transcendentals
        );
        if decl.nonlinear && arithmetic && !crate::features::may_stay_linear(decl) {
            features = features.and(Features::NONLINEAR);
        }
        RowFacts {
            result: pattern_kind(&decl.sig.result),
            needs,
            features,
        }
    }
}

/// A set of kinds of sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    pub const ALL: Kinds = Kinds(u32::MAX);

    /// The kinds of some sorts, with Booleans, which every formula has.
    pub fn of(sorts: &Sorts, all: impl IntoIterator<Item = Sort>) -> Kinds {
        Kinds(
            all.into_iter()
                .fold(1, |kinds, sort| kinds | 1 << kind(sorts, sort)),
        )
    }
}

fn kind(sorts: &Sorts, sort: Sort) -> usize {
    match sorts.kind(sort) {
        SortKind::Bool => 0,
        SortKind::Int => 1,
        SortKind::Real => 2,
        SortKind::String => 3,
        SortKind::RegLan => REG_LAN,
        SortKind::RoundingMode => 5,
        SortKind::BitVec(_) => 6,
        SortKind::Float { .. } => 7,
        SortKind::Array(..) => 8,
        SortKind::Seq(_) => 9,
        SortKind::Set(_) => 10,
        SortKind::Bag(_) => 11,
        SortKind::Unknown
        | SortKind::Tuple(_)
        | SortKind::Nullable(_)
        | SortKind::FiniteField(_)
        | SortKind::Function(_)
        | SortKind::Declared(..)
        | SortKind::Data(..)
        | SortKind::Parameter(_)
        | SortKind::Opaque(_) => OTHER,
    }
}

fn pattern_kind(pattern: &Pattern) -> Option<usize> {
    match pattern {
        Pattern::Hole(_) => None,
        // The sorts that stand in patterns as themselves have fixed numbers in every arena.
        Pattern::Exactly(sort) => Some(kind(&Sorts::default(), *sort)),
        Pattern::BitVec(_) => Some(6),
        Pattern::Float(..) => Some(7),
        Pattern::Array(..) => Some(8),
        Pattern::Seq(_) => Some(9),
        Pattern::Set(_) => Some(10),
        Pattern::Bag(_) => Some(11),
        Pattern::Function(_) | Pattern::Named(..) | Pattern::Nullable(_) | Pattern::Field(_) => {
            Some(OTHER)
        }
    }
}

fn pattern_features(pattern: &Pattern) -> Features {
    match pattern {
        Pattern::Hole(_) | Pattern::Named(..) => Features::NONE,
        Pattern::Exactly(sort) => Features::of_sort(&Sorts::default(), *sort),
        Pattern::BitVec(_) => Features::BITS,
        Pattern::Float(..) => Features::FLOATS,
        Pattern::Array(..) => Features::ARRAYS,
        Pattern::Seq(_) => Features::SEQUENCES,
        Pattern::Set(_) => Features::SETS,
        Pattern::Bag(_) => Features::BAGS,
        Pattern::Function(_) => Features::HIGHER_ORDER,
        Pattern::Nullable(_) => Features::DATATYPES,
        Pattern::Field(_) => Features::FIELDS,
    }
}
