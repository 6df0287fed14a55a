//! Simplifies obligations as a solver would first: an outer `exists` becomes a constant, so that a model can be
//! evaluated, and an outer `and` becomes several assertions.
//!
//! ```text
//! (assert (not (forall ((x Int)) (=> (< x 0) (p x)))))
//! (declare-const x Int) (assert (< x 0)) (assert (not (p x)))
//! ```
//!
//! The script keeps its answer.

use auspex_logic::script::Assertion;
use auspex_logic::term::BinderKind;
use auspex_logic::{Command, Head, Script, Symbol, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The script with its assertions opened.
pub(super) fn opened(terms: &mut Terms, script: &Script) -> Script {
    let mut opening = Opening::over(terms, script);
    let mut commands = Vec::with_capacity(script.commands.len());
    for command in &script.commands {
        match command {
            Command::Assert(assertion) => opening.open(assertion.term, &mut commands),
            other => commands.push(other.clone()),
        }
    }
    Script {
        commands,
        spans: Vec::new(),
    }
}

struct Opening<'t> {
    terms: &'t mut Terms,
    taken: FxHashSet<Symbol>,
}

impl<'t> Opening<'t> {
    fn over(terms: &'t mut Terms, script: &Script) -> Opening<'t> {
        let defined = script.definitions().map(|definition| definition.fun);
        let funs = script.declared().chain(defined);
        let taken = funs.map(|fun| terms.fun(fun).name).collect();
        Opening { terms, taken }
    }

    fn open(&mut self, term: TermId, out: &mut Vec<Command>) {
        let mut waiting = vec![(term, true)];
        while let Some((term, holds)) = waiting.pop() {
            if let Some(parts) = self.parts(term, holds, out) {
                waiting.extend(parts.into_iter().rev());
                continue;
            }
            let term = match holds {
                true => Some(term),
                false => self.terms.app("not", &[term]).ok(),
            };
            out.extend(term.map(|term| Command::Assert(Assertion { term, name: None })));
        }
    }

    /// What must hold, or fail, for a term to hold or fail; none if it is asserted as it is.
    fn parts(
        &mut self,
        term: TermId,
        holds: bool,
        out: &mut Vec<Command>,
    ) -> Option<Vec<(TermId, bool)>> {
        let args = self.terms.args(term).to_vec();
        match self.terms.head(term) {
            Head::Op(op) => match (&*self.terms.op(op).name, holds) {
                ("not", _) => Some(vec![(*args.first()?, !holds)]),
                ("and", true) | ("or", false) => {
                    Some(args.into_iter().map(|arg| (arg, holds)).collect())
                }
                ("=>", false) => {
                    let last = args.len().checked_sub(1)?;
                    let parts = args.into_iter().enumerate();
                    Some(parts.map(|(at, arg)| (arg, at < last)).collect())
                }
                _ => None,
            },
            Head::Binder(number) => {
                let binder = self.terms.binder(number).clone();
                let is_free = matches!(
                    (binder.kind, holds),
                    (BinderKind::Exists, true) | (BinderKind::Forall, false)
                );
                is_free.then(|| {
                    let body = self.with_constants(&binder.variables, args[0], out);
                    vec![(body, holds)]
                })
            }
            Head::Annotated(_) => Some(vec![(*args.first()?, holds)]),
            _ => None,
        }
    }

    fn with_constants(
        &mut self,
        variables: &[TermId],
        body: TermId,
        out: &mut Vec<Command>,
    ) -> TermId {
        let mut constants = FxHashMap::default();
        for variable in variables {
            let Head::Variable(name) = self.terms.head(*variable) else {
                continue;
            };
            let sort = self.terms.sort(*variable);
            let mut name = self.terms.symbols.name(name).to_string();
            while !self.taken.insert(self.terms.symbols.intern(&name)) {
                name.push('!');
            }
            let fun = self.terms.declare_fun(&name, &[], sort);
            if let Ok(constant) = self.terms.fun_app(fun, &[]) {
                constants.insert(*variable, constant);
                out.push(Command::DeclareFun(fun));
            }
        }
        self.terms.replace_all(body, &constants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};

    fn text_of(text: &str) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let script = opened(&mut terms, &script);
        render::script(&terms, &script, Sharing::Auto).replace('\n', "")
    }

    #[test]
    fn a_refuted_clause_has_a_point() {
        let clause = "(declare-fun p (Int) Bool)(assert (not (forall ((x Int)) (=> (and (< x 0) (p x)) (p (- x))))))";
        assert_eq!(
            text_of(clause),
            "(declare-fun p (Int) Bool)(declare-const x Int)(assert (< x 0))(assert (p x))(assert (not (p (- x))))"
        );
    }

    #[test]
    fn what_holds_for_all_stays() {
        let text = "(assert (forall ((x Int)) (exists ((y Int)) (< x y))))";
        assert_eq!(text_of(text), text);
    }

    #[test]
    fn a_taken_name_is_changed() {
        let text = "(declare-const x Int)(assert (exists ((y Int)) (< x y)))(assert (exists ((y Int)) (= y 1)))";
        let two = "(declare-const y Int)(assert (< x y))(declare-const y! Int)(assert (= y! 1))";
        assert_eq!(text_of(text), format!("(declare-const x Int){two}"));
    }
}
