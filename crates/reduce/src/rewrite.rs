//! Rebuilds terms bottom up, and patches texts.

use auspex_logic::{Script, TermId, Terms};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Rebuilds a term. `change` gets a term with its new arguments and may return a replacement. Otherwise the term is
/// built again with the new arguments, or kept if these are ill-sorted.
pub fn bottom_up(
    terms: &mut Terms,
    root: TermId,
    done: &mut FxHashMap<TermId, TermId>,
    change: &mut impl FnMut(&mut Terms, TermId, &[TermId]) -> Option<TermId>,
) -> TermId {
    let mut stack = vec![(root, false)];
    while let Some((term, ready)) = stack.pop() {
        if done.contains_key(&term) {
            continue;
        }
        if !ready {
            stack.push((term, true));
            stack.extend(terms.args(term).iter().map(|arg| (*arg, false)));
            continue;
        }
        let args: Vec<TermId> = terms.args(term).iter().map(|arg| done[arg]).collect();
        let new = change(terms, term, &args);
        let new = new.unwrap_or_else(|| terms.with_args(term, &args).unwrap_or(term));
        done.insert(term, new);
    }
    done[&root]
}

/// Rebuilds every term of a script.
pub fn everywhere(
    terms: &mut Terms,
    script: &Script,
    mut change: impl FnMut(&mut Terms, TermId, &[TermId]) -> Option<TermId>,
) -> Script {
    let (mut script, mut done) = (script.clone(), FxHashMap::default());
    script.map_roots(|root| bottom_up(terms, root, &mut done, &mut change));
    script
}

/// The text with pieces replaced. The pieces are in order and do not overlap.
pub fn splice<S: AsRef<str>>(text: &str, patches: &[(Range<usize>, S)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in patches {
        out.push_str(&text[at..range.start]);
        out.push_str(new.as_ref());
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_several_places() {
        assert_eq!(splice("(a b c)", &[(1..2, "x"), (5..6, "")]), "(x b )");
        assert_eq!(splice("(a)", &[] as &[(Range<usize>, &str)]), "(a)");
    }
}
