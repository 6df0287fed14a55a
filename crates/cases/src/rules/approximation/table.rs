//! Reads the tables of rules that are built into the program.

use super::{Literal, Order};
use auspex_logic::Theory;
use auspex_syntax::{Document, Sexpr};
use std::sync::OnceLock;

/// `lesser` is below `greater` for all values of the variables that meet the conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub theory: Theory,
    /// Variables with their sorts. `N` is `Int` or `Real`, `X`, `Y`, `Z` are any sorts, and `n`, `m`, `e`, `s`, `k`,
    /// `l` are any numbers. `D` is a datatype with constructors `c0` and `d0` without fields and `cn` with any number
    /// of them: `(cn x r)` has `x`, of sort `F`, in a chosen field, and the others, `r` of sort `Rest`; `sn` selects the
    /// chosen field, `(rebuilt u)` is `cn` of all fields of `u`. `f` is any function of one argument.
    pub variables: Vec<(String, String)>,
    pub lesser: String,
    pub greater: String,
    pub order: Order,
    pub conditions: Vec<(String, Literal)>,
    /// A step of the proof: it follows from the conditions, and with it the rule does.
    pub lemma: Option<String>,
    pub source: Source,
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Table 2 of the paper on skeletal approximation enumeration.
    Paper,
    /// A row of that table that is unsound or misprinted, corrected.
    Corrected,
    /// Written here.
    Own,
    /// Found by enumeration over the operator table.
    Found,
}

impl Source {
    pub const ALL: [Source; 4] = [Source::Paper, Source::Corrected, Source::Own, Source::Found];

    pub fn name(self) -> &'static str {
        match self {
            Source::Paper => "paper",
            Source::Corrected => "corrected",
            Source::Own => "own",
            Source::Found => "found",
        }
    }
}

/// An operator that respects an order at one of its arguments, the hole `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monotone {
    pub theory: Theory,
    /// The variables of the context, without the hole.
    pub variables: Vec<(String, String)>,
    pub context: String,
    /// The sort of the hole.
    pub hole: String,
    pub from: Order,
    /// Whether a greater argument gives a greater (not a lesser) result.
    pub up: bool,
    pub to: Order,
    pub conditions: Vec<(String, Literal)>,
}

const TABLES: &[(Theory, &str)] = &[
    (Theory::Core, include_str!("core.rules")),
    (Theory::Ints, include_str!("ints.rules")),
    (Theory::Reals, include_str!("reals.rules")),
    (Theory::BitVectors, include_str!("bitvec.rules")),
    (Theory::FloatingPoint, include_str!("float.rules")),
    (Theory::Strings, include_str!("strings.rules")),
    (Theory::Regex, include_str!("regex.rules")),
    (Theory::Arrays, include_str!("arrays.rules")),
    (Theory::Datatypes, include_str!("datatypes.rules")),
    (Theory::Sequences, include_str!("sequences.rules")),
    (Theory::Sets, include_str!("sets.rules")),
];

/// Every rule.
pub fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut all = Vec::new();
        for (theory, text) in TABLES {
            all.extend(items(text, |row| read_rule(row, *theory)));
        }
        let found = items(include_str!("found.rules"), |row| {
            let theory = theory_named(row.item(0)?.symbol()?)?;
            let rule = read_rule(row.item(1)?, theory)?;
            Some(Rule {
                source: Source::Found,
                ..rule
            })
        });
        all.extend(found);
        all
    })
}

/// Every monotone argument.
pub fn monotone() -> &'static [Monotone] {
    static ROWS: OnceLock<Vec<Monotone>> = OnceLock::new();
    ROWS.get_or_init(|| items(include_str!("monotone.rules"), read_monotone))
}

fn items<T>(text: &str, read: impl Fn(Sexpr<'_>) -> Option<T>) -> Vec<T> {
    let document = Document::read(text).expect("built-in tables are well-formed");
    let rows = document.items();
    rows.map(|row| read(row).unwrap_or_else(|| panic!("built-in table: {} is no row", row.text())))
        .collect()
}

/// `(name ((variable sort)…) lesser greater attributes…)`.
pub(crate) fn read_rule(row: Sexpr<'_>, theory: Theory) -> Option<Rule> {
    let mut rule = Rule {
        name: row.item(0)?.symbol()?.to_string(),
        theory,
        variables: variables(row.item(1)?)?,
        lesser: row.item(2)?.text().to_string(),
        greater: row.item(3)?.text().to_string(),
        order: Order::Truth,
        conditions: Vec::new(),
        lemma: None,
        source: Source::Own,
    };
    let mut rest = row.items().skip(4);
    while let Some(key) = rest.next() {
        let value = rest.next()?;
        match key.text() {
            ":order" => rule.order = Order::named(value.symbol()?)?,
            ":source" => {
                let name = value.symbol()?;
                rule.source = Source::ALL.into_iter().find(|s| s.name() == name)?;
            }
            ":lemma" => rule.lemma = Some(value.text().to_string()),
            ":when" => rule.conditions = conditions(value)?,
            _ => return None,
        }
    }
    Some(rule)
}

/// `(theory ((variable sort)…) context hole from direction to attributes…)`.
fn read_monotone(row: Sexpr<'_>) -> Option<Monotone> {
    let symbol = |place| row.item(place)?.symbol();
    Some(Monotone {
        theory: theory_named(symbol(0)?)?,
        variables: variables(row.item(1)?)?,
        context: row.item(2)?.text().to_string(),
        hole: row.item(3)?.text().to_string(),
        from: Order::named(symbol(4)?)?,
        up: match symbol(5)? {
            "up" => true,
            "down" => false,
            _ => return None,
        },
        to: Order::named(symbol(6)?)?,
        conditions: row.item(8).map_or(Some(Vec::new()), conditions)?,
    })
}

fn theory_named(name: &str) -> Option<Theory> {
    Theory::ALL.into_iter().find(|theory| theory.name() == name)
}

fn variables(list: Sexpr<'_>) -> Option<Vec<(String, String)>> {
    list.items()
        .map(|item| {
            Some((
                item.item(0)?.symbol()?.to_string(),
                item.item(1)?.text().to_string(),
            ))
        })
        .collect()
}

/// `(positive a)`.
fn conditions(list: Sexpr<'_>) -> Option<Vec<(String, Literal)>> {
    let name = list.head()?;
    let literal = Literal::ALL.into_iter().find(|l| l.name() == name)?;
    let variables = list.items().skip(1);
    variables
        .map(|v| Some((v.symbol()?.to_string(), literal)))
        .collect()
}

/// A rule as a line of a table.
pub fn write_rule(rule: &Rule) -> String {
    let variables: Vec<String> = rule
        .variables
        .iter()
        .map(|(name, sort)| format!("({name} {sort})"))
        .collect();
    let mut text = format!(
        "({} ({}) {} {}",
        rule.name,
        variables.join(" "),
        rule.lesser,
        rule.greater
    );
    if rule.order != Order::Truth {
        text.push_str(&format!(" :order {}", rule.order.name()));
    }
    if let [(variable, literal), ..] = rule.conditions.as_slice() {
        text.push_str(&format!(" :when ({} {variable})", literal.name()));
    }
    if let Some(lemma) = &rule.lemma {
        text.push_str(&format!(" :lemma {lemma}"));
    }
    if rule.source != Source::Own {
        text.push_str(&format!(" :source {}", rule.source.name()));
    }
    text.push(')');
    text
}

/// A monotone argument as it is shown.
pub fn write_monotone(row: &Monotone) -> String {
    let way = if row.up { "up" } else { "down" };
    let (from, to) = (row.from.name(), row.to.name());
    let mut text = format!("{} {} {from} {way} {to}", row.context, row.hole);
    for (variable, literal) in &row.conditions {
        text.push_str(&format!(" :when ({} {variable})", literal.name()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn tables_have_many_rules_with_names_of_their_own() {
        let names: HashSet<&str> = rules().iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names.len(), rules().len());
        assert!(rules().len() >= 150, "{}", rules().len());
        assert!(monotone().len() >= 80, "{}", monotone().len());
    }

    #[test]
    fn written_rules_read_back() {
        for rule in rules().iter().filter(|rule| rule.source != Source::Found) {
            let text = write_rule(rule);
            let document = Document::read(text.as_str()).expect("well-formed");
            let again = document
                .items()
                .next()
                .and_then(|row| read_rule(row, rule.theory));
            assert_eq!(again.as_ref(), Some(rule), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_row() {
        for text in [
            "(a)",
            "(a ((x Int)) x x :order upward)",
            "(a ((x Int)) x x :frob y)",
        ] {
            let document = Document::read(text).expect("well-formed");
            let row = document.items().next().expect("one");
            assert_eq!(read_rule(row, Theory::Ints), None, "{text}");
        }
    }
}
