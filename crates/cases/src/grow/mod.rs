//! Grows a random well-sorted term of a wanted sort: from terms in scope, interesting constants, functions of the
//! script, and operators of the table with that result sort.
//!
//! ```text
//! String, depth 1, formula with x, y and 0   →   (str.from_int 0), (str.replace x "" y), (ite p y x), …
//! ```

pub mod constants;
mod function;
pub mod palette;
pub mod pool;

use crate::draw::Draw;
use crate::features::{Features, may_stay_linear};
use auspex_logic::sig::Assoc;
use auspex_logic::value::Int;
use auspex_logic::{Fun, Head, OpDecl, Sort, SortKind, TermId, Terms, Theory, Value};
pub use constants::constant;
pub use palette::{Kinds, Palette, Rules};
pub use pool::{EVERYWHERE, Function, Item, Places, Pool};

/// The ingredients of a new term at one place of a script.
#[derive(Clone, Copy)]
pub struct Ingredients<'a> {
    pub pool: &'a Pool,
    pub palette: &'a Palette,
    /// The bound variables in scope.
    pub scope: &'a [TermId],
    /// The place of the term, as a bit.
    pub place: Places,
    /// The term to be replaced, which must not replace itself.
    pub avoid: Option<TermId>,
    /// One in this many leaves is an interesting constant; 0 means only if there is nothing else.
    pub constants: u64,
}

/// How many operators are tried before a leaf is used instead.
const TRIES: usize = 6;

/// Grows a term of a sort with at most `depth` nested new operators.
pub fn grow(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    depth: u32,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    for _ in 0..if depth == 0 { 0 } else { TRIES } {
        if let Some(term) = rooted(terms, draw, sort, depth, with) {
            return Some(term);
        }
    }
    leaf(terms, draw, sort, with)
}

/// A term with a new operator or function at its root, if the first choice succeeds.
pub fn rooted(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    depth: u32,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let rows = with.palette.rows(&terms.sorts, sort);
    let functions = with.pool.functions(sort);
    let choice = draw.index(rows.len() + functions.len());
    // Under a new root even the replaced term may occur, as in Figure 3 of the paper.
    let with = &Ingredients {
        avoid: None,
        ..*with
    };
    match (
        rows.get(choice),
        functions.get(choice.saturating_sub(rows.len())),
    ) {
        (Some(row), _) => apply_row(terms, draw, *row, sort, depth, with),
        (None, Some(function)) if is_usable(function, with) => {
            apply_function(terms, draw, function.fun, depth, with)
        }
        _ => None,
    }
}

fn is_usable(function: &Function, with: &Ingredients<'_>) -> bool {
    function.places & with.place != 0 && (!function.clashes || with.scope.is_empty())
}

fn apply_function(
    terms: &mut Terms,
    draw: &mut Draw,
    fun: Fun,
    depth: u32,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let params = terms.fun(fun).params.clone();
    let args: Option<Vec<TermId>> = params
        .iter()
        .map(|param| argument(terms, draw, *param, depth, with))
        .collect();
    terms.fun_app(fun, &args?).ok()
}

fn apply_row(
    terms: &mut Terms,
    draw: &mut Draw,
    row: u32,
    sort: Sort,
    depth: u32,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let decl = with.palette.decl(row);
    let hints = with.pool.sorts(with.place);
    let proposal = decl
        .sig
        .propose(&mut terms.sorts, sort, &hints, &mut draw.chooser())?;
    let mut params = proposal.params;
    lengthen(draw, decl, sort, &mut params);
    let stays_linear = decl.nonlinear
        && may_stay_linear(decl)
        && !with.palette.features.includes(Features::NONLINEAR)
        && matches!(sort, Sort::INT | Sort::REAL);
    let mut args = Vec::with_capacity(params.len());
    for (place, param) in params.iter().enumerate() {
        let arg = if decl.wants_literal(place) {
            literal(terms, draw, *param, decl.theory == Theory::Regex)
        } else if stays_linear && place > 0 {
            divisor(terms, draw, *param)
        } else {
            argument(terms, draw, *param, depth, with)
        };
        args.push(arg?);
    }
    let op = terms.op_with(row, &proposal.indices);
    terms.apply_op(op, &args, sort)
}

/// Occasionally an associative or chainable operator gets more arguments than its signature shows.
fn lengthen(draw: &mut Draw, decl: &OpDecl, sort: Sort, params: &mut Vec<Sort>) {
    let may = match decl.sig.assoc {
        Assoc::None => false,
        Assoc::Left | Assoc::Right => params.iter().all(|param| *param == sort),
        // z3 accepts only two words.
        Assoc::Chainable | Assoc::Pairwise => decl.theory != Theory::Strings,
    };
    if may && draw.one_in(8) {
        let last = params[params.len() - 1];
        params.extend(std::iter::repeat_n(last, draw.between(1, 2) as usize));
    }
}

/// A constant written without operators; the ends of a range of characters are single characters.
pub(crate) fn literal(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    single: bool,
) -> Option<TermId> {
    const GUESSES: usize = 8;
    if let SortKind::Data(..) = terms.sorts.kind(sort) {
        return constants::bare(terms, draw, sort);
    }
    for _ in 0..GUESSES {
        // Either a sort has constants or it has none, so one attempt suffices.
        let term = constant(terms, draw, sort)?;
        let fits = match terms.literal_value(term) {
            Some(Value::Str(word)) if single => word.len() == 1,
            Some(_) => true,
            None => is_plain(terms, term),
        };
        if fits {
            return Some(term);
        }
    }
    None
}

/// A name without arguments, or a constant array of a plain value.
fn is_plain(terms: &Terms, term: TermId) -> bool {
    let args = terms.args(term);
    match terms.head(term) {
        Head::Literal(_) => true,
        Head::Op(op) => {
            args.is_empty()
                || terms.op(op).literals != 0 && args.iter().all(|a| is_plain(terms, *a))
        }
        Head::Fun(_) => args.is_empty(),
        _ => false,
    }
}

/// A number that keeps a product or a quotient linear.
fn divisor(terms: &mut Terms, draw: &mut Draw, sort: Sort) -> Option<TermId> {
    let number = Int::from(draw.between(2, 17));
    let value = match sort {
        Sort::INT => Value::Int(number),
        _ => Value::Real(number.into()),
    };
    terms.value_term(&value, sort)
}

fn argument(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    depth: u32,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    if let SortKind::Function(parts) = terms.sorts.kind(sort).clone() {
        return function::function(terms, draw, &parts, with);
    }
    if depth > 1 && draw.coin() {
        grow(terms, draw, sort, depth - 1, with)
    } else {
        leaf(terms, draw, sort, with)
    }
}

/// An expression of the pool, or a constant.
pub fn leaf(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    if with.constants > 0
        && draw.one_in(with.constants)
        && let Some(term) = fitting_constant(terms, draw, sort, with)
    {
        return Some(term);
    }
    existing(terms, draw, sort, with).or_else(|| fitting_constant(terms, draw, sort, with))
}

/// A constant, unless writing it needs operators that must not be used here.
fn fitting_constant(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let needed = Features::of_sort(&terms.sorts, sort);
    if !with.palette.features.includes(needed) {
        return None;
    }
    constant(terms, draw, sort).filter(|term| Some(*term) != with.avoid)
}

/// A uniformly chosen expression of the pool that may occur at this place.
pub fn existing(
    terms: &Terms,
    draw: &mut Draw,
    sort: Sort,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    const GUESSES: usize = 4;
    let items = with.pool.items(sort);
    let fits = |item: &&Item| may_stand(terms, item, with);
    // The first guess nearly always fits; otherwise count those that do.
    for _ in 0..GUESSES.min(items.len()) {
        if let Some(item) = draw.pick(items).filter(fits) {
            return Some(item.term);
        }
    }
    let fitting: Vec<TermId> = items.iter().filter(fits).map(|item| item.term).collect();
    draw.pick(&fitting).copied()
}

fn may_stand(terms: &Terms, item: &Item, with: &Ingredients<'_>) -> bool {
    item.places & with.place != 0
        && Some(item.term) != with.avoid
        && (!item.clashes || with.scope.is_empty())
        && (terms.is_closed(item.term)
            || terms
                .free_variables(item.term)
                .iter()
                .all(|variable| with.scope.contains(variable)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use std::collections::BTreeSet;

    const STANDARD: Rules<'static> = Rules {
        solvers: SolverSet(0),
        theories: &[],
        forbidden: &[],
        features: Features::ALL,
    };

    fn grown(text: &str, sort: Sort, rules: &Rules<'_>, count: usize) -> BTreeSet<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let pool = Pool::of(&mut terms, &script.roots());
        let kinds = pool.kinds(&terms.sorts);
        let palette = Palette::new(&terms.table().clone(), rules, kinds);
        let with = Ingredients {
            pool: &pool,
            palette: &palette,
            scope: &[],
            place: EVERYWHERE,
            avoid: None,
            constants: 0,
        };
        let mut draw = Draw::new(7, 7);
        let mut all = BTreeSet::new();
        for _ in 0..count {
            if let Some(term) = grow(&mut terms, &mut draw, sort, 1, &with) {
                assert_eq!(terms.sort(term), sort);
                all.insert(render::term(&terms, term, Sharing::Expanded));
            }
        }
        all
    }

    #[test]
    fn takes_arguments_from_the_formula() {
        let text = "(declare-const x String)(assert (= (str.len x) 0))";
        let all = grown(text, Sort::STRING, &STANDARD, 3000);
        assert!(all.contains("(str.from_int 0)"), "{all:?}");
        assert!(all.contains("(str.++ x x)"), "{all:?}");
    }

    #[test]
    fn makes_functions_where_operators_take_them() {
        let text = "(declare-const x (Seq Int))(assert (= (seq.len x) 0))";
        let rules = Rules {
            solvers: SolverSet::Z3,
            ..STANDARD
        };
        let all = grown(text, Sort::INT, &rules, 3000);
        let folds = all
            .iter()
            .filter(|term| term.starts_with("(seq.foldl (lambda"));
        let uses = folds.filter(|term| term.matches("fn!").count() > 2);
        assert!(uses.count() > 5, "{all:?}");
    }

    #[test]
    fn keeps_to_what_solvers_know() {
        let text = "(declare-const x String)(assert (= (str.len x) 0))";
        let with = |solvers| {
            grown(
                text,
                Sort::STRING,
                &Rules {
                    solvers,
                    ..STANDARD
                },
                3000,
            )
        };
        assert!(with(SolverSet::CVC5).contains("(str.rev x)"));
        assert!(!with(SolverSet::CVC5.union(SolverSet::Z3)).contains("(str.rev x)"));
        let theories = [Theory::Ints];
        let ints = grown(
            text,
            Sort::STRING,
            &Rules {
                theories: &theories,
                ..STANDARD
            },
            300,
        );
        assert!(!ints.iter().any(|t| t.contains("str.++")), "{ints:?}");
    }

    #[test]
    fn free_variables_stay_in_scope() {
        let text = "(declare-const y Int)(assert (forall ((x Int)) (> x y)))";
        let all = grown(text, Sort::INT, &STANDARD, 500);
        let open = |t: &String| t.contains('x') && !t.contains("forall");
        assert!(!all.iter().any(open), "{all:?}");
        assert!(all.contains("(+ y y)"), "{all:?}");
    }

    #[test]
    fn linear_formulas_stay_linear() {
        let text = "(declare-const x Int)(assert (> x 1))";
        let features = Features::INTS;
        let all = grown(
            text,
            Sort::INT,
            &Rules {
                features,
                ..STANDARD
            },
            2000,
        );
        assert!(all.contains("(* x 3)"), "{all:?}");
        assert!(!all.contains("(* x x)"), "{all:?}");
    }

    #[test]
    fn applies_functions_and_constructors() {
        let text = "(declare-datatype L ((nil) (cons (head Int) (tail L))))\
                    (declare-const l L)(assert (= l (tail l)))(assert (= (head l) 0))";
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let sort = terms.sort(terms.args(script.roots()[0])[0]);
        let all = grown(text, sort, &STANDARD, 3000);
        assert!(all.contains("(cons (head l) (tail l))"), "{all:?}");
        assert!(all.contains("nil"), "{all:?}");
    }
}
