//! The text being reduced, with everything that passes need to know about it.

use crate::measure::Size;
use crate::spelling::Spellings;
use crate::subterms::Subterms;
use crate::usage::Usage;
use auspex_logic::sig::Assoc;
use auspex_logic::{Command, Head, Reading, Script, Sort, TermId, Terms, read_script};
use auspex_syntax::{Document, Sexpr};

/// A text, its s-expressions, and its typed script.
pub struct Subject {
    pub text: String,
    pub size: Size,
    /// Empty if the text is not a sequence of s-expressions.
    pub document: Document,
    pub terms: Terms,
    pub script: Script,
    pub usage: Usage,
    pub spellings: Spellings,
    /// The things in it that solvers may reject; an edit must not add to them.
    pub trouble: Trouble,
}

impl Subject {
    /// Never fails; from a text that is not SMT-LIB only lines can be removed.
    pub fn read(text: &str) -> Subject {
        let empty = || Document::read("").expect("the empty text is a document");
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, text).ok();
        let trouble = match &reading {
            Some(reading) => Trouble::in_reading(&terms, reading, text),
            None => Trouble::unreadable(),
        };
        let script = reading.map_or_else(Script::default, |reading| reading.script);
        let usage = Usage::of(&terms, &script);
        let document = Document::read(text).unwrap_or_else(|_| empty());
        Subject {
            text: text.to_string(),
            size: Size::of(text),
            spellings: Spellings::of(&document),
            document,
            terms,
            script,
            usage,
            trouble,
        }
    }

    /// Whether another text is at least as well-sorted.
    pub fn admits(&self, text: &str) -> bool {
        !Trouble::of(text).is_worse_than(&self.trouble)
    }

    /// The distinct subterms of all commands.
    pub fn subterms(&self) -> Subterms {
        Subterms::of(&self.terms, &self.script.roots())
    }

    /// A name of one or two letters that occurs nowhere in the text.
    pub fn fresh_name(&self) -> String {
        let taken = |name: &str| self.terms.symbols.find(name).is_some();
        let mut names = short_names();
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// `x`, `y`, `z`, `a` … `w`, then these with numbers, without end.
pub fn short_names() -> impl Iterator<Item = String> {
    let letters = ('x'..='z').chain('a'..='w');
    let numbered = (0u32..).flat_map(|n| ('x'..='z').map(move |letter| format!("{letter}{n}")));
    letters.map(String::from).chain(numbered)
}

/// The things in a text that solvers may reject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Unsorted terms and unknown commands; the maximum if the text is not a sequence of s-expressions.
    issues: usize,
    /// Commands that are not in the standard.
    odd: Vec<String>,
}

impl Trouble {
    pub fn of(text: &str) -> Trouble {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, text);
        reading.map_or_else(
            |_| Trouble::unreadable(),
            |reading| Trouble::in_reading(&terms, &reading, text),
        )
    }

    fn unreadable() -> Trouble {
        Trouble {
            issues: usize::MAX,
            odd: Vec::new(),
        }
    }

    fn in_reading(terms: &Terms, reading: &Reading, text: &str) -> Trouble {
        let mut trouble = Trouble {
            issues: reading.issues.len() + unusual(terms, &reading.script, text) + short(text),
            odd: Vec::new(),
        };
        for command in &reading.script.commands {
            match command {
                Command::Other(text) => {
                    let text = terms.symbols.name(*text);
                    let inside = text.trim_start_matches('(');
                    let head = inside.split([' ', ')', '(']).next().unwrap_or("");
                    trouble.odd.push(head.to_string());
                }
                Command::Goal(goal) => {
                    let verb = terms.symbols.name(goal.verb);
                    trouble.odd.push(verb.to_string());
                }
                Command::Assert(assertion) => {
                    let sort = terms.sort(assertion.term);
                    trouble.issues += usize::from(sort != Sort::BOOL && sort != Sort::UNKNOWN);
                }
                _ => {}
            }
        }
        trouble
    }

    pub fn is_unreadable(&self) -> bool {
        self.issues == usize::MAX
    }

    /// Whether a change makes a text more likely to be rejected.
    pub fn is_worse_than(&self, other: &Trouble) -> bool {
        if other.is_unreadable() {
            return false;
        }
        self.issues > other.issues || self.odd.iter().any(|head| !other.odd.contains(head))
    }
}

/// Terms that our reader accepts and the standard does not: `and`, `=` and the like with one argument, integers in
/// place of reals, quantifiers without variables, and arrays applied like functions.
fn unusual(terms: &Terms, script: &Script, text: &str) -> usize {
    let converts = text.contains("to_real");
    let (mut selects, written) = (0, text.matches("select").count());
    let mut is_unusual = |term: &TermId| match terms.head(*term) {
        Head::Op(op) => {
            let row = terms.op(op);
            selects += usize::from(&*row.name == "select");
            let alone = row.sig.assoc != Assoc::None && terms.args(*term).len() == 1;
            alone || !converts && &*row.name == "to_real"
        }
        Head::Binder(_) => {
            let claims = terms.sort(*term) == Sort::BOOL;
            let body = terms.args(*term).first().map(|body| terms.sort(*body));
            claims && body.is_some_and(|sort| sort != Sort::BOOL && sort != Sort::UNKNOWN)
        }
        _ => false,
    };
    let all = Subterms::of(terms, &script.roots()).all.into_iter();
    let unusual = all.filter(|term| is_unusual(term)).count();
    // Anything that is not written as a leaf is an application.
    unusual + selects.saturating_sub(written)
}

/// Syntax that our reader accepts and the standard does not: sorts without arity, `push` without a number,
/// constructors without parentheses, functions applied to no arguments.
fn short(text: &str) -> usize {
    let Ok(document) = Document::read(text) else {
        return 0;
    };
    let bare = |list: Sexpr<'_>| list.items().filter(|item| !item.is_list()).count();
    let commands = document.items().map(|command| {
        let mut items = command.items().skip(1);
        match command.head() {
            Some("declare-sort") => usize::from(items.count() < 2),
            Some("push" | "pop") => usize::from(items.count() < 1),
            Some("declare-datatype") => items.nth(1).map_or(0, bare),
            Some("assert") => items.map(alone).sum(),
            Some("declare-datatypes") => items.nth(1).map_or(0, |all| all.items().map(bare).sum()),
            _ => 0,
        }
    });
    commands.sum()
}

/// Lists of one atom in a term.
fn alone(term: Sexpr<'_>) -> usize {
    let (mut sum, mut stack) = (0, vec![term]);
    while let Some(sexpr) = stack.pop() {
        let mut items = sexpr.items();
        let first = items.next();
        sum += usize::from(first.is_some_and(|item| !item.is_list()) && items.next().is_none());
        stack.extend(sexpr.items());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worse(new: &str, old: &str) -> bool {
        Trouble::of(new).is_worse_than(&Trouble::of(old))
    }

    #[test]
    fn sees_what_solvers_would_reject() {
        let fine = "(declare-const x Int)(assert (= x 1))";
        assert!(worse("(declare-const x Int)(assert x)", fine));
        assert!(worse("(assert (= x 1))", fine));
        assert!(worse("(= x 1)", fine));
        assert!(worse("(declare-const x Int)(assert (= x))", fine));
        assert!(worse("(declare-const x Int)(assert (= x 1.5))", fine));
        assert!(worse("(declare-const x Int)(assert (= (x) 1))", fine));
        assert!(worse("(assert (", fine));
        assert!(worse(
            "(assert (forall ((a Int)) a))",
            "(assert (forall ((a Int)) (= a 1)))"
        ));
        let array = "(declare-const x (Array Int Bool))";
        let read = format!("{array}(assert (select x 0))");
        assert!(worse(&format!("{array}(assert (x 0))"), &read));
    }

    #[test]
    fn sees_what_is_too_short_for_the_standard() {
        assert!(worse("(declare-sort S)", "(declare-sort S 0)"));
        assert!(worse(
            "(push)(check-sat)(pop 1)",
            "(push 1)(check-sat)(pop 1)"
        ));
        let types = "(declare-datatypes ((T 0)) (((a) (b))))";
        assert!(worse("(declare-datatypes ((T 0)) ((a (b))))", types));
        assert!(worse(
            "(declare-datatype T (a))",
            "(declare-datatype T ((a)))"
        ));
        assert!(!worse("(declare-datatypes ((T 0)) (((a))))", types));
    }

    #[test]
    fn accepts_what_is_no_worse() {
        assert!(!worse("(check-sat)", "(assert (= x 1))"));
        assert!(!worse("(minimize 1)", "(minimize 1)(check-sat)"));
        assert!(!worse("(", "(("));
    }
}
