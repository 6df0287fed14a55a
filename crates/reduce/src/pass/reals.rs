//! Declares a Real instead of an Int that is converted to one.
//!
//! ```text
//! (declare-const x Int) (assert (< (to_real x) 1.5))   →   (declare-const x Real) (assert (< x 1.5))
//! ```
//! Numerals next to the constant become reals, too; where only an integer fits, nothing is proposed.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::{Command, Fun, Head, Script, Sort, TermId, Terms};

pub struct Reals;

impl Pass for Reals {
    fn name(&self) -> &'static str {
        "reals"
    }

    fn about(&self) -> &'static str {
        "Declares a Real instead of an Int that is converted to one."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let conversions = subject.subterms().all.into_iter();
        let conversions = conversions.filter(|term| is_conversion(&subject.terms, *term));
        let gain = 2 * conversions.count() as u64;
        if gain == 0 {
            return Vec::new();
        }
        let declared: Vec<Fun> = subject.script.declared().collect();
        let integers = declared.into_iter().filter(|fun| {
            let declaration = subject.terms.fun(*fun);
            declaration.params.is_empty() && declaration.result == Sort::INT
        });
        let integers: Vec<Fun> = integers.collect();
        let mut edits = Vec::new();
        for fun in integers {
            let script = with_real(&mut subject.terms, &subject.script, fun);
            edits.extend(script.map(|script| Edit::script(gain, script)));
        }
        edits
    }
}

fn is_conversion(terms: &Terms, term: TermId) -> bool {
    matches!(terms.head(term), Head::Op(op) if &*terms.op(op).name == "to_real")
}

/// The script with another sort for a constant; none if that is ill-sorted anywhere.
fn with_real(terms: &mut Terms, script: &Script, integer: Fun) -> Option<Script> {
    let name = terms.symbols.name(terms.fun(integer).name).to_string();
    let real = terms.declare_fun(&name, &[], Sort::REAL);
    let (old, new) = (
        terms.fun_app(integer, &[]).ok()?,
        terms.fun_app(real, &[]).ok()?,
    );
    let mut fits = true;
    let mut script_with = everywhere(terms, script, |terms, term, args| match term == old {
        true => Some(new),
        false => {
            let lifted = lifted(terms, term, args)?;
            fits &= lifted.is_some();
            lifted
        }
    });
    for command in &mut script_with.commands {
        if *command == Command::DeclareFun(integer) {
            *command = Command::DeclareFun(real);
        }
    }
    let roots = script.roots().into_iter().zip(script_with.roots());
    let sorted = |(old, new): (TermId, TermId)| terms.sort(old) == terms.sort(new);
    (fits && roots.into_iter().all(sorted)).then_some(script_with)
}

/// A term some of whose arguments have become reals, with the other arguments converted. None if no argument has;
/// `Some(None)` if that is ill-sorted.
fn lifted(terms: &mut Terms, term: TermId, args: &[TermId]) -> Option<Option<TermId>> {
    let before = terms.args(term).to_vec();
    let changed = |(old, new): (&TermId, &TermId)| terms.sort(*old) != terms.sort(*new);
    if !before.iter().zip(args).any(changed) {
        return None;
    }
    let Head::Op(op) = terms.head(term) else {
        return Some(None);
    };
    if is_conversion(terms, term) {
        return Some(args.first().copied());
    }
    let name = terms.op(op).name.clone();
    let reals: Option<Vec<TermId>> = args.iter().map(|arg| terms.to_real(*arg)).collect();
    let new = reals.and_then(|reals| terms.app(&name, &reals).ok());
    // An operator that maps reals to an integer, as `mod` of some solvers, is a different one.
    Some(new.filter(|new| terms.sort(*new) != Sort::INT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn takes_the_conversion_away() {
        proposes(
            &Reals,
            "(declare-const x Int)(assert (< (to_real (+ x 1)) 1.5))(assert (= x 2))",
            "(declare-const x Real)(assert (< (+ x 1.0) 1.5))(assert (= x 2.0))",
        );
    }

    #[test]
    fn leaves_what_must_be_an_integer_alone() {
        leaves_alone(
            &Reals,
            "(declare-const x Int)(assert (< (to_real x) 1.5))(assert (= (mod x 2) 1))",
        );
        leaves_alone(&Reals, "(declare-const x Int)(assert (< x 1))");
    }
}
