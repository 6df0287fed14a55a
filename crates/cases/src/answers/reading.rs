//! Reading that several kinds of answers share: commands and replies as s-expressions.

use super::Asked;
use auspex_logic::{Command, Script, TermId, Terms};
use auspex_syntax::{Document, Sexpr};

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

/// Whether a command is a query under an option that makes the solver print more than its answer.
pub(super) fn is_query_under(
    terms: &Terms,
    script: &Script,
    command: usize,
    setting: (&str, &str),
) -> bool {
    let is_query = matches!(
        script.commands.get(command),
        Some(Command::CheckSat | Command::CheckSatAssuming(_))
    );
    let name = |symbol| terms.symbols.name(symbol);
    let mut before = script.commands[..command.min(script.commands.len())].iter();
    let is_set = |command: &Command| match command {
        Command::SetOption(key, value) => (name(*key), name(*value)) == setting,
        _ => false,
    };
    is_query && before.any(is_set)
}

/// A script with an option before everything else.
pub(super) fn with_setting(terms: &mut Terms, script: &Script, setting: (&str, &str)) -> Script {
    let (key, value) = setting;
    let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
    let mut made = script.clone();
    made.spans.clear();
    if !made.commands.contains(&option) {
        made.commands.insert(0, option);
    }
    made
}

/// What cvc5 printed between `;; NAME start` and `;; NAME end`, the last time.
pub(super) fn between_marks<'s>(said: &'s str, name: &str) -> Option<&'s str> {
    let (_, rest) = said.rsplit_once(&format!(";; {name} start"))?;
    // The last mark is a comment, which a reply may lack.
    Some(
        rest.split_once(&format!(";; {name} end"))
            .map_or(rest, |(text, _)| text),
    )
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
