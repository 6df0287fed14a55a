//! An index of approximation rules and monotone arguments by the root of a term. A rule is used in both directions:
//! upwards its lesser side becomes the greater one, downwards the reverse.

use super::building::Supply;
use super::pattern::{Node, Variable};
use super::{Bindings, Monotone, Order, Relation, Rule, approximations, monotone};
use auspex_logic::term::{BinderKind, FunKind};
use auspex_logic::{Head, TermId, Terms, Theory};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The side of a rule that is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Matched when going up.
    Lesser,
    /// Matched when going down.
    Greater,
}

impl Side {
    pub fn other(self) -> Side {
        match self {
            Side::Lesser => Side::Greater,
            Side::Greater => Side::Lesser,
        }
    }
}

/// The key of a term's root.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Row(u32),
    Tester,
    Literal,
}

/// All rules and monotone arguments that are proved.
pub struct RuleIndex {
    rules: Vec<&'static Rule>,
    by_root: FxHashMap<(Order, Side, Root), Vec<u32>>,
    anywhere: FxHashMap<(Order, Side), Vec<u32>>,
    monotone: FxHashMap<u32, Vec<&'static Monotone>>,
}

/// The order and direction at an argument of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descent {
    pub order: Order,
    /// Whether the direction stays the same.
    pub up: bool,
}

impl Descent {
    fn same(order: Order) -> Descent {
        Descent { order, up: true }
    }
}

/// The index of all built-in rules.
pub fn rule_index() -> &'static RuleIndex {
    static INDEX: OnceLock<RuleIndex> = OnceLock::new();
    INDEX.get_or_init(RuleIndex::new)
}

impl RuleIndex {
    fn new() -> RuleIndex {
        let mut index = RuleIndex {
            rules: Vec::new(),
            by_root: FxHashMap::default(),
            anywhere: FxHashMap::default(),
            monotone: FxHashMap::default(),
        };
        // Rules that no solver has proved are not used.
        for rule in approximations().iter().filter(|rule| rule.is_proved()) {
            if let Relation::Below(order) = rule.relation {
                index.add(rule, order);
            }
        }
        for row in monotone().iter().filter(|row| row.is_proved()) {
            for op in row.rows() {
                index.monotone.entry(*op).or_default().push(row);
            }
        }
        index
    }

    fn add(&mut self, rule: &'static Rule, order: Order) {
        let number = self.rules.len() as u32;
        for (side, node) in [
            (Side::Lesser, &rule.left.node),
            (Side::Greater, &rule.right.node),
        ] {
            let mut at = |root| {
                let key = (order, side, root);
                self.by_root.entry(key).or_default().push(number);
            };
            match node {
                Node::Apply {
                    rows, sort: None, ..
                } => rows.iter().for_each(|row| at(Root::Row(*row))),
                Node::Tester(..) => at(Root::Tester),
                Node::Variable(_) => {
                    self.anywhere.entry((order, side)).or_default().push(number);
                }
                node if node.is_constant() => at(Root::Literal),
                _ => {}
            }
        }
        self.rules.push(rule);
    }

    pub fn rule(&self, number: u32) -> &'static Rule {
        self.rules[number as usize]
    }

    /// The rules that may match a term with this root.
    pub fn for_root(&self, terms: &Terms, term: TermId, order: Order, side: Side) -> &[u32] {
        let root = match terms.head(term) {
            Head::Op(op) => Root::Row(terms.op_row(op) as u32),
            Head::Literal(_) => Root::Literal,
            Head::Fun(fun) if matches!(terms.fun(fun).kind, FunKind::Tester(..)) => Root::Tester,
            _ => return &[],
        };
        self.by_root
            .get(&(order, side, root))
            .map_or(&[], Vec::as_slice)
    }

    /// The rules that match any term of the right sort.
    pub fn anywhere(&self, order: Order, side: Side) -> &[u32] {
        self.anywhere.get(&(order, side)).map_or(&[], Vec::as_slice)
    }

    /// The rule of which an implication between two formulas is an instance, except rules that match everything.
    pub fn covering(
        &self,
        terms: &Terms,
        lesser: TermId,
        greater: TermId,
    ) -> Option<&'static Rule> {
        let special = self.for_root(terms, lesser, Order::Truth, Side::Lesser);
        let general = self.anywhere(Order::Truth, Side::Lesser);
        let mut rules = special
            .iter()
            .chain(general)
            .map(|number| self.rule(*number));
        rules.find(|rule| rule.covers(terms, lesser, greater))
    }

    /// The order and direction at an argument, for an order on a term.
    pub fn descent(&self, terms: &Terms, term: TermId, place: usize, to: Order) -> Option<Descent> {
        match terms.head(term) {
            Head::Op(op) => {
                let row = terms.op_row(op) as u32;
                let all = self.monotone.get(&row)?;
                let mut fitting = all.iter().filter(|argument| argument.to == to);
                fitting.find_map(|argument| argument.at(terms, term, place, all))
            }
            Head::Binder(number) if to == Order::Truth => match terms.binder(number).kind {
                BinderKind::Forall | BinderKind::Exists => Some(Descent::same(to)),
                BinderKind::Lambda | BinderKind::Choice | BinderKind::Comprehension => None,
            },
            Head::Annotated(_) if place == 0 => Some(Descent::same(to)),
            _ => None,
        }
    }
}

impl Rule {
    /// The side that is matched, and the one that it becomes.
    fn sides(&self, matched: Side) -> (&Node, &Node) {
        match matched {
            Side::Lesser => (&self.left.node, &self.right.node),
            Side::Greater => (&self.right.node, &self.left.node),
        }
    }

    /// The replacement for a term, if the given side of the rule matches it.
    pub fn apply(
        &self,
        terms: &mut Terms,
        term: TermId,
        side: Side,
        supply: &mut dyn Supply,
    ) -> Option<TermId> {
        let (from, to) = self.sides(side);
        let is_swapped = may_swap(terms, term) && supply.choose(2) == 0;
        let turn = match self.theory {
            Theory::Datatypes => supply.choose(1 << 16),
            _ => 0,
        };
        let mut bindings = Bindings::choosing(turn);
        if !self.matches(terms, from, (term, is_swapped), &mut bindings) {
            return None;
        }
        let sort = terms.sort(term);
        let new = to.instance(terms, &self.variables, &mut bindings, supply)?;
        (new != term && terms.sort(new) == sort).then_some(new)
    }

    /// Whether a side matches a term, perhaps with its two arguments swapped.
    fn matches(
        &self,
        terms: &Terms,
        from: &Node,
        (term, is_swapped): (TermId, bool),
        bindings: &mut Bindings,
    ) -> bool {
        let variables: &[Variable] = &self.variables;
        let matched = match from {
            Node::Apply {
                args, sort: None, ..
            } if is_swapped && may_swap(terms, term) => {
                let (a, b) = (terms.args(term)[0], terms.args(term)[1]);
                args.len() == 2
                    && from.is_at_root_of(terms, term)
                    && args[0].matches(terms, variables, b, bindings)
                    && args[1].matches(terms, variables, a, bindings)
            }
            _ => from.matches(terms, variables, term, bindings),
        };
        matched && bindings.meets(terms, variables)
    }

    /// Whether an instance of the rule has these sides.
    fn covers(&self, terms: &Terms, lesser: TermId, greater: TermId) -> bool {
        let swapped = |term: TermId| match may_swap(terms, term) {
            true => &[false, true][..],
            false => &[false],
        };
        let mut pairs = swapped(lesser)
            .iter()
            .flat_map(|first| swapped(greater).iter().map(move |second| (*first, *second)));
        pairs.any(|(first, second)| {
            let mut bindings = Bindings::default();
            self.matches(terms, &self.left.node, (lesser, first), &mut bindings)
                && self.matches(terms, &self.right.node, (greater, second), &mut bindings)
        })
    }

    /// Whether matching a side leaves a formula open, which is then grown.
    pub fn injects(&self, side: Side) -> bool {
        let (from, to) = self.sides(side);
        let known = from.variables();
        let mut wanted = to.variables().into_iter();
        wanted.any(|at| self.variables[at as usize].sort.is_bool() && !known.contains(&at))
    }

    /// Whether a side becomes a constant, so that using it forgets the term altogether.
    pub fn forgets(&self, side: Side) -> bool {
        match self.sides(side).1 {
            Node::Apply { args, sort, .. } => args.is_empty() || sort.is_some(),
            target => target.is_constant(),
        }
    }
}

fn may_swap(terms: &Terms, term: TermId) -> bool {
    match terms.head(term) {
        Head::Op(op) => terms.op(op).commutative && terms.args(term).len() == 2,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Source;
    use auspex_logic::read_script;

    #[test]
    fn found_rules_say_something_new() {
        let found = approximations()
            .iter()
            .filter(|rule| rule.source == Source::Found);
        for rule in found {
            let Some(instance) = rule.claim().small_instances().next() else {
                continue;
            };
            let [lesser, greater] = instance.terms.args(instance.conclusion) else {
                panic!("{}", instance.title)
            };
            let other = rule_index().covering(&instance.terms, *lesser, *greater);
            let other = other.filter(|other| other.name != rule.name);
            let name = other.map(|other| &other.name);
            assert_eq!(name, None, "{} is an instance of another rule", rule.name);
        }
    }

    #[test]
    fn instances_of_rules_are_seen() {
        let mut terms = Terms::new();
        let text =
            "(declare-const x Int)(assert (=> (< x 3) (<= x 3)))(assert (=> (< x 3) (< x 4)))";
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let covering = |root: usize| {
            let args = terms.args(script.roots()[root]);
            let rule = rule_index().covering(&terms, args[0], args[1]);
            rule.map(|rule| rule.name.as_str())
        };
        assert_eq!(covering(0), Some("less-at-most"));
        assert_eq!(covering(1), None);
    }
}
