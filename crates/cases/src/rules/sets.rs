//! Laws of finite sets, in cvc5's words.

use super::{Rule, equality, equivalence, implication};

const A: &str = "(a (Set X))";
const AB: &str = "(a (Set X)) (b (Set X))";
const ABC: &str = "(a (Set X)) (b (Set X)) (c (Set X))";
const XAB: &str = "(x X) (a (Set X)) (b (Set X))";

pub const RULES: &[Rule] = &[
    equality(
        "set-union-empty",
        A,
        "(set.union a (as set.empty (Set X)))",
        "a",
    ),
    equality("set-union-idempotent", A, "(set.union a a)", "a"),
    equality("set-inter-idempotent", A, "(set.inter a a)", "a"),
    equality(
        "set-minus-empty",
        A,
        "(set.minus a (as set.empty (Set X)))",
        "a",
    ),
    equality(
        "set-union-absorbs",
        AB,
        "(set.union a (set.inter a b))",
        "a",
    ),
    equality(
        "set-inter-absorbs",
        AB,
        "(set.inter a (set.union a b))",
        "a",
    ),
    equality(
        "set-minus-self",
        A,
        "(set.minus a a)",
        "(as set.empty (Set X))",
    ),
    equality(
        "set-union-commutes",
        AB,
        "(set.union a b)",
        "(set.union b a)",
    ),
    equality(
        "set-inter-commutes",
        AB,
        "(set.inter a b)",
        "(set.inter b a)",
    ),
    equality(
        "set-inter-by-minus",
        AB,
        "(set.inter a b)",
        "(set.minus a (set.minus a b))",
    ),
    equality(
        "set-union-distributes",
        ABC,
        "(set.inter a (set.union b c))",
        "(set.union (set.inter a b) (set.inter a c))",
    ),
    equality(
        "set-insert-by-union",
        "(x X) (a (Set X))",
        "(set.insert x a)",
        "(set.union (set.singleton x) a)",
    ),
    equality(
        "set-card-union",
        AB,
        "(+ (set.card (set.union a b)) (set.card (set.inter a b)))",
        "(+ (set.card a) (set.card b))",
    ),
    equality(
        "set-card-singleton",
        "(x X)",
        "(set.card (set.singleton x))",
        "1",
    ),
    equivalence(
        "set-member-union",
        XAB,
        "(set.member x (set.union a b))",
        "(or (set.member x a) (set.member x b))",
    ),
    equivalence(
        "set-member-inter",
        XAB,
        "(set.member x (set.inter a b))",
        "(and (set.member x a) (set.member x b))",
    ),
    equivalence(
        "set-member-minus",
        XAB,
        "(set.member x (set.minus a b))",
        "(and (set.member x a) (not (set.member x b)))",
    ),
    equivalence(
        "set-member-singleton",
        "(x X) (y X)",
        "(set.member x (set.singleton y))",
        "(= x y)",
    ),
    equivalence(
        "set-subset-by-union",
        AB,
        "(set.subset a b)",
        "(= (set.union a b) b)",
    ),
    equivalence(
        "set-subset-by-inter",
        AB,
        "(set.subset a b)",
        "(= (set.inter a b) a)",
    ),
    equivalence(
        "set-subset-by-minus",
        AB,
        "(set.subset a b)",
        "(= (set.minus a b) (as set.empty (Set X)))",
    ),
    equivalence(
        "set-equal-by-subset",
        AB,
        "(= a b)",
        "(and (set.subset a b) (set.subset b a))",
    ),
    equivalence(
        "set-is-empty",
        A,
        "(set.is_empty a)",
        "(= a (as set.empty (Set X)))",
    ),
    equivalence(
        "set-singleton-equal",
        "(x X) (y X)",
        "(= (set.singleton x) (set.singleton y))",
        "(= x y)",
    ),
    implication(
        "set-subset-member",
        XAB,
        "(and (set.subset a b) (set.member x a))",
        "(set.member x b)",
    ),
    implication(
        "set-subset-card",
        AB,
        "(set.subset a b)",
        "(<= (set.card a) (set.card b))",
    ),
    implication(
        "set-union-weakens",
        AB,
        "true",
        "(set.subset a (set.union a b))",
    ),
];
