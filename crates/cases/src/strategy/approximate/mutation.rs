//! A mutant under construction: the commands of a seed, with other terms at some places.

use super::change::changed;
use super::cnf::Tseitin;
use super::site::{Site, walk};
use super::supply::{Ground, Material, SiteSupply};
use super::target::{Kind, TRUTH, Target, Targets, asserted, fresh_prefix, place};
use super::uses::sides;
use super::{Approximate, Changes, Form, Linearity, Names, keeping};
use crate::case::Direction;
use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::Rules;
use crate::mutant::prepare;
use crate::rules::rule_index;
use crate::strategy::chain::{ONLY_WHERE_PRESENT, within_theories};
use crate::strategy::{GenContext, Seed};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, TermId, Terms};
use rustc_hash::FxHashSet;

/// A mutant of one seed.
pub struct Mutation<'w> {
    strategy: Approximate,
    pub direction: Direction,
    /// The current script.
    commands: Vec<Command>,
    /// The seed, before any change and before conversion into clauses.
    seed: Vec<Command>,
    targets: Targets,
    /// The numbers of the targets that may be changed; those of one assertion together.
    groups: Vec<Vec<usize>>,
    /// How many assertions were converted into clauses, and the script after that.
    clauses: Option<(usize, Vec<Command>)>,
    /// The names that the conversion added.
    pub names: Names,
    material: Material<'w>,
    steps: Vec<Step>,
}

/// One use of a rule.
struct Step {
    target: usize,
    path: Vec<u32>,
    how: &'static str,
    /// The change, in words.
    words: String,
    /// The target after the change.
    whole: TermId,
}

/// Further attempts if nothing was changed.
const FURTHER: usize = 6;
/// Attempts to find a place that was not changed yet.
const SEARCHES: usize = 3;
/// Connectives converted in one mutant: usually, and in one of sixteen.
const CONNECTIVES: [usize; 2] = [400, 20_000];

impl<'w> Mutation<'w> {
    /// A mutant of a seed, or none if nothing could be changed.
    pub fn make(
        strategy: Approximate,
        workshop: &mut GenContext<'w>,
        seed: &Seed,
        draw: &mut Draw,
    ) -> Option<Mutation<'w>> {
        let terms = &mut *workshop.terms;
        let mut commands = prepare::prepare(terms, &seed.script);
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: features_of(terms, &mut commands, strategy.linearity, draw),
        };
        let features = within_theories(rules.features, rules.theories);
        let mut targets = Targets::of(terms, &commands);
        targets.keep_usable_bodies(terms, &commands);
        let chosen = chosen(&targets, draw);
        let is_first = chosen
            .iter()
            .any(|at| targets.all[*at].queries.contains(&0));
        let direction = match seed.status.filter(|_| is_first) {
            Some(status) => keeping(status),
            None if draw.coin() => Direction::Weaker,
            None => Direction::Stronger,
        };
        // A reset would drop the declarations at the start of the script.
        let resets = |c: &Command| matches!(c, Command::Reset | Command::ResetAssertions);
        let injects = strategy.changes != Changes::Rules && strategy.variables > 0;
        let with_variables =
            injects && !commands.iter().any(resets) && draw.one_in(strategy.variables);
        let prefix = fresh_prefix(terms, &targets.symbols);
        let ground = Ground {
            commands: &commands,
            targets: &targets.all,
            symbols: &targets.symbols,
            prefix: with_variables.then(|| format!("{prefix}var!")),
        };
        let rules = Rules { features, ..rules };
        let mut mutation = Mutation {
            strategy,
            direction,
            material: Material::new(terms, &ground, rules, draw),
            seed: commands.clone(),
            commands,
            targets,
            groups: chosen.into_iter().map(|at| vec![at]).collect(),
            clauses: None,
            names: Names::new(),
            steps: Vec::new(),
        };
        let in_clauses = match strategy.form {
            Form::Either => draw.coin(),
            Form::Polarity => false,
            Form::Clauses => true,
        };
        if in_clauses {
            mutation.take_apart(terms, &prefix, draw);
        }
        mutation.rounds(terms, draw);
        mutation.keep_used_variables(terms);
        (!mutation.steps.is_empty()).then_some(mutation)
    }

    /// Runs rounds of changes, each on the result of the previous one.
    fn rounds(&mut self, terms: &mut Terms, draw: &mut Draw) {
        let mut rounds = 1;
        while rounds < self.strategy.rounds && draw.one_in(4) {
            rounds += 1;
        }
        for _ in 0..rounds {
            let first = self.steps.len();
            for _ in 0..draw.between(1, self.strategy.literals) {
                self.change(terms, first, draw);
            }
        }
        // Some draws change nothing, so try a little longer.
        for _ in 0..FURTHER {
            if self.steps.is_empty() {
                self.change(terms, 0, draw);
            }
        }
    }

    /// Changes one place that this round, which began with step `first`, has not changed.
    fn change(&mut self, terms: &mut Terms, first: usize, draw: &mut Draw) -> Option<()> {
        let rules = rule_index();
        let (target, site) = (0..SEARCHES).find_map(|_| {
            let group = draw.pick(&self.groups)?;
            let target = *draw.pick(group)?;
            let root = self.root(terms, target)?;
            let to_literals = self.strategy.changes == Changes::Formulas;
            let site = walk(terms, rules, root, to_literals, draw);
            let free = self.steps[first..].iter().all(|step| {
                let (old, new) = (&step.path, &site.path);
                step.target != target || !old.starts_with(new) && !new.starts_with(old)
            });
            free.then_some((target, site))
        })?;
        let mut supply = SiteSupply {
            draw,
            material: &self.material,
            site: &site,
            place: place(self.targets.all[target].slot),
            depth: self.strategy.depth,
        };
        let (new, how) = changed(terms, self.strategy.changes, &mut supply)?;
        let at = &self.targets.all[target];
        let whole = terms.replace_at(at.term(&self.commands)?, &site.path, new)?;
        at.set(&mut self.commands, whole);
        self.steps.push(Step {
            target,
            how,
            words: format!("{} to {}", shown(terms, site.term), shown(terms, new)),
            path: site.path,
            whole,
        });
        Some(())
    }

    /// Where the walk in a target starts.
    fn root(&self, terms: &Terms, target: usize) -> Option<Site> {
        let target = &self.targets.all[target];
        let term = target.term(&self.commands)?;
        let (mode, scope) = match target.defines(&self.commands) {
            None => (TRUTH, &[][..]),
            // Earlier steps may have inserted the function elsewhere.
            Some((fun, scope)) => {
                let sides = sides(terms, rule_index(), &self.commands);
                (sides.get(&fun).copied().flatten()?, scope)
            }
        };
        let site = Site::root(term, mode, scope);
        Some(match self.direction {
            Direction::Weaker => site,
            Direction::Stronger => Site {
                side: site.side.other(),
                ..site
            },
        })
    }

    /// New variables that are not used need no declaration.
    fn keep_used_variables(&mut self, terms: &Terms) {
        if self.material.variables.is_empty() {
            return;
        }
        let mut used = FxHashSet::default();
        for step in &self.steps {
            let term = self.targets.all[step.target].term(&self.commands);
            used.extend(
                term.into_iter()
                    .flat_map(|term| render::post_order(terms, term)),
            );
        }
        let variables = &mut self.material.variables;
        variables.retain(|(_, term)| used.contains(term));
    }

    // ---- the normal form ----

    /// Converts assertions into conjunctive normal form, in random order, within a limit of work; of an assertion
    /// that is too large only the outer connectives.
    fn take_apart(&mut self, terms: &mut Terms, prefix: &str, draw: &mut Draw) -> Option<()> {
        let mut room = CONNECTIVES[usize::from(draw.one_in(16))];
        let mut chosen: Vec<usize> = (0..self.groups.len()).collect();
        draw.shuffle(&mut chosen);
        let mut tseitin = Tseitin::new(&format!("{prefix}nf!"));
        chosen.retain(|group| {
            let target = &self.targets.all[self.groups[*group][0]];
            let root = target.term(&self.commands);
            let root = root.filter(|_| target.kind == Kind::Assertion && room > 0);
            root.is_some_and(|root| {
                room -= tseitin.at_most(terms, root, room).max(1).min(room);
                true
            })
        });
        if chosen.is_empty() {
            return None;
        }
        chosen.sort_by_key(|group| self.targets.all[self.groups[*group][0]].at);
        let mut made = Vec::new();
        for group in &chosen {
            let target = &self.targets.all[self.groups[*group][0]];
            let Command::Assert(assertion) = self.commands[target.at] else {
                return None;
            };
            let known = tseitin.names.len();
            let clauses = tseitin.clauses(terms, assertion.term)?;
            let clauses = asserted(terms, assertion.name, &clauses)?;
            let declared = tseitin.names[known..].iter();
            let declared: Vec<Command> = declared.map(|(f, _)| Command::DeclareFun(*f)).collect();
            made.push((*group, declared, clauses));
        }
        self.put_clauses(made);
        self.names = tseitin.names;
        self.clauses = Some((chosen.len(), self.commands.clone()));
        Some(())
    }

    /// Replaces assertions by their clauses; assertions are in the order of their commands.
    fn put_clauses(&mut self, made: Vec<(usize, Vec<Command>, Vec<Command>)>) {
        let old = std::mem::take(&mut self.commands);
        let count = self.targets.all.len();
        let mut moved = Vec::with_capacity(old.len());
        let mut made = made.into_iter().peekable();
        for (at, command) in old.into_iter().enumerate() {
            moved.push(self.commands.len());
            let (groups, all) = (&mut self.groups, &mut self.targets.all);
            let next = made.next_if(|(group, ..)| all[groups[*group][0]].at == at);
            let Some((group, declared, clauses)) = next else {
                self.commands.push(command);
                continue;
            };
            let whole = all[groups[group][0]].clone();
            self.commands.extend(declared);
            groups[group].clear();
            for clause in clauses {
                groups[group].push(all.len());
                let at = self.commands.len();
                all.push(Target {
                    at,
                    ..whole.clone()
                });
                self.commands.push(clause);
            }
        }
        for target in &mut self.targets.all[..count] {
            target.at = moved[target.at];
        }
    }

    // ---- the result ----

    /// Whether something that a query depends on was changed.
    pub fn changes_query(&self, query: usize) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| self.targets.all[step.target].queries.contains(&query))
    }

    pub fn script(&self) -> Script {
        self.with_variables(self.commands.clone())
    }

    /// Declares the used new variables at the start of the script.
    fn with_variables(&self, mut commands: Vec<Command>) -> Script {
        let header = |c: &Command| matches!(c, Command::SetLogic(_) | Command::SetOption(..));
        let at = commands.iter().take_while(|c| header(c)).count();
        let declared = self.material.variables.iter();
        let declared = declared.map(|(fun, _)| Command::DeclareFun(*fun));
        commands.splice(at..at, declared);
        Script {
            commands,
            spans: Vec::new(),
        }
    }

    /// The script after each step, the seed first.
    pub fn stages(&self) -> Vec<Script> {
        let mut commands = self.seed.clone();
        let mut stages = vec![self.with_variables(commands.clone())];
        if let Some((_, clauses)) = &self.clauses {
            commands.clone_from(clauses);
            stages.push(self.with_variables(commands.clone()));
        }
        for step in &self.steps {
            self.targets.all[step.target].set(&mut commands, step.whole);
            stages.push(self.with_variables(commands.clone()));
        }
        stages
    }

    /// One line for each step.
    pub fn steps_in_words(&self) -> Vec<String> {
        let verb = match self.direction {
            Direction::Weaker => "weaken",
            Direction::Stronger => "strengthen",
        };
        let clauses = self.clauses.iter();
        let clauses =
            clauses.map(|(count, _)| format!("{count} assertions in conjunctive normal form"));
        let steps = self.steps.iter().map(|step| {
            let path: Vec<String> = step.path.iter().map(u32::to_string).collect();
            let target = &self.targets.all[step.target];
            let kind = match target.kind {
                Kind::Assertion => "assertion",
                Kind::Body(_) => "the body of definition",
            };
            let (number, path, how) = (target.slot + 1, path.join("."), step.how);
            format!(
                "{verb} {kind} {number} at [{path}] by {how}: {}",
                step.words
            )
        });
        clauses.chain(steps).collect()
    }
}

/// The targets of a query: half of the time of the first query, else of any; and then half of the time only targets
/// that the first query does not depend on, so that its status need not be known.
fn chosen(targets: &Targets, draw: &mut Draw) -> Vec<usize> {
    let (first, later_only) = (draw.coin(), draw.coin());
    let query = if first {
        0
    } else {
        draw.index(targets.queries)
    };
    let of = |query: usize, beside: Option<usize>| -> Vec<usize> {
        let fits = |target: &Target| {
            target.queries.contains(&query)
                && beside.is_none_or(|other| !target.queries.contains(&other))
        };
        let all = targets.all.iter().enumerate();
        all.filter(|(_, target)| fits(target))
            .map(|(at, _)| at)
            .collect()
    };
    let mut found = Vec::new();
    if query > 0 && later_only {
        found = of(query, Some(0));
    }
    // If a query has no targets, use the next one that has some.
    (0..targets.queries).fold(found, |found, turn| match found.is_empty() {
        true => of((query + turn) % targets.queries, None),
        false => found,
    })
}

/// The features that new terms may have so that the script stays in its logic. Difference logic is widened to linear
/// arithmetic.
fn features_of(
    terms: &mut Terms,
    commands: &mut [Command],
    linearity: Linearity,
    draw: &mut Draw,
) -> Features {
    let linear = match linearity {
        Linearity::Mixed => !draw.one_in(4),
        Linearity::Linear => true,
        Linearity::Nonlinear => false,
    };
    let may = |features: Features| match linear {
        true => features.without(Features::NONLINEAR),
        false => features,
    };
    let usual = Features::ALL.without(ONLY_WHERE_PRESENT);
    let logic = commands.iter_mut().find_map(|command| match command {
        Command::SetLogic(logic) => Some(logic),
        _ => None,
    });
    let Some(logic) = logic else {
        return may(usual);
    };
    let name = features::widened(terms.symbols.name(*logic));
    *logic = terms.symbols.intern(&name);
    let both = |a: Features, b: Features| a.without(Features::ALL.without(b));
    match features::of_logic(&name) {
        Some(allowed) if name.ends_with("ALL") => may(both(allowed, usual)),
        Some(allowed) => allowed,
        None => Features::NONE,
    }
}

/// The text of a small term; empty for a large one.
pub fn shown(terms: &Terms, term: TermId) -> String {
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
