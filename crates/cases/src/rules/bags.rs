//! Laws of bags (multisets), in cvc5's words.

use super::{Rule, equality, equivalence, implication};

const A: &str = "(a (Bag X))";
const AB: &str = "(a (Bag X)) (b (Bag X))";
const XAB: &str = "(x X) (a (Bag X)) (b (Bag X))";

pub const RULES: &[Rule] = &[
    equality(
        "bag-union-empty",
        A,
        "(bag.union_disjoint a (as bag.empty (Bag X)))",
        "a",
    ),
    equality("bag-union-max-idempotent", A, "(bag.union_max a a)", "a"),
    equality("bag-inter-min-idempotent", A, "(bag.inter_min a a)", "a"),
    equality(
        "bag-difference-self",
        A,
        "(bag.difference_subtract a a)",
        "(as bag.empty (Bag X))",
    ),
    equality(
        "bag-union-disjoint-commutes",
        AB,
        "(bag.union_disjoint a b)",
        "(bag.union_disjoint b a)",
    ),
    equality(
        "bag-count-union",
        XAB,
        "(bag.count x (bag.union_disjoint a b))",
        "(+ (bag.count x a) (bag.count x b))",
    ),
    equality(
        "bag-count-max",
        XAB,
        "(bag.count x (bag.union_max a b))",
        "(ite (>= (bag.count x a) (bag.count x b)) (bag.count x a) (bag.count x b))",
    ),
    equality(
        "bag-count-min",
        XAB,
        "(bag.count x (bag.inter_min a b))",
        "(ite (<= (bag.count x a) (bag.count x b)) (bag.count x a) (bag.count x b))",
    ),
    equality(
        "bag-count-difference",
        XAB,
        "(bag.count x (bag.difference_subtract a b))",
        "(ite (>= (bag.count x a) (bag.count x b)) (- (bag.count x a) (bag.count x b)) 0)",
    ),
    equality(
        "bag-count-single",
        "(x X) (n Int)",
        "(bag.count x (bag x n))",
        "(ite (>= n 1) n 0)",
    ),
    equality(
        "bag-union-max-plus-min",
        AB,
        "(bag.union_disjoint (bag.union_max a b) (bag.inter_min a b))",
        "(bag.union_disjoint a b)",
    ),
    equivalence(
        "bag-member-by-count",
        "(x X) (a (Bag X))",
        "(bag.member x a)",
        "(>= (bag.count x a) 1)",
    ),
    equivalence(
        "bag-subbag-by-difference",
        AB,
        "(bag.subbag a b)",
        "(= (bag.difference_subtract a b) (as bag.empty (Bag X)))",
    ),
    implication(
        "bag-subbag-count",
        XAB,
        "(bag.subbag a b)",
        "(<= (bag.count x a) (bag.count x b))",
    ),
    implication(
        "bag-count-natural",
        "(x X) (a (Bag X))",
        "true",
        "(>= (bag.count x a) 0)",
    ),
];
