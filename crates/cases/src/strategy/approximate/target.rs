//! The targets of approximation in a seed: its assertions, with the queries they belong to, and the bodies of its
//! defined functions; and where its symbols can be used.

use super::uses::sides;
use crate::grow::Places;
use crate::rules::{Order, Side, rule_index};
use auspex_logic::render;
use auspex_logic::{Assertion, Command, Fun, Head, Script, Sort, Symbol, TermId, Terms};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A formula or term of a script that may be replaced by another.
#[derive(Clone, Debug)]
pub struct Target {
    /// The number of its command.
    pub at: usize,
    pub kind: Kind,
    /// The place for its new symbols and parts. The clauses of one assertion share it.
    pub slot: usize,
    /// The queries that it belongs to, by number.
    pub queries: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Assertion,
    /// The body of the definition of that number within its command.
    Body(usize),
}

/// The places from a slot on.
fn from_on(slot: usize) -> Places {
    Places::MAX.checked_shl(slot as u32).unwrap_or(0)
}

/// The place of a slot. The last one represents all further ones.
pub fn place(slot: usize) -> Places {
    1 << slot.min(63)
}

/// A symbol with the places where it is in force.
pub type Declared = (Fun, Places);

/// The targets of a script, and its symbols.
#[derive(Default)]
pub struct Targets {
    pub all: Vec<Target>,
    pub symbols: Vec<Declared>,
    pub queries: usize,
}

/// The counts at the start of a scope.
#[derive(Default)]
struct Scan {
    found: Targets,
    slots: usize,
    open: Vec<usize>,
    /// Symbols in force with the first slot after their declaration.
    declared: Vec<(Fun, usize)>,
    levels: Vec<(usize, usize)>,
}

impl Targets {
    pub fn of(terms: &Terms, commands: &[Command]) -> Targets {
        let mut scan = Scan::default();
        for (at, command) in commands.iter().enumerate() {
            scan.command(at, command);
        }
        scan.close(0, 0, true);
        let mut targets = scan.found;
        targets.keep_used_names(terms, commands);
        targets
    }

    /// Removes bodies of functions whose uses agree on no direction.
    pub fn keep_usable_bodies(&mut self, terms: &Terms, commands: &[Command]) {
        if self.all.iter().all(|target| target.kind == Kind::Assertion) {
            return;
        }
        let sides = sides(terms, rule_index(), commands);
        let is_usable = |target: &Target| match target.defines(commands) {
            Some((fun, _)) => sides.get(&fun).copied().flatten().is_some(),
            None => true,
        };
        self.all.retain(is_usable);
    }

    /// Removes assertions whose name is used elsewhere, and bodies if there are unknown commands.
    fn keep_used_names(&mut self, terms: &Terms, commands: &[Command]) {
        let name = |target: &Target| match &commands[target.at] {
            Command::Assert(assertion) => assertion.name,
            _ => None,
        };
        if self.all.iter().any(|target| name(target).is_some()) {
            let used = used_names(terms, commands);
            self.all
                .retain(|target| name(target).is_none_or(|name| !used.contains(&name)));
        }
        if commands.iter().any(|c| matches!(c, Command::Other(_))) {
            self.all.retain(|target| target.kind == Kind::Assertion);
        }
    }
}

impl Scan {
    fn command(&mut self, at: usize, command: &Command) {
        match command {
            Command::Assert(_) => {
                self.open.push(self.found.all.len());
                self.target(at, Kind::Assertion);
            }
            Command::DeclareFun(fun) => self.declared.push((*fun, self.slots)),
            Command::DefineFun(definition) => {
                self.target(at, Kind::Body(0));
                self.declared.push((definition.fun, self.slots));
            }
            Command::DefineFunsRec(all) => {
                (0..all.len()).for_each(|number| self.target(at, Kind::Body(number)));
                let funs = all.iter().map(|definition| (definition.fun, self.slots));
                self.declared.extend(funs);
            }
            Command::Push(count) => {
                let level = (self.open.len(), self.declared.len());
                self.levels
                    .extend(std::iter::repeat_n(level, *count as usize));
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    if let Some((open, declared)) = self.levels.pop() {
                        self.close(open, declared, false);
                    }
                }
            }
            Command::Reset => {
                self.levels.clear();
                self.close(0, 0, false);
            }
            Command::ResetAssertions => {
                self.levels.clear();
                self.close(0, 0, false);
            }
            Command::CheckSat | Command::CheckSatAssuming(_) => self.found.queries += 1,
            _ => {}
        }
    }

    fn target(&mut self, at: usize, kind: Kind) {
        let first = match kind {
            Kind::Assertion => self.found.queries,
            // The uses of a body are analysed when it is chosen.
            Kind::Body(_) => 0,
        };
        self.found.all.push(Target {
            at,
            kind,
            slot: self.slots,
            queries: first..usize::MAX,
        });
        self.slots += 1;
    }

    /// Ends a scope: removes its assertions and symbols beyond these counts.
    fn close(&mut self, open: usize, declared: usize, at_end: bool) {
        let queries = self.found.queries;
        for target in self.open.drain(open.min(self.open.len())..) {
            self.found.all[target].queries.end = queries;
        }
        let slots = self.slots;
        for (fun, first) in self.declared.drain(declared.min(self.declared.len())..) {
            let until = if at_end {
                0
            } else {
                from_on(slots) | place(63)
            };
            let places = from_on(first) & !until;
            if places != 0 {
                self.found.symbols.push((fun, places));
            }
        }
    }
}

impl Target {
    /// The current formula or term.
    pub fn term(&self, commands: &[Command]) -> Option<TermId> {
        match (&commands[self.at], self.kind) {
            (Command::Assert(assertion), Kind::Assertion) => Some(assertion.term),
            (Command::DefineFun(definition), Kind::Body(_)) => Some(definition.body),
            (Command::DefineFunsRec(all), Kind::Body(number)) => Some(all.get(number)?.body),
            _ => None,
        }
    }

    /// Replaces it.
    pub fn set(&self, commands: &mut [Command], term: TermId) {
        match (&mut commands[self.at], self.kind) {
            (Command::Assert(assertion), Kind::Assertion) => assertion.term = term,
            (Command::DefineFun(definition), Kind::Body(_)) => definition.body = term,
            (Command::DefineFunsRec(all), Kind::Body(number)) => {
                if let Some(definition) = all.get_mut(number) {
                    definition.body = term;
                }
            }
            _ => {}
        }
    }

    /// The function whose body it is, with its parameters.
    pub fn defines<'c>(&self, commands: &'c [Command]) -> Option<(Fun, &'c [TermId])> {
        let definition = match (&commands[self.at], self.kind) {
            (Command::DefineFun(definition), Kind::Body(_)) => definition,
            (Command::DefineFunsRec(all), Kind::Body(number)) => all.get(number)?,
            _ => return None,
        };
        Some((definition.fun, &definition.variables))
    }
}

/// The order on a sort in which a body may be changed.
pub const TRUTH: (Order, Side) = (Order::Truth, Side::Lesser);

/// The names of constants that occur in terms.
fn used_names(terms: &Terms, commands: &[Command]) -> FxHashSet<Symbol> {
    let script = Script {
        commands: commands.to_vec(),
        spans: Vec::new(),
    };
    let mut used = FxHashSet::default();
    for root in script.roots() {
        for term in render::post_order(terms, root) {
            if let Head::Fun(fun) = terms.head(term)
                && terms.args(term).is_empty()
            {
                used.insert(terms.fun(fun).name);
            }
        }
    }
    used
}

/// A prefix that no declared name has.
pub fn fresh_prefix(terms: &Terms, symbols: &[Declared]) -> String {
    let name = |fun: Fun| terms.symbols.name(terms.fun(fun).name);
    let leading = |(fun, _): &Declared| name(*fun).chars().take_while(|c| *c == 'c').count();
    // One `c` more than at the start of any other name.
    "c".repeat(symbols.iter().map(leading).max().unwrap_or(0) + 1)
}

/// Whether a sort needs no declaration.
pub fn is_built_in(terms: &Terms, sort: Sort) -> bool {
    use auspex_logic::SortKind;
    match terms.sorts.kind(sort) {
        SortKind::Declared(..) | SortKind::Data(..) | SortKind::Parameter(_) => false,
        SortKind::RegLan | SortKind::Function(_) | SortKind::Unknown => false,
        _ => {
            let parts = terms.sorts.parts(sort);
            parts.iter().all(|part| is_built_in(terms, *part))
        }
    }
}

/// Clauses as separate assertions, or as one if the assertion has a name.
pub fn asserted(
    terms: &mut Terms,
    name: Option<Symbol>,
    clauses: &[TermId],
) -> Option<Vec<Command>> {
    let assert = |term: TermId| Command::Assert(Assertion { term, name });
    match (name, clauses) {
        (Some(_), [_, _, ..]) => Some(vec![assert(terms.app("and", clauses).ok()?)]),
        _ => Some(clauses.iter().map(|clause| assert(*clause)).collect()),
    }
}
