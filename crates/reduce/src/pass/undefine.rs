//! Declares a defined function instead of defining it.
//!
//! ```text
//! (define-fun f ((x Int)) Int (+ x 1))   →   (declare-fun f (Int) Int)
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::script::{Definition, DefinitionKind};
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Head};

pub struct Undefine;

impl Pass for Undefine {
    fn name(&self) -> &'static str {
        "undefine"
    }

    fn about(&self) -> &'static str {
        "Declares a defined function instead of defining it."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let sizes = subject.subterms();
        let mut edits = Vec::new();
        for number in 0..subject.script.commands.len() {
            let Command::DefineFun(definition) = &subject.script.commands[number] else {
                continue;
            };
            if definition.how == DefinitionKind::Named {
                continue;
            }
            let gain = sizes.size(definition.body) + 2 * definition.variables.len() as u64;
            let change = undefined(subject, number, &definition.clone());
            edits.push(Edit::new(gain, change));
        }
        edits
    }
}

fn undefined(subject: &mut Subject, number: usize, definition: &Definition) -> Change {
    let old = definition.fun;
    let mut decl = subject.terms.fun(old).clone();
    decl.kind = FunKind::Declared;
    let new = subject.terms.declare(decl);
    let mut script = subject.script.clone();
    script.commands[number] = Command::DeclareFun(new);
    let script = everywhere(&mut subject.terms, &script, |terms, term, args| {
        let applies = terms.head(term) == Head::Fun(old);
        applies.then(|| terms.fun_app(new, args).unwrap_or(term))
    });
    Change::Script(Box::new(script))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn declares_what_was_defined() {
        proposes(
            &Undefine,
            "(define-fun f ((x Int)) Int (+ x 1))(assert (= (f 2) 3))",
            "(declare-fun f (Int) Int)(assert (= (f 2) 3))",
        );
    }

    #[test]
    fn leaves_declared_functions_alone() {
        leaves_alone(&Undefine, "(declare-fun f (Int) Int)(assert (= (f 2) 3))");
    }
}
