//! The seed pool: the readable scripts of some folders, one for each structure, with what was learned about them.

use crate::reading::read_within;
use crate::stable::Stable;
use crate::team::case_profile::features;
use auspex_cases::{Seed, SeedStatus};
use auspex_logic::TheorySet;
use auspex_logic::model::read_model;
use auspex_logic::{Command, Reading, Terms, read_script};
use auspex_solvers::allow::allowed_by_any;
use auspex_solvers::profile::built_in;
use auspex_syntax::{Document, Kind, Sexpr};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The largest seed file.
pub const LARGEST: u64 = 64 << 10;

/// A usable seed.
pub struct SeedFile {
    pub name: String,
    pub text: String,
    /// The hash of its structure, in hexadecimal.
    pub key: String,
    /// What its terms are about.
    pub theories: TheorySet,
    /// What was learned, at the first use and once for all workers.
    pub facts: OnceLock<Facts>,
    /// Whether it is a past finding, which is not reported again.
    pub past: bool,
    /// How many commands are not sent because they could do harm.
    pub lost: usize,
}

/// What solvers and our evaluator found out about a seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub status: Option<SeedStatus>,
    /// Accepted models of the first query, as the solvers printed them.
    pub models: Vec<String>,
    /// Positions of a core's assertions.
    pub core: Option<Vec<usize>>,
    pub theories: Vec<String>,
    /// Answer and milliseconds of each solver, by title.
    pub answers: BTreeMap<String, (String, u64)>,
    /// Why it is set aside, if it is.
    pub set_aside: Option<String>,
    /// Whether only the answers and their models were asked for, without cores and further models.
    #[serde(default)]
    pub brief: bool,
}

/// A file that a case was made from, with what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedRecord {
    pub name: String,
    pub text: String,
    pub facts: Facts,
}

/// All seeds, and the skipped files with reasons.
#[derive(Default)]
pub struct Pool {
    pub seeds: Vec<SeedFile>,
    /// Reasons with counts.
    pub skipped: BTreeMap<String, u64>,
    /// A few examples of what was skipped.
    pub examples: Vec<(PathBuf, String)>,
    /// Cumulative weights of the seeds; none if all are equal.
    sums: Vec<u64>,
}

/// The additional weight of a seed for each bug it led to; a past bug weighs like a seed that led to one.
const BUG_WEIGHT: u64 = 4;
/// The most bugs that count.
const MOST_BUGS: u64 = 4;

impl Pool {
    /// Reads folders and files. Unusable files are counted with their reason and are not an error.
    pub fn read(places: &[PathBuf], largest: u64) -> Pool {
        let mut pool = Pool::default();
        let mut seen = HashSet::new();
        for place in places {
            let mut files = Vec::new();
            collect(place, &mut files, &mut pool, 0);
            files.sort();
            for file in files {
                match read_seed(place, &file, largest) {
                    Ok(seed) if seen.insert(seed.key.clone()) => pool.seeds.push(seed),
                    Ok(_) => pool.skip(&file, "same structure as another"),
                    Err(why) => pool.skip(&file, &why),
                }
            }
        }
        pool
    }

    fn skip(&mut self, path: &Path, why: &str) {
        *self.skipped.entry(why.to_string()).or_default() += 1;
        if self.examples.len() < 20 {
            self.examples.push((path.to_path_buf(), why.to_string()));
        }
    }

    /// Adds the usable new ones among named scripts.
    pub fn add(&mut self, scripts: impl Iterator<Item = (String, String)>) {
        let mut known: HashSet<String> = self.seeds.iter().map(|seed| seed.key.clone()).collect();
        for (name, text) in scripts {
            if let Ok(seed) = SeedFile::new(name, text)
                && known.insert(seed.key.clone())
            {
                self.seeds.push(seed);
            }
        }
    }

    /// Loads what an earlier run learned.
    pub fn recall(&self, facts: &HashMap<String, Facts>) {
        for seed in &self.seeds {
            if let Some(facts) = facts.get(&seed.key) {
                let _ = seed.facts.set(facts.clone());
            }
        }
    }

    /// Adds mutants that led to findings, with what is known about them.
    pub fn restore(&mut self, grown: Vec<SeedRecord>) {
        let before = self.seeds.len();
        for record in grown {
            if let Ok(mut seed) = SeedFile::new(record.name, record.text)
                && self.seeds.iter().all(|known| known.key != seed.key)
            {
                seed.facts = OnceLock::from(record.facts);
                seed.past = true;
                self.seeds.push(seed);
            }
        }
        let mut sum = self.sums.last().copied().unwrap_or(0);
        let weights = self.seeds[before..].iter().map(|_| {
            sum += 1 + BUG_WEIGHT;
            sum
        });
        self.sums.extend(weights);
    }

    /// Picks a seed about some of these theories by a random number. Returns its position.
    pub fn pick_about(&self, number: u64, about: TheorySet) -> Option<usize> {
        if about.is_empty() {
            return self.pick(number);
        }
        let fits = |seed: &SeedFile| seed.theories.meets(about);
        let places = || (0..self.seeds.len()).filter(|at| fits(&self.seeds[*at]));
        let count = places().count() as u128;
        places().nth(((u128::from(number) * count) >> 64) as usize)
    }

    /// The position of a seed for a number drawn at random; none if there are no seeds.
    pub fn pick(&self, number: u64) -> Option<usize> {
        let total = self.sums.last().copied().unwrap_or(self.seeds.len() as u64);
        let at = ((u128::from(number) * u128::from(total)) >> 64) as u64;
        let place = match self.sums.is_empty() {
            true => at as usize,
            false => self.sums.partition_point(|sum| *sum <= at),
        };
        (place < self.seeds.len()).then_some(place)
    }

    /// Adds past findings as seeds; these and the seeds that led to bugs weigh more. `bugs` counts them by the key of
    /// the seed.
    pub fn favour(&mut self, findings: &[(String, String)], bugs: &BTreeMap<String, u64>) {
        let known: HashSet<String> = self.seeds.iter().map(|seed| seed.key.clone()).collect();
        for (name, text) in findings {
            if let Ok(mut seed) = SeedFile::new(name.clone(), text.clone())
                && !known.contains(&seed.key)
            {
                seed.past = true;
                self.seeds.push(seed);
            }
        }
        let mut sum = 0;
        let weight = |seed: &SeedFile| {
            let bugs = bugs.get(&seed.key).copied().unwrap_or(0);
            1 + BUG_WEIGHT * (bugs + u64::from(seed.past)).min(MOST_BUGS)
        };
        let sums = self.seeds.iter().map(|seed| {
            sum += weight(seed);
            sum
        });
        self.sums = sums.collect();
    }

    /// These seeds, in their positions, with the new ones of another pool after them.
    pub fn joined(&self, more: Pool) -> Pool {
        let mut joined = Pool {
            seeds: self.seeds.iter().map(SeedFile::copy).collect(),
            skipped: more.skipped,
            examples: more.examples,
            sums: Vec::new(),
        };
        let known: HashSet<&str> = self.seeds.iter().map(|seed| seed.key.as_str()).collect();
        let new = more.seeds.into_iter();
        joined
            .seeds
            .extend(new.filter(|seed| !known.contains(seed.key.as_str())));
        joined.favour(&[], &BTreeMap::new());
        joined
    }

    /// Draws these seeds, by their keys, much more often than the others, in proportion to their weights; those without
    /// a weight share an eighth.
    pub fn direct(&mut self, weights: &BTreeMap<String, u64>) {
        let weight = |seed: &SeedFile| weights.get(&seed.key).copied().unwrap_or(0);
        let total: u64 = self.seeds.iter().map(weight).sum();
        if total == 0 {
            return;
        }
        // In units so fine that an eighth can be shared.
        let count = self.seeds.len() as u64;
        let others = (total / 7).max(1);
        let mut sum = 0;
        let sums = self.seeds.iter().map(|seed| {
            sum += weight(seed) * count + others;
            sum
        });
        self.sums = sums.collect();
    }

    /// How many eighths of the seeds come from the pool: few if it has only past bugs.
    pub fn share(&self) -> usize {
        match (self.seeds.is_empty(), self.seeds.iter().all(|s| s.past)) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 7,
        }
    }

    /// How many seeds are used, and how many are set aside.
    pub fn counts(&self) -> (usize, usize) {
        let known = self.seeds.iter().filter_map(|seed| seed.facts.get());
        known.fold((0, 0), |(used, set_aside), facts| match facts.set_aside {
            None => (used + 1, set_aside),
            Some(_) => (used, set_aside + 1),
        })
    }
}

impl SeedFile {
    /// A seed from its text, or the reason why it cannot be one.
    pub fn new(name: String, text: String) -> Result<SeedFile, String> {
        // Seeds are untrusted. Each solver may be sent even less, but commands that no solver may be sent are dropped
        // here.
        let allowed = allowed_by_any(built_in(), &text);
        if allowed.refused.is_some() {
            return Err("malformed, or read differently by solvers".to_string());
        }
        let lost = allowed.lost.len();
        let text = allowed.script.into_owned();
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &text).map_err(|_| "syntax error".to_string())?;
        check(&reading)?;
        let document = Document::read(text.as_str()).map_err(|_| "syntax error".to_string())?;
        Ok(SeedFile {
            name,
            key: structure(&document),
            theories: features(&terms, &reading.script).theories,
            text,
            facts: OnceLock::new(),
            past: false,
            lost,
        })
    }

    /// Another one of the same script.
    fn copy(&self) -> SeedFile {
        SeedFile {
            name: self.name.clone(),
            text: self.text.clone(),
            key: self.key.clone(),
            theories: self.theories,
            facts: self.facts.clone(),
            past: self.past,
            lost: self.lost,
        }
    }

    /// The seed in a worker's arena, with what is known about it.
    pub fn load(&self, terms: &mut Terms, facts: &Facts) -> Option<Seed> {
        let mut script = read_script(terms, &self.text).ok()?.script;
        if script.queries().is_empty() {
            script.push(Command::CheckSat);
        }
        let models = facts.models.iter();
        let models = models.filter_map(|text| read_model(terms, &script, text).ok());
        Some(Seed {
            name: self.name.clone(),
            status: facts.status,
            models: models.collect(),
            core: facts.core.clone(),
            script,
        })
    }
}

impl Facts {
    /// What is known without asking a solver.
    pub fn of_made(status: Option<SeedStatus>) -> Facts {
        Facts {
            status,
            ..Facts::default()
        }
    }
}

/// Whether a script can be a seed: it has a command besides set-logic and set-info.
fn check(reading: &Reading) -> Result<(), String> {
    let says = |c: &Command| !matches!(c, Command::SetLogic(_) | Command::SetInfo(..));
    match reading.script.commands.iter().any(says) {
        true => Ok(()),
        false => Err("nothing to mutate".to_string()),
    }
}

fn read_seed(place: &Path, file: &Path, largest: u64) -> Result<SeedFile, String> {
    let bytes = read_within(file, largest).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => "too large".to_string(),
        ErrorKind::InvalidInput => "not a regular file".to_string(),
        kind => format!("cannot be read: {kind}"),
    })?;
    let name = file
        .strip_prefix(place)
        .ok()
        .filter(|p| !p.as_os_str().is_empty());
    let name = name
        .or_else(|| file.file_name().map(Path::new))
        .unwrap_or(file);
    let text = auspex_syntax::decode(&bytes).into_owned();
    let name = auspex_syntax::decode(name.as_os_str().as_bytes());
    SeedFile::new(name.into_owned(), text)
}

/// The `.smt2` files below a path; a file is used whatever its name. Links are reported and not followed, since they
/// may form cycles or lead to unintended files.
fn collect(place: &Path, files: &mut Vec<PathBuf>, pool: &mut Pool, depth: usize) {
    if depth > 64 {
        return pool.skip(place, "folders nested too deeply");
    }
    let entries = match std::fs::read_dir(place) {
        Ok(entries) => entries,
        Err(_) if depth == 0 && !place.is_dir() => return files.push(place.to_path_buf()),
        Err(error) => return pool.skip(place, &format!("cannot be read: {}", error.kind())),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            pool.skip(&path, "cannot be read");
            continue;
        };
        let is_script = path.extension().is_some_and(|e| e == "smt2" || e == "smt");
        if kind.is_symlink() && (is_script || path.is_dir()) {
            pool.skip(&path, "a link");
        } else if kind.is_dir() {
            collect(&path, files, pool, depth + 1);
        } else if is_script {
            files.push(path);
        }
    }
}

/// The hash of a script's structure, with declared names numbered and comments removed.
fn structure(document: &Document) -> String {
    let mut names = HashMap::new();
    let mut hash = Stable::default();
    for command in document.items() {
        let head = command.head().unwrap_or("");
        if matches!(head, "set-info" | "exit" | "get-model" | "echo") {
            continue;
        }
        if head.starts_with("declare-") || head.starts_with("define-") {
            let name = command.item(1).and_then(Sexpr::symbol);
            let number = names.len() as u64;
            name.map(|name| names.entry(name).or_insert(number));
        }
        hash = node(command, &names, hash);
    }
    format!("{:016x}", hash.finish())
}

/// Hashes one s-expression without recursion: nesting may be deep.
fn node(root: Sexpr<'_>, names: &HashMap<&str, u64>, mut hash: Stable) -> Stable {
    let mut stack = vec![Some(root)];
    while let Some(next) = stack.pop() {
        let Some(item) = next else {
            hash = hash.number(2);
            continue;
        };
        match item.kind() {
            Kind::List => {
                hash = hash.number(1);
                stack.push(None);
                let from = stack.len();
                stack.extend(item.items().map(Some));
                stack[from..].reverse();
            }
            _ => {
                let number = item.symbol().and_then(|name| names.get(name));
                hash = match number {
                    Some(number) => hash.number(1000 + number),
                    None => hash.text(item.text()),
                };
            }
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn key(text: &str) -> String {
        SeedFile::new("x".to_string(), text.to_string()).map_or_else(|why| why, |seed| seed.key)
    }

    #[test]
    fn one_structure_once() {
        let a = key("(set-info :status sat)(declare-const x Int)(assert (< x 1))(check-sat)");
        assert_eq!(
            a,
            key("(declare-const |y z| Int) ; note\n(assert (< |y z| 1))(check-sat)(exit)")
        );
        assert_ne!(a, key("(declare-const x Int)(assert (< x 2))(check-sat)"));
        assert_ne!(a, key("(declare-const x Int)(assert (< 1 x))(check-sat)"));
    }

    #[test]
    fn reads_what_it_can_and_counts_the_rest() {
        let scratch = Scratch::new();
        let write = |name: &str, bytes: &[u8]| {
            let path = scratch.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        write("good.smt2", b"(declare-const p Bool)(assert p)(check-sat)");
        write(
            "in/same.smt2",
            b"(declare-const q Bool)(assert q)(check-sat)",
        );
        write("broken.smt2", b"(assert (");
        write("bytes.smt2", &[0xff, 0, 0x28, 0xfe]);
        write("empty.smt2", b"");
        write("info.smt2", b"(set-logic ALL)(set-info :status sat)");
        write("large.smt2", &vec![b' '; 9000]);
        write("other.txt", b"hello");
        std::fs::create_dir(scratch.path().join("folder.smt2")).unwrap();
        let pool = Pool::read(&[scratch.path().to_path_buf()], 8000);
        assert_eq!(pool.seeds.len(), 1);
        assert_eq!(pool.seeds[0].name, "good.smt2");
        assert_eq!(pool.skipped.values().sum::<u64>(), 6, "{:?}", pool.skipped);
        let missing = Pool::read(&[scratch.path().join("nothing")], 8000);
        assert_eq!(missing.skipped.values().sum::<u64>(), 1);
    }

    #[test]
    fn a_script_without_a_query_gets_one() {
        let text = "(declare-const p Bool)(assert p)".to_string();
        let seed = SeedFile::new("x".to_string(), text).unwrap();
        let loaded = seed.load(&mut Terms::new(), &Facts::default()).unwrap();
        assert_eq!(loaded.script.queries().len(), 1);
    }

    #[test]
    fn numbers_spread_over_all_seeds() {
        let mut pool = Pool::default();
        assert_eq!(pool.pick(7), None);
        for x in 0..3 {
            let text = format!("(declare-const x Int)(assert (= x {x}))(check-sat)");
            pool.seeds.push(SeedFile::new(x.to_string(), text).unwrap());
        }
        assert_eq!(
            [0, u64::MAX / 2, u64::MAX].map(|n| pool.pick(n)),
            [Some(0), Some(1), Some(2)]
        );
        assert_eq!(pool.share(), 7);
    }

    #[test]
    fn new_seeds_stand_behind_those_that_were_there() {
        let pool = |numbers: std::ops::Range<u32>| {
            let text = |x| format!("(declare-const x Int)(assert (= x {x}))(check-sat)");
            let seeds = numbers.map(|x| SeedFile::new(x.to_string(), text(x)).unwrap());
            Pool {
                seeds: seeds.collect(),
                ..Pool::default()
            }
        };
        let mut before = pool(0..2);
        before.seeds[1].past = true;
        let joined = before.joined(pool(1..4));
        let names: Vec<&str> = joined.seeds.iter().map(|seed| seed.name.as_str()).collect();
        assert_eq!(names, ["0", "1", "2", "3"]);
        assert!(joined.seeds[1].past && joined.pick(u64::MAX / 2) == Some(1));
        assert_eq!(Pool::default().joined(pool(0..3)).share(), 7);
    }

    #[test]
    fn bugs_and_what_led_to_them_weigh_more() {
        let mut pool = Pool::default();
        let text = |x| format!("(declare-const x Int)(assert (= x {x}))(check-sat)");
        for x in 0..2 {
            pool.seeds
                .push(SeedFile::new(x.to_string(), text(x)).unwrap());
        }
        let bugs = BTreeMap::from([(pool.seeds[1].key.clone(), 1)]);
        let past = [
            ("finding:f".to_string(), text(7)),
            ("again".to_string(), text(0)),
        ];
        pool.favour(&past, &bugs);
        assert_eq!(pool.seeds.len(), 3, "one is there already");
        let mut drawn = [0; 3];
        for number in 0..1100u64 {
            drawn[pool.pick(number * (u64::MAX / 1100)).unwrap()] += 1;
        }
        let expected = [100i32, 500, 500];
        assert!(
            drawn.iter().zip(expected).all(|(n, e)| (n - e).abs() < 3),
            "{drawn:?}"
        );
        let mut only_past = Pool::default();
        only_past.favour(&past[..1], &BTreeMap::new());
        assert_eq!((only_past.share(), Pool::default().share()), (1, 0));
    }
}
