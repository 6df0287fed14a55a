//! Edits as data: what a pass proposes, and the text that results.

use crate::subject::Subject;
use crate::usage::drop_freed;
use auspex_logic::edit::Path;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A change and what it is expected to remove.
#[derive(Clone, Debug)]
pub struct Edit {
    /// An estimate of the tokens and lists that go away; larger gains are tried first.
    pub gain: u64,
    pub change: Change,
}

/// A change of the subject. Its text is made only when it is tried.
#[derive(Clone, Debug)]
pub enum Change {
    /// Removes the commands with these numbers.
    Drop(Vec<usize>),
    /// Replaces a command by others.
    Put(usize, Vec<Command>),
    /// Replaces every occurrence of some terms.
    All(Vec<(TermId, TermId)>),
    /// Removes one command and replaces every occurrence of a term elsewhere.
    Eliminate {
        command: usize,
        old: TermId,
        new: TermId,
    },
    /// Replaces one occurrence, below the n-th root of the script.
    At {
        root: usize,
        path: Path,
        new: TermId,
    },
    /// Another script over the same terms.
    Script(Box<Script>),
    /// Another text.
    Text(String),
}

impl Edit {
    pub fn new(gain: u64, change: Change) -> Edit {
        Edit { gain, change }
    }

    /// Another script, with a gain that depends on the kind of edit only.
    pub fn script(gain: u64, script: Script) -> Edit {
        Edit::new(gain, Change::Script(Box::new(script)))
    }

    pub fn text(gain: u64, text: String) -> Edit {
        Edit::new(gain, Change::Text(text))
    }
}

impl Change {
    /// The whole text after the change; none if it is ill-sorted or nothing changes.
    pub fn text(&self, subject: &mut Subject) -> Option<String> {
        if let Change::Text(text) = self {
            return (*text != subject.text).then(|| text.clone());
        }
        let mark = subject.terms.mark();
        let script = self.script(&mut subject.terms, &subject.script);
        let text = script.map(|mut script| {
            drop_freed(&subject.terms, &mut script, &subject.usage);
            let text = render::script(&subject.terms, &script, Sharing::Auto);
            subject.spellings.restore(text)
        });
        subject.terms.release(mark);
        text.filter(|text| *text != subject.text)
    }

    fn script(&self, terms: &mut Terms, old: &Script) -> Option<Script> {
        let mut script = Script {
            commands: Vec::new(),
            spans: Vec::new(),
        };
        match self {
            Change::Drop(numbers) => {
                let gone: FxHashSet<usize> = numbers.iter().copied().collect();
                let commands = old.commands.iter().enumerate();
                let kept = commands.filter(|(number, _)| !gone.contains(number));
                script.commands = kept.map(|(_, command)| command.clone()).collect();
            }
            Change::Put(number, new) => {
                script.commands = old.commands.clone();
                let place = *number..*number + 1;
                script.commands.splice(place, new.iter().cloned());
            }
            Change::All(pairs) => {
                script.commands = old.commands.clone();
                let map: FxHashMap<TermId, TermId> = pairs.iter().copied().collect();
                script.map_roots(|root| terms.replace_all(root, &map));
            }
            Change::Eliminate {
                command,
                old: from,
                new,
            } => {
                script.commands = old.commands.clone();
                script.commands.remove(*command);
                let map = FxHashMap::from_iter([(*from, *new)]);
                script.map_roots(|root| terms.replace_all(root, &map));
            }
            Change::At { root, path, new } => {
                script.commands = old.commands.clone();
                let changed = terms.replace_at(*old.roots().get(*root)?, path, *new)?;
                let mut number = 0;
                script.map_roots(|term| {
                    number += 1;
                    if number - 1 == *root { changed } else { term }
                });
            }
            Change::Script(new) => script.commands = new.commands.clone(),
            Change::Text(_) => return None,
        }
        Some(script)
    }
}
