//! Decides sequents by propositional logic and equality: unit propagation over the connectives, congruence, and a few
//! case distinctions. What it proves is valid; what it does not prove may be valid for another reason.
//!
//! ```text
//! (or p q), (not p)              |- q                proved
//! (= a b), (= b c)               |- (= (f a) (f c))  proved
//! (> b 1)                        |- (> b 0)          not proved: arithmetic
//! ```

use super::Sequent;
use auspex_logic::render::post_order;
use auspex_logic::{Head, TermId, Terms, Value};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// Sequents of more nodes are not tried.
const LARGEST: usize = 6_000;
/// How many case distinctions one sequent may take.
const SPLITS: usize = 40;
/// How many visits of nodes one sequent may take.
const MOST_VISITS: usize = 400_000;

/// Whether the premises imply the conclusion for reasons of logic and equality.
pub fn proves(terms: &Terms, sequent: &Sequent) -> bool {
    if sequent.premises.contains(&sequent.conclusion) {
        return true;
    }
    let mut nodes: Vec<TermId> = Vec::new();
    let mut seen = BTreeSet::new();
    for root in sequent.formulas() {
        nodes.extend(
            post_order(terms, root)
                .into_iter()
                .filter(|node| seen.insert(*node)),
        );
        if nodes.len() > LARGEST {
            return false;
        }
    }
    let problem = Problem::new(terms, nodes);
    let mut state = State::of(&problem);
    for premise in &sequent.premises {
        state.assume(problem.place[premise], true);
    }
    state.assume(problem.place[&sequent.conclusion], false);
    let mut effort = Effort {
        splits: SPLITS,
        visits: MOST_VISITS,
    };
    problem.is_contradictory(state, &mut effort)
}

/// How a node constrains the truth of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
}

impl Connective {
    pub fn of(terms: &Terms, term: TermId) -> Option<Connective> {
        let Head::Op(op) = terms.head(term) else {
            return None;
        };
        let args = terms.args(term).len();
        Some(match (&*terms.op(op).name, args) {
            ("not", 1) => Connective::Not,
            ("and", _) => Connective::And,
            ("or", _) => Connective::Or,
            ("=>", _) => Connective::Implies,
            ("xor", 2) => Connective::Xor,
            ("=", 2) => Connective::Equal,
            ("distinct", 2) => Connective::Distinct,
            ("ite", 3) => Connective::Ite,
            _ => return None,
        })
    }
}

/// The nodes of a sequent; the last two places are the truth values.
struct Problem<'t> {
    terms: &'t Terms,
    nodes: Vec<TermId>,
    place: HashMap<TermId, usize>,
    args: Vec<Vec<usize>>,
    connective: Vec<Option<Connective>>,
}

struct Effort {
    splits: usize,
    visits: usize,
}

/// The contradiction that a branch ends with.
struct Contradiction;

type Step = Result<bool, Contradiction>;

/// Which nodes are equal, and which are not.
#[derive(Clone)]
struct State {
    parent: Vec<usize>,
    size: Vec<u32>,
    value: Vec<Option<Value>>,
    apart: Vec<(usize, usize)>,
    contradiction: bool,
}

impl State {
    fn of(problem: &Problem<'_>) -> State {
        let count = problem.nodes.len();
        let mut value: Vec<Option<Value>> = problem
            .nodes
            .iter()
            .map(|node| {
                problem
                    .terms
                    .literal_value(*node)
                    .filter(|v| is_plain(v))
                    .cloned()
            })
            .collect();
        value.extend([Some(Value::FALSE), Some(Value::TRUE)]);
        let mut state = State {
            parent: (0..count + 2).collect(),
            size: vec![1; count + 2],
            value,
            apart: Vec::new(),
            contradiction: false,
        };
        for place in 0..count {
            if let Some(Value::Bool(known)) = state.value[place].clone() {
                state.assume(place, known);
            }
        }
        state
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn is_same(&self, one: usize, other: usize) -> bool {
        self.find(one) == self.find(other)
    }

    /// Whether the classes became one.
    fn merge(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return false;
        }
        if let (Some(a), Some(b)) = (&self.value[one], &self.value[other])
            && a != b
        {
            self.contradiction = true;
        }
        let known = self.value[one].take().or(self.value[other].take());
        // The larger class keeps its root, so paths stay short.
        let (one, other) = match self.size[one] >= self.size[other] {
            true => (one, other),
            false => (other, one),
        };
        self.parent[other] = one;
        self.size[one] += self.size[other];
        self.value[one] = known;
        true
    }

    fn assume(&mut self, place: usize, truth: bool) -> bool {
        let truths = self.parent.len() - 2;
        self.merge(truths + usize::from(truth), place)
    }

    fn truth(&self, place: usize) -> Option<bool> {
        let root = self.find(place);
        match &self.value[root] {
            Some(Value::Bool(truth)) => Some(*truth),
            _ => None,
        }
    }

    fn is_apart(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        if let (Some(a), Some(b)) = (&self.value[one], &self.value[other]) {
            return a != b;
        }
        self.apart.iter().any(|(a, b)| {
            let pair = (self.find(*a), self.find(*b));
            pair == (one, other) || pair == (other, one)
        })
    }
}

/// Values that are equal exactly if they are the same data.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::BitVec(_) | Value::Str(_)
    )
}

impl<'t> Problem<'t> {
    fn new(terms: &'t Terms, nodes: Vec<TermId>) -> Problem<'t> {
        let place: HashMap<TermId, usize> = nodes
            .iter()
            .enumerate()
            .map(|(place, node)| (*node, place))
            .collect();
        // What stands below a binder is not one value; only closed nodes take part.
        let args = nodes.iter().map(|node| match terms.head(*node) {
            Head::Binder(_) | Head::Match(_) => Vec::new(),
            _ => terms.args(*node).iter().map(|arg| place[arg]).collect(),
        });
        Problem {
            terms,
            args: args.collect(),
            connective: nodes
                .iter()
                .map(|node| Connective::of(terms, *node))
                .collect(),
            place,
            nodes,
        }
    }

    /// Whether no interpretation agrees with a state.
    fn is_contradictory(&self, mut state: State, effort: &mut Effort) -> bool {
        loop {
            match self.propagate(&mut state, effort) {
                Err(Contradiction) => return true,
                Ok(true) if effort.visits > 0 => {}
                Ok(_) => break,
            }
        }
        let Some(place) = self.choice(&state) else {
            return false;
        };
        if effort.splits == 0 || effort.visits == 0 {
            return false;
        }
        effort.splits -= 1;
        [true, false].into_iter().all(|truth| {
            let mut branch = state.clone();
            branch.assume(place, truth);
            self.is_contradictory(branch, effort)
        })
    }

    /// One round over all nodes; whether anything is new.
    fn propagate(&self, state: &mut State, effort: &mut Effort) -> Step {
        let mut is_new = self.congruence(state);
        effort.visits = effort.visits.saturating_sub(self.nodes.len());
        for place in (0..self.nodes.len()).rev() {
            if let Some(connective) = self.connective[place] {
                is_new |= self.step(state, place, connective);
            }
            if state.contradiction {
                return Err(Contradiction);
            }
        }
        match state.apart.iter().any(|(a, b)| state.is_same(*a, *b)) || state.contradiction {
            true => Err(Contradiction),
            false => Ok(is_new),
        }
    }

    fn congruence(&self, state: &mut State) -> bool {
        let mut is_new = false;
        let mut known: HashMap<(Head, Vec<usize>), usize> = HashMap::new();
        for place in 0..self.nodes.len() {
            if self.args[place].is_empty() || !self.terms.is_closed(self.nodes[place]) {
                continue;
            }
            let head = self.terms.head(self.nodes[place]);
            let classes = self.args[place]
                .iter()
                .map(|arg| state.find(*arg))
                .collect();
            match known.entry((head, classes)) {
                Entry::Occupied(other) => is_new |= state.merge(*other.get(), place),
                Entry::Vacant(room) => {
                    room.insert(place);
                }
            }
        }
        is_new
    }

    fn step(&self, state: &mut State, place: usize, connective: Connective) -> bool {
        let args = &self.args[place];
        match (connective, &args[..]) {
            (Connective::Not, [arg]) => negation(state, place, *arg),
            (Connective::And, _) => junction(state, place, &signed(args, true), false),
            (Connective::Or, _) => junction(state, place, &signed(args, true), true),
            (Connective::Implies, [premises @ .., conclusion]) => {
                let mut all = signed(premises, false);
                all.push((*conclusion, true));
                junction(state, place, &all, true)
            }
            (Connective::Xor, [one, other]) => equality(state, place, (*one, *other), false),
            (Connective::Distinct, [one, other]) => equality(state, place, (*one, *other), false),
            (Connective::Equal, [one, other]) => equality(state, place, (*one, *other), true),
            (Connective::Ite, [test, then, otherwise]) => match state.truth(*test) {
                Some(true) => state.merge(place, *then),
                Some(false) => state.merge(place, *otherwise),
                None if state.is_same(*then, *otherwise) => state.merge(place, *then),
                None if state.is_apart(place, *then) => state.assume(*test, false),
                None if state.is_apart(place, *otherwise) => state.assume(*test, true),
                None => false,
            },
            _ => false,
        }
    }

    /// A node whose truth is open and decides another.
    fn choice(&self, state: &State) -> Option<usize> {
        let mut open = None;
        for place in 0..self.nodes.len() {
            let Some(connective) = self.connective[place] else {
                continue;
            };
            let is_truth =
                |arg: usize| self.terms.sort(self.nodes[arg]) == auspex_logic::Sort::BOOL;
            let args = &self.args[place];
            let asked = match connective {
                Connective::Ite => &args[..1],
                Connective::Equal | Connective::Distinct if !is_truth(args[0]) => continue,
                _ => &args[..],
            };
            let unknown = |arg: &&usize| {
                self.terms.is_closed(self.nodes[**arg]) && state.truth(**arg).is_none()
            };
            let found = asked.iter().find(unknown).copied();
            if state.truth(place).is_some() && found.is_some() {
                return found;
            }
            open = open.or(found);
        }
        open
    }
}

fn signed(args: &[usize], sign: bool) -> Vec<(usize, bool)> {
    args.iter().map(|arg| (*arg, sign)).collect()
}

fn negation(state: &mut State, place: usize, arg: usize) -> bool {
    match (state.truth(place), state.truth(arg)) {
        (Some(truth), _) => state.assume(arg, !truth),
        (None, Some(truth)) => state.assume(place, !truth),
        (None, None) => false,
    }
}

/// A disjunction (`absorbing` is true) or conjunction of signed arguments.
fn junction(state: &mut State, place: usize, args: &[(usize, bool)], absorbing: bool) -> bool {
    let truths: Vec<Option<bool>> = args
        .iter()
        .map(|(arg, sign)| state.truth(*arg).map(|truth| truth == *sign))
        .collect();
    if truths.contains(&Some(absorbing)) {
        return state.assume(place, absorbing);
    }
    let mut open = args
        .iter()
        .zip(&truths)
        .filter(|(_, truth)| truth.is_none());
    let (first, second) = (open.next(), open.next());
    match (state.truth(place), first, second) {
        (_, None, _) => state.assume(place, !absorbing),
        (Some(truth), _, _) if truth != absorbing => {
            let mut is_new = false;
            for (arg, sign) in args {
                is_new |= state.assume(*arg, *sign == truth);
            }
            is_new
        }
        (Some(_), Some((only, _)), None) => state.assume(only.0, only.1 == absorbing),
        _ => false,
    }
}

/// An equation (`sign` is true) or its negation.
fn equality(state: &mut State, place: usize, (one, other): (usize, usize), sign: bool) -> bool {
    if state.is_same(one, other) {
        return state.assume(place, sign);
    }
    if state.is_apart(one, other) {
        return state.assume(place, !sign);
    }
    match state.truth(place) {
        Some(truth) if truth == sign => state.merge(one, other),
        Some(_) => match (state.truth(one), state.truth(other)) {
            (Some(truth), None) => state.assume(other, !truth),
            (None, Some(truth)) => state.assume(one, !truth),
            _ => {
                let pair = (one, other);
                let is_new = !state.apart.contains(&pair);
                if is_new {
                    state.apart.push(pair);
                }
                is_new
            }
        },
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    const DECLARED: &str = "(declare-sort U 0)(declare-const a U)(declare-const b U)(declare-const c U)(declare-fun f (U) U)(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(declare-const x Int)";

    /// Whether the last formula follows from the others.
    fn proved(formulas: &[&str]) -> bool {
        let mut terms = Terms::new();
        let asserted: String = formulas.iter().map(|f| format!("(assert {f})")).collect();
        let text = format!("{DECLARED}{asserted}");
        let reading = read_script(&mut terms, &text).unwrap();
        assert!(reading.issues.is_empty(), "{text}");
        let mut premises: Vec<TermId> = reading.script.assertions().map(|a| a.term).collect();
        let conclusion = premises.pop().unwrap();
        proves(
            &terms,
            &Sequent {
                premises,
                conclusion,
            },
        )
    }

    #[test]
    fn proves_what_follows_by_logic_and_equality() {
        for formulas in [
            &["(or p q)", "(not p)", "q"][..],
            &["(=> p q)", "(or (not p) q)"],
            &["(= p q)", "(= q r)", "(= p r)"],
            &["(= a b)", "(= b c)", "(= (f a) (f c))"],
            &["(= x 1)", "(not (= x 2))"],
            &["(= (ite p a b) (ite (not p) b a))"],
            &["(= (or p q) (or q p))"],
            &["(not (and p q))", "(or (not p) (not q))"],
            &["(xor p q)", "(not (= p q))"],
            &["(not (= (f a) (f b)))", "(distinct a b)"],
            &["p", "(not p)", "false"],
            &[
                "(forall ((y Int)) (> y x))",
                "(or r (forall ((y Int)) (> y x)))",
            ],
        ] {
            assert!(proved(formulas), "{formulas:?}");
        }
    }

    #[test]
    fn proves_nothing_else() {
        for formulas in [
            &["(or p q)", "q"][..],
            &["(=> p q)", "(=> q p)"],
            &["(= (f a) (f b))", "(= a b)"],
            &["(= a b)", "(= a c)"],
            &["(> x 1)", "(> x 0)"],
            &["(= (ite p a b) (ite p b a))"],
            &["(or p (not q))"],
            &["(exists ((y Int)) (> y x))", "(forall ((y Int)) (> y x))"],
            &["(xor p q)", "(= p q)"],
        ] {
            assert!(!proved(formulas), "{formulas:?}");
        }
    }
}
