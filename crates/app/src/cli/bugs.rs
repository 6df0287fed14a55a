//! `auspex bugs`: lists bugs with their states, and sets a state.

use super::place::Place;
use super::records::Exhibits;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::clock::{date, now};
use auspex_campaign::findings::bug::{BugEntry, BugState, Decision};
use auspex_campaign::findings::bug_file::Bugs;
use auspex_campaign::findings::gist::gist;
use auspex_campaign::findings::group::{Group, groups_among};
use auspex_campaign::report::{BugSummary, headline};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Only bugs in this state: open, reported, confirmed, fixed, duplicate, wont-fix, invalid
    #[arg(long, value_name = "STATE")]
    state: Option<BugState>,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Set the state of a bug
    Set(Set),
}

#[derive(clap::Args)]
struct Set {
    /// The bug: its name, the name of one of its findings, or a part that only one bug has
    id: String,
    /// open, reported, confirmed, fixed, duplicate, wont-fix or invalid
    state: BugState,
    #[command(flatten)]
    place: Place,
    /// Where it is reported
    #[arg(long, value_name = "URL")]
    link: Option<String>,
    /// The release or commit that fixes it
    #[arg(long = "in", value_name = "RELEASE")]
    fixed_in: Option<String>,
    /// The bug that it is a duplicate of
    #[arg(long, value_name = "BUG")]
    of: Option<String>,
    /// Why it is invalid or will not be fixed
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

/// A bug of a campaign, of a file of bugs, or of both.
struct Known {
    id: String,
    title: String,
    group: Option<Group>,
    entry: Option<BugEntry>,
}

impl Known {
    fn state(&self) -> BugState {
        let group = self.group.as_ref().map(Group::state);
        self.entry
            .as_ref()
            .map(|entry| entry.state)
            .or(group)
            .unwrap_or_default()
    }

    fn state_line(&self) -> String {
        let group = self.group.as_ref().map(Group::state_line);
        let own = self.entry.as_ref().map(BugEntry::line);
        own.or(group).unwrap_or_default()
    }

    fn has_name(&self, wanted: &str) -> bool {
        let members = self.group.iter().flat_map(|group| &group.members);
        self.id == wanted
            || members
                .into_iter()
                .any(|member| *member.finding.id == *wanted)
    }

    fn has_part(&self, wanted: &str) -> bool {
        let members = self.group.iter().flat_map(|group| &group.members);
        self.id.contains(wanted)
            || members
                .into_iter()
                .any(|member| member.finding.id.contains(wanted))
    }
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    match &arguments.command {
        Some(Command::Set(set)) => decide(set, terminal),
        None => list(arguments, terminal),
    }
}

/// Every bug of the campaign, and those that only the file of bugs has. Without a campaign the file suffices.
fn all(place: &Place, terminal: Terminal) -> Result<(Vec<Known>, usize), Failure> {
    let has_file = place.bugs.as_ref().is_some_and(|file| file.exists());
    let (groups, bugs, failed) = match place.open() {
        Err(_) if has_file => (Vec::new(), place.bugs(None)?, 0),
        Err(failure) => return Err(failure),
        Ok(mut store) => {
            let bugs = place.bugs(Some(&mut *store))?;
            let Exhibits { mut all, failed } = place.exhibits(&mut *store, terminal)?;
            all.retain(|exhibit| exhibit.finding.class.is_bug());
            (groups_among(all, &bugs), bugs, failed)
        }
    };
    Ok((with_entries(groups, bugs), failed))
}

fn with_entries(groups: Vec<Group>, bugs: Bugs) -> Vec<Known> {
    let here: BTreeSet<String> = groups.iter().map(|group| group.id().to_string()).collect();
    let of_group = |group: Group| Known {
        id: group.id().to_string(),
        title: title(&group),
        entry: group.entry.as_ref().map(|(_, entry)| entry.clone()),
        group: Some(group),
    };
    let absent = bugs.bugs.into_iter().filter(|(id, _)| !here.contains(id));
    let of_entry = |(id, entry): (String, BugEntry)| Known {
        title: entry.title.clone(),
        group: None,
        entry: Some(entry),
        id,
    };
    let mut all: Vec<Known> = groups.into_iter().map(of_group).collect();
    all.extend(absent.map(of_entry));
    all.sort_by_key(Known::state);
    all
}

fn title(group: &Group) -> String {
    headline(group, &BugSummary::of(&group.first().finding, None))
}

fn list(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let (mut all, failed) = all(&arguments.place, terminal)?;
    all.retain(|bug| arguments.state.is_none_or(|state| bug.state() == state));
    let mut out = terminal.out_for(arguments.json);
    if arguments.json {
        let rows: Vec<_> = all.iter().map(as_json).collect();
        let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        for bug in &all {
            writeln!(out, "{:<10} {}", bug.state(), bug.id)?;
            writeln!(out, "    {}", bug.title)?;
            if let Some(gist) = gist_of(bug) {
                writeln!(out, "    {gist}")?;
            }
            writeln!(out, "    {}", details(bug))?;
        }
        writeln!(out, "{}", counts(&all))?;
    }
    out.flush()?;
    let found = match all.iter().any(|bug| bug.state().is_pending()) {
        true => Exit::Found,
        false => Exit::Clean,
    };
    Ok(Exhibits::exit(failed, found))
}

/// The decisive assertions, which tell bugs with the same title apart.
fn gist_of(bug: &Known) -> Option<String> {
    let gist = gist(&bug.group.as_ref()?.first().finding);
    (!gist.is_empty()).then_some(gist)
}

/// State, number of findings, releases.
fn details(bug: &Known) -> String {
    let mut parts = vec![bug.state_line()];
    let since = bug.entry.as_ref().map_or("", |entry| entry.since.as_str());
    if !since.is_empty() {
        parts.push(format!("since {since}"));
    }
    match &bug.group {
        Some(group) => {
            let many = group.members.len();
            let findings = if many == 1 { "finding" } else { "findings" };
            parts.push(format!("{many} {findings}, seen {} times", group.seen()));
            parts.push(format!("wrong: {}", group.wrong_titles().join(", ")));
        }
        None => parts.push("no finding in this campaign".to_string()),
    }
    parts.join("; ")
}

/// `3 open, 1 reported`.
fn counts(all: &[Known]) -> String {
    let count = |state: BugState| all.iter().filter(|bug| bug.state() == state).count();
    let words = BugState::ALL.into_iter().filter(|state| count(*state) > 0);
    let words: Vec<String> = words
        .map(|state| format!("{} {state}", count(state)))
        .collect();
    match words.is_empty() {
        true => "no bugs".to_string(),
        false => words.join(", "),
    }
}

fn as_json(bug: &Known) -> serde_json::Value {
    let entry = match (&bug.entry, &bug.group) {
        (Some(entry), _) => entry.clone(),
        (None, Some(group)) => group.entry_or_new(&bug.title),
        (None, None) => BugEntry::default(),
    };
    let members = bug.group.iter().flat_map(|group| &group.members);
    let findings: Vec<&str> = members.map(|member| &*member.finding.id).collect();
    json!({
        "id": bug.id,
        "title": bug.title,
        "state": bug.state().word(),
        "closed": entry.is_closed(),
        "seen": bug.group.as_ref().map_or(0, Group::seen),
        "findings": findings,
        "entry": entry,
    })
}

fn decide(set: &Set, terminal: Terminal) -> Result<Exit, Failure> {
    let (all, failed) = all(&set.place, terminal)?;
    let bug = named(&all, &set.id)?;
    let of = match (&set.of, set.state) {
        // A bug of ours is named in full; an address stands as it is.
        (Some(of), BugState::Duplicate) if !of.contains("://") => Some(named(&all, of)?.id.clone()),
        (of, _) => of.clone(),
    };
    if of.as_ref() == Some(&bug.id) {
        let why = "a bug is not a duplicate of itself".to_string();
        return Err(Failure::Usage(why));
    }
    let decision = Decision {
        state: set.state,
        link: set.link.clone(),
        fixed_in: set.fixed_in.clone(),
        duplicate_of: of,
        why: set.why.clone(),
    };
    decision.check(bug.entry.as_ref()).map_err(Failure::Usage)?;
    let mut entry = match (&bug.group, &bug.entry) {
        (Some(group), _) => group.entry_or_new(&bug.title),
        (None, Some(entry)) => entry.clone(),
        (None, None) => BugEntry::default(),
    };
    entry.decide(decision, &date(now()));
    set.place.put_bug(&bug.id, &entry)?;
    terminal.note(&format!("{}: {}", bug.id, entry.line()));
    Ok(Exhibits::exit(failed, Exit::Clean))
}

/// The one bug with this name, or with this part of a name.
fn named<'b>(all: &'b [Known], wanted: &str) -> Result<&'b Known, Failure> {
    if let Some(bug) = all.iter().find(|bug| bug.has_name(wanted)) {
        return Ok(bug);
    }
    let mut fitting = all.iter().filter(|bug| bug.has_part(wanted));
    match (fitting.next(), fitting.next()) {
        (Some(bug), None) => Ok(bug),
        (None, _) => Err(Failure::Usage(format!(
            "no bug is called {wanted}; `auspex bugs` lists them"
        ))),
        (Some(one), Some(other)) => Err(Failure::Usage(format!(
            "several bugs contain {wanted}, such as {} and {}; name one in full",
            one.id, other.id
        ))),
    }
}
