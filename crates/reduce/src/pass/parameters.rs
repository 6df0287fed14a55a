//! Removes a parameter of a function, with its arguments everywhere.
//!
//! ```text
//! (declare-fun f (Int Bool) Int) (assert (= (f 1 p) 2))   →   (declare-fun f (Bool) Int) (assert (= (f p) 2))
//! ```

use super::Pass;
use super::constants::simple_values;
use crate::edit::Edit;
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::{Command, Fun, Head, Script};
use rustc_hash::FxHashMap;

pub struct Parameters;

impl Pass for Parameters {
    fn name(&self) -> &'static str {
        "parameters"
    }

    fn about(&self) -> &'static str {
        "Removes a parameter of a declared or defined function, with its arguments everywhere."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for number in 0..subject.script.commands.len() {
            let fun = match &subject.script.commands[number] {
                Command::DeclareFun(fun) => *fun,
                Command::DefineFun(definition) => definition.fun,
                _ => continue,
            };
            for parameter in 0..subject.terms.fun(fun).params.len() {
                let script = without(subject, number, fun, parameter);
                edits.extend(script.map(|script| Edit::script(2, script)));
            }
        }
        edits
    }
}

fn without(subject: &mut Subject, number: usize, old: Fun, parameter: usize) -> Option<Script> {
    let mut decl = subject.terms.fun(old).clone();
    let mut params = decl.params.to_vec();
    let sort = params.remove(parameter);
    decl.params = params.into();
    let new = subject.terms.declare(decl);
    let mut script = subject.script.clone();
    match &mut script.commands[number] {
        Command::DeclareFun(fun) => *fun = new,
        Command::DefineFun(definition) => {
            let gone = definition.variables.remove(parameter);
            let value = *simple_values(&mut subject.terms, sort).first()?;
            let map = FxHashMap::from_iter([(gone, value)]);
            definition.body = subject.terms.replace_all(definition.body, &map);
            definition.fun = new;
        }
        _ => return None,
    }
    Some(everywhere(
        &mut subject.terms,
        &script,
        |terms, term, args| {
            if terms.head(term) != Head::Fun(old) || args.len() <= parameter {
                return None;
            }
            let mut args = args.to_vec();
            args.remove(parameter);
            terms.fun_app(new, &args).ok()
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn takes_parameters_away() {
        proposes(
            &Parameters,
            "(declare-fun f (Int Bool) Int)(assert (= (f (f 1 true) false) 2))",
            "(declare-fun f (Bool) Int)(assert (= (f false) 2))",
        );
        proposes(
            &Parameters,
            "(define-fun f ((x Int) (y Int)) Int (+ x y))(assert (= (f 1 2) 3))",
            "(define-fun f ((y Int)) Int (+ 0 y))(assert (= (f 2) 3))",
        );
    }

    #[test]
    fn leaves_constants_alone() {
        leaves_alone(&Parameters, "(declare-const x Int)(assert (= x 2))");
    }
}
