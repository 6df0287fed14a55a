//! Removes quantifiers and bound variables.
//!
//! ```text
//! (forall ((x Int) (y Int)) (< x y))   →   (forall ((y Int)) (< 0 y))
//!                                      →   (< 0 0)
//!                                      →   (declare-const x Int) (declare-const y Int) … (< x y)
//! ```

use super::Pass;
use super::constants::simple_values;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::term::{BinderKind, FunDecl, FunKind};
use auspex_logic::{Command, Head, Script, TermId};
use rustc_hash::FxHashMap;

pub struct Quantifiers;

impl Pass for Quantifiers {
    fn name(&self) -> &'static str {
        "quantifiers"
    }

    fn about(&self) -> &'static str {
        "Removes quantifiers and bound variables, replacing them by a value or a declared constant."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let mut edits = Vec::new();
        for term in &subterms.all {
            let Head::Binder(number) = subject.terms.head(*term) else {
                continue;
            };
            let binder = subject.terms.binder(number).clone();
            if !matches!(binder.kind, BinderKind::Forall | BinderKind::Exists) {
                continue;
            }
            let variables = binder.variables.to_vec();
            edits.extend(declared(subject, *term, &variables));
            edits.extend(without(subject, *term, binder.kind, &variables, &variables));
            for variable in &variables {
                let one = [*variable];
                edits.extend(without(subject, *term, binder.kind, &variables, &one));
            }
        }
        edits
    }
}

/// The binder without some of its variables, which are replaced by values.
fn without(
    subject: &mut Subject,
    term: TermId,
    kind: BinderKind,
    all: &[TermId],
    gone: &[TermId],
) -> Option<Edit> {
    let mut map = FxHashMap::default();
    for variable in gone {
        let sort = subject.terms.sort(*variable);
        let used = subject.terms.free_variables(subject.terms.args(term)[0]);
        if used.contains(variable) {
            let value = *simple_values(&mut subject.terms, sort).first()?;
            map.insert(*variable, value);
        }
    }
    let body = subject.terms.args(term)[0];
    let body = subject.terms.replace_all(body, &map);
    let left = all.iter().filter(|v| !gone.contains(v));
    let left: Vec<TermId> = left.copied().collect();
    let new = match left.as_slice() {
        [] => body,
        _ => subject.terms.quantified(kind, &left, body),
    };
    let gain = 3 * gone.len() as u64 + if left.is_empty() { 3 } else { 0 };
    Some(Edit::new(gain, Change::All(vec![(term, new)])))
}

/// The body of an outermost quantifier, with its variables declared as constants.
fn declared(subject: &mut Subject, term: TermId, variables: &[TermId]) -> Option<Edit> {
    if !subject.terms.is_closed(term) {
        return None;
    }
    let (mut map, mut commands) = (FxHashMap::default(), Vec::new());
    for variable in variables {
        let Head::Variable(name) = subject.terms.head(*variable) else {
            return None;
        };
        let fun = subject.terms.declare(FunDecl {
            name,
            params: Box::default(),
            result: subject.terms.sort(*variable),
            kind: FunKind::Declared,
        });
        commands.push(Command::DeclareFun(fun));
        map.insert(*variable, subject.terms.fun_app(fun, &[]).ok()?);
    }
    let body = subject.terms.replace_all(subject.terms.args(term)[0], &map);
    let at = first_with_terms(&subject.script);
    let mut script = subject.script.clone();
    let map = FxHashMap::from_iter([(term, body)]);
    script.map_roots(|root| subject.terms.replace_all(root, &map));
    script.commands.splice(at..at, commands);
    Some(Edit::script(2, script))
}

/// Where to insert a new declaration: before the first command that has terms or opens a level.
pub fn first_with_terms(script: &Script) -> usize {
    let first = script.commands.iter().position(|command| {
        matches!(
            command,
            Command::Assert(_)
                | Command::DefineFun(_)
                | Command::DefineFunsRec(_)
                | Command::Push(_)
                | Command::CheckSatAssuming(_)
                | Command::GetValue(_)
        )
    });
    first.unwrap_or(script.commands.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    const TEXT: &str = "(assert (forall ((x Int) (y Int)) (< x y)))";

    #[test]
    fn takes_variables_and_quantifiers_away() {
        proposes(&Quantifiers, TEXT, "(assert (forall ((y Int)) (< 0 y)))");
        proposes(&Quantifiers, TEXT, "(assert (< 0 0))");
        proposes(
            &Quantifiers,
            TEXT,
            "(declare-const x Int)(declare-const y Int)(assert (< x y))",
        );
    }

    #[test]
    fn leaves_ground_terms_alone() {
        leaves_alone(&Quantifiers, "(assert (< 0 1))");
    }
}
