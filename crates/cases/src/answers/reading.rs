//! Reading that several kinds of answers share: commands and replies as s-expressions, and the symbols of terms.

use super::Asked;
use auspex_logic::render::post_order;
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Fun, Head, Script, TermId, Terms};
use auspex_syntax::{Document, Sexpr};
use std::collections::BTreeSet;

/// The texts of the parts of a command that is kept as text: its name first.
pub(super) fn parts(terms: &Terms, command: &Command) -> Option<Vec<String>> {
    let Command::Other(text) = command else {
        return None;
    };
    let document = Document::read(terms.symbols.name(*text)).ok()?;
    let only = document.items().next().filter(|item| item.is_list())?;
    Some(texts(only))
}

/// Whether a command that is kept as text has one of these names.
pub(super) fn is_named(terms: &Terms, script: &Script, command: usize, names: &[&str]) -> bool {
    let Some(Command::Other(text)) = script.commands.get(command) else {
        return false;
    };
    let text = terms.symbols.name(*text).trim_start_matches('(');
    let name = text.split(|c: char| c.is_whitespace() || c == ')').next();
    name.is_some_and(|name| names.contains(&name))
}

/// The last command with one of these names before a place, with its parts.
pub(super) fn last_named(asked: &Asked<'_>, names: &[&str]) -> Option<(usize, Vec<String>)> {
    let before = (0..=asked.command).rev();
    let mut named = before.filter(|at| is_named(asked.terms, asked.script, *at, names));
    let at = named.next()?;
    Some((at, parts(asked.terms, asked.script.commands.get(at)?)?))
}

/// The texts of the items of a list.
pub(super) fn texts(list: Sexpr<'_>) -> Vec<String> {
    let items = list.items();
    items
        .map(|item| item.portable_text().into_owned())
        .collect()
}

/// The s-expressions of a reply.
pub(super) fn reply(said: &str) -> Result<Document, String> {
    Document::read(said).map_err(|error| error.message().to_string())
}

/// The text of a reply that is one s-expression.
pub(super) fn only(said: &str) -> Result<String, String> {
    let document = reply(said)?;
    let mut items = document.items();
    match (items.next(), items.next()) {
        (Some(item), None) => Ok(item.portable_text().into_owned()),
        _ => Err("the reply is not one term".to_string()),
    }
}

/// Replies that mean that there is no answer.
pub(super) fn declines(said: &str) -> bool {
    const WORDS: [&str; 6] = [
        "fail",
        "none",
        "unknown",
        "unsupported",
        "timeout",
        "success",
    ];
    let said = said.trim();
    said.is_empty() || WORDS.contains(&said) || said.starts_with("(error")
}

/// The body of `(define-fun name () Bool body)`.
pub(super) fn defined_formula(said: &str) -> Result<String, String> {
    let document = reply(said)?;
    let definition = document.items().next().ok_or("the reply is empty")?;
    let items = texts(definition);
    match &items[..] {
        [head, _, parameters, sort, body]
            if head == "define-fun" && parameters == "()" && sort == "Bool" =>
        {
            Ok(body.clone())
        }
        _ => Err("the reply is not a definition of a Boolean constant".to_string()),
    }
}

/// One assertion for each formula.
pub(super) fn asserted<'t>(formulas: impl IntoIterator<Item = &'t String>) -> String {
    let formulas = formulas.into_iter();
    formulas
        .map(|formula| format!("(assert {formula})\n"))
        .collect()
}

/// All of some formulas as one.
pub(super) fn conjunction(formulas: &[String]) -> String {
    match formulas {
        [] => "true".to_string(),
        [only] => only.clone(),
        many => format!("(and {})", many.join(" ")),
    }
}

/// One of some formulas.
pub(super) fn disjunction(formulas: &[String]) -> String {
    match formulas {
        [] => "false".to_string(),
        [only] => only.clone(),
        many => format!("(or {})", many.join(" ")),
    }
}

/// The declared symbols below some terms, also those inside definitions.
pub(super) fn symbols(terms: &Terms, script: &Script, roots: &[TermId]) -> BTreeSet<Fun> {
    let mut all = BTreeSet::new();
    let mut waiting = roots.to_vec();
    let mut opened = BTreeSet::new();
    while let Some(root) = waiting.pop() {
        for term in post_order(terms, root) {
            let Head::Fun(fun) = terms.head(term) else {
                continue;
            };
            match terms.fun(fun).kind {
                FunKind::Declared => {
                    all.insert(fun);
                }
                FunKind::Defined if opened.insert(fun) => {
                    let mut definitions = script.definitions();
                    waiting.extend(definitions.find(|d| d.fun == fun).map(|d| d.body));
                }
                _ => {}
            }
        }
    }
    all
}

/// The last assertion of a script.
pub(super) fn last_assertion(script: &Script) -> Option<TermId> {
    script.assertions().last().map(|assertion| assertion.term)
}

/// A text that fits into a sentence.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &flat[..end]),
        None => flat,
    }
}
