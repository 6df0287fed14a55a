//! Orders on the values of sorts, for approximation rules and monotone arguments.

use super::pattern::{Node, SortPattern, Variable};
use super::read::{self, Reader};
use auspex_logic::OpTable;
use auspex_syntax::Document;

/// An order on the values of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Booleans by implication.
    Truth,
    /// Regular expressions by inclusion of their languages.
    Language,
    /// Integers and reals.
    Number,
    /// Bit-vectors without sign.
    Unsigned,
    /// Bit-vectors in two's complement.
    Signed,
    /// Sets by inclusion.
    Subset,
    /// Strings by occurrence of one in the other.
    Substring,
    /// Sequences by occurrence of one in the other.
    Subsequence,
    /// Floats by `fp.leq`, with NaN incomparable to all others.
    Float,
    /// Strings by `str.<=`.
    Lexicographic,
    /// Strings by prefix.
    Prefix,
    /// Strings by suffix.
    Suffix,
    /// Arrays of numbers, element by element.
    Elements,
    /// Arrays of Booleans, element by element.
    Members,
}

impl Order {
    pub const ALL: [Order; 14] = [
        Order::Truth,
        Order::Language,
        Order::Number,
        Order::Unsigned,
        Order::Signed,
        Order::Subset,
        Order::Substring,
        Order::Subsequence,
        Order::Float,
        Order::Lexicographic,
        Order::Prefix,
        Order::Suffix,
        Order::Elements,
        Order::Members,
    ];

    /// The word in tables of rules.
    pub fn name(self) -> &'static str {
        match self {
            Order::Truth => "truth",
            Order::Language => "language",
            Order::Number => "number",
            Order::Unsigned => "unsigned",
            Order::Signed => "signed",
            Order::Subset => "subset",
            Order::Substring => "substring",
            Order::Subsequence => "subsequence",
            Order::Float => "float",
            Order::Lexicographic => "lexicographic",
            Order::Prefix => "prefix",
            Order::Suffix => "suffix",
            Order::Elements => "elements",
            Order::Members => "members",
        }
    }

    pub fn named(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.name() == name)
    }

    /// The sort of `w` in its relation: a word, or an index.
    pub fn witness_sort(self) -> Option<&'static str> {
        match self {
            Order::Language => Some("String"),
            Order::Elements | Order::Members => Some("X"),
            _ => None,
        }
    }

    /// The formula that `x` is below `y`, for all `w`.
    fn formula(self) -> &'static str {
        match self {
            Order::Truth => "(=> x y)",
            Order::Language => "(=> (str.in_re w x) (str.in_re w y))",
            Order::Number => "(<= x y)",
            Order::Unsigned => "(bvule x y)",
            Order::Signed => "(bvsle x y)",
            Order::Subset => "(set.subset x y)",
            Order::Substring => "(str.contains y x)",
            Order::Subsequence => "(seq.contains y x)",
            Order::Float => "(or (= x y) (fp.leq x y))",
            Order::Lexicographic => "(str.<= x y)",
            Order::Prefix => "(str.prefixof x y)",
            Order::Suffix => "(str.suffixof x y)",
            Order::Elements => "(<= (select x w) (select y w))",
            Order::Members => "(=> (select x w) (select y w))",
        }
    }

    /// Every term above `x`, written with terms `y` and `w` of the same sort; none if a premise must express it.
    fn above(self) -> Option<&'static str> {
        match self {
            Order::Language => Some("(re.union x y)"),
            Order::Substring => Some("(str.++ y x w)"),
            Order::Subsequence => Some("(seq.++ y x w)"),
            Order::Prefix => Some("(str.++ x y)"),
            Order::Suffix => Some("(str.++ y x)"),
            _ => None,
        }
    }

    /// Whether a term above another has a part on either side of it.
    pub fn has_two_around(self) -> bool {
        matches!(self, Order::Substring | Order::Subsequence)
    }

    /// The formula that one term is below another for all values of the witness.
    pub fn relation(self, lesser: &Node, greater: &Node, witness: &Node) -> Node {
        let places = [lesser.clone(), greater.clone(), witness.clone()];
        formula_of_three(self.formula()).applied_to(&places)
    }

    /// The formula that two terms are equal.
    pub fn equation(left: &Node, right: &Node) -> Node {
        formula_of_three("(= x y)").applied_to(&[left.clone(), right.clone()])
    }

    /// A term above another, made of two more terms; none if a premise must express it.
    pub fn term_above(self, term: &Node, with: [&Node; 2]) -> Option<Node> {
        let places = [term.clone(), with[0].clone(), with[1].clone()];
        Some(formula_of_three(self.above()?).applied_to(&places))
    }

    /// The formula that one term is below another, without a witness.
    pub fn closed_relation(self, lesser: &Node, greater: &Node) -> Node {
        let Some(sort) = self.witness_sort().and_then(sort_named) else {
            return self.relation(lesser, greater, lesser);
        };
        let name: Box<str> = "v!".into();
        let witness = Node::Bound(name.clone(), sort.clone());
        Node::Quantifier {
            universal: true,
            variables: [(name, sort)].into(),
            body: Box::new(self.relation(lesser, greater, &witness)),
        }
    }
}

/// A sort of the tables by its name.
pub fn sort_named(name: &str) -> Option<SortPattern> {
    let document = Document::read(name).ok()?;
    read::sort(document.items().next()?)
}

/// A term over `x`, `y` and `w`, whose sorts do not matter.
fn formula_of_three(text: &str) -> Node {
    let variable = |name: &str| Variable {
        name: name.to_string(),
        sort: SortPattern::Any(0),
        literal: None,
    };
    let variables = ["x", "y", "w"].map(variable);
    Reader::new(&OpTable::builtin(), &variables)
        .text(text)
        .unwrap_or_else(|| panic!("the relation {text} is not understood"))
}
