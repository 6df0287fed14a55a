//! `typefuzz`, generative type-aware mutation: replaces an expression by a new one of its sort, with any operator of
//! the table at its root and arguments from the formula.
//!
//! ```text
//! before  (assert (= x (str.substr x 0 (str.len y))))
//! after   (assert (= x (str.substr (str.from_int 0) 0 (str.len y))))
//! ```
//!
//! Preserves sorts and nothing else: solvers are compared with each other.
//! After Park, Winterer, Zhang, Su: Generative Type-Aware Mutation for Testing SMT Solvers (2021);
//! beyond it: every theory, constants that the formula does not have, and new assertions.

use super::chain::{LENGTH, Mutation, Step, new_assertion};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{self, Ingredients, Palette, constant};
use crate::mutant::{Mutant, Site, Wanted};
use auspex_logic::{TermId, Terms};

/// `typefuzz`.
pub const TYPEFUZZ: Mutation = Mutation {
    name: "typefuzz",
    about: "Replaces expressions by new ones of the same sort, rooted in any operator, with arguments from the formula.",
    longest: LENGTH,
    each: false,
    step,
};

/// How many sites are tried for one step.
const TRIES: usize = 12;
/// One in this many arguments is a constant that need not occur in the formula.
const CONSTANTS: u64 = 16;

fn step(
    mutant: &mut Mutant,
    terms: &mut Terms,
    palette: &Palette,
    draw: &mut Draw,
) -> Option<Step> {
    if draw.one_in(32) {
        return new_assertion(mutant, terms, palette, draw);
    }
    for _ in 0..TRIES {
        let Some(site) = mutant.site(terms, draw, Wanted::Any) else {
            return new_assertion(mutant, terms, palette, draw);
        };
        let with = mutant.ingredients(palette, &site, CONSTANTS);
        let Some(new) = replacement(terms, draw, &site, &with) else {
            continue;
        };
        if mutant.replace(terms, &site, new) {
            return Some(Step::Replaced(site, new));
        }
    }
    None
}

/// Mostly one new operator over parts of the formula; sometimes two, an existing expression, or a constant.
fn replacement(
    terms: &mut Terms,
    draw: &mut Draw,
    site: &Site,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let sort = terms.sort(site.term);
    let new = match draw.below(16) {
        0..=11 => grow::rooted(terms, draw, sort, 1, with),
        12 => grow::rooted(terms, draw, sort, 2, with),
        13 | 14 => grow::existing(terms, draw, sort, with),
        _ => {
            let needed = Features::of_sort(&terms.sorts, sort);
            let allowed = with.palette.features.includes(needed);
            allowed.then(|| constant(terms, draw, sort))?
        }
    };
    new.filter(|new| *new != site.term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::chain::tests::{all_well_sorted, mutants};

    fn reaches(seed: &str, wanted: &str, draws: u64) {
        let found = mutants(&TYPEFUZZ, 1, seed, draws);
        assert!(found.iter().any(|text| text.contains(wanted)), "{wanted}");
    }

    #[test]
    fn reaches_the_mutant_of_figure_2() {
        reaches(
            "(declare-fun x () String)(assert (> (- (str.to_int (str.++ x x))) 0))(check-sat)",
            "(assert (> (- (str.to_int (str.++ (str.from_int 0) x))) 0))",
            10_000,
        );
    }

    #[test]
    fn reaches_the_mutant_of_figure_3() {
        reaches(
            r#"(declare-fun x () String)(declare-fun y () String)
               (assert (= (str.replace x "B" (str.++ "B" "B")) (str.++ y "B")))(check-sat)"#,
            r#"(assert (= (str.replace (str.replace x "B" (str.++ "B" "B")) "B" (str.++ y "B")) (str.++ y "B")))"#,
            300_000,
        );
    }

    #[test]
    fn bound_variables_stay_bound() {
        let seed = "(declare-const x Int)(declare-const y Int)\
                    (assert (and (> x 10) (forall ((z Int)) (< z y)) (exists ((z Real)) (> z 0.5))))\
                    (define-fun f ((a Int)) Int (+ a x))(assert (= (f 3) y))(check-sat)";
        assert!(all_well_sorted(&TYPEFUZZ, seed, 2000) > 1900);
    }

    #[test]
    fn declarations_stay_before_uses() {
        let seed = "(declare-const a Int)(assert (> a 0))(push 1)(declare-const b Int)(declare-sort U 0)\
                    (declare-fun f (U) Int)(declare-const u U)(assert (> (f u) b))(check-sat)(pop 1)\
                    (declare-const c Int)(assert (= c (+ a 1)))(check-sat)";
        assert!(all_well_sorted(&TYPEFUZZ, seed, 2000) > 1900);
    }

    #[test]
    fn match_and_datatypes_stay_well_sorted() {
        let seed = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))\
                    (declare-const l (List Int))(declare-const n Int)\
                    (assert (= n (match l ((nil 0) ((cons h t) (+ h (head t)))))))(check-sat)";
        assert!(all_well_sorted(&TYPEFUZZ, seed, 2000) > 1900);
    }

    #[test]
    fn small_logic_is_kept_or_widened() {
        let seed = "(set-logic QF_LIA)(declare-const x Int)(assert (> (* 3 x) 1))(check-sat)";
        let all = mutants(&TYPEFUZZ, 5, seed, 500);
        assert!(all.iter().any(|t| t.starts_with("(set-logic QF_LIA)")));
        for text in all.iter().filter(|t| t.contains("(* x x)")) {
            assert!(text.starts_with("(set-logic ALL)"), "{text}");
        }
        assert!(all.iter().any(|t| t.contains("(* x x)")));
    }

    #[test]
    fn one_operator_beyond_the_logic_brings_no_others() {
        let seed = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (= (bvredor x) #b1))(check-sat)";
        let all = mutants(&TYPEFUZZ, 5, seed, 500);
        for text in all
            .iter()
            .filter(|t| t.contains("bvredor") || t.contains("bvredand"))
        {
            assert!(text.starts_with("(set-logic ALL)"), "{text}");
        }
        assert!(all.iter().any(|t| t.contains("bvredand")));
    }

    #[test]
    fn leaves_unknown_parts_alone() {
        let seed = "(declare-const x Blob)(declare-const p Bool)(assert (frobnicate x (+ 1 2)))(assert (not p))(check-sat)";
        let all = mutants(&TYPEFUZZ, 10, seed, 200);
        assert!(all.len() > 190);
        assert!(all.iter().all(|t| t.contains("(frobnicate x (+ 1 2))")));
    }

    #[test]
    fn same_numbers_same_mutants() {
        let seed = "(declare-const p Bool)(declare-const q Bool)(assert (or p (not q)))(check-sat)";
        let one = mutants(&TYPEFUZZ, 30, seed, 50);
        assert_eq!(one, mutants(&TYPEFUZZ, 30, seed, 50));
    }
}
