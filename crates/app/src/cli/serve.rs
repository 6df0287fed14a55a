//! `auspex serve`: serves the web page of a running or finished campaign.

use super::fuzz::Signals;
use super::input::catalog;
use super::place::Place;
use super::status::folder_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use crate::web::{SHORTEST_TOKEN, Settings, Source, serve};
use auspex_campaign::findings::folder::Folder;
use std::net::SocketAddr;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// The address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// The token that viewers need, required unless only this machine is served; also read from AUSPEX_TOKEN
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Let viewers set the states of bugs and run installed releases again
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
        terminal.error(&format!("http://{address}/  (stop with Ctrl-C)"));
    };
    serve(settings, catalog()?, ready, || signals.asked())?;
    Ok(Exit::Clean)
}

/// The campaign to show: a database or a folder.
fn source(arguments: &Arguments) -> Result<Source, Failure> {
    if let Some(url) = &arguments.place.store {
        return Ok(Source {
            location: url.clone(),
            folder: None,
            bugs: arguments.place.bug_file(),
        });
    }
    let folder = Folder::look(&arguments.place.folder).map_err(folder_failure)?;
    Ok(Source {
        location: folder.path().display().to_string(),
        folder: Some(folder.path().to_path_buf()),
        bugs: arguments.place.bug_file(),
    })
}

/// The token. Without one only this machine is served.
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
            "{} can be reached from other machines: pass a --token of at least {SHORTEST_TOKEN} characters",
            arguments.listen
        ))),
        Some(token) if token.len() < SHORTEST_TOKEN => Err(Failure::Usage(format!(
            "the token is too short: use at least {SHORTEST_TOKEN} characters"
        ))),
        _ => Ok(token),
    }
}
