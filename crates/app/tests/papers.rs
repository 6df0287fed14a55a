//! The pages in docs/papers say where each part of a paper is; this test keeps what they name and show true.
//!
//! What is checked of a page, outside of fenced blocks and between backticks:
//! - a path of the repository (`crates/cases/src/draw.rs`, also with `:line` or `#heading`) exists;
//! - `auspex COMMAND --option …` has an existing command, existing options, and strategies that exist;
//! - `cargo test|bench -p CRATE --test|--bench NAME` names an existing file, and `python3 FILE` an existing script;
//! - after the words rule, strategy or test, or in a column of a table with such a title, the name exists.
//!
//! Fenced blocks that open with `smt2 NAME` are files; a block `console` is run in their folder:
//! lines after `$ auspex …` are what it prints, `...` stands for any lines, and `[exit N]` for the exit code.
//! A block that starts with `# needs SOLVER` is skipped, loudly, where the solver cannot be had.

mod common;

use common::{auspex, have, said};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages with their names.
fn pages() -> Vec<(String, String)> {
    let folder = root().join("docs/papers");
    let entries = std::fs::read_dir(&folder).expect("docs/papers is there");
    let mut pages: Vec<(String, String)> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "md"))
        .map(|entry| {
            let text = std::fs::read_to_string(entry.path()).expect("a readable page");
            (entry.file_name().to_string_lossy().into_owned(), text)
        })
        .collect();
    pages.sort();
    assert!(!pages.is_empty(), "no pages in {}", folder.display());
    pages
}

/// A page in two parts: its lines of prose, and its fenced blocks with the words after the fence.
fn parts(page: &str) -> (Vec<&str>, Vec<(&str, Vec<&str>)>) {
    let (mut prose, mut blocks) = (Vec::new(), Vec::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        match line.strip_prefix("```") {
            Some(words) => {
                let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
                blocks.push((words, block.collect()));
            }
            None => prose.push(line),
        }
    }
    (prose, blocks)
}

/// What stands between backticks, each with the text before it. A bar in a table is written `\|`.
fn spans(line: &str) -> Vec<(String, &str)> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((inside, next)) = after.split_once('`') else {
            break;
        };
        spans.push((inside.replace("\\|", "|"), before));
        rest = next;
    }
    spans
}

/// The facts that names are looked up in.
struct SolverSet {
    commands: BTreeMap<String, String>,
    rules: BTreeSet<String>,
    /// All sources and tests.
    code: String,
    top: BTreeSet<String>,
}

impl SolverSet {
    fn new() -> SolverSet {
        let listed = auspex(&["rules", "--json"]);
        let listed: serde_json::Value =
            serde_json::from_slice(&listed.stdout).expect("rules are listed as JSON");
        let name = |rule: &serde_json::Value| Some(rule["name"].as_str()?.to_string());
        let rules = listed["rules"].as_array().expect("a list");
        let top = std::fs::read_dir(root()).expect("the repository");
        let mut known = SolverSet {
            commands: BTreeMap::new(),
            rules: rules.iter().filter_map(name).collect(),
            code: String::new(),
            top: top
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect(),
        };
        gather(&root().join("crates"), &mut known.code);
        known
    }

    fn help(&mut self, command: &str) -> Result<&str, String> {
        if !self.commands.contains_key(command) {
            let output = auspex(&[command, "--help"]);
            if !output.status.success() {
                return Err(format!("there is no command `auspex {command}`"));
            }
            self.commands.insert(command.into(), said(&output));
        }
        Ok(&self.commands[command])
    }

    /// What is wrong with the text between two backticks.
    fn check(&mut self, span: &str, kind: Option<&str>) -> Result<(), String> {
        let words: Vec<&str> = span.split_whitespace().collect();
        match (words.as_slice(), kind) {
            (["auspex", command, rest @ ..], _) => self.command(command, rest),
            (["cargo", rest @ ..], _) => target(rest),
            (["python3", file, ..], _) => path(file),
            ([name], Some("rule")) => self.rule(name),
            ([name], Some("strategy")) => strategy(name),
            ([name], Some("test")) => self.test(name),
            ([one], None) if self.is_path(one) => path(one),
            _ => Ok(()),
        }
    }

    fn command(&mut self, command: &str, words: &[&str]) -> Result<(), String> {
        let help = self.help(command)?;
        let mut before = "";
        for word in words {
            let option = word.split('=').next().unwrap_or(word);
            let is_listed = help
                .split([' ', ',', '\n', '=', '`'])
                .any(|listed| listed == option);
            if option.starts_with("--") && !is_listed {
                return Err(format!("`auspex {command}` has no option {option}"));
            }
            if before == "--strategy" && !word.contains(|c: char| c.is_uppercase()) {
                word.split(',').try_for_each(strategy)?;
            }
            before = word;
        }
        Ok(())
    }

    fn rule(&self, name: &str) -> Result<(), String> {
        match self.rules.contains(name) {
            true => Ok(()),
            false => Err(format!("there is no rule `{name}`")),
        }
    }

    fn test(&self, name: &str) -> Result<(), String> {
        match self.code.contains(&format!("fn {name}()")) {
            true => Ok(()),
            false => Err(format!("there is no test `{name}`")),
        }
    }

    fn is_path(&self, word: &str) -> bool {
        let first = word.split('/').next().unwrap_or(word);
        let ending = [".rs", ".md", ".rules", ".py", ".toml", ".smt2", ".txt"];
        let is_file = ending
            .iter()
            .any(|e| word.split(':').next().unwrap_or("").ends_with(e));
        word.contains('/') && (self.top.contains(first) || is_file) && !word.contains('*')
    }
}

fn gather(folder: &Path, code: &mut String) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = path.path();
        if path.is_dir() {
            gather(&path, code);
        } else if path.extension().is_some_and(|e| e == "rs") {
            code.push_str(&std::fs::read_to_string(path).unwrap_or_default());
        }
    }
}

fn path(word: &str) -> Result<(), String> {
    let file = word.split([':', '#']).next().unwrap_or(word);
    match root().join(file).exists() {
        true => Ok(()),
        false => Err(format!("there is no file {file}")),
    }
}

fn strategy(name: &str) -> Result<(), String> {
    let output = auspex(&["rules", "--strategy", name]);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("there is no strategy `{name}`: {}", said(&output))),
    }
}

/// Whether the test or benchmark of a `cargo` command is there.
fn target(words: &[&str]) -> Result<(), String> {
    let after = |key: &str| {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1).copied()
    };
    let Some(package) = after("-p") else {
        return Ok(());
    };
    let krate = package.strip_prefix("auspex-").unwrap_or("app");
    for (key, folder) in [("--test", "tests"), ("--bench", "benches")] {
        if let Some(name) = after(key) {
            path(&format!("crates/{krate}/{folder}/{name}.rs"))?;
        }
    }
    path(&format!("crates/{krate}"))
}

const KINDS: [&str; 3] = ["rule", "strategy", "test"];

/// The kind that a word names: `rules` names rules.
fn kind_of(word: &str) -> Option<&'static str> {
    let word = word.trim().to_lowercase();
    let plural =
        |kind: &str| word == format!("{kind}s") || word == "strategies" && kind == "strategy";
    KINDS.into_iter().find(|kind| word == *kind || plural(kind))
}

/// The problems of a page's prose.
fn problems(known: &mut SolverSet, prose: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut titles: Vec<Option<&str>> = Vec::new();
    for line in prose {
        if !line.starts_with('|') {
            titles.clear();
        } else if titles.is_empty() {
            titles = line.split('|').map(kind_of).collect();
        }
        let mut column = 0;
        let mut kind = None;
        for (span, before) in spans(line) {
            column += before.replace("\\|", "").matches('|').count();
            // `a`, `b` and `c` after the word rules are all rules.
            let joins = ["", ",", "and", "or", ", and"].contains(&before.trim());
            if !joins {
                kind = before.split_whitespace().last().and_then(kind_of);
            }
            let kind = kind.or(titles.get(column).copied().flatten());
            if let Err(why) = known.check(&span, kind) {
                problems.push(format!("{why}: {line}"));
            }
        }
    }
    problems
}

#[test]
fn what_the_pages_name_exists() {
    let mut known = SolverSet::new();
    let mut wrong = Vec::new();
    for (name, page) in pages() {
        let (prose, _) = parts(&page);
        let found = problems(&mut known, &prose);
        wrong.extend(found.into_iter().map(|why| format!("{name}: {why}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_exist_is_found() {
    let mut known = SolverSet::new();
    let wrong = [
        "`crates/cases/src/nothing.rs`",
        "`auspex frobnicate`",
        "`auspex fuzz --frobnicate`",
        "`auspex mutate --strategy frob seed.smt2`",
        "the rule `no-such-rule`",
        "the strategies `typefuzz` and `frob`",
        "`cargo bench -p auspex-cases --bench nothing`",
        "the test `no_such_test_anywhere`",
    ];
    for line in wrong {
        assert_eq!(problems(&mut known, &[line]).len(), 1, "{line}");
    }
    let right = [
        "`crates/cases/src/draw.rs:12` and `docs/errata.md#sparrow`",
        "`auspex fuzz --seeds DIR --strategy typefuzz:60,diver`",
        "rules `inject-or` and `inject-and`, strategy `approximate`; `frob`less",
        "`cargo bench -p auspex-cases --bench approximate -- FOLDER`",
        "the test `what_does_not_exist_is_found`",
    ];
    for line in right {
        assert_eq!(problems(&mut known, &[line]), [""; 0], "{line}");
    }
    let table = ["| row | rule |", "|---|---|", "| a `b` | `no-such-rule` |"];
    assert_eq!(problems(&mut known, &table).len(), 1);
}

/// A folder with the files of one page.
struct Folder(PathBuf);

impl Folder {
    fn new(page: &str) -> Folder {
        let name = format!("auspex-papers-{}-{page}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a writable folder");
        Folder(folder)
    }

    fn run(&self, command: &str) -> Output {
        let words = command.split_whitespace().skip(1);
        Command::new(env!("CARGO_BIN_EXE_auspex"))
            .arg("--quiet")
            .args(words)
            .current_dir(&self.0)
            .output()
            .expect("the program starts")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether lines are those expected, where `...` stands for any lines.
fn is_as_expected(lines: &[&str], expected: &[&str]) -> bool {
    match expected {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|at| is_as_expected(&lines[at..], rest)),
        [first, rest @ ..] => {
            lines
                .first()
                .is_some_and(|line| line.trim_end() == first.trim_end())
                && is_as_expected(&lines[1..], rest)
        }
    }
}

/// Runs the commands of a block and says where one prints something else.
fn run_block(folder: &Folder, block: &[&str]) -> Result<usize, String> {
    let mut count = 0;
    let mut lines = block.iter().copied().peekable();
    while let Some(line) = lines.next() {
        if let Some(solver) = line.strip_prefix("# needs ") {
            if !have(solver) {
                return Ok(count.max(1));
            }
            continue;
        }
        let command = line
            .strip_prefix("$ ")
            .filter(|command| command.starts_with("auspex "))
            .ok_or_else(|| format!("{line:?} is no command of auspex"))?;
        let mut expected = Vec::new();
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ")) {
            expected.push(next);
        }
        let exit = expected.last().and_then(|line| {
            let code = line.strip_prefix("[exit ")?.strip_suffix(']')?;
            code.parse::<i32>().ok()
        });
        if exit.is_some() {
            expected.pop();
        }
        let output = folder.run(command);
        let text = said(&output);
        let printed: Vec<&str> = text.lines().collect();
        if !is_as_expected(&printed, &expected) {
            return Err(format!("{command} prints\n{text}"));
        }
        if output.status.code() != Some(exit.unwrap_or(0)) {
            return Err(format!("{command} ends with {:?}\n{text}", output.status));
        }
        count += 1;
    }
    Ok(count)
}

#[test]
fn examples_of_the_pages_give_what_the_pages_say() {
    for (name, page) in pages() {
        let folder = Folder::new(&name);
        let (_, blocks) = parts(&page);
        let mut count = 0;
        for (words, block) in blocks {
            if let Some(file) = words.strip_prefix("smt2 ") {
                let text = block.join("\n") + "\n";
                std::fs::write(folder.0.join(file.trim()), text).expect("a writable folder");
            } else if words.trim() == "console" {
                let ran = run_block(&folder, &block);
                count += ran.unwrap_or_else(|why| panic!("{name}: {why}"));
            }
        }
        assert!(count > 0, "{name} has no example that can be run");
    }
}

#[test]
fn an_example_that_is_not_true_is_found() {
    let folder = Folder::new("own");
    std::fs::write(folder.0.join("a.smt2"), "(assert true)(check-sat)").expect("a folder");
    let good = ["$ auspex eval a.smt2 --help", "...", "[exit 0]"];
    assert_eq!(run_block(&folder, &good), Ok(1));
    assert!(run_block(&folder, &["$ auspex fmt a.smt2", "frob"]).is_err());
    assert!(run_block(&folder, &["$ auspex fmt a.smt2", "...", "[exit 3]"]).is_err());
    assert!(run_block(&folder, &["$ rm a.smt2"]).is_err());
}
