//! A script under mutation: the occurrences that may be replaced, the possible replacements, and the resulting
//! script. Replacing preserves sorts, the scopes of bound variables, the order of declarations and, if possible, the
//! logic.

mod facts;
pub mod needs;
mod patch;
pub mod prepare;
mod site;
mod text_cache;
mod visible;

pub use site::{Site, Wanted};

use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::{Function, Ingredients, Item, Palette, Places, Pool};
use auspex_logic::script::{Definition, DefinitionKind};
use auspex_logic::{Assertion, Command, Fun, Head, Script, Symbol, TermId, Terms};
use facts::{Fact, Facts, is_replaceable};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use text_cache::TextCache;
use visible::{Visible, Watch};

/// The place of a term that may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootLocation {
    /// An assertion of the seed or the body of a definition, by the number of the command.
    Command(usize),
    /// A new assertion before that command.
    Before(usize),
}

#[derive(Clone, Debug)]
struct Root {
    location: RootLocation,
    term: TermId,
    place: Places,
    /// The parameters of a definition.
    parameters: Vec<TermId>,
    /// The facts about the term.
    fact: Fact,
}

/// A script under mutation.
pub struct Mutant {
    commands: Vec<Command>,
    roots: Vec<Root>,
    /// Commands before which a new assertion may be inserted, with their places.
    gaps: Vec<(usize, Places)>,
    facts: Facts,
    visible: Visible,
    pub pool: Pool,
    /// The features of the seed's terms.
    seed_features: Features,
    /// The features that the declared logic allows; none if there is no logic.
    logic: Option<Features>,
    text_cache: TextCache,
    /// Buffer for the arguments of a changing term.
    args: Vec<TermId>,
}

/// New expressions larger than this do not become ingredients of further ones, so that terms do not explode.
const LARGEST_INGREDIENT: u64 = 64;

impl Mutant {
    pub fn new(terms: &mut Terms, seed: &Script) -> Mutant {
        let commands = prepare::prepare(terms, seed);
        let mut mutant = Mutant {
            commands: Vec::new(),
            roots: Vec::new(),
            gaps: Vec::new(),
            facts: Facts::default(),
            visible: Visible::default(),
            pool: Pool::default(),
            seed_features: Features::NONE,
            logic: None,
            text_cache: TextCache::default(),
            args: Vec::new(),
        };
        mutant.find_roots(terms, &commands);
        mutant.commands = commands;
        mutant.facts.clashing = clashing_names(terms, &mutant.commands, &mutant.roots);
        mutant.fill_pool(terms);
        mutant.logic = mutant.declared_logic(terms);
        mutant
    }

    fn find_roots(&mut self, terms: &mut Terms, commands: &[Command]) {
        let mut watch = Watch::default();
        for (number, command) in commands.iter().enumerate() {
            let (term, parameters) = match command {
                Command::Assert(assertion) => (Some(assertion.term), Vec::new()),
                Command::DefineFun(definition) if may_change(terms, definition) => {
                    (Some(definition.body), definition.variables.clone())
                }
                Command::CheckSat | Command::CheckSatAssuming(_) => {
                    self.gaps.push((number, watch.place()));
                    (None, Vec::new())
                }
                _ => (None, Vec::new()),
            };
            if let Some(term) = term {
                self.roots.push(Root {
                    location: RootLocation::Command(number),
                    term,
                    place: watch.place(),
                    parameters,
                    fact: Fact::NONE,
                });
            }
            watch.follow(terms, command);
        }
        self.visible = watch.finish();
    }

    fn fill_pool(&mut self, terms: &mut Terms) {
        let mut found = Vec::new();
        let mut all = Features::NONE;
        for root in &mut self.roots {
            self.facts
                .look(terms, &self.visible, root.term, |term, fact| {
                    if fact.may_move && !matches!(terms.head(term), Head::Annotated(_)) {
                        found.push(Item {
                            term,
                            places: fact.places,
                            clashes: fact.clashes,
                        });
                    }
                });
            root.fact = *self.facts.of(root.term);
            all = all.union(root.fact.features);
        }
        self.seed_features = all;
        for item in found {
            let sort_places = self.visible.of_sort(&terms.sorts, terms.sort(item.term));
            self.pool.add(terms, item, sort_places);
        }
        for fun in self.commands.iter().filter_map(declared_fun) {
            let places = self.visible.of_fun(terms, fun);
            let clashes = self.facts.clashing.contains(&terms.fun(fun).name);
            if !terms.fun(fun).params.is_empty() {
                let function = Function {
                    fun,
                    places,
                    clashes,
                };
                self.pool.add_function(terms, function);
            } else if let Ok(term) = terms.fun_app(fun, &[])
                && is_replaceable(terms, terms.sort(term))
                && !self.facts.knows(term)
            {
                let item = Item {
                    term,
                    places,
                    clashes,
                };
                let sort_places = self.visible.of_sort(&terms.sorts, terms.sort(term));
                self.pool.add(terms, item, sort_places);
            }
        }
    }

    fn declared_logic(&mut self, terms: &mut Terms) -> Option<Features> {
        let logic = self.commands.iter_mut().find_map(|command| match command {
            Command::SetLogic(logic) => Some(logic),
            _ => None,
        })?;
        let name = features::widened(terms.symbols.name(*logic));
        *logic = terms.symbols.intern(&name);
        let allowed = features::of_logic(&name).unwrap_or(Features::NONE);
        // If a seed has one operator outside of its logic, solvers need not support others there.
        let seed = self.seed_features.without(Features::EXTENSION);
        Some(allowed.union(seed))
    }

    /// The features that new terms may have so that the script keeps its logic.
    pub fn allowed(&self) -> Features {
        self.logic.unwrap_or(Features::ALL)
    }

    /// The features of the seed's own terms.
    pub fn seed_features(&self) -> Features {
        self.seed_features
    }

    /// The ingredients for a new term at a site.
    pub fn ingredients<'a>(
        &'a self,
        palette: &'a Palette,
        site: &'a Site,
        constants: u64,
    ) -> Ingredients<'a> {
        Ingredients {
            pool: &self.pool,
            palette,
            scope: &site.scope,
            place: site.place,
            avoid: Some(site.term),
            constants,
        }
    }

    /// Replaces the term at a site; false if the result would be ill-sorted or nothing changes.
    pub fn replace(&mut self, terms: &mut Terms, site: &Site, new: TermId) -> bool {
        if new == site.term {
            return false;
        }
        self.learn(terms, new);
        let mut changed = new;
        for (parent, place) in site.path.iter().rev() {
            self.args.clear();
            self.args.extend_from_slice(terms.args(*parent));
            self.args[*place as usize] = changed;
            match terms.with_args(*parent, &self.args) {
                Some(term) => changed = term,
                None => return false,
            }
            self.facts.look(terms, &self.visible, changed, |_, _| {});
        }
        let root = &mut self.roots[site.root];
        let old = std::mem::replace(&mut root.term, changed);
        root.fact = *self.facts.of(changed);
        self.text_cache.patch(terms, site, root, old, new);
        true
    }

    /// Analyses a new term, which becomes an ingredient unless it is large.
    fn learn(&mut self, terms: &mut Terms, new: TermId) {
        if self.facts.knows(new) {
            return;
        }
        self.facts.look(terms, &self.visible, new, |_, _| {});
        let fact = *self.facts.of(new);
        if fact.may_move && fact.size <= LARGEST_INGREDIENT {
            let item = Item {
                term: new,
                places: fact.places,
                clashes: fact.clashes,
            };
            let sort_places = self.visible.of_sort(&terms.sorts, terms.sort(new));
            self.pool.add(terms, item, sort_places);
        }
    }

    /// A place for a new assertion, where no variable is in scope and no term is replaced.
    pub fn gap(&self, draw: &mut Draw) -> Option<(usize, Places)> {
        draw.pick(&self.gaps).copied()
    }

    /// Adds an assertion at a gap.
    pub fn add_assertion(&mut self, terms: &mut Terms, gap: (usize, Places), term: TermId) {
        self.learn(terms, term);
        self.roots.push(Root {
            location: RootLocation::Before(gap.0),
            term,
            place: gap.1,
            parameters: Vec::new(),
            fact: *self.facts.of(term),
        });
    }

    /// Identifies mutants of one seed, as long as their terms exist.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.roots
            .iter()
            .for_each(|root| root.term.hash(&mut hasher));
        hasher.finish()
    }

    /// The current script. Outside of its logic it is declared in `ALL`.
    pub fn script(&self, terms: &mut Terms) -> Script {
        let mut commands = Vec::with_capacity(self.commands.len() + 4);
        let is_old = |root: &&Root| matches!(root.location, RootLocation::Command(_));
        let (old, new): (Vec<&Root>, Vec<&Root>) = self.roots.iter().partition(is_old);
        let mut old = old.into_iter().peekable();
        for (number, command) in self.commands.iter().enumerate() {
            for root in new
                .iter()
                .filter(|root| root.location == RootLocation::Before(number))
            {
                commands.push(Command::Assert(Assertion {
                    term: root.term,
                    name: None,
                }));
            }
            let mut command = command.clone();
            if let Some(root) = old.next_if(|root| root.location == RootLocation::Command(number)) {
                put(&mut command, root.term);
            }
            commands.push(command);
        }
        self.fit_logic(terms, &mut commands);
        Script {
            commands,
            spans: Vec::new(),
        }
    }

    fn fit_logic(&self, terms: &mut Terms, commands: &mut [Command]) {
        let Some(wider) = self.wider_logic() else {
            return;
        };
        let logic = terms.symbols.intern(wider);
        for command in commands {
            if let Command::SetLogic(old) = command {
                *old = logic;
            }
        }
    }

    /// The logic to declare if the features exceed that of the seed.
    fn wider_logic(&self) -> Option<&'static str> {
        let allowed = self.logic?;
        let used = self.roots.iter();
        let used = used.fold(Features::NONE, |all, root| all.union(root.fact.features));
        if allowed.includes(used) {
            return None;
        }
        let higher_order = used.includes(Features::HIGHER_ORDER);
        Some(if higher_order { "HO_ALL" } else { "ALL" })
    }
}

fn declared_fun(command: &Command) -> Option<Fun> {
    match command {
        Command::DeclareFun(fun) => Some(*fun),
        _ => None,
    }
}

/// Puts a changed term into its command.
fn put(command: &mut Command, term: TermId) {
    match command {
        Command::Assert(assertion) => assertion.term = term,
        Command::DefineFun(definition) => definition.body = term,
        _ => unreachable!("roots stand in assertions and definitions"),
    }
}

/// A definition whose body may be any term of its sort. A recursive definition is an axiom: changed at random it may
/// have no model, and then solvers legitimately differ.
fn may_change(terms: &Terms, definition: &Definition) -> bool {
    matches!(
        definition.how,
        DefinitionKind::Plain | DefinitionKind::Constant
    ) && terms.sort(definition.body) == terms.fun(definition.fun).result
}

/// The names of bound variables that are names of function symbols, too.
fn clashing_names(terms: &Terms, commands: &[Command], roots: &[Root]) -> FxHashSet<Symbol> {
    let mut variables = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<TermId> = roots.iter().map(|root| root.term).collect();
    let mut add = |bound: &[TermId]| {
        variables.extend(bound.iter().filter_map(|v| match terms.head(*v) {
            Head::Variable(name) => Some(name),
            _ => None,
        }));
    };
    roots.iter().for_each(|root| add(&root.parameters));
    while let Some(term) = stack.pop() {
        if terms.args(term).is_empty() || !seen.insert(term) {
            continue;
        }
        match terms.head(term) {
            Head::Binder(number) => add(&terms.binder(number).variables),
            Head::Match(number) => {
                let cases = terms.match_(number).cases.iter();
                cases.for_each(|case| add(&case.variables));
            }
            _ => {}
        }
        stack.extend_from_slice(terms.args(term));
    }
    if variables.is_empty() {
        return variables;
    }
    let names = commands
        .iter()
        .flat_map(|command| declared_names(terms, command));
    names.filter(|name| variables.contains(name)).collect()
}

/// The names of function symbols that a command declares.
fn declared_names(terms: &Terms, command: &Command) -> Vec<Symbol> {
    match command {
        Command::DeclareFun(fun) => vec![terms.fun(*fun).name],
        Command::DefineFun(definition) => vec![terms.fun(definition.fun).name],
        Command::DefineFunsRec(all) => all.iter().map(|d| terms.fun(d.fun).name).collect(),
        Command::Assert(assertion) => assertion.name.into_iter().collect(),
        _ => Vec::new(),
    }
}
