//! `opfuzz`, type-aware operator mutation: replaces an operator by another with the same argument and result sorts.
//!
//! ```text
//! before  (assert (forall ((a Int)) (> a (div a 2))))
//! after   (assert (exists ((a Int)) (> a (mod a 2))))
//! ```
//!
//! Preserves sorts and nothing else. Function symbols of one rank and quantifiers are exchanged, too.
//! After Winterer, Zhang, Su: On the Unusual Effectiveness of Type-Aware Operator Mutations (2020).

use super::chain::{LENGTH, Mutation, Step};
use crate::draw::Draw;
use crate::grow::Palette;
use crate::mutant::{Mutant, Site, Wanted};
use auspex_logic::term::BinderKind;
use auspex_logic::{Fun, Head, Op, Sort, TermId, Terms};

/// `opfuzz`.
pub const OPFUZZ: Mutation = Mutation {
    name: "opfuzz",
    about: "Replaces operators by others with the same argument and result sorts.",
    longest: LENGTH,
    each: false,
    step,
};

/// How many sites are tried for one step.
const TRIES: usize = 24;

fn step(
    mutant: &mut Mutant,
    terms: &mut Terms,
    palette: &Palette,
    draw: &mut Draw,
) -> Option<Step> {
    for _ in 0..TRIES {
        let site = mutant.site(terms, draw, Wanted::Exchangeable)?;
        let new = match terms.head(site.term) {
            Head::Op(op) => other_operator(terms, draw, palette, op, site.term),
            Head::Fun(fun) => other_function(terms, draw, mutant, fun, &site),
            Head::Binder(number) => other_quantifier(terms, number, site.term),
            Head::Literal(_)
            | Head::Variable(_)
            | Head::Match(_)
            | Head::Annotated(_)
            | Head::Apply
            | Head::Opaque(_) => None,
        };
        if let Some(new) = new
            && mutant.replace(terms, &site, new)
        {
            return Some(Step::Replaced(site, new));
        }
    }
    None
}

/// The same arguments under another row that takes them; indices, if any, are chosen again.
fn other_operator(
    terms: &mut Terms,
    draw: &mut Draw,
    palette: &Palette,
    op: Op,
    term: TermId,
) -> Option<TermId> {
    const GUESSES: usize = 16;
    let rows = palette.taking(terms, term);
    let old = terms.op_row(op) as u32;
    if *rows == [old] && terms.op_indices(op).is_empty() {
        return None;
    }
    for _ in 0..GUESSES.min(4 * rows.len()) {
        let row = *draw.pick(&rows)?;
        let sig = &palette.decl(row).sig;
        let indices = if sig.indices.is_empty() {
            Vec::new()
        } else {
            let (sort, args) = (terms.sort(term), terms.args(term).iter());
            let hints: Vec<Sort> = args.map(|arg| terms.sort(*arg)).collect();
            match sig.propose(&mut terms.sorts, sort, &hints, &mut draw.chooser()) {
                Some(proposal) => proposal.indices,
                None => continue,
            }
        };
        let new = terms.op_with(row, &indices);
        if new == op {
            continue;
        }
        if let Some(new) = terms.with_op(term, new) {
            return Some(new);
        }
    }
    None
}

/// Another function symbol of the same rank.
fn other_function(
    terms: &mut Terms,
    draw: &mut Draw,
    mutant: &Mutant,
    fun: Fun,
    site: &Site,
) -> Option<TermId> {
    let decl = terms.fun(fun);
    let functions = mutant.pool.functions(decl.result).iter().filter(|f| {
        f.fun != fun
            && f.places & site.place != 0
            && (!f.clashes || site.scope.is_empty())
            && terms.fun(f.fun).params == decl.params
    });
    let fitting: Vec<Fun> = functions.map(|f| f.fun).collect();
    let new = *draw.pick(&fitting)?;
    let args = terms.args(site.term).to_vec();
    terms.fun_app(new, &args).ok()
}

fn other_quantifier(terms: &mut Terms, number: u32, term: TermId) -> Option<TermId> {
    let binder = terms.binder(number).clone();
    let kind = match binder.kind {
        BinderKind::Forall => BinderKind::Exists,
        BinderKind::Exists => BinderKind::Forall,
        BinderKind::Lambda | BinderKind::Choice | BinderKind::Comprehension => return None,
    };
    let body = terms.args(term)[0];
    Some(terms.quantified(kind, &binder.variables, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::chain::tests::{all_well_sorted, mutants};

    const SEED: &str = "(assert (forall ((a Int)) (> a (div a 2))))(check-sat)";

    #[test]
    fn reaches_its_example() {
        let found = mutants(&OPFUZZ, 1, SEED, 2000);
        let wanted = "(assert (forall ((a Int)) (> a (mod a 2))))";
        assert!(found.iter().any(|text| text.contains(wanted)), "{found:?}");
        assert!(all_well_sorted(&OPFUZZ, SEED, 200) > 190);
    }

    #[test]
    fn exchanges_quantifiers_and_functions() {
        let seed = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(assert (exists ((x Int)) (= (f x) 1)))(check-sat)";
        let found = mutants(&OPFUZZ, 3, seed, 500);
        for part in ["forall", "(g x)", "(distinct (f x) 1)"] {
            assert!(found.iter().any(|text| text.contains(part)), "{part}");
        }
    }

    #[test]
    fn a_formula_without_operators_gets_an_assertion() {
        let seed = "(declare-const p Bool)(assert p)(check-sat)";
        let found = mutants(&OPFUZZ, 3, seed, 50);
        assert_eq!(found.len(), 50);
        let with_operator = found.iter().filter(|text| text.contains("(assert ("));
        assert!(with_operator.count() > 40, "{found:?}");
    }
}
