//! Describes sets of allowed values: as an assertion about a term, and as text; and abbreviates terms.

use super::allowed::{Allowed, FloatBound};
use crate::strategy::chain::root_word;
use auspex_logic::render::{self, Sharing};
use auspex_logic::value::{Int, Rat, Re, Shape, Str};
use auspex_logic::{Head, Sort, TermId, Terms, Value};

/// An abbreviated term: `(+ x …)`. Printing every inserted term would take longer than finding it.
pub(super) fn brief(terms: &Terms, term: TermId) -> String {
    const MOST: usize = 4;
    let args = terms.args(term);
    if args.is_empty() {
        return render::term(terms, term, Sharing::Expanded);
    }
    if !matches!(terms.head(term), Head::Op(_) | Head::Fun(_)) {
        return root_word(terms, term).into();
    }
    let mut text = String::from("(");
    render::head_to(terms, term, &mut text);
    for arg in &args[..args.len().min(MOST)] {
        text.push(' ');
        match terms.args(*arg) {
            [] => render::term_to(terms, *arg, Sharing::Expanded, &mut text),
            _ => text.push('…'),
        }
    }
    text.push_str(if args.len() > MOST { " …)" } else { ")" });
    text
}

impl Allowed {
    /// The set as an assertion about a term, for a variable that may take any of its values.
    pub fn constraint(&self, terms: &mut Terms, about: TermId) -> Option<TermId> {
        match self {
            Allowed::Anything => Some(terms.bool(true)),
            Allowed::Exactly(value) => {
                let value = terms.value_term(value, terms.sort(about))?;
                terms.app("=", &[about, value]).ok()
            }
            Allowed::AnythingBut(value) => {
                let value = terms.value_term(value, terms.sort(about))?;
                terms.app("distinct", &[about, value]).ok()
            }
            Allowed::Ints(low, high) => {
                let low = low.as_ref().map(|l| (Value::Int(l.clone()), "<="));
                let high = high.as_ref().map(|h| (Value::Int(h.clone()), "<="));
                between(terms, about, low, high)
            }
            Allowed::Reals(low, high) => {
                let bound = |(rat, open): &(Rat, bool)| {
                    (Value::Real(rat.clone()), if *open { "<" } else { "<=" })
                };
                between(
                    terms,
                    about,
                    low.as_ref().map(bound),
                    high.as_ref().map(bound),
                )
            }
            Allowed::Circle(low, high) => {
                // x - low <= high - low, modulo 2^n.
                let sort = terms.sort(about);
                let span = terms.value_term(&Value::BitVec(high.sub(low)), sort)?;
                let low = terms.value_term(&Value::BitVec(low.clone()), sort)?;
                let from_low = terms.app("bvsub", &[about, low]).ok()?;
                terms.app("bvule", &[from_low, span]).ok()
            }
            Allowed::Bits(mask, fixed) => {
                let sort = terms.sort(about);
                let mask = terms.value_term(&Value::BitVec(mask.clone()), sort)?;
                let fixed = terms.value_term(&Value::BitVec(fixed.clone()), sort)?;
                let masked = terms.app("bvand", &[about, mask]).ok()?;
                terms.app("=", &[masked, fixed]).ok()
            }
            Allowed::Element(index, inner) => {
                let index_sort = *terms.sorts.parts(terms.sort(about)).first()?;
                let index = terms.value_term(index, index_sort)?;
                let element = terms.app("select", &[about, index]).ok()?;
                inner.constraint(terms, element)
            }
            Allowed::Constructor(number, same) => {
                let tester = terms.tester(terms.sort(about), *number)?;
                let is = terms.fun_app(tester, &[about]).ok()?;
                match same {
                    true => Some(is),
                    false => terms.app("not", &[is]).ok(),
                }
            }
            Allowed::Field(number, field, inner) => {
                let sort = terms.sort(about);
                let tester = terms.tester(sort, *number)?;
                let is = terms.fun_app(tester, &[about]).ok()?;
                let selector = terms.selector(sort, *number, *field as u32)?;
                let field = terms.fun_app(selector, &[about]).ok()?;
                let inner = inner.constraint(terms, field)?;
                terms.app("and", &[is, inner]).ok()
            }
            Allowed::Floats(low, high, nan) => floats(terms, about, low, high, *nan),
            Allowed::Lengths(low, high) => {
                let length = terms.app("seq.len", &[about]).ok()?;
                let number = |n: &usize| Int::from(*n as u64);
                Allowed::Ints(Some(number(low)), high.as_ref().map(number))
                    .constraint(terms, length)
            }
            Allowed::Item(at, inner) => {
                let length = terms.app("seq.len", &[about]).ok()?;
                let place = terms.value_term(&Value::Int(Int::from(*at as u64)), Sort::INT)?;
                let has = terms.app("<", &[place, length]).ok()?;
                let item = terms.app("seq.nth", &[about, place]).ok()?;
                let inner = inner.constraint(terms, item)?;
                terms.app("and", &[has, inner]).ok()
            }
            Allowed::Residues(modulus, low, high) => {
                let modulus = terms.value_term(&Value::Int(modulus.clone()), Sort::INT)?;
                let rest = terms.app("mod", &[about, modulus]).ok()?;
                Allowed::Ints(Some(low.clone()), Some(high.clone())).constraint(terms, rest)
            }
            Allowed::Except(not) => {
                let not = not.constraint(terms, about)?;
                terms.app("not", &[not]).ok()
            }
            Allowed::Either(parts) => {
                let parts = parts.iter().map(|part| part.constraint(terms, about));
                match parts.collect::<Option<Vec<TermId>>>()?.as_slice() {
                    [] => Some(terms.bool(false)),
                    [one] => Some(*one),
                    parts => terms.app("or", parts).ok(),
                }
            }
            Allowed::Language(re) => {
                let re = regex(terms, re)?;
                terms.app("str.in_re", &[about, re]).ok()
            }
            Allowed::Unknown => None,
        }
    }

    /// A short description.
    pub fn text(&self, terms: &mut Terms, sort: Sort) -> String {
        match self {
            Allowed::Anything => "anything".into(),
            Allowed::Exactly(value) => terms.value_text(value, sort),
            Allowed::AnythingBut(value) => {
                format!("anything but {}", terms.value_text(value, sort))
            }
            Allowed::Ints(low, high) => {
                let side = |bound: &Option<Int>, open: &str| {
                    bound.as_ref().map_or(open.into(), Int::to_smtlib)
                };
                format!("{} … {}", side(low, "-∞"), side(high, "∞"))
            }
            Allowed::Reals(low, high) => {
                // `> 1.0 … < 3.0` excludes both ends.
                let side = |bound: &Option<(Rat, bool)>, open: &str, apart: &str| match bound {
                    None => open.into(),
                    Some((rat, true)) => format!("{apart} {}", rat.to_smtlib()),
                    Some((rat, false)) => rat.to_smtlib(),
                };
                format!("{} … {}", side(low, "-∞", ">"), side(high, "∞", "<"))
            }
            Allowed::Floats(low, high, nan) => {
                let mut side = |bound: &FloatBound, open: &str, apart: &str| match bound {
                    None => open.into(),
                    Some((float, strictly)) => {
                        let text = terms.value_text(&Value::Float(float.clone()), sort);
                        if *strictly {
                            format!("{apart} {text}")
                        } else {
                            text
                        }
                    }
                };
                let (low, high) = (side(low, "-oo", ">"), side(high, "+oo", "<"));
                format!("{low} … {high}{}", if *nan { " or NaN" } else { "" })
            }
            Allowed::Lengths(low, None) => format!("{low} or more items"),
            Allowed::Lengths(low, Some(high)) => format!("{low} … {high} items"),
            Allowed::Item(at, inner) => {
                let element = terms.sorts.parts(sort).first().copied();
                let inner = element.map_or(String::new(), |s| inner.text(terms, s));
                format!("item {at}: {inner}")
            }
            Allowed::Field(_, field, inner) => match &**inner {
                Allowed::Exactly(_) | Allowed::AnythingBut(_) => {
                    format!("the same constructor, field {field} bound")
                }
                inner => format!("field {field}: {}", inner.text(terms, sort)),
            },
            Allowed::Unknown => "what the evaluator accepts".into(),
            Allowed::Residues(modulus, low, high) if low == high => {
                format!("{} modulo {}", low.to_smtlib(), modulus.to_smtlib())
            }
            Allowed::Residues(modulus, low, high) => {
                let [low, high] = [low, high].map(Int::to_smtlib);
                format!("{low} … {high} modulo {}", modulus.to_smtlib())
            }
            Allowed::Except(not) => format!("not: {}", not.text(terms, sort)),
            Allowed::Either(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(terms, sort)).collect();
                parts.join(" or ")
            }
            Allowed::Circle(low, high) => format!("{low} … {high}"),
            Allowed::Bits(mask, fixed) => format!("{fixed} under the mask {mask}"),
            Allowed::Language(re) => {
                let text = re.to_string();
                if text.chars().count() > 60 {
                    "a language".into()
                } else {
                    text
                }
            }
            Allowed::Element(index, inner) => {
                let parts = terms.sorts.parts(sort);
                let (index_sort, element) = (parts[0], parts[1]);
                format!(
                    "at {}: {}",
                    terms.value_text(index, index_sort),
                    inner.text(terms, element)
                )
            }
            Allowed::Constructor(_, true) => "the same constructor".into(),
            Allowed::Constructor(_, false) => "another constructor".into(),
        }
    }
}

fn between(
    terms: &mut Terms,
    about: TermId,
    low: Option<(Value, &'static str)>,
    high: Option<(Value, &'static str)>,
) -> Option<TermId> {
    let sort = terms.sort(about);
    let mut parts = Vec::new();
    if let Some((value, relation)) = low {
        let bound = terms.value_term(&value, sort)?;
        parts.push(terms.app(relation, &[bound, about]).ok()?);
    }
    if let Some((value, relation)) = high {
        let bound = terms.value_term(&value, sort)?;
        parts.push(terms.app(relation, &[about, bound]).ok()?);
    }
    match parts.as_slice() {
        [] => Some(terms.bool(true)),
        [one] => Some(*one),
        _ => terms.app("and", &parts).ok(),
    }
}

/// The interval, without NaN or with it.
fn floats(
    terms: &mut Terms,
    about: TermId,
    low: &FloatBound,
    high: &FloatBound,
    nan: bool,
) -> Option<TermId> {
    let sort = terms.sort(about);
    let mut parts = Vec::new();
    for (bound, is_low) in [(low, true), (high, false)] {
        let Some((float, open)) = bound else { continue };
        let bound = terms.value_term(&Value::Float(float.clone()), sort)?;
        let relation = if *open { "fp.lt" } else { "fp.leq" };
        let sides = if is_low {
            [bound, about]
        } else {
            [about, bound]
        };
        parts.push(terms.app(relation, &sides).ok()?);
    }
    let is_nan = terms.app("fp.isNaN", &[about]).ok()?;
    let inside = match parts.as_slice() {
        [] if nan => return Some(terms.bool(true)),
        [] => return terms.app("not", &[is_nan]).ok(),
        [one] => *one,
        _ => terms.app("and", &parts).ok()?,
    };
    match nan {
        true => terms.app("or", &[is_nan, inside]).ok(),
        false => Some(inside),
    }
}

/// A regular expression as a term, unless it is large.
fn regex(terms: &mut Terms, re: &Re) -> Option<TermId> {
    const LARGEST: u64 = 60;
    if re.size() > LARGEST {
        return None;
    }
    let word = |terms: &mut Terms, points: &[u32]| {
        terms.value_term(&Value::Str(Str::new(points)?), Sort::STRING)
    };
    let (name, indices, parts): (&str, Vec<u64>, &[Re]) = match re.shape() {
        Shape::None => return terms.app("re.none", &[]).ok(),
        Shape::All => return terms.app("re.all", &[]).ok(),
        Shape::AllChar => return terms.app("re.allchar", &[]).ok(),
        Shape::Literal(string) => {
            let string = terms.value_term(&Value::Str(string.clone()), Sort::STRING)?;
            return terms.app("str.to_re", &[string]).ok();
        }
        Shape::Range(first, last) => {
            let ends = [word(terms, &[*first])?, word(terms, &[*last])?];
            return terms.app("re.range", &ends).ok();
        }
        Shape::Concat(parts) => ("re.++", vec![], parts),
        Shape::Union(parts) => ("re.union", vec![], parts),
        Shape::Inter(parts) => ("re.inter", vec![], parts),
        Shape::Diff(parts) => ("re.diff", vec![], parts),
        Shape::Star(part) => ("re.*", vec![], std::slice::from_ref(part)),
        Shape::Plus(part) => ("re.+", vec![], std::slice::from_ref(part)),
        Shape::Opt(part) => ("re.opt", vec![], std::slice::from_ref(part)),
        Shape::Comp(part) => ("re.comp", vec![], std::slice::from_ref(part)),
        Shape::Power(part, count) => ("re.^", vec![u64::from(*count)], std::slice::from_ref(part)),
        Shape::Loop(part, least, Some(most)) => (
            "re.loop",
            vec![u64::from(*least), u64::from(*most)],
            std::slice::from_ref(part),
        ),
        // At least so many: exactly so many, and then any number.
        Shape::Loop(part, least, None) => {
            let part = regex(terms, part)?;
            let star = terms.app("re.*", &[part]).ok()?;
            let power = terms
                .indexed_app("re.^", &[u64::from(*least)], &[part])
                .ok()?;
            return terms.app("re.++", &[power, star]).ok();
        }
    };
    let parts: Option<Vec<TermId>> = parts.iter().map(|part| regex(terms, part)).collect();
    match parts?.as_slice() {
        [one] if indices.is_empty() && matches!(name, "re.++" | "re.union" | "re.inter") => {
            Some(*one)
        }
        parts => terms.indexed_app(name, &indices, parts).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::{Command, read_script};

    fn told(assertion: &str) -> String {
        let text = format!("(declare-const x Int)(assert {assertion})");
        let mut terms = Terms::new();
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        match script.commands.last() {
            Some(Command::Assert(assertion)) => brief(&terms, assertion.term),
            other => panic!("{other:?} is no assertion"),
        }
    }

    #[test]
    fn small_terms_are_told_and_large_ones_cut() {
        assert_eq!(told("(< x 3)"), "(< x 3)");
        assert_eq!(told("(< (+ x 1) 3)"), "(< … 3)");
        assert_eq!(told("(< x 1 x 2 x)"), "(< x 1 x 2 …)");
        assert_eq!(told("true"), "true");
        assert_eq!(told("(exists ((y Int)) (< x y))"), "a quantifier");
    }
}
