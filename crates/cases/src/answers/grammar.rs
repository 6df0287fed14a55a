//! SyGuS grammars: decides whether a grammar generates a term.
//!
//! ```text
//! ((S Bool) (I Int)) ((S Bool ((> I I))) (I Int (x 1 3 (+ I I))))      makes (> x (+ 1 3)), not (> x 4)
//! ```

use super::Obligation;
use super::reading::short;
use auspex_syntax::{Document, Sexpr};
use std::collections::HashMap;

/// Why a term is wrong that the grammar does not generate; none if it does, or if that is unknown.
pub(super) fn obligation(grammar: &[String], term: &str) -> Option<Obligation> {
    let made = is_made(grammar, term)?;
    (!made).then(|| {
        let found = format!("The grammar does not generate {}.", short(term));
        Obligation::wrong("The grammar generates the answer.", found)
    })
}

/// The limit of comparisons of terms with rules.
const MOST_WORK: usize = 100_000;

/// Whether a grammar, given by the texts of its groups or of its symbols and its groups, makes a term.
fn is_made(grammar: &[String], term: &str) -> Option<bool> {
    // `let` is notation only.
    if term.contains("(let ") {
        return None;
    }
    let groups = Document::read(grammar.last()?.as_str()).ok()?;
    let term = Document::read(term).ok()?;
    let mut rules: HashMap<&str, Vec<Sexpr<'_>>> = HashMap::new();
    let mut first = None;
    for group in groups.items().next()?.items() {
        let name = group.item(0)?.text();
        first.get_or_insert(name);
        rules.insert(name, group.item(2)?.items().collect());
    }
    let mut making = Making {
        rules,
        work: MOST_WORK,
    };
    let made = making.makes(first?, term.items().next()?, &mut Vec::new());
    (making.work > 0).then_some(made)
}

struct Making<'g> {
    rules: HashMap<&'g str, Vec<Sexpr<'g>>>,
    work: usize,
}

impl<'g> Making<'g> {
    /// Whether a symbol of the grammar makes a term. `open` are the symbols that are being tried for this very term.
    fn makes(&mut self, symbol: &'g str, term: Sexpr<'_>, open: &mut Vec<&'g str>) -> bool {
        if open.contains(&symbol) || self.work == 0 {
            return false;
        }
        open.push(symbol);
        let rules = self.rules.get(symbol).cloned().unwrap_or_default();
        let made = rules.into_iter().any(|rule| self.fits(rule, term, open));
        open.pop();
        made
    }

    fn fits(&mut self, rule: Sexpr<'g>, term: Sexpr<'_>, open: &mut Vec<&'g str>) -> bool {
        self.work = self.work.saturating_sub(1);
        if let Some(name) = rule.symbol()
            && self.rules.contains_key(name)
        {
            return self.makes(rule.text(), term, open);
        }
        // Which constants and variables of a sort there are, the solver knows.
        if matches!(rule.head(), Some("Constant" | "Variable")) {
            return true;
        }
        if !rule.is_list() || !term.is_list() {
            return rule.same_as(term);
        }
        let parts = rule.items().zip(term.items());
        rule.count() == term.count()
            && parts
                .collect::<Vec<_>>()
                .into_iter()
                .all(|(rule, term)| self.fits(rule, term, &mut Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMAR: &str =
        "((S Bool ((> I I) (and S S) (not S))) (I Int (J (+ I I))) (J Int (I x 1 (- 3))))";

    fn makes(term: &str) -> Option<bool> {
        is_made(&[GRAMMAR.to_string()], term)
    }

    #[test]
    fn terms_follow_the_rules() {
        assert_eq!(makes("(and (> x 1) (not (> 1 (+ x (- 3)))))"), Some(true));
        assert_eq!(makes("(and (> x 1) (> 2 x))"), Some(false));
        assert_eq!(makes("(> x 1 1)"), Some(false));
        assert_eq!(makes("(let ((y x)) (> y y))"), None);
    }

    #[test]
    fn deep_terms_end() {
        let deep = format!("(> {}x{} 1)", "(+ x ".repeat(50), ")".repeat(50));
        assert_eq!(makes(&deep), Some(true));
    }
}
