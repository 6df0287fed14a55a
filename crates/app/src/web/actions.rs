//! The actions that `--allow-actions` permits on the page: setting the state of a bug, and running a release again. Only
//! solvers that are installed can be asked; no text of a form is ever a command or a path.

use super::{Site, format::segment, missing};
use crate::cli::ask_again;
use auspex_campaign::clock::{date, now};
use auspex_campaign::findings::bug::Decision;
use auspex_campaign::findings::bug_file::Bugs;
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

/// A filled-in form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wish {
    action: String,
    solver: String,
    state: String,
    link: String,
    release: String,
    of: String,
    why: String,
}

impl Wish {
    /// The state that is asked for, with the fields that belong to it.
    fn decision(&self) -> Result<Decision, String> {
        let given = |text: &String| Some(text.trim().to_string()).filter(|text| !text.is_empty());
        Ok(Decision {
            state: self.state.parse()?,
            link: given(&self.link),
            fixed_in: given(&self.release),
            duplicate_of: given(&self.of),
            why: given(&self.why),
        })
    }
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
        "state" => decide(site, id, wish),
        "recheck" => recheck(site, id, folder, &wish.solver).map_err(str::to_string),
        _ => Err("unknown action".to_string()),
    };
    let _ = site.wake.send(());
    match done {
        Ok(()) => (StatusCode::SEE_OTHER, [(header::LOCATION, back)]).into_response(),
        Err(why) => (StatusCode::CONFLICT, format!("{why}\n")).into_response(),
    }
}

/// Stores the state of a finding's bug.
fn decide(site: &Site, id: &str, wish: &Wish) -> Result<(), String> {
    let decision = wish.decision()?;
    let picture = site.picture();
    let (bug, _) = picture.find(id).ok_or("unknown finding")?;
    let path = site.source.bugs.as_ref();
    let path = path.ok_or("the states of this campaign are in its database; use `auspex bugs`")?;
    let mut bugs = Bugs::load(path)?;
    let name = bug.group.id();
    if decision.duplicate_of.as_deref() == Some(name) {
        return Err("a bug is not a duplicate of itself".to_string());
    }
    decision.check(bugs.bugs.get(name))?;
    let mut entry = bug.group.entry_or_new(&bug.headline);
    entry.decide(decision, &date(now()));
    bugs.bugs.insert(name.to_string(), entry);
    bugs.save(path)
        .map_err(|_| "the state could not be saved".to_string())
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
    fn a_wish_names_a_state_and_what_belongs_to_it() {
        let wish = Wish {
            state: "fixed".to_string(),
            release: " 5.4.0 ".to_string(),
            link: " ".to_string(),
            ..Wish::default()
        };
        let decision = wish.decision().unwrap();
        assert_eq!(decision.fixed_in.as_deref(), Some("5.4.0"));
        assert_eq!(decision.link, None);
        assert!(Wish::default().decision().is_err());
    }
}
