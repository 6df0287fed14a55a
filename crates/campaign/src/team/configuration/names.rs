//! What the names of options tell: which belong together, and the theories that they are about.

use auspex_logic::{Theory, TheorySet};

/// The part of a name that related options share: the module and its first part, or the first word.
pub(super) fn group_of(name: &str) -> &str {
    let mut dots = name.match_indices('.').map(|(at, _)| at);
    match (dots.next(), dots.next()) {
        (Some(_), Some(second)) => &name[..second],
        (Some(first), None) => &name[..first],
        (None, _) => name.split('-').next().unwrap_or(name),
    }
}

/// Words in names of options, and the theories that they tell of.
const WORDS: &[(&[&str], &[Theory])] = &[
    (
        &[
            "bv", "bit", "bits", "bitblast", "bitwise", "int2bv", "bvand", "aig",
        ],
        &[Theory::BitVectors],
    ),
    (
        &[
            "arith", "nl", "nla", "nra", "nlsat", "lp", "int", "lia", "lra", "simplex", "grobner",
            "iand", "dio", "gcd", "pivot", "som", "sums", "mul", "sum", "ineq", "le", "lt", "cuts",
            "soi", "pow",
        ],
        &[Theory::Ints, Theory::Reals],
    ),
    (&["array", "arrays", "select", "store"], &[Theory::Arrays]),
    (
        &["str", "string", "strings", "seq", "re", "regex", "z3str3"],
        &[Theory::Strings, Theory::Regex, Theory::Sequences],
    ),
    (&["fp", "fpa", "float"], &[Theory::FloatingPoint]),
    (
        &["dt", "datatype", "datatypes", "cdt"],
        &[Theory::Datatypes],
    ),
    (
        &["sets", "bags", "rels"],
        &[Theory::Sets, Theory::Bags, Theory::Relations],
    ),
    (&["ff"], &[Theory::FiniteFields]),
    (&["sep"], &[Theory::Separation]),
];

/// The theories that the name of an option tells of.
pub(in crate::team) fn theories_of(name: &str) -> TheorySet {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let rows = WORDS
        .iter()
        .filter(|(known, _)| known.iter().any(|word| words.contains(word)));
    let theories: Vec<Theory> = rows.flat_map(|(_, theories)| *theories).copied().collect();
    TheorySet::of(&theories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_groups_and_theories() {
        assert_eq!(group_of("smt.arith.nl.nra"), "smt.arith");
        assert_eq!(group_of("rewriter.flat"), "rewriter");
        assert_eq!(group_of("bv-solver"), "bv");
        assert!(theories_of("smt.bv.solver").contains(Theory::BitVectors));
        assert!(theories_of("nl-ext-tplanes").contains(Theory::Reals));
        assert_eq!(theories_of("auto_config"), TheorySet::default());
    }
}
