//! The terms and sorts of rules, with variables for terms and letters for numbers and sorts.

use super::bindings::SORTS;
use super::size::{LETTERS, Size};
use auspex_logic::value::Int;
use auspex_logic::{Sort, Value};

/// A sort with letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortPattern {
    Exactly(Sort),
    /// `X`, `Y` or `Z`: any comparable sort; the same letter means the same sort.
    Any(u8),
    /// `N`: `Int` or `Real`.
    Number,
    BitVec(Size),
    Float(Size, Size),
    Array(Box<SortPattern>, Box<SortPattern>),
    Seq(Box<SortPattern>),
    Set(Box<SortPattern>),
    Bag(Box<SortPattern>),
    /// `D`: a datatype.
    Data,
    /// `F`: the sort of the chosen field of a constructor.
    Field,
    /// `Rest`: the other fields of a constructor.
    Rest,
}

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub sort: SortPattern,
    /// It matches only literals with this property.
    pub literal: Option<Literal>,
}

/// A property of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// A number above zero.
    Positive,
    /// A non-negative number.
    NonNegative,
    /// A string that is not empty.
    NonEmpty,
}

/// A term of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A variable of the rule, by its place.
    Variable(u8),
    /// A variable of a quantifier inside the rule.
    Bound(Box<str>, SortPattern),
    /// An integer, or a real if the sort is Real.
    Integer(Int),
    /// An integer computed from letters.
    Number(Size),
    Value(Value, Sort),
    /// `(_ bvX m)`: value and width.
    Bits(Size, Size),
    Apply {
        name: Box<str>,
        /// The rows that the name may mean.
        rows: Box<[u32]>,
        indices: Box<[Size]>,
        args: Box<[Node]>,
        /// The sort after `as`.
        sort: Option<SortPattern>,
    },
    Quantifier {
        universal: bool,
        variables: Box<[(Box<str>, SortPattern)]>,
        body: Box<Node>,
    },
    /// `(cases (k 1 m-1) condition then else)`: one `ite` for each number from the first to the last.
    Cases {
        letter: u8,
        first: Size,
        last: Size,
        /// Condition, then, else.
        parts: Box<[Node; 3]>,
    },
    /// `c0` or `d0`: a constructor without fields.
    Constructor(u8),
    /// `(cn x r)`: a constructor with fields, of which one is chosen, and the variable of the others.
    Fields(Box<Node>, u8),
    /// `(sn u)`: the selector of the chosen field.
    Selector(Box<Node>),
    /// `(rebuilt u)`: the constructor applied to all of its fields of a term.
    Rebuilt(Box<Node>),
    Tester(u8, Box<Node>),
    /// `(f x)`: any function of one argument.
    Function(Box<Node>),
}

impl Literal {
    pub const ALL: [Literal; 3] = [Literal::Positive, Literal::NonNegative, Literal::NonEmpty];

    pub fn name(self) -> &'static str {
        match self {
            Literal::Positive => "positive",
            Literal::NonNegative => "non-negative",
            Literal::NonEmpty => "non-empty",
        }
    }

    /// The property as a formula about a variable.
    pub fn formula(self, variable: &str) -> String {
        match self {
            Literal::Positive => format!("(> {variable} 0)"),
            Literal::NonNegative => format!("(>= {variable} 0)"),
            Literal::NonEmpty => format!("(not (= {variable} \"\"))"),
        }
    }

    /// Whether a value has the property.
    pub fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Literal::Positive, Value::Int(int)) => int.signum() > 0,
            (Literal::Positive, Value::Real(rat)) => rat.signum() > 0,
            (Literal::NonNegative, Value::Int(int)) => int.signum() >= 0,
            (Literal::NonNegative, Value::Real(rat)) => rat.signum() >= 0,
            (Literal::NonEmpty, Value::Str(string)) => !string.is_empty(),
            _ => false,
        }
    }
}

impl SortPattern {
    pub fn is_bool(&self) -> bool {
        *self == SortPattern::Exactly(Sort::BOOL)
    }

    pub fn is_data(&self) -> bool {
        matches!(
            self,
            SortPattern::Data | SortPattern::Field | SortPattern::Rest
        )
    }

    /// This sort and the sorts inside of it, outermost first.
    pub fn parts(&self) -> Vec<&SortPattern> {
        let mut parts = vec![self];
        match self {
            SortPattern::Array(index, element) => {
                parts.extend(index.parts());
                parts.extend(element.parts());
            }
            SortPattern::Seq(e) | SortPattern::Set(e) | SortPattern::Bag(e) => {
                parts.extend(e.parts());
            }
            _ => {}
        }
        parts
    }

    fn sizes(&self) -> Vec<&Size> {
        let mut sizes = Vec::new();
        for part in self.parts() {
            match part {
                SortPattern::BitVec(width) => sizes.push(width),
                SortPattern::Float(eb, sb) => sizes.extend([eb, sb]),
                _ => {}
            }
        }
        sizes
    }
}

impl Node {
    /// The nodes directly below.
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Apply { args, .. } => args,
            Node::Quantifier { body, .. } => std::slice::from_ref(body),
            Node::Cases { parts, .. } => parts.as_slice(),
            Node::Fields(arg, _)
            | Node::Selector(arg)
            | Node::Rebuilt(arg)
            | Node::Tester(_, arg)
            | Node::Function(arg) => std::slice::from_ref(arg),
            Node::Variable(_) | Node::Bound(..) | Node::Constructor(_) => &[],
            Node::Integer(_) | Node::Number(_) | Node::Value(..) | Node::Bits(..) => &[],
        }
    }

    fn children_mut(&mut self) -> &mut [Node] {
        match self {
            Node::Apply { args, .. } => args,
            Node::Quantifier { body, .. } => std::slice::from_mut(body),
            Node::Cases { parts, .. } => parts.as_mut_slice(),
            Node::Fields(arg, _)
            | Node::Selector(arg)
            | Node::Rebuilt(arg)
            | Node::Tester(_, arg)
            | Node::Function(arg) => std::slice::from_mut(arg),
            Node::Variable(_) | Node::Bound(..) | Node::Constructor(_) => &mut [],
            Node::Integer(_) | Node::Number(_) | Node::Value(..) | Node::Bits(..) => &mut [],
        }
    }

    /// The node and all below it, each before what is below it.
    pub fn all(&self) -> Vec<&Node> {
        let mut all = vec![self];
        self.children()
            .iter()
            .for_each(|child| all.extend(child.all()));
        all
    }

    /// Replaces nodes for which the function returns another.
    #[must_use]
    pub fn replaced(&self, new: &dyn Fn(&Node) -> Option<Node>) -> Node {
        if let Some(new) = new(self) {
            return new;
        }
        let mut copy = self.clone();
        for child in copy.children_mut() {
            *child = child.replaced(new);
        }
        copy
    }

    /// Replaces one node by another.
    #[must_use]
    pub fn with(&self, old: &Node, new: &Node) -> Node {
        self.replaced(&|node| (node == old).then(|| new.clone()))
    }

    /// Replaces the first variables by nodes.
    #[must_use]
    pub fn applied_to(&self, nodes: &[Node]) -> Node {
        self.replaced(&|node| match node {
            Node::Variable(at) => nodes.get(*at as usize).cloned(),
            _ => None,
        })
    }

    /// The places of its variables, as often as they occur.
    pub fn variables(&self) -> Vec<u8> {
        let of = |node: &Node| match node {
            Node::Variable(at) => Some(*at),
            _ => None,
        };
        self.all().into_iter().filter_map(of).collect()
    }

    pub fn has_function(&self) -> bool {
        let mut all = self.all().into_iter();
        all.any(|node| matches!(node, Node::Function(_)))
    }

    /// Whether it is a constant for all bindings of the letters.
    pub fn is_constant(&self) -> bool {
        matches!(
            self,
            Node::Integer(_) | Node::Number(_) | Node::Value(..) | Node::Bits(..)
        )
    }
}

/// Adds an item if it is new.
fn add<T: PartialEq>(all: &mut Vec<T>, new: impl IntoIterator<Item = T>) {
    for item in new {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

/// The letters for numbers, in order of appearance: first in the sorts, then in the terms.
pub fn number_letters<'n>(
    variables: &[Variable],
    nodes: impl IntoIterator<Item = &'n Node>,
) -> Vec<char> {
    let mut slots = Vec::new();
    for variable in variables {
        for size in variable.sort.sizes() {
            add(&mut slots, size.letters());
        }
    }
    for node in nodes {
        add_numbers(node, &mut slots);
    }
    slots.iter().map(|slot| LETTERS[*slot as usize]).collect()
}

fn add_numbers(node: &Node, slots: &mut Vec<u8>) {
    match node {
        Node::Bound(_, sort) => {
            for size in sort.sizes() {
                add(slots, size.letters());
            }
        }
        Node::Number(size) => add(slots, size.letters()),
        Node::Bits(value, width) => add(slots, value.letters().chain(width.letters())),
        Node::Apply { indices, .. } => add(slots, indices.iter().flat_map(Size::letters)),
        Node::Cases {
            letter,
            first,
            last,
            parts,
        } => {
            add(slots, first.letters().chain(last.letters()));
            let mut inside = Vec::new();
            parts.iter().for_each(|part| add_numbers(part, &mut inside));
            add(slots, inside.into_iter().filter(|slot| slot != letter));
            return;
        }
        _ => {}
    }
    let children = node.children();
    children.iter().for_each(|child| add_numbers(child, slots));
}

/// The letters for any sort, in order of appearance, by their place among `SORTS`.
pub fn sort_letters(variables: &[Variable]) -> Vec<u8> {
    let mut places = Vec::with_capacity(SORTS.len());
    for variable in variables {
        let letters = variable
            .sort
            .parts()
            .into_iter()
            .filter_map(|part| match part {
                SortPattern::Any(place) => Some(*place),
                _ => None,
            });
        add(&mut places, letters);
    }
    places
}
