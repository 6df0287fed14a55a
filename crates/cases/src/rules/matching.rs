//! Finds a rule's pattern in a term: variables match any term of their sort, letters take the numbers and
//! sorts that the term has.
//!
//! ```text
//! (bvadd s t) with s, t : (_ BitVec m)   in   (bvadd x #x1)   gives   s = x, t = #x1, m = 4
//! ```

use super::template::{Atom, Compiled, Expr, Node, Parameters, Shape};
use auspex_logic::value::Int;
use auspex_logic::{Head, Sort, SortKind, TermId, Terms, Value};

/// What the variables and letters of a rule stand for in a term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    pub parameters: Parameters,
    pub variables: Vec<Option<TermId>>,
}

impl Match {
    /// The other side of the rule, if every variable and letter in it is known and the conditions can be built.
    pub fn build(&self, terms: &mut Terms, node: &Node) -> Option<TermId> {
        let variables: Option<Vec<TermId>> = self.variables.iter().copied().collect();
        node.build(terms, &self.parameters, &variables?)
    }
}

/// Matches one side of a rule with a term.
pub fn find(terms: &Terms, compiled: &Compiled, side: &Node, term: TermId) -> Option<Match> {
    let mut found = Match {
        parameters: Parameters::default(),
        variables: vec![None; compiled.variables.len()],
    };
    let fits = node(terms, compiled, side, term, &mut found);
    (fits && compiled.sizes_hold(&found.parameters)).then_some(found)
}

fn node(
    terms: &Terms,
    compiled: &Compiled,
    pattern: &Node,
    term: TermId,
    found: &mut Match,
) -> bool {
    match pattern {
        Node::Variable(at) => match found.variables[*at] {
            Some(bound) => bound == term,
            None => {
                let (_, sort) = &compiled.variables[*at];
                let fits = shape(terms, sort, terms.sort(term), &mut found.parameters);
                found.variables[*at] = fits.then_some(term);
                fits
            }
        },
        Node::Literal(value, _) => terms.literal_value(term) == Some(value),
        Node::Number(expr) => match terms.literal_value(term) {
            Some(Value::Int(int)) => number(expr, int, &mut found.parameters),
            _ => false,
        },
        Node::Bits(value, width) => match terms.literal_value(term) {
            Some(Value::BitVec(bits)) => {
                number(
                    width,
                    &Int::from(u64::from(bits.width())),
                    &mut found.parameters,
                ) && number(value, &bits.ubv_to_int(), &mut found.parameters)
            }
            _ => false,
        },
        Node::Apply {
            name,
            indices,
            args,
            sort,
        } => {
            let Head::Op(op) = terms.head(term) else {
                return false;
            };
            let actual = terms.args(term);
            *terms.op(op).name == **name
                && actual.len() == args.len()
                && all_numbers(indices, terms.op_indices(op), &mut found.parameters)
                && sort
                    .as_ref()
                    .is_none_or(|s| shape(terms, s, terms.sort(term), &mut found.parameters))
                && args
                    .iter()
                    .zip(actual)
                    .all(|(arg, actual)| node(terms, compiled, arg, *actual, found))
        }
        // Bound variables have other names in every term.
        Node::Bound(..) | Node::Quantifier { .. } | Node::Cases { .. } => false,
    }
}

fn all_numbers(patterns: &[Expr], actual: &[u64], parameters: &mut Parameters) -> bool {
    patterns.len() == actual.len()
        && patterns
            .iter()
            .zip(actual)
            .all(|(pattern, n)| number(pattern, &Int::from(*n), parameters))
}

/// Makes an expression equal a number, giving its one open letter a value if it has one.
fn number(expr: &Expr, actual: &Int, parameters: &mut Parameters) -> bool {
    if let Some(value) = expr.value(parameters) {
        return value == *actual;
    }
    let mut rest = actual.clone();
    let mut open = None;
    for (sign, atom) in &expr.parts {
        let known = match atom {
            Atom::Constant(n) => Some(Int::from(*n)),
            Atom::Letter(letter) => parameters.number(*letter).map(Int::from),
            Atom::Power(letter) => parameters.number(*letter).and_then(Int::power_of_two),
        };
        match (known, atom) {
            (Some(part), _) if *sign > 0 => rest = rest.sub(&part),
            (Some(part), _) => rest = rest.add(&part),
            (None, Atom::Letter(letter)) if open.is_none() => open = Some((*sign, *letter)),
            (None, _) => return false,
        }
    }
    let Some((sign, letter)) = open else {
        return false;
    };
    let value = if sign > 0 { rest } else { rest.neg() };
    match value.to_u64() {
        Some(value) => {
            parameters.set_number(letter, value);
            true
        }
        None => false,
    }
}

/// Makes a sort with letters equal a sort, giving open letters what they need.
pub fn shape(terms: &Terms, pattern: &Shape, actual: Sort, parameters: &mut Parameters) -> bool {
    let width = |expr: &Expr, n: u32, parameters: &mut Parameters| {
        number(expr, &Int::from(u64::from(n)), parameters)
    };
    match (pattern, terms.sorts.kind(actual)) {
        (Shape::Fixed(sort), _) => *sort == actual,
        (Shape::Letter(letter), _) => match parameters.sort(*letter) {
            Some(known) => known == actual,
            None => {
                parameters.set_sort(*letter, actual);
                true
            }
        },
        (Shape::BitVec(expr), SortKind::BitVec(n)) => width(expr, *n, parameters),
        (Shape::Float(e, s), SortKind::Float { eb, sb }) => {
            width(e, *eb, parameters) && width(s, *sb, parameters)
        }
        (Shape::Array(index, element), SortKind::Array(i, e)) => {
            shape(terms, index, *i, parameters) && shape(terms, element, *e, parameters)
        }
        (Shape::Seq(element), SortKind::Seq(e))
        | (Shape::Set(element), SortKind::Set(e))
        | (Shape::Bag(element), SortKind::Bag(e)) => shape(terms, element, *e, parameters),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::named;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};

    /// What a rule makes of the asserted term's first argument.
    fn rewritten(rule: &str, script: &str) -> Option<String> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, script).expect("well-formed");
        let root = *reading.script.roots().last().expect("an assertion");
        let term = terms.args(root)[0];
        let compiled = named(rule).expect("a rule");
        let found = find(&terms, compiled, &compiled.before, term)?;
        let after = found.build(&mut terms, &compiled.after)?;
        Some(render::term(&terms, after, Sharing::Expanded))
    }

    #[test]
    fn matches_any_width() {
        let script = "(declare-const x (_ BitVec 7))(assert (= (bvsub x (bvnot x)) x))";
        let after = rewritten("bvsub-by-bvneg", script);
        assert_eq!(after.as_deref(), Some("(bvadd x (bvneg (bvnot x)))"));
    }

    #[test]
    fn leaves_other_operators_alone() {
        let script = "(declare-const x (_ BitVec 7))(assert (= (bvadd x x) x))";
        assert_eq!(rewritten("bvsub-by-bvneg", script), None);
    }

    #[test]
    fn same_variable_same_term() {
        let same = "(declare-const x (_ BitVec 7))(assert (= (bvand x x) x))";
        assert_eq!(rewritten("bvand-idempotent", same).as_deref(), Some("x"));
        let other = "(declare-const x (_ BitVec 7))(assert (= (bvand x (bvnot x)) x))";
        assert_eq!(rewritten("bvand-idempotent", other), None);
    }

    #[test]
    fn solves_indices() {
        let whole = "(declare-const x (_ BitVec 7))(assert (= ((_ extract 6 0) x) x))";
        assert_eq!(rewritten("extract-whole", whole).as_deref(), Some("x"));
        let part = "(declare-const x (_ BitVec 7))(assert (= ((_ extract 5 0) x) #b000000))";
        assert_eq!(rewritten("extract-whole", part), None);
    }
}
