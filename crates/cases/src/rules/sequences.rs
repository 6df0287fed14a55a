//! Laws of sequences, which are those of strings where they do not look at characters.

use super::{Rule, equality, equivalence, implication};

const S: &str = "(s (Seq X))";
const ST: &str = "(s (Seq X)) (t (Seq X))";
const STU: &str = "(s (Seq X)) (t (Seq X)) (u (Seq X))";

pub const RULES: &[Rule] = &[
    equality(
        "seq-concat-empty",
        S,
        "(seq.++ s (as seq.empty (Seq X)))",
        "s",
    ),
    equality("seq-extract-whole", S, "(seq.extract s 0 (seq.len s))", "s"),
    equality("seq-replace-self", ST, "(seq.replace s t t)", "s"),
    equality("seq-replace-whole", ST, "(seq.replace s s t)", "t"),
    equality("seq-nth-unit", "(x X)", "(seq.nth (seq.unit x) 0)", "x"),
    equality(
        "seq-concat-associates",
        STU,
        "(seq.++ (seq.++ s t) u)",
        "(seq.++ s (seq.++ t u))",
    ),
    equality(
        "seq-len-concat",
        ST,
        "(seq.len (seq.++ s t))",
        "(+ (seq.len s) (seq.len t))",
    ),
    equality("seq-len-unit", "(x X)", "(seq.len (seq.unit x))", "1"),
    equality(
        "seq-at-by-extract",
        "(s (Seq X)) (i Int)",
        "(seq.at s i)",
        "(seq.extract s i 1)",
    ),
    equality(
        "seq-at-by-nth",
        "(s (Seq X)) (i Int)",
        "(seq.at s i)",
        "(seq.unit (seq.nth s i))",
    )
    .when(&["(<= 0 i)", "(< i (seq.len s))"]),
    equivalence(
        "seq-prefixof-by-extract",
        ST,
        "(seq.prefixof s t)",
        "(= s (seq.extract t 0 (seq.len s)))",
    ),
    equivalence(
        "seq-suffixof-by-extract",
        ST,
        "(seq.suffixof s t)",
        "(= s (seq.extract t (- (seq.len t) (seq.len s)) (seq.len s)))",
    ),
    equivalence(
        "seq-contains-by-indexof",
        ST,
        "(seq.contains s t)",
        "(>= (seq.indexof s t 0) 0)",
    ),
    equivalence("seq-contains-self", S, "(seq.contains s s)", "true"),
    equivalence(
        "seq-contains-concat",
        ST,
        "(seq.contains (seq.++ s t) t)",
        "true",
    ),
    equivalence(
        "seq-empty-by-len",
        S,
        "(= s (as seq.empty (Seq X)))",
        "(= (seq.len s) 0)",
    ),
    equivalence(
        "seq-unit-equal",
        "(x X) (y X)",
        "(= (seq.unit x) (seq.unit y))",
        "(= x y)",
    ),
    equivalence(
        "seq-concat-equal",
        STU,
        "(= (seq.++ s t) (seq.++ s u))",
        "(= t u)",
    ),
    implication(
        "seq-prefixof-contains",
        ST,
        "(seq.prefixof s t)",
        "(seq.contains t s)",
    ),
    implication(
        "seq-contains-len",
        ST,
        "(seq.contains s t)",
        "(>= (seq.len s) (seq.len t))",
    ),
];
