//! Parses the parts of a reply: lists, errors, verdicts, names. No output of a solver, however odd, is mistaken for
//! another kind.

use auspex_logic::answer::Answer;

/// The items of a reply: lists and other lines, without comments and `success`.
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let length = item_length(rest);
            let item = rest[..length].trim_end();
            rest = &rest[length..];
            if !item.starts_with(';') && item != "success" {
                return Some(item);
            }
        }
    })
}

fn item_length(text: &str) -> usize {
    if text.starts_with("(error") {
        return error_length(text);
    }
    if !text.starts_with('(') {
        return text.find('\n').unwrap_or(text.len());
    }
    let mut depth = 0usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'|') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            (None, _) => {}
        }
    }
    text.len()
}

/// An error ends with `")` at the end of a line, because its text may quote the script without doubling quotes.
fn error_length(text: &str) -> usize {
    let end = |(at, _): (usize, &str)| {
        let after = &text[at + 2..];
        (after.is_empty() || after.starts_with('\n') || after.starts_with('\r')).then_some(at + 2)
    };
    text.match_indices("\")").find_map(end).unwrap_or_else(|| {
        // `(error foo)` without quotes, or truncated.
        text.find(")\n").map_or(text.len(), |at| at + 1)
    })
}

/// The text inside `(error "…")`.
pub(crate) fn message(item: &str) -> &str {
    let inner = item.strip_prefix("(error").unwrap_or(item);
    let inner = inner.strip_suffix(')').unwrap_or(inner).trim();
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// The value in `(:reason-unknown "…")`.
pub(crate) fn reason(text: &str) -> String {
    let inner = text.trim_start_matches('(').trim_end_matches(')').trim();
    let inner = inner.strip_prefix(":reason-unknown").unwrap_or(inner);
    inner.trim().trim_matches('"').to_string()
}

/// The members of a core `(a |b c|)`: names without bars, or whole terms where a solver returns some.
pub(crate) fn names(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut names = Vec::new();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('|') {
            Some(quoted) => quoted.split_once('|')?,
            None if rest.starts_with('(') => rest.split_at(item_length(rest)),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        names.push(name.to_string());
        rest = after.trim_start();
    }
    Some(names)
}

/// The answer in a line, if it is one.
pub fn verdict(line: &str) -> Option<Answer> {
    match line {
        "sat" => Some(Answer::Sat { model: None }),
        "unsat" => Some(Answer::Unsat { core: None }),
        "unknown" => Some(Answer::Unknown {
            reason: String::new(),
        }),
        "timeout" => Some(Answer::Timeout),
        _ if line.starts_with("unknown (") => Some(Answer::Unknown {
            reason: line["unknown (".len()..].trim_end_matches(')').to_string(),
        }),
        // Satisfiable up to a change of the numbers by less than delta: neither sat nor unsat.
        _ if line.starts_with("delta-sat") => Some(Answer::Unknown {
            reason: line.to_string(),
        }),
        _ => None,
    }
}
