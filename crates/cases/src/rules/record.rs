//! What solvers have proved: one line per claim with its title, a tab, and the solvers' names.
//! Rewrite rules and rules of approximation share the form; tests of the campaign write it.

use std::collections::HashMap;

/// The solvers that proved each claim.
pub struct Record(HashMap<&'static str, Vec<&'static str>>);

impl Record {
    /// Reads a record; lines that begin with `#` are comments.
    pub fn read(text: &'static str) -> Record {
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
        let record = Record::read("# who\n(and p _) truth\tz3 cvc5\nor-true\tz3\n");
        assert_eq!(record.provers("(and p _) truth"), ["z3", "cvc5"]);
        assert_eq!(record.provers("or-true"), ["z3"]);
        assert_eq!(record.provers("or-false"), [""; 0]);
    }
}
