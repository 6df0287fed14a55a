//! Functions as arguments: `(seq.map (lambda ((fn!0 Int)) (+ fn!0 y)) x)`.

use super::{Ingredients, grow};
use crate::draw::Draw;
use auspex_logic::term::BinderKind;
use auspex_logic::{Head, Sort, TermId, Terms};

/// A lambda over these parameters with a result of the last sort. Its body is a term of one operator, with its
/// variables in the place of some arguments; other symbols stay free.
pub(super) fn function(
    terms: &mut Terms,
    draw: &mut Draw,
    parts: &[Sort],
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let (result, params) = parts.split_last()?;
    let mut variables = Vec::with_capacity(params.len());
    for (number, sort) in params.iter().enumerate() {
        // No script has such a name.
        let name = terms.symbols.intern(&format!("fn!{number}"));
        variables.push(terms.variable(name, *sort));
    }
    let body = grow(terms, draw, *result, 1, with)?;
    let body = about(terms, draw, body, &variables);
    Some(terms.quantified(BinderKind::Lambda, &variables, body))
}

/// A term with variables in the place of some of its arguments, or of itself.
fn about(terms: &mut Terms, draw: &mut Draw, body: TermId, variables: &[TermId]) -> TermId {
    let of_sort = |terms: &Terms, draw: &mut Draw, sort: Sort| {
        let fitting = variables.iter().copied();
        let fitting: Vec<TermId> = fitting.filter(|one| terms.sort(*one) == sort).collect();
        draw.pick(&fitting).copied()
    };
    let sort = terms.sort(body);
    let Head::Op(op) = terms.head(body) else {
        return of_sort(terms, draw, sort).unwrap_or(body);
    };
    let mut args = terms.args(body).to_vec();
    for (place, arg) in args.iter_mut().enumerate() {
        if terms.op(op).wants_literal(place) || draw.one_in(4) {
            continue;
        }
        let sort = terms.sort(*arg);
        *arg = of_sort(terms, draw, sort).unwrap_or(*arg);
    }
    terms.apply_op(op, &args, sort).unwrap_or(body)
}
