//! Laws of arrays: read over write, extensionality, constant arrays.

use super::{Rule, equality, equivalence, implication};

const STANDARD: &str = "SMT-LIB theory ArraysEx";
const AIE: &str = "(a (Array X Y)) (i X) (e Y)";
const AIJE: &str = "(a (Array X Y)) (i X) (j X) (e Y)";

pub const RULES: &[Rule] = &[
    equality("select-store-same", AIE, "(select (store a i e) i)", "e").source(STANDARD),
    equality(
        "select-store-other",
        AIJE,
        "(select (store a i e) j)",
        "(select a j)",
    )
    .when(&["(distinct i j)"])
    .source(STANDARD),
    equality(
        "select-store",
        AIJE,
        "(select (store a i e) j)",
        "(ite (= i j) e (select a j))",
    ),
    equality(
        "store-twice",
        "(a (Array X Y)) (i X) (e Y) (f Y)",
        "(store (store a i f) i e)",
        "(store a i e)",
    ),
    equality(
        "store-select",
        "(a (Array X Y)) (i X)",
        "(store a i (select a i))",
        "a",
    ),
    equality(
        "store-commutes",
        "(a (Array X Y)) (i X) (j X) (e Y) (f Y)",
        "(store (store a i e) j f)",
        "(store (store a j f) i e)",
    )
    .when(&["(distinct i j)"]),
    equality(
        "select-const",
        "(i X) (e Y)",
        "(select ((as const (Array X Y)) e) i)",
        "e",
    )
    .source("Becker, table 9"),
    equality(
        "store-const",
        "(i X) (e Y)",
        "(store ((as const (Array X Y)) e) i e)",
        "((as const (Array X Y)) e)",
    ),
    equality(
        "select-ite",
        "(p Bool) (a (Array X Y)) (b (Array X Y)) (i X)",
        "(select (ite p a b) i)",
        "(ite p (select a i) (select b i))",
    ),
    equivalence(
        "const-equal",
        "(e Y) (f Y) (i X)",
        "(= ((as const (Array X Y)) e) ((as const (Array X Y)) f))",
        "(= e f)",
    ),
    equivalence(
        "store-equal",
        "(a (Array X Y)) (i X) (e Y) (f Y)",
        "(= (store a i e) (store a i f))",
        "(= e f)",
    ),
    equivalence(
        "store-nothing",
        AIE,
        "(= (store a i e) a)",
        "(= (select a i) e)",
    ),
    equivalence(
        "store-swap",
        "(a (Array X Y)) (b (Array X Y)) (i X) (e Y)",
        "(= (store a i e) (store b i e))",
        "(= (store a i (select b i)) b)",
    ),
    equivalence(
        "extensionality",
        "(a (Array X Y)) (b (Array X Y))",
        "(= a b)",
        "(forall ((q X)) (= (select a q) (select b q)))",
    )
    .source(STANDARD),
    equivalence(
        "difference",
        "(a (Array X Y)) (b (Array X Y))",
        "(distinct a b)",
        "(exists ((q X)) (distinct (select a q) (select b q)))",
    )
    .source(STANDARD),
    implication(
        "select-congruent",
        "(a (Array X Y)) (b (Array X Y)) (i X)",
        "(= a b)",
        "(= (select a i) (select b i))",
    ),
    implication(
        "store-congruent",
        "(a (Array X Y)) (i X) (j X) (e Y)",
        "(= i j)",
        "(= (store a i e) (store a j e))",
    ),
];
