//! Algebraic laws of bit-vectors: the thesis's equalities (table 4), and more of the kind.

use super::{Rule, equality, equivalence, implication};

const BECKER: &str = "Becker, table 4";

const S: &str = "(s (_ BitVec m))";
const ST: &str = "(s (_ BitVec m)) (t (_ BitVec m))";
const STU: &str = "(s (_ BitVec m)) (t (_ BitVec m)) (u (_ BitVec m))";
const ANY: &str = "1<=m";

pub const RULES: &[Rule] = &[
    equality("extract-whole", S, "((_ extract m-1 0) s)", "s")
        .sizes(ANY)
        .source(BECKER),
    equality("bvnot-bvnot", S, "(bvnot (bvnot s))", "s")
        .sizes(ANY)
        .source(BECKER),
    equality("bvadd-zero", ST, "(bvadd s t)", "s")
        .when(&["(= t (_ bv0 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("zero-bvadd", ST, "(bvadd t s)", "s")
        .when(&["(= t (_ bv0 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvmul-one", ST, "(bvmul s t)", "s")
        .when(&["(= t (_ bv1 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("one-bvmul", ST, "(bvmul t s)", "s")
        .when(&["(= t (_ bv1 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvudiv-one", ST, "(bvudiv s t)", "s")
        .when(&["(= t (_ bv1 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvurem-zero", ST, "(bvurem s t)", "s")
        .when(&["(= t (_ bv0 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvshl-zero", ST, "(bvshl s t)", "s")
        .when(&["(= t (_ bv0 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvlshr-zero", ST, "(bvlshr s t)", "s")
        .when(&["(= t (_ bv0 m))"])
        .sizes(ANY)
        .source(BECKER),
    equality("bvashr-zero", S, "(bvashr s (_ bv0 m))", "s").sizes(ANY),
    equality("bvand-idempotent", S, "(bvand s s)", "s")
        .sizes(ANY)
        .source(BECKER),
    equality("bvor-idempotent", S, "(bvor s s)", "s")
        .sizes(ANY)
        .source(BECKER),
    equality("bvneg-bvneg", S, "(bvneg (bvneg s))", "s").sizes(ANY),
    equality("bvxor-twice", ST, "(bvxor (bvxor s t) t)", "s").sizes(ANY),
    equality("bvadd-bvsub", ST, "(bvsub (bvadd s t) t)", "s").sizes(ANY),
    equality("bvand-ones", S, "(bvand s (_ bv2^m-1 m))", "s").sizes(ANY),
    equality("bvor-zero", S, "(bvor s (_ bv0 m))", "s").sizes(ANY),
    equality("bvxor-zero", S, "(bvxor s (_ bv0 m))", "s").sizes(ANY),
    equality("bvsdiv-one", S, "(bvsdiv s (_ bv1 m))", "s").sizes("2<=m"),
    equality("bvsrem-zero", S, "(bvsrem s (_ bv0 m))", "s").sizes(ANY),
    equality("bvsmod-zero", S, "(bvsmod s (_ bv0 m))", "s").sizes(ANY),
    equality("rotate-nothing", S, "((_ rotate_left m) s)", "s").sizes(ANY),
    equality(
        "rotate-back",
        S,
        "((_ rotate_right i) ((_ rotate_left i) s))",
        "s",
    )
    .sizes("1<=m 1<=i i<=4"),
    equality(
        "extend-extract",
        S,
        "((_ extract m-1 0) ((_ sign_extend i) s))",
        "s",
    )
    .sizes("1<=m 1<=i i<=8"),
    equality(
        "concat-extract",
        S,
        "(concat ((_ extract m-1 i) s) ((_ extract i-1 0) s))",
        "s",
    )
    .sizes("1<=i i<=m-1"),
    equality(
        "concat-extract-high",
        "(s (_ BitVec m)) (t (_ BitVec n))",
        "((_ extract m+n-1 n) (concat s t))",
        "s",
    )
    .sizes("1<=m 1<=n"),
    equality("bv-int-bv", S, "((_ int2bv m) (bv2nat s))", "s")
        .sizes(ANY)
        .small(),
    equality(
        "int-bv-int",
        "(i Int)",
        "(bv2nat ((_ int2bv m) i))",
        "(mod i 2^m)",
    )
    .sizes(ANY)
    .small(),
    equality("bvmul-zero", S, "(bvmul s (_ bv0 m))", "(_ bv0 m)")
        .sizes(ANY)
        .source(BECKER),
    equality("zero-bvmul", S, "(bvmul (_ bv0 m) s)", "(_ bv0 m)")
        .sizes(ANY)
        .source(BECKER),
    equality("bvand-zero", S, "(bvand s (_ bv0 m))", "(_ bv0 m)")
        .sizes(ANY)
        .source(BECKER),
    equality("zero-bvand", S, "(bvand (_ bv0 m) s)", "(_ bv0 m)")
        .sizes(ANY)
        .source(BECKER),
    equivalence("bvult-self", S, "(bvult s s)", "false")
        .sizes(ANY)
        .source(BECKER),
    equality("bvxor-self", S, "(bvxor s s)", "(_ bv0 m)").sizes(ANY),
    equality("bvsub-self", S, "(bvsub s s)", "(_ bv0 m)").sizes(ANY),
    equality("bvurem-self", S, "(bvurem s s)", "(_ bv0 m)").sizes(ANY),
    equality("bvor-ones", S, "(bvor s (_ bv2^m-1 m))", "(_ bv2^m-1 m)").sizes(ANY),
    equality("bvudiv-zero", S, "(bvudiv s (_ bv0 m))", "(_ bv2^m-1 m)").sizes(ANY),
    equality("bvadd-bvneg", S, "(bvadd s (bvneg s))", "(_ bv0 m)").sizes(ANY),
    equality("bvadd-bvnot", S, "(bvadd s (bvnot s))", "(_ bv2^m-1 m)").sizes(ANY),
    equality("bvshl-all", S, "(bvshl s (_ bvm m))", "(_ bv0 m)").sizes("3<=m"),
    equality("bvadd-commutes", ST, "(bvadd s t)", "(bvadd t s)").sizes(ANY),
    equality("bvmul-commutes", ST, "(bvmul s t)", "(bvmul t s)")
        .sizes(ANY)
        .small(),
    equality(
        "bvadd-associates",
        STU,
        "(bvadd (bvadd s t) u)",
        "(bvadd s (bvadd t u))",
    )
    .sizes(ANY),
    equality(
        "bvmul-distributes",
        STU,
        "(bvmul s (bvadd t u))",
        "(bvadd (bvmul s t) (bvmul s u))",
    )
    .sizes(ANY)
    .small(),
    equality(
        "bvand-distributes",
        STU,
        "(bvand s (bvor t u))",
        "(bvor (bvand s t) (bvand s u))",
    )
    .sizes(ANY),
    equality(
        "bv-de-morgan-and",
        ST,
        "(bvnot (bvand s t))",
        "(bvor (bvnot s) (bvnot t))",
    )
    .sizes(ANY),
    equality(
        "bv-de-morgan-or",
        ST,
        "(bvnot (bvor s t))",
        "(bvand (bvnot s) (bvnot t))",
    )
    .sizes(ANY),
    equality(
        "bvadd-by-xor-and",
        ST,
        "(bvadd s t)",
        "(bvadd (bvxor s t) (bvshl (bvand s t) (_ bv1 m)))",
    )
    .sizes("2<=m"),
    equality("bvmul-two", S, "(bvmul s (_ bv2 m))", "(bvshl s (_ bv1 m))").sizes("2<=m"),
    equality(
        "bvudiv-power",
        S,
        "(bvudiv s (_ bv2^i m))",
        "(bvlshr s (_ bvi m))",
    )
    .sizes("1<=i i<=m-1"),
    equality(
        "bvurem-power",
        S,
        "(bvurem s (_ bv2^i m))",
        "(bvand s (_ bv2^i-1 m))",
    )
    .sizes("1<=i i<=m-1"),
    equality(
        "bvudiv-bvurem",
        ST,
        "(bvadd (bvmul (bvudiv s t) t) (bvurem s t))",
        "s",
    )
    .sizes(ANY)
    .small(),
    equality(
        "bvsdiv-bvsrem",
        ST,
        "(bvadd (bvmul (bvsdiv s t) t) (bvsrem s t))",
        "s",
    )
    .sizes(ANY)
    .small(),
    equality(
        "bvlshr-bvshl",
        ST,
        "(bvshl (bvlshr s t) t)",
        "(bvand s (bvshl (_ bv2^m-1 m) t))",
    )
    .sizes(ANY),
    equality(
        "bvneg-bvmul",
        ST,
        "(bvmul (bvneg s) t)",
        "(bvneg (bvmul s t))",
    )
    .sizes(ANY)
    .small(),
    equality("bvnot-by-sub", S, "(bvnot s)", "(bvsub (_ bv2^m-1 m) s)").sizes(ANY),
    equivalence(
        "bvult-bvnot",
        ST,
        "(bvult s t)",
        "(bvult (bvnot t) (bvnot s))",
    )
    .sizes(ANY),
    equivalence(
        "bv-equal-by-bvxor",
        ST,
        "(= s t)",
        "(= (bvxor s t) (_ bv0 m))",
    )
    .sizes(ANY),
    equivalence(
        "bv-equal-by-bvule",
        ST,
        "(= s t)",
        "(and (bvule s t) (bvule t s))",
    )
    .sizes(ANY),
    equivalence("bv-equal-by-bvcomp", ST, "(= s t)", "(= (bvcomp s t) #b1)").sizes(ANY),
    equivalence(
        "bv-distinct-by-bvult",
        ST,
        "(distinct s t)",
        "(or (bvult s t) (bvult t s))",
    )
    .sizes(ANY),
    equivalence("bvule-zero", S, "(bvule s (_ bv0 m))", "(= s (_ bv0 m))").sizes(ANY),
    equivalence(
        "bv-even",
        S,
        "(= ((_ extract 0 0) s) #b0)",
        "(= (bvurem s (_ bv2 m)) (_ bv0 m))",
    )
    .sizes("2<=m"),
    implication("bvult-weakens", ST, "(bvult s t)", "(bvule s t)").sizes(ANY),
    implication("bvugt-weakens", ST, "(bvugt s t)", "(bvuge s t)").sizes(ANY),
    implication("bvslt-weakens", ST, "(bvslt s t)", "(bvsle s t)").sizes(ANY),
    implication("bvsgt-weakens", ST, "(bvsgt s t)", "(bvsge s t)").sizes(ANY),
    implication("bv-equal-weakens", ST, "(= s t)", "(bvule s t)").sizes(ANY),
    implication("bv-equal-weakens-signed", ST, "(= s t)", "(bvsge s t)").sizes(ANY),
    implication("bvult-distinct", ST, "(bvult s t)", "(distinct s t)").sizes(ANY),
    implication("bvslt-distinct", ST, "(bvslt s t)", "(distinct s t)").sizes(ANY),
    implication("bvand-least", ST, "true", "(bvule (bvand s t) s)").sizes(ANY),
    implication("bvor-most", ST, "true", "(bvuge (bvor s t) s)").sizes(ANY),
    implication(
        "bvurem-bound",
        ST,
        "(distinct t (_ bv0 m))",
        "(bvult (bvurem s t) t)",
    )
    .sizes(ANY)
    .small(),
    implication("bvlshr-bound", ST, "true", "(bvule (bvlshr s t) s)").sizes(ANY),
];
