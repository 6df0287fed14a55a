//! Atoms: the formulas of a script that are no connectives and no quantifiers.

use auspex_logic::term::BinderKind;
use auspex_logic::{Command, Head, Sort, TermId, Terms, Theory};
use rustc_hash::FxHashSet;

/// The most subterms of an atom.
const LARGEST: usize = 64;
/// The most atoms that are taken of one script.
const MOST: usize = 256;

/// Whether a formula belongs to the structure: a connective over formulas, or a quantifier.
pub fn is_structure(terms: &Terms, formula: TermId) -> bool {
    let args = terms.args(formula);
    match terms.head(formula) {
        Head::Op(op) => {
            let is_formula = |arg: &TermId| terms.sort(*arg) == Sort::BOOL;
            terms.op(op).theory == Theory::Core && !args.is_empty() && args.iter().all(is_formula)
        }
        Head::Binder(number) => matches!(
            terms.binder(number).kind,
            BinderKind::Forall | BinderKind::Exists
        ),
        _ => false,
    }
}

/// The distinct atoms of a script's assertions, in order.
pub fn of(terms: &Terms, commands: &[Command]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut atoms = Vec::new();
    let asserted = commands.iter().filter(|c| matches!(c, Command::Assert(_)));
    let mut stack: Vec<TermId> = asserted.flat_map(Command::roots).collect();
    stack.reverse();
    while let Some(formula) = stack.pop() {
        if atoms.len() == MOST {
            break;
        }
        if !seen.insert(formula) {
            continue;
        }
        if is_structure(terms, formula) {
            stack.extend(terms.args(formula).iter().rev());
        } else if is_usable(terms, formula) {
            atoms.push(formula);
        }
    }
    atoms
}

/// Whether an atom says something, is not too large, and is fully understood.
fn is_usable(terms: &Terms, atom: TermId) -> bool {
    if terms.args(atom).is_empty() || terms.sort(atom) != Sort::BOOL {
        return false;
    }
    let parts = subterms(terms, atom);
    let is_known = |part: &TermId| {
        !matches!(terms.head(*part), Head::Opaque(_)) && terms.sorts.is_known(terms.sort(*part))
    };
    parts.len() <= LARGEST && parts.iter().all(is_known)
}

/// The distinct subterms, at most a few more than an atom may have.
pub fn subterms(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let (mut all, mut stack) = (Vec::new(), vec![root]);
    while let Some(term) = stack.pop() {
        if all.len() > LARGEST {
            break;
        }
        if seen.insert(term) {
            all.push(term);
            stack.extend_from_slice(terms.args(term));
        }
    }
    all
}
