//! The reader of the terms and sorts of rules.

use super::bindings::{CONSTRUCTORS, SORTS};
use super::pattern::{Node, SortPattern, Variable};
use super::size::{Size, slot};
use auspex_logic::value::{BitVec, Escapes, Int, Rat, RoundingMode, Str};
use auspex_logic::{OpTable, Sort, Value};
use auspex_syntax::{Document, Kind, Sexpr};

/// Reads terms, with the variables in scope.
#[derive(Clone, Copy)]
pub struct Reader<'r> {
    pub table: &'r OpTable,
    pub variables: &'r [Variable],
    /// The variables of the enclosing quantifiers.
    bound: &'r [(Box<str>, SortPattern)],
}

/// `((name sort)…)`.
pub fn variables(list: Sexpr<'_>) -> Option<Vec<Variable>> {
    let variable = |item: Sexpr<'_>| {
        Some(Variable {
            name: item.item(0)?.symbol()?.to_string(),
            sort: sort(item.item(1)?)?,
            literal: None,
        })
    };
    list.items().map(variable).collect()
}

pub fn sort(item: Sexpr<'_>) -> Option<SortPattern> {
    let Some(name) = item.symbol() else {
        return compound_sort(item);
    };
    let letter = SORTS.iter().position(|letter| name == letter.to_string());
    if let Some(place) = letter {
        return Some(SortPattern::Any(place as u8));
    }
    Some(match name {
        "N" => SortPattern::Number,
        "D" => SortPattern::Data,
        "F" => SortPattern::Field,
        "Rest" => SortPattern::Rest,
        "Bool" => SortPattern::Exactly(Sort::BOOL),
        "Int" => SortPattern::Exactly(Sort::INT),
        "Real" => SortPattern::Exactly(Sort::REAL),
        "String" => SortPattern::Exactly(Sort::STRING),
        "RegLan" => SortPattern::Exactly(Sort::REG_LAN),
        "RoundingMode" => SortPattern::Exactly(Sort::ROUNDING_MODE),
        _ => return None,
    })
}

fn compound_sort(item: Sexpr<'_>) -> Option<SortPattern> {
    let part = |at: usize| Some(Box::new(sort(item.item(at)?)?));
    let size = |at: usize| Size::read(item.item(at)?.text());
    match (item.head()?, item.item(1)?.symbol()) {
        ("_", Some("BitVec")) => Some(SortPattern::BitVec(size(2)?)),
        ("_", Some("FloatingPoint")) => Some(SortPattern::Float(size(2)?, size(3)?)),
        ("Array", _) => Some(SortPattern::Array(part(1)?, part(2)?)),
        ("Seq", _) => Some(SortPattern::Seq(part(1)?)),
        ("Set", _) => Some(SortPattern::Set(part(1)?)),
        ("Bag", _) => Some(SortPattern::Bag(part(1)?)),
        _ => None,
    }
}

impl<'r> Reader<'r> {
    pub fn new(table: &'r OpTable, variables: &'r [Variable]) -> Reader<'r> {
        Reader {
            table,
            variables,
            bound: &[],
        }
    }

    pub fn text(&self, text: &str) -> Option<Node> {
        let document = Document::read(text).ok()?;
        self.node(document.items().next()?)
    }

    pub fn node(&self, item: Sexpr<'_>) -> Option<Node> {
        match item.kind() {
            Kind::Symbol | Kind::QuotedSymbol => self.symbol(item.symbol()?),
            Kind::Numeral => Int::parse(item.text())
                .map(Node::Integer)
                .or_else(|| Size::read(item.text()).map(Node::Number)),
            Kind::Decimal => Some(Node::Value(
                Value::Real(Rat::parse(item.text())?),
                Sort::REAL,
            )),
            Kind::String => {
                let string = Str::read(&item.string()?, Escapes::Standard)?;
                Some(Node::Value(Value::Str(string), Sort::STRING))
            }
            Kind::Binary | Kind::Hexadecimal => {
                let bits = BitVec::parse(item.text())?;
                let width = Size::of(bits.width().into())?;
                Some(Node::Bits(Size::of(bits.to_u64()?)?, width))
            }
            Kind::List => self.list(item),
            Kind::Keyword => None,
        }
    }

    fn symbol(&self, name: &str) -> Option<Node> {
        if let Some((name, sort)) = self.bound.iter().find(|(bound, _)| **bound == *name) {
            return Some(Node::Bound(name.clone(), sort.clone()));
        }
        if let Some(at) = self.variables.iter().position(|v| v.name == name) {
            return Some(Node::Variable(at as u8));
        }
        if let Some(slot) = constructor(name) {
            return Some(Node::Constructor(slot));
        }
        if let Some(mode) = RoundingMode::parse(name) {
            return Some(Node::Value(Value::Rounding(mode), Sort::ROUNDING_MODE));
        }
        match name {
            "true" | "false" => Some(Node::Value(Value::Bool(name == "true"), Sort::BOOL)),
            _ => Size::read(name)
                .map(Node::Number)
                .or_else(|| self.apply(name, Box::default(), Box::default())),
        }
    }

    fn apply(&self, name: &str, indices: Box<[Size]>, args: Box<[Node]>) -> Option<Node> {
        let rows = self.table.named(name);
        (!rows.is_empty()).then(|| Node::Apply {
            name: name.into(),
            rows: rows.into(),
            indices,
            args,
            sort: None,
        })
    }

    /// `(as name sort)`, applied.
    fn qualified(&self, head: Sexpr<'_>, args: Box<[Node]>) -> Option<Node> {
        let mut node = self.apply(head.item(1)?.symbol()?, Box::default(), args)?;
        if let Node::Apply { sort: of, .. } = &mut node {
            *of = Some(sort(head.item(2)?)?);
        }
        Some(node)
    }

    fn list(&self, item: Sexpr<'_>) -> Option<Node> {
        match item.head() {
            Some("_") => return self.indexed_constant(item),
            Some("as") => return self.qualified(item, Box::default()),
            Some("forall" | "exists") => return self.quantifier(item),
            Some("cases") => return self.cases(item),
            _ => {}
        }
        let args: Option<Box<[Node]>> = item.items().skip(1).map(|arg| self.node(arg)).collect();
        let (head, args) = (item.item(0)?, args?);
        let one = |args: Box<[Node]>| args.into_iter().next().map(Box::new);
        match (head.symbol(), head.head()) {
            (Some("f"), _) => Some(Node::Function(one(args)?)),
            (Some("sn"), _) => Some(Node::Selector(one(args)?)),
            (Some("rebuilt"), _) => Some(Node::Rebuilt(one(args)?)),
            (Some("cn"), _) => match &*args {
                [field, Node::Variable(rest)] => Some(Node::Fields(Box::new(field.clone()), *rest)),
                _ => None,
            },
            (Some(name), _) => self.apply(name, Box::default(), args),
            (None, Some("as")) => self.qualified(head, args),
            (None, Some("_")) if head.item(1)?.symbol() == Some("is") => {
                let slot = constructor(head.item(2)?.symbol()?)?;
                Some(Node::Tester(slot, one(args)?))
            }
            (None, Some("_")) => self.apply(head.item(1)?.symbol()?, indices(head)?, args),
            _ => None,
        }
    }

    /// `(_ bvX m)` or an indexed constant such as `(_ NaN e s)`.
    fn indexed_constant(&self, item: Sexpr<'_>) -> Option<Node> {
        let name = item.item(1)?.text();
        if let Some(value) = name.strip_prefix("bv").and_then(Size::read) {
            return Some(Node::Bits(value, Size::read(item.item(2)?.text())?));
        }
        self.apply(name, indices(item)?, Box::default())
    }

    fn quantifier(&self, item: Sexpr<'_>) -> Option<Node> {
        let variable =
            |item: Sexpr<'_>| Some((item.item(0)?.symbol()?.into(), sort(item.item(1)?)?));
        let variables: Option<Vec<(Box<str>, SortPattern)>> =
            item.item(1)?.items().map(variable).collect();
        let variables = variables?;
        let bound = [self.bound, &variables].concat();
        let inner = Reader {
            bound: &bound,
            ..*self
        };
        Some(Node::Quantifier {
            universal: item.head() == Some("forall"),
            body: Box::new(inner.node(item.item(2)?)?),
            variables: variables.into(),
        })
    }

    fn cases(&self, item: Sexpr<'_>) -> Option<Node> {
        let range = item.item(1)?;
        let part = |at: usize| self.node(item.item(at)?);
        Some(Node::Cases {
            letter: slot(range.item(0)?.text().chars().next()?)?,
            first: Size::read(range.item(1)?.text())?,
            last: Size::read(range.item(2)?.text())?,
            parts: Box::new([part(2)?, part(3)?, part(4)?]),
        })
    }
}

fn constructor(name: &str) -> Option<u8> {
    let slot = CONSTRUCTORS.iter().position(|known| *known == name)?;
    Some(slot as u8)
}

/// The indices of `(_ name i j)`.
fn indices(item: Sexpr<'_>) -> Option<Box<[Size]>> {
    let indices = item.items().skip(2);
    indices.map(|index| Size::read(index.text())).collect()
}
