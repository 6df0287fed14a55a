//! Caches the text of a script under mutation, so that only changed parts are rewritten.

use super::patch::{argument, end, item};
use super::{Mutant, Root, RootLocation, Site, put};
use auspex_logic::render::{self, ALWAYS_WRITTEN_OUT, Sharing};
use auspex_logic::script::DefinitionKind;
use auspex_logic::{Assertion, Command, Head, TermId, Terms};

/// The lines of a script; none before the first use.
#[derive(Default)]
pub struct TextCache {
    lines: Vec<Line>,
    /// The texts of the roots that have a line.
    roots: Vec<Written>,
    /// Buffer for a changing text.
    room: String,
}

/// One command as text.
enum Line {
    /// A command and some that follow it, which never change.
    Fixed(usize, String),
    Logic(String),
    /// The command that contains a root.
    Root(usize),
}

/// A command that contains a root.
#[derive(Default)]
struct Written {
    text: String,
    /// The root for which the text was written; none before that.
    root: Option<TermId>,
    /// The start of the root, if nothing in it is shared.
    start: Option<usize>,
}

impl TextCache {
    /// Writes a replaced term into the text of its command, if that is current and needs no `let`.
    pub fn patch(&mut self, terms: &Terms, site: &Site, root: &Root, old: TermId, new: TermId) {
        let Some(written) = self.roots.get_mut(site.root) else {
            return;
        };
        if written.root != Some(old) || root.fact.size > ALWAYS_WRITTEN_OUT {
            return;
        }
        let mut path = site.path.iter();
        let from = path.try_fold(written.start, |at, (parent, place)| {
            let head = terms.head(*parent);
            Some(argument(&written.text, at?, head, *place as usize))
        });
        let Some(Some(mut from)) = from else {
            return;
        };
        let only_head = is_exchanged(terms, site.term, new);
        from += usize::from(only_head);
        let to = end(&written.text, from);
        self.room.clear();
        self.room.push_str(&written.text[..from]);
        match only_head {
            true => render::head_to(terms, new, &mut self.room),
            false => render::term_to(terms, new, Sharing::Expanded, &mut self.room),
        }
        self.room.push_str(&written.text[to..]);
        std::mem::swap(&mut self.room, &mut written.text);
        written.root = Some(root.term);
    }
}

/// Whether two terms differ only in their operator or function.
fn is_exchanged(terms: &Terms, old: TermId, new: TermId) -> bool {
    let is_applied = |term| matches!(terms.head(term), Head::Op(_) | Head::Fun(_));
    let args = terms.args(old);
    !args.is_empty() && args == terms.args(new) && is_applied(old) && is_applied(new)
}

impl Written {
    /// Writes the command, which has at most `distinct` different terms.
    fn write(&mut self, terms: &Terms, command: &Command, root: &Root, distinct: u64) {
        let size = root.fact.size;
        let plain = size <= ALWAYS_WRITTEN_OUT;
        let sharing = match plain {
            true => Sharing::Expanded,
            false if render::is_longer(size, distinct) => Sharing::Let,
            false => Sharing::Auto,
        };
        self.text.clear();
        render::command_to(terms, command, sharing, &mut self.text);
        self.root = Some(root.term);
        self.start = plain.then(|| start(&self.text, command));
    }
}

/// The start of the term in a command.
fn start(text: &str, command: &Command) -> usize {
    match command {
        Command::Assert(assertion) => match assertion.name {
            None => item(text, 0, 1),
            Some(_) => item(text, item(text, 0, 1), 1),
        },
        Command::DefineFun(definition) => match definition.how {
            DefinitionKind::Constant => item(text, 0, 3),
            _ => item(text, 0, 4),
        },
        _ => unreachable!("roots stand in assertions and definitions"),
    }
}

impl Mutant {
    /// Appends the text of the current script.
    pub fn write(&mut self, terms: &mut Terms, out: &mut String) {
        if self.text_cache.lines.is_empty() {
            if render::has_overloaded(terms, &self.commands) {
                // In this case the text of a command depends on others.
                let script = self.script(terms);
                return render::script_to(terms, &script, Sharing::Auto, out);
            }
            self.text_cache = self.first_text(terms);
        }
        let logic = self.wider_logic();
        let mut text_cache = std::mem::take(&mut self.text_cache);
        self.add_lines(&mut text_cache);
        for line in &text_cache.lines {
            match (line, logic) {
                (Line::Logic(..), Some(logic)) => out.extend(["(set-logic ", logic, ")\n"]),
                (Line::Root(number), _) => {
                    let (written, root) = (&mut text_cache.roots[*number], &self.roots[*number]);
                    if written.root != Some(root.term) {
                        let distinct = self.facts.len();
                        written.write(terms, &self.command(root), root, distinct);
                    }
                    out.push_str(&written.text);
                }
                (Line::Fixed(_, text) | Line::Logic(text), _) => out.push_str(text),
            }
        }
        self.text_cache = text_cache;
    }

    fn first_text(&self, terms: &Terms) -> TextCache {
        let mut text_cache = TextCache::default();
        for (place, command) in self.commands.iter().enumerate() {
            let root = self.roots.get(text_cache.roots.len());
            if root.is_some_and(|root| root.location == RootLocation::Command(place)) {
                text_cache.lines.push(Line::Root(text_cache.roots.len()));
                text_cache.roots.push(Written::default());
                continue;
            }
            // An assertion may be inserted before a query.
            let asks = matches!(command, Command::CheckSat | Command::CheckSatAssuming(_));
            let is_logic = matches!(command, Command::SetLogic(_));
            if let Some(Line::Fixed(_, text)) = text_cache.lines.last_mut()
                && !asks
                && !is_logic
            {
                render::command_to(terms, command, Sharing::Auto, text);
                continue;
            }
            let mut text = String::new();
            render::command_to(terms, command, Sharing::Auto, &mut text);
            text_cache.lines.push(match is_logic {
                true => Line::Logic(text),
                false => Line::Fixed(place, text),
            });
        }
        text_cache
    }

    /// Lines for new assertions, each right before its command.
    fn add_lines(&self, text_cache: &mut TextCache) {
        while let Some(RootLocation::Before(place)) =
            self.roots.get(text_cache.roots.len()).map(|r| r.location)
        {
            let mut lines = text_cache.lines.iter();
            let at = lines.position(|line| matches!(line, Line::Fixed(n, _) if *n == place));
            let line = Line::Root(text_cache.roots.len());
            text_cache
                .lines
                .insert(at.unwrap_or(text_cache.lines.len()), line);
            text_cache.roots.push(Written::default());
        }
    }

    /// The current command that contains a root.
    fn command(&self, root: &Root) -> Command {
        match root.location {
            RootLocation::Before(_) => Command::Assert(Assertion {
                term: root.term,
                name: None,
            }),
            RootLocation::Command(place) => {
                let mut command = self.commands[place].clone();
                put(&mut command, root.term);
                command
            }
        }
    }
}
