//! Functions of the reals: bounded ones may set their argument free, rising ones allow an interval around its value.

use super::super::allowed::Allowed;
use super::Context;
use auspex_logic::Value;
use auspex_logic::value::{Expression, Function, Int, Rat};

/// A function between -`bound` and `bound`, where all of that is allowed.
pub(super) fn bounded(context: &Context<'_>, bound: i64) -> Option<Allowed> {
    let fits = |end: i64| context.allowed.contains(&Value::Real(Rat::from(end))) == Some(true);
    let interval = matches!(context.allowed, Allowed::Reals(..));
    (interval && fits(bound) && fits(-bound)).then_some(Allowed::Anything)
}

/// A function that rises all over its domain, which has no gaps: if its values at two points are allowed, all between
/// them are.
pub(super) fn rising(context: &Context<'_>, function: Function) -> Option<Allowed> {
    let (Allowed::Reals(..), [Value::Real(now)]) = (context.allowed, context.values) else {
        return None;
    };
    let fits = |at: &Rat| {
        let at = Expression::of(&Value::Real(at.clone()));
        let value = at.and_then(|at| Expression::apply(function, vec![at]));
        value.is_some_and(|v| context.allowed.contains(&Value::from(v)) == Some(true))
    };
    let furthest = |sign: i64| {
        // As far as doubling and halving a step of 1 finds it.
        let steps = [1024, 32, 4, 1].map(Rat::from).into_iter();
        let steps = steps.chain(Rat::new(&Int::from(1), &Int::from(8)));
        let mut places = steps.map(|step| now.add(&step.mul(&Rat::from(sign))));
        let place = places.find(|place| fits(place));
        (place.unwrap_or_else(|| now.clone()), false)
    };
    Some(Allowed::Reals(Some(furthest(-1)), Some(furthest(1))))
}
