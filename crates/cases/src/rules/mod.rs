//! Rules as data, each proved: by evaluation on small domains and by solvers.
//! The tables are the `.rules` files, one for each theory; `table` reads them. A line is one of these:
//!
//! ```text
//! (law bvsub-by-bvneg ((s (_ BitVec m)) (t (_ BitVec m))) (= (bvsub s t) (bvadd s (bvneg t))) :sizes (1<=m))
//! (approximation less-by ((x N) (y N) (a N)) (=> (<= (+ x a) y) (< x y)) :when (positive a) :source sparrow)
//! (approximation re-plus-star ((r RegLan)) (language (re.+ r) (re.* r)))
//! (monotone ((r RegLan) (_ RegLan)) (re.diff r _) language down language)
//! (fusion fuse-int-sum ((x Int) (y Int)) (+ x y) (= (- (+ x y) y) x) (= (- (+ x y) x) y))
//! ```
//! `construct` negates laws. `approximate` replaces one side of an approximation by the other, in monotone arguments.
//! `fusion` combines two variables. Lowercase letters in sorts and indices are numbers, `X`, `Y`, `Z` any sorts; see
//! docs/adding/rule.md.

pub mod bindings;
pub mod building;
pub mod claim;
pub mod discover;
pub mod domain;
pub mod fusion;
pub mod index;
mod matching;
mod monotone;
mod order;
pub mod pattern;
pub mod proof;
mod read;
pub mod record;
mod size;
mod table;

use auspex_logic::theory::SolverSet;
use auspex_logic::{OpTable, TermId, Terms, Theory};
pub use bindings::Bindings;
pub use building::Supply;
pub use fusion::Fusion;
pub use index::{Descent, RuleIndex, Side, rule_index};
pub use monotone::Monotone;
pub use order::Order;
use pattern::{Node, Variable};
use size::Size;
pub use table::{approximations, fusions, laws, monotone, read_rule};

/// The strategy that uses a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// `construct`, which negates it.
    Law,
    /// `approximate`, which replaces one side by the other.
    Approximation,
    /// `fusion`, which recovers a variable by it.
    Inverse,
}

/// The relation between a rule's two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`: two terms with the same value.
    Equal,
    /// `<=>`: two formulas with the same models.
    Equivalent,
    /// The left side is below the right one; in the order of truth, written `=>`, it implies it.
    Below(Order),
}

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Written here.
    Own,
    /// Found by enumeration over the operator table.
    Found,
    /// A definition of SMT-LIB.
    Standard,
    Sparrow,
    /// A row of that table that is unsound or misprinted, corrected.
    SparrowCorrected,
    Becker2,
    Becker2Corrected,
    Becker4,
    Becker9,
    Bugariu,
}

/// A term of a rule: its text and its parsed form.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub text: String,
    pub node: Node,
}

/// One rule: its sides are in the relation for all values of the variables that meet the conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub used_as: Use,
    pub name: String,
    pub theory: Theory,
    pub variables: Vec<Variable>,
    pub relation: Relation,
    pub left: Written,
    pub right: Written,
    /// Formulas that must hold for the rule to apply.
    pub conditions: Vec<Written>,
    /// Pairs of numbers of which the first must not exceed the second.
    pub sizes: Vec<(Size, Size)>,
    /// Whether large widths make solvers slow, because integers express what the operator does with bits.
    pub small: bool,
    /// A lemma of the proof: the conditions imply it, and with it the rule.
    pub lemma: Option<Node>,
    pub source: Source,
}

impl Use {
    pub const ALL: [Use; 3] = [Use::Law, Use::Approximation, Use::Inverse];

    /// The first word of a table line.
    pub fn name(self) -> &'static str {
        match self {
            Use::Law => "law",
            Use::Approximation => "approximation",
            Use::Inverse => "inverse",
        }
    }
}

impl Relation {
    pub fn named(name: &str) -> Option<Relation> {
        match name {
            "=" => Some(Relation::Equal),
            "<=>" => Some(Relation::Equivalent),
            "=>" => Some(Relation::Below(Order::Truth)),
            _ => Order::named(name).map(Relation::Below),
        }
    }

    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Equivalent => "<=>",
            Relation::Below(Order::Truth) => "=>",
            Relation::Below(order) => order.name(),
        }
    }

    pub fn is_implication(self) -> bool {
        self == Relation::Below(Order::Truth)
    }
}

impl Source {
    pub const ALL: [Source; 10] = [
        Source::Own,
        Source::Found,
        Source::Standard,
        Source::Sparrow,
        Source::SparrowCorrected,
        Source::Becker2,
        Source::Becker2Corrected,
        Source::Becker4,
        Source::Becker9,
        Source::Bugariu,
    ];

    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Source::Own => "own",
            Source::Found => "found",
            Source::Standard => "standard",
            Source::Sparrow => "sparrow",
            Source::SparrowCorrected => "sparrow-corrected",
            Source::Becker2 => "becker-2",
            Source::Becker2Corrected => "becker-2-corrected",
            Source::Becker4 => "becker-4",
            Source::Becker9 => "becker-9",
            Source::Bugariu => "bugariu",
        }
    }

    /// The source as text.
    pub fn title(self) -> &'static str {
        match self {
            Source::Own => "written for Auspex",
            Source::Found => "found by `auspex discover`",
            Source::Standard => "the SMT-LIB standard",
            Source::Sparrow => "Sparrow, table 2",
            Source::SparrowCorrected => "Sparrow, table 2, corrected",
            Source::Becker2 => "Becker, table 2",
            Source::Becker2Corrected => "Becker, table 2, corrected",
            Source::Becker4 => "Becker, table 4",
            Source::Becker9 => "Becker, table 9",
            Source::Bugariu => "Bugariu and Müller, ICSE 2020",
        }
    }
}

impl Rule {
    /// Whether the numbers meet the rule's conditions.
    pub fn sizes_hold(&self, bindings: &Bindings) -> bool {
        sizes_hold(&self.sizes, bindings)
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        let conditions = self.conditions.iter().map(|condition| &condition.node);
        [&self.left.node, &self.right.node]
            .into_iter()
            .chain(conditions)
    }

    /// The letters that stand for numbers, in order of appearance.
    pub fn number_letters(&self) -> Vec<char> {
        pattern::number_letters(&self.variables, self.nodes())
    }

    /// The letters that stand for any sort, by their place, in order of appearance.
    pub fn sort_letters(&self) -> Vec<u8> {
        pattern::sort_letters(&self.variables)
    }

    /// The solvers that support every operator of the rule.
    pub fn known_to(&self) -> SolverSet {
        let table = OpTable::builtin();
        let known = |node: &Node| {
            let rows: &[u32] = match node {
                Node::Apply { rows, .. } => rows,
                Node::Cases { .. } => table.named("ite"),
                _ => return SolverSet::STANDARD,
            };
            let rows = rows.iter().map(|row| table.rows()[*row as usize].known);
            rows.fold(SolverSet(0), |all, known| all.union(known))
        };
        let all = self.nodes().flat_map(Node::all).map(known);
        all.fold(SolverSet::STANDARD, SolverSet::intersection)
    }

    /// The elements of constant arrays.
    pub fn elements_of_constants(&self) -> Vec<&Node> {
        let is_constant =
            |node: &&Node| matches!(node, Node::Apply { name, .. } if &**name == "const");
        let arrays = self.nodes().flat_map(Node::all).filter(is_constant);
        arrays.flat_map(Node::children).collect()
    }

    /// Whether a side of the rule is quantified.
    pub fn has_quantifier(&self) -> bool {
        self.nodes()
            .any(|node| matches!(node, Node::Quantifier { .. }))
    }

    /// Whether one side is a single variable.
    pub fn is_identity(&self) -> bool {
        !self.relation.is_implication() && matches!(self.right.node, Node::Variable(_))
    }

    /// `left relation right if conditions`, as people read it.
    pub fn statement(&self) -> String {
        let mut text = match self.relation {
            Relation::Below(order) if order != Order::Truth => format!(
                "{} below {} ({})",
                self.left.text,
                self.right.text,
                order.name()
            ),
            relation => format!("{} {} {}", self.left.text, relation.name(), self.right.text),
        };
        for condition in &self.conditions {
            text.push_str(&format!(" if {}", condition.text));
        }
        for variable in &self.variables {
            if let Some(literal) = variable.literal {
                text.push_str(&format!(" if {} is {}", variable.name, literal.name()));
            }
        }
        text
    }

    /// The formula `conditions => left = right`, with terms for the variables.
    pub fn formula(&self, terms: &mut Terms, bindings: &Bindings) -> Option<TermId> {
        let left = self.left.node.build(terms, bindings)?;
        let right = self.right.node.build(terms, bindings)?;
        let operator = if self.relation.is_implication() {
            "=>"
        } else {
            "="
        };
        let mut formula = terms.app(operator, &[left, right]).ok()?;
        for condition in self.conditions.iter().rev() {
            let condition = condition.node.build(terms, bindings)?;
            formula = terms.app("=>", &[condition, formula]).ok()?;
        }
        Some(formula)
    }
}

fn sizes_hold(sizes: &[(Size, Size)], bindings: &Bindings) -> bool {
    let at_most = |(low, high): &(Size, Size)| {
        let values = low.value(bindings).zip(high.value(bindings));
        values.is_some_and(|(low, high)| low <= high)
    };
    sizes.iter().all(at_most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::Sort;
    use auspex_logic::render::{self, Sharing};

    #[test]
    fn names_are_unique() {
        use std::collections::HashSet;
        let inverses = fusions().iter().flat_map(|fusion| &fusion.inverses);
        let all: Vec<&Rule> = laws()
            .iter()
            .chain(approximations())
            .chain(inverses)
            .collect();
        let names: HashSet<_> = all.iter().map(|rule| (rule.used_as, &rule.name)).collect();
        assert_eq!(names.len(), all.len());
        assert!(laws().len() > 150, "{}", laws().len());
        assert!(approximations().len() >= 150, "{}", approximations().len());
        assert!(monotone().len() >= 80, "{}", monotone().len());
    }

    fn law(row: &str) -> Rule {
        let text = format!("(law test {row})");
        read_rule(&text, Theory::BitVectors).unwrap_or_else(|| panic!("{text}"))
    }

    fn shown(terms: &mut Terms, node: &Node, bindings: &Bindings) -> String {
        let term = node.build(terms, bindings).expect("builds");
        render::term(terms, term, Sharing::Expanded)
    }

    /// The rule's right side at a width, with `s` a constant.
    fn right_side(rule: &Rule, width: u64) -> String {
        let mut terms = Terms::new();
        let mut bindings = Bindings::default();
        bindings.set_number('m', width);
        let sort = rule.variables[0].sort.instance(&mut terms, &bindings);
        let fun = terms.declare_fun("s", &[], sort.expect("a sort"));
        let s = terms.fun_app(fun, &[]).expect("a constant");
        shown(&mut terms, &rule.right.node, &bindings.with_terms(&[s]))
    }

    #[test]
    fn reads_and_builds() {
        let rule = law("((s (_ BitVec m)) (a (Array X (_ BitVec m)))) \
             (= (bvadd s ((_ extract m-1 0) s)) (bvmul (_ bv2 m) (bvand s (_ bv2^m-1 m))))");
        assert_eq!(rule.number_letters(), ['m']);
        assert_eq!(rule.sort_letters(), [0]);
        assert_eq!(rule.known_to(), SolverSet::STANDARD);
        assert_eq!(right_side(&rule, 4), "(bvmul #x2 (bvand s #xf))");
        let mut terms = Terms::new();
        let mut bindings = Bindings::default();
        bindings.set_number('m', 4);
        bindings.set_sort(0, Sort::INT);
        let array = rule.variables[1].sort.instance(&mut terms, &bindings);
        assert_eq!(
            render::sort(&terms, array.expect("a sort")),
            "(Array Int (_ BitVec 4))"
        );
    }

    #[test]
    fn cases_become_one_ite_each() {
        let rule = law("((s (_ BitVec m))) (= s (cases (k 1 m-1) (= s (_ bvk m)) (_ bv0 m) s))");
        assert_eq!(rule.number_letters(), ['m']);
        assert_eq!(right_side(&rule, 1), "s");
        assert_eq!(
            right_side(&rule, 3),
            "(ite (= s #b001) #b000 (ite (= s #b010) #b000 s))"
        );
    }

    #[test]
    fn statements_have_their_conditions() {
        let rule = law("((x Int) (y Int)) (=> (< x y) (<= x y)) :if (< 0 x) :if (< 0 y)");
        assert_eq!(
            rule.statement(),
            "(< x y) => (<= x y) if (< 0 x) if (< 0 y)"
        );
        let rule = law("((x N) (a N)) (number x (+ x a)) :when (positive a)");
        assert_eq!(
            rule.statement(),
            "x below (+ x a) (number) if a is positive"
        );
    }
}
