//! Text in, text out: what one pass proposes.

use crate::pass::Pass;
use crate::subject::Subject;

/// The texts that a pass proposes for a script, most promising first, layout and all.
pub fn proposals(pass: &dyn Pass, text: &str) -> Vec<String> {
    let mut subject = Subject::read(text);
    let mut edits = pass.candidates(&mut subject);
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.gain));
    let texts = edits.iter().map(|edit| edit.change.text(&mut subject));
    let mut texts: Vec<String> = texts.flatten().map(|text| one_line(&text)).collect();
    texts.dedup();
    texts
}

/// Asserts that a pass proposes a text.
#[track_caller]
pub fn proposes(pass: &dyn Pass, text: &str, wanted: &str) {
    let all = proposals(pass, text);
    assert!(
        all.iter().any(|text| text == wanted),
        "{wanted} is not among {all:#?}"
    );
}

/// Asserts that a pass proposes nothing.
#[track_caller]
pub fn leaves_alone(pass: &dyn Pass, text: &str) {
    assert_eq!(proposals(pass, text), [] as [&str; 0]);
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("")
}
