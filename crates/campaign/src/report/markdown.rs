//! Text from outside as it may stand in Markdown: in a block that it cannot leave, in a span of code, or in a sentence.

/// A block of code around a text: its fence is longer than any run of backticks in the text.
pub fn block(language: &str, text: &str) -> String {
    let text = printable(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!(
        "{fence}{language}\n{}\n{fence}\n",
        text.trim_end_matches('\n')
    )
}

/// A span of code in a sentence.
pub fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let touches = text.starts_with('`') || text.ends_with('`');
    let gap = if touches || text.is_empty() { " " } else { "" };
    format!("{ticks}{gap}{text}{gap}{ticks}")
}

/// A text in a sentence, a heading or a cell of a table: what has a meaning in Markdown stands for itself.
pub fn plain(text: &str) -> String {
    let text = one_line(text);
    let mut out = String::with_capacity(text.len());
    let (mut before, mut letters) = (None, text.chars().peekable());
    while let Some(c) = letters.next() {
        match c {
            c if stands_for_itself(c, before, letters.peek().copied()) => out.push(c),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Else it calls whoever has that name.
            '@' => out.push_str("&#64;"),
            c => out.extend(['\\', c]),
        }
        before = Some(c);
    }
    out
}

/// Whether a letter has no meaning between its neighbours. Nothing more is escaped than must be, since maintainers read
/// the text as it is, too.
fn stands_for_itself(c: char, before: Option<char>, after: Option<char>) -> bool {
    let is_apart = after.is_none_or(char::is_whitespace);
    match c {
        '@' | '\\' | '`' | '[' | ']' | '|' => false,
        '<' => after.is_none_or(|c| !c.is_alphabetic() && !"/!?".contains(c)),
        '&' | '*' | '~' => is_apart,
        '>' => before.is_some(),
        '#' => before.is_some() && after.is_some_and(|c| !c.is_ascii_digit() && c != ' '),
        '_' => [before, after]
            .iter()
            .all(|c| c.is_some_and(char::is_alphanumeric)),
        _ => true,
    }
}

fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Control characters, and those that turn the direction of writing, are replaced.
fn printable(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns(c);
    text.replace("\r\n", "\n").replace(bad, "\u{fffd}")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_block() {
        assert_eq!(block("smt2", "(a)\n"), "```smt2\n(a)\n```\n");
        assert_eq!(
            block("", "```\n# x\n````"),
            "`````\n```\n# x\n````\n`````\n"
        );
        assert_eq!(block("", "a\u{1b}[2Jb"), "```\na\u{fffd}[2Jb\n```\n");
    }

    #[test]
    fn code_and_sentences_keep_their_ends() {
        assert_eq!(code("a=b"), "`a=b`");
        assert_eq!(code("`a` b"), "`` `a` b``".replace(" b``", " b ``"));
        assert_eq!(plain("x < y\n| @me"), "x < y \\| &#64;me");
        assert_eq!(
            plain("a <b> & &lt; *c* _d_"),
            "a &lt;b> & &amp;lt; \\*c* \\_d\\_"
        );
        assert_eq!(
            plain("str.from_ubv, + * #b0 #7"),
            "str.from_ubv, + * #b0 \\#7"
        );
        assert_eq!(plain("<, <="), "<, <=");
        assert_eq!(plain("> x"), "&gt; x");
        assert_eq!(plain("false is false."), "false is false.");
    }
}
