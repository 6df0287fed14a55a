//! Spellings of one question: a script that asks the same assertions in other commands, to which a solver must give
//! the same answer.
//!
//! ```text
//! (assert a) (assert b) (check-sat)
//!     assumed     (declare-const q0 Bool) (assert (=> q0 a)) …  (check-sat-assuming (q0 q1))
//!     defined     (define-fun q0 () Bool a) (assert q0) …       (check-sat)
//!     scoped      (assert a) (check-sat) (push 1) (assert b)    (check-sat)
//!     shared      common parts of a term in `let`
//! ```

use crate::alone::is_incremental;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, Terms};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// Its assertions are assumptions of the query.
    Assumed,
    /// Each assertion is a defined constant.
    Defined,
    /// Half of the assertions stand in an inner scope, after a query about the others.
    Scoped,
    /// Shared subterms are written with `let`.
    Shared,
}

impl Spelling {
    pub const ALL: [Spelling; 4] = [
        Spelling::Assumed,
        Spelling::Defined,
        Spelling::Scoped,
        Spelling::Shared,
    ];

    /// How a script is spelled, after "the same script".
    pub fn how(self) -> &'static str {
        match self {
            Spelling::Assumed => "with its assertions as assumptions",
            Spelling::Defined => "with its assertions as definitions",
            Spelling::Scoped => "with its assertions in two scopes",
            Spelling::Shared => "with shared terms in let",
        }
    }

    /// This spelling alone, as a list.
    pub fn alone(self) -> &'static [Spelling] {
        const ALL: &[Spelling] = &Spelling::ALL;
        let place = ALL.iter().position(|one| *one == self);
        place.map_or(&[], |place| &ALL[place..=place])
    }

    /// Which of the queries of the spelled script is the question.
    pub fn query(self) -> usize {
        usize::from(self == Spelling::Scoped)
    }

    /// A script in this spelling; none if it has questions of other kinds, several queries, or would be the same text.
    pub fn of(self, terms: &Terms, script: &Script) -> Option<String> {
        if is_incremental(script) || !script.commands.iter().all(|one| is_plain(terms, one)) {
            return None;
        }
        let count = script.assertions().count();
        let mut text = Text {
            spelling: self,
            count,
            done: 0,
            out: String::new(),
        };
        for command in &script.commands {
            text.command(terms, command);
        }
        let has_effect = match self {
            Spelling::Scoped => count > 1,
            Spelling::Shared => text.out.contains("(let ("),
            Spelling::Assumed | Spelling::Defined => count > 0,
        };
        has_effect.then_some(text.out)
    }
}

/// Whether a command has the same meaning however assertions are spelled.
fn is_plain(terms: &Terms, command: &Command) -> bool {
    match command {
        // Assumptions are no Horn clauses.
        Command::SetLogic(logic) => terms.symbols.name(*logic) != "HORN",
        Command::Other(text) => terms.symbols.name(*text).starts_with("(declare-"),
        Command::CheckSatAssuming(_) | Command::CheckSatUsing(_) | Command::Goal(_) => false,
        _ => true,
    }
}

/// The text of a spelled script as it grows.
struct Text {
    spelling: Spelling,
    /// How many assertions there are, and how many are written.
    count: usize,
    done: usize,
    out: String,
}

impl Text {
    fn command(&mut self, terms: &Terms, command: &Command) {
        match command {
            Command::Assert(assertion) => {
                let sharing = match self.spelling {
                    Spelling::Shared => Sharing::Let,
                    _ => Sharing::Auto,
                };
                let term = render::term(terms, assertion.term, sharing);
                self.assertion(&term);
                self.done += 1;
            }
            Command::CheckSat => self.query(),
            // What is said about the answer is asked again where it is needed.
            Command::GetModel | Command::GetValue(_) | Command::GetUnsatCore => {}
            other => {
                render::command_to(terms, other, Sharing::Auto, &mut self.out);
                self.end_line();
            }
        }
    }

    fn assertion(&mut self, term: &str) {
        let name = name(self.done);
        match self.spelling {
            Spelling::Assumed => {
                self.line(&format!("(declare-const {name} Bool)"));
                self.line(&format!("(assert (=> {name} {term}))"));
            }
            Spelling::Defined => {
                self.line(&format!("(define-fun {name} () Bool {term})"));
                self.line(&format!("(assert {name})"));
            }
            Spelling::Scoped => {
                if self.done > 0 && self.done == self.count / 2 {
                    self.line("(check-sat)");
                    self.line("(push 1)");
                }
                self.line(&format!("(assert {term})"));
            }
            Spelling::Shared => self.line(&format!("(assert {term})")),
        }
    }

    fn query(&mut self) {
        match self.spelling {
            Spelling::Assumed => {
                let names: Vec<String> = (0..self.count).map(name).collect();
                self.line(&format!("(check-sat-assuming ({}))", names.join(" ")));
            }
            _ => self.line("(check-sat)"),
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn end_line(&mut self) {
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

fn name(number: usize) -> String {
    format!("spelled!{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    const SCRIPT: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (! (> x 1) :named a))\
         (assert (< (+ x x 1) (* 2 (+ x x 1))))(check-sat)(get-model)";

    fn spelled(spelling: Spelling, text: &str) -> Option<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let spelled = spelling.of(&terms, &script)?;
        let again = read_script(&mut terms, &spelled).expect("well-formed");
        assert_eq!(again.issues, [], "{spelled}");
        assert_eq!(again.script.queries().len(), spelling.query() + 1);
        Some(spelled.replace('\n', ""))
    }

    #[test]
    fn one_question_in_four_spellings() {
        let tail = |spelling| {
            let text = spelled(spelling, SCRIPT).expect("a spelling");
            let start = "(set-logic QF_LIA)(declare-const x Int)";
            text.strip_prefix(start)
                .expect("the same start")
                .to_string()
        };
        assert_eq!(
            tail(Spelling::Assumed),
            "(declare-const spelled!0 Bool)(assert (=> spelled!0 (> x 1)))\
             (declare-const spelled!1 Bool)(assert (=> spelled!1 (< (+ x x 1) (* 2 (+ x x 1)))))\
             (check-sat-assuming (spelled!0 spelled!1))"
        );
        assert_eq!(
            tail(Spelling::Defined),
            "(define-fun spelled!0 () Bool (> x 1))(assert spelled!0)\
             (define-fun spelled!1 () Bool (< (+ x x 1) (* 2 (+ x x 1))))(assert spelled!1)(check-sat)"
        );
        assert_eq!(
            tail(Spelling::Scoped),
            "(assert (> x 1))(check-sat)(push 1)(assert (< (+ x x 1) (* 2 (+ x x 1))))(check-sat)"
        );
        let shared = tail(Spelling::Shared);
        assert!(shared.contains("(let (("), "{shared}");
    }

    #[test]
    fn what_asks_more_is_left_alone() {
        let plain = "(declare-const p Bool)(assert p)(check-sat)";
        assert!(spelled(Spelling::Assumed, plain).is_some());
        assert_eq!(spelled(Spelling::Scoped, plain), None, "one assertion");
        assert_eq!(spelled(Spelling::Shared, plain), None, "nothing is shared");
        for other in [
            "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (p x)))(check-sat)",
            "(declare-const p Bool)(assert p)(push 1)(check-sat)",
            "(declare-const x Int)(assert (< x 3))(maximize x)(check-sat)(get-objectives)",
        ] {
            assert_eq!(spelled(Spelling::Assumed, other), None, "{other}");
        }
    }
}
