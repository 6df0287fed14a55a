//! What a local campaign finds out about its bugs by itself: the first and last wrong release among the installed ones.
//! One thread at the lowest share; a finding is tried once, after it was reduced, the gravest first.

use super::bisect;
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::bug_file::{self, Bugs};
use auspex_campaign::findings::folder::Folder;
use auspex_campaign::findings::group::{FindingRecord, groups_among};
use auspex_campaign::findings::history::History;
use auspex_cases::Class;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the findings are looked at.
const EVERY: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(100);
/// After a bisection the thread pauses this many times as long as it took.
const REST: u32 = 15;
/// The longest wait for the thread at the end.
const FAREWELL: Duration = Duration::from_secs(3);

/// The thread that bisects.
pub struct Researcher {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Researcher {
    pub fn start(folder: &Path) -> Researcher {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, folder) = (Arc::clone(&stop), folder.to_path_buf());
        let thread = std::thread::Builder::new().name("releases".to_string());
        let thread = thread.spawn(move || work(&folder, &stopped)).ok();
        Researcher { stop, thread }
    }

    /// Asks the thread to end. A run of a solver that is under way dies with the program.
    pub fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        let asked = Instant::now();
        let is_over = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while !is_over() && asked.elapsed() < FAREWELL {
            std::thread::sleep(SHORT / 10);
        }
    }
}

fn work(folder: &Path, stop: &AtomicBool) {
    let mut tried: BTreeSet<String> = BTreeSet::new();
    let mut pause = EVERY;
    while rested(pause, stop) {
        pause = EVERY;
        let Some(finding) = next(folder, &tried) else {
            continue;
        };
        tried.insert(finding.id.to_string());
        let started = Instant::now();
        investigate(folder, &finding);
        pause = (started.elapsed() * REST).max(EVERY);
    }
}

/// Waits; false if the program ends meanwhile.
fn rested(pause: Duration, stop: &AtomicBool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < pause {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(SHORT);
    }
    true
}

/// The gravest bug whose releases are not known yet, by its smallest finding.
fn next(folder: &Path, tried: &BTreeSet<String>) -> Option<Finding> {
    let campaign = Folder::look(folder).ok()?;
    let place = place_of(folder);
    let record = |finding: Finding| FindingRecord {
        history: History::read(&place(&finding)),
        repeats: 0,
        finding,
    };
    let bugs = Bugs::load(&folder.join(bug_file::FILE)).unwrap_or_default();
    let all = campaign.findings().0.into_iter().map(record).collect();
    let groups = groups_among(all, &bugs);
    let unknown = groups.into_iter().filter(|group| {
        let mut members = group.members.iter();
        members.all(|member| member.history.releases.is_none())
    });
    let mut findings = unknown.map(|group| group.first().finding.clone());
    let is_ready = |finding: &Finding| {
        let is_small = finding.reduced.is_some() || finding.class == Class::Crash;
        finding.class.is_bug() && is_small && !tried.contains(finding.id.as_str())
    };
    findings.find(is_ready)
}

fn place_of(folder: &Path) -> impl Fn(&Finding) -> PathBuf {
    let folder = folder.join("findings");
    move |finding| folder.join(&finding.id)
}

/// Bisects over the installed releases; a result of one release tells nothing.
fn investigate(folder: &Path, finding: &Finding) {
    let details = bisect::installed_only();
    let Ok(releases) = bisect::for_job(finding, &details, Terminal::new(true)) else {
        return;
    };
    if releases.tried.len() > 1 {
        let place = place_of(folder)(finding);
        let mut history = History::read(&place);
        history.releases = Some(releases);
        // Unwritten, it is found out again by `auspex bisect`.
        let _ = history.write(&place);
    }
}
