//! Laws of floating point. NaN equals itself as a value and differs from everything as a number;
//! the two zeros are different values and the same number.

use super::{Rule, equality, equivalence, implication};

const STANDARD: &str = "SMT-LIB theory FloatingPoint";
const X: &str = "(x (_ FloatingPoint e k))";
const XY: &str = "(x (_ FloatingPoint e k)) (y (_ FloatingPoint e k))";
const RXY: &str = "(r RoundingMode) (x (_ FloatingPoint e k)) (y (_ FloatingPoint e k))";
const ANY: &str = "2<=e 2<=k";

pub const RULES: &[Rule] = &[
    equality("fp-neg-neg", X, "(fp.neg (fp.neg x))", "x").sizes(ANY),
    equality("fp-abs-abs", X, "(fp.abs (fp.abs x))", "(fp.abs x)").sizes(ANY),
    equality("fp-abs-neg", X, "(fp.abs (fp.neg x))", "(fp.abs x)").sizes(ANY),
    equality(
        "fp-abs-by-neg",
        X,
        "(fp.abs x)",
        "(ite (fp.isNegative x) (fp.neg x) x)",
    )
    .sizes(ANY),
    equality("fp-add-commutes", RXY, "(fp.add r x y)", "(fp.add r y x)").sizes(ANY),
    equality("fp-mul-commutes", RXY, "(fp.mul r x y)", "(fp.mul r y x)").sizes(ANY),
    equality(
        "fp-sub-by-neg",
        RXY,
        "(fp.sub r x y)",
        "(fp.add r x (fp.neg y))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "fp-mul-neg",
        XY,
        "(fp.mul RNE (fp.neg x) y)",
        "(fp.neg (fp.mul RNE x y))",
    )
    .sizes(ANY),
    equality(
        "fp-div-neg",
        XY,
        "(fp.div RTZ (fp.neg x) y)",
        "(fp.neg (fp.div RTZ x y))",
    )
    .sizes(ANY),
    equality(
        "fp-round-twice",
        "(r RoundingMode) (x (_ FloatingPoint e k))",
        "(fp.roundToIntegral r (fp.roundToIntegral r x))",
        "(fp.roundToIntegral r x)",
    )
    .sizes(ANY),
    equality(
        "fp-to-fp-same",
        "(r RoundingMode) (x (_ FloatingPoint e k))",
        "((_ to_fp e k) r x)",
        "x",
    )
    .sizes(ANY),
    equality(
        "fp-by-parts",
        "(s (_ BitVec 1)) (a (_ BitVec e)) (b (_ BitVec m))",
        "(fp s a b)",
        "((_ to_fp e m+1) (concat s a b))",
    )
    .sizes("2<=e 1<=m")
    .source(STANDARD),
    equivalence("fp-lt-swap", XY, "(fp.lt x y)", "(fp.gt y x)")
        .sizes(ANY)
        .source(STANDARD),
    equivalence("fp-leq-swap", XY, "(fp.leq x y)", "(fp.geq y x)")
        .sizes(ANY)
        .source(STANDARD),
    equivalence(
        "fp-leq-by-lt",
        XY,
        "(fp.leq x y)",
        "(or (fp.lt x y) (fp.eq x y))",
    )
    .sizes(ANY),
    equivalence(
        "fp-lt-neg",
        XY,
        "(fp.lt x y)",
        "(fp.lt (fp.neg y) (fp.neg x))",
    )
    .sizes(ANY),
    equivalence("fp-eq-commutes", XY, "(fp.eq x y)", "(fp.eq y x)").sizes(ANY),
    equivalence(
        "fp-eq-by-leq",
        XY,
        "(fp.eq x y)",
        "(and (fp.leq x y) (fp.leq y x))",
    )
    .sizes(ANY),
    equivalence(
        "fp-eq-by-equal",
        XY,
        "(fp.eq x y)",
        "(or (and (= x y) (not (fp.isNaN x))) (and (fp.isZero x) (fp.isZero y)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence("fp-is-nan", X, "(fp.isNaN x)", "(not (fp.eq x x))").sizes(ANY),
    equivalence("fp-is-nan-value", X, "(fp.isNaN x)", "(= x (_ NaN e k))").sizes(ANY),
    equivalence(
        "fp-is-zero",
        X,
        "(fp.isZero x)",
        "(or (= x (_ +zero e k)) (= x (_ -zero e k)))",
    )
    .sizes(ANY),
    equivalence(
        "fp-is-infinite",
        X,
        "(fp.isInfinite x)",
        "(or (= x (_ +oo e k)) (= x (_ -oo e k)))",
    )
    .sizes(ANY),
    equivalence(
        "fp-is-negative",
        X,
        "(fp.isNegative x)",
        "(and (not (fp.isNaN x)) (not (fp.isPositive x)))",
    )
    .sizes(ANY),
    equivalence(
        "fp-classes",
        X,
        "(fp.isNormal x)",
        "(not (or (fp.isSubnormal x) (fp.isZero x) (fp.isInfinite x) (fp.isNaN x)))",
    )
    .sizes(ANY),
    implication("fp-lt-weakens", XY, "(fp.lt x y)", "(fp.leq x y)").sizes(ANY),
    implication("fp-gt-weakens", XY, "(fp.gt x y)", "(fp.geq x y)").sizes(ANY),
    implication("fp-eq-weakens", XY, "(fp.eq x y)", "(fp.leq x y)").sizes(ANY),
    implication("fp-lt-distinct", XY, "(fp.lt x y)", "(distinct x y)").sizes(ANY),
    implication("fp-lt-numbers", XY, "(fp.lt x y)", "(not (fp.isNaN x))").sizes(ANY),
    implication(
        "fp-infinity-top",
        X,
        "(not (fp.isNaN x))",
        "(fp.leq x (_ +oo e k))",
    )
    .sizes(ANY),
    implication(
        "fp-sqrt-sign",
        "(r RoundingMode) (x (_ FloatingPoint e k))",
        "(fp.lt (fp.sqrt r x) (_ +zero e k))",
        "false",
    )
    .sizes(ANY),
];
