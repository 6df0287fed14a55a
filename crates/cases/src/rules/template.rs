//! A rule's text as a tree that belongs to no arena, and terms built from it.

use super::{Kind, Rule};
use auspex_logic::term::BinderKind;
use auspex_logic::value::{BitVec, Int, Str};
use auspex_logic::{Sort, SortKind, TermId, Terms, Theory, Value};
use auspex_syntax::{Document, Sexpr};
use std::fmt;

/// What the letters of a rule stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    numbers: Vec<(char, u64)>,
    sorts: Vec<(char, Sort)>,
}

impl Parameters {
    pub fn number(&self, letter: char) -> Option<u64> {
        let found = self.numbers.iter().find(|(l, _)| *l == letter);
        found.map(|(_, n)| *n)
    }

    pub fn sort(&self, letter: char) -> Option<Sort> {
        let found = self.sorts.iter().find(|(l, _)| *l == letter);
        found.map(|(_, s)| *s)
    }

    pub fn set_number(&mut self, letter: char, number: u64) {
        self.numbers.push((letter, number));
    }

    pub fn set_sort(&mut self, letter: char, sort: Sort) {
        self.sorts.push((letter, sort));
    }
}

/// A sum of letters, powers of two and a constant: `i-j+1`, `2^m-1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub(super) parts: Vec<(i64, Atom)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Constant(i64),
    Letter(char),
    Power(char),
}

impl Expr {
    fn read(text: &str) -> Option<Expr> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut sign = 1;
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            parts.push((sign, Atom::read(&rest[..end])?));
            match rest.get(end..end + 1) {
                None => return Some(Expr { parts }),
                Some(symbol) => sign = if symbol == "-" { -1 } else { 1 },
            }
            rest = &rest[end + 1..];
        }
    }

    /// The number, if every letter is known and it fits.
    pub fn value(&self, parameters: &Parameters) -> Option<Int> {
        let mut sum = Int::ZERO;
        for (sign, atom) in &self.parts {
            let part = match atom {
                Atom::Constant(n) => Int::from(*n),
                Atom::Letter(letter) => Int::from(parameters.number(*letter)?),
                Atom::Power(letter) => Int::power_of_two(parameters.number(*letter)?)?,
            };
            sum = if *sign < 0 {
                sum.sub(&part)
            } else {
                sum.add(&part)
            };
        }
        Some(sum)
    }

    fn index(&self, parameters: &Parameters) -> Option<u64> {
        self.value(parameters)?.to_u64()
    }

    fn letters(&self) -> impl Iterator<Item = char> + '_ {
        self.parts.iter().filter_map(|(_, atom)| match atom {
            Atom::Letter(letter) | Atom::Power(letter) => Some(*letter),
            Atom::Constant(_) => None,
        })
    }
}

impl Atom {
    fn read(text: &str) -> Option<Atom> {
        let letter = |text: &str| {
            let mut chars = text.chars();
            let first = chars.next().filter(char::is_ascii_lowercase)?;
            chars.next().is_none().then_some(first)
        };
        match text.strip_prefix("2^") {
            Some(power) => letter(power).map(Atom::Power),
            None => match text.parse() {
                Ok(constant) => Some(Atom::Constant(constant)),
                Err(_) => letter(text).map(Atom::Letter),
            },
        }
    }
}

/// A sort with letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Fixed(Sort),
    Letter(char),
    BitVec(Expr),
    Float(Expr, Expr),
    Array(Box<Shape>, Box<Shape>),
    Seq(Box<Shape>),
    Set(Box<Shape>),
    Bag(Box<Shape>),
}

impl Shape {
    pub fn build(&self, terms: &mut Terms, parameters: &Parameters) -> Option<Sort> {
        let number = |expr: &Expr| expr.index(parameters).and_then(|n| u32::try_from(n).ok());
        Some(match self {
            Shape::Fixed(sort) => *sort,
            Shape::Letter(letter) => parameters.sort(*letter)?,
            Shape::BitVec(width) => {
                let width = number(width).filter(|w| *w > 0)?;
                terms.sorts.bit_vec(width)
            }
            Shape::Float(eb, sb) => {
                let (eb, sb) = (number(eb)?, number(sb)?);
                terms.sorts.float(eb, sb)
            }
            Shape::Array(index, element) => {
                let (index, element) = (
                    index.build(terms, parameters)?,
                    element.build(terms, parameters)?,
                );
                terms.sorts.array(index, element)
            }
            Shape::Seq(element) => {
                let element = element.build(terms, parameters)?;
                terms.sorts.seq(element)
            }
            Shape::Set(element) => {
                let element = element.build(terms, parameters)?;
                terms.sorts.set(element)
            }
            Shape::Bag(element) => {
                let element = element.build(terms, parameters)?;
                terms.sorts.intern(SortKind::Bag(element))
            }
        })
    }
}

/// A term with letters and variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A variable of the rule, by its place.
    Variable(usize),
    /// A variable of a quantifier inside the rule.
    Bound(Box<str>, Shape),
    Literal(Value, Sort),
    /// An integer computed from letters.
    Number(Expr),
    /// `(_ bvX m)`.
    Bits(Expr, Expr),
    Apply {
        name: Box<str>,
        indices: Vec<Expr>,
        args: Vec<Node>,
        /// The sort after `as`.
        sort: Option<Shape>,
    },
    Quantifier {
        universal: bool,
        variables: Vec<(Box<str>, Shape)>,
        body: Box<Node>,
    },
    /// `(cases (k 1 m-1) condition then else)`: one `ite` for each number from the first to the last.
    Cases {
        letter: char,
        first: Expr,
        last: Expr,
        /// Condition, then, else.
        parts: Box<[Node; 3]>,
    },
}

/// A rule ready for use.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub rule: &'static Rule,
    pub theory: Theory,
    pub variables: Vec<(Box<str>, Shape)>,
    pub before: Node,
    pub after: Node,
    pub when: Vec<Node>,
    /// Pairs of which the first must not exceed the second.
    pub sizes: Vec<(Expr, Expr)>,
}

/// Why a rule's text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRule(String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Compiled {
    pub fn read(theory: Theory, rule: &'static Rule) -> Result<Compiled, BadRule> {
        let bad = |what: &str| BadRule(what.to_string());
        let document = Document::read(rule.variables).map_err(|e| bad(&format!("{e:?}")))?;
        let mut variables = Vec::new();
        for item in document.items() {
            variables.push(typed_variable(item).ok_or_else(|| bad(item.text()))?);
        }
        let reader = Reader {
            variables: &variables,
            bound: Vec::new(),
        };
        let when: Result<Vec<Node>, BadRule> = rule.when.iter().map(|w| reader.text(w)).collect();
        let sizes: Option<Vec<(Expr, Expr)>> = rule
            .sizes
            .split_whitespace()
            .map(|size| {
                let (low, high) = size.split_once("<=")?;
                Some((Expr::read(low)?, Expr::read(high)?))
            })
            .collect();
        Ok(Compiled {
            rule,
            theory,
            before: reader.text(rule.before)?,
            after: reader.text(rule.after)?,
            when: when?,
            sizes: sizes.ok_or_else(|| bad(rule.sizes))?,
            variables,
        })
    }

    /// Whether the numbers meet the rule's conditions.
    pub fn sizes_hold(&self, parameters: &Parameters) -> bool {
        let at_most = |(low, high): &(Expr, Expr)| matches!((low.value(parameters), high.value(parameters)), (Some(low), Some(high)) if low <= high);
        self.sizes.iter().all(at_most)
    }

    /// The letters of the rule that stand for numbers, in order of appearance.
    pub fn number_letters(&self) -> Vec<char> {
        let mut letters = Vec::new();
        let mut add = |letter: char| {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        };
        for (_, shape) in &self.variables {
            shape_numbers(shape, &mut add);
        }
        for node in self.nodes() {
            node_numbers(node, &mut add);
        }
        letters
    }

    /// The letters of the rule that stand for sorts, in order of appearance.
    pub fn sort_letters(&self) -> Vec<char> {
        let mut letters = Vec::new();
        for (_, shape) in &self.variables {
            shape_sorts(shape, &mut letters);
        }
        letters
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        [&self.before, &self.after].into_iter().chain(&self.when)
    }

    /// The names of all operators in the rule.
    pub fn operators(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for node in self.nodes() {
            node_operators(node, &mut names);
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What stands inside of constant arrays.
    pub fn elements_of_constants(&self) -> Vec<&Node> {
        let mut found = Vec::new();
        for node in self.nodes() {
            node_elements(node, &mut found);
        }
        found
    }

    /// Whether a side of the rule is quantified.
    pub fn has_quantifier(&self) -> bool {
        self.nodes()
            .any(|node| matches!(node, Node::Quantifier { .. }))
    }

    /// Whether the rule says that a term equals one of its variables alone.
    pub fn is_identity(&self) -> bool {
        self.rule.kind != Kind::Implication && matches!(self.after, Node::Variable(_))
    }
}

impl Node {
    /// The same with another node in the place of one.
    pub fn with(&self, old: &Node, new: &Node) -> Node {
        match self {
            node if node == old => new.clone(),
            Node::Apply {
                name,
                indices,
                args,
                sort,
            } => Node::Apply {
                name: name.clone(),
                indices: indices.clone(),
                args: args.iter().map(|arg| arg.with(old, new)).collect(),
                sort: sort.clone(),
            },
            other => other.clone(),
        }
    }

    /// The term, with the given terms for the variables.
    pub fn build(
        &self,
        terms: &mut Terms,
        parameters: &Parameters,
        variables: &[TermId],
    ) -> Option<TermId> {
        match self {
            Node::Variable(at) => variables.get(*at).copied(),
            Node::Bound(name, shape) => {
                let sort = shape.build(terms, parameters)?;
                let name = terms.symbols.intern(name);
                Some(terms.variable(name, sort))
            }
            Node::Literal(value, sort) => terms.value_term(value, *sort),
            Node::Number(expr) => {
                let value = Value::Int(expr.value(parameters)?);
                terms.value_term(&value, Sort::INT)
            }
            Node::Bits(value, width) => {
                let width = u32::try_from(width.index(parameters)?).ok()?;
                let sort = terms.sorts.bit_vec(width);
                let bits = BitVec::from_int(width, &value.value(parameters)?);
                terms.value_term(&Value::BitVec(bits), sort)
            }
            Node::Apply {
                name,
                indices,
                args,
                sort,
            } => {
                let args: Option<Vec<TermId>> = args
                    .iter()
                    .map(|arg| arg.build(terms, parameters, variables))
                    .collect();
                let args = args?;
                if let Some(shape) = sort {
                    let sort = shape.build(terms, parameters)?;
                    return terms.qualified_app(name, &args, sort).ok();
                }
                let indices: Option<Vec<u64>> =
                    indices.iter().map(|i| i.index(parameters)).collect();
                terms.indexed_app(name, &indices?, &args).ok()
            }
            Node::Quantifier {
                universal,
                variables: bound,
                body,
            } => {
                let mut list = Vec::new();
                for (name, shape) in bound {
                    let sort = shape.build(terms, parameters)?;
                    let name = terms.symbols.intern(name);
                    list.push(terms.variable(name, sort));
                }
                let body = body.build(terms, parameters, variables)?;
                let kind = if *universal {
                    BinderKind::Forall
                } else {
                    BinderKind::Exists
                };
                Some(terms.quantified(kind, &list, body))
            }
            Node::Cases {
                letter,
                first,
                last,
                parts,
            } => {
                let [condition, then, otherwise] = &**parts;
                let mut term = otherwise.build(terms, parameters, variables)?;
                let numbers = first.index(parameters)?..=last.index(parameters)?;
                for number in numbers.rev() {
                    let mut one = parameters.clone();
                    one.set_number(*letter, number);
                    let condition = condition.build(terms, &one, variables)?;
                    let then = then.build(terms, &one, variables)?;
                    term = terms.app("ite", &[condition, then, term]).ok()?;
                }
                Some(term)
            }
        }
    }
}

/// `(name sort)`.
fn typed_variable(item: Sexpr<'_>) -> Option<(Box<str>, Shape)> {
    let name = item.item(0)?.symbol()?;
    Some((name.into(), read_shape(item.item(1)?)?))
}

fn read_shape(item: Sexpr<'_>) -> Option<Shape> {
    if let Some(name) = item.symbol() {
        return Some(match name {
            "Bool" => Shape::Fixed(Sort::BOOL),
            "Int" => Shape::Fixed(Sort::INT),
            "Real" => Shape::Fixed(Sort::REAL),
            "String" => Shape::Fixed(Sort::STRING),
            "RegLan" => Shape::Fixed(Sort::REG_LAN),
            "RoundingMode" => Shape::Fixed(Sort::ROUNDING_MODE),
            _ => {
                let letter = name.chars().next().filter(char::is_ascii_uppercase)?;
                (name.len() == 1).then_some(Shape::Letter(letter))?
            }
        });
    }
    let part = |at: usize| item.item(at).and_then(read_shape).map(Box::new);
    let number = |at: usize| item.item(at).and_then(|e| Expr::read(e.text()));
    match (item.head()?, item.item(1)?.text()) {
        ("_", "BitVec") => Some(Shape::BitVec(number(2)?)),
        ("_", "FloatingPoint") => Some(Shape::Float(number(2)?, number(3)?)),
        ("Array", _) => Some(Shape::Array(part(1)?, part(2)?)),
        ("Seq", _) => Some(Shape::Seq(part(1)?)),
        ("Set", _) => Some(Shape::Set(part(1)?)),
        ("Bag", _) => Some(Shape::Bag(part(1)?)),
        _ => None,
    }
}

/// Reads terms of a rule; knows the variables in scope.
struct Reader<'r> {
    variables: &'r [(Box<str>, Shape)],
    bound: Vec<(Box<str>, Shape)>,
}

impl Reader<'_> {
    fn text(&self, text: &str) -> Result<Node, BadRule> {
        let document = Document::read(text).map_err(|e| BadRule(format!("{e:?}")))?;
        let item = document.items().next();
        item.and_then(|item| self.node(item))
            .ok_or_else(|| BadRule(text.to_string()))
    }

    fn node(&self, item: Sexpr<'_>) -> Option<Node> {
        if !item.is_list() {
            return self.leaf(item);
        }
        let head = item.item(0)?;
        match (head.symbol(), head.item(0).and_then(|h| h.symbol())) {
            (Some("_"), _) => indexed_leaf(item),
            (Some("as"), _) => self.apply(item, 2, Vec::new()),
            (Some("exists" | "forall"), _) => self.quantifier(item),
            (Some("cases"), _) => self.cases(item),
            (Some(_), _) => self.apply(item, 1, Vec::new()),
            (None, Some("_")) => {
                let indices: Option<Vec<Expr>> =
                    head.items().skip(2).map(|i| Expr::read(i.text())).collect();
                self.apply(item, 1, indices?)
            }
            (None, Some("as")) => self.apply(item, 1, Vec::new()),
            _ => None,
        }
    }

    /// An application; `from` is where its arguments begin.
    fn apply(&self, item: Sexpr<'_>, from: usize, indices: Vec<Expr>) -> Option<Node> {
        let head = item.item(0)?;
        let named = if head.symbol() == Some("as") {
            item
        } else {
            head
        };
        let (name, sort) = match named.head() {
            Some("as") => (named.item(1)?.symbol()?, Some(read_shape(named.item(2)?)?)),
            Some("_") => (named.item(1)?.symbol()?, None),
            _ => (head.symbol()?, None),
        };
        let from = if named.text() == item.text() {
            item.count()
        } else {
            from
        };
        let args: Option<Vec<Node>> = item.items().skip(from).map(|a| self.node(a)).collect();
        Some(Node::Apply {
            name: name.into(),
            indices,
            args: args?,
            sort,
        })
    }

    fn quantifier(&self, item: Sexpr<'_>) -> Option<Node> {
        let variables: Option<Vec<(Box<str>, Shape)>> =
            item.item(1)?.items().map(typed_variable).collect();
        let variables = variables?;
        let mut bound = self.bound.clone();
        bound.extend(variables.iter().cloned());
        let inner = Reader {
            variables: self.variables,
            bound,
        };
        Some(Node::Quantifier {
            universal: item.head() == Some("forall"),
            body: Box::new(inner.node(item.item(2)?)?),
            variables,
        })
    }

    fn cases(&self, item: Sexpr<'_>) -> Option<Node> {
        let range = item.item(1)?;
        let part = |at: usize| self.node(item.item(at)?);
        Some(Node::Cases {
            letter: range.item(0)?.text().chars().next()?,
            first: Expr::read(range.item(1)?.text())?,
            last: Expr::read(range.item(2)?.text())?,
            parts: Box::new([part(2)?, part(3)?, part(4)?]),
        })
    }

    fn leaf(&self, item: Sexpr<'_>) -> Option<Node> {
        let text = item.text();
        if let Some((name, shape)) = self.bound.iter().find(|(n, _)| **n == *text) {
            return Some(Node::Bound(name.clone(), shape.clone()));
        }
        if let Some(at) = self.variables.iter().position(|(n, _)| **n == *text) {
            return Some(Node::Variable(at));
        }
        if let Some(contents) = item.string() {
            let string = Str::read(&contents, auspex_logic::value::Escapes::Standard)?;
            return Some(Node::Literal(Value::Str(string), Sort::STRING));
        }
        match text {
            "true" | "false" => Some(Node::Literal(Value::Bool(text == "true"), Sort::BOOL)),
            _ => literal(text)
                .or_else(|| Expr::read(text).map(Node::Number))
                .or_else(|| nullary(item)),
        }
    }
}

/// `(_ bvX m)` or an indexed constant such as `(_ NaN e s)`.
fn indexed_leaf(item: Sexpr<'_>) -> Option<Node> {
    let name = item.item(1)?.text();
    let index = |at: usize| item.item(at).and_then(|i| Expr::read(i.text()));
    if let Some(value) = name.strip_prefix("bv").and_then(Expr::read) {
        return Some(Node::Bits(value, index(2)?));
    }
    let indices: Option<Vec<Expr>> = item.items().skip(2).map(|i| Expr::read(i.text())).collect();
    Some(Node::Apply {
        name: name.into(),
        indices: indices?,
        args: Vec::new(),
        sort: None,
    })
}

fn nullary(item: Sexpr<'_>) -> Option<Node> {
    Some(Node::Apply {
        name: item.symbol()?.into(),
        indices: Vec::new(),
        args: Vec::new(),
        sort: None,
    })
}

fn literal(text: &str) -> Option<Node> {
    use auspex_logic::value::{Rat, RoundingMode};
    if let Some(bits) = text.starts_with('#').then(|| BitVec::parse(text)).flatten() {
        let width = Expr {
            parts: vec![(1, Atom::Constant(i64::from(bits.width())))],
        };
        let value = bits.to_u64().and_then(|n| i64::try_from(n).ok())?;
        let value = Expr {
            parts: vec![(1, Atom::Constant(value))],
        };
        return Some(Node::Bits(value, width));
    }
    if text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit()) {
        return Rat::parse(text).map(|rat| Node::Literal(Value::Real(rat), Sort::REAL));
    }
    let mode = RoundingMode::parse(text)?;
    Some(Node::Literal(Value::Rounding(mode), Sort::ROUNDING_MODE))
}

fn shape_numbers(shape: &Shape, add: &mut impl FnMut(char)) {
    match shape {
        Shape::Fixed(_) | Shape::Letter(_) => {}
        Shape::BitVec(width) => width.letters().for_each(add),
        Shape::Float(eb, sb) => eb.letters().chain(sb.letters()).for_each(add),
        Shape::Array(index, element) => {
            shape_numbers(index, add);
            shape_numbers(element, add);
        }
        Shape::Seq(e) | Shape::Set(e) | Shape::Bag(e) => shape_numbers(e, add),
    }
}

fn shape_sorts(shape: &Shape, letters: &mut Vec<char>) {
    match shape {
        Shape::Letter(letter) if !letters.contains(letter) => letters.push(*letter),
        Shape::Array(index, element) => {
            shape_sorts(index, letters);
            shape_sorts(element, letters);
        }
        Shape::Seq(e) | Shape::Set(e) | Shape::Bag(e) => shape_sorts(e, letters),
        _ => {}
    }
}

fn node_numbers(node: &Node, add: &mut dyn FnMut(char)) {
    match node {
        Node::Variable(_) | Node::Literal(..) => {}
        Node::Bound(_, shape) => shape_numbers(shape, &mut |letter| add(letter)),
        Node::Number(expr) => expr.letters().for_each(add),
        Node::Bits(value, width) => value.letters().chain(width.letters()).for_each(add),
        Node::Apply { indices, args, .. } => {
            indices.iter().flat_map(Expr::letters).for_each(&mut *add);
            args.iter().for_each(|arg| node_numbers(arg, add));
        }
        Node::Quantifier { body, .. } => node_numbers(body, add),
        Node::Cases {
            letter,
            first,
            last,
            parts,
        } => {
            first.letters().chain(last.letters()).for_each(&mut *add);
            let mut others = |other: char| {
                if other != *letter {
                    add(other);
                }
            };
            parts
                .iter()
                .for_each(|part| node_numbers(part, &mut others));
        }
    }
}

fn node_operators<'n>(node: &'n Node, names: &mut Vec<&'n str>) {
    match node {
        Node::Apply { name, args, .. } => {
            names.push(name);
            args.iter().for_each(|arg| node_operators(arg, names));
        }
        Node::Quantifier { body, .. } => node_operators(body, names),
        Node::Cases { parts, .. } => {
            names.push("ite");
            parts.iter().for_each(|part| node_operators(part, names));
        }
        _ => {}
    }
}

fn node_elements<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    match node {
        Node::Apply { name, args, .. } => {
            if &**name == "const" {
                found.extend(args);
            }
            args.iter().for_each(|arg| node_elements(arg, found));
        }
        Node::Quantifier { body, .. } => node_elements(body, found),
        Node::Cases { parts, .. } => parts.iter().for_each(|part| node_elements(part, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::equality;
    use auspex_logic::render::{self, Sharing};

    static RULE: Rule = equality(
        "test",
        "(s (_ BitVec m)) (a (Array X (_ BitVec m)))",
        "(bvadd s ((_ extract m-1 0) s))",
        "(bvmul (_ bv2 m) (bvand s (_ bv2^m-1 m)))",
    );

    #[test]
    fn reads_and_builds() {
        let compiled = Compiled::read(Theory::BitVectors, &RULE).expect("well-formed");
        assert_eq!(compiled.number_letters(), ['m']);
        assert_eq!(compiled.sort_letters(), ['X']);
        assert_eq!(compiled.operators(), ["bvadd", "bvand", "bvmul", "extract"]);
        let mut terms = Terms::new();
        let mut parameters = Parameters::default();
        parameters.set_number('m', 4);
        parameters.set_sort('X', Sort::INT);
        let sort = compiled.variables[0].1.build(&mut terms, &parameters);
        let fun = terms.declare_fun("s", &[], sort.expect("a sort"));
        let s = terms.fun_app(fun, &[]).expect("a constant");
        let show = |terms: &mut Terms, node: &Node| {
            let term = node.build(terms, &parameters, &[s, s]).expect("builds");
            render::term(terms, term, Sharing::Expanded)
        };
        assert_eq!(
            show(&mut terms, &compiled.before),
            "(bvadd s ((_ extract 3 0) s))"
        );
        assert_eq!(
            show(&mut terms, &compiled.after),
            "(bvmul #x2 (bvand s #xf))"
        );
    }

    #[test]
    fn cases_become_one_ite_each() {
        static CASES: Rule = equality(
            "cases",
            "(s (_ BitVec m))",
            "s",
            "(cases (k 1 m-1) (= s (_ bvk m)) (_ bv0 m) s)",
        );
        let compiled = Compiled::read(Theory::BitVectors, &CASES).expect("well-formed");
        assert_eq!(compiled.number_letters(), ['m']);
        let show = |width: u64| {
            let mut terms = Terms::new();
            let mut parameters = Parameters::default();
            parameters.set_number('m', width);
            let sort = compiled.variables[0].1.build(&mut terms, &parameters);
            let fun = terms.declare_fun("s", &[], sort.expect("a sort"));
            let s = terms.fun_app(fun, &[]).expect("a constant");
            let term = compiled.after.build(&mut terms, &parameters, &[s]);
            render::term(&terms, term.expect("builds"), Sharing::Expanded)
        };
        assert_eq!(show(1), "s");
        assert_eq!(show(3), "(ite (= s #b001) #b000 (ite (= s #b010) #b000 s))");
    }

    #[test]
    fn refuses_unknown_sorts() {
        static ODD: Rule = equality("odd", "(s Strange)", "s", "s");
        assert!(Compiled::read(Theory::Core, &ODD).is_err());
    }

    #[test]
    fn computes_sizes() {
        let mut parameters = Parameters::default();
        parameters.set_number('m', 5);
        parameters.set_number('i', 2);
        let value = |text: &str| Expr::read(text).and_then(|e| e.value(&parameters));
        assert_eq!(value("m-i+1"), Some(Int::from(4)));
        assert_eq!(value("2^m-1"), Some(Int::from(31)));
        assert_eq!(value("k"), None);
    }
}
