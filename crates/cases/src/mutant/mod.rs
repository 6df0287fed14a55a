//! A script under mutation: which occurrences may be replaced, by what, and the script that results.
//! Replacing keeps sorts, the scopes of bound variables, the order of declarations and, where it can, the logic.

mod facts;
pub mod needs;
mod page;
pub mod prepare;
mod visible;

use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::{Function, Ingredients, Item, Palette, Places, Pool};
use auspex_logic::script::{Definition, DefinitionKind};
use auspex_logic::{Assertion, Command, Fun, Head, Script, Symbol, TermId, Terms};
use facts::{Facts, is_replaceable, leads_on};
use page::Page;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use visible::{Visible, Watch};

/// Where a term that may be changed stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// An assertion of the seed or the body of a definition, by the number of the command.
    Command(usize),
    /// A new assertion before that command.
    Before(usize),
}

#[derive(Clone, Debug)]
struct Root {
    home: Home,
    term: TermId,
    place: Places,
    /// The parameters of a definition.
    parameters: Vec<TermId>,
}

/// One occurrence that may be replaced.
#[derive(Clone, Debug)]
pub struct Site {
    root: usize,
    path: Vec<u32>,
    pub term: TermId,
    /// The bound variables in scope.
    pub scope: Vec<TermId>,
    pub place: Places,
}

impl Site {
    /// Where it is, for people: `assertion 2 at 0.1`.
    pub fn describe(&self) -> String {
        let mut text = format!("term {}", self.root + 1);
        for (at, place) in self.path.iter().enumerate() {
            text.push_str(if at == 0 { " at " } else { "." });
            text.push_str(&place.to_string());
        }
        text
    }
}

/// A script under mutation.
pub struct Mutant {
    commands: Vec<Command>,
    roots: Vec<Root>,
    /// Commands before which a new assertion may be put, with their places.
    gaps: Vec<(usize, Places)>,
    facts: Facts,
    visible: Visible,
    pub pool: Pool,
    /// What the seed's terms use.
    seed_features: Features,
    /// What the declared logic allows; none if there is no logic.
    logic: Option<Features>,
    page: Page,
}

/// New expressions larger than this do not become ingredients of further ones, lest terms explode.
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
            page: Page::default(),
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
                    home: Home::Command(number),
                    term,
                    place: watch.place(),
                    parameters,
                });
            }
            watch.follow(terms, command);
        }
        self.visible = watch.finish();
    }

    fn fill_pool(&mut self, terms: &mut Terms) {
        let mut found = Vec::new();
        let mut all = Features::NONE;
        for root in &self.roots {
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
            all = all.and(self.facts.of(root.term).features);
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
        Some(allowed.and(self.seed_features))
    }

    /// The features that new terms may have so that the script keeps its logic.
    pub fn allowed(&self) -> Features {
        self.logic.unwrap_or(Features::ALL)
    }

    /// What the seed's own terms use.
    pub fn seed_features(&self) -> Features {
        self.seed_features
    }

    /// Any occurrence that may be replaced, each with the same chance.
    pub fn site(&self, terms: &Terms, draw: &mut Draw) -> Option<Site> {
        let sites = |root: &Root| self.facts.of(root.term).sites;
        let total = self
            .roots
            .iter()
            .fold(0u64, |sum, root| sum.saturating_add(sites(root)));
        if total == 0 {
            return None;
        }
        let mut number = draw.below(total);
        let at = self.roots.iter().position(|root| {
            let here = number < sites(root);
            if !here {
                number -= sites(root);
            }
            here
        })?;
        self.walk(terms, at, number)
    }

    /// The occurrence with that number below a root.
    fn walk(&self, terms: &Terms, root: usize, mut number: u64) -> Option<Site> {
        let Root {
            place,
            parameters,
            term,
            ..
        } = &self.roots[root];
        let mut site = Site {
            root,
            path: Vec::new(),
            term: *term,
            scope: parameters.clone(),
            place: *place,
        };
        loop {
            let fact = self.facts.of(site.term);
            if fact.is_site {
                if number == 0 {
                    return Some(site);
                }
                number -= 1;
            }
            let head = terms.head(site.term);
            let mut below = None;
            for (place, arg) in terms.args(site.term).iter().enumerate() {
                if !leads_on(terms, head, place) {
                    continue;
                }
                let sites = self.facts.of(*arg).sites;
                if number < sites {
                    below = Some((place, *arg));
                    break;
                }
                number -= sites;
            }
            // Counts that do not fit 64 bits are cut off; then a walk may end nowhere.
            let (place, arg) = below?;
            enter(terms, head, place, &mut site.scope);
            site.path.push(place as u32);
            site.term = arg;
        }
    }

    /// What may be used for a new term at a site.
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

    /// Replaces the term at a site; false if the result would not be well-sorted or nothing changes.
    pub fn replace(&mut self, terms: &mut Terms, site: &Site, new: TermId) -> bool {
        let old = self.roots[site.root].term;
        match terms.replace_at(old, &site.path, new) {
            Some(term) if term != old => {
                self.roots[site.root].term = term;
                self.learn(terms, term, new);
                true
            }
            _ => false,
        }
    }

    /// Facts about a changed root; its new part becomes an ingredient unless it is large.
    fn learn(&mut self, terms: &mut Terms, root: TermId, new: TermId) {
        let mut is_new = false;
        self.facts
            .look(terms, &self.visible, new, |term, _| is_new |= term == new);
        self.facts.look(terms, &self.visible, root, |_, _| {});
        let fact = *self.facts.of(new);
        if is_new && fact.may_move && fact.size <= LARGEST_INGREDIENT {
            let item = Item {
                term: new,
                places: fact.places,
                clashes: fact.clashes,
            };
            let sort_places = self.visible.of_sort(&terms.sorts, terms.sort(new));
            self.pool.add(terms, item, sort_places);
        }
    }

    /// A place for a new assertion; nothing is in scope there and nothing is replaced.
    pub fn gap(&self, draw: &mut Draw) -> Option<(usize, Places)> {
        draw.pick(&self.gaps).copied()
    }

    /// Adds an assertion at a gap.
    pub fn add_assertion(&mut self, terms: &mut Terms, gap: (usize, Places), term: TermId) {
        self.roots.push(Root {
            home: Home::Before(gap.0),
            term,
            place: gap.1,
            parameters: Vec::new(),
        });
        self.learn(terms, term, term);
    }

    /// Tells mutants of one seed apart, as long as their terms are remembered.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.roots
            .iter()
            .for_each(|root| root.term.hash(&mut hasher));
        hasher.finish()
    }

    /// The script as it is now. Outside its logic it is declared in the logic of everything.
    pub fn script(&self, terms: &mut Terms) -> Script {
        let mut commands = Vec::with_capacity(self.commands.len() + 4);
        let is_old = |root: &&Root| matches!(root.home, Home::Command(_));
        let (old, new): (Vec<&Root>, Vec<&Root>) = self.roots.iter().partition(is_old);
        let mut old = old.into_iter().peekable();
        for (number, command) in self.commands.iter().enumerate() {
            for root in new.iter().filter(|root| root.home == Home::Before(number)) {
                commands.push(Command::Assert(Assertion {
                    term: root.term,
                    name: None,
                }));
            }
            let mut command = command.clone();
            if let Some(root) = old.next_if(|root| root.home == Home::Command(number)) {
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

    /// The logic to declare if what is used goes beyond that of the seed.
    fn wider_logic(&self) -> Option<&'static str> {
        let allowed = self.logic?;
        let used = self.roots.iter().fold(Features::NONE, |all, root| {
            all.and(self.facts.of(root.term).features)
        });
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

/// A definition whose body can be anything of its sort. A recursive one is an axiom:
/// changed at random it has no model, and solvers rightly differ on what that means.
fn may_change(terms: &Terms, definition: &Definition) -> bool {
    matches!(
        definition.how,
        DefinitionKind::Plain | DefinitionKind::Constant
    ) && terms.sort(definition.body) == terms.fun(definition.fun).result
}

/// Adds the variables that a term binds in an argument. An inner variable hides an outer one of its name.
fn enter(terms: &Terms, head: Head, place: usize, scope: &mut Vec<TermId>) {
    let bound: &[TermId] = match head {
        Head::Binder(number) => &terms.binder(number).variables,
        Head::Match(number) if place > 0 => match terms.match_(number).cases.get(place - 1) {
            Some(case) => &case.variables,
            None => return,
        },
        _ => return,
    };
    let name = |variable: &TermId| terms.head(*variable);
    scope.retain(|outer| !bound.iter().any(|inner| name(inner) == name(outer)));
    scope.extend_from_slice(bound);
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

/// The names of function symbols that a command brings.
fn declared_names(terms: &Terms, command: &Command) -> Vec<Symbol> {
    match command {
        Command::DeclareFun(fun) => vec![terms.fun(*fun).name],
        Command::DefineFun(definition) => vec![terms.fun(definition.fun).name],
        Command::DefineFunsRec(all) => all.iter().map(|d| terms.fun(d.fun).name).collect(),
        Command::Assert(assertion) => assertion.name.into_iter().collect(),
        _ => Vec::new(),
    }
}
