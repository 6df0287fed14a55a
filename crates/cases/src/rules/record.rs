//! The records of solvers' proofs: one file for each theory, with a line for each rule: its title, a tab, and the
//! solvers' names. A test of the campaign writes them.

use auspex_logic::Theory;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The solvers that proved each rule of a theory.
pub struct Record(HashMap<&'static str, Vec<&'static str>>);

/// The theories that have rules, each with the name and the text of its record.
pub const RECORDS: &[(Theory, &str, &str)] = &[
    record(Theory::Core, "core", include_str!("tables/core.proved")),
    record(Theory::Ints, "ints", include_str!("tables/ints.proved")),
    record(Theory::Reals, "reals", include_str!("tables/reals.proved")),
    record(
        Theory::BitVectors,
        "bitvec",
        include_str!("tables/bitvec.proved"),
    ),
    record(
        Theory::FloatingPoint,
        "float",
        include_str!("tables/float.proved"),
    ),
    record(
        Theory::Strings,
        "strings",
        include_str!("tables/strings.proved"),
    ),
    record(Theory::Regex, "regex", include_str!("tables/regex.proved")),
    record(
        Theory::Arrays,
        "arrays",
        include_str!("tables/arrays.proved"),
    ),
    record(
        Theory::Datatypes,
        "datatypes",
        include_str!("tables/datatypes.proved"),
    ),
    record(
        Theory::Sequences,
        "sequences",
        include_str!("tables/sequences.proved"),
    ),
    record(Theory::Sets, "sets", include_str!("tables/sets.proved")),
    record(Theory::Bags, "bags", include_str!("tables/bags.proved")),
];

const fn record(
    theory: Theory,
    name: &'static str,
    text: &'static str,
) -> (Theory, &'static str, &'static str) {
    (theory, name, text)
}

impl Record {
    /// The record of a theory; empty for a theory without one.
    pub fn of(theory: Theory) -> &'static Record {
        static ALL: LazyLock<Vec<(Theory, Record)>> = LazyLock::new(|| {
            let read =
                |(theory, _, text): &(Theory, &str, &'static str)| (*theory, Record::read(text));
            RECORDS.iter().map(read).collect()
        });
        static EMPTY: LazyLock<Record> = LazyLock::new(|| Record::read(""));
        let found = ALL.iter().find(|(known, _)| *known == theory);
        found.map_or(&EMPTY, |(_, record)| record)
    }

    /// Reads a record; lines that start with `#` are comments.
    fn read(text: &'static str) -> Record {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let rows = lines.filter_map(|line| line.split_once('\t'));
        let row = |(title, solvers): (&'static str, &'static str)| {
            (title, solvers.split_whitespace().collect())
        };
        Record(rows.map(row).collect())
    }

    /// The solvers that proved a claim; empty if there are none.
    pub fn provers(&self, title: &str) -> &[&'static str] {
        self.0.get(title).map_or(&[], Vec::as_slice)
    }
}

/// One line of a record.
pub fn line(title: &str, provers: &[&str]) -> String {
    format!("{title}\t{}\n", provers.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_may_have_spaces() {
        let record = Record::read("# who\nmonotone (and p _) truth\tz3 cvc5\nlaw or-true\tz3\n");
        assert_eq!(record.provers("monotone (and p _) truth"), ["z3", "cvc5"]);
        assert_eq!(record.provers("law or-true"), ["z3"]);
        assert_eq!(record.provers("law or-false"), [""; 0]);
    }
}
