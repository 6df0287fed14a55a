//! Removes names, patterns and other attributes.
//!
//! ```text
//! (assert (! (forall ((x Int)) (! (p x) :pattern ((f x)))) :named a))   →   (assert (forall ((x Int)) (p x)))
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::{Assertion, Command, Head};

pub struct Annotations;

impl Pass for Annotations {
    fn name(&self) -> &'static str {
        "annotations"
    }

    fn about(&self) -> &'static str {
        "Removes names, patterns and other attributes, all at once or one at a time."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        let annotated =
            |subject: &Subject, term| matches!(subject.terms.head(term), Head::Annotated(_));
        let subterms = subject.subterms();
        let with: Vec<_> = subterms
            .all
            .iter()
            .filter(|t| annotated(subject, **t))
            .collect();
        for term in &with {
            let inner = subject.terms.args(**term)[0];
            edits.push(Edit::new(4, Change::All(vec![(**term, inner)])));
        }
        let mut bare = everywhere(&mut subject.terms, &subject.script, |terms, term, args| {
            matches!(terms.head(term), Head::Annotated(_)).then(|| args[0])
        });
        let mut names = 0;
        for (number, command) in bare.commands.iter_mut().enumerate() {
            let Command::Assert(assertion) = command else {
                continue;
            };
            if assertion.name.take().is_some() {
                names += 1;
                let Command::Assert(old) = subject.script.commands[number] else {
                    continue;
                };
                let plain = Assertion { name: None, ..old };
                let put = Change::Put(number, vec![Command::Assert(plain)]);
                edits.push(Edit::new(4, put));
            }
        }
        if names + with.len() > 1 {
            edits.push(Edit::script(4 * (names + with.len()) as u64, bare));
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn takes_names_and_patterns_off() {
        let text = "(declare-fun p (Int) Bool)\
            (assert (! (forall ((x Int)) (! (p x) :pattern ((p x)))) :named a))";
        let declaration = "(declare-fun p (Int) Bool)";
        for left in [
            "(assert (forall ((x Int)) (p x)))",
            "(assert (! (forall ((x Int)) (p x)) :named a))",
            "(assert (forall ((x Int)) (! (p x) :pattern ((p x)))))",
        ] {
            proposes(&Annotations, text, &format!("{declaration}{left}"));
        }
    }

    #[test]
    fn leaves_plain_terms_alone() {
        leaves_alone(&Annotations, "(declare-const p Bool)\n(assert p)\n");
    }
}
