//! Puts atoms into the places of a skeleton: symbols of another script become variables in scope and constants of the
//! skeleton, or new ones.

use super::atoms::{self, is_structure, subterms};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{EVERYWHERE, Ingredients, Palette, Pool, Rules, constant, grow};
use crate::mutant::prepare::prepare;
use crate::strategy::GenContext;
use crate::strategy::flat::rebuild;
use auspex_logic::script::Assertion;
use auspex_logic::sort::{DataId, SortKind};
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Fun, Head, Sort, Symbol, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Structure below this is kept as it is.
const DEEPEST: usize = 200;
/// One in this many literals of an atom becomes another constant.
const CONSTANTS: u64 = 6;

/// What fills the places of one skeleton.
pub struct Filler {
    own: Symbols,
    /// The atoms of all seeds, with those of the skeleton.
    atoms: Vec<TermId>,
    pool: Pool,
    palette: Arc<Palette>,
    /// New constants by sort, and new functions by those that they stand for.
    fresh: FxHashMap<Sort, Vec<Fun>>,
    functions: FxHashMap<Fun, Fun>,
    declared: Vec<Fun>,
    prefix: String,
    mined: usize,
    grown: usize,
}

/// What a script declares.
#[derive(Default)]
struct Symbols {
    sorts: FxHashSet<Symbol>,
    datatypes: FxHashSet<DataId>,
    /// What is declared or defined where the next assertion stands, and how much that was at each open `push`.
    in_force: Vec<Fun>,
    levels: Vec<usize>,
    names: FxHashSet<Symbol>,
}

impl Symbols {
    /// Everything that commands declare, and all names in them; no constant is in force yet.
    fn of(terms: &Terms, commands: &[Command]) -> Symbols {
        let mut all = Symbols::default();
        for command in commands {
            match command {
                Command::DeclareSort(name, _) | Command::DefineSort(name, ..) => {
                    all.sorts.insert(*name);
                }
                Command::DeclareDatatypes(ids) => all.datatypes.extend(ids.iter().copied()),
                _ => {}
            }
            let funs = declared_by(command).into_iter();
            all.names.extend(funs.map(|fun| terms.fun(fun).name));
        }
        let mut seen = FxHashSet::default();
        let mut stack: Vec<TermId> = commands.iter().flat_map(Command::roots).collect();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend_from_slice(terms.args(term));
            match terms.head(term) {
                Head::Variable(name) => drop(all.names.insert(name)),
                Head::Fun(fun) => drop(all.names.insert(terms.fun(fun).name)),
                Head::Binder(number) => {
                    let variables = terms.binder(number).variables.iter();
                    all.names
                        .extend(variables.filter_map(|one| name_of(terms, *one)));
                }
                _ => {}
            }
        }
        all
    }

    fn note(&mut self, command: &Command) {
        self.in_force.extend(declared_by(command));
        match command {
            Command::Push(count) => {
                let count = (*count).min(64) as usize;
                self.levels
                    .extend(std::iter::repeat_n(self.in_force.len(), count));
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    let Some(length) = self.levels.pop() else {
                        break;
                    };
                    self.in_force.truncate(length);
                }
            }
            Command::Reset | Command::ResetAssertions => {
                self.levels.clear();
                self.in_force.clear();
            }
            _ => {}
        }
    }

    /// Whether a sort means the same in the script.
    fn has(&self, terms: &Terms, sort: Sort) -> bool {
        let is_own = match terms.sorts.kind(sort) {
            SortKind::Declared(name, _) => self.sorts.contains(name),
            SortKind::Data(id, _) => self.datatypes.contains(id),
            _ => true,
        };
        is_own
            && terms
                .sorts
                .parts(sort)
                .into_iter()
                .all(|part| self.has(terms, part))
    }
}

/// The functions that a command declares or defines.
fn declared_by(command: &Command) -> Vec<Fun> {
    match command {
        Command::DeclareFun(fun) => vec![*fun],
        Command::DefineFun(one) => vec![one.fun],
        Command::DefineFunsRec(all) => all.iter().map(|one| one.fun).collect(),
        _ => Vec::new(),
    }
}

fn name_of(terms: &Terms, variable: TermId) -> Option<Symbol> {
    match terms.head(variable) {
        Head::Variable(name) => Some(name),
        _ => None,
    }
}

impl Filler {
    /// None if no seed has an atom.
    pub fn new(workshop: &mut GenContext<'_>, commands: &[Command]) -> Option<Filler> {
        let terms = &mut *workshop.terms;
        let mut all = atoms::of(terms, commands);
        for seed in workshop.seeds {
            let others = prepare(terms, &seed.script);
            all.extend(atoms::of(terms, &others));
        }
        if all.is_empty() {
            return None;
        }
        let roots: Vec<TermId> = commands.iter().flat_map(Command::roots).collect();
        let pool = Pool::of(terms, &roots);
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: Features::ALL.without(Features::HIGHER_ORDER),
        };
        let palette = Palette::shared(terms.table(), &rules, pool.kinds(&terms.sorts));
        let own = Symbols::of(terms, commands);
        let taken = |name: &str| {
            own.names
                .iter()
                .any(|one| terms.symbols.name(*one).starts_with(name))
        };
        let prefix = ["atom!", "other!", "new!", "_"]
            .into_iter()
            .find(|one| !taken(one))?;
        Some(Filler {
            prefix: prefix.to_string(),
            own,
            atoms: all,
            pool,
            palette,
            fresh: FxHashMap::default(),
            functions: FxHashMap::default(),
            declared: Vec::new(),
            mined: 0,
            grown: 0,
        })
    }

    /// The commands with other atoms.
    pub fn fill(&mut self, terms: &mut Terms, draw: &mut Draw, all: &[Command]) -> Vec<Command> {
        let mut filled = Vec::with_capacity(all.len());
        for command in all {
            self.own.note(command);
            filled.push(match command {
                Command::Assert(assertion) => Command::Assert(Assertion {
                    term: self.formula(terms, draw, assertion.term, &mut Vec::new()),
                    ..*assertion
                }),
                other => other.clone(),
            });
        }
        filled
    }

    /// What was done, for people.
    pub fn steps(&self) -> Vec<String> {
        let line = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let lines = [
            line(self.mined, "atoms of other scripts"),
            line(self.grown, "grown atoms"),
        ];
        lines.into_iter().flatten().collect()
    }

    pub fn declarations(&self) -> Vec<Command> {
        self.declared
            .iter()
            .copied()
            .map(Command::DeclareFun)
            .collect()
    }

    fn formula(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        formula: TermId,
        scope: &mut Vec<TermId>,
    ) -> TermId {
        if !is_structure(terms, formula) || scope.len() > DEEPEST {
            return self.atom(terms, draw, scope).unwrap_or(formula);
        }
        let outer = scope.len();
        if let Head::Binder(number) = terms.head(formula) {
            scope.extend(terms.binder(number).variables.iter());
        }
        let args = terms.args(formula).to_vec();
        let args: Vec<TermId> = args
            .into_iter()
            .map(|arg| self.formula(terms, draw, arg, scope))
            .collect();
        scope.truncate(outer);
        terms.with_args(formula, &args).unwrap_or(formula)
    }

    /// What comes into a place; none where its atom stays.
    fn atom(&mut self, terms: &mut Terms, draw: &mut Draw, scope: &[TermId]) -> Option<TermId> {
        const TRIES: usize = 3;
        match draw.below(4) {
            0 => None,
            1 => {
                let with = Ingredients {
                    pool: &self.pool,
                    palette: &self.palette,
                    scope,
                    place: EVERYWHERE,
                    avoid: None,
                    constants: CONSTANTS,
                };
                let grown = grow(terms, draw, Sort::BOOL, 2, &with)?;
                let fits = self.is_in_force(terms, grown);
                self.grown += usize::from(fits);
                fits.then_some(grown)
            }
            _ => {
                let adopted = (0..TRIES).find_map(|_| {
                    let atom = *draw.pick(&self.atoms)?;
                    self.adopt(terms, draw, atom, scope)
                })?;
                self.mined += 1;
                Some(adopted)
            }
        }
    }

    /// Whether all symbols of a term are in force here.
    fn is_in_force(&self, terms: &Terms, term: TermId) -> bool {
        let known = |part: TermId| match terms.head(part) {
            Head::Fun(fun) => self.is_known(terms, fun),
            _ => true,
        };
        subterms(terms, term).into_iter().all(known)
    }

    /// An atom of any seed in the skeleton's symbols.
    fn adopt(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        atom: TermId,
        scope: &[TermId],
    ) -> Option<TermId> {
        let parts = subterms(terms, atom);
        if !parts
            .iter()
            .all(|part| self.own.has(terms, terms.sort(*part)))
            || !self.may_bind(terms, &parts, scope)
        {
            return None;
        }
        let free: Vec<TermId> = terms.free_variables(atom).to_vec();
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut functions: FxHashMap<Fun, Fun> = FxHashMap::default();
        for part in &parts {
            let becomes = match terms.head(*part) {
                Head::Variable(_) if free.contains(part) => {
                    self.symbol(terms, draw, *part, scope)?
                }
                Head::Fun(fun) if terms.args(*part).is_empty() && is_declared(terms, fun) => {
                    self.symbol(terms, draw, *part, scope)?
                }
                Head::Fun(fun) if is_declared(terms, fun) => {
                    functions.insert(fun, self.function(terms, fun)?);
                    continue;
                }
                Head::Fun(fun) if !self.is_known(terms, fun) => return None,
                Head::Literal(_) if draw.one_in(CONSTANTS) => {
                    constant(terms, draw, terms.sort(*part)).unwrap_or(*part)
                }
                _ => continue,
            };
            map.insert(*part, becomes);
        }
        let new = rebuild(terms, atom, &mut |terms, old, args| {
            if let Some(new) = map.get(&old) {
                return Some(*new);
            }
            match terms.head(old) {
                Head::Fun(fun) => functions
                    .get(&fun)
                    .and_then(|fun| terms.fun_app(*fun, args).ok()),
                _ => None,
            }
        });
        (terms.sort(new) == Sort::BOOL).then_some(new)
    }

    /// Whether no variable that an atom binds has the name of a symbol that it could get.
    fn may_bind(&self, terms: &Terms, parts: &[TermId], scope: &[TermId]) -> bool {
        let in_scope: FxHashSet<Symbol> = scope
            .iter()
            .filter_map(|one| name_of(terms, *one))
            .collect();
        let binds = parts.iter().flat_map(|part| match terms.head(*part) {
            Head::Binder(number) => terms.binder(number).variables.to_vec(),
            Head::Match(number) => {
                let cases = terms.match_(number).cases.iter();
                cases.flat_map(|case| case.variables.to_vec()).collect()
            }
            _ => Vec::new(),
        });
        let mut names = binds.filter_map(|one| name_of(terms, one));
        names.all(|name| !in_scope.contains(&name) && !self.own.names.contains(&name))
    }

    /// Whether the skeleton has a symbol here.
    fn is_known(&self, terms: &Terms, fun: Fun) -> bool {
        match terms.fun(fun).kind {
            FunKind::Constructor(id, _)
            | FunKind::Selector(id, ..)
            | FunKind::Tester(id, _)
            | FunKind::Updater(id, ..) => self.own.datatypes.contains(&id),
            // It may belong to a scope that was left.
            FunKind::Declared | FunKind::Defined => {
                self.own.in_force.contains(&fun) || self.declared.contains(&fun)
            }
        }
    }

    /// What a variable or a constant of another script becomes.
    fn symbol(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        old: TermId,
        scope: &[TermId],
    ) -> Option<TermId> {
        let sort = terms.sort(old);
        let bound = scope.iter().filter(|one| terms.sort(**one) == sort);
        let bound: Vec<TermId> = bound.copied().collect();
        if let Some(variable) = draw.pick(&bound)
            && draw.coin()
        {
            return Some(*variable);
        }
        let is_like = |fun: &&Fun| {
            let one = terms.fun(**fun);
            one.result == sort && one.params.is_empty() && is_declared(terms, **fun)
        };
        let mut like: Vec<Fun> = self.own.in_force.iter().filter(is_like).copied().collect();
        like.extend(self.fresh.get(&sort).into_iter().flatten());
        if let Some(fun) = draw.pick(&like)
            && !draw.one_in(4)
        {
            return terms.fun_app(*fun, &[]).ok();
        }
        let fun = self.declare(terms, &[], sort);
        self.fresh.entry(sort).or_default().push(fun);
        terms.fun_app(fun, &[]).ok()
    }

    /// What a function of another script becomes: one of the skeleton with the same rank, or a new one.
    fn function(&mut self, terms: &mut Terms, old: Fun) -> Option<Fun> {
        if let Some(new) = self.functions.get(&old) {
            return Some(*new);
        }
        let decl = terms.fun(old).clone();
        let mut sorts = decl.params.iter().chain([&decl.result]);
        if !sorts.all(|sort| self.own.has(terms, *sort)) {
            return None;
        }
        let is_alike = |fun: &&Fun| {
            let one = terms.fun(**fun);
            one.params == decl.params && one.result == decl.result && is_declared(terms, **fun)
        };
        if let Some(own) = self.own.in_force.iter().find(is_alike) {
            return Some(*own);
        }
        let new = self.declare(terms, &decl.params, decl.result);
        self.functions.insert(old, new);
        Some(new)
    }

    fn declare(&mut self, terms: &mut Terms, params: &[Sort], result: Sort) -> Fun {
        let name = format!("{}{}", self.prefix, self.declared.len());
        let fun = terms.declare_fun(&name, params, result);
        self.declared.push(fun);
        fun
    }
}

fn is_declared(terms: &Terms, fun: Fun) -> bool {
    matches!(terms.fun(fun).kind, FunKind::Declared)
}
