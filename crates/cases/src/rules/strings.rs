//! Laws of strings: what the extended functions do, said with simpler ones.

use super::{Rule, equality, equivalence, implication};

const BUGARIU: &str = "Bugariu and Müller, ICSE 2020";
const S: &str = "(s String)";
const ST: &str = "(s String) (t String)";
const STU: &str = "(s String) (t String) (u String)";

pub const RULES: &[Rule] = &[
    equality("str-concat-empty", S, "(str.++ s \"\")", "s"),
    equality("str-empty-concat", S, "(str.++ \"\" s)", "s"),
    equality("str-substr-whole", S, "(str.substr s 0 (str.len s))", "s"),
    equality("str-replace-self", ST, "(str.replace s t t)", "s"),
    equality(
        "str-replace-all-nothing",
        ST,
        "(str.replace_all s \"\" t)",
        "s",
    ),
    equality("str-replace-all-self", ST, "(str.replace_all s t t)", "s"),
    equality(
        "str-replace-empty",
        ST,
        "(str.replace s \"\" t)",
        "(str.++ t s)",
    ),
    equality("str-replace-whole", ST, "(str.replace s s t)", "t"),
    equality("str-code-char", S, "(str.from_code (str.to_code s))", "s")
        .when(&["(= (str.len s) 1)"]),
    equality(
        "str-int-digits",
        "(i Int)",
        "(str.to_int (str.from_int i))",
        "i",
    )
    .when(&["(>= i 0)"]),
    equality(
        "str-split",
        "(s String) (i Int)",
        "(str.++ (str.substr s 0 i) (str.substr s i (str.len s)))",
        "s",
    )
    .when(&["(<= 0 i)", "(<= i (str.len s))"]),
    equality(
        "str-concat-associates",
        STU,
        "(str.++ (str.++ s t) u)",
        "(str.++ s (str.++ t u))",
    ),
    equality(
        "str-len-concat",
        ST,
        "(str.len (str.++ s t))",
        "(+ (str.len s) (str.len t))",
    )
    .source(BUGARIU),
    equality(
        "str-len-at",
        "(s String) (i Int)",
        "(str.len (str.at s i))",
        "(ite (and (<= 0 i) (< i (str.len s))) 1 0)",
    ),
    equality(
        "str-len-substr",
        "(s String) (i Int) (n Int)",
        "(str.len (str.substr s i n))",
        "(ite (and (<= 0 i) (< i (str.len s)) (< 0 n)) \
         (ite (<= n (- (str.len s) i)) n (- (str.len s) i)) 0)",
    ),
    equality(
        "str-at-by-substr",
        "(s String) (i Int)",
        "(str.at s i)",
        "(str.substr s i 1)",
    )
    .source(BUGARIU),
    equality(
        "str-substr-by-substr",
        "(s String) (i Int) (n Int)",
        "(str.substr s i n)",
        "(str.substr (str.substr s i (str.len s)) 0 n)",
    ),
    equality(
        "str-replace-by-parts",
        STU,
        "(str.replace s t u)",
        "(ite (str.contains s t) (str.++ (str.substr s 0 (str.indexof s t 0)) u \
         (str.substr s (+ (str.indexof s t 0) (str.len t)) (str.len s))) s)",
    )
    .source(BUGARIU),
    equality(
        "str-indexof-empty",
        "(s String) (i Int)",
        "(str.indexof s \"\" i)",
        "(ite (and (<= 0 i) (<= i (str.len s))) i (- 1))",
    ),
    equality(
        "str-from-int-negative",
        "(i Int)",
        "(str.from_int i)",
        "\"\"",
    )
    .when(&["(< i 0)"]),
    equality("str-to-code-long", S, "(str.to_code s)", "(- 1)").when(&["(distinct (str.len s) 1)"]),
    equivalence(
        "str-prefixof-by-substr",
        ST,
        "(str.prefixof s t)",
        "(= s (str.substr t 0 (str.len s)))",
    )
    .source(BUGARIU),
    equivalence(
        "str-suffixof-by-substr",
        ST,
        "(str.suffixof s t)",
        "(= s (str.substr t (- (str.len t) (str.len s)) (str.len s)))",
    )
    .source(BUGARIU),
    equivalence(
        "str-contains-by-indexof",
        ST,
        "(str.contains s t)",
        "(>= (str.indexof s t 0) 0)",
    )
    .source(BUGARIU),
    equivalence(
        "str-prefixof-some",
        ST,
        "(str.prefixof s t)",
        "(exists ((q String)) (= t (str.++ s q)))",
    )
    .source(BUGARIU),
    equivalence(
        "str-suffixof-some",
        ST,
        "(str.suffixof s t)",
        "(exists ((q String)) (= t (str.++ q s)))",
    )
    .source(BUGARIU),
    equivalence(
        "str-contains-some",
        ST,
        "(str.contains s t)",
        "(exists ((q String) (r String)) (= s (str.++ q t r)))",
    )
    .source(BUGARIU),
    equivalence("str-contains-self", S, "(str.contains s s)", "true"),
    equivalence("str-contains-empty", S, "(str.contains s \"\")", "true"),
    equivalence("str-empty-by-len", S, "(= s \"\")", "(= (str.len s) 0)"),
    equivalence(
        "str-contains-concat",
        ST,
        "(str.contains (str.++ s t) t)",
        "true",
    ),
    equivalence(
        "str-le-by-lt",
        ST,
        "(str.<= s t)",
        "(or (str.< s t) (= s t))",
    ),
    equivalence("str-lt-total", ST, "(str.< s t)", "(not (str.<= t s))"),
    equivalence("str-lt-self", S, "(str.< s s)", "false"),
    equivalence("str-lt-empty", S, "(str.< \"\" s)", "(distinct s \"\")"),
    equivalence(
        "str-is-digit-by-code",
        S,
        "(str.is_digit s)",
        "(and (<= 48 (str.to_code s)) (<= (str.to_code s) 57))",
    ),
    equivalence(
        "str-is-digit-by-int",
        S,
        "(str.is_digit s)",
        "(and (= (str.len s) 1) (>= (str.to_int s) 0))",
    ),
    equivalence(
        "str-concat-equal",
        STU,
        "(= (str.++ s t) (str.++ s u))",
        "(= t u)",
    ),
    implication("str-lt-weakens", ST, "(str.< s t)", "(str.<= s t)"),
    implication(
        "str-prefixof-weakens",
        ST,
        "(str.prefixof s t)",
        "(str.<= s t)",
    ),
    implication(
        "str-prefixof-contains",
        ST,
        "(str.prefixof s t)",
        "(str.contains t s)",
    ),
    implication(
        "str-suffixof-contains",
        ST,
        "(str.suffixof s t)",
        "(str.contains t s)",
    ),
    implication(
        "str-contains-len",
        ST,
        "(str.contains s t)",
        "(>= (str.len s) (str.len t))",
    ),
    implication(
        "str-contains-transitive",
        STU,
        "(and (str.contains s t) (str.contains t u))",
        "(str.contains s u)",
    ),
    implication("str-len-natural", S, "true", "(>= (str.len s) 0)"),
    implication("str-equal-weakens", ST, "(= s t)", "(str.<= s t)"),
    implication("str-equal-prefixof", ST, "(= s t)", "(str.prefixof s t)"),
    implication("str-lt-distinct", ST, "(str.< s t)", "(distinct s t)"),
];
