//! The declarations that a command needs: before a term or a command is moved, everything it mentions must be
//! declared.

use auspex_logic::sort::DataId;
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Fun, Head, Sort, SortKind, Symbol, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A declared symbol or sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Fun(Fun),
    Sort(Symbol),
    Data(DataId),
}

impl Key {
    /// The declaration that a function symbol needs.
    pub fn of_fun(terms: &Terms, fun: Fun) -> Key {
        match terms.fun(fun).kind {
            FunKind::Declared | FunKind::Defined => Key::Fun(fun),
            FunKind::Constructor(id, _)
            | FunKind::Selector(id, ..)
            | FunKind::Tester(id, _)
            | FunKind::Updater(id, ..) => Key::Data(id),
        }
    }
}

/// What a command declares.
pub fn declared(command: &Command) -> Vec<Key> {
    match command {
        Command::DeclareSort(name, _) => vec![Key::Sort(*name)],
        Command::DeclareDatatypes(ids) => ids.iter().map(|id| Key::Data(*id)).collect(),
        Command::DeclareFun(fun) => vec![Key::Fun(*fun)],
        Command::DefineFun(definition) => vec![Key::Fun(definition.fun)],
        Command::DefineFunsRec(all) => all.iter().map(|d| Key::Fun(d.fun)).collect(),
        _ => Vec::new(),
    }
}

/// The declarations among some commands, each with the others it needs.
pub struct Declarations {
    /// Position of the command that declares a key.
    places: FxHashMap<Key, usize>,
}

impl Declarations {
    /// None if something is declared twice or by an unknown command: then nothing may be moved.
    pub fn of(commands: &[Command]) -> Option<Declarations> {
        let mut places = FxHashMap::default();
        for (number, command) in commands.iter().enumerate() {
            if matches!(command, Command::Other(_)) {
                return None;
            }
            for key in declared(command) {
                if places.insert(key, number).is_some() {
                    return None;
                }
            }
        }
        Some(Declarations { places })
    }

    /// The positions of all declarations that a command needs, transitively, in order.
    pub fn needed(&self, terms: &Terms, commands: &[Command], command: &Command) -> Vec<usize> {
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        let mut stack: Vec<Key> = mentions(terms, command);
        while let Some(key) = stack.pop() {
            if let Some(place) = self.places.get(&key)
                && needed.insert(*place)
            {
                stack.extend(mentions(terms, &commands[*place]));
            }
        }
        let mut all: Vec<usize> = needed.into_iter().collect();
        all.sort_unstable();
        all
    }
}

/// Everything in a command that needs a declaration.
fn mentions(terms: &Terms, command: &Command) -> Vec<Key> {
    let mut keys = FxHashSet::default();
    match command {
        Command::DeclareFun(fun) => rank(terms, *fun, &mut keys),
        Command::DeclareDatatypes(ids) => {
            for id in ids {
                let constructors = terms.sorts.datatype(*id).constructors.iter();
                let fields = constructors.flat_map(|c| c.selectors.iter().map(|(_, sort)| *sort));
                fields.for_each(|sort| sort_keys(terms, sort, &mut keys));
            }
        }
        Command::DefineSort(_, _, sort) => sort_keys(terms, *sort, &mut keys),
        Command::DefineFun(definition) => {
            rank(terms, definition.fun, &mut keys);
            term_keys(terms, definition.body, &mut keys);
        }
        Command::DefineFunsRec(all) => {
            for definition in all {
                rank(terms, definition.fun, &mut keys);
                term_keys(terms, definition.body, &mut keys);
            }
        }
        Command::Assert(assertion) => term_keys(terms, assertion.term, &mut keys),
        Command::CheckSatAssuming(all) | Command::GetValue(all) => {
            all.iter()
                .for_each(|term| term_keys(terms, *term, &mut keys));
        }
        _ => {}
    }
    keys.into_iter().collect()
}

fn rank(terms: &Terms, fun: Fun, keys: &mut FxHashSet<Key>) {
    let decl = terms.fun(fun);
    let sorts = decl.params.iter().chain([&decl.result]);
    sorts.for_each(|sort| sort_keys(terms, *sort, keys));
}

fn sort_keys(terms: &Terms, sort: Sort, keys: &mut FxHashSet<Key>) {
    match terms.sorts.kind(sort) {
        SortKind::Declared(name, _) => {
            keys.insert(Key::Sort(*name));
        }
        SortKind::Data(id, _) => {
            keys.insert(Key::Data(*id));
        }
        _ => {}
    }
    for part in terms.sorts.parts(sort) {
        sort_keys(terms, part, keys);
    }
}

fn term_keys(terms: &Terms, root: TermId, keys: &mut FxHashSet<Key>) {
    let mut seen = FxHashSet::default();
    let mut sorts = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if sorts.insert(terms.sort(term)) {
            sort_keys(terms, terms.sort(term), keys);
        }
        match terms.head(term) {
            Head::Fun(fun) => {
                keys.insert(Key::of_fun(terms, fun));
            }
            Head::Binder(number) => {
                let variables = terms.binder(number).variables.iter();
                variables.for_each(|v| sort_keys(terms, terms.sort(*v), keys));
            }
            _ => {}
        }
        stack.extend_from_slice(terms.args(term));
    }
}
