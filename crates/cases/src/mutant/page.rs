//! The text of a script under mutation: only what changes is written anew.

use super::{Home, Mutant, put};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Assertion, Command, Script, TermId, Terms};

/// The lines of a script; none before they are first wanted.
#[derive(Default)]
pub struct Page {
    lines: Vec<Line>,
    /// How many roots have a line.
    roots: usize,
}

/// One command as text.
struct Line {
    text: String,
    kind: Kind,
}

enum Kind {
    /// The command of that number, which never changes.
    Fixed(usize),
    Logic(usize),
    /// What holds the root of that number; and the root when the text was written.
    Root(usize, Option<TermId>),
}

impl Mutant {
    /// Appends the text of the script as it is now.
    pub fn write(&mut self, terms: &mut Terms, out: &mut String) {
        if self.page.lines.is_empty() {
            if self.has_overloaded(terms) {
                let script = self.script(terms);
                return render::script_to(terms, &script, Sharing::Auto, out);
            }
            self.page = self.first_page(terms);
        }
        let logic = self.wider_logic();
        let mut page = std::mem::take(&mut self.page);
        self.add_lines(&mut page);
        for line in &mut page.lines {
            match (&mut line.kind, logic) {
                (Kind::Logic(_), Some(logic)) => out.extend(["(set-logic ", logic, ")\n"]),
                (Kind::Root(number, written), _) => {
                    if written.replace(self.roots[*number].term) != Some(self.roots[*number].term) {
                        line.text.clear();
                        let command = self.command(*number);
                        render::command_to(terms, &command, Sharing::Auto, &mut line.text);
                    }
                    out.push_str(&line.text);
                }
                (Kind::Fixed(_) | Kind::Logic(_), _) => out.push_str(&line.text),
            }
        }
        self.page = page;
    }

    /// Then the text of a command depends on others.
    fn has_overloaded(&self, terms: &Terms) -> bool {
        let script = Script {
            commands: self.commands.clone(),
            spans: Vec::new(),
        };
        render::has_overloaded(terms, &script)
    }

    fn first_page(&self, terms: &Terms) -> Page {
        let mut page = Page::default();
        for (place, command) in self.commands.iter().enumerate() {
            let mut text = String::new();
            let root = self.roots.get(page.roots);
            let kind = if root.is_some_and(|root| root.home == Home::Command(place)) {
                page.roots += 1;
                Kind::Root(page.roots - 1, None)
            } else {
                render::command_to(terms, command, Sharing::Auto, &mut text);
                match command {
                    Command::SetLogic(_) => Kind::Logic(place),
                    _ => Kind::Fixed(place),
                }
            };
            page.lines.push(Line { text, kind });
        }
        page
    }

    /// Lines for new assertions, each right before its command.
    fn add_lines(&self, page: &mut Page) {
        while let Some(Home::Before(place)) = self.roots.get(page.roots).map(|root| root.home) {
            let is_command = |line: &Line| match line.kind {
                Kind::Fixed(number) | Kind::Logic(number) => number == place,
                Kind::Root(..) => false,
            };
            let at = page.lines.iter().position(is_command);
            let line = Line {
                text: String::new(),
                kind: Kind::Root(page.roots, None),
            };
            page.lines.insert(at.unwrap_or(page.lines.len()), line);
            page.roots += 1;
        }
    }

    /// The command that holds a root, as it is now.
    fn command(&self, root: usize) -> Command {
        let root = &self.roots[root];
        match root.home {
            Home::Before(_) => Command::Assert(Assertion {
                term: root.term,
                name: None,
            }),
            Home::Command(place) => {
                let mut command = self.commands[place].clone();
                put(&mut command, root.term);
                command
            }
        }
    }
}
