//! Prints typed scripts as text, which reads back as the same terms. Shared subterms become `let` or are expanded, as
//! the caller chooses.

mod commands;
mod decimal;
mod sharing;
mod terms;

use crate::intern::Symbol;
use crate::script::{Command, Script};
use crate::sort::{DataId, Sort};
use crate::term::{TermId, Terms};
use rustc_hash::FxHashSet;

/// How subterms that occur several times are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Expanded, unless that makes the text much longer than with `let`.
    #[default]
    Auto,
    /// Every larger shared subterm becomes a `let`.
    Let,
    /// Always expanded. The text can be exponentially longer than the DAG.
    Expanded,
}

/// The text of a whole script.
pub fn script(terms: &Terms, script: &Script, sharing: Sharing) -> String {
    let mut out = String::new();
    script_to(terms, script, sharing, &mut out);
    out
}

/// Appends the text of a whole script, one command a line.
pub fn script_to(terms: &Terms, script: &Script, sharing: Sharing, out: &mut String) {
    let mut writer = terms::Writer::new(terms);
    writer.overloaded = overloaded(terms, &script.commands);
    for command in &script.commands {
        commands::write(&mut writer, terms, command, sharing, out);
    }
}

/// Whether some constructor's text depends on the commands around it.
pub fn has_overloaded(terms: &Terms, commands: &[Command]) -> bool {
    !overloaded(terms, commands).is_empty()
}

/// Names of constructors that are ambiguous without their sort.
fn overloaded(terms: &Terms, commands: &[Command]) -> FxHashSet<Symbol> {
    let mut datatypes: Vec<DataId> = Vec::new();
    for command in commands {
        if let Command::DeclareDatatypes(ids) = command {
            datatypes.extend(ids);
        }
    }
    datatypes.sort_unstable();
    datatypes.dedup();
    let mut names = FxHashSet::default();
    if datatypes.len() < 2 {
        return names;
    }
    let mut seen = FxHashSet::default();
    for datatype in datatypes {
        for constructor in &terms.sorts.datatype(datatype).constructors {
            let sorts: Vec<Sort> = constructor.selectors.iter().map(|(_, s)| *s).collect();
            if !seen.insert((constructor.name, sorts)) {
                names.insert(constructor.name);
            }
        }
    }
    names
}

pub use commands::command_to;
pub use sharing::{ALWAYS_WRITTEN_OUT, is_longer, post_order};

/// The text of one term.
pub fn term(terms: &Terms, term: TermId, sharing: Sharing) -> String {
    let mut out = String::new();
    term_to(terms, term, sharing, &mut out);
    out
}

/// Appends the text of one term.
pub fn term_to(terms: &Terms, term: TermId, sharing: Sharing, out: &mut String) {
    terms::Writer::new(terms).term(out, term, with_let(terms, term, sharing));
}

/// Appends the text before the arguments of an operator or a function.
pub fn head_to(terms: &Terms, term: TermId, out: &mut String) {
    terms::Writer::new(terms).head(out, term);
}

/// Appends the expanded text of one term; the texts of some of its parts are given.
pub fn term_around(terms: &Terms, term: TermId, known: &[(TermId, &str)], out: &mut String) {
    let mut writer = terms::Writer::new(terms);
    writer.known = known;
    writer.term(out, term, false);
}

/// Whether a term is usually written with `let`.
pub fn is_shared(terms: &Terms, term: TermId) -> bool {
    sharing::expands_badly(terms, term)
}

fn with_let(terms: &Terms, term: TermId, sharing: Sharing) -> bool {
    match sharing {
        Sharing::Let => true,
        Sharing::Expanded => false,
        Sharing::Auto => sharing::expands_badly(terms, term),
    }
}

/// The text of a sort.
pub fn sort(terms: &Terms, sort: Sort) -> String {
    let mut out = String::new();
    terms.sorts.write(&mut out, &terms.symbols, sort);
    out
}
