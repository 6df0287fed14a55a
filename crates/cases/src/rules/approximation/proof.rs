//! What each rule and each monotone argument claims, and the test that evaluation finds it true.

use super::{Monotone, Order, Rule};
use crate::rules::claim::Claim;
use crate::rules::record::Record;
use std::sync::LazyLock;

/// The solvers that proved a claim, by its title.
fn provers(title: &str) -> &'static [&'static str] {
    static RECORD: LazyLock<Record> = LazyLock::new(|| Record::read(include_str!("proved.txt")));
    RECORD.provers(title)
}

impl Rule {
    /// The solvers that proved it; evaluation proves every rule.
    pub fn provers(&self) -> &'static [&'static str] {
        provers(&self.name)
    }

    /// The claim that the lesser side is below the greater one.
    pub fn claim(&self) -> Claim {
        let mut variables = self.variables.clone();
        add_word(self.order, &mut variables);
        let uses_function = [&self.lesser, &self.greater]
            .iter()
            .any(|side| side.contains("(f "));
        let prelude = match uses_function {
            true => "(declare-fun f (X) Int)\n",
            false => "",
        };
        Claim {
            title: self.name.clone(),
            prelude: prelude.to_string(),
            variables,
            premises: self.conditions.iter().map(|(v, l)| l.formula(v)).collect(),
            lemma: self.lemma.clone(),
            conclusion: self.order.relation(&self.lesser, &self.greater, WORD),
        }
    }
}

impl Monotone {
    /// The solvers that proved it.
    pub fn provers(&self) -> &'static [&'static str] {
        provers(&self.title())
    }

    /// Whether it may be used.
    pub fn is_proved(&self) -> bool {
        !self.provers().is_empty()
    }

    fn title(&self) -> String {
        format!("{} {}", self.context, self.from.name())
    }

    /// The claim that the operator takes the one order to the other.
    pub fn claim(&self) -> Claim {
        let mut variables = self.variables.clone();
        let hole = |name: &str| (name.to_string(), self.hole.clone());
        variables.push(hole("x!"));
        let mut premises: Vec<String> = self.conditions.iter().map(|(v, l)| l.formula(v)).collect();
        // What is above x, without a quantifier where the order needs one.
        let above = match self.from {
            Order::Language => {
                variables.push(hole("y!"));
                "(re.union x! y!)"
            }
            Order::Substring => {
                variables.extend([hole("y!"), hole("z!")]);
                "(str.++ y! x! z!)"
            }
            Order::Subsequence => {
                variables.extend([hole("y!"), hole("z!")]);
                "(seq.++ y! x! z!)"
            }
            Order::Prefix => {
                variables.push(hole("y!"));
                "(str.++ x! y!)"
            }
            Order::Suffix => {
                variables.push(hole("y!"));
                "(str.++ y! x!)"
            }
            Order::Elements | Order::Members => {
                variables.push(hole("y!"));
                let relation = self.from.relation("x!", "y!", "v!");
                premises.push(format!("(forall ((v! X)) {relation})"));
                "y!"
            }
            _ => {
                variables.push(hole("y!"));
                premises.push(self.from.relation("x!", "y!", WORD));
                "y!"
            }
        };
        add_word(self.to, &mut variables);
        let fill = |with: &str| fill(&self.context, with);
        let (below, above) = (fill("x!"), fill(above));
        let conclusion = if self.up {
            self.to.relation(&below, &above, WORD)
        } else {
            self.to.relation(&above, &below, WORD)
        };
        Claim {
            title: self.title(),
            prelude: String::new(),
            variables,
            premises,
            lemma: None,
            conclusion,
        }
    }
}

const WORD: &str = "w!";

fn add_word(order: Order, variables: &mut Vec<(String, String)>) {
    if let Some(sort) = order.witness_sort() {
        variables.push((WORD.into(), sort.into()));
    }
}

/// Fills the hole of a context, which is not the `_` of an index.
fn fill(context: &str, with: &str) -> String {
    context
        .replace(" _)", &format!(" {with})"))
        .replace(" _ ", &format!(" {with} "))
}

#[cfg(test)]
mod tests {
    use super::super::{Source, monotone, rule_index, rules};
    use super::*;
    use auspex_logic::{Terms, read_script};

    fn holds(claim: &Claim) -> usize {
        let result = claim.check().unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(result.counterexample, None, "{}", claim.title);
        result.held
    }

    #[test]
    fn every_rule_holds_on_small_domains() {
        for rule in rules() {
            assert!(
                holds(&rule.claim()) > 0,
                "{} was never determined",
                rule.name
            );
        }
    }

    #[test]
    fn every_rule_is_proved_by_a_solver() {
        for rule in rules() {
            assert!(
                !rule.provers().is_empty(),
                "{}: record a proof or drop it",
                rule.name
            );
        }
    }

    /// The rules that another one says more generally.
    fn instances_of_others(text: Source) -> Vec<String> {
        let mut found = Vec::new();
        for rule in rules().iter().filter(|rule| rule.source == text) {
            let Some(claim) = rule.claim().small_instances().into_iter().next() else {
                continue;
            };
            let mut terms = Terms::new();
            let script = read_script(&mut terms, &claim.script())
                .expect("well-formed")
                .script;
            let implication = terms.args(script.roots()[0])[0];
            let [lesser, greater] = terms.args(implication) else {
                panic!("{}", claim.title)
            };
            if let Some(other) = rule_index().covering(&terms, *lesser, *greater)
                && other.rule.name != rule.name
            {
                found.push(format!(
                    "{} is an instance of {}",
                    rule.name, other.rule.name
                ));
            }
        }
        found
    }

    #[test]
    fn found_rules_say_something_new() {
        assert_eq!(instances_of_others(Source::Found), [""; 0]);
    }

    #[test]
    fn instances_of_rules_are_seen() {
        let mut terms = Terms::new();
        let text =
            "(declare-const x Int)(assert (=> (< x 3) (<= x 3)))(assert (=> (< x 3) (< x 4)))";
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let covering = |root: usize| {
            let args = terms.args(script.roots()[root]);
            rule_index()
                .covering(&terms, args[0], args[1])
                .map(|rule| rule.rule.name.as_str())
        };
        assert_eq!(covering(0), Some("less-at-most"));
        assert_eq!(covering(1), None);
    }

    #[test]
    fn every_monotone_argument_holds_on_small_domains() {
        for row in monotone() {
            let claim = row.claim();
            assert!(holds(&claim) > 0, "{} was never determined", claim.title);
        }
    }

    #[test]
    fn every_monotone_argument_is_proved_by_a_solver() {
        for row in monotone() {
            assert!(
                row.is_proved(),
                "{}: record a proof or drop it",
                row.title()
            );
        }
    }

    #[test]
    fn the_papers_errors_are_found() {
        let wrong = [
            "(a ((x String) (y String)) (str.suffixof x y) (str.<= x y))",
            "(b ((x String) (y String)) (str.contains x y) (str.<= y x))",
            "(c ((x String) (y String) (a String)) (and (str.suffixof x a) (str.prefixof x a) (str.suffixof y a) (str.prefixof y a)) (= x y))",
            "(d ((x (_ BitVec n)) (y (_ BitVec n))) (bvsgt x y) (bvsle x y))",
            "(e ((x (_ FloatingPoint e s)) (y (_ FloatingPoint e s))) (= x y) (fp.leq x y))",
        ];
        for text in wrong {
            let document = auspex_syntax::Document::read(text).expect("well-formed");
            let row = document.items().next().expect("one");
            let rule =
                super::super::table::read_rule(row, auspex_logic::Theory::Strings).expect("a row");
            let result = rule.claim().check().expect("well-formed");
            assert!(result.counterexample.is_some(), "{text}");
        }
    }
}
