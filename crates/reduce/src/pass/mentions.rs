//! Replaces a constant that an unknown command mentions by a simple value, everywhere.
//!
//! ```text
//! (declare-const x Bool) (get-abduct A x)   →   (get-abduct A false)
//! ```
//! The pass `constants` handles constants that occur in known terms only.

use super::Pass;
use super::constants::simple_values;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Sort};
use auspex_syntax::Sexpr;

pub struct Mentions;

impl Pass for Mentions {
    fn name(&self) -> &'static str {
        "mentions"
    }

    fn about(&self) -> &'static str {
        "Replaces a declared constant by a simple value everywhere, including unknown commands."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (name, sort) in mentioned(subject) {
            let values = simple_values(&mut subject.terms, sort);
            for value in values {
                let value = render::term(&subject.terms, value, Sharing::Expanded);
                let (gain, text) = replaced(subject, &name, &value);
                edits.push(Edit::text(gain, text));
            }
        }
        edits
    }
}

/// Declared constants that occur in unknown commands, with their sorts.
fn mentioned(subject: &Subject) -> Vec<(String, Sort)> {
    let name = |symbol| subject.terms.symbols.name(symbol);
    let commands = subject.script.commands.iter();
    let texts: Vec<&str> = commands
        .filter_map(|command| match command {
            Command::Other(text) => Some(name(*text)),
            _ => None,
        })
        .collect();
    let declarations = subject.script.declared().map(|fun| subject.terms.fun(fun));
    declarations
        .filter(|declaration| declaration.params.is_empty())
        .map(|declaration| (name(declaration.name), declaration.result))
        .filter(|(name, _)| texts.iter().any(|text| text.contains(name)))
        .map(|(name, sort)| (name.to_string(), sort))
        .collect()
}

/// The text without the declaration of a name, and with a value in place of the name.
fn replaced(subject: &Subject, name: &str, value: &str) -> (u64, String) {
    let mut patches = Vec::new();
    let mut gain = 0;
    for form in subject.document.items() {
        let declares = form.head().is_some_and(|head| head.starts_with("declare-"))
            && form.item(1).and_then(Sexpr::symbol) == Some(name);
        if declares {
            gain += u64::from(form.after() - form.at());
            patches.push((form.span().range(), ""));
            continue;
        }
        let mut stack = vec![form];
        let mut places = Vec::new();
        while let Some(sexpr) = stack.pop() {
            stack.extend(sexpr.items());
            if sexpr.symbol() == Some(name) {
                places.push((sexpr.span().range(), value));
            }
        }
        places.sort_by_key(|(range, _)| range.start);
        patches.extend(places);
    }
    (gain, splice(&subject.text, &patches))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_a_value_into_an_unknown_command() {
        proposes(
            &Mentions,
            "(declare-const x Bool)(assert (or x (not x)))(get-abduct A x)",
            "(assert (or true (not true)))(get-abduct A true)",
        );
    }

    #[test]
    fn leaves_known_commands_to_others() {
        leaves_alone(&Mentions, "(declare-const x Bool)(assert x)(check-sat)");
    }
}
