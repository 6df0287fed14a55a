//! Tracks where the symbols of a script are declared: terms are moved only to places where all their symbols are
//! declared. Places with the same declarations share a bit; scopes opened by `push` close with `pop`.

use super::needs::{Key, declared};
use crate::grow::{EVERYWHERE, Places};
use auspex_logic::term::{FunDecl, FunKind};
use auspex_logic::{Command, Fun, Head, Sort, SortKind, Sorts, TermId, Terms};
use rustc_hash::FxHashMap;

/// The last bit represents all places from the 64th on; it is set for symbols that are visible in all of them.
const LAST: u32 = 63;

/// The places where each symbol is visible.
#[derive(Default)]
pub struct Visible {
    places: FxHashMap<Key, Places>,
}

/// Follows the commands of a script.
#[derive(Default)]
pub struct Watch {
    visible: Visible,
    /// Declarations in force, with their first place.
    open: Vec<(Key, u32)>,
    levels: Vec<usize>,
    place: u32,
    used: bool,
    global: bool,
}

impl Watch {
    /// The bit of the place before the next command.
    pub fn place(&mut self) -> Places {
        self.used = true;
        1 << self.place.min(LAST)
    }

    pub fn follow(&mut self, terms: &mut Terms, command: &Command) {
        match command {
            Command::SetOption(key, value) => {
                let key = terms.symbols.name(*key);
                self.global |=
                    key == ":global-declarations" && terms.symbols.name(*value) == "true";
            }
            Command::DeclareSort(..)
            | Command::DeclareDatatypes(_)
            | Command::DeclareFun(_)
            | Command::DefineFun(_)
            | Command::DefineFunsRec(_) => {
                for key in declared(command) {
                    self.declare(key);
                }
            }
            // A name may be used after its assertion.
            Command::Assert(assertion) => {
                if let Some(name) = assertion.name {
                    let fun = terms.declare(FunDecl {
                        name,
                        params: Box::default(),
                        result: Sort::BOOL,
                        kind: FunKind::Defined,
                    });
                    self.declare(Key::Fun(fun));
                }
            }
            Command::Push(count) => {
                let levels = std::iter::repeat_n(self.open.len(), *count as usize);
                self.levels.extend(levels);
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    if let Some(length) = self.levels.pop() {
                        self.close(length);
                    }
                }
            }
            Command::ResetAssertions => {
                self.levels.clear();
                self.close(0);
            }
            Command::Reset => {
                self.levels.clear();
                self.global = false;
                self.close(0);
            }
            _ => {}
        }
    }

    fn change(&mut self) -> u32 {
        if self.used {
            self.place += 1;
            self.used = false;
        }
        self.place
    }

    fn declare(&mut self, key: Key) {
        let from = self.change();
        self.open.push((key, from));
    }

    fn close(&mut self, length: usize) {
        if self.global || length >= self.open.len() {
            return;
        }
        let to = self.change();
        for (key, from) in self.open.drain(length..) {
            *self.visible.places.entry(key).or_default() |= between(from, to);
        }
    }

    pub fn finish(mut self) -> Visible {
        for (key, from) in self.open.drain(..) {
            *self.visible.places.entry(key).or_default() |= from_on(from);
        }
        self.visible
    }
}

fn from_on(from: u32) -> Places {
    if from > LAST { 0 } else { EVERYWHERE << from }
}

/// The places from one up to another, exclusive. The last bit is never among them, because it has no end.
fn between(from: u32, to: u32) -> Places {
    let before = (1u64 << to.min(LAST)) - 1;
    from_on(from) & before
}

impl Visible {
    fn of(&self, key: Key) -> Places {
        self.places.get(&key).copied().unwrap_or(0)
    }

    pub fn of_fun(&self, terms: &Terms, fun: Fun) -> Places {
        self.of(Key::of_fun(terms, fun))
    }

    /// The places where all names in a sort are declared.
    pub fn of_sort(&self, sorts: &Sorts, sort: Sort) -> Places {
        let own = match sorts.kind(sort) {
            SortKind::Declared(name, _) => self.of(Key::Sort(*name)),
            SortKind::Data(id, _) => self.of(Key::Data(*id)),
            _ => EVERYWHERE,
        };
        let parts = sorts.parts(sort);
        parts
            .iter()
            .fold(own, |all, part| all & self.of_sort(sorts, *part))
    }

    /// The places where the root of a term is declared, without its arguments.
    pub fn of_root(&self, terms: &Terms, term: TermId) -> Places {
        match terms.head(term) {
            Head::Fun(fun) => self.of_fun(terms, fun),
            Head::Binder(number) => {
                let variables = terms.binder(number).variables.iter();
                variables.fold(EVERYWHERE, |all, v| {
                    all & self.of_sort(&terms.sorts, terms.sort(*v))
                })
            }
            // An operator written with its sort.
            Head::Op(op) if terms.op(op).sig.qualified => {
                self.of_sort(&terms.sorts, terms.sort(term))
            }
            Head::Match(_)
            | Head::Op(_)
            | Head::Literal(_)
            | Head::Variable(_)
            | Head::Annotated(_)
            | Head::Apply
            | Head::Opaque(_) => EVERYWHERE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    /// For each symbol, whether it is visible at each assertion.
    fn table(text: &str, names: &[&str]) -> Vec<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let mut watch = Watch::default();
        let mut places = Vec::new();
        for command in &script.commands {
            if let Command::Assert(_) = command {
                places.push(watch.place());
            }
            watch.follow(&mut terms, command);
        }
        let visible = watch.finish();
        let row = |name: &&str| {
            let fun = terms.declare_fun(name, &[], Sort::BOOL);
            let seen = visible.of_fun(&terms, fun);
            let mark = |place: &Places| if seen & place != 0 { 'x' } else { '.' };
            places.iter().map(mark).collect()
        };
        names.iter().map(row).collect()
    }

    #[test]
    fn declarations_come_before_uses() {
        let text = "(declare-const a Bool)(assert a)(declare-const b Bool)(assert b)";
        assert_eq!(table(text, &["a", "b"]), ["xx", ".x"]);
    }

    #[test]
    fn scopes_end() {
        let text = "(declare-const a Bool)(assert a)(push 1)(declare-const b Bool)(assert b)(pop 1)\
                    (assert a)(push 1)(declare-const b Bool)(assert b)(reset-assertions)(assert true)";
        assert_eq!(table(text, &["a", "b"]), ["xxxx.", ".x.x."]);
        let global = format!("(set-option :global-declarations true){text}");
        assert_eq!(table(&global, &["a", "b"]), ["xxxxx", ".xxxx"]);
    }

    #[test]
    fn many_places_share_the_last_bit() {
        let mut text = String::new();
        for n in 0..100 {
            text.push_str(&format!("(declare-const v{n} Bool)(assert v{n})"));
        }
        let rows = table(&text, &["v0", "v62", "v70"]);
        assert_eq!(rows[0], "x".repeat(100));
        assert_eq!(rows[1], format!("{}{}", ".".repeat(62), "x".repeat(38)));
        assert!(!rows[2][..71].contains('x'));
    }
}
