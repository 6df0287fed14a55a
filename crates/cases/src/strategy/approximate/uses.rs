//! Decides which bodies of functions can be approximated: those that are used on only one side of one order.
//!
//! ```text
//! (define-fun-rec f ((n Int)) Bool (or (= n 0) (f (- n 2))))    (assert (and (f x) p))
//! ```
//!
//! `f` is used on the weak side only, so a weaker body makes a weaker script, also with recursion: an `f` that
//! satisfies the old equation lies below some `f` that satisfies the new one (Knaster and Tarski), since the body
//! grows with `f`. That needs a complete order, so of recursive functions only predicates qualify. Bodies with uses
//! in non-monotonic arguments, or on both sides, are not changed.

use super::target::TRUTH;
use crate::rules::{Order, RuleIndex, Side};
use auspex_logic::script::{Definition, DefinitionKind};
use auspex_logic::{Command, Fun, Head, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The side of a use; none if its argument is not monotonic.
type Mode = Option<(Order, Side)>;

#[derive(Clone, Copy)]
struct Body {
    term: TermId,
    is_recursive: bool,
}

/// The most terms analysed.
const MOST: usize = 20_000;

struct Search<'t> {
    terms: &'t Terms,
    bodies: FxHashMap<Fun, Body>,
    uses: FxHashMap<Fun, Mode>,
    open: Vec<(TermId, Mode)>,
    seen: FxHashSet<(TermId, Mode)>,
}

/// The sides on which defined functions are used; none for a function without a single side.
pub fn sides(
    terms: &Terms,
    rules: &RuleIndex,
    commands: &[Command],
) -> FxHashMap<Fun, Option<(Order, Side)>> {
    let definitions = commands.iter().flat_map(|command| match command {
        Command::DefineFun(definition) => std::slice::from_ref(definition),
        Command::DefineFunsRec(all) => all.as_slice(),
        _ => &[],
    });
    let mut search = Search {
        terms,
        bodies: definitions.map(|d| (d.fun, Body::of(d))).collect(),
        uses: FxHashMap::default(),
        open: Vec::new(),
        seen: FxHashSet::default(),
    };
    for command in commands {
        match command {
            Command::Assert(assertion) => search.open.push((assertion.term, Some(TRUTH))),
            Command::CheckSatAssuming(all) => {
                search
                    .open
                    .extend(all.iter().map(|term| (*term, Some(TRUTH))));
            }
            Command::Goal(goal) => search.open.push((goal.term, None)),
            _ => {}
        }
    }
    match search.run(rules) {
        Some(()) => search.uses,
        None => FxHashMap::default(),
    }
}

impl Body {
    fn of(definition: &Definition) -> Body {
        Body {
            term: definition.body,
            is_recursive: definition.how == DefinitionKind::Recursive,
        }
    }
}

impl Search<'_> {
    /// None if there are too many terms, or unknown ones.
    fn run(&mut self, rules: &RuleIndex) -> Option<()> {
        while let Some((term, mode)) = self.open.pop() {
            if !self.seen.insert((term, mode)) {
                continue;
            }
            if self.seen.len() > MOST {
                return None;
            }
            match self.terms.head(term) {
                Head::Opaque(_) => return None,
                Head::Fun(fun) => self.used(fun, mode),
                _ => {}
            }
            for (place, arg) in self.terms.args(term).iter().enumerate() {
                let below = mode.and_then(|(order, side)| {
                    let descent = rules.descent(self.terms, term, place, order)?;
                    let side = if descent.up { side } else { side.other() };
                    Some((descent.order, side))
                });
                self.open.push((*arg, below));
            }
        }
        Some(())
    }

    fn used(&mut self, fun: Fun, mode: Mode) {
        let Some(body) = self.bodies.get(&fun).copied() else {
            return;
        };
        let may = |(order, _): &(Order, Side)| !body.is_recursive || *order == Order::Truth;
        let mode = mode.filter(may);
        let known = self.uses.get(&fun).copied();
        let mode = match known {
            Some(known) if known == mode => return,
            Some(_) => None,
            None => mode,
        };
        self.uses.insert(fun, mode);
        if known != Some(mode) {
            self.open.push((body.term, mode));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule_index;
    use auspex_logic::read_script;

    fn side(definition: &str, assertion: &str) -> Option<(&'static str, Side)> {
        let mut terms = Terms::new();
        let text =
            format!("(declare-const p Bool)(declare-const x Int){definition}(assert {assertion})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(reading.issues, [], "{text}");
        let script = reading.script;
        let fun = script.definitions().next().expect("a definition").fun;
        let sides = sides(&terms, rule_index(), &script.commands);
        let found = sides.get(&fun).copied().flatten();
        found.map(|(order, side)| (order.name(), side))
    }

    #[test]
    fn uses_that_agree_have_a_side() {
        let plain = "(define-fun f ((a Int)) Bool (< a 3))";
        assert_eq!(side(plain, "(or p (f x))"), Some(("truth", Side::Lesser)));
        assert_eq!(side(plain, "(=> (f x) p)"), Some(("truth", Side::Greater)));
        let number = "(define-fun f ((a Int)) Int (+ a 3))";
        assert_eq!(side(number, "(< (f x) 4)"), Some(("number", Side::Greater)));
        let recursive = "(define-fun-rec f ((a Int)) Bool (or (= a 0) (f (- a 1))))";
        assert_eq!(
            side(recursive, "(and p (f x))"),
            Some(("truth", Side::Lesser))
        );
    }

    #[test]
    fn other_uses_have_none() {
        let plain = "(define-fun f ((a Int)) Bool (< a 3))";
        assert_eq!(side(plain, "(= p (f x))"), None);
        assert_eq!(side(plain, "(=> (f x) (f 2))"), None);
        assert_eq!(side(plain, "p"), None);
        let turned = "(define-fun-rec f ((a Int)) Bool (not (f (- a 1))))";
        assert_eq!(side(turned, "(f x)"), None);
        // f(x) = f(x) has solutions, f(x) = f(x) + 1 has none: numbers are no complete order.
        let number = "(define-fun-rec f ((a Int)) Int (f a))";
        assert_eq!(side(number, "(< (f x) 4)"), None);
    }
}
