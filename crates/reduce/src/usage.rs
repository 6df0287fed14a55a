//! Finds which declared symbols and sorts a script uses, and removes declarations that an edit left unused.

use auspex_logic::sort::{DataId, SortKind};
use auspex_logic::term::{Attribute, FunKind};
use auspex_logic::{Command, Fun, Head, Script, Sort, Symbol, TermId, Terms};
use rustc_hash::FxHashSet;

/// The function symbols, sort names and datatypes that a script mentions outside their declarations.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    pub funs: FxHashSet<Fun>,
    pub sorts: FxHashSet<Symbol>,
    pub datatypes: FxHashSet<DataId>,
    seen_terms: FxHashSet<TermId>,
    seen_sorts: FxHashSet<Sort>,
    /// Texts that could not be read; everything they mention counts as used.
    texts: Vec<Symbol>,
}

impl Usage {
    pub fn of(terms: &Terms, script: &Script) -> Usage {
        let mut usage = Usage::default();
        for command in &script.commands {
            usage.command(terms, command);
        }
        usage.mentioned_in_texts(terms, script);
        usage
    }

    fn command(&mut self, terms: &Terms, command: &Command) {
        match command {
            Command::DeclareFun(fun) => self.rank(terms, *fun),
            Command::DefineFun(definition) => self.rank(terms, definition.fun),
            Command::DefineFunsRec(all) => all.iter().for_each(|d| self.rank(terms, d.fun)),
            Command::DefineSort(_, _, sort) => self.sort(terms, *sort),
            Command::Other(text) => self.texts.push(*text),
            _ => {}
        }
        let one = Script {
            commands: vec![command.clone()],
            spans: Vec::new(),
        };
        for root in one.roots() {
            self.term(terms, root);
        }
    }

    fn rank(&mut self, terms: &Terms, fun: Fun) {
        let decl = terms.fun(fun);
        for sort in decl.params.iter().chain([&decl.result]) {
            self.sort(terms, *sort);
        }
    }

    fn term(&mut self, terms: &Terms, root: TermId) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !self.seen_terms.insert(term) {
                continue;
            }
            stack.extend_from_slice(terms.args(term));
            self.sort(terms, terms.sort(term));
            match terms.head(term) {
                Head::Fun(fun) => self.fun(terms, fun),
                Head::Opaque(text) => self.texts.push(text),
                Head::Binder(number) => {
                    let variables = terms.binder(number).variables.iter();
                    variables.for_each(|v| self.sort(terms, terms.sort(*v)));
                }
                Head::Annotated(number) => {
                    let attributes = terms.annotation(number).attributes.iter();
                    self.texts
                        .extend(attributes.filter_map(|(_, value)| match value {
                            Attribute::Text(text) => Some(*text),
                            Attribute::Bare | Attribute::Term | Attribute::Terms(_) => None,
                        }));
                }
                _ => {}
            }
        }
    }

    fn fun(&mut self, terms: &Terms, fun: Fun) {
        self.funs.insert(fun);
        match terms.fun(fun).kind {
            FunKind::Constructor(id, _)
            | FunKind::Selector(id, ..)
            | FunKind::Tester(id, _)
            | FunKind::Updater(id, ..) => self.datatype(terms, id),
            FunKind::Declared | FunKind::Defined => {}
        }
    }

    fn sort(&mut self, terms: &Terms, sort: Sort) {
        if !self.seen_sorts.insert(sort) {
            return;
        }
        match terms.sorts.kind(sort) {
            SortKind::Declared(name, _) => {
                self.sorts.insert(*name);
            }
            SortKind::Data(id, _) => self.datatype(terms, *id),
            SortKind::Opaque(text) => self.texts.push(*text),
            _ => {}
        }
        for part in terms.sorts.parts(sort) {
            self.sort(terms, part);
        }
    }

    fn datatype(&mut self, terms: &Terms, id: DataId) {
        if self.datatypes.insert(id) {
            for constructor in &terms.sorts.datatype(id).constructors {
                let fields = constructor.selectors.iter();
                fields.for_each(|(_, sort)| self.sort(terms, *sort));
            }
        }
    }

    fn mentioned_in_texts(&mut self, terms: &Terms, script: &Script) {
        let texts: Vec<&str> = self.texts.iter().map(|t| terms.symbols.name(*t)).collect();
        if texts.is_empty() {
            return;
        }
        let mentioned = |name: Symbol| texts.iter().any(|t| t.contains(terms.symbols.name(name)));
        for command in &script.commands {
            match command {
                Command::DeclareFun(fun) if mentioned(terms.fun(*fun).name) => {
                    self.funs.insert(*fun);
                }
                Command::DefineFun(d) if mentioned(terms.fun(d.fun).name) => {
                    self.funs.insert(d.fun);
                }
                Command::DeclareSort(name, _) if mentioned(*name) => {
                    self.sorts.insert(*name);
                }
                _ => {}
            }
        }
    }

    /// Whether a command declares something that is used; true for commands that declare nothing.
    pub fn needs(&self, command: &Command) -> bool {
        match command {
            Command::DeclareFun(fun) => self.funs.contains(fun),
            Command::DefineFun(definition) => self.funs.contains(&definition.fun),
            Command::DefineFunsRec(all) => all.iter().any(|d| self.funs.contains(&d.fun)),
            Command::DeclareSort(name, _) => self.sorts.contains(name),
            // The reader expands defined sorts.
            Command::DefineSort(..) => self.texts.iter().any(|_| true),
            Command::DeclareDatatypes(ids) => ids.iter().any(|id| self.datatypes.contains(id)),
            _ => true,
        }
    }
}

/// Drops declarations that an edit made unused. Those unused from the start stay: `unused` is the pass for them.
pub fn drop_freed(terms: &Terms, script: &mut Script, before: &Usage) {
    loop {
        let now = Usage::of(terms, script);
        let length = script.commands.len();
        script
            .commands
            .retain(|command| now.needs(command) || !before.needs(command));
        if script.commands.len() == length {
            return;
        }
    }
}
