//! The meanings of names while a script is read: bound variables, declared symbols, sorts; with undo for `pop`. Names
//! are small numbers, which index a table.

use crate::intern::Symbol;
use crate::sort::{DataId, Sort};
use crate::term::{Fun, TermId};
use rustc_hash::FxHashSet;

/// The meaning of a name that the script declares. A name may be overloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Global {
    /// A function symbol without parameters, with its term.
    Constant(Fun, TermId),
    Fun(Fun),
    /// Of a parametric datatype: the rank depends on the use.
    Constructor(DataId, u32),
    Selector(DataId, u32, u32),
    /// `is-constructor`, the older spelling of `(_ is constructor)`.
    Tester(DataId, u32),
}

impl Global {
    pub fn fun(self) -> Option<Fun> {
        match self {
            Global::Constant(fun, _) | Global::Fun(fun) => Some(fun),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SortName {
    Declared(u32),
    Defined(Vec<Symbol>, Sort),
    Data(DataId, u32),
    Parameter,
}

/// No entry.
const NONE: u32 = u32::MAX;
/// No entry, but the script used the name.
const USED: u32 = u32::MAX - 1;

/// The meanings of one name: numbers of the innermost local and of the newest entries.
#[derive(Clone, Copy)]
struct Slot {
    local: u32,
    global: u32,
    sort: u32,
}

const EMPTY: Slot = Slot {
    local: NONE,
    global: NONE,
    sort: NONE,
};

/// One meaning of a name, and the number of the one before it.
struct Entry<T> {
    name: Symbol,
    meaning: T,
    older: u32,
}

#[derive(Default)]
pub(crate) struct Scope {
    slots: Vec<Slot>,
    globals: Vec<Entry<Global>>,
    sorts: Vec<Entry<SortName>>,
    /// Sorts that were used without being declared, built in or unknown.
    used: Vec<Symbol>,
    /// The lengths of `globals` and `sorts` at each `push`.
    levels: Vec<(usize, usize)>,
    /// Locals hidden by inner ones.
    hidden: Vec<(Symbol, u32)>,
    /// With `:global-declarations`, declarations stay after `pop`.
    pub keeps_declarations: bool,
}

impl Scope {
    #[inline]
    fn slot(&self, name: Symbol) -> Slot {
        self.slots.get(name.0 as usize).copied().unwrap_or(EMPTY)
    }

    fn slot_mut(&mut self, name: Symbol) -> &mut Slot {
        let at = name.0 as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + at / 4 + 64, EMPTY);
        }
        &mut self.slots[at]
    }

    /// Whether a term's name has no meaning in the script.
    #[inline]
    pub fn is_free(&self, name: Symbol) -> bool {
        let slot = self.slot(name);
        slot.local == NONE && slot.global == NONE
    }

    /// The meanings of a name, newest first, up to a limit: a name with a thousand meanings would make reading slow,
    /// and no real script has one.
    pub fn globals(&self, name: Symbol) -> impl Iterator<Item = Global> + '_ {
        const MOST: usize = 64;
        let mut at = self.slot(name).global;
        let all = std::iter::from_fn(move || {
            let entry = self.globals.get(at as usize)?;
            at = entry.older;
            Some(entry.meaning)
        });
        all.take(MOST)
    }

    /// The newest meaning of a name.
    #[inline]
    pub fn global(&self, name: Symbol) -> Option<Global> {
        let at = self.slot(name).global;
        self.globals.get(at as usize).map(|entry| entry.meaning)
    }

    pub fn add_global(&mut self, name: Symbol, meaning: Global) {
        if self.global(name) == Some(meaning) {
            return;
        }
        let at = self.globals.len() as u32;
        let older = std::mem::replace(&mut self.slot_mut(name).global, at);
        self.globals.push(Entry {
            name,
            meaning,
            older,
        });
    }

    pub fn sort_name(&self, name: Symbol) -> Option<&SortName> {
        let at = self.slot(name).sort;
        self.sorts.get(at as usize).map(|entry| &entry.meaning)
    }

    /// Records the use of a sort that the script has not declared.
    pub fn use_sort(&mut self, name: Symbol) {
        if self.slot(name).sort == NONE {
            self.slot_mut(name).sort = USED;
            self.used.push(name);
        }
    }

    /// Whether a sort name may be declared. A name keeps its meaning, because otherwise sorts defined by it could not
    /// be printed any more.
    pub fn is_new_sort(&self, name: Symbol) -> bool {
        self.slot(name).sort == NONE
    }

    pub fn add_sort(&mut self, name: Symbol, meaning: SortName) {
        let at = self.sorts.len() as u32;
        let older = std::mem::replace(&mut self.slot_mut(name).sort, at);
        self.sorts.push(Entry {
            name,
            meaning,
            older,
        });
    }

    /// How many sort names there are; for `forget_sorts`.
    pub fn sorts_len(&self) -> usize {
        self.sorts.len()
    }

    /// Forgets the sort names added since, such as parameters.
    pub fn forget_sorts(&mut self, len: usize) {
        for entry in self.sorts.drain(len..).rev() {
            self.slots[entry.name.0 as usize].sort = entry.older;
        }
    }

    #[inline]
    pub fn local(&self, name: Symbol) -> Option<TermId> {
        let local = self.slot(name).local;
        (local != NONE).then_some(TermId(local))
    }

    pub fn bind(&mut self, name: Symbol, term: TermId) {
        let older = std::mem::replace(&mut self.slot_mut(name).local, term.0);
        self.hidden.push((name, older));
    }

    /// Those of some terms that are the meaning of a local, hidden or not.
    pub fn bound_among(&self, terms: &FxHashSet<TermId>) -> FxHashSet<TermId> {
        let meanings = self.hidden.iter();
        meanings
            .flat_map(|(name, older)| [TermId(*older), TermId(self.slot(*name).local)])
            .filter(|term| terms.contains(term))
            .collect()
    }

    /// How many locals are bound; for `unbind`.
    pub fn bound(&self) -> usize {
        self.hidden.len()
    }

    /// Forgets the locals bound since, the newest first.
    pub fn unbind(&mut self, len: usize) {
        for (name, older) in self.hidden.drain(len..).rev() {
            self.slots[name.0 as usize].local = older;
        }
    }

    /// Clears everything but keeps the memory, in time proportional to the content.
    pub fn clear(&mut self) {
        self.keeps_declarations = false;
        self.reset_assertions();
    }

    /// Ends all levels. Declarations, also those of the lowest level, stay only if they are global.
    pub fn reset_assertions(&mut self) {
        self.unbind(0);
        self.levels.clear();
        if self.keeps_declarations {
            return;
        }
        for entry in self.globals.drain(..).rev() {
            self.slots[entry.name.0 as usize].global = entry.older;
        }
        self.forget_sorts(0);
        for name in self.used.drain(..) {
            self.slots[name.0 as usize].sort = NONE;
        }
    }

    pub fn push(&mut self, levels: u32) {
        for _ in 0..levels {
            self.levels.push((self.globals.len(), self.sorts.len()));
        }
    }

    pub fn pop(&mut self, levels: u32) {
        for _ in 0..levels {
            let Some((globals, sorts)) = self.levels.pop() else {
                return;
            };
            if self.keeps_declarations {
                continue;
            }
            for entry in self.globals.drain(globals..).rev() {
                self.slots[entry.name.0 as usize].global = entry.older;
            }
            self.forget_sorts(sorts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pop_brings_the_older_meaning_back() {
        let mut scope = Scope::default();
        let name = Symbol(7);
        scope.add_global(name, Global::Fun(Fun(1)));
        scope.push(1);
        scope.add_global(name, Global::Fun(Fun(2)));
        assert_eq!(scope.global(name), Some(Global::Fun(Fun(2))));
        scope.pop(1);
        assert_eq!(scope.global(name), Some(Global::Fun(Fun(1))));
    }

    #[test]
    fn global_declarations_survive_pop() {
        let mut scope = Scope {
            keeps_declarations: true,
            ..Scope::default()
        };
        scope.push(1);
        scope.add_global(Symbol(7), Global::Fun(Fun(1)));
        scope.pop(1);
        assert_eq!(scope.global(Symbol(7)), Some(Global::Fun(Fun(1))));
    }

    #[test]
    fn only_global_declarations_survive_a_reset_of_the_assertions() {
        for keeps_declarations in [true, false] {
            let mut scope = Scope {
                keeps_declarations,
                ..Scope::default()
            };
            scope.add_global(Symbol(7), Global::Fun(Fun(1)));
            scope.push(1);
            scope.reset_assertions();
            assert_eq!(scope.is_free(Symbol(7)), !keeps_declarations);
            scope.pop(1);
            assert_eq!(scope.is_free(Symbol(7)), !keeps_declarations);
            assert_eq!(scope.keeps_declarations, keeps_declarations);
        }
    }

    #[test]
    fn inner_locals_hide_outer_ones() {
        let mut scope = Scope::default();
        scope.bind(Symbol(3), TermId(1));
        let outer = scope.bound();
        scope.bind(Symbol(3), TermId(2));
        assert_eq!(scope.local(Symbol(3)), Some(TermId(2)));
        scope.unbind(outer);
        assert_eq!(scope.local(Symbol(3)), Some(TermId(1)));
        scope.unbind(0);
        assert_eq!(scope.local(Symbol(3)), None);
    }
}
