//! The rules of the `approximate` strategy: what stands below what in the order of its sort, and where
//! operators respect an order. A rule is used in both directions: upwards its lesser side becomes the
//! greater one, downwards the reverse.
//!
//! ```text
//! less-at-most    (< x y)  below  (<= x y)     in the order of truth: the left implies the right
//! re-plus-star    (re.+ r) below  (re.* r)     in the order of languages
//! (str.in_re s _) takes languages upwards to truths upwards
//! ```
//!
//! The tables are the `.rules` files beside this one, a line each:
//! `(name ((variable sort)…) lesser greater :order o :when (literal a) :source s)`.

mod index;
mod pattern;
pub mod proof;
mod table;

pub use index::{Compiled, Descent, RuleIndex, Side, rule_index};
pub use pattern::{Bindings, Supply};
pub use table::{Monotone, Rule, Source, monotone, rules, write_monotone, write_rule};

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
    /// Floats by `fp.leq`, with NaN beside all others.
    Float,
    /// Strings by `str.<=`.
    Lexicographic,
    /// Strings by being the beginning of one another.
    Prefix,
    /// Strings by being the end of one another.
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

    /// The sort of the variable that its relation needs: a word, or an index.
    pub fn witness_sort(self) -> Option<&'static str> {
        match self {
            Order::Language => Some("String"),
            Order::Elements | Order::Members => Some("X"),
            _ => None,
        }
    }

    /// The formula that says that one term is below another for all values of `word`, a variable of its own.
    pub fn relation(self, lesser: &str, greater: &str, word: &str) -> String {
        match self {
            Order::Truth => format!("(=> {lesser} {greater})"),
            Order::Language => {
                format!("(=> (str.in_re {word} {lesser}) (str.in_re {word} {greater}))")
            }
            Order::Number => format!("(<= {lesser} {greater})"),
            Order::Unsigned => format!("(bvule {lesser} {greater})"),
            Order::Signed => format!("(bvsle {lesser} {greater})"),
            Order::Subset => format!("(set.subset {lesser} {greater})"),
            Order::Substring => format!("(str.contains {greater} {lesser})"),
            Order::Subsequence => format!("(seq.contains {greater} {lesser})"),
            Order::Float => format!("(or (= {lesser} {greater}) (fp.leq {lesser} {greater}))"),
            Order::Lexicographic => format!("(str.<= {lesser} {greater})"),
            Order::Prefix => format!("(str.prefixof {lesser} {greater})"),
            Order::Suffix => format!("(str.suffixof {lesser} {greater})"),
            Order::Elements => format!("(<= (select {lesser} {word}) (select {greater} {word}))"),
            Order::Members => format!("(=> (select {lesser} {word}) (select {greater} {word}))"),
        }
    }
}

/// What a variable of a rule must be: a literal with this property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// A number above zero.
    Positive,
    /// A number that is not below zero.
    NonNegative,
    /// A string that is not empty.
    NonEmpty,
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
    pub fn holds(self, value: &auspex_logic::Value) -> bool {
        use auspex_logic::Value;
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
