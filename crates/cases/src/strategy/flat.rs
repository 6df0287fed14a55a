//! The flat form of a seed: the declarations and assertions of its first query, without scopes and names. Strategies
//! that recombine parts of scripts start from it.

use super::Seed;
use crate::alone::alone;
use crate::features::{Features, of_logic, widened};
use crate::mutant::prepare::prepare;
use auspex_logic::model::Interpretation;
use auspex_logic::script::{Assertion, Definition};
use auspex_logic::term::FunDecl;
use auspex_logic::{Command, Fun, Head, Model, Script, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub struct Flat {
    /// The logic of the seed, wide enough for changes; `ALL` if it has none.
    pub logic: String,
    pub declarations: Vec<Command>,
    pub assertions: Vec<TermId>,
}

impl Flat {
    /// None if there is an unknown declaration or assertion, or no assertion.
    pub fn of(terms: &mut Terms, seed: &Seed) -> Option<Flat> {
        let query = seed.script.queries().into_iter().next()?;
        let alone = alone(terms, &seed.script, &query);
        let mut flat = Flat {
            logic: "ALL".to_string(),
            declarations: Vec::new(),
            assertions: Vec::new(),
        };
        for command in prepare(terms, &alone) {
            match command {
                Command::SetLogic(logic) => flat.logic = widened(terms.symbols.name(logic)),
                Command::Assert(assertion) => flat.assertions.push(assertion.term),
                Command::CheckSatAssuming(assumed) => flat.assertions.extend(assumed),
                Command::Other(_) => return None,
                other if is_declaration(&other) => flat.declarations.push(other),
                _ => {}
            }
        }
        let known = !flat.assertions.is_empty() && flat.subterms(terms).all_known(terms);
        known.then_some(flat)
    }

    /// Whether it declares sorts, which cannot be renamed.
    pub fn has_sorts(&self) -> bool {
        let is_sort = |command: &Command| {
            matches!(
                command,
                Command::DeclareSort(..) | Command::DefineSort(..) | Command::DeclareDatatypes(_)
            )
        };
        self.declarations.iter().any(is_sort)
    }

    /// The constants and functions that it declares or defines.
    pub fn symbols(&self) -> Vec<Fun> {
        let funs = |command: &Command| match command {
            Command::DeclareFun(fun) => vec![*fun],
            Command::DefineFun(definition) => vec![definition.fun],
            Command::DefineFunsRec(all) => all.iter().map(|d| d.fun).collect(),
            _ => Vec::new(),
        };
        self.declarations.iter().flat_map(funs).collect()
    }

    fn subterms(&self, terms: &Terms) -> Subterms {
        let bodies = self.declarations.iter().flat_map(Command::roots);
        let roots = self.assertions.iter().copied().chain(bodies);
        Subterms::of(terms, roots.collect())
    }

    /// Every name in it: of symbols, constructors, selectors and variables.
    pub fn names<'t>(&self, terms: &'t Terms) -> BTreeSet<&'t str> {
        let name = |symbol| terms.symbols.name(symbol);
        let mut names: BTreeSet<&str> = BTreeSet::new();
        names.extend(self.symbols().iter().map(|fun| name(terms.fun(*fun).name)));
        for command in &self.declarations {
            if let Command::DeclareDatatypes(ids) = command {
                for constructor in ids
                    .iter()
                    .flat_map(|id| &terms.sorts.datatype(*id).constructors)
                {
                    names.insert(name(constructor.name));
                    names.extend(constructor.selectors.iter().map(|(field, _)| name(*field)));
                }
            }
        }
        for term in self.subterms(terms).0 {
            match terms.head(term) {
                Head::Variable(symbol) => drop(names.insert(name(symbol))),
                Head::Fun(fun) => drop(names.insert(name(terms.fun(fun).name))),
                _ => {}
            }
        }
        names
    }

    /// A script that asks about all assertions at once.
    pub fn script(&self, terms: &mut Terms) -> Script {
        let mut script = script(terms, &self.logic, self.declarations.clone());
        let assert = |term: &TermId| assertion(*term);
        script.commands.extend(self.assertions.iter().map(assert));
        script.push(Command::CheckSat);
        script
    }

    /// Whether terms of these features can be added without leaving the logic.
    pub fn allows(&self, features: Features) -> bool {
        of_logic(&self.logic).is_some_and(|allowed| allowed.includes(features))
    }
}

/// The beginning of a script.
pub fn script(terms: &mut Terms, logic: &str, declarations: Vec<Command>) -> Script {
    let mut script = Script::default();
    script.push(Command::SetLogic(terms.symbols.intern(logic)));
    script.commands.extend(declarations);
    script
}

pub fn assertion(term: TermId) -> Command {
    Command::Assert(Assertion { term, name: None })
}

pub fn is_declaration(command: &Command) -> bool {
    matches!(
        command,
        Command::DeclareSort(..)
            | Command::DefineSort(..)
            | Command::DeclareDatatypes(_)
            | Command::DeclareFun(_)
            | Command::DefineFun(_)
            | Command::DefineFunsRec(_)
    )
}

/// Every distinct subterm of some terms, in an order that depends on these alone.
pub struct Subterms(pub Vec<TermId>);

impl Subterms {
    pub fn of(terms: &Terms, roots: Vec<TermId>) -> Subterms {
        let mut seen = FxHashSet::default();
        let mut all = Vec::new();
        let mut stack = roots;
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                all.push(term);
                stack.extend_from_slice(terms.args(term));
            }
        }
        Subterms(all)
    }

    fn all_known(&self, terms: &Terms) -> bool {
        let known = |term: &TermId| {
            !matches!(terms.head(*term), Head::Opaque(_)) && terms.sorts.is_known(terms.sort(*term))
        };
        self.0.iter().all(known)
    }
}

/// The replacement for a subterm with new arguments; none to rebuild it with these.
type Change<'c> = dyn FnMut(&mut Terms, TermId, &mut Vec<TermId>) -> Option<TermId> + 'c;

/// Rebuilds a term bottom up: `change` gets each subterm with its new arguments, and may return a replacement.
pub fn rebuild(terms: &mut Terms, root: TermId, change: &mut Change<'_>) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut stack = vec![(root, false)];
    while let Some((term, ready)) = stack.pop() {
        if done.contains_key(&term) {
            continue;
        }
        if !ready {
            stack.push((term, true));
            stack.extend(terms.args(term).iter().map(|arg| (*arg, false)));
            continue;
        }
        let mut args: Vec<TermId> = terms.args(term).iter().map(|arg| done[arg]).collect();
        let new = change(terms, term, &mut args);
        let new = new.or_else(|| terms.with_args(term, &args));
        done.insert(term, new.unwrap_or(term));
    }
    done[&root]
}

/// Other names for some symbols.
#[derive(Default)]
pub struct Renaming(FxHashMap<Fun, Fun>);

impl Renaming {
    /// Prefixes the names of a script's symbols that another script has, too.
    pub fn apart(terms: &mut Terms, script: &Flat, other: &Flat, prefix: &str) -> Renaming {
        let taken: BTreeSet<String> = other.names(terms).iter().map(|n| n.to_string()).collect();
        let mut map = FxHashMap::default();
        for fun in script.symbols() {
            let old = terms.fun(fun).clone();
            let name = terms.symbols.name(old.name);
            if taken.contains(name) {
                let name = format!("{prefix}{name}");
                let name = terms.symbols.intern(&name);
                map.insert(fun, terms.declare(FunDecl { name, ..old }));
            }
        }
        Renaming(map)
    }

    pub fn fun(&self, fun: Fun) -> Fun {
        self.0.get(&fun).copied().unwrap_or(fun)
    }

    pub fn term(&self, terms: &mut Terms, term: TermId) -> TermId {
        rebuild(terms, term, &mut |terms, old, args| match terms.head(old) {
            Head::Fun(fun) if self.0.contains_key(&fun) => terms.fun_app(self.fun(fun), args).ok(),
            _ => None,
        })
    }

    pub fn flat(&self, terms: &mut Terms, flat: &Flat) -> Flat {
        let declarations = flat.declarations.iter();
        let assertions = flat.assertions.iter();
        Flat {
            logic: flat.logic.clone(),
            declarations: declarations.map(|c| self.command(terms, c)).collect(),
            assertions: assertions.map(|term| self.term(terms, *term)).collect(),
        }
    }

    fn command(&self, terms: &mut Terms, command: &Command) -> Command {
        let mut definition = |d: &Definition| Definition {
            fun: self.fun(d.fun),
            body: self.term(terms, d.body),
            ..d.clone()
        };
        match command {
            Command::DeclareFun(fun) => Command::DeclareFun(self.fun(*fun)),
            Command::DefineFun(one) => Command::DefineFun(definition(one)),
            Command::DefineFunsRec(all) => {
                Command::DefineFunsRec(all.iter().map(definition).collect())
            }
            other => other.clone(),
        }
    }

    /// Adds another model's interpretations of a script's symbols to a model, under their new names.
    pub fn extend(&self, terms: &mut Terms, model: &mut Model, flat: &Flat, with: &Model) {
        for fun in flat.symbols() {
            let meaning = match with.interpretation(fun) {
                Some(Interpretation::Body(variables, body)) => {
                    let body = self.term(terms, *body);
                    Interpretation::Body(variables.clone(), body)
                }
                Some(other) => other.clone(),
                None => continue,
            };
            model.set(self.fun(fun), meaning);
        }
    }
}
