//! `auspex eval`: the value of a ground term, or of a term under a model.

use crate::exit::{Exit, Failure};
use crate::files;
use crate::terminal::Terminal;
use auspex_logic::eval::{Evaluator, Reason};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Model, Terms, read_script};
use auspex_syntax::{Diagnostic, Document, decode};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// A term, such as '(bvadd #x1 #xf)'
    term: String,
    /// A file with a model; its definitions may be used in the term
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut terms = Terms::new();
    let definitions = match &arguments.model {
        Some(path) => {
            let bytes = files::read(path)?;
            let text = decode(&bytes).into_owned();
            // A model is a list of definitions; as commands they are in the term's scope.
            let text = text.trim();
            let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
            let bare = inner
                .filter(|_| !text.starts_with("(define"))
                .unwrap_or(text);
            bare.trim()
                .strip_prefix("model")
                .unwrap_or(bare)
                .to_string()
        }
        None => String::new(),
    };
    // Check the term alone first: otherwise the error message would blame the text that we put around it.
    Document::read(&arguments.term).map_err(|error| {
        Failure::Usage(
            Diagnostic::of_syntax_error("TERM", &arguments.term, &error).render(terminal.colours()),
        )
    })?;
    let text = format!("{definitions}\n(assert {})", arguments.term);
    let reading = read_script(&mut terms, &text).map_err(|error| {
        Failure::Usage(
            Diagnostic::of_syntax_error("TERM", &text, &error).render(terminal.colours()),
        )
    })?;
    let Some(term) = reading.script.assertions().last().map(|a| a.term) else {
        return Err(Failure::Usage("no term was given".into()));
    };
    if let Some((_, issue)) = reading.issues.first() {
        return Err(Failure::Usage(format!(
            "cannot evaluate: {}",
            issue.message()
        )));
    }
    let model = Model::with_definitions(&reading.script);
    let outcome = Evaluator::new(&terms, &model)
        .without_completion()
        .value(term);
    let mut out = terminal.out();
    match outcome {
        Ok(value) => {
            let sort = terms.sort(term);
            writeln!(out, "{}", terms.value_text(&value, sort))?;
            out.flush()?;
            Ok(Exit::Clean)
        }
        Err(why) => {
            let part = render::term(&terms, why.term, Sharing::Auto);
            writeln!(out, "undetermined: {part}: {}", reason(why.reason))?;
            out.flush()?;
            Ok(Exit::Undetermined)
        }
    }
}

/// Why a term has no value.
pub fn reason(reason: Reason) -> String {
    match reason {
        Reason::Unspecified => {
            "the standard leaves this unspecified and the model does not define it".into()
        }
        Reason::TooLarge => "the exact value is too large for the evaluator".into(),
        Reason::NoMeaning(what) => format!("the evaluator has no semantics for {what}"),
        Reason::Quantifier => "a quantifier ranges over too many values".into(),
        Reason::Opaque => "an unknown operator".into(),
        Reason::NotInModel => "the model does not define it".into(),
        Reason::TooDeep => "a definition is nested too deeply".into(),
    }
}
