//! `auspex serve`: the web page of a running or finished campaign.

use super::fuzz::Signals;
use super::input::catalog;
use super::status::folder_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use crate::web::{SHORTEST_TOKEN, Settings, Source, serve};
use auspex_campaign::folder::Folder;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The campaign's folder
    #[arg(default_value = "auspex-out")]
    folder: PathBuf,
    /// The campaign's store, if it is not in the folder
    #[arg(long, value_name = "LOCATION")]
    store: Option<String>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// What viewers must know, needed to listen elsewhere than on this machine; also from AUSPEX_TOKEN
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Let viewers mark bugs as known and ask installed releases again
    #[arg(long)]
    allow_actions: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let token = token(arguments)?;
    let settings = Settings {
        source: source(arguments)?,
        listen: arguments.listen,
        actions: arguments.allow_actions,
        token,
    };
    let signals = Signals::watch()?;
    let ready = |address: SocketAddr| {
        terminal.error(&format!("http://{address}/  (Ctrl-C ends it)"));
    };
    serve(settings, catalog()?, ready, || signals.asked())?;
    Ok(Exit::Clean)
}

/// The store, and the folder where findings are files; with a shared store there need be no folder.
fn source(arguments: &Arguments) -> Result<Source, Failure> {
    let folder = Folder::look(&arguments.folder);
    let Some(store) = &arguments.store else {
        let folder = folder.map_err(folder_failure)?;
        return Ok(Source {
            location: folder.path().display().to_string(),
            folder: Some(folder.path().to_path_buf()),
        });
    };
    Ok(Source {
        location: store.clone(),
        folder: arguments.folder.is_dir().then(|| arguments.folder.clone()),
    })
}

/// The token, if one is given; without one only this machine is served.
fn token(arguments: &Arguments) -> Result<Option<String>, Failure> {
    let from_environment = || {
        std::env::var("AUSPEX_TOKEN")
            .ok()
            .filter(|token| !token.is_empty())
    };
    let token = arguments.token.clone().or_else(from_environment);
    let local = arguments.listen.ip().is_loopback();
    match &token {
        None if !local => Err(Failure::Usage(format!(
            "{} can be reached from elsewhere: give a --token of at least {SHORTEST_TOKEN} letters",
            arguments.listen
        ))),
        Some(token) if token.len() < SHORTEST_TOKEN => Err(Failure::Usage(format!(
            "a token of fewer than {SHORTEST_TOKEN} letters can be guessed"
        ))),
        _ => Ok(token),
    }
}
