//! What documents promise: links and names that exist, no address of the project where nothing is, plain words.

use crate::{files, read, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every document of the repository.
fn documents() -> Vec<PathBuf> {
    let top = std::fs::read_dir(root()).expect("the repository");
    let mut all: Vec<PathBuf> = top
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    for folder in ["docs", "deploy"] {
        all.extend(files(folder, "md"));
    }
    assert!(all.len() > 20, "the documents were not found");
    all
}

/// Documents that say what is: neither history nor generated.
fn current_documents() -> Vec<PathBuf> {
    let mut all = documents();
    let past = ["docs/archive", "docs/reference", "CHANGELOG.md"];
    all.retain(|path| !past.iter().any(|part| shown(path).contains(part)));
    all
}

/// A path without the folders above the repository.
fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(root()).unwrap_or(path);
    inside.to_string_lossy().into_owned()
}

/// The targets of all links in a Markdown text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The anchors that the headings of a Markdown text make.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| {
        let rest = line.trim_start_matches('#');
        (rest.len() < line.len()).then(|| rest.trim())
    });
    let slug = |heading: &str| {
        let kept = heading.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
            _ => None,
        });
        kept.collect::<String>()
    };
    headings.map(slug).collect()
}

#[test]
fn every_link_leads_somewhere() {
    for path in documents() {
        let text = read(&path);
        for target in links(&text) {
            if target.contains("://") || target.contains(char::is_whitespace) {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let place = match file.is_empty() {
                true => path.clone(),
                false => path.parent().unwrap_or(&path).join(file),
            };
            assert!(place.exists(), "{}: no {target}", shown(&path));
            if !anchor.is_empty() {
                let known = anchors(&read(&place));
                assert!(known.contains(anchor), "{}: no {target}", shown(&path));
            }
        }
    }
}

#[test]
fn no_address_names_a_place_of_the_project_that_does_not_exist() {
    let mut all = documents();
    for (folder, extension) in [
        ("crates", "toml"),
        ("crates", "rs"),
        ("crates", "html"),
        ("fuzz", "toml"),
        ("deploy", "service"),
        ("deploy", "yaml"),
        ("benches", "py"),
    ] {
        all.extend(files(folder, extension));
    }
    all.push(root().join("Cargo.toml"));
    for path in all {
        let text = read(&path);
        for (number, line) in text.lines().enumerate() {
            for start in ["http", "https", "git", "ssh"].map(|scheme| format!("{scheme}://")) {
                for rest in line.split(&start).skip(1) {
                    let end = |c: char| c.is_whitespace() || "\"'`)>".contains(c);
                    let address = rest.split(end).next().unwrap_or(rest);
                    let host_and_path = address.to_ascii_lowercase();
                    assert!(
                        !host_and_path.contains("auspex"),
                        "{}:{}: the project has no address {start}{address}",
                        shown(&path),
                        number + 1
                    );
                }
            }
        }
    }
}

/// The texts between single backticks of a line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether one of these sources defines something of this name.
fn defines(sources: &[PathBuf], name: &str) -> bool {
    let kinds = [
        "fn", "struct", "enum", "trait", "const", "static", "type", "mod",
    ];
    let starts = kinds.map(|kind| format!("{kind} {name}"));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    sources.iter().any(|path| {
        let text = read(path);
        starts.iter().any(|start| {
            let mut places = text.match_indices(start.as_str());
            places.any(|(at, _)| !text[at + start.len()..].starts_with(is_name))
        })
    })
}

#[test]
fn architecture_answers_where_things_are() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let table = text.split("\n## Where is …\n").nth(1).unwrap_or("");
    let table = table.split("\n## ").next().unwrap_or("");
    let rows: Vec<&str> = table
        .lines()
        .filter(|row| row.contains("`crates/"))
        .collect();
    assert!(rows.len() >= 20, "{} questions", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [question, places, names] = cells.as_slice() else {
            panic!("not three cells: {row}");
        };
        assert!(question.trim().ends_with('?'), "{question}");
        let mut sources = Vec::new();
        for place in spans(places) {
            match place.ends_with('/') {
                true => sources.extend(files(place, "rs")),
                false => sources.push(root().join(place)),
            }
        }
        for name in spans(names) {
            assert!(defines(&sources, name), "{question} no {name} in {places}");
        }
    }
}

/// The string that a function of the source returns at once: `fn name(&self) -> &'static str { "crash" }`.
fn returned<'s>(text: &'s str, function: &str) -> Option<&'s str> {
    let rest = text.split(function).nth(1)?;
    let (before, rest) = rest.split_once('"')?;
    let is_first = before.trim().trim_start_matches('{').trim().is_empty();
    is_first.then(|| rest.split('"').next().unwrap_or(rest))
}

#[test]
fn the_page_of_oracles_has_every_oracle() {
    let page = read(&root().join("docs/oracles.md"));
    let mut count = 0;
    for path in files("crates/cases/src/oracle", "rs") {
        let text = read(&path);
        if !text.contains("impl Oracle for ") {
            continue;
        }
        let name = returned(&text, "fn name(&self) -> &'static str");
        let name = name.unwrap_or_else(|| panic!("{} has no name", shown(&path)));
        assert!(page.contains(&format!("\n| {name} |")), "no oracle {name}");
        count += 1;
    }
    assert!(count > 5, "the oracles were not found");
}

/// All files that a document may name by the end of their path.
fn sources() -> Vec<String> {
    let mut all = Vec::new();
    for (folder, extension) in [
        ("crates", "rs"),
        ("fuzz", "rs"),
        ("benches", "py"),
        ("docs", "py"),
        ("crates", "py"),
    ] {
        all.extend(found(folder, extension));
    }
    all
}

/// As `files`, but none is fine.
fn found(folder: &str, extension: &str) -> Vec<String> {
    let (mut open, mut all) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                all.push(shown(&path));
            }
        }
    }
    all
}

#[test]
fn files_that_documents_name_exist() {
    let sources = sources();
    for path in current_documents() {
        let text = read(&path);
        for span in text.lines().flat_map(spans) {
            let is_source = span.ends_with(".rs") || span.starts_with("benches/");
            let name = span.split_whitespace().next().unwrap_or("");
            if !is_source || !name.contains('.') || name.contains(['<', '*', 'N', '{']) {
                continue;
            }
            let end = format!("/{name}");
            let is_there = |file: &String| file == name || file.ends_with(&end);
            assert!(sources.iter().any(is_there), "{}: no {name}", shown(&path));
        }
    }
}

#[test]
fn tests_and_benchmarks_that_documents_name_exist() {
    let sources = sources();
    for path in current_documents() {
        let text = read(&path);
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == '`')
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let folder = match pair[0] {
                "--test" => "tests",
                "--bench" => "benches",
                "--example" => "examples",
                _ => continue,
            };
            let name = pair[1].trim_end_matches([',', '.', ';', ':', ')']);
            if name.is_empty() || name.chars().any(|c| c.is_ascii_uppercase()) {
                continue;
            }
            let end = format!("/{folder}/{name}.rs");
            let is_there = sources.iter().any(|file| file.ends_with(&end));
            assert!(is_there, "{}: no {folder}/{name}.rs", shown(&path));
        }
    }
}

/// Words that are not the field's: what an engineer calls the thing stands beside each.
const UNPLAIN: &[(&str, &str)] = &[
    ("larder", "supply of terms"),
    ("pantry", "supply of terms"),
    ("nursery", "prepared seeds"),
    ("shelf", "cache"),
    ("crew", "worker sessions"),
    ("that is none", "say what it is"),
    ("that are none", "say what they are"),
    ("in vain", "without a result"),
    ("nobody", "no solver, no user, no one"),
    ("stray", "say what it is"),
    ("strays", "say what they are"),
    ("that are none", "say what they are"),
    ("ask_around", "arbitrate"),
    ("no such thing as", "unknown"),
];

/// Lowercase words with what separates them turned into one space, so that phrases are found across lines.
fn plain_words(text: &str) -> String {
    let mut words = String::from(" ");
    for line in text.lines() {
        let line = line.trim_start();
        let line = line.trim_start_matches('/').trim_start_matches('!');
        for word in line.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if !word.is_empty() {
                words.push_str(&word.to_lowercase());
                words.push(' ');
            }
        }
    }
    words
}

#[test]
fn words_are_plain() {
    let mut all = current_documents();
    for (folder, extension) in [
        ("crates", "rs"),
        ("crates", "html"),
        ("solvers", "toml"),
        ("benches", "py"),
    ] {
        all.extend(files(folder, extension));
    }
    let mut wrong = Vec::new();
    for path in all
        .iter()
        .filter(|path| !path.ends_with("documents/mod.rs"))
        // It has the name of a Unix account.
        .filter(|path| !path.ends_with("server/mod.rs"))
    {
        let words = plain_words(&read(path));
        for (word, better) in UNPLAIN {
            if words.contains(&format!(" {word} ")) {
                wrong.push(format!("{}: {word} ({better})", shown(path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
