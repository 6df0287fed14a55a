//! Replaces applications of defined functions by their bodies.
//!
//! ```text
//! (define-fun f ((x Int)) Int (+ x 1)) (assert (= (f 2) y))   →   (assert (= (+ 2 1) y))
//! ```
//! `let` needs no pass, because reading a script expands it.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::script::{Definition, DefinitionKind};
use auspex_logic::{Head, Script};
use rustc_hash::FxHashMap;

pub struct Inline;

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn about(&self) -> &'static str {
        "Replaces an application of a defined function by its body."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let definitions = subject.script.definitions();
        let plain: Vec<Definition> = definitions.filter(|d| is_plain(d)).cloned().collect();
        let mut edits = Vec::new();
        for definition in &plain {
            let script = subject.script.clone();
            edits.push(Edit::script(10, inlined(subject, &script, definition)));
        }
        if plain.len() > 1 {
            let script = plain
                .iter()
                .fold(subject.script.clone(), |script, definition| {
                    inlined(subject, &script, definition)
                });
            edits.push(Edit::script(10 * plain.len() as u64, script));
        }
        edits
    }
}

fn is_plain(definition: &Definition) -> bool {
    match definition.how {
        DefinitionKind::Plain | DefinitionKind::Constant => true,
        DefinitionKind::Recursive | DefinitionKind::Named => false,
    }
}

fn inlined(subject: &mut Subject, script: &Script, definition: &Definition) -> Script {
    // The body may have changed, because an earlier definition was inlined in it.
    let mut definitions = script.definitions();
    let current = definitions.find(|d| d.fun == definition.fun);
    let (fun, variables) = (definition.fun, definition.variables.clone());
    let body = current.map_or(definition.body, |d| d.body);
    everywhere(&mut subject.terms, script, |terms, term, args| {
        let map = || FxHashMap::from_iter(variables.iter().copied().zip(args.iter().copied()));
        let applies = terms.head(term) == Head::Fun(fun) && args.len() == variables.len();
        applies.then(|| terms.replace_all(body, &map()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn writes_a_definition_out() {
        proposes(
            &Inline,
            "(declare-const y Int)(define-fun f ((x Int)) Int (+ x 1))(assert (= (f (f 2)) y))",
            "(declare-const y Int)(assert (= (+ (+ 2 1) 1) y))",
        );
    }

    #[test]
    fn writes_definitions_of_definitions_out() {
        proposes(
            &Inline,
            "(define-fun f () Int 1)(define-fun g () Int (+ f f))(assert (= g 2))",
            "(assert (= (+ 1 1) 2))",
        );
    }

    #[test]
    fn leaves_recursive_functions_alone() {
        leaves_alone(
            &Inline,
            "(define-fun-rec f ((x Int)) Int (f x))(assert (= (f 1) 2))",
        );
    }
}
