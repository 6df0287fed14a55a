//! Laws of integers. Division and remainder are open where the divisor is zero, so their laws exclude that.

use super::{Rule, equality, equivalence, implication};

const XY: &str = "(x Int) (y Int)";
const XYZ: &str = "(x Int) (y Int) (z Int)";

pub const RULES: &[Rule] = &[
    equality("int-add-zero", "(x Int)", "(+ x 0)", "x"),
    equality("int-zero-add", "(x Int)", "(+ 0 x)", "x"),
    equality("int-sub-zero", "(x Int)", "(- x 0)", "x"),
    equality("int-mul-one", "(x Int)", "(* x 1)", "x"),
    equality("int-one-mul", "(x Int)", "(* 1 x)", "x"),
    equality("int-mul-zero", "(x Int)", "(* x 0)", "0"),
    equality("int-neg-neg", "(x Int)", "(- (- x))", "x"),
    equality("int-sub-self", "(x Int)", "(- x x)", "0"),
    equality("int-div-one", "(x Int)", "(div x 1)", "x"),
    equality("int-mod-one", "(x Int)", "(mod x 1)", "0"),
    equality("int-abs-abs", "(x Int)", "(abs (abs x))", "(abs x)"),
    equality("int-abs", "(x Int)", "(abs x)", "(ite (>= x 0) x (- x))"),
    equality("int-abs-neg", "(x Int)", "(abs (- x))", "(abs x)"),
    equality("int-neg-by-mul", "(x Int)", "(- x)", "(* (- 1) x)"),
    equality("int-double", "(x Int)", "(* 2 x)", "(+ x x)"),
    equality("int-add-commutes", XY, "(+ x y)", "(+ y x)"),
    equality("int-mul-commutes", XY, "(* x y)", "(* y x)"),
    equality("int-sub-by-neg", XY, "(- x y)", "(+ x (- y))"),
    equality("int-sub-swap", XY, "(- x y)", "(- (- y x))"),
    equality("int-add-sub", XY, "(- (+ x y) y)", "x"),
    equality("int-add-associates", XYZ, "(+ (+ x y) z)", "(+ x (+ y z))"),
    equality(
        "int-mul-distributes",
        XYZ,
        "(* x (+ y z))",
        "(+ (* x y) (* x z))",
    ),
    equality("int-sub-chain", XYZ, "(- x y z)", "(- x (+ y z))"),
    equality("int-div-mod", XY, "(+ (* y (div x y)) (mod x y))", "x")
        .when(&["(not (= y 0))"])
        .source("SMT-LIB theory Ints"),
    equality("int-mod-by-div", XY, "(mod x y)", "(- x (* y (div x y)))")
        .when(&["(not (= y 0))"])
        .source("SMT-LIB theory Ints"),
    equality("int-div-neg", XY, "(div x (- y))", "(- (div x y))").when(&["(not (= y 0))"]),
    equality("int-mod-neg", XY, "(mod x (- y))", "(mod x y)").when(&["(not (= y 0))"]),
    equality("int-mod-mod", XY, "(mod (mod x y) y)", "(mod x y)").when(&["(not (= y 0))"]),
    equality("int-mod-shift", "(x Int)", "(mod (+ x 5) 5)", "(mod x 5)"),
    equality("int-div-two", "(x Int)", "(div (* 2 x) 2)", "x"),
    equality("int-mul-div", XY, "(div (* x y) y)", "x").when(&["(not (= y 0))"]),
    equivalence(
        "int-divisible",
        "(x Int)",
        "((_ divisible n) x)",
        "(= (mod x n) 0)",
    )
    .sizes("1<=n")
    .source("SMT-LIB theory Ints"),
    equivalence("int-le-by-lt", XY, "(<= x y)", "(or (< x y) (= x y))"),
    equivalence("int-lt-not-ge", XY, "(< x y)", "(not (>= x y))"),
    equivalence("int-lt-swap", XY, "(< x y)", "(> y x)"),
    equivalence("int-le-swap", XY, "(<= x y)", "(>= y x)"),
    equivalence("int-lt-by-le", XY, "(< x y)", "(<= (+ x 1) y)"),
    equivalence("int-lt-by-zero", XY, "(< x y)", "(< (- x y) 0)"),
    equivalence("int-equal-by-le", XY, "(= x y)", "(and (<= x y) (<= y x))"),
    equivalence(
        "int-distinct-by-lt",
        XY,
        "(distinct x y)",
        "(or (< x y) (< y x))",
    ),
    equivalence("int-le-neg", XY, "(<= x y)", "(<= (- y) (- x))"),
    equivalence("int-lt-add", XYZ, "(< x y)", "(< (+ x z) (+ y z))"),
    equivalence("int-lt-chain", XYZ, "(< x y z)", "(and (< x y) (< y z))"),
    implication("int-lt-weakens", XY, "(< x y)", "(<= x y)"),
    implication("int-gt-weakens", XY, "(> x y)", "(>= x y)"),
    implication("int-equal-weakens", XY, "(= x y)", "(<= x y)"),
    implication("int-lt-distinct", XY, "(< x y)", "(distinct x y)"),
    implication(
        "int-mod-range",
        XY,
        "(not (= y 0))",
        "(and (<= 0 (mod x y)) (< (mod x y) (abs y)))",
    )
    .source("SMT-LIB theory Ints"),
    implication("int-square", "(x Int)", "true", "(>= (* x x) 0)"),
    implication("int-abs-least", "(x Int)", "true", "(>= (abs x) x)"),
];
