//! Monotone arguments of operators: a greater argument gives a greater or a lesser result.
//!
//! ```text
//! (str.in_re s _) takes languages upwards to truths upwards
//! ```

use super::pattern::{Node, Variable};
use super::{Bindings, Descent, Order, Written};
use auspex_logic::sig::Assoc;
use auspex_logic::{TermId, Terms, Theory};

/// The name of the argument among the variables.
const ARGUMENT: &str = "_";

/// An operator that is monotone in one of its arguments, `_`.
#[derive(Debug)]
pub struct Monotone {
    pub theory: Theory,
    /// The variables of the context, and the argument.
    pub variables: Vec<Variable>,
    pub context: Written,
    pub from: Order,
    /// Whether a greater argument gives a greater (not a lesser) result.
    pub up: bool,
    pub to: Order,
    /// The argument's position among the variables.
    pub argument: usize,
    /// The argument's position in the application.
    place: usize,
}

impl Monotone {
    pub(super) fn new(
        theory: Theory,
        variables: Vec<Variable>,
        context: Written,
        (from, up, to): (Order, bool, Order),
    ) -> Option<Monotone> {
        let argument = variables.iter().position(|v| v.name == ARGUMENT)?;
        let node = Node::Variable(argument as u8);
        let place = context.node.children().iter().position(|n| *n == node)?;
        Some(Monotone {
            theory,
            variables,
            context,
            from,
            up,
            to,
            argument,
            place,
        })
    }

    /// The rows of the operators it is about.
    pub fn rows(&self) -> &[u32] {
        match &self.context.node {
            Node::Apply { rows, .. } => rows,
            _ => &[],
        }
    }

    /// `context : from up to`, as people read it.
    pub fn statement(&self) -> String {
        let way = if self.up { "up" } else { "down" };
        let mut text = format!(
            "{}: {} {way} {}",
            self.context.text,
            self.from.name(),
            self.to.name()
        );
        for variable in &self.variables {
            if let Some(literal) = variable.literal {
                text.push_str(&format!(" if {} is {}", variable.name, literal.name()));
            }
        }
        text
    }

    /// The direction at an argument of a term with one of these operators at the root. With more than two arguments
    /// it follows from the associativity; `all` are the arguments.
    pub fn at(
        &self,
        terms: &Terms,
        term: TermId,
        place: usize,
        all: &[&Monotone],
    ) -> Option<Descent> {
        let args = terms.args(term);
        let own = self.context.node.children();
        let mut bindings = Bindings::default();
        let fits = if args.len() == own.len() {
            let mut pairs = own.iter().zip(args);
            place == self.place
                && pairs
                    .all(|(node, arg)| node.matches(terms, &self.variables, *arg, &mut bindings))
                && bindings.meets(terms, &self.variables)
        } else {
            let sort = &self.variables[self.argument].sort;
            self.is_at_one_of_many(place, args.len(), assoc(terms, term), all)
                && sort.matches(terms, terms.sort(args[place]), &mut bindings)
        };
        fits.then_some(Descent {
            order: self.from,
            up: self.up,
        })
    }

    /// Left: f(f(a, b), c); right: f(a, f(b, c)); a chain is a conjunction of neighbours. The direction of an inner
    /// application must be propagated through the outer ones.
    fn is_at_one_of_many(
        &self,
        place: usize,
        count: usize,
        assoc: Assoc,
        all: &[&Monotone],
    ) -> bool {
        let is_plain = self.variables.iter().all(|v| v.literal.is_none());
        if count < 3 || self.context.node.children().len() != 2 || !is_plain {
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

fn assoc(terms: &Terms, term: TermId) -> Assoc {
    match terms.head(term) {
        auspex_logic::Head::Op(op) => terms.op(op).sig.assoc,
        _ => Assoc::None,
    }
}
