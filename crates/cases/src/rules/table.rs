//! Reads the built-in tables of rules.

use super::bindings::MOST_VARIABLES;
use super::pattern::{Literal, Variable};
use super::read::{self, Reader};
use super::size::Size;
use super::{Fusion, Monotone, Order, Relation, Rule, Source, Use, Written};
use auspex_logic::{OpTable, Theory};
use auspex_syntax::{Document, Sexpr};
use std::sync::OnceLock;

/// The tables, each with `(theory name)` before the first rule of a theory.
const TABLES: &[&str] = &[
    include_str!("tables/core.rules"),
    include_str!("tables/ints.rules"),
    include_str!("tables/reals.rules"),
    include_str!("tables/bitvec.rules"),
    include_str!("tables/float.rules"),
    include_str!("tables/strings.rules"),
    include_str!("tables/regex.rules"),
    include_str!("tables/arrays.rules"),
    include_str!("tables/datatypes.rules"),
    include_str!("tables/sequences.rules"),
    include_str!("tables/sets.rules"),
    include_str!("tables/bags.rules"),
    include_str!("tables/found.rules"),
];

/// All rows of the tables.
#[derive(Default)]
struct Tables {
    laws: Vec<Rule>,
    approximations: Vec<Rule>,
    monotone: Vec<Monotone>,
    fusions: Vec<Fusion>,
}

/// The laws, by theory.
pub fn laws() -> &'static [Rule] {
    &tables().laws
}

/// The approximation rules.
pub fn approximations() -> &'static [Rule] {
    &tables().approximations
}

/// The monotone arguments of operators.
pub fn monotone() -> &'static [Monotone] {
    &tables().monotone
}

/// The fusion functions.
pub fn fusions() -> &'static [Fusion] {
    &tables().fusions
}

fn tables() -> &'static Tables {
    static ALL: OnceLock<Tables> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Tables::default();
        for text in TABLES {
            let document = Document::read(*text).expect("built-in tables are well-formed");
            let mut theory = Theory::Core;
            for row in document.items() {
                all.add(row, &mut theory)
                    .unwrap_or_else(|| panic!("built-in rule {} is not understood", row.text()));
            }
        }
        let place = |rule: &Rule| Theory::ALL.iter().position(|theory| *theory == rule.theory);
        all.laws.sort_by_key(place);
        all
    })
}

impl Tables {
    fn add(&mut self, row: Sexpr<'_>, theory: &mut Theory) -> Option<()> {
        match row.head()? {
            "theory" => {
                let name = row.item(1)?.symbol()?;
                *theory = Theory::ALL.into_iter().find(|known| known.name() == name)?;
            }
            "law" => self.laws.push(rule(row, *theory)?),
            "approximation" => self.approximations.push(rule(row, *theory)?),
            "monotone" => self.monotone.push(monotone_argument(row, *theory)?),
            "fusion" => self.fusions.push(fusion(row, *theory)?),
            _ => return None,
        }
        Some(())
    }
}

/// Reads a rule of a table.
pub fn read_rule(text: &str, theory: Theory) -> Option<Rule> {
    let document = Document::read(text).ok()?;
    rule(document.items().next()?, theory)
}

/// `(use name ((variable sort)…) (relation left right) attributes…)`.
fn rule(row: Sexpr<'_>, theory: Theory) -> Option<Rule> {
    let used_as = row.head()?;
    let sides = row.item(3)?;
    let (variables, attributes) = head(row.item(2)?, row, 4)?;
    let table = OpTable::builtin();
    let reader = Reader::new(&table, &variables);
    let conditions = attributes.conditions.into_iter();
    let conditions: Option<Vec<Written>> = conditions.map(|item| written(&reader, item)).collect();
    let lemma = match attributes.lemma {
        Some(lemma) => Some(reader.node(lemma)?),
        None => None,
    };
    Some(Rule {
        used_as: Use::ALL.into_iter().find(|known| known.name() == used_as)?,
        name: row.item(1)?.symbol()?.to_string(),
        theory,
        relation: Relation::named(sides.head()?)?,
        left: written(&reader, sides.item(1)?)?,
        right: written(&reader, sides.item(2)?)?,
        conditions: conditions?,
        sizes: attributes.sizes,
        small: attributes.small,
        lemma,
        source: attributes.source,
        variables,
    })
}

fn written(reader: &Reader<'_>, item: Sexpr<'_>) -> Option<Written> {
    Some(Written {
        text: item.text().to_string(),
        node: reader.node(item)?,
    })
}

/// `(monotone ((variable sort)… (_ sort)) context from direction to attributes…)`.
fn monotone_argument(row: Sexpr<'_>, theory: Theory) -> Option<Monotone> {
    let (variables, _) = head(row.item(1)?, row, 6)?;
    let table = OpTable::builtin();
    let up = match row.item(4)?.symbol()? {
        "up" => true,
        "down" => false,
        _ => return None,
    };
    let order = |place| Order::named(row.item(place)?.symbol()?);
    let context = written(&Reader::new(&table, &variables), row.item(2)?)?;
    Monotone::new(theory, variables, context, (order(3)?, up, order(5)?))
}

/// `(fusion name ((x sort) (y sort)) z (= inverse x) (= inverse y) attributes…)`.
fn fusion(row: Sexpr<'_>, theory: Theory) -> Option<Fusion> {
    let name = row.item(1)?.symbol()?;
    let (variables, attributes) = head(row.item(2)?, row, 6)?;
    let table = OpTable::builtin();
    let reader = Reader::new(&table, &variables);
    let inverse = |place: usize, of: &str| {
        let sides = row.item(place)?;
        Some(Rule {
            used_as: Use::Inverse,
            name: format!("{name}-{of}"),
            theory,
            variables: variables.clone(),
            relation: Relation::named(sides.head()?)?,
            left: written(&reader, sides.item(1)?)?,
            right: written(&reader, sides.item(2)?)?,
            conditions: Vec::new(),
            sizes: attributes.sizes.clone(),
            small: false,
            lemma: None,
            source: attributes.source,
        })
    };
    let z = reader.node(row.item(3)?)?;
    Some(Fusion::new(name, z, [inverse(4, "x")?, inverse(5, "y")?]))
}

/// The attributes that may follow the sides of a row.
struct Attributes<'s> {
    conditions: Vec<Sexpr<'s>>,
    sizes: Vec<(Size, Size)>,
    small: bool,
    lemma: Option<Sexpr<'s>>,
    source: Source,
}

/// The variables of a row, and its attributes from a position on.
fn head<'s>(
    list: Sexpr<'s>,
    row: Sexpr<'s>,
    from: usize,
) -> Option<(Vec<Variable>, Attributes<'s>)> {
    let mut variables = read::variables(list)?;
    let mut attributes = Attributes {
        conditions: Vec::new(),
        sizes: Vec::new(),
        small: false,
        lemma: None,
        source: Source::Own,
    };
    let mut rest = row.items().skip(from);
    while let Some(key) = rest.next() {
        match key.text() {
            ":if" => attributes.conditions.push(rest.next()?),
            ":when" => literals(rest.next()?, &mut variables)?,
            ":sizes" => attributes.sizes = sizes(rest.next()?)?,
            ":small" => attributes.small = true,
            ":lemma" => attributes.lemma = Some(rest.next()?),
            ":source" => {
                let name = rest.next()?.symbol()?;
                attributes.source = Source::ALL.into_iter().find(|s| s.name() == name)?;
            }
            _ => return None,
        }
    }
    (variables.len() <= MOST_VARIABLES).then_some((variables, attributes))
}

/// `(positive a)`.
fn literals(list: Sexpr<'_>, variables: &mut [Variable]) -> Option<()> {
    let name = list.head()?;
    let literal = Literal::ALL.into_iter().find(|l| l.name() == name)?;
    for item in list.items().skip(1) {
        let name = item.symbol()?;
        let mut all = variables.iter_mut();
        all.find(|variable| variable.name == name)?.literal = Some(literal);
    }
    Some(())
}

/// `(1<=m j<=i)`.
fn sizes(list: Sexpr<'_>) -> Option<Vec<(Size, Size)>> {
    let pair = |item: Sexpr<'_>| {
        let (low, high) = item.text().split_once("<=")?;
        Some((Size::read(low)?, Size::read(high)?))
    };
    list.items().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_rule() {
        for text in [
            "(law a)",
            "(guess a ((x Int)) (= x x))",
            "(law a ((x Strange)) (= x x))",
            "(law a ((x Int)) (= x y))",
            "(law a ((x Int)) (above x x))",
            "(law a ((x Int)) (= x x) :sizes (m))",
            "(law a ((x Int)) (= x x) :frob y)",
        ] {
            assert_eq!(read_rule(text, Theory::Ints), None, "{text}");
        }
    }
}
