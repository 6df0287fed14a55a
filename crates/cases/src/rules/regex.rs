//! Laws of regular expressions: membership, and one operator by others.

use super::{Rule, equivalence, implication};

const SR: &str = "(s String) (r RegLan)";
const SRQ: &str = "(s String) (r RegLan) (q RegLan)";

pub const RULES: &[Rule] = &[
    equivalence(
        "re-to-re",
        "(s String) (t String)",
        "(str.in_re s (str.to_re t))",
        "(= s t)",
    ),
    equivalence("re-none", "(s String)", "(str.in_re s re.none)", "false"),
    equivalence("re-all", "(s String)", "(str.in_re s re.all)", "true"),
    equivalence(
        "re-allchar",
        "(s String)",
        "(str.in_re s re.allchar)",
        "(= (str.len s) 1)",
    ),
    equivalence(
        "re-union",
        SRQ,
        "(str.in_re s (re.union r q))",
        "(or (str.in_re s r) (str.in_re s q))",
    ),
    equivalence(
        "re-inter",
        SRQ,
        "(str.in_re s (re.inter r q))",
        "(and (str.in_re s r) (str.in_re s q))",
    ),
    equivalence(
        "re-comp",
        SR,
        "(str.in_re s (re.comp r))",
        "(not (str.in_re s r))",
    ),
    equivalence(
        "re-diff",
        SRQ,
        "(str.in_re s (re.diff r q))",
        "(and (str.in_re s r) (not (str.in_re s q)))",
    ),
    equivalence(
        "re-opt",
        SR,
        "(str.in_re s (re.opt r))",
        "(or (= s \"\") (str.in_re s r))",
    ),
    equivalence(
        "re-plus",
        SR,
        "(str.in_re s (re.+ r))",
        "(str.in_re s (re.++ r (re.* r)))",
    ),
    equivalence(
        "re-star-plus",
        SR,
        "(str.in_re s (re.* r))",
        "(or (= s \"\") (str.in_re s (re.+ r)))",
    ),
    equivalence(
        "re-star-star",
        SR,
        "(str.in_re s (re.* (re.* r)))",
        "(str.in_re s (re.* r))",
    ),
    equivalence(
        "re-concat-empty",
        SR,
        "(str.in_re s (re.++ r (str.to_re \"\")))",
        "(str.in_re s r)",
    ),
    equivalence(
        "re-concat-none",
        SR,
        "(str.in_re s (re.++ re.none r))",
        "false",
    ),
    equivalence(
        "re-power-two",
        SR,
        "(str.in_re s ((_ re.^ 2) r))",
        "(str.in_re s (re.++ r r))",
    ),
    equivalence(
        "re-loop",
        SR,
        "(str.in_re s ((_ re.loop 1 2) r))",
        "(str.in_re s (re.union r (re.++ r r)))",
    ),
    equivalence(
        "re-range-digit",
        "(s String)",
        "(str.in_re s (re.range \"0\" \"9\"))",
        "(str.is_digit s)",
    ),
    equivalence(
        "re-range-by-order",
        "(s String)",
        "(str.in_re s (re.range \"a\" \"c\"))",
        "(and (= (str.len s) 1) (str.<= \"a\" s) (str.<= s \"c\"))",
    ),
    equivalence(
        "re-prefix",
        "(s String) (t String)",
        "(str.in_re s (re.++ (str.to_re t) re.all))",
        "(str.prefixof t s)",
    ),
    equivalence(
        "re-contains",
        "(s String) (t String)",
        "(str.in_re s (re.++ re.all (str.to_re t) re.all))",
        "(str.contains s t)",
    ),
    equivalence(
        "re-comp-comp",
        SR,
        "(str.in_re s (re.comp (re.comp r)))",
        "(str.in_re s r)",
    ),
    equivalence(
        "re-de-morgan",
        SRQ,
        "(str.in_re s (re.comp (re.union r q)))",
        "(str.in_re s (re.inter (re.comp r) (re.comp q)))",
    ),
    implication(
        "re-union-weakens",
        SRQ,
        "(str.in_re s r)",
        "(str.in_re s (re.union q r))",
    ),
    implication(
        "re-star-weakens",
        SR,
        "(str.in_re s r)",
        "(str.in_re s (re.* r))",
    ),
    implication(
        "re-inter-strengthens",
        SRQ,
        "(str.in_re s (re.inter r q))",
        "(str.in_re s q)",
    ),
];
