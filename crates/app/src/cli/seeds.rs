//! `auspex seeds`: collections of seeds by name, in the cache with origin, licence and checksum.

use super::input::catalog;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_solvers::Cache;
use auspex_solvers::collections::{self, Collection, CollectionError, Known};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Install collections: by name, or from a folder, a git checkout or an archive (.zip, .tar.gz, …)
    Install {
        #[arg(required = true, value_name = "NAME|PATH")]
        what: Vec<String>,
        /// What a collection from a path is called; the file's name if not given
        #[arg(long)]
        name: Option<String>,
        /// The licence of a collection from a path, for the record
        #[arg(long)]
        licence: Option<String>,
    },
    /// Remove installed collections
    Remove {
        #[arg(required = true)]
        names: Vec<String>,
    },
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let cache = catalog()?.cache;
    match &arguments.action {
        None => list(&cache, arguments.json, terminal),
        Some(Action::Remove { names }) => {
            for name in names {
                if !collections::remove(&cache, name).map_err(failed)? {
                    return Err(Failure::Usage(format!(
                        "{name} is not installed; `auspex seeds` lists what is"
                    )));
                }
                terminal.note(&format!("{name}: removed"));
            }
            Ok(Exit::Clean)
        }
        Some(Action::Install {
            what,
            name,
            licence,
        }) => {
            if name.is_some() && what.len() > 1 {
                let why = "--name names one collection; install the others by themselves";
                return Err(Failure::Usage(why.into()));
            }
            for one in what {
                let done = match by_name(one) {
                    Some(known) => bring(&cache, &known, terminal)?,
                    None => {
                        let path = Path::new(one);
                        let name = name.clone().unwrap_or_else(|| name_of(path));
                        copy(&cache, path, &name, licence.clone())?
                    }
                };
                terminal.note(&line(&done));
            }
            Ok(Exit::Clean)
        }
    }
}

/// The folders of seeds that a user means by paths and names of collections; one that is not here is installed.
pub fn places(given: &[PathBuf], terminal: Terminal) -> Result<Vec<PathBuf>, Failure> {
    let place = |path: &PathBuf| match path.exists() {
        true => Ok(path.clone()),
        false => collection(path, terminal).map(|found| found.scripts()),
    };
    given.iter().map(place).collect()
}

fn collection(path: &Path, terminal: Terminal) -> Result<Collection, Failure> {
    let missing = || {
        let names: Vec<String> = collections::known().into_iter().map(|k| k.name).collect();
        Failure::Usage(format!(
            "{}: no such file, folder or collection of seeds; collections: {}",
            path.display(),
            names.join(", ")
        ))
    };
    let name = path.to_str().ok_or_else(missing)?;
    let cache = catalog()?.cache;
    let mut installed = collections::installed(&cache).into_iter();
    match (installed.find(|one| one.origin.name == name), by_name(name)) {
        (Some(found), _) if found.is_whole() => Ok(found),
        (Some(_), _) => Err(Failure::Environment(format!(
            "the seeds {name} have changed since they were installed; `auspex seeds remove {name}`, then install them again"
        ))),
        (None, Some(known)) => bring(&cache, &known, terminal),
        (None, None) => Err(missing()),
    }
}

fn by_name(name: &str) -> Option<Known> {
    collections::known().into_iter().find(|k| k.name == name)
}

fn bring(cache: &Cache, known: &Known, terminal: Terminal) -> Result<Collection, Failure> {
    terminal.note(&format!(
        "{}: bringing {} scripts by cargo",
        known.name, known.scripts
    ));
    collections::install(cache, known).map_err(failed)
}

fn copy(
    cache: &Cache,
    path: &Path,
    name: &str,
    licence: Option<String>,
) -> Result<Collection, Failure> {
    if !path.exists() {
        let names: Vec<String> = collections::known().into_iter().map(|k| k.name).collect();
        return Err(Failure::Usage(format!(
            "{}: no such file or folder, and no collection is called so; collections: {}",
            path.display(),
            names.join(", ")
        )));
    }
    collections::install_from(cache, path, name, licence).map_err(failed)
}

/// `cvc5-tests` of `…/cvc5-tests.tar.gz`.
fn name_of(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let name = absolute.file_name().unwrap_or_default().to_string_lossy();
    let stem = match absolute.is_dir() {
        true => &name,
        false => name.split(".tar").next().unwrap_or(&name),
    };
    stem.trim_end_matches(".zip")
        .trim_end_matches(".tgz")
        .to_string()
}

fn failed(error: CollectionError) -> Failure {
    match error {
        CollectionError::BadName(_) | CollectionError::Empty(_) | CollectionError::Changed(_) => {
            Failure::Usage(error.to_string())
        }
        _ => Failure::Environment(error.to_string()),
    }
}

pub fn line(one: &Collection) -> String {
    let origin = &one.origin;
    format!(
        "{:<12} {:>6} scripts {:>6.1} MB  {:<14} {}",
        origin.name,
        origin.scripts,
        origin.bytes as f64 / 1e6,
        origin.licence.as_deref().unwrap_or("licence unknown"),
        origin.source
    )
}

fn list(cache: &Cache, json: bool, terminal: Terminal) -> Result<Exit, Failure> {
    let installed = collections::installed(cache);
    let mut out = terminal.out_for(json);
    let others: Vec<Known> = collections::known()
        .into_iter()
        .filter(|known| installed.iter().all(|one| one.origin.name != known.name))
        .collect();
    if json {
        let rows = installed.iter().map(|one| {
            let mut row = json!(one.origin);
            row["installed"] = json!(true);
            row["folder"] = json!(one.scripts());
            row["whole"] = json!(one.is_whole());
            row
        });
        let rest = others.iter().map(|known| {
            json!({
                "name": known.name, "version": known.version, "installed": false, "licence": known.licence,
                "source": format!("crate {} {}", known.package, known.version), "scripts": known.scripts,
            })
        });
        let all: Vec<_> = rows.chain(rest).collect();
        writeln!(out, "{}", serde_json::Value::from(all))?;
    } else {
        for one in &installed {
            let changed = match one.is_whole() {
                true => "",
                false => "  CHANGED since it was installed",
            };
            writeln!(out, "{}{changed}", line(one))?;
        }
        for known in &others {
            writeln!(
                out,
                "{:<12} {:>6} scripts            {:<14} {}; not installed",
                known.name, known.scripts, known.licence, known.about
            )?;
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}
