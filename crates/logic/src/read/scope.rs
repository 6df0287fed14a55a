//! What names mean while a script is read: bound variables, declared symbols, sorts; with undo for `pop`.

use crate::intern::Symbol;
use crate::sort::{DataId, Sort};
use crate::term::{Fun, TermId};
use rustc_hash::FxHashMap;

/// What a name declared by the script means. A name may be overloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Global {
    Fun(Fun),
    /// Of a parametric datatype: the rank depends on the use.
    Constructor(DataId, u32),
    Selector(DataId, u32, u32),
    /// `is-constructor`, the older spelling of `(_ is constructor)`.
    Tester(DataId, u32),
}

#[derive(Clone, Debug)]
pub(crate) enum SortName {
    Declared(u32),
    Defined(Vec<Symbol>, Sort),
    Data(DataId, u32),
    Parameter,
}

enum Undo {
    Global(Symbol),
    SortName(Symbol, Option<SortName>),
}

#[derive(Default)]
pub(crate) struct Scope {
    globals: FxHashMap<Symbol, Vec<Global>>,
    sorts: FxHashMap<Symbol, SortName>,
    undo: Vec<Undo>,
    levels: Vec<usize>,
    /// Bound variables and `let` names, by symbol number; the innermost is last.
    locals: FxHashMap<Symbol, Vec<TermId>>,
}

impl Scope {
    pub fn globals(&self, name: Symbol) -> &[Global] {
        self.globals.get(&name).map_or(&[], Vec::as_slice)
    }

    pub fn add_global(&mut self, name: Symbol, global: Global) {
        let all = self.globals.entry(name).or_default();
        if !all.contains(&global) {
            all.push(global);
            self.undo.push(Undo::Global(name));
        }
    }

    pub fn sort_name(&self, name: Symbol) -> Option<&SortName> {
        self.sorts.get(&name)
    }

    pub fn add_sort(&mut self, name: Symbol, meaning: SortName) {
        let old = self.sorts.insert(name, meaning);
        self.undo.push(Undo::SortName(name, old));
    }

    pub fn remove_sort(&mut self, name: Symbol) {
        self.sorts.remove(&name);
    }

    pub fn local(&self, name: Symbol) -> Option<TermId> {
        self.locals.get(&name).and_then(|all| all.last().copied())
    }

    pub fn bind(&mut self, name: Symbol, term: TermId) {
        self.locals.entry(name).or_default().push(term);
    }

    pub fn unbind(&mut self, name: Symbol) {
        if let Some(all) = self.locals.get_mut(&name) {
            all.pop();
        }
    }

    pub fn push(&mut self, levels: u32) {
        for _ in 0..levels {
            self.levels.push(self.undo.len());
        }
    }

    pub fn pop(&mut self, levels: u32) {
        for _ in 0..levels {
            let Some(mark) = self.levels.pop() else {
                return;
            };
            for undo in self.undo.drain(mark..).rev() {
                match undo {
                    Undo::Global(name) => {
                        if let Some(all) = self.globals.get_mut(&name) {
                            all.pop();
                        }
                    }
                    Undo::SortName(name, Some(old)) => {
                        self.sorts.insert(name, old);
                    }
                    Undo::SortName(name, None) => {
                        self.sorts.remove(&name);
                    }
                }
            }
        }
    }
}
