//! `auspex fmt`: formats scripts. Only whitespace changes; comments stay.

use crate::exit::{Exit, Failure};
use crate::files;
use crate::terminal::Terminal;
use auspex_syntax::{Comments, Diagnostic, Document, decode, encode};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    /// Scripts to format; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write nothing; list the files that would change, and exit with 1 if there are any
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Write the files in place instead of printing them
    #[arg(long, short)]
    write: bool,
    /// Maximum line width
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    width: u16,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut out = terminal.out();
    let mut changed = 0;
    for path in &arguments.files {
        let before = files::read(path)?;
        let after = layout(path, &before, arguments.width.into(), terminal)?;
        let differs = before != after;
        changed += usize::from(differs);
        if arguments.check {
            if differs {
                writeln!(out, "{}", files::shown(path))?;
            }
        } else if arguments.write && path != Path::new("-") {
            if differs {
                std::fs::write(path, &after).map_err(|error| Failure::file(path, &error))?;
            }
        } else {
            out.write_all(&after)?;
        }
    }
    out.flush()?;
    if arguments.write {
        terminal.note(&format!(
            "{changed} of {} files changed",
            arguments.files.len()
        ));
    }
    let wrong = arguments.check && changed > 0;
    Ok(if wrong { Exit::Found } else { Exit::Clean })
}

fn layout(path: &Path, bytes: &[u8], width: usize, terminal: Terminal) -> Result<Vec<u8>, Failure> {
    let text = decode(bytes);
    let document = Document::read(&*text).map_err(|error| {
        let name = files::shown(path);
        let diagnostic = Diagnostic::of_syntax_error(&name, &text, &error);
        terminal.error(&diagnostic.render(terminal.colours()));
        Failure::Usage(format!("{name} is not well-formed"))
    })?;
    let mut pretty = String::new();
    document.pretty(width, Comments::Keep, &mut pretty);
    Ok(encode(&pretty).into_owned())
}
