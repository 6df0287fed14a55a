//! Reads operator declarations in the style of SMT-LIB theory files into signatures. The caller adds what a
//! declaration does not have: meaning and supporting solvers.

use super::{Assoc, AtMost, MOST, Number, Pattern, Shape, Sig};
use crate::sort::Sort;
use auspex_syntax::{Kind, Sexpr};

/// A declared operator: its name and signature.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: Box<str>,
    pub sig: Sig,
}

/// Why a declaration cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadDeclaration {
    pub span: auspex_syntax::Span,
    pub expected: &'static str,
}

#[derive(Default)]
struct Names<'s> {
    holes: Vec<&'s str>,
    numbers: Vec<&'s str>,
}

/// Reads `(name sort… result attribute…)`, `((_ name index…) …)` or `(par (X…) …)`.
pub fn read_declaration(sexpr: Sexpr<'_>) -> Result<Declaration, BadDeclaration> {
    if nests_deeper_than(sexpr, DEEPEST) {
        return Err(bad(sexpr, "sorts within at most 64 others"));
    }
    let mut names = Names::default();
    let mut inner = sexpr;
    if sexpr.head() == Some("par") {
        for parameter in sexpr.item(1).into_iter().flat_map(|p| p.items()) {
            names.holes.push(
                parameter
                    .symbol()
                    .ok_or(bad(parameter, "a sort parameter"))?,
            );
        }
        inner = sexpr
            .item(2)
            .ok_or(bad(sexpr, "(par (X …) (name sort … sort))"))?;
    }
    let mut items = inner.items();
    let head = items.next().ok_or(bad(inner, "an operator's name"))?;
    let (name, indices) = read_head(head, &mut names)?;
    let mut patterns = Vec::new();
    let mut rest = items.clone();
    for item in items {
        if item.kind() == Kind::Keyword {
            break;
        }
        patterns.push(read_pattern(item, &mut names)?);
        rest.next();
    }
    let result = patterns.pop().ok_or(bad(inner, "a result sort"))?;
    let mut sig = Sig {
        indices,
        params: patterns,
        result,
        assoc: Assoc::None,
        conditions: Vec::new(),
        qualified: false,
        rule: None,
        holes: 0,
        numbers: 0,
        shape: Shape::Other,
    };
    read_attributes(rest, &mut sig, &mut names)?;
    if names.holes.len() > MOST {
        return Err(bad(sexpr, "at most 8 sort parameters"));
    }
    sig.holes = names.holes.len() as u8;
    if names.numbers.len() > MOST {
        return Err(bad(sexpr, "at most 8 numbers"));
    }
    sig.numbers = names.numbers.len() as u8;
    sig.shape = Shape::of(&sig);
    Ok(Declaration {
        name: name.into(),
        sig,
    })
}

/// How deep sorts may be nested; they are read by recursion.
const DEEPEST: usize = 64;

fn nests_deeper_than(sexpr: Sexpr<'_>, most: usize) -> bool {
    let mut open = vec![(sexpr, 0)];
    while let Some((sexpr, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        let lists = sexpr.items().filter(|item| item.is_list());
        open.extend(lists.map(|item| (item, depth + 1)));
    }
    false
}

fn bad(sexpr: Sexpr<'_>, expected: &'static str) -> BadDeclaration {
    BadDeclaration {
        span: sexpr.span(),
        expected,
    }
}

fn read_head<'s>(
    head: Sexpr<'s>,
    names: &mut Names<'s>,
) -> Result<(&'s str, Vec<u8>), BadDeclaration> {
    if let Some(name) = head.symbol() {
        return Ok((name, Vec::new()));
    }
    // A literal class of a theory file, such as `(NUMERAL Int)`, declares nothing we need.
    let name = head
        .item(1)
        .and_then(|n| n.symbol())
        .ok_or(bad(head, "a name or (_ name index …)"))?;
    let mut indices = Vec::new();
    for index in head.items().skip(2) {
        let symbol = index.symbol().ok_or(bad(index, "an index variable"))?;
        indices.push(number_variable(symbol, names));
    }
    Ok((name, indices))
}

fn number_variable<'s>(name: &'s str, names: &mut Names<'s>) -> u8 {
    match names.numbers.iter().position(|n| *n == name) {
        Some(at) => at as u8,
        None => {
            names.numbers.push(name);
            names.numbers.len() as u8 - 1
        }
    }
}

/// A field's order is not a number here: fields are compared as sorts.
fn field_variable<'s>(name: &'s str, names: &mut Names<'s>) -> u8 {
    let at = names.holes.iter().position(|h| *h == name);
    at.unwrap_or_else(|| {
        names.holes.push(name);
        names.holes.len() - 1
    }) as u8
}

fn read_pattern<'s>(sexpr: Sexpr<'s>, names: &mut Names<'s>) -> Result<Pattern, BadDeclaration> {
    if let Some(name) = sexpr.symbol() {
        return Ok(match name {
            "Bool" => Pattern::Exactly(Sort::BOOL),
            "Int" => Pattern::Exactly(Sort::INT),
            "Real" => Pattern::Exactly(Sort::REAL),
            "String" => Pattern::Exactly(Sort::STRING),
            "RegLan" => Pattern::Exactly(Sort::REG_LAN),
            "RoundingMode" => Pattern::Exactly(Sort::ROUNDING_MODE),
            "Float16" => fixed_float(5, 11),
            "Float32" => fixed_float(8, 24),
            "Float64" => fixed_float(11, 53),
            "Float128" => fixed_float(15, 113),
            _ => match names.holes.iter().position(|h| *h == name) {
                Some(hole) => Pattern::Hole(hole as u8),
                None => Pattern::Named(name.into(), Vec::new()),
            },
        });
    }
    let arg = |i: usize| sexpr.item(i).ok_or(bad(sexpr, "a sort with its arguments"));
    match (sexpr.head(), sexpr.item(1).and_then(|i| i.symbol())) {
        (Some("_"), Some("BitVec")) => Ok(Pattern::BitVec(read_number(arg(2)?, names)?)),
        (Some("_"), Some("FloatingPoint")) => Ok(Pattern::Float(
            read_number(arg(2)?, names)?,
            read_number(arg(3)?, names)?,
        )),
        (Some("_"), Some("FiniteField")) => {
            let letter = arg(2)?
                .symbol()
                .ok_or(bad(sexpr, "a letter for the field"))?;
            Ok(Pattern::Field(field_variable(letter, names)))
        }
        (Some("Array"), _) => Ok(Pattern::Array(
            Box::new(read_pattern(arg(1)?, names)?),
            Box::new(read_pattern(arg(2)?, names)?),
        )),
        (Some("Seq"), _) => Ok(Pattern::Seq(Box::new(read_pattern(arg(1)?, names)?))),
        (Some("Set"), _) => Ok(Pattern::Set(Box::new(read_pattern(arg(1)?, names)?))),
        (Some("Bag"), _) => Ok(Pattern::Bag(Box::new(read_pattern(arg(1)?, names)?))),
        (Some("Nullable"), _) => Ok(Pattern::Nullable(Box::new(read_pattern(arg(1)?, names)?))),
        (Some("->"), _) => {
            let parts: Result<Vec<_>, _> = sexpr
                .items()
                .skip(1)
                .map(|p| read_pattern(p, names))
                .collect();
            Ok(Pattern::Function(parts?))
        }
        (Some(name), _) if name != "_" => {
            let args: Result<Vec<_>, _> = sexpr
                .items()
                .skip(1)
                .map(|p| read_pattern(p, names))
                .collect();
            Ok(Pattern::Named(name.into(), args?))
        }
        _ => Err(bad(sexpr, "a sort")),
    }
}

fn fixed_float(eb: i64, sb: i64) -> Pattern {
    Pattern::Float(Number::constant(eb), Number::constant(sb))
}

/// Reads `8`, `m`, `m+n`, `i-j+1` or `i*m`.
fn read_number<'s>(sexpr: Sexpr<'s>, names: &mut Names<'s>) -> Result<Number, BadDeclaration> {
    parse_number(sexpr.text(), names).ok_or(bad(sexpr, "a number such as 8, m, m+n or i-j+1"))
}

fn parse_number<'s>(text: &'s str, names: &mut Names<'s>) -> Option<Number> {
    let mut number = Number::constant(0);
    let mut rest = text;
    let mut sign = 1;
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        if let Some((a, b)) = part.split_once('*') {
            number.product = Some((number_variable(a, names), number_variable(b, names)));
        } else if let Ok(constant) = part.parse::<i64>() {
            number.constant += sign * constant;
        } else if !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            number.linear.push((sign, number_variable(part, names)));
        } else {
            return None;
        }
        match tail.chars().next() {
            None => return Some(number),
            Some('+') => sign = 1,
            Some(_) => sign = -1,
        }
        rest = &tail[1..];
    }
}

fn read_attributes<'s>(
    mut items: auspex_syntax::Items<'s>,
    sig: &mut Sig,
    names: &mut Names<'s>,
) -> Result<(), BadDeclaration> {
    while let Some(item) = items.next() {
        match item.text() {
            ":left-assoc" => sig.assoc = Assoc::Left,
            ":right-assoc" => sig.assoc = Assoc::Right,
            ":chainable" => sig.assoc = Assoc::Chainable,
            ":pairwise" => sig.assoc = Assoc::Pairwise,
            ":qualified" => sig.qualified = true,
            ":where" => {
                let list = items
                    .next()
                    .ok_or(bad(item, "(condition …) after :where"))?;
                for condition in list.items() {
                    sig.conditions.push(read_condition(condition, names)?);
                }
            }
            // Theory files carry further attributes; none changes the signature.
            _ if item.kind() == Kind::Keyword => {}
            _ => {}
        }
    }
    let binary = sig.params.len() == 2;
    if sig.assoc != Assoc::None && !binary {
        sig.assoc = Assoc::None;
    }
    Ok(())
}

fn read_condition<'s>(sexpr: Sexpr<'s>, names: &mut Names<'s>) -> Result<AtMost, BadDeclaration> {
    let wrong = bad(sexpr, "a condition such as i<m or j<=i");
    let text = sexpr.text();
    let (left, right, strict) = if let Some((l, r)) = text.split_once("<=") {
        (l, r, false)
    } else if let Some((l, r)) = text.split_once('<') {
        (l, r, true)
    } else {
        return Err(wrong);
    };
    let mut low = parse_number(left, names).ok_or(wrong.clone())?;
    let high = parse_number(right, names).ok_or(wrong)?;
    low.constant += i64::from(strict);
    Ok(AtMost(low, high))
}
