//! The pre-analysis: for each occurrence of a subterm, the values it may take so that the formula stays true.
//!
//! ```text
//! model x = 5, y = 3      (assert (and (> x y) (or (= x 5) p)))
//!     x in (> x y)        4 … ∞
//!     p                   anything, since (= x 5) holds
//! ```

use super::allowed::Allowed;
use super::rules::{Context, rule};
use auspex_logic::edit::Path;
use auspex_logic::eval::Evaluator;
use auspex_logic::{Head, TermId, Terms, Value};

/// One occurrence with what it may become.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which of the roots it is in.
    pub root: usize,
    pub path: Path,
    pub term: TermId,
    pub allowed: Allowed,
}

/// Analyses roots that are all true under the evaluator's model, at most `limit` occurrences.
pub fn analyse(
    terms: &Terms,
    evaluator: &mut Evaluator<'_>,
    roots: &[TermId],
    limit: usize,
) -> Vec<Place> {
    let mut places = Vec::new();
    for (root, term) in roots.iter().enumerate() {
        let start = Place {
            root,
            path: Path::new(),
            term: *term,
            allowed: Allowed::truth(true),
        };
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            if places.len() >= limit {
                return places;
            }
            open.extend(below(terms, evaluator, &place));
            places.push(place);
        }
    }
    places
}

/// The arguments of an occurrence that have values of their own.
fn below(terms: &Terms, evaluator: &mut Evaluator<'_>, place: &Place) -> Vec<Place> {
    let args = terms.args(place.term);
    if args.is_empty() || matches!(terms.head(place.term), Head::Binder(_) | Head::Match(_)) {
        return Vec::new();
    }
    if let Head::Annotated(_) = terms.head(place.term) {
        return vec![child(place, 0, args[0], place.allowed.clone())];
    }
    let values: Option<Vec<Value>> = args.iter().map(|arg| evaluator.value(*arg).ok()).collect();
    let Some(values) = values else {
        return Vec::new();
    };
    let (name, indices) = match terms.head(place.term) {
        Head::Op(op) => (&*terms.op(op).name, terms.op_indices(op)),
        _ => ("", &[][..]),
    };
    let rule = rule(name);
    let context = Context {
        allowed: &place.allowed,
        values: &values,
        indices,
    };
    let allowed = |at: usize| {
        if place.allowed == Allowed::Anything {
            return Allowed::Anything;
        }
        rule.and_then(|rule| rule(&context, at))
            .unwrap_or_else(|| Allowed::Exactly(values[at].clone()))
    };
    (0..args.len())
        .map(|at| child(place, at, args[at], allowed(at)))
        .collect()
}

fn child(place: &Place, at: usize, term: TermId, allowed: Allowed) -> Place {
    let mut path = place.path.clone();
    path.push(at as u32);
    Place {
        root: place.root,
        path,
        term,
        allowed,
    }
}
