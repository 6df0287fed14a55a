//! Terminal output: results on standard output, notes and progress on standard error. Follows `NO_COLOR`, shows
//! progress only on a terminal, and is silent when asked to be.

use crate::cleaned::{Cleaned, cleaned};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, BufWriter, IsTerminal, Write};

/// A line that fits the terminal it is printed on; whole where standard output is no terminal.
pub fn fitted(text: &str) -> String {
    let is_terminal = io::stdout().is_terminal();
    let size = ratatui::crossterm::terminal::size().ok();
    match size.filter(|(width, _)| is_terminal && *width > 0) {
        Some((width, _)) => fit(text, usize::from(width)),
        None => fit(text, usize::MAX),
    }
}

/// The first line of a text with at most so many characters.
pub fn fit(text: &str, width: usize) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.chars().count() > width {
        true => line
            .chars()
            .take(width.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => line.to_string(),
    }
}

/// What may be shown, and where.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    quiet: bool,
    colours: bool,
}

impl Terminal {
    pub fn new(quiet: bool) -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let colours = io::stderr().is_terminal() && !no_colour && !dumb;
        Terminal { quiet, colours }
    }

    /// Whether messages on standard error may have colours.
    pub fn colours(&self) -> bool {
        self.colours
    }

    /// Whether only results and errors may be shown.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Standard output, buffered. The caller flushes it to see errors. On a terminal control characters are replaced.
    pub fn out(&self) -> BufWriter<Cleaned> {
        self.out_for(true)
    }

    /// Standard output for people, or unchanged for programs.
    pub fn out_for(&self, program: bool) -> BufWriter<Cleaned> {
        let out = io::stdout();
        let cleans = !program || out.is_terminal();
        BufWriter::with_capacity(1 << 16, Cleaned::new(out.lock(), cleans))
    }

    /// A note for people; suppressed by `--quiet`.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.error(text);
        }
    }

    /// A message that is always shown. A closed standard error is ignored.
    pub fn error(&self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{}", cleaned(text));
    }

    /// A progress bar over a known number of steps, shown only to people.
    pub fn progress(&self, steps: u64, what: &'static str) -> ProgressBar {
        let target = if self.quiet || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::with_draw_target(Some(steps), target)
            .with_style(style)
            .with_message(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_the_terminal_ends() {
        assert_eq!(fit("(= x 1)", 7), "(= x 1)");
        assert_eq!(fit("(= x 1)\nmore", 6), "(= x …");
        assert_eq!(fit("äöü", 2), "ä…");
        assert_eq!(fit("", 0), "");
    }
}
