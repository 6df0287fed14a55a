//! Laws of reals, and of the conversions between integers and reals.

use super::{Rule, equality, equivalence, implication};

const XY: &str = "(x Real) (y Real)";
const XYZ: &str = "(x Real) (y Real) (z Real)";

pub const RULES: &[Rule] = &[
    equality("real-add-zero", "(x Real)", "(+ x 0.0)", "x"),
    equality("real-zero-add", "(x Real)", "(+ 0.0 x)", "x"),
    equality("real-sub-zero", "(x Real)", "(- x 0.0)", "x"),
    equality("real-mul-one", "(x Real)", "(* x 1.0)", "x"),
    equality("real-mul-zero", "(x Real)", "(* 0.0 x)", "0.0"),
    equality("real-neg-neg", "(x Real)", "(- (- x))", "x"),
    equality("real-div-one", "(x Real)", "(/ x 1.0)", "x"),
    equality("real-halves", "(x Real)", "(+ (/ x 2.0) (/ x 2.0))", "x"),
    equality("real-add-commutes", XY, "(+ x y)", "(+ y x)"),
    equality("real-mul-commutes", XY, "(* x y)", "(* y x)"),
    equality("real-sub-by-neg", XY, "(- x y)", "(+ x (- y))"),
    equality("real-add-associates", XYZ, "(+ (+ x y) z)", "(+ x (+ y z))"),
    equality(
        "real-mul-distributes",
        XYZ,
        "(* x (+ y z))",
        "(+ (* x y) (* x z))",
    ),
    equality("real-div-mul", XY, "(* (/ x y) y)", "x").when(&["(not (= y 0.0))"]),
    equality("real-div-by-inverse", XY, "(/ x y)", "(* x (/ 1.0 y))").when(&["(not (= y 0.0))"]),
    equality("real-div-self", "(x Real)", "(/ x x)", "1.0").when(&["(not (= x 0.0))"]),
    equality("real-to-int-of-int", "(i Int)", "(to_int (to_real i))", "i"),
    equality(
        "real-to-int-shift",
        "(x Real)",
        "(to_int (+ x 1.0))",
        "(+ (to_int x) 1)",
    ),
    equality(
        "real-to-real-add",
        "(i Int) (j Int)",
        "(to_real (+ i j))",
        "(+ (to_real i) (to_real j))",
    ),
    equality(
        "real-to-real-mul",
        "(i Int) (j Int)",
        "(to_real (* i j))",
        "(* (to_real i) (to_real j))",
    ),
    equivalence(
        "real-is-int-of-int",
        "(i Int)",
        "(is_int (to_real i))",
        "true",
    ),
    equivalence(
        "real-is-int",
        "(x Real)",
        "(is_int x)",
        "(= x (to_real (to_int x)))",
    )
    .source("SMT-LIB theory Reals_Ints"),
    equivalence(
        "real-to-real-lt",
        "(i Int) (j Int)",
        "(< (to_real i) (to_real j))",
        "(< i j)",
    ),
    equivalence("real-le-by-lt", XY, "(<= x y)", "(or (< x y) (= x y))"),
    equivalence("real-lt-not-ge", XY, "(< x y)", "(not (>= x y))"),
    equivalence("real-lt-swap", XY, "(< x y)", "(> y x)"),
    equivalence("real-lt-by-zero", XY, "(< x y)", "(> (- y x) 0.0)"),
    equivalence("real-equal-by-le", XY, "(= x y)", "(and (<= x y) (<= y x))"),
    equivalence(
        "real-distinct-by-lt",
        XY,
        "(distinct x y)",
        "(or (< x y) (< y x))",
    ),
    equivalence("real-lt-scale", XY, "(< x y)", "(< (* 3.0 x) (* 3.0 y))"),
    implication("real-lt-weakens", XY, "(< x y)", "(<= x y)"),
    implication("real-gt-weakens", XY, "(> x y)", "(>= x y)"),
    implication("real-equal-weakens", XY, "(= x y)", "(>= x y)"),
    implication(
        "real-to-int-floor",
        "(x Real)",
        "true",
        "(and (<= (to_real (to_int x)) x) (< x (+ (to_real (to_int x)) 1.0)))",
    )
    .source("SMT-LIB theory Reals_Ints"),
    implication("real-square", "(x Real)", "true", "(>= (* x x) 0.0)"),
    implication(
        "real-between",
        XY,
        "(< x y)",
        "(and (< x (/ (+ x y) 2.0)) (< (/ (+ x y) 2.0) y))",
    ),
];
