//! The actions that `--allow-actions` permits on the page: marking a bug as known, and running a release again. Only
//! solvers that are installed can be asked; no text of a form is ever a command or a path.

use super::{Site, format::segment, missing};
use crate::cli::ask_again;
use auspex_campaign::findings::finding_id::is_id;
use auspex_campaign::findings::history::History;
use auspex_solvers::{Limits, Solver};
use axum::Form;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(10);
/// The longest reason: one line.
const LONGEST_REASON: usize = 300;

/// A filled-in form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wish {
    action: String,
    why: String,
    solver: String,
}

/// The running job, or the result of the last one. Only one runs at a time.
#[derive(Default)]
pub struct Jobs(Mutex<Stage>);

#[derive(Default)]
struct Stage {
    running: bool,
    told: Option<String>,
}

impl Jobs {
    pub fn told(&self) -> Option<String> {
        self.lock().told.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True for one caller at a time, until it reports its result.
    fn begin(&self, what: String) -> bool {
        let mut state = self.lock();
        let free = !state.running;
        if free {
            *state = Stage {
                running: true,
                told: Some(what),
            };
        }
        free
    }

    fn end(&self, told: Option<String>) {
        *self.lock() = Stage {
            running: false,
            told,
        };
    }
}

impl Site {
    /// Actions need permission, and a folder to write to.
    pub fn may_act(&self) -> bool {
        self.actions && self.source.folder.is_some()
    }

    /// Installed solvers; each is started once to find its release.
    fn installed(&self) -> &[Solver] {
        self.solvers.get_or_init(|| {
            let found = self.catalog.found().into_iter();
            found.map(|found| found.solver).collect()
        })
    }

    /// The installed releases of a solver.
    pub fn releases(&self, name: &str) -> Vec<String> {
        let installed = self.installed().iter();
        let own = installed.filter(|solver| solver.profile.name == name);
        own.map(Solver::title).collect()
    }

    fn finding_folder(&self, id: &str) -> Option<PathBuf> {
        let folder = self.source.folder.as_ref()?.join("findings").join(id);
        (is_id(id) && folder.is_dir()).then_some(folder)
    }
}

pub async fn act(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    Form(wish): Form<Wish>,
) -> Response {
    // Files are written and solvers may be started.
    let done = tokio::task::spawn_blocking(move || grant(&site, &id, &wish));
    done.await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

fn grant(site: &Arc<Site>, id: &str, wish: &Wish) -> Response {
    if !site.may_act() {
        let told = "this page is read-only; start it with --allow-actions\n";
        return (StatusCode::FORBIDDEN, told).into_response();
    }
    let known = site.picture().find(id).is_some();
    let Some(folder) = site.finding_folder(id).filter(|_| known) else {
        return missing();
    };
    let back = format!("/findings/{}", segment(id));
    let done = match wish.action.as_str() {
        "known" => mark(&folder, Some(reason(&wish.why))),
        "forget" => mark(&folder, None),
        "recheck" => recheck(site, id, folder, &wish.solver),
        _ => Err("unknown action"),
    };
    let _ = site.wake.send(());
    match done {
        Ok(()) => (StatusCode::SEE_OTHER, [(header::LOCATION, back)]).into_response(),
        Err(why) => (StatusCode::CONFLICT, format!("{why}\n")).into_response(),
    }
}

/// The first line of the input.
fn reason(typed: &str) -> String {
    let line = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.is_empty() {
        true => "marked by hand".to_string(),
        false => line.chars().take(LONGEST_REASON).collect(),
    }
}

fn mark(folder: &std::path::Path, known: Option<String>) -> Result<(), &'static str> {
    let mut history = History::read(folder);
    history.known = known;
    history
        .write(folder)
        .map_err(|_| "the mark could not be saved")
}

/// Runs an installed release in another thread, and stores its answer.
fn recheck(site: &Arc<Site>, id: &str, folder: PathBuf, title: &str) -> Result<(), &'static str> {
    let mut installed = site.installed().iter();
    let solver = installed.find(|solver| solver.title() == title);
    let solver = solver.ok_or("this release is not installed")?.clone();
    let picture = site.picture();
    let (bug, at) = picture.find(id).ok_or("unknown finding")?;
    let finding = bug.group.members[at].finding.clone();
    if !site.jobs.begin(format!("running {title} …")) {
        return Err("another release is running; please wait");
    }
    let site = Arc::clone(site);
    std::thread::spawn(move || {
        let limits = Limits {
            wall: TIME,
            ..Limits::default()
        };
        let asked = ask_again(&finding, std::slice::from_ref(&solver), &[], &limits);
        let written = asked
            .map_err(|failure| failure.to_string())
            .and_then(|rows| {
                let mut history = History::read(&folder);
                history.rechecks.extend(rows);
                history.write(&folder).map_err(|error| error.to_string())
            });
        site.jobs.end(written.err());
        let _ = site.wake.send(());
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_job_at_a_time() {
        let jobs = Jobs::default();
        assert!(jobs.begin("a".to_string()));
        assert!(!jobs.begin("b".to_string()));
        assert_eq!(jobs.told().as_deref(), Some("a"));
        jobs.end(None);
        assert!(jobs.begin("b".to_string()));
    }

    #[test]
    fn a_reason_is_one_short_line() {
        assert_eq!(reason(" a\n b "), "a b");
        assert_eq!(reason(" "), "marked by hand");
        assert_eq!(reason(&"x".repeat(999)).len(), LONGEST_REASON);
    }
}
