//! The order of texts that defines "smaller": fewer tokens and lists, then less below negations, fewer bytes, earlier
//! in the alphabet. Every accepted step is smaller, so the search terminates.

use auspex_syntax::Document;

/// The size of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Tokens and lists; for a text that cannot be read, its words.
    pub nodes: usize,
    pub bytes: usize,
    pub lines: usize,
    /// Tokens and lists below a `not`, counted once for each: negations move inwards, where they vanish.
    negated: usize,
}

impl Size {
    pub fn of(text: &str) -> Size {
        let (nodes, negated) = match Document::read(text) {
            Ok(document) => (document.tape().len(), negated(&document)),
            Err(_) => (text.split_whitespace().count(), 0),
        };
        Size {
            nodes,
            negated,
            bytes: text.len(),
            lines: text.lines().filter(|line| !line.trim().is_empty()).count(),
        }
    }
}

fn negated(document: &Document) -> usize {
    let (mut sum, mut stack) = (0, Vec::new());
    stack.extend(document.items());
    while let Some(sexpr) = stack.pop() {
        if sexpr.head() == Some("not") {
            sum += (sexpr.after() - sexpr.at()) as usize;
        }
        stack.extend(sexpr.items());
    }
    sum
}

/// Whether the first text is smaller; of texts that look equally large, the one that sorts first.
pub fn is_smaller(new: (&str, Size), old: (&str, Size)) -> bool {
    let key = |size: Size| (size.nodes, size.negated, size.bytes);
    (key(new.1), new.0) < (key(old.1), old.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smaller(new: &str, old: &str) -> bool {
        is_smaller((new, Size::of(new)), (old, Size::of(old)))
    }

    #[test]
    fn fewer_tokens_then_fewer_bytes_then_the_alphabet() {
        assert!(smaller("(assert aaaa)", "(assert (f a))"));
        assert!(smaller("(assert a)", "(assert ab)"));
        assert!(smaller("(assert 0)", "(assert 1)"));
    }

    #[test]
    fn negations_belong_inside() {
        let (outside, inside) = ("(not (=> p q))", "(and p (not q))");
        assert!(smaller(inside, outside) && !smaller(outside, inside));
    }

    #[test]
    fn nothing_is_smaller_than_itself() {
        assert!(!smaller("(assert a)", "(assert a)"));
        assert!(!smaller("(assert 1)", "(assert 0)"));
    }
}
