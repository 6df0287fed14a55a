//! Messages with a position: file, line, column, the line with a marker, and help; rendered by miette.

use crate::error::SyntaxError;
use crate::span::{Span, line_column};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
};
use miette::{Severity, SourceCode, SourceSpan, SpanContents};
use std::fmt;

/// Characters shown of one line; a minified script may be one line of many megabytes.
const SHOWN: usize = 120;

/// A message with a position in a named source. It keeps only the lines it shows, not the source.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    message: String,
    help: Option<String>,
    excerpt: Excerpt,
}

impl Diagnostic {
    /// A span outside the source is moved to its end.
    pub fn new(
        file_name: &str,
        source: &str,
        span: Span,
        message: String,
        help: Option<String>,
    ) -> Self {
        Diagnostic {
            message,
            help,
            excerpt: Excerpt::new(file_name, source, span),
        }
    }

    pub fn of_syntax_error(file_name: &str, source: &str, error: &SyntaxError) -> Self {
        let help = Some(error.expected().to_owned());
        Diagnostic::new(
            file_name,
            source,
            error.span,
            error.message().to_owned(),
            help,
        )
    }

    /// Line and column, both from 1, the column in characters.
    pub fn line_column(&self) -> (usize, usize) {
        (self.excerpt.line, self.excerpt.column)
    }

    /// The whole message as text, with or without colours.
    pub fn render(&self, colours: bool) -> String {
        let theme = if colours {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let mut out = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(SHOWN);
        // Writing to a string fails only if miette cannot read the excerpt; then the message remains.
        match handler.render_report(&mut out, self) {
            Ok(()) => out,
            Err(fmt::Error) => format!("{}: {}", self.excerpt.place(), self.message),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(None, self.excerpt.mark);
        Some(Box::new(std::iter::once(label)))
    }
}

/// The marked line and its neighbours, made safe for a terminal.
#[derive(Clone, Debug)]
struct Excerpt {
    file_name: String,
    text: String,
    /// The line the text starts with, from 0.
    first_line: usize,
    line: usize,
    column: usize,
    mark: SourceSpan,
}

impl Excerpt {
    fn new(file_name: &str, source: &str, span: Span) -> Self {
        let start = character_start(source, span.start);
        let end = character_start(source, span.end).max(start);
        let (line, column) = line_column(source, start as u32);
        let line_start = source[..start].rfind('\n').map_or(0, |n| n + 1);
        let line_end = source[start..]
            .find('\n')
            .map_or(source.len(), |n| start + n);
        let mut text = String::new();
        let before = source[..line_start]
            .strip_suffix('\n')
            .and_then(|s| s.rsplit('\n').next());
        if let Some(before) = before {
            push_safe(&mut text, before.chars().take(SHOWN));
            text.push('\n');
        }
        let (left, right) = (&source[line_start..start], &source[start..line_end]);
        let skipped = left.chars().count().saturating_sub(SHOWN / 2);
        if skipped > 0 {
            text.push('…');
        }
        push_safe(&mut text, left.chars().skip(skipped));
        let marked = &source[start..end.min(line_end)];
        let mark_start = text.len();
        push_safe(&mut text, marked.chars().take(SHOWN / 2));
        let mark = SourceSpan::from((mark_start, text.len() - mark_start));
        push_safe(&mut text, right[marked.len()..].chars().take(SHOWN / 2));
        text.push('\n');
        let first_line = line - 1 - usize::from(before.is_some());
        Excerpt {
            file_name: file_name.to_owned(),
            text,
            first_line,
            line,
            column,
            mark,
        }
    }

    fn place(&self) -> String {
        format!("{}:{}:{}", self.file_name, self.line, self.column)
    }
}

/// The start of the character at an offset, or the end of the text.
fn character_start(text: &str, at: u32) -> usize {
    let mut at = (at as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Control characters and characters that turn the direction of text could forge the output.
fn push_safe(out: &mut String, chars: impl Iterator<Item = char>) {
    out.extend(chars.filter(|&c| c != '\r').map(|c| match c {
        '\t' => ' ',
        '\0'..='\x1F' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        '\u{80}'..='\u{9F}' | '\u{F780}'..='\u{F7FF}' => '\u{FFFD}',
        '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }));
}

impl SourceCode for Excerpt {
    /// Reads from the excerpt and counts lines and columns as in the whole source.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self
            .text
            .as_str()
            .read_span(span, lines_before, lines_after)?;
        let is_mark_itself = lines_before == 0 && lines_after == 0;
        let column = if is_mark_itself {
            self.column - 1
        } else {
            read.column()
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.file_name.clone(),
            read.data(),
            *read.span(),
            read.line() + self.first_line,
            column,
            read.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn rendered(source: &str) -> String {
        let error = Document::read(source).unwrap_err();
        Diagnostic::of_syntax_error("a.smt2", source, &error).render(false)
    }

    #[test]
    fn shows_place_line_marker_and_help() {
        let text = rendered("(set-logic QF_LIA)\n(assert (= x y)))\n(check-sat)");
        assert!(text.contains("unmatched closing parenthesis"), "{text}");
        assert!(text.contains("[a.smt2:2:17]"), "{text}");
        assert!(text.contains(" 1 │ (set-logic QF_LIA)"), "{text}");
        assert!(text.contains(" 2 │ (assert (= x y)))"), "{text}");
        assert!(text.contains("   ·                 ─"), "{text}");
        assert!(
            text.contains("help: expected `(` or the end of the text"),
            "{text}"
        );
    }

    #[test]
    fn a_huge_line_is_cut() {
        let source = "(a) ".repeat(100_000) + ")" + &" (b)".repeat(100_000);
        let text = rendered(&source);
        assert!(text.len() < 2_000);
        assert!(text.contains("[a.smt2:1:400001]"), "{text}");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = rendered("\u{1B}[31m\0\u{202E}é\u{F7FF} )");
        assert!(!text.contains(['\u{1B}', '\0', '\u{202E}']), "{text}");
        assert!(text.contains("[a.smt2:1:11]"), "{text}");
    }

    #[test]
    fn any_span_is_accepted() {
        for source in ["", "a", "é\n", "\n\n"] {
            for (start, end) in [
                (0, 0),
                (0, 9),
                (1, 0),
                (1, 1),
                (2, 3),
                (9, 9),
                (u32::MAX, 0),
            ] {
                let help = None;
                let message = "m".to_owned();
                let text =
                    Diagnostic::new("f", source, Span::new(start, end), message, help).render(true);
                assert!(text.contains('m'));
            }
        }
    }
}
