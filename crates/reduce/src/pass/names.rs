//! Gives symbols short names.
//!
//! ```text
//! (declare-const velocity Int) (assert (< velocity 3))   →   (declare-const x Int) (assert (< x 3))
//! ```

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::{Subject, short_names};
use auspex_syntax::{Kind, Sexpr};
use std::ops::Range;

pub struct Names;

impl Pass for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn about(&self) -> &'static str {
        "Gives declared symbols, sorts and bound variables short names, all at once or one at a time."
    }

    fn is_cosmetic(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let tokens = symbols(subject);
        let long: Vec<&str> = declared(subject)
            .into_iter()
            .filter(|n| n.len() > 1)
            .collect();
        let taken = |name: &str| tokens.iter().any(|(token, _)| *token == name);
        let short: Vec<String> = short_names()
            .filter(|name| !taken(name))
            .take(long.len())
            .collect();
        let pairs: Vec<(&str, &str)> = long
            .iter()
            .copied()
            .zip(short.iter().map(String::as_str))
            .collect();
        let mut edits = Vec::new();
        let mut add = |pairs: &[(&str, &str)]| {
            let renamed = |token: &str| pairs.iter().find(|(old, _)| *old == token);
            let patches: Vec<(Range<usize>, &str)> = tokens
                .iter()
                .filter_map(|(token, place)| Some((place.clone(), renamed(token)?.1)))
                .collect();
            edits.push(Edit::text(
                pairs.len() as u64,
                splice(&subject.text, &patches),
            ));
        };
        if pairs.len() > 1 {
            add(&pairs);
        }
        for (old, _) in &pairs {
            add(&[(old, pairs[0].1)]);
        }
        edits
    }
}

/// Every symbol token with its position, in order.
fn symbols(subject: &Subject) -> Vec<(&str, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
    while let Some(sexpr) = stack.pop() {
        stack.extend(sexpr.items().collect::<Vec<_>>().into_iter().rev());
        if matches!(sexpr.kind(), Kind::Symbol | Kind::QuotedSymbol) {
            tokens.extend(sexpr.symbol().map(|name| (name, sexpr.span().range())));
        }
    }
    tokens
}

/// Names that the script introduces.
fn declared(subject: &Subject) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
    while let Some(sexpr) = stack.pop() {
        match sexpr.head() {
            Some("declare-const" | "declare-fun" | "declare-sort" | "define-const") => {
                names.extend(sexpr.item(1).and_then(Sexpr::symbol));
            }
            Some("define-fun" | "define-fun-rec" | "define-sort") => {
                names.extend(sexpr.item(1).and_then(Sexpr::symbol));
                let parameters = sexpr.item(2).into_iter().flat_map(Sexpr::items);
                names.extend(parameters.filter_map(Sexpr::head));
            }
            Some("forall" | "exists" | "lambda" | "let") => {
                let variables = sexpr.item(1).into_iter().flat_map(Sexpr::items);
                names.extend(variables.filter_map(Sexpr::head));
            }
            Some("declare-datatype") => {
                names.extend(sexpr.item(1).and_then(Sexpr::symbol));
                let constructors = sexpr.item(2).into_iter().flat_map(Sexpr::items);
                constructors.for_each(|constructor| add_constructor(constructor, &mut names));
            }
            Some("declare-datatypes") => {
                let sorts = sexpr.item(1).into_iter().flat_map(Sexpr::items);
                names.extend(sorts.filter_map(Sexpr::head));
                let types = sexpr.item(2).into_iter().flat_map(Sexpr::items);
                let constructors = types.flat_map(Sexpr::items);
                constructors.for_each(|constructor| add_constructor(constructor, &mut names));
            }
            _ => {}
        }
        stack.extend(sexpr.items().collect::<Vec<_>>().into_iter().rev());
    }
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    names
}

fn add_constructor<'s>(constructor: Sexpr<'s>, names: &mut Vec<&'s str>) {
    names.extend(constructor.head());
    names.extend(constructor.items().skip(1).filter_map(Sexpr::head));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn renames_everything_that_is_declared() {
        proposes(
            &Names,
            "(declare-const |a b| Int)(assert (forall ((cc Int)) (= |a b| cc)))",
            "(declare-const x Int)(assert (forall ((y Int)) (= x y)))",
        );
    }

    #[test]
    fn leaves_short_names_and_strings_alone() {
        leaves_alone(&Names, "(declare-const s String)(assert (= s \"long\"))");
    }
}
