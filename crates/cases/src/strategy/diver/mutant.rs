//! A mutant under construction: its assertions, the model that they must keep, and the analysis of both.

use super::Diver;
use super::allowed::Allowed;
use super::analysis::{Depth, Map, Place, Scan};
use super::description::brief;
use super::guide::Guide;
use super::unfold::Unfolding;
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::grow::{EVERYWHERE, Function, Ingredients, Item, Palette, Pool, Rules, grow};
use crate::logics;
use crate::strategy::flat::is_declaration;
use auspex_logic::edit::Path;
use auspex_logic::eval::{Evaluator, Memory, Outcome, Reason};
use auspex_logic::model::{Interpretation, ModelVerdict, validate};
use auspex_logic::render;
use auspex_logic::script::{Assertion, Command, Query, Script};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Fun, Model, TermId, Terms, Value};
use std::sync::Arc;

/// How many occurrences are analysed for one replacement; random ones if there are more.
const MOST_PLACES: usize = 600;
/// How many terms are tried below a binder, where every try evaluates the whole binder.
const FEW_ATTEMPTS: usize = 6;
/// The number of failed attempts to grow any term of a sort after which to give up.
const MOST_UNGROWN: usize = 8;
/// The limit of evaluations of binders' bodies for one value; a seed that needs more would take seconds for each
/// mutant.
const FEW_TRIES: u64 = 1_000;
/// New terms larger than this are not used in further ones, so that terms do not explode.
const LARGEST_INGREDIENT: usize = 64;

/// The most fresh variables for one new term.
const MOST_FRESH: u64 = 3;

/// The usual number of evaluated terms.
const USUAL_VALUES: usize = 200;

/// A model, and the cached values of terms under it.
pub(super) struct Judge {
    pub model: Model,
    pub memory: Memory,
}

impl Judge {
    pub fn value(&mut self, terms: &Terms, term: TermId) -> Outcome {
        let memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator::remembering(terms, &self.model, memory)
            .enclosing()
            .at_most(FEW_TRIES);
        let value = evaluator.value(term);
        self.memory = evaluator.into_memory();
        value
    }
}

impl Judge {
    /// Whether every part of an evaluated term has a value.
    fn knows_all(&self, terms: &Terms, term: TermId) -> bool {
        let parts = render::post_order(terms, term);
        let mut parts = parts.into_iter();
        parts.all(|part| matches!(self.memory.known(part), Some(Ok(_))))
    }
}

/// The steps, described only at the end.
pub(super) enum Step {
    Replaced {
        root: usize,
        old: TermId,
        new: TermId,
    },
    Fresh {
        root: usize,
        fun: Fun,
    },
    Extended {
        fun: Fun,
    },
}

/// An occurrence that was chosen.
struct Spot {
    root: usize,
    number: usize,
    path: Path,
    place: Place,
    /// The bound variables in scope.
    scope: Vec<TermId>,
}

/// A script under mutation, with the model that it must keep.
pub struct ModelMutant {
    /// Declarations and definitions, in order.
    pub(super) header: Vec<Command>,
    pub(super) assertions: Vec<Assertion>,
    pub(super) judge: Judge,
    /// The occurrences of each assertion, computed on demand.
    pub(super) maps: Vec<Option<Map>>,
    pub(super) steps: Vec<Step>,
    pub(super) fresh: u32,
    pub(super) pool: Pool,
    palette: Arc<Palette>,
    /// Whether every part must have a value, because one of the solvers has partial functions.
    defined: bool,
    /// Whether a solver is asked that accepts only literals where z3 accepts any term.
    literals_stay: bool,
    /// The random start of the analysis in large scripts and assertions.
    focus: u64,
    /// How many occurrences are analysed for one replacement.
    pub(super) limit: usize,
    /// Whether `ALL` is declared, whatever the seed declares.
    pub(super) is_wide: bool,
    script: Script,
    /// How many terms were tried.
    pub attempts: u64,
    /// How many attempts at the current place gave no term.
    ungrown: usize,
    /// The seed's name.
    pub seed: String,
    /// The strategy's name.
    pub(super) strategy: &'static str,
}

impl ModelMutant {
    /// The seed's first query as a flat script, if the model satisfies it.
    pub(super) fn new(
        terms: &mut Terms,
        seed: &Script,
        model: Model,
        rules: &Rules<'_>,
    ) -> Option<ModelMutant> {
        let query = seed.queries().into_iter().next()?;
        let header: Vec<Command> = seed.commands[..query.command]
            .iter()
            .filter(|c| is_declaration(c))
            .cloned()
            .collect();
        let mut assertions = query.assertions;
        assertions.extend(query.assumptions.iter().map(|term| Assertion {
            term: *term,
            name: None,
        }));
        let unfolding = Unfolding::of(terms, &header);
        for assertion in &mut assertions {
            assertion.term = unfolding.term(terms, assertion.term);
        }
        let memory = Memory::for_terms(USUAL_VALUES);
        let mut judge = Judge { model, memory };
        if !holds(terms, &mut judge, &assertions) {
            return None;
        }
        let roots: Vec<TermId> = assertions.iter().map(|a| a.term).collect();
        let mut pool = Pool::of(terms, &roots);
        add_symbols(terms, &mut pool, &header, &judge.model);
        let palette = Palette::shared(terms.table(), rules, pool.kinds(&terms.sorts));
        Some(ModelMutant {
            maps: vec![None; assertions.len()],
            header,
            assertions,
            judge,
            steps: Vec::new(),
            fresh: 0,
            pool,
            palette,
            defined: rules.solvers.includes(SolverSet::DREAL),
            literals_stay: rules.solvers != SolverSet::Z3,
            focus: 0,
            limit: MOST_PLACES,
            is_wide: false,
            script: seed.clone(),
            attempts: 0,
            ungrown: 0,
            seed: String::new(),
            strategy: Diver::USUAL.name,
        })
    }

    /// Symbols without arguments that the script declares.
    pub(super) fn constants(&self, terms: &Terms) -> Vec<Fun> {
        let declared = self.header.iter().filter_map(|command| match command {
            Command::DeclareFun(fun) => Some(*fun),
            _ => None,
        });
        declared
            .filter(|fun| terms.fun(*fun).params.is_empty())
            .collect()
    }

    /// Moves to another part of scripts that are too large to be analysed completely.
    pub(super) fn turn(&mut self, draw: &mut Draw) {
        self.focus = draw.below(u64::MAX);
    }

    /// Computes the occurrences of an assertion if they are not current.
    pub(super) fn map(&mut self, terms: &Terms, root: usize, how: &Diver) {
        let term = self.assertions[root].term;
        if let Some(map) = &mut self.maps[root] {
            return map.settle(terms, &self.judge.memory, term);
        }
        let scan = Scan {
            how: match how.analyses() {
                true => Depth::Sets,
                false => Depth::Occurrences,
            },
            limit: self.limit,
            literals_stay: self.literals_stay,
            focus: self.focus,
        };
        // Skip an assertion that is true only with chosen values for unspecified applications.
        let map = match self.judge.value(terms, term) {
            Ok(Value::Bool(true)) => Map::new(terms, &self.judge.memory, term, scan),
            _ => Map::default(),
        };
        self.maps[root] = Some(map);
    }

    /// A random occurrence by weight.
    fn choose(&mut self, terms: &Terms, draw: &mut Draw, how: &Diver) -> Option<Spot> {
        let count = self.assertions.len();
        let first = Draw::new(self.focus, 0).index(count);
        let weight = |map: &Map| match how.weighted {
            true => map.total(),
            false => map.places().len() as u64,
        };
        let mut seen = 0;
        let mut total = 0;
        let mut last = 0;
        while last < count && seen < self.limit {
            let root = (first + last) % count;
            self.map(terms, root, how);
            let map = self.maps[root].as_ref()?;
            seen += map.places().len();
            total += weight(map);
            last += 1;
        }
        let mut at = draw.below(total);
        for turn in 0..last {
            let root = (first + turn) % count;
            let map = self.maps[root].as_ref()?;
            if at >= weight(map) {
                at -= weight(map);
                continue;
            }
            let mut places = map.places().iter();
            let number = places.position(|place| {
                let own = if how.weighted {
                    u64::from(place.weight)
                } else {
                    1
                };
                let hit = at < own;
                at = at.wrapping_sub(own);
                hit
            })?;
            return Some(self.spot(terms, root, number));
        }
        None
    }

    fn spot(&self, terms: &Terms, root: usize, number: usize) -> Spot {
        let map = self.maps[root]
            .as_ref()
            .expect("the map it was chosen from");
        let (place, path) = (map.places()[number].clone(), map.path(number));
        let scope = match place.allowed {
            Allowed::Unknown => terms.variables_at(self.assertions[root].term, &path),
            _ => Vec::new(),
        };
        Spot {
            root,
            number,
            path,
            place,
            scope,
        }
    }

    /// Replaces one occurrence; false if none of the attempts keeps the model.
    pub(super) fn mutate(&mut self, terms: &mut Terms, draw: &mut Draw, how: &Diver) -> bool {
        let Some(spot) = self.choose(terms, draw, how) else {
            return false;
        };
        let most = match spot.place.allowed {
            Allowed::Unknown => how.attempts.min(FEW_ATTEMPTS),
            _ => how.attempts,
        };
        self.ungrown = 0;
        for _ in 0..most {
            self.attempts += 1;
            if self.ungrown == MOST_UNGROWN {
                break;
            }
            if let Some((new, root)) = self.attempt(terms, draw, &spot, how) {
                self.accept(terms, &spot, new, root, how);
                if how.complicating && draw.coin() {
                    let mut new = Some(new);
                    for _ in 0..draw.between(1, MOST_FRESH) {
                        let Some(term) = new else { break };
                        new = self.complicate(terms, draw, (spot.root, spot.number), term, how);
                    }
                }
                self.look_anew(draw);
                return true;
            }
        }
        false
    }

    /// Lets the next replacement be in another part of a script that is too large to be analysed completely.
    fn look_anew(&mut self, draw: &mut Draw) {
        self.turn(draw);
        for map in &mut self.maps {
            if map.as_ref().is_some_and(Map::is_partial) {
                *map = None;
            }
        }
    }

    /// A new term and the assertion with it, if the model makes that true.
    fn attempt(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        spot: &Spot,
        how: &Diver,
    ) -> Option<(TermId, TermId)> {
        let new = match how.guided && draw.one_in(8) {
            true => self.extended(terms, draw, &spot.place),
            false => None,
        };
        let new = match new {
            Some(new) => new,
            None => {
                let with = Ingredients {
                    pool: &self.pool,
                    palette: &self.palette,
                    scope: &spot.scope,
                    place: EVERYWHERE,
                    avoid: Some(spot.place.term),
                    constants: 4,
                };
                let depth = draw.between(1, how.depth) as u32;
                let Some(grown) = grow(terms, draw, terms.sort(spot.place.term), depth, &with)
                else {
                    self.ungrown += 1;
                    return None;
                };
                self.steer(terms, draw, &spot.place, grown, how)?
            }
        };
        let old = self.assertions[spot.root].term;
        let root = terms.replace_at(old, &spot.path, new)?;
        if root == old {
            return None;
        }
        let stays = match how.incremental {
            true => self.judge.value(terms, root) == Ok(Value::TRUE),
            false => self.holds_anew(terms, spot.root, root),
        };
        (stays && (!self.defined || self.judge.knows_all(terms, root))).then_some((new, root))
    }

    /// The grown term, changed if necessary so that its value is allowed.
    fn steer(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        place: &Place,
        grown: TermId,
        how: &Diver,
    ) -> Option<TermId> {
        if !how.incremental || place.allowed == Allowed::Unknown || !terms.is_closed(grown) {
            return Some(grown);
        }
        if let Allowed::Anything = place.allowed {
            return Some(grown);
        }
        let value = self.judge.value(terms, grown).ok()?;
        match place.allowed.contains(&value) {
            // If the set does not decide, the evaluator does.
            Some(true) | None => Some(grown),
            Some(false) if !how.guided => None,
            Some(false) => {
                let guide = Guide {
                    pool: &self.pool,
                    memory: &self.judge.memory,
                    old: place.term,
                };
                guide.fitting(terms, draw, grown, &value, &place.allowed)
            }
        }
    }

    /// Evaluates the whole mutant from scratch, as in the paper's loop.
    fn holds_anew(&self, terms: &Terms, root: usize, term: TermId) -> bool {
        let mut evaluator = Evaluator::new(terms, &self.judge.model).enclosing();
        let all = self.assertions.iter().enumerate();
        let mut all = all.map(|(at, a)| if at == root { term } else { a.term });
        all.all(|term| evaluator.value(term) == Ok(Value::TRUE))
    }

    fn accept(&mut self, terms: &mut Terms, spot: &Spot, new: TermId, root: TermId, how: &Diver) {
        self.assertions[spot.root].term = root;
        match &mut self.maps[spot.root] {
            Some(map) if how.incremental && how.analyses() => {
                map.replaced(spot.number);
            }
            map => *map = None,
        }
        let old = spot.place.term;
        let root = spot.root;
        self.steps.push(Step::Replaced { root, old, new });
        if terms.is_closed(new) && is_small(terms, new) {
            let item = Item {
                term: new,
                places: EVERYWHERE,
                clashes: false,
            };
            self.pool.add(terms, item, EVERYWHERE);
        }
    }

    /// The terms that replaced others.
    pub fn replacements(&self) -> impl Iterator<Item = TermId> {
        self.steps.iter().filter_map(|step| match step {
            Step::Replaced { new, .. } => Some(*new),
            Step::Fresh { .. } | Step::Extended { .. } => None,
        })
    }

    /// The case, if something changed and every assertion is true.
    pub fn finish(mut self, terms: &mut Terms) -> Option<Case> {
        if self.replacements().next().is_none() || !holds(terms, &mut self.judge, &self.assertions)
        {
            return None;
        }
        let steps = self.steps.iter().map(|step| told(terms, step)).collect();
        let mut script = Script::default();
        script.commands.extend(self.header);
        script
            .commands
            .extend(self.assertions.into_iter().map(Command::Assert));
        script.push(Command::CheckSat);
        let logic = match self.is_wide {
            true => "ALL".to_string(),
            false => logics::fitting(terms, &self.script, &script.commands),
        };
        let logic = Command::SetLogic(terms.symbols.intern(&logic));
        script.commands.insert(0, logic);
        let origin = Origin {
            strategy: self.strategy,
            seed: Some(self.seed),
            steps,
        };
        Some(Case {
            script,
            evidence: vec![Evidence::Witness(Box::new(self.judge.model))],
            origin,
        })
    }
}

/// Adds the script's declarations and definitions, and the model's values, to the ingredients of new terms.
fn add_symbols(terms: &mut Terms, pool: &mut Pool, header: &[Command], model: &Model) {
    let (places, clashes) = (EVERYWHERE, false);
    for command in header {
        let fun = match command {
            Command::DeclareFun(fun) => *fun,
            Command::DefineFun(definition) => definition.fun,
            _ => continue,
        };
        if !terms.fun(fun).params.is_empty() {
            let function = Function {
                fun,
                places,
                clashes,
            };
            pool.add_function(terms, function);
            continue;
        }
        let symbol = match command {
            Command::DefineFun(_) => terms.fun_app(fun, &[]).ok(),
            _ => None,
        };
        let sort = terms.fun(fun).result;
        let value = match model.interpretation(fun) {
            Some(Interpretation::Value(value)) if is_plain(value) => terms.value_term(value, sort),
            _ => None,
        };
        for term in symbol.into_iter().chain(value) {
            let item = Item {
                term,
                places,
                clashes,
            };
            if pool.items(sort).iter().all(|known| known.term != term) {
                pool.add(terms, item, EVERYWHERE);
            }
        }
    }
}

/// Whether every solver that supports the sort of a value accepts its literal.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Int(_) | Value::Real(_) | Value::BitVec(_) | Value::Float(_) | Value::Str(_)
    )
}

/// Whether the model makes every assertion true, using cached values.
fn holds(terms: &Terms, judge: &mut Judge, assertions: &[Assertion]) -> bool {
    let mut values = assertions.iter().map(|a| judge.value(terms, a.term));
    match values.find(|value| *value != Ok(Value::TRUE)) {
        None => return true,
        // An evaluation that takes too long once would do so for every mutant.
        Some(Err(why)) if matches!(why.reason, Reason::Quantifier) => return false,
        Some(_) => {}
    }
    let query = Query {
        assertions: assertions.to_vec(),
        ..Query::default()
    };
    validate(terms, &judge.model, &query) == ModelVerdict::Valid
}

fn is_small(terms: &Terms, term: TermId) -> bool {
    let mut stack = vec![term];
    for _ in 0..LARGEST_INGREDIENT {
        match stack.pop() {
            Some(term) => stack.extend_from_slice(terms.args(term)),
            None => return true,
        }
    }
    false
}

fn told(terms: &Terms, step: &Step) -> String {
    let name = |fun: &Fun| terms.symbols.name(terms.fun(*fun).name);
    match step {
        Step::Replaced { root, old, new } => {
            let (old, new) = (brief(terms, *old), brief(terms, *new));
            format!("assertion {}: {old} becomes {new}", root + 1)
        }
        Step::Fresh { root, fun } => format!(
            "assertion {}: a leaf becomes the variable {}",
            root + 1,
            name(fun)
        ),
        Step::Extended { fun } => {
            format!("the model gives {} another value at a new point", name(fun))
        }
    }
}
