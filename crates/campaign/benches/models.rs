//! Judges the models that solvers give for the satisfiable scripts of a folder, and counts the verdicts by reason.
//!
//! `cargo bench -p auspex-campaign --bench models -- FOLDER… [--solver SPEC]… [--timeout SECONDS] [--list]
//! [--keep FOLDER] [--judge-kept FOLDER]`; what was kept can be judged again without a solver.

use auspex_campaign::judge::examine::case_of;
use auspex_logic::model::{ModelError, ModelVerdict, falsified, read_model, validate};
use auspex_logic::render::{self, Sharing, post_order};
use auspex_logic::script::{Query, Script};
use auspex_logic::term::BinderKind;
use auspex_logic::{Answer, Head, Terms, read_script};
use auspex_solvers::run::Query as Ask;
use auspex_solvers::{Catalog, Limits, Session, Solver};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Options {
    folders: Vec<PathBuf>,
    solvers: Vec<String>,
    timeout: Duration,
    list: bool,
    keep: Option<PathBuf>,
    kept: Option<PathBuf>,
}

fn main() {
    let options = options(std::env::args().skip(1));
    if options.folders.is_empty() {
        println!("give a folder with scripts: cargo bench --bench models -- FOLDER");
        return;
    }
    let catalog = Catalog::of_user().expect("the profiles can be read");
    let mut files = Vec::new();
    for folder in &options.folders {
        collect(folder, &mut files);
    }
    files.sort();
    if options.kept.is_some() {
        let started = Instant::now();
        let count = judge_all(None, &files, &options);
        count.print("kept replies", started.elapsed(), options.list);
        return;
    }
    for spec in &options.solvers {
        let solver = catalog.find(spec).expect("the solver is here").solver;
        let started = Instant::now();
        let count = judge_all(Some(&solver), &files, &options);
        count.print(&solver.title(), started.elapsed(), options.list);
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Options {
    let mut options = Options {
        folders: Vec::new(),
        solvers: Vec::new(),
        timeout: Duration::from_secs(2),
        list: false,
        keep: None,
        kept: None,
    };
    while let Some(word) = words.next() {
        let mut next = || words.next().unwrap_or_default();
        match word.as_str() {
            "--solver" => options.solvers.push(next()),
            "--timeout" => {
                let seconds = next().parse().unwrap_or(2.0);
                options.timeout = Duration::from_secs_f64(seconds);
            }
            "--list" => options.list = true,
            "--keep" => options.keep = Some(next().into()),
            "--judge-kept" => options.kept = Some(next().into()),
            other if other.starts_with("--") => {}
            folder => options.folders.push(folder.into()),
        }
    }
    if options.solvers.is_empty() {
        options.solvers = vec!["z3".into(), "cvc5+plain".into()];
    }
    options
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.extension().is_some_and(|e| e == "smt2") {
        files.push(path.to_path_buf());
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}

/// What one model turned out to be.
enum Verdict {
    Valid,
    Invalid(String),
    Undetermined(String),
    Unreadable(String),
}

struct Judged {
    file: PathBuf,
    query: usize,
    quantified: bool,
    verdict: Verdict,
}

#[derive(Default)]
struct Count {
    judged: Vec<Judged>,
    answers: BTreeMap<&'static str, usize>,
}

fn judge_all(solver: Option<&Solver>, files: &[PathBuf], options: &Options) -> Count {
    let next = AtomicUsize::new(0);
    let count = Mutex::new(Count::default());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            judge_file(solver, file, options, &count);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            // Seeds nest deeply now and then, and rendering is the only recursive part.
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            thread
                .spawn_scoped(scope, work)
                .expect("a thread can be started");
        }
    });
    let mut count = count.into_inner().expect("no worker panicked");
    count.judged.sort_by(|a, b| a.file.cmp(&b.file));
    count
}

fn judge_file(solver: Option<&Solver>, file: &Path, options: &Options, count: &Mutex<Count>) {
    let Ok(bytes) = std::fs::read(file) else {
        return;
    };
    let text = auspex_syntax::decode(&bytes);
    let mut terms = Terms::new();
    let Ok(reading) = read_script(&mut terms, &text) else {
        return;
    };
    let Some(answers) = answers(solver, file, &text, options) else {
        return;
    };
    let queries = case_of(reading.script.clone(), &terms).script.queries();
    let mut judged = Vec::new();
    for (number, (query, answer)) in queries.iter().zip(&answers).enumerate() {
        let mut count = count.lock().expect("no worker panicked");
        *count.answers.entry(answer.word()).or_default() += 1;
        drop(count);
        if let Answer::Sat { model: Some(reply) } = answer {
            keep(options, file, number, reply);
            judged.push(Judged {
                file: file.to_path_buf(),
                query: number + 1,
                quantified: is_quantified(&terms, &reading.script, query),
                verdict: judge(&mut terms, &reading.script, query, reply),
            });
        }
    }
    count
        .lock()
        .expect("no worker panicked")
        .judged
        .append(&mut judged);
}

fn answers(
    solver: Option<&Solver>,
    file: &Path,
    text: &str,
    options: &Options,
) -> Option<Vec<Answer>> {
    let Some(solver) = solver else {
        return Some(kept(options, file));
    };
    let limits = Limits {
        wall: options.timeout,
        ..Limits::default()
    };
    match Session::start(solver, &limits).ask(&Ask::new(text).model()) {
        Ok(run) => Some(run.answers),
        Err(error) => {
            println!("{}: {error}", file.display());
            None
        }
    }
}

/// The kept replies of a file; queries without one count as unknown.
fn kept(options: &Options, file: &Path) -> Vec<Answer> {
    const MOST: usize = 200;
    let replies = (0..MOST).map(|number| {
        match std::fs::read_to_string(place(options.kept.as_ref()?, file, number)) {
            Ok(reply) => Some(Answer::Sat { model: Some(reply) }),
            Err(_) => Some(Answer::Unknown {
                reason: String::new(),
            }),
        }
    });
    replies.flatten().collect()
}

fn place(folder: &Path, file: &Path, number: usize) -> PathBuf {
    let name = file.to_string_lossy().replace('/', "_");
    folder.join(format!("{name}.{}.model", number + 1))
}

/// Puts a reply beside others, for a person to look at.
fn keep(options: &Options, file: &Path, number: usize, reply: &str) {
    if let Some(folder) = &options.keep {
        let _ = std::fs::write(place(folder, file, number), reply);
    }
}

fn is_quantified(terms: &Terms, script: &Script, query: &Query) -> bool {
    let mut roots: Vec<_> = query.assertions.iter().map(|a| a.term).collect();
    roots.extend(&query.assumptions);
    roots.extend(script.definitions().map(|d| d.body));
    roots.iter().any(|root| {
        post_order(terms, *root)
            .into_iter()
            .any(|t| match terms.head(t) {
                Head::Binder(number) => terms.binder(number).kind != BinderKind::Lambda,
                _ => false,
            })
    })
}

fn judge(terms: &mut Terms, script: &Script, query: &Query, reply: &str) -> Verdict {
    let model = match read_model(terms, script, reply) {
        Ok(model) => model,
        Err(ModelError::Refused(said)) => return Verdict::Unreadable(format!("refused: {said}")),
        Err(error) => return Verdict::Unreadable(format!("{error:?}")),
    };
    match validate(terms, &model, query) {
        ModelVerdict::Valid => Verdict::Valid,
        ModelVerdict::Invalid { assertion } => {
            let parts = falsified(terms, &model, assertion);
            let part = parts.last().map_or(assertion, |(term, _)| *term);
            Verdict::Invalid(shown(terms, part))
        }
        ModelVerdict::Undetermined { why, .. } => {
            Verdict::Undetermined(format!("{:?}\t{}", why.reason, shown(terms, why.term)))
        }
    }
}

fn shown(terms: &Terms, term: auspex_logic::TermId) -> String {
    let text = render::term(terms, term, Sharing::Auto);
    let line = text.replace('\n', " ");
    line.chars().take(160).collect()
}

impl Count {
    fn print(&self, title: &str, time: Duration, list: bool) {
        println!(
            "{title}: {:.0} s, answers {:?}",
            time.as_secs_f64(),
            self.answers
        );
        for quantified in [false, true] {
            let of = self.judged.iter().filter(|j| j.quantified == quantified);
            let of: Vec<&Judged> = of.collect();
            let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
            for judged in &of {
                let word = match &judged.verdict {
                    Verdict::Valid => "valid".to_string(),
                    Verdict::Invalid(_) => "invalid".to_string(),
                    Verdict::Undetermined(why) => {
                        format!("undetermined: {}", why.split('\t').next().unwrap_or(""))
                    }
                    Verdict::Unreadable(_) => "unreadable".to_string(),
                };
                *reasons.entry(word).or_default() += 1;
            }
            let kind = if quantified {
                "with quantifiers"
            } else {
                "quantifier-free"
            };
            println!("  {kind}: {} models", of.len());
            for (reason, count) in &reasons {
                let share = *count as f64 * 100.0 / of.len().max(1) as f64;
                println!("    {count:>5} {share:>5.1} %  {reason}");
            }
        }
        for judged in self.judged.iter().filter(|_| list) {
            let (word, what) = match &judged.verdict {
                Verdict::Valid => continue,
                Verdict::Invalid(what) => ("invalid", what),
                Verdict::Undetermined(what) => ("undetermined", what),
                Verdict::Unreadable(what) => ("unreadable", what),
            };
            let kind = if judged.quantified { "q" } else { "qf" };
            println!(
                "{kind}\t{word}\t{}:{}\t{what}",
                judged.file.display(),
                judged.query
            );
        }
    }
}
