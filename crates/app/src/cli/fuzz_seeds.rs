//! Seeds that `auspex fuzz` brings in the background: small collections by name, for a campaign without seeds of its own.

use super::seeds::line;
use crate::terminal::Terminal;
use auspex_campaign::run::campaign::CampaignState;
use auspex_campaign::seeds::pool::Pool;
use auspex_solvers::Cache;
use auspex_solvers::collections::{self, CollectionError, Known};
use std::sync::Arc;

/// Reading scripts needs as much stack as a worker has.
const STACK: usize = 256 << 20;

/// Starts to bring the collections, and says so; the campaign takes them in when they are here. The thread ends with
/// the program.
pub fn bring(state: Arc<CampaignState>, largest: u64, terminal: Terminal) {
    let Some(cache) = Cache::of_user() else {
        return;
    };
    let known = collections::known();
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    let names = names.join(", ");
    terminal.note(&format!(
        "seeds come in the background: {names} (--no-seed-install turns this off)"
    ));
    let work = move || {
        let (mut places, mut failed) = (Vec::new(), None);
        for one in &known {
            match collection(&cache, one) {
                Ok(scripts) => places.push(scripts),
                Err(error) => failed = Some(format!("{}: {error}", one.name)),
            }
        }
        if let Some(why) = failed {
            let why = why.lines().next().unwrap_or_default().to_string();
            terminal.note(&format!(
                "some seeds could not be brought, going on without them: {why}"
            ));
        }
        let new = state.add_seeds(Pool::read(&places, largest));
        if new > 0 {
            terminal.note(&format!("{new} seeds joined the campaign"));
        }
    };
    let builder = std::thread::Builder::new()
        .name("seeds".to_string())
        .stack_size(STACK);
    if let Err(error) = builder.spawn(work) {
        terminal.note(&format!("no seeds are brought: {error}"));
    }
}

/// The folder of a collection's scripts, brought if it is not here; a changed one is not used.
fn collection(cache: &Cache, known: &Known) -> Result<std::path::PathBuf, CollectionError> {
    let found = collections::install(cache, known)?;
    match found.is_whole() {
        true => Ok(found.scripts()),
        false => Err(CollectionError::Changed(line(&found))),
    }
}
