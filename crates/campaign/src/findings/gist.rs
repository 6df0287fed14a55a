//! A bug in one line of a list: the assertions of its smallest script and its operators, which tell bugs with the same
//! headline apart.

use crate::findings::finding::Finding;
use crate::judge::candidate::Candidate;
use auspex_cases::oracle::Grounds;

const LETTERS: usize = 140;
const OPERATORS: usize = 4;

/// The decisive part: the place of a crash, the claim of a reply, the assertions of a reduced script, else what the
/// verdict rests on.
pub fn gist(finding: &Finding) -> String {
    let text = match (&finding.grounds, &finding.reduced) {
        (Grounds::Crash, _) if !finding.site.is_empty() => finding.site.clone(),
        (Grounds::Claim { claim, .. }, _) => claim.clone(),
        (Grounds::FalseAssertion { part, .. }, None) => part.clone(),
        (Grounds::FalseByEvaluation { assertion, .. }, None) => assertion.clone(),
        _ => assertions(finding.shown()),
    };
    short(&text)
}

fn assertions(script: &str) -> String {
    let inner = script
        .lines()
        .filter_map(|line| line.trim().strip_prefix("(assert ")?.strip_suffix(')'));
    let all: Vec<&str> = inner.map(without_name).collect();
    all.join("  ")
}

/// `(= x 1)` of `(! (= x 1) :named a0)`: names were mostly given to ask for cores.
fn without_name(assertion: &str) -> &str {
    let named = assertion
        .strip_prefix("(! ")
        .and_then(|rest| rest.rsplit_once(" :named "));
    match named {
        Some((term, name)) if name.find([')', ' ']) == Some(name.len() - 1) => term,
        _ => assertion,
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The operators outside the core, if they are few.
pub fn operators(finding: &Finding) -> Vec<String> {
    let names = Candidate::read(finding.shown()).map(|candidate| candidate.operators());
    names
        .filter(|names| names.len() <= OPERATORS)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    #[test]
    fn a_reduced_script_speaks_for_itself() {
        let mut finding = sample("a");
        assert_eq!(gist(&finding), "false");
        finding.reduced = Some(
            "(declare-const x Int)\n(assert (= (mod x 2) 1))\n(assert (< x 0))\n(check-sat)"
                .to_string(),
        );
        assert_eq!(gist(&finding), "(= (mod x 2) 1) (< x 0)");
        assert_eq!(operators(&finding), ["mod", "<"]);
        finding.reduced =
            Some("(assert (! (< x 0) :named a0))\n(assert (! p :pattern (q)))".to_string());
        assert_eq!(gist(&finding), "(< x 0) (! p :pattern (q))");
        finding.reduced = Some(format!("(assert (= 1 {}))", "1".repeat(999)));
        assert_eq!(gist(&finding).chars().count(), LETTERS + 1);
    }
}
