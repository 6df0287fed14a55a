//! Grows random ground terms: every operator of a theory in turn at the root, values and other operators below.

use super::{Plan, values};
use auspex_cases::Draw;
use auspex_logic::sig::Assoc;
use auspex_logic::sort::Sorts;
use auspex_logic::term::BinderKind;
use auspex_logic::theory::{Meaning, SolverSet};
use auspex_logic::value::Rat;
use auspex_logic::{OpTable, Sort, SortKind, TermId, Terms, Theory, Value, read_script};
use std::collections::BTreeSet;

/// The solvers that support each row, found by trying every row's examples.
#[derive(Clone, Debug, Default)]
pub(super) struct Readers {
    /// All solvers that are asked.
    pub(super) all: u16,
    /// By row: the solvers that support it.
    pub(super) rows: Vec<u16>,
    /// Rows for which some solver accepts no more arguments than declared.
    pub(super) narrow: BTreeSet<u32>,
}

/// The ingredients of a theory's terms.
pub(super) struct Grower {
    /// The rows for roots, in turn.
    own: Vec<u32>,
    /// The rows for subterms.
    below: Vec<u32>,
    /// The sorts that results and arguments may have.
    sorts: Vec<Sort>,
    datatypes: Vec<Sort>,
    readers: Readers,
    /// Whether most reals are 0 or 1, for which transcendental functions have rational values.
    zero_or_one: bool,
}

/// The place in a term where a subterm grows.
#[derive(Clone, Copy)]
struct Place<'a> {
    depth: u32,
    /// The variables that may be used.
    scope: &'a [TermId],
    /// The solvers that must support all of it.
    audience: u16,
}

impl Place<'_> {
    fn below(self) -> Self {
        Place {
            depth: self.depth.saturating_sub(1),
            ..self
        }
    }
}

/// An enumeration, a list and a record: the kinds of datatypes without parameters.
const DATATYPES: &str = "(declare-datatypes ((Colour 0) (List 0) (Pair 0)) (\
    ((red) (green) (blue))\
    ((nil) (cons (head Int) (tail List)))\
    ((pair (first Colour) (second List)))))\n";

/// How many operators are tried before a value is used instead.
const TRIES: usize = 6;
const DEEPEST: u32 = 2;
/// How many argument lists are tried for an operator whose sorts are computed.
const GUESSES: usize = 60;

/// The theories whose operators may occur below those of a theory.
pub(super) fn helpers(theory: Theory) -> &'static [Theory] {
    match theory {
        Theory::Regex => &[Theory::Core, Theory::Strings],
        Theory::Transcendentals => &[Theory::Core, Theory::Reals],
        Theory::Relations => &[Theory::Core, Theory::Ints, Theory::Sets],
        Theory::Arrays
        | Theory::Datatypes
        | Theory::Sequences
        | Theory::Sets
        | Theory::Strings
        | Theory::Bags => &[Theory::Core, Theory::Ints],
        _ => &[Theory::Core],
    }
}

impl Grower {
    pub(super) fn new(terms: &mut Terms, plan: &Plan, theory: Theory, readers: &Readers) -> Grower {
        let table = OpTable::builtin();
        let rows = |wanted: &dyn Fn(Theory) -> bool| -> Vec<u32> {
            let all = table.rows().iter().enumerate();
            // The semantics of finite field operators depends on the sort.
            let meant = all.filter(|(_, decl)| {
                !matches!(decl.meaning, Meaning::None(_)) || decl.theory == Theory::FiniteFields
            });
            meant
                .filter(|(row, decl)| wanted(decl.theory) && readers.rows[*row] != 0)
                .map(|(number, _)| number as u32)
                .collect()
        };
        let datatypes = match theory {
            Theory::Datatypes => declared(terms),
            _ => Vec::new(),
        };
        let mut sorts = sorts_of(terms, plan, theory);
        sorts.extend(&datatypes);
        Grower {
            own: rows(&|t| t == theory),
            below: rows(&|t| t == theory || helpers(theory).contains(&t)),
            sorts,
            datatypes,
            readers: readers.clone(),
            zero_or_one: theory == Theory::Transcendentals,
        }
    }

    /// Declarations that the terms need.
    pub(super) fn prelude(&self) -> &'static str {
        match self.datatypes.is_empty() {
            true => "",
            false => DATATYPES,
        }
    }

    /// A row applied to plain values.
    pub(super) fn simplest(&self, terms: &mut Terms, draw: &mut Draw, row: u32) -> Option<TermId> {
        let place = Place {
            depth: 0,
            scope: &[],
            audience: u16::MAX,
        };
        let term = self.application(terms, draw, row, place)?;
        (terms.sort(term) != Sort::REG_LAN).then_some(term)
    }

    /// A term with one of the theory's operators at its root, chosen by `turn`, and the solvers that support it.
    pub(super) fn ground_term(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        turn: usize,
    ) -> Option<(TermId, u16)> {
        let mut place = Place {
            depth: draw.below(u64::from(DEEPEST) + 1) as u32,
            scope: &[],
            audience: self.readers.all,
        };
        // Constructors, selectors and testers are not rows.
        let of_data = !self.datatypes.is_empty() && !draw.one_in(8) || self.own.is_empty();
        let term = if of_data {
            self.data_term(terms, draw, place)?
        } else {
            let row = self.own[turn % self.own.len()];
            place.audience = some_of(draw, self.readers.rows[row as usize]);
            self.application(terms, draw, row, place)?
        };
        let term = match terms.sorts.kind(terms.sort(term)) {
            // A language is compared by membership.
            SortKind::RegLan => {
                let word = self.value(terms, draw, Sort::STRING)?;
                terms.app("str.in_re", &[word, term]).ok()?
            }
            SortKind::Function(_) => return None,
            _ => term,
        };
        Some((term, place.audience))
    }

    /// A row applied to arguments of fitting sorts.
    fn application(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        row: u32,
        place: Place<'_>,
    ) -> Option<TermId> {
        let table = terms.table().clone();
        if table.rows()[row as usize].sig.rule.is_some() {
            return self.guessed(terms, draw, row, place);
        }
        (0..TRIES).find_map(|_| {
            let result = *draw.pick(&self.sorts)?;
            self.application_of(terms, draw, (row, result), place)
        })
    }

    /// An operator whose sorts are computed: indices and sorts of arguments are tried until they fit.
    fn guessed(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        row: u32,
        place: Place<'_>,
    ) -> Option<TermId> {
        let table = terms.table().clone();
        let sig = &table.rows()[row as usize].sig;
        for _ in 0..GUESSES {
            let indices = self.guessed_indices(draw, &table.rows()[row as usize].declaration);
            let count = match draw.below(3) {
                0 => draw.below(4) as usize,
                _ => sig.params.len(),
            };
            let sorts: Option<Vec<Sort>> = (0..count)
                .map(|_| draw.pick(&self.sorts).copied())
                .collect();
            let sorts = sorts?;
            let Some(sort) = sig.infer(&mut terms.sorts, &indices, &sorts) else {
                continue;
            };
            let args: Option<Vec<TermId>> = sorts
                .iter()
                .map(|sort| self.argument(terms, draw, *sort, place))
                .collect();
            let op = terms.op_with(row, &indices);
            return terms.apply_op(op, &args?, sort);
        }
        None
    }

    fn guessed_indices(&self, draw: &mut Draw, declaration: &str) -> Vec<u64> {
        match declaration.starts_with("((_ ") {
            true => (0..draw.between(1, 4)).map(|_| draw.below(3)).collect(),
            false => Vec::new(),
        }
    }

    /// An application of an operator, by its row, that has the wanted sort.
    fn application_of(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        (row, result): (u32, Sort),
        place: Place<'_>,
    ) -> Option<TermId> {
        let table = terms.table().clone();
        let sig = &table.rows()[row as usize].sig;
        if sig.rule.is_some() {
            return None;
        }
        let proposal = sig.propose(&mut terms.sorts, result, &self.sorts, &mut draw.chooser())?;
        let mut params = proposal.params.clone();
        let may_grow =
            params.len() == 2 && sig.assoc != Assoc::None && !self.readers.narrow.contains(&row);
        if may_grow && draw.one_in(4) {
            let more = match sig.assoc {
                Assoc::Right => (0, params[0]),
                _ => (1, params[1]),
            };
            params.insert(more.0, more.1);
        }
        let literals = table.rows()[row as usize].literals;
        let args: Option<Vec<TermId>> = params
            .iter()
            .enumerate()
            .map(|(at, sort)| match literals >> at.min(7) & 1 {
                1 if place.audience != SolverSet::Z3.0 => self.literal(terms, draw, *sort),
                _ => self.argument(terms, draw, *sort, place),
            })
            .collect();
        let args = args?;
        let sorts: Vec<Sort> = args.iter().map(|a| terms.sort(*a)).collect();
        let op = terms.op_with(row, &proposal.indices);
        let sort = match sig.qualified {
            true => result,
            false => sig.infer(&mut terms.sorts, &proposal.indices, &sorts)?,
        };
        terms.apply_op(op, &args, sort)
    }

    /// An argument: an application if there is depth left, else a variable in scope or a value.
    fn argument(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        sort: Sort,
        place: Place<'_>,
    ) -> Option<TermId> {
        if let SortKind::Function(parts) = terms.sorts.kind(sort).clone() {
            return self.function(terms, draw, &parts, place);
        }
        if place.depth > 0 && draw.coin() {
            if self.datatypes.contains(&sort) {
                return self.constructed(terms, draw, sort, place.below());
            }
            if let Some(nested) = self.nested(terms, draw, sort, place) {
                return Some(nested);
            }
        }
        let fitting = place.scope.iter().copied();
        let fitting: Vec<TermId> = fitting.filter(|v| terms.sort(*v) == sort).collect();
        match draw.pick(&fitting) {
            Some(variable) if draw.below(3) > 0 => Some(*variable),
            _ => self.value(terms, draw, sort),
        }
    }

    /// An operator that all target solvers support.
    fn nested(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        sort: Sort,
        place: Place<'_>,
    ) -> Option<TermId> {
        (0..TRIES).find_map(|_| {
            let row = *draw.pick(&self.below)?;
            let read = self.readers.rows[row as usize];
            (read & place.audience == place.audience)
                .then(|| self.application_of(terms, draw, (row, sort), place.below()))?
        })
    }

    fn value(&self, terms: &mut Terms, draw: &mut Draw, sort: Sort) -> Option<TermId> {
        if sort == Sort::REG_LAN {
            let simple = ["re.allchar", "re.all", "re.none"];
            return match draw.below(5) {
                0 => terms.app(simple[draw.index(simple.len())], &[]).ok(),
                _ => {
                    let word = self.value(terms, draw, Sort::STRING)?;
                    terms.app("str.to_re", &[word]).ok()
                }
            };
        }
        let value = match sort {
            Sort::REAL if self.zero_or_one && !draw.one_in(4) => {
                Value::Real(Rat::from(draw.below(2) as i64))
            }
            _ => values::random(terms, draw, sort)?,
        };
        terms.value_term(&value, sort)
    }

    /// A value for a solver that accepts only literals, without minus or fraction.
    fn literal(&self, terms: &mut Terms, draw: &mut Draw, sort: Sort) -> Option<TermId> {
        let value = values::plain(values::random(terms, draw, sort)?);
        terms.value_term(&value, sort)
    }

    /// `(lambda ((x0 A) (x1 B)) body)`.
    fn function(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        parts: &[Sort],
        place: Place<'_>,
    ) -> Option<TermId> {
        let (result, params) = parts.split_last()?;
        let variables: Vec<TermId> = params
            .iter()
            .enumerate()
            .map(|(at, sort)| {
                let name = terms.symbols.intern(&format!("x{at}"));
                terms.variable(name, *sort)
            })
            .collect();
        let inside = Place {
            depth: 1,
            scope: &variables,
            ..place
        };
        let body = self.argument(terms, draw, *result, inside)?;
        Some(terms.quantified(BinderKind::Lambda, &variables, body))
    }

    /// A selector, tester, updater or equality of datatypes.
    fn data_term(&self, terms: &mut Terms, draw: &mut Draw, place: Place<'_>) -> Option<TermId> {
        let sort = *draw.pick(&self.datatypes)?;
        let subject = self.constructed(terms, draw, sort, place)?;
        let (id, _) = terms.data_of(sort)?;
        let constructors = terms.sorts.datatype(id).constructors.iter();
        let fields: Vec<usize> = constructors.map(|c| c.selectors.len()).collect();
        let constructor = draw.index(fields.len());
        let field = draw.index(fields[constructor].max(1)) as u32;
        let constructor = constructor as u32;
        match draw.below(4) {
            0 => {
                let tester = terms.tester(sort, constructor)?;
                terms.fun_app(tester, &[subject]).ok()
            }
            1 => {
                let other = self.constructed(terms, draw, sort, place)?;
                terms.app("=", &[subject, other]).ok()
            }
            2 => {
                let selector = terms.selector(sort, constructor, field)?;
                terms.fun_app(selector, &[subject]).ok()
            }
            _ => {
                let updater = terms.updater(sort, constructor, field)?;
                let new = terms.fun(updater).params[1];
                let new = self.argument(terms, draw, new, place)?;
                terms.fun_app(updater, &[subject, new]).ok()
            }
        }
    }

    fn constructed(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        sort: Sort,
        place: Place<'_>,
    ) -> Option<TermId> {
        let (id, _) = terms.data_of(sort)?;
        let count = terms.sorts.datatype(id).constructors.len();
        let constructor = terms.constructor(sort, draw.index(count) as u32)?;
        if place.depth == 0 {
            return self.value(terms, draw, sort);
        }
        let params = terms.fun(constructor).params.clone();
        let args: Option<Vec<TermId>> = params
            .iter()
            .map(|param| self.argument(terms, draw, *param, place.below()))
            .collect();
        terms.fun_app(constructor, &args?).ok()
    }
}

/// All solvers, or sometimes only one, which then gets operators that only it supports.
fn some_of(draw: &mut Draw, solvers: u16) -> u16 {
    let each: Vec<u16> = (0..u16::BITS).map(|bit| 1 << bit).collect();
    let each: Vec<u16> = each.into_iter().filter(|bit| solvers & bit != 0).collect();
    match draw.one_in(6) {
        true => draw.pick(&each).copied().unwrap_or(solvers),
        false => solvers,
    }
}

fn declared(terms: &mut Terms) -> Vec<Sort> {
    let names = ["Colour", "List", "Pair"];
    let constants = names.map(|name| format!("(declare-const a{name} {name})"));
    let text = format!("{DATATYPES}{}", constants.concat());
    let Ok(reading) = read_script(terms, &text) else {
        return Vec::new();
    };
    let funs: Vec<_> = reading.script.declared().collect();
    funs.into_iter().map(|fun| terms.fun(fun).result).collect()
}

/// The sorts over which a theory's terms range.
fn sorts_of(terms: &mut Terms, plan: &Plan, theory: Theory) -> Vec<Sort> {
    let sorts = &mut terms.sorts;
    let mut all = match theory {
        Theory::BitVectors => WIDTHS.map(|w| sorts.bit_vec(w)).to_vec(),
        Theory::FloatingPoint => float_sorts(sorts, plan),
        Theory::Arrays => {
            let (two, four) = (sorts.bit_vec(2), sorts.bit_vec(4));
            let inner = sorts.array(Sort::BOOL, Sort::INT);
            vec![
                sorts.array(Sort::INT, Sort::INT),
                sorts.array(two, Sort::BOOL),
                sorts.array(Sort::BOOL, four),
                sorts.array(Sort::INT, inner),
                sorts.array(Sort::STRING, Sort::REAL),
                four,
            ]
        }
        Theory::Strings | Theory::Regex => {
            let eight = sorts.bit_vec(8);
            vec![Sort::STRING, Sort::STRING, Sort::REG_LAN, eight]
        }
        Theory::Sequences => {
            let four = sorts.bit_vec(4);
            let ints = sorts.seq(Sort::INT);
            let (words, bools) = (sorts.seq(four), sorts.seq(Sort::BOOL));
            vec![ints, words, bools, sorts.seq(ints), four]
        }
        Theory::Sets | Theory::Bags => collection_sorts(sorts, theory),
        Theory::Core => {
            let four = sorts.bit_vec(4);
            let table = sorts.array(four, Sort::BOOL);
            vec![four, Sort::REAL, Sort::STRING, table]
        }
        Theory::Reals | Theory::Transcendentals => vec![Sort::REAL, Sort::REAL],
        Theory::Relations => relation_sorts(sorts),
        Theory::FiniteFields => {
            let orders = FIELD_ORDERS.map(|order| terms.symbols.intern(order));
            let field = |order| terms.sorts.intern(SortKind::FiniteField(order));
            orders.map(field).to_vec()
        }
        _ => Vec::new(),
    };
    all.extend([Sort::BOOL, Sort::INT]);
    all
}

const WIDTHS: [u32; 15] = [1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 63, 64, 65, 100];
const FIELD_ORDERS: [&str; 5] = [
    "2",
    "3",
    "7",
    "101",
    "170141183460469231731687303715884105727",
];
/// The formats of solvers without arbitrary formats.
const STANDARD_FORMATS: [(u32, u32); 4] = [(5, 11), (8, 24), (11, 53), (15, 113)];
const FORMATS: [(u32, u32); 12] = [
    (2, 2),
    (2, 3),
    (3, 3),
    (3, 5),
    (4, 4),
    (5, 11),
    (8, 24),
    (11, 53),
    (15, 113),
    (2, 10),
    (6, 3),
    (10, 4),
];

fn float_sorts(sorts: &mut Sorts, plan: &Plan) -> Vec<Sort> {
    let is_usable = |f: &(u32, u32)| !plan.standard_formats || STANDARD_FORMATS.contains(f);
    let usable = FORMATS.into_iter().filter(is_usable);
    let mut all: Vec<Sort> = usable.map(|(eb, sb)| sorts.float(eb, sb)).collect();
    all.extend([1, 2, 4, 8, 32, 64].map(|w| sorts.bit_vec(w)));
    all.extend([Sort::REAL, Sort::ROUNDING_MODE]);
    all
}

fn collection_sorts(sorts: &mut Sorts, theory: Theory) -> Vec<Sort> {
    let two = sorts.bit_vec(2);
    let elements = [Sort::INT, Sort::BOOL, two, Sort::STRING];
    let mut all = elements.map(|e| sorts.set(e)).to_vec();
    if theory == Theory::Bags {
        all.extend(elements.map(|e| sorts.intern(SortKind::Bag(e))));
    }
    all.extend([Sort::STRING, two]);
    all
}

fn relation_sorts(sorts: &mut Sorts) -> Vec<Sort> {
    let tuples = [
        vec![],
        vec![Sort::INT],
        vec![Sort::INT, Sort::INT],
        vec![Sort::BOOL, Sort::INT],
    ];
    let tuples = tuples.map(|parts| sorts.intern(SortKind::Tuple(parts.into())));
    let mut all = tuples.to_vec();
    all.extend(tuples.map(|tuple| sorts.set(tuple)));
    all.extend(tuples.map(|tuple| sorts.intern(SortKind::Bag(tuple))));
    all
}
