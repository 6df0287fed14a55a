//! What each rule and each monotone argument claims, and the test that evaluation finds it true.

use super::{Monotone, Order, PRELUDE, Rule};
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
        let mut variables = field_sorts(&self.variables);
        add_word(self.order, &mut variables);
        Claim {
            title: self.name.clone(),
            prelude: prelude(&self.variables, [&self.lesser, &self.greater]),
            variables,
            premises: self.conditions.iter().map(|(v, l)| l.formula(v)).collect(),
            conclusion: self.order.relation(&self.lesser, &self.greater, WORD),
        }
    }
}

impl Monotone {
    /// The solvers that proved it.
    pub fn provers(&self) -> &'static [&'static str] {
        provers(&self.title())
    }

    /// Whether it may be used. "One language lies within another" is a premise that no solver takes up: there,
    /// evaluation over small languages is the proof.
    pub fn is_proved(&self) -> bool {
        !self.provers().is_empty() || self.from == Order::Language
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
            conclusion,
        }
    }
}

const WORD: &str = "w!";

fn add_word(order: Order, variables: &mut Vec<(String, String)>) {
    if order == Order::Language {
        variables.push((WORD.into(), "String".into()));
    }
}

/// Fills the hole of a context, which is not the `_` of an index.
fn fill(context: &str, with: &str) -> String {
    context
        .replace(" _)", &format!(" {with})"))
        .replace(" _ ", &format!(" {with} "))
}

/// The sorts of the fields of the datatype in the prelude.
fn field_sorts(variables: &[(String, String)]) -> Vec<(String, String)> {
    let sort = |sort: &str| match sort {
        "F10" | "F21" => "Int".to_string(),
        "F20" => "Bool".to_string(),
        other => other.to_string(),
    };
    variables
        .iter()
        .map(|(n, s)| (n.clone(), sort(s)))
        .collect()
}

fn prelude(variables: &[(String, String)], sides: [&String; 2]) -> String {
    let mentions = |word: &str| sides.iter().any(|side| side.contains(word));
    let is_data = |sort: &str| sort == "D" || sort.starts_with('F');
    let mut text = String::new();
    if variables.iter().any(|(_, sort)| is_data(sort)) {
        text.push_str(PRELUDE);
    }
    if mentions("(f ") {
        text.push_str("(declare-fun f (X) Int)\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{monotone, rules};
    use super::*;

    /// How many assignments of each instance are tried.
    const MOST: usize = 700;

    fn holds(claim: &Claim) -> usize {
        let mut held = 0;
        for instance in claim.small_instances() {
            let result = instance
                .evaluate(MOST)
                .unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(result.counterexample, None, "{}", instance.title);
            held += result.held;
        }
        held
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

    #[test]
    fn every_monotone_argument_holds_on_small_domains() {
        for row in monotone() {
            let claim = row.claim();
            assert!(holds(&claim) > 0, "{} was never determined", claim.title);
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
            let refuted = rule.claim().small_instances().iter().any(|instance| {
                let result = instance.evaluate(5000).expect("well-formed");
                result.counterexample.is_some()
            });
            assert!(refuted, "{text}");
        }
    }
}
