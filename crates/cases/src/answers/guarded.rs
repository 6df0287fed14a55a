//! Decides whether a script's answer may depend on values that the standard leaves unspecified: divisions by zero,
//! selectors of another constructor, and the like. A model does not say which values its solver chose.
//!
//! ```text
//! (and ((_ is cons) l) (= (hd l) 7))      no: the selector is guarded
//! (= (hd l) 7)                            yes
//! (= (div 1 x) 7)                         yes
//! ```

use crate::features::Features;
use auspex_logic::render::post_order;
use auspex_logic::sort::DataId;
use auspex_logic::term::FunKind;
use auspex_logic::{Head, Script, TermId, Terms};

/// What has a value everywhere, selectors apart: linear arithmetic, bit-vectors, arrays, datatypes.
const TOTAL: Features = Features::INTS
    .union(Features::REALS)
    .union(Features::BIT_VECTORS)
    .union(Features::BITS)
    .union(Features::ARRAYS)
    .union(Features::OTHER_ARRAYS)
    .union(Features::DATATYPES)
    .union(Features::FUNCTIONS)
    .union(Features::QUANTIFIERS);

/// The largest term to analyse.
const MOST_WORK: usize = 20_000;

/// Whether no assertion of a script can depend on unspecified values.
pub(super) fn is_guarded(terms: &Terms, script: &Script) -> bool {
    let roots: Vec<TermId> = script.roots();
    let mut parts = roots.iter().flat_map(|root| post_order(terms, *root));
    if !parts.all(|part| TOTAL.includes(Features::of_root(terms, part))) {
        return false;
    }
    // What all assertions together know, each may use.
    let mut known = Vec::new();
    for assertion in script.assertions() {
        note(terms, assertion.term, true, &mut known);
    }
    let mut looking = Looking {
        terms,
        work: MOST_WORK,
    };
    let asserted = script.assertions().map(|assertion| (assertion.term, true));
    let defined = script
        .definitions()
        .map(|definition| (definition.body, false));
    asserted.chain(defined).all(|(root, knows)| {
        let mut known = if knows { known.clone() } else { Vec::new() };
        looking.holds(root, &mut known)
    })
}

/// That a term is made by a constructor.
type Fact = (DataId, u32, TermId);

/// What follows about constructors if a term holds, or fails.
fn note(terms: &Terms, term: TermId, holds: bool, known: &mut Vec<Fact>) {
    let args = terms.args(term);
    match terms.head(term) {
        Head::Fun(fun) => {
            if let FunKind::Tester(data, number) = terms.fun(fun).kind
                && let Some(number) = made_by(terms, data, number, holds)
            {
                known.push((data, number, args[0]));
            }
        }
        Head::Op(op) => match (&*terms.op(op).name, holds) {
            ("not", _) => note(terms, args[0], !holds, known),
            ("and", true) | ("or", false) => {
                args.iter().for_each(|arg| note(terms, *arg, holds, known));
            }
            ("=>", false) => {
                if let Some((last, before)) = args.split_last() {
                    before.iter().for_each(|arg| note(terms, *arg, true, known));
                    note(terms, *last, false, known);
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// The constructor that a tester determines.
fn made_by(terms: &Terms, data: DataId, tested: u32, holds: bool) -> Option<u32> {
    let constructors = terms.sorts.datatype(data).constructors.len();
    match (holds, constructors) {
        (true, _) => Some(tested),
        (false, 2) => Some(1 - tested.min(1)),
        _ => None,
    }
}

struct Looking<'t> {
    terms: &'t Terms,
    work: usize,
}

impl Looking<'_> {
    /// Whether every selector below a term is guarded.
    fn holds(&mut self, term: TermId, known: &mut Vec<Fact>) -> bool {
        if self.work == 0 {
            return false;
        }
        self.work -= 1;
        let terms = self.terms;
        let args = terms.args(term);
        let outside = known.len();
        let guarded = match terms.head(term) {
            Head::Fun(fun) => {
                if let FunKind::Selector(data, number, _) = terms.fun(fun).kind
                    && !is_made(terms, data, number, args[0], known)
                {
                    return false;
                }
                args.iter().all(|arg| self.holds(*arg, known))
            }
            Head::Op(op) => match &*terms.op(op).name {
                name @ ("and" | "or") => {
                    let holds = name == "and";
                    args.iter().all(|arg| {
                        let others = args.iter().filter(|other| *other != arg);
                        others.for_each(|other| note(terms, *other, holds, known));
                        let guarded = self.holds(*arg, known);
                        known.truncate(outside);
                        guarded
                    })
                }
                "=>" => args.iter().enumerate().all(|(at, arg)| {
                    args[..at]
                        .iter()
                        .for_each(|one| note(terms, *one, true, known));
                    let guarded = self.holds(*arg, known);
                    known.truncate(outside);
                    guarded
                }),
                "ite" => args.iter().enumerate().all(|(at, arg)| {
                    if at > 0 {
                        note(terms, args[0], at == 1, known);
                    }
                    let guarded = self.holds(*arg, known);
                    known.truncate(outside);
                    guarded
                }),
                _ => args.iter().all(|arg| self.holds(*arg, known)),
            },
            _ => args.iter().all(|arg| self.holds(*arg, known)),
        };
        known.truncate(outside);
        guarded
    }
}

fn is_made(terms: &Terms, data: DataId, number: u32, term: TermId, known: &[Fact]) -> bool {
    let is_only = terms.sorts.datatype(data).constructors.len() == 1;
    let is_constructed = match terms.head(term) {
        Head::Fun(fun) => terms.fun(fun).kind == FunKind::Constructor(data, number),
        _ => false,
    };
    is_only || is_constructed || known.contains(&(data, number, term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn guarded(assertion: &str) -> bool {
        let mut terms = Terms::new();
        let text = format!(
            "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))(declare-datatypes ((P 0)) (((p (one Int)))))\
             (declare-const l L)(declare-const m L)(declare-const x Int)(declare-const q P){assertion}"
        );
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        is_guarded(&terms, &script)
    }

    #[test]
    fn a_tester_guards_its_selectors() {
        for text in [
            "(assert (and ((_ is cons) l) (= (hd l) 7)))",
            "(assert ((_ is cons) l))(assert (= (hd l) 7))",
            "(assert (or (not ((_ is cons) l)) (= (hd l) 7)))",
            "(assert (=> (not ((_ is nil) l)) (= (hd l) 7)))",
            "(assert (= x (ite ((_ is nil) l) 1 (hd l))))",
            "(assert (= (hd (cons x l)) (one q)))",
            "(assert (= (mod x 3) 1))",
        ] {
            assert!(guarded(text), "{text}");
        }
    }

    #[test]
    fn others_do_not() {
        for text in [
            "(assert (= (hd l) 7))",
            "(assert (or ((_ is cons) l) (= (hd l) 7)))",
            "(assert (and ((_ is cons) m) (= (hd l) 7)))",
            "(assert (= (div 7 x) 1))",
        ] {
            assert!(!guarded(text), "{text}");
        }
    }
}
