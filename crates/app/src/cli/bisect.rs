//! `auspex bisect`: which releases of a solver are wrong about a script, and which single option helps.

use super::input::{catalog, install_release, read_text, solvers, within};
use super::jobs::{BISECT, enqueue};
use super::place;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::bisect::{GroundTruth, Row, Standing, Truth, next};
use auspex_campaign::findings::finding::EvidenceRecord;
use auspex_campaign::findings::folder::read_finding;
use auspex_campaign::findings::group::accused_name;
use auspex_campaign::findings::history::{History, Releases};
use auspex_solvers::install::releases;
use auspex_solvers::version::Version;
use auspex_solvers::{Called, Catalog, Solver};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args, serde::Serialize, serde::Deserialize)]
pub struct Arguments {
    /// A script, or the folder or finding.json of a finding; with --store, (a part of) a finding's name
    file: PathBuf,
    /// The database of a shared campaign, where the finding is
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// With --store: queue it for the campaign's workers, who store the result
    #[arg(long, requires = "store")]
    queue: bool,
    /// The solver by name, with its options if it needs any: z3, cvc5+plain, 'z3 smt.bv.solver=2'
    #[arg(long, value_name = "SOLVER")]
    solver: Option<String>,
    /// Releases separated by commas, or installed, or installable
    #[arg(long, value_name = "RELEASES", default_value = "installed")]
    releases: String,
    /// A solver whose answer counts as right (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    trusted: Vec<String>,
    /// Also try single options of the newest release that is wrong
    #[arg(long)]
    options: bool,
    /// Seconds per run
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The script to bisect, and what is known about it.
struct Subject {
    text: String,
    model: Option<String>,
    solver: String,
    /// The invocation with which it was wrong.
    accused: Option<(Option<Version>, Vec<String>)>,
    /// The class and the query that the finding names.
    finding: Option<Finding>,
    /// The finding's folder, where the result is stored.
    folder: Option<PathBuf>,
}

/// The result.
struct Outcome {
    truth: GroundTruth,
    rows: Vec<Row>,
    options: Vec<(String, Row)>,
    releases: Releases,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let subject = match &arguments.store {
        None => subject(arguments)?,
        Some(url) => {
            let name = arguments.file.to_string_lossy();
            let (finding, _) = place::one_finding(place::look(url)?.as_mut(), &name)?;
            if arguments.queue {
                let details = serde_json::to_string(arguments).unwrap_or_default();
                enqueue(url, BISECT, &[finding.id.to_string()], &details, terminal)?;
                return Ok(Exit::Clean);
            }
            of_finding(arguments, &finding)
        }
    };
    let outcome = investigate(arguments, &subject, terminal)?;
    remember(arguments, &subject, &outcome.releases)?;
    let mut out = terminal.out();
    match arguments.json {
        true => writeln!(
            out,
            "{}",
            as_json(&outcome.truth, &outcome.rows, &outcome.releases)
        )?,
        false => show(&outcome, &mut out)?,
    }
    out.flush()?;
    Ok(
        match outcome.rows.iter().any(|row| row.standing.is_wrong()) {
            true => Exit::Found,
            false => Exit::Clean,
        },
    )
}

/// The details of a job that tries the installed releases only, each for a short time.
pub fn installed_only() -> String {
    let details = json!({
        "file": "", "queue": false, "releases": "installed", "trusted": [], "options": false, "timeout": 5.0,
        "json": false,
    });
    details.to_string()
}

/// One finding on the releases of a job.
pub fn for_job(finding: &Finding, details: &str, terminal: Terminal) -> Result<Releases, Failure> {
    let arguments: Arguments =
        serde_json::from_str(details).map_err(|error| Failure::Usage(error.to_string()))?;
    let subject = of_finding(&arguments, finding);
    Ok(investigate(&arguments, &subject, terminal)?.releases)
}

fn remember(arguments: &Arguments, subject: &Subject, releases: &Releases) -> Result<(), Failure> {
    if let Some(url) = &arguments.store {
        let mut store = place::write(url, place::LEASE)?;
        let name = arguments.file.to_string_lossy();
        let (finding, mut history) = place::one_finding(store.as_mut(), &name)?;
        history.releases = Some(releases.clone());
        return place::remember(store.as_mut(), &finding.id, &history);
    }
    if let Some(folder) = &subject.folder {
        let mut history = History::read(folder);
        history.releases = Some(releases.clone());
        let written = history.write(folder);
        written.map_err(|error| Failure::file(folder, &error))?;
    }
    Ok(())
}

fn investigate(
    arguments: &Arguments,
    subject: &Subject,
    terminal: Terminal,
) -> Result<Outcome, Failure> {
    let limits = within(arguments.timeout)?;
    let trusted = match arguments.trusted.as_slice() {
        [] => others(&subject.solver, terminal)?,
        named => solvers(named, terminal)?,
    };
    let finding = subject.finding.as_ref();
    let model = subject.model.as_deref();
    let truth = GroundTruth::new(&subject.text, finding, model, &trusted, &limits);
    let tried = try_releases(arguments, subject, &truth, terminal)?;
    let wrong = tried
        .iter()
        .rev()
        .find(|(_, row)| row.standing.is_wrong())
        .map(|(solver, _)| solver.clone());
    let options = match (&wrong, arguments.options) {
        (Some(solver), true) => truth.options(solver),
        _ => Vec::new(),
    };
    let rows: Vec<Row> = tried.into_iter().map(|(_, row)| row).collect();
    let releases = Releases::new(&subject.solver, &rows, helpful(&options));
    Ok(Outcome {
        truth,
        rows,
        options,
        releases,
    })
}

fn subject(arguments: &Arguments) -> Result<Subject, Failure> {
    let path = &arguments.file;
    if !is_finding(path) {
        let missing = || Failure::Usage("--solver says whose releases are tried".into());
        return Ok(Subject {
            text: read_text(path)?,
            model: None,
            solver: arguments.solver.clone().ok_or_else(missing)?,
            accused: None,
            finding: None,
            folder: None,
        });
    }
    let finding =
        read_finding(path).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?;
    let folder = match path.is_dir() {
        true => Some(path.clone()),
        false => path.parent().map(Path::to_path_buf),
    };
    Ok(Subject {
        folder,
        ..of_finding(arguments, &finding)
    })
}

fn of_finding(arguments: &Arguments, finding: &Finding) -> Subject {
    let name = accused_name(finding).to_string();
    Subject {
        text: finding.shown().to_string(),
        model: match (&finding.evidence, &finding.reduced) {
            (EvidenceRecord::Witness { model }, None) => Some(model.clone()),
            _ => None,
        },
        accused: match arguments.solver {
            Some(_) => None,
            None => accused(finding),
        },
        solver: arguments.solver.clone().unwrap_or(name),
        finding: Some(finding.clone()),
        folder: None,
    }
}

/// The release and options with which the accused solver was wrong.
fn accused(finding: &Finding) -> Option<(Option<Version>, Vec<String>)> {
    let mut replies = finding.replies.iter();
    let reply = replies.find(|reply| finding.accused.contains(&reply.title))?;
    let release = reply.release.as_deref().and_then(Version::read);
    Some((release, reply.options.clone()))
}

/// Installed solvers of other makes.
fn others(name: &str, terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    let mut found = solvers(&[], terminal)?;
    found.retain(|solver| solver.profile.name != Called::read(name).name);
    Ok(found)
}

/// Runs the script on the releases. Releases that must be installed first are tried only as far as needed.
fn try_releases(
    arguments: &Arguments,
    subject: &Subject,
    truth: &GroundTruth,
    terminal: Terminal,
) -> Result<Vec<(Solver, Row)>, Failure> {
    let catalog = catalog()?;
    let name = Called::read(&subject.solver).name;
    let profile = catalog
        .profile(name)
        .ok_or_else(|| Failure::Usage(format!("unknown solver {name}")))?;
    let versions: Vec<String> = match arguments.releases.as_str() {
        "installed" => installed(&catalog, name),
        "installable" => releases(profile, &catalog.cache)
            .iter()
            .map(|version| version.to_string())
            .collect(),
        list => list.split(',').map(|word| word.trim().into()).collect(),
    };
    let lazily = arguments.releases == "installable";
    let mut standings: Vec<Option<Standing>> = vec![None; versions.len()];
    let mut tried: Vec<(usize, Solver, Row)> = Vec::new();
    let mut in_order = 0..versions.len();
    let bar = terminal.progress(versions.len() as u64, "releases");
    while let Some(at) = if lazily {
        next(&standings)
    } else {
        in_order.next()
    } {
        bar.inc(1);
        let solver = release(&catalog, &subject.solver, &versions[at], terminal);
        let row = solver.and_then(|mut solver| {
            if let Some((release, options)) = &subject.accused {
                let like = solver.configured_like(release.as_ref(), options);
                solver = like.map_err(|error| Failure::Usage(error.to_string()))?;
            }
            let row = truth.row(&solver);
            let row = row.map_err(|error| Failure::Environment(error.to_string()))?;
            Ok((solver, row))
        });
        match row {
            Ok((solver, row)) => {
                standings[at] = Some(row.standing);
                tried.push((at, solver, row));
            }
            Err(failure) => {
                terminal.error(&format!("{name}@{}: {failure}", versions[at]));
                standings[at] = Some(Standing::Open);
            }
        }
    }
    bar.finish_and_clear();
    tried.sort_by_key(|(at, ..)| *at);
    Ok(tried.into_iter().map(|(_, s, row)| (s, row)).collect())
}

fn installed(catalog: &Catalog, name: &str) -> Vec<String> {
    let found = catalog.found().into_iter().map(|found| found.solver);
    let own = found.filter(|solver| solver.profile.name == name);
    let mut versions: Vec<_> = own.filter_map(|solver| solver.version).collect();
    versions.sort();
    versions.dedup();
    versions.iter().map(|version| version.to_string()).collect()
}

/// One release of a solver, with the tier and options that it was named with; it is installed if it is not here.
fn release(
    catalog: &Catalog,
    solver: &str,
    version: &str,
    terminal: Terminal,
) -> Result<Solver, Failure> {
    let (word, options) = solver.split_once(' ').unwrap_or((solver, ""));
    let spec = format!("{word}@{version} {options}");
    if let Ok(found) = catalog.find(&spec) {
        return Ok(found.solver);
    }
    let name = Called::read(solver).name;
    install_release(catalog, name, Some(version), terminal)?;
    let found = catalog.find(&spec);
    let found = found.map_err(|error| Failure::Environment(error.to_string()))?;
    Ok(found.solver)
}

fn show(outcome: &Outcome, out: &mut impl Write) -> std::io::Result<()> {
    let Outcome {
        truth,
        rows,
        options,
        releases,
    } = outcome;
    for (number, truth) in truth.truths.iter().enumerate() {
        let text = match truth {
            Truth::Sat { because } => format!("sat: {because}"),
            Truth::Unsat { because } => format!("unsat: {because}"),
            Truth::Unknown => "not known".to_string(),
        };
        writeln!(out, "query {}: {text}", number + 1)?;
    }
    for row in rows {
        writeln!(
            out,
            "{:<12} {:<14} {:>8.3} s  {}",
            row.version,
            row.standing.word(),
            row.seconds,
            row.answers.join(" ")
        )?;
    }
    for (option, row) in options {
        let (word, answers) = (row.standing.word(), row.answers.join(" "));
        writeln!(out, "{option:<34} {word:<14} {answers}")?;
    }
    writeln!(out, "{}", releases.line())?;
    if !options.is_empty() && releases.right_with.is_empty() {
        writeln!(out, "none of {} options helps", options.len())?;
    }
    Ok(())
}

/// The options with which the release is right.
fn helpful(options: &[(String, Row)]) -> Vec<String> {
    let right = options
        .iter()
        .filter(|(_, row)| row.standing == Standing::Right);
    right.map(|(text, _)| text.clone()).collect()
}

fn as_json(truth: &GroundTruth, rows: &[Row], releases: &Releases) -> serde_json::Value {
    let truths: Vec<_> = truth
        .truths
        .iter()
        .map(|truth| match truth {
            Truth::Sat { because } => json!({"answer": "sat", "because": because}),
            Truth::Unsat { because } => json!({"answer": "unsat", "because": because}),
            Truth::Unknown => json!({"answer": "unknown"}),
        })
        .collect();
    let row = |row: &Row| {
        json!({
            "solver": row.title,
            "version": row.version,
            "answers": row.answers,
            "standing": row.standing.word(),
            "seconds": row.seconds,
        })
    };
    json!({
        "queries": truths,
        "releases": rows.iter().map(row).collect::<Vec<_>>(),
        "first_bad": releases.first_bad,
        "last_good": releases.last_good,
        "last_bad": releases.last_bad,
        "fixed": releases.fixed,
        "right_with": releases.right_with,
    })
}

/// Whether a path names a finding and not a script.
pub fn is_finding(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|e| e == "json")
}
