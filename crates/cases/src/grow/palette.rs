//! The operators that may be the root of a new term, by the kind of their result sort.

use crate::features::Features;
use auspex_logic::sig::Pattern;
use auspex_logic::theory::SolverSet;
use auspex_logic::{OpDecl, OpTable, Sort, SortKind, Sorts, TermId, Terms, Theory};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The number of kinds of sorts.
const KINDS: usize = 13;
const REG_LAN: usize = 4;
const OTHER: usize = KINDS - 1;

/// Which rows of the table may be used.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The solvers that must all support an operator; none means standard operators only.
    pub solvers: SolverSet,
    /// The theories to use; none means all.
    pub theories: &'a [Theory],
    /// Rows that were found not to be supported, sorted.
    pub forbidden: &'a [u32],
    /// The features a new term may have.
    pub features: Features,
}

/// The requirements and the result of a row, computed once for the built-in table.
#[derive(Clone, Copy)]
struct RowFacts {
    /// The kind of the result; none if it can be any.
    result: Option<usize>,
    /// The kinds of the arguments, as bits.
    needs: u32,
    /// The kinds of the first arguments; none if they can be any or there is no such argument.
    first: [Option<u8>; KEYED],
    features: Features,
}

/// The number of arguments by which rows are filtered.
const KEYED: usize = 3;

/// Operators by the kind of their result.
pub struct Palette {
    table: Arc<OpTable>,
    facts: Cow<'static, [RowFacts]>,
    wish: Wish,
    /// Filled as they are asked for.
    by_kind: [OnceLock<Vec<u32>>; KINDS],
    /// Rows by the kinds of their result and their arguments, as they were asked for.
    taking: Mutex<FxHashMap<u64, Arc<[u32]>>>,
    pub features: Features,
}

impl Palette {
    /// The rows that follow the rules and whose arguments are available, given the available kinds of sorts.
    pub fn new(table: &Arc<OpTable>, rules: &Rules<'_>, at_hand: Kinds) -> Palette {
        let facts = match Arc::ptr_eq(table, &OpTable::builtin()) {
            true => Cow::Borrowed(builtin_facts()),
            false => Cow::Owned(RowFacts::of_table(table)),
        };
        Palette {
            table: table.clone(),
            facts,
            wish: Wish::of(rules, at_hand),
            by_kind: Default::default(),
            taking: Mutex::default(),
            features: rules.features,
        }
    }

    /// Like `new`, with a cache of recent requests, since most cases of a campaign make the same ones.
    pub fn shared(table: &Arc<OpTable>, rules: &Rules<'_>, at_hand: Kinds) -> Arc<Palette> {
        const MOST: usize = 64;
        thread_local! {
            static LATELY: RefCell<Vec<Arc<Palette>>> = const { RefCell::new(Vec::new()) };
        }
        LATELY.with_borrow_mut(|lately| {
            if let Some(palette) = lately.iter().find(|palette| {
                palette.wish.is(rules, at_hand) && Arc::ptr_eq(&palette.table, table)
            }) {
                return palette.clone();
            }
            let palette = Arc::new(Palette::new(table, rules, at_hand));
            if lately.len() == MOST {
                lately.remove(0);
            }
            lately.push(palette.clone());
            palette
        })
    }

    /// The rows that may give a sort, judging by its kind.
    pub fn rows(&self, sorts: &Sorts, sort: Sort) -> &[u32] {
        let kind = kind(sorts, sort);
        self.by_kind[kind].get_or_init(|| self.giving(kind))
    }

    /// The rows whose result is of a kind.
    fn giving(&self, kind: usize) -> Vec<u32> {
        let fits = |facts: &RowFacts| match facts.result {
            Some(result) => result == kind,
            // Not for regular expressions, which some solvers do not accept as values.
            None => kind != REG_LAN,
        };
        let chosen = self.table.chosen();
        let rows = self.facts.iter().enumerate();
        let rows = rows.filter(|(row, facts)| {
            fits(facts)
                && facts.needs & !self.wish.at_hand.0 == 0
                && match chosen {
                    // A user who names all operators knows which solvers support them.
                    Some(chosen) => {
                        chosen.binary_search(&(*row as u32)).is_ok()
                            && self.wish.features.includes(facts.features)
                    }
                    None => self.wish.allows(*row as u32, self.decl(*row as u32), facts),
                }
        });
        rows.map(|(row, _)| row as u32).collect()
    }

    /// The rows that may take a term's arguments (none as a literal) and give its sort, judging by kinds.
    pub fn taking(&self, terms: &Terms, term: TermId) -> Arc<[u32]> {
        let (sort, args) = (terms.sort(term), terms.args(term));
        let kind = |sort: Sort| kind(&terms.sorts, sort) as u64;
        let key = args.iter().take(KEYED);
        let key = key.fold(args.len() as u64, |key, arg| {
            key << 4 | kind(terms.sort(*arg))
        });
        let key = key << 4 | kind(sort);
        let mut taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = taking.entry(key).or_insert_with(|| {
            let rows = self.rows(&terms.sorts, sort).iter().copied();
            rows.filter(|row| self.may_take(terms, *row, args))
                .collect()
        });
        rows.clone()
    }

    fn may_take(&self, terms: &Terms, row: u32, args: &[TermId]) -> bool {
        let decl = self.decl(row);
        let (sig, count) = (&decl.sig, args.len());
        if !sig.takes(count) || count < sig.params.len() || decl.literals != 0 {
            return false;
        }
        // Of chains of arguments only the first surely has the first pattern.
        let told = if count == sig.params.len() { KEYED } else { 1 };
        let first = self.facts[row as usize].first;
        let mut first = first.iter().zip(args).take(told);
        first.all(|(wanted, arg)| {
            wanted.is_none_or(|wanted| wanted as usize == kind(&terms.sorts, terms.sort(*arg)))
        })
    }

    pub fn decl(&self, row: u32) -> &OpDecl {
        &self.table.rows()[row as usize]
    }
}

/// What a palette was made for.
struct Wish {
    solvers: SolverSet,
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

    /// Whether a row follows the rules.
    fn allows(&self, row: u32, decl: &OpDecl, facts: &RowFacts) -> bool {
        let known = decl.theory == Theory::User
            || if self.solvers == SolverSet(0) {
                decl.known.is_standard()
            } else {
                decl.known.includes(self.solvers)
            };
        known
            && self.features.includes(facts.features)
            && (self.theories.is_empty()
                || decl.theory == Theory::Core
                || decl.theory == Theory::User
                || self.theories.contains(&decl.theory))
            && self.forbidden.binary_search(&row).is_err()
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
    FACTS.get_or_init(|| RowFacts::of_table(&OpTable::builtin()))
}

impl RowFacts {
    fn of_table(table: &OpTable) -> Vec<RowFacts> {
        // The sorts that stand in patterns as themselves have fixed numbers in every arena.
        let sorts = Sorts::default();
        let rows = table.rows().iter();
        rows.map(|decl| RowFacts::of(&sorts, decl)).collect()
    }

    fn of(sorts: &Sorts, decl: &OpDecl) -> RowFacts {
        let result = pattern_features(&decl.sig.result, |sort| Features::of_sort(sorts, sort));
        let mut features = Features::of_row(decl).union(result);
        let mut needs = 0;
        for param in &decl.sig.params {
            // A function is made where one is wanted.
            let is_made = matches!(param, Pattern::Function(_));
            let kind = pattern_kind(sorts, param).filter(|_| !is_made);
            needs |= kind.map_or(0, |kind| 1 << kind);
            let param = pattern_features(param, |sort| Features::of_argument(sorts, sort));
            features = features.union(param);
        }
        // A product or quotient can still be linear; whatever else is nonlinear always is.
        let arithmetic = matches!(
            decl.theory,
            Theory::Ints | Theory::Reals | Theory::Transcendentals
        );
        if decl.nonlinear && arithmetic && !crate::features::may_stay_linear(decl) {
            features = features.union(Features::NONLINEAR);
        }
        // A function computes the sort instead of the patterns.
        let mut first = [None; KEYED];
        if decl.sig.rule.is_none() {
            for (kind, param) in first.iter_mut().zip(&decl.sig.params) {
                *kind = pattern_kind(sorts, param).map(|kind| kind as u8);
            }
        }
        RowFacts {
            result: pattern_kind(sorts, &decl.sig.result),
            needs,
            first,
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

fn pattern_kind(sorts: &Sorts, pattern: &Pattern) -> Option<usize> {
    match pattern {
        Pattern::Hole(_) => None,
        Pattern::Exactly(sort) => Some(kind(sorts, *sort)),
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

fn pattern_features(pattern: &Pattern, of_sort: impl Fn(Sort) -> Features) -> Features {
    match pattern {
        Pattern::Hole(_) | Pattern::Named(..) => Features::NONE,
        Pattern::Exactly(sort) => of_sort(*sort),
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
