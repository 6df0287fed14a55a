//! All rules ready for use: compiled, and found by what stands at the root of the side to be matched.

use super::pattern::{Bindings, Node, SortPattern, Supply, Variable, read_node, read_sort};
use super::{Literal, Monotone, Order, Rule, monotone, rules};
use auspex_logic::sig::Assoc;
use auspex_logic::term::{BinderKind, FunKind};
use auspex_logic::{Head, OpTable, TermId, Terms, Theory};
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

/// A rule ready for use.
pub struct Compiled {
    pub rule: &'static Rule,
    variables: Vec<Variable>,
    lesser: Node,
    greater: Node,
    is_about_data: bool,
}

/// A monotone argument ready for use.
struct Context {
    variables: Vec<Variable>,
    args: Vec<Node>,
    place: usize,
    hole: SortPattern,
    from: Order,
    to: Order,
    up: bool,
}

/// What a term has at its root, as far as rules are found by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Row(u32),
    Tester,
    Literal,
}

/// All rules and monotone arguments.
pub struct RuleIndex {
    rules: Vec<Compiled>,
    by_root: FxHashMap<(Order, Side, Root), Vec<u32>>,
    anywhere: FxHashMap<(Order, Side), Vec<u32>>,
    contexts: FxHashMap<u32, Vec<Context>>,
}

/// Where an order leads from a term to one of its arguments.
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
    INDEX.get_or_init(|| RuleIndex::new(rules(), monotone(), &OpTable::builtin()))
}

fn compile_variables(
    variables: &[(String, String)],
    conditions: &[(String, Literal)],
) -> Option<Vec<Variable>> {
    let compile = |(name, sort): &(String, String)| {
        let literal = conditions.iter().find(|(n, _)| n == name).map(|(_, l)| *l);
        Some(Variable {
            name: name.clone(),
            sort: read_sort(sort)?,
            literal,
        })
    };
    variables.iter().map(compile).collect()
}

fn compile(rule: &'static Rule, table: &OpTable) -> Option<Compiled> {
    let variables = compile_variables(&rule.variables, &rule.conditions)?;
    Some(Compiled {
        rule,
        lesser: read_node(&rule.lesser, &variables, table)?,
        greater: read_node(&rule.greater, &variables, table)?,
        is_about_data: rule.theory == Theory::Datatypes,
        variables,
    })
}

fn compile_context(row: &Monotone, table: &OpTable) -> Option<(Box<[u32]>, Context)> {
    let variables = compile_variables(&row.variables, &row.conditions)?;
    let Node::Apply { rows, args, .. } = read_node(&row.context, &variables, table)? else {
        return None;
    };
    let place = args.iter().position(|arg| *arg == Node::Hole)?;
    let context = Context {
        variables,
        args: args.into_vec(),
        place,
        hole: read_sort(&row.hole)?,
        from: row.from,
        to: row.to,
        up: row.up,
    };
    Some((rows, context))
}

impl RuleIndex {
    fn new(rules: &'static [Rule], monotone: &[Monotone], table: &OpTable) -> RuleIndex {
        let mut index = RuleIndex {
            rules: Vec::new(),
            by_root: FxHashMap::default(),
            anywhere: FxHashMap::default(),
            contexts: FxHashMap::default(),
        };
        // What no solver has proved is not used.
        for rule in rules.iter().filter(|rule| !rule.provers().is_empty()) {
            let compiled = compile(rule, table)
                .unwrap_or_else(|| panic!("built-in rule {} is not understood", rule.name));
            index.add(compiled);
        }
        for row in monotone.iter().filter(|row| row.is_proved()) {
            let (rows, _) = compile_context(row, table)
                .unwrap_or_else(|| panic!("built-in context {} is not understood", row.context));
            for op in rows {
                let context = compile_context(row, table).map(|(_, context)| context);
                index.contexts.entry(op).or_default().extend(context);
            }
        }
        index
    }

    fn add(&mut self, compiled: Compiled) {
        let number = self.rules.len() as u32;
        let order = compiled.rule.order;
        for (side, node) in [
            (Side::Lesser, &compiled.lesser),
            (Side::Greater, &compiled.greater),
        ] {
            let mut at = |root| {
                self.by_root
                    .entry((order, side, root))
                    .or_default()
                    .push(number);
            };
            match node {
                Node::Apply { rows, .. } => rows.iter().for_each(|row| at(Root::Row(*row))),
                Node::Tester(..) => at(Root::Tester),
                Node::Integer(_) | Node::Value(..) | Node::Bits(..) => at(Root::Literal),
                Node::Variable(_) => {
                    self.anywhere.entry((order, side)).or_default().push(number);
                }
                Node::Hole
                | Node::Qualified { .. }
                | Node::Constructor(_)
                | Node::Fields(..)
                | Node::Selector(_)
                | Node::Rebuilt(_)
                | Node::Function(_) => {}
            }
        }
        self.rules.push(compiled);
    }

    pub fn rule(&self, number: u32) -> &Compiled {
        &self.rules[number as usize]
    }

    /// The rules that may match a term for what stands at its root.
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

    /// The rule that says that the one formula implies the other, as an instance; one that fits everything does not count.
    pub fn covering(&self, terms: &Terms, lesser: TermId, greater: TermId) -> Option<&Compiled> {
        let special = self.for_root(terms, lesser, Order::Truth, Side::Lesser);
        let general = self.anywhere(Order::Truth, Side::Lesser);
        let mut rules = special
            .iter()
            .chain(general)
            .map(|number| self.rule(*number));
        rules.find(|rule| rule.covers(terms, lesser, greater))
    }

    /// Where an order on a term leads at one of its arguments.
    pub fn descent(&self, terms: &Terms, term: TermId, place: usize, to: Order) -> Option<Descent> {
        match terms.head(term) {
            Head::Op(op) => {
                let row = terms.op_row(op) as u32;
                let contexts = self.contexts.get(&row)?;
                let assoc = terms.op(op).sig.assoc;
                let mut fitting = contexts.iter().filter(|c| c.to == to);
                fitting.find_map(|context| context.at(terms, term, place, assoc, contexts))
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

impl Context {
    /// Whether the hole is at that argument; with more than two arguments, as the operator associates.
    fn at(
        &self,
        terms: &Terms,
        term: TermId,
        place: usize,
        assoc: Assoc,
        all: &[Context],
    ) -> Option<Descent> {
        let args = terms.args(term);
        let mut bindings = Bindings::default();
        let fits = if args.len() == self.args.len() {
            let mut pairs = self.args.iter().zip(args);
            place == self.place
                && pairs
                    .all(|(node, arg)| node.matches(terms, &self.variables, *arg, &mut bindings))
                && bindings.meets(terms, &self.variables)
        } else {
            self.is_at_one_of_many(place, args.len(), assoc, all)
        };
        let sort = terms.sort(args[place]);
        (fits && self.hole.matches(terms, sort, &mut bindings)).then_some(Descent {
            order: self.from,
            up: self.up,
        })
    }

    /// Left: f(f(a, b), c); right: f(a, f(b, c)); a chain is a conjunction of neighbours.
    /// What stands within an inner application must be carried upwards through the outer ones.
    fn is_at_one_of_many(&self, place: usize, count: usize, assoc: Assoc, all: &[Context]) -> bool {
        let is_plain = self.variables.iter().all(|v| v.literal.is_none());
        if count < 3 || self.args.len() != 2 || !is_plain {
            return false;
        }
        let carried = |outer: usize| {
            let mut all = all.iter();
            all.any(|c| c.place == outer && c.from == self.to && c.to == self.to && c.up)
        };
        match assoc {
            Assoc::Left => place.min(1) == self.place && (place + 1 == count || carried(0)),
            Assoc::Right => {
                usize::from(place + 1 == count) == self.place && (place == 0 || carried(1))
            }
            Assoc::Chainable => {
                place == 0 && self.place == 0 || place + 1 == count && self.place == 1
            }
            Assoc::None | Assoc::Pairwise => false,
        }
    }
}

impl Compiled {
    /// What the term becomes, if the given side of the rule matches it.
    pub fn apply(
        &self,
        terms: &mut Terms,
        term: TermId,
        side: Side,
        supply: &mut dyn Supply,
    ) -> Option<TermId> {
        let (from, to) = match side {
            Side::Lesser => (&self.lesser, &self.greater),
            Side::Greater => (&self.greater, &self.lesser),
        };
        let mut bindings = self.bindings(terms, from, term, supply)?;
        let sort = terms.sort(term);
        let new = to.instance(terms, &self.variables, &mut bindings, supply)?;
        (new != term && terms.sort(new) == sort).then_some(new)
    }

    fn bindings(
        &self,
        terms: &Terms,
        from: &Node,
        term: TermId,
        supply: &mut dyn Supply,
    ) -> Option<Bindings> {
        let swap = self.may_swap(terms, term) && supply.choose(2) == 0;
        let turn = match self.is_about_data {
            true => supply.choose(1 << 16),
            false => 0,
        };
        self.matched(terms, from, term, (swap, turn))
    }

    fn matched(
        &self,
        terms: &Terms,
        from: &Node,
        term: TermId,
        (swap, turn): (bool, usize),
    ) -> Option<Bindings> {
        let mut bindings = Bindings::choosing(turn);
        let matched = self.matches(terms, from, term, swap, &mut bindings);
        matched.then_some(bindings)
    }

    fn matches(
        &self,
        terms: &Terms,
        from: &Node,
        term: TermId,
        swap: bool,
        bindings: &mut Bindings,
    ) -> bool {
        let matched = match from {
            Node::Apply { args, .. } if swap && self.may_swap(terms, term) => {
                let (a, b) = (terms.args(term)[0], terms.args(term)[1]);
                args.len() == 2
                    && has_root(from, terms, term)
                    && args[0].matches(terms, &self.variables, b, bindings)
                    && args[1].matches(terms, &self.variables, a, bindings)
            }
            _ => from.matches(terms, &self.variables, term, bindings),
        };
        matched && bindings.meets(terms, &self.variables)
    }

    /// Whether an instance of the rule has these sides.
    pub fn covers(&self, terms: &Terms, lesser: TermId, greater: TermId) -> bool {
        let swapped = |term: TermId| match self.may_swap(terms, term) {
            true => &[false, true][..],
            false => &[false],
        };
        let mut pairs = swapped(lesser)
            .iter()
            .flat_map(|first| swapped(greater).iter().map(move |second| (*first, *second)));
        pairs.any(|(first, second)| {
            let bindings = self.matched(terms, &self.lesser, lesser, (first, 0));
            bindings.is_some_and(|mut bindings| {
                self.matches(terms, &self.greater, greater, second, &mut bindings)
            })
        })
    }

    fn may_swap(&self, terms: &Terms, term: TermId) -> bool {
        match terms.head(term) {
            Head::Op(op) => terms.op(op).commutative && terms.args(term).len() == 2,
            _ => false,
        }
    }

    /// Whether matching a side leaves a formula open, which is then grown.
    pub fn injects(&self, side: Side) -> bool {
        let (from, to) = match side {
            Side::Lesser => (&self.lesser, &self.greater),
            Side::Greater => (&self.greater, &self.lesser),
        };
        let is_formula = |at: u8| self.variables[at as usize].sort.is_bool();
        let (mut known, mut wanted) = (Vec::new(), Vec::new());
        from.variables(&mut known);
        to.variables(&mut wanted);
        wanted
            .iter()
            .any(|at| is_formula(*at) && !known.contains(at))
    }

    /// Whether a side is a constant, so that using it forgets the term altogether.
    pub fn forgets(&self, side: Side) -> bool {
        let target = match side {
            Side::Lesser => &self.greater,
            Side::Greater => &self.lesser,
        };
        match target {
            Node::Variable(_) => false,
            Node::Apply { args, .. } => args.is_empty(),
            Node::Integer(_) | Node::Value(..) | Node::Bits(..) | Node::Qualified { .. } => true,
            Node::Hole
            | Node::Constructor(_)
            | Node::Fields(..)
            | Node::Selector(_)
            | Node::Rebuilt(_)
            | Node::Tester(..)
            | Node::Function(_) => false,
        }
    }
}

/// Whether a term has the operator of a pattern at its root.
fn has_root(from: &Node, terms: &Terms, term: TermId) -> bool {
    match (from, terms.head(term)) {
        (Node::Apply { rows, .. }, Head::Op(op)) => rows.contains(&(terms.op_row(op) as u32)),
        _ => false,
    }
}
