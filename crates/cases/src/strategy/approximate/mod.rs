//! `approximate`: weakens satisfiable seeds and strengthens unsatisfiable ones, literal by literal.
//!
//! ```text
//! (assert (and (< x y) (not (str.prefixof s t))))     satisfiable
//! (assert (and (<= x y) (not (= t (str.++ s "b")))))  weaker, so satisfiable too
//! ```
//!
//! Preserves: every model of the seed is one of a weaker mutant, every model of a stronger mutant is one of the seed
//! (up to the names that a conjunctive normal form adds). Two forms: in place, where the direction is followed through
//! connectives, quantifiers and operators that respect an order; and Tseitin's conjunctive normal form, where every
//! literal of every clause may be changed. Changes are rules of `rules::approximation`, live predicate injection
//! (`p` to `(or p q)` with a grown `q`) among them.
//!
//! Source: Yao et al., Skeletal Approximation Enumeration for SMT Solver Testing, ESEC/FSE 2021.

mod cnf;
mod pantry;
mod spot;

use super::chain::{ONLY_WHERE_PRESENT, within_theories};
use super::{Seed, Strategy, Workshop};
use crate::case::{Case, Direction, Evidence, Origin, SeedStatus};
use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::Rules;
use crate::mutant::prepare;
use crate::rules::approximation::{Book, Order, Side, book};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Assertion, Command, Fun, Head, Script, Sort, Symbol, TermId, Terms};
use cnf::Tseitin;
use pantry::{Pantry, Visible};
use spot::Spot;

/// The strategy with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Approximate {
    /// Literals changed in one round.
    pub literals: u64,
    /// A mutant is the seed of the next this often at most.
    pub rounds: u64,
    /// Operators above each other in the atoms of injected formulas.
    pub depth: u32,
}

impl Approximate {
    /// The paper's bound of five literals, and short chains.
    pub const USUAL: Approximate = Approximate {
        literals: 5,
        rounds: 3,
        depth: 2,
    };

    /// The scripts that led to a case, the seed first and the case itself last: what the reducer goes back to.
    pub fn stages(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Vec<Script> {
        let mut stages = Vec::new();
        self.run(workshop, draw, &mut |script| stages.push(script));
        stages
    }

    /// A case with the names of its normal forms: a model of the seed that gives them the values of what they name is
    /// one of a weaker mutant.
    pub fn make_with_names(
        &self,
        workshop: &mut Workshop<'_>,
        draw: &mut Draw,
    ) -> Option<(Case, Names)> {
        self.run(workshop, draw, &mut |_| {})
    }

    fn run(
        &self,
        workshop: &mut Workshop<'_>,
        draw: &mut Draw,
        watch: &mut dyn FnMut(Script),
    ) -> Option<(Case, Names)> {
        let seed = pick_seed(workshop.seeds, draw)?;
        let direction = direction(seed.status, draw);
        let mut work = Work::new(workshop, seed, direction, self.depth, draw)?;
        watch(work.script());
        let mut rounds = 1;
        while rounds < self.rounds && draw.one_in(4) {
            rounds += 1;
        }
        for _ in 0..rounds {
            if draw.one_in(4) && work.normal_form(draw).is_some() {
                watch(work.script());
            }
            for _ in 0..draw.between(1, self.literals) {
                if work.change(draw).is_some() {
                    watch(work.script());
                }
            }
        }
        // A draw may have failed to change anything: try a little longer.
        for _ in 0..PATIENCE {
            if work.changed {
                break;
            }
            if work.change(draw).is_some() {
                watch(work.script());
            }
        }
        work.case(seed)
    }
}

/// The names that normal forms added, with what they stand for.
pub type Names = Vec<(Fun, TermId)>;

/// Further attempts where nothing was changed.
const PATIENCE: usize = 6;

impl Strategy for Approximate {
    fn name(&self) -> &'static str {
        "approximate"
    }

    fn about(&self) -> &'static str {
        "Weakens satisfiable seeds and strengthens unsatisfiable ones by proved rules, literal by literal."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Option<Case> {
        Some(self.make_with_names(workshop, draw)?.0)
    }
}

/// Any seed, but rather one whose status is known.
fn pick_seed<'s>(seeds: &'s [Seed], draw: &mut Draw) -> Option<&'s Seed> {
    const TRIES: usize = 4;
    let known = (0..TRIES).find_map(|_| draw.pick(seeds).filter(|seed| seed.status.is_some()));
    known.or_else(|| draw.pick(seeds))
}

fn direction(status: Option<SeedStatus>, draw: &mut Draw) -> Direction {
    match status {
        Some(SeedStatus::ProvedSat | SeedStatus::SaidSat) => Direction::Weaker,
        Some(SeedStatus::AgreedUnsat | SeedStatus::SaidUnsat) => Direction::Stronger,
        None if draw.coin() => Direction::Weaker,
        None => Direction::Stronger,
    }
}

/// A mutant in the making.
struct Work<'w> {
    terms: &'w mut Terms,
    commands: Vec<Command>,
    /// The commands that assert what the first query is about.
    active: Vec<usize>,
    direction: Direction,
    rules: Rules<'w>,
    depth: u32,
    book: &'static Book,
    /// What is visible at a command, for the last one that was changed.
    visible: Option<(usize, Visible)>,
    steps: Vec<String>,
    names: Names,
    /// Whether something became weaker or stronger.
    changed: bool,
}

impl<'w> Work<'w> {
    fn new(
        workshop: &'w mut Workshop<'_>,
        seed: &Seed,
        direction: Direction,
        depth: u32,
        draw: &mut Draw,
    ) -> Option<Work<'w>> {
        let mut commands = prepare::prepare(workshop.terms, &seed.script);
        let features = allowed_features(workshop.terms, &mut commands, draw);
        let active = active(workshop.terms, &commands);
        if active.is_empty() {
            return None;
        }
        Some(Work {
            rules: Rules {
                solvers: workshop.solvers,
                theories: workshop.theories,
                forbidden: workshop.forbidden,
                features: within_theories(features, workshop.theories),
            },
            terms: workshop.terms,
            commands,
            active,
            direction,
            depth,
            book: book(),
            visible: None,
            steps: Vec::new(),
            names: Names::new(),
            changed: false,
        })
    }

    fn script(&self) -> Script {
        Script {
            commands: self.commands.clone(),
            spans: Vec::new(),
        }
    }

    fn assertion(&self, at: usize) -> Option<Assertion> {
        match self.commands.get(at) {
            Some(Command::Assert(assertion)) => Some(*assertion),
            _ => None,
        }
    }

    /// Changes one literal.
    fn change(&mut self, draw: &mut Draw) -> Option<()> {
        let number = draw.index(self.active.len());
        let at = *self.active.get(number)?;
        let root = self.assertion(at)?.term;
        let side = match self.direction {
            Direction::Weaker => Side::Lesser,
            Direction::Stronger => Side::Greater,
        };
        let spot = spot::walk(self.terms, self.book, root, side, draw);
        let (new, how) = self.approximated(at, &spot, draw)?;
        let changed = self.terms.replace_at(root, &spot.path, new)?;
        if let Command::Assert(assertion) = &mut self.commands[at] {
            assertion.term = changed;
        }
        self.note(number, &spot, new, how);
        self.changed = true;
        Some(())
    }

    /// Another term for a spot, and the name of the rule.
    fn approximated(
        &mut self,
        at: usize,
        spot: &Spot,
        draw: &mut Draw,
    ) -> Option<(TermId, &'static str)> {
        if !matches!(&self.visible, Some((of, _)) if *of == at) {
            self.visible = Some((at, Visible::at(self.terms, &self.commands, at, draw)));
        }
        let (_, visible) = self.visible.as_ref()?;
        let special = self
            .book
            .for_root(self.terms, spot.term, spot.order, spot.side);
        let general = self.book.anywhere(spot.order, spot.side);
        for _ in 0..RULES_TRIED {
            let from = if special.is_empty() || draw.one_in(4) {
                general
            } else {
                special
            };
            let Some(number) = draw.pick(from) else {
                continue;
            };
            let rule = self.book.rule(*number);
            if rule.forgets(spot.side) && !draw.one_in(8) {
                continue;
            }
            let mut pantry = Pantry::new(draw, visible, spot, self.rules, self.depth);
            if let Some(new) = rule.apply(self.terms, spot.term, spot.side, &mut pantry) {
                return Some((new, &rule.rule.name));
            }
        }
        self.injected(spot, draw)
    }

    /// Live predicate injection where no rule fits, also around what nobody knows.
    fn injected(&mut self, spot: &Spot, draw: &mut Draw) -> Option<(TermId, &'static str)> {
        if spot.order != Order::Truth {
            return None;
        }
        let (_, visible) = self.visible.as_ref()?;
        let mut pantry = Pantry::new(draw, visible, spot, self.rules, self.depth);
        let snippet =
            crate::rules::approximation::Supply::term(&mut pantry, self.terms, Sort::BOOL)?;
        let (connective, how) = match spot.side {
            Side::Lesser => ("or", "inject-or"),
            Side::Greater => ("and", "inject-and"),
        };
        Some((self.terms.app(connective, &[spot.term, snippet]).ok()?, how))
    }

    /// Brings assertions into conjunctive normal form: all if they are small, else some.
    fn normal_form(&mut self, draw: &mut Draw) -> Option<()> {
        const SMALL: usize = 400;
        let mut chosen = self.active.clone();
        let mut size = 0;
        draw.shuffle(&mut chosen);
        chosen.retain(|at| {
            let term = self.assertion(*at).map(|a| a.term);
            size += term.map_or(0, |term| 1 + cnf::size(self.terms, term, SMALL));
            size <= SMALL
        });
        chosen.sort_unstable();
        if chosen.is_empty() {
            return None;
        }
        let mut tseitin = Tseitin::new(&self.fresh_prefix());
        let mut commands = Vec::with_capacity(self.commands.len() + 2 * size);
        for (at, command) in self.commands.iter().enumerate() {
            match command {
                Command::Assert(assertion) if chosen.binary_search(&at).is_ok() => {
                    let known = tseitin.names.len();
                    let clauses = tseitin.clauses(self.terms, assertion.term)?;
                    let new = tseitin.names[known..].iter();
                    commands.extend(new.map(|(fun, _)| Command::DeclareFun(*fun)));
                    asserted(self.terms, assertion.name, &clauses, &mut commands)?;
                }
                other => commands.push(other.clone()),
            }
        }
        self.commands = commands;
        self.names.extend(tseitin.names);
        self.active = active(self.terms, &self.commands);
        self.visible = None;
        self.steps.push(format!(
            "{} assertions in conjunctive normal form",
            chosen.len()
        ));
        Some(())
    }

    /// A beginning that no declared name has.
    fn fresh_prefix(&self) -> String {
        let declared = self.commands.iter().filter_map(|command| match command {
            Command::DeclareFun(fun) => Some(*fun),
            Command::DefineFun(definition) => Some(definition.fun),
            _ => None,
        });
        let name = |fun: Fun| self.terms.symbols.name(self.terms.fun(fun).name);
        let longest = declared
            .map(|fun| name(fun).chars().take_while(|c| *c == 'c').count())
            .max();
        // One `c` more than any other name begins with.
        format!("{}nf!", "c".repeat(longest.unwrap_or(0) + 1))
    }

    fn note(&mut self, number: usize, spot: &Spot, new: TermId, how: &str) {
        let verb = match self.direction {
            Direction::Weaker => "weaken",
            Direction::Stronger => "strengthen",
        };
        let path: Vec<String> = spot.path.iter().map(u32::to_string).collect();
        let (old, new) = (shown(self.terms, spot.term), shown(self.terms, new));
        self.steps.push(format!(
            "{verb} assertion {} at [{}] by {how}: {old} to {new}",
            number + 1,
            path.join(".")
        ));
    }

    fn case(self, seed: &Seed) -> Option<(Case, Names)> {
        if !self.changed {
            return None;
        }
        let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let queries = self.commands.iter().filter(asks).count();
        let mut evidence = vec![Evidence::Agreement; queries];
        if let (Some(first), Some(status)) = (evidence.first_mut(), seed.status) {
            *first = Evidence::Approximation {
                direction: self.direction,
                seed: status,
            };
        }
        let case = Case {
            script: Script {
                commands: self.commands,
                spans: Vec::new(),
            },
            evidence,
            origin: Origin {
                strategy: "approximate",
                seed: Some(seed.name.clone()),
                steps: self.steps,
            },
        };
        Some((case, self.names))
    }
}

/// Rules tried at one spot before a formula is injected.
const RULES_TRIED: usize = 6;

/// The text of a small term; of a large one nothing.
fn shown(terms: &Terms, term: TermId) -> String {
    const LARGEST: usize = 60;
    let mut stack = vec![term];
    for _ in 0..LARGEST {
        match stack.pop() {
            Some(term) => stack.extend_from_slice(terms.args(term)),
            None => return render::term(terms, term, Sharing::Expanded),
        }
    }
    "…".into()
}

/// The assertions of the first query, without those whose name is used elsewhere.
fn active(terms: &mut Terms, commands: &[Command]) -> Vec<usize> {
    let mut active = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        match command {
            Command::Assert(_) => active.push(at),
            Command::Push(count) => {
                levels.extend(std::iter::repeat_n(active.len(), *count as usize))
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    active.truncate(levels.pop().unwrap_or(active.len()));
                }
            }
            Command::Reset | Command::ResetAssertions => {
                active.clear();
                levels.clear();
            }
            Command::CheckSat | Command::CheckSatAssuming(_) => break,
            _ => {}
        }
    }
    let named = |at: &usize| match &commands[*at] {
        Command::Assert(assertion) => assertion.name,
        _ => None,
    };
    if active.iter().any(|at| named(at).is_some()) {
        let used = used_names(terms, commands);
        active.retain(|at| named(at).is_none_or(|name| !used.contains(&name)));
    }
    active
}

/// The names of defined constants that occur in terms.
fn used_names(terms: &Terms, commands: &[Command]) -> Vec<Symbol> {
    let script = Script {
        commands: commands.to_vec(),
        spans: Vec::new(),
    };
    let mut used = Vec::new();
    for root in script.roots() {
        for term in render::post_order(terms, root) {
            if let Head::Fun(fun) = terms.head(term)
                && terms.args(term).is_empty()
            {
                used.push(terms.fun(fun).name);
            }
        }
    }
    used
}

/// Clauses as assertions of their own, or as one if the assertion has a name.
fn asserted(
    terms: &mut Terms,
    name: Option<Symbol>,
    clauses: &[TermId],
    commands: &mut Vec<Command>,
) -> Option<()> {
    match (name, clauses) {
        (Some(_), [_, _, ..]) => {
            let term = terms.app("and", clauses).ok()?;
            commands.push(Command::Assert(Assertion { term, name }));
        }
        _ => commands.extend(
            clauses
                .iter()
                .map(|c| Command::Assert(Assertion { term: *c, name })),
        ),
    }
    Some(())
}

/// What new terms may use so that the script stays in its logic. Difference logic is widened to linear arithmetic.
fn allowed_features(terms: &mut Terms, commands: &mut [Command], draw: &mut Draw) -> Features {
    let linear = !draw.one_in(4);
    let usual = Features::ALL.without(ONLY_WHERE_PRESENT);
    let usual = if linear {
        usual.without(Features::NONLINEAR)
    } else {
        usual
    };
    let logic = commands.iter_mut().find_map(|command| match command {
        Command::SetLogic(logic) => Some(logic),
        _ => None,
    });
    let Some(logic) = logic else {
        return usual;
    };
    let name = features::widened(terms.symbols.name(*logic));
    *logic = terms.symbols.intern(&name);
    match features::of_logic(&name) {
        Some(allowed) if name.ends_with("ALL") => Features::ALL
            .without(Features::ALL.without(allowed))
            .without(Features::ALL.without(usual)),
        Some(allowed) => allowed,
        None => Features::NONE,
    }
}

#[cfg(test)]
mod tests;
