//! A seed made ready: its commands, the places of its first query that can be approximated, and its text.
//! All of that is the same for all of its mutants; a mutant is a few other terms at some of the places.

use super::change::Place;
use super::cnf::{self, Tseitin};
use super::pantry::Larder;
use super::shelf::Shelf;
use super::spot::{Spot, Spots};
use super::{Approximate, Names};
use crate::case::Direction;
use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::Rules;
use crate::mutant::prepare;
use crate::rules::approximation::{Side, book};
use crate::strategy::Seed;
use crate::strategy::chain::{ONLY_WHERE_PRESENT, within_theories};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Assertion, Command, Fun, Head, Script, Sort, Symbol, TermId, Terms};
use auspex_syntax::{Document, Sexpr};
use std::cell::OnceCell;
use std::ops::Range;

/// A seed, or its conjunctive normal form, with every place where it can be approximated.
pub struct Skeleton<'w> {
    pub commands: Vec<Command>,
    pub active: Vec<Active>,
    /// The names that a normal form added.
    pub names: Names,
    /// What it was before it was brought into normal form, and how many assertions were.
    pub before: Option<(Vec<Command>, usize)>,
    /// Without and with nonlinear arithmetic.
    rules: [Rules<'w>; 2],
    pub strategy: Approximate,
    /// Decides what is taken of the seed where there is too much, and what its changes are.
    pub turn: u64,
    /// What mutants share, and what stands for a formula there; for one mutant nothing.
    pub shelf: Shelf,
    pub hole: Option<Hole>,
    larder: OnceCell<Larder<'w>>,
    text: OnceCell<Option<Text>>,
}

/// An assertion of the first query.
pub struct Active {
    /// The number of its command.
    pub at: usize,
    pub spots: Spots,
}

/// Where a term and its arguments stand.
struct Spans {
    whole: Range<usize>,
    args: Box<[Range<usize>]>,
}

/// A constant that no script has.
pub struct Hole {
    pub term: TermId,
    pub name: String,
}

/// The text of a script, with the places that may change.
pub struct Text {
    pub text: String,
    /// For each place of each assertion, and for its arguments where it is an application.
    spans: Vec<Vec<Spans>>,
}

impl<'w> Skeleton<'w> {
    /// For one mutant, or for many.
    pub fn new(
        strategy: Approximate,
        terms: &mut Terms,
        rules: Rules<'w>,
        seed: &Seed,
        many: bool,
        draw: &mut Draw,
    ) -> Option<Skeleton<'w>> {
        let mut commands = prepare::prepare(terms, &seed.script);
        let rules = allowed_features(terms, &mut commands).map(|features| Rules {
            features: within_theories(features, rules.theories),
            ..rules
        });
        let active = actives(terms, &commands, many);
        let skeleton = Skeleton {
            shelf: Shelf::default(),
            active,
            commands,
            names: Names::new(),
            before: None,
            rules,
            strategy,
            turn: draw.below(u64::MAX),
            hole: None,
            larder: OnceCell::new(),
            text: OnceCell::new(),
        };
        (!skeleton.active.is_empty()).then_some(skeleton)
    }

    /// Makes everything that would otherwise be made at its first use, so that the arena may forget what comes later,
    /// and what mutants of some directions will share.
    pub fn complete(mut self, terms: &mut Terms, directions: &[Direction]) -> Skeleton<'w> {
        self.larder(terms);
        let mut name = self.fresh_prefix(terms) + "hole";
        if let Some(text) = self.text(terms) {
            while text.text.contains(&name) {
                name.push('!');
            }
        }
        let fun = terms.declare_fun(&name, &[], Sort::BOOL);
        let term = terms.fun_app(fun, &[]).ok();
        self.hole = term.map(|term| Hole { term, name });
        let mark = terms.mark();
        let room = if self.before.is_none() {
            ROOM
        } else {
            ROOM / 2
        };
        self.shelf = self.stock(terms, directions, room);
        terms.release(mark);
        self
    }

    pub fn larder(&self, terms: &mut Terms) -> &Larder<'w> {
        self.larder.get_or_init(|| {
            let active: Vec<usize> = self.active.iter().map(|active| active.at).collect();
            Larder::new(terms, &self.commands, &active, self.rules, self.turn)
        })
    }

    pub fn root(&self, active: &Active) -> Option<TermId> {
        match self.commands.get(active.at) {
            Some(Command::Assert(assertion)) => Some(assertion.term),
            _ => None,
        }
    }

    // ---- the normal form ----

    /// The same with assertions in conjunctive normal form, all if they are small, else some; none if none is small.
    pub fn normal_form(
        &self,
        terms: &mut Terms,
        many: bool,
        draw: &mut Draw,
    ) -> Option<Skeleton<'w>> {
        const SMALL: usize = 400;
        let mut chosen: Vec<usize> = self.active.iter().map(|active| active.at).collect();
        let mut size = 0;
        draw.shuffle(&mut chosen);
        chosen.retain(|at| {
            if let Some(Command::Assert(assertion)) = self.commands.get(*at) {
                size += 1 + cnf::size(terms, assertion.term, SMALL);
            }
            size <= SMALL
        });
        chosen.sort_unstable();
        if chosen.is_empty() {
            return None;
        }
        let mut names = Names::new();
        let commands = self.clauses(terms, &chosen, &mut names)?;
        let active = actives(terms, &commands, many);
        Some(Skeleton {
            shelf: Shelf::default(),
            active,
            before: Some((self.commands.clone(), chosen.len())),
            commands,
            names,
            rules: self.rules,
            strategy: self.strategy,
            turn: draw.below(u64::MAX),
            hole: None,
            larder: OnceCell::new(),
            text: OnceCell::new(),
        })
    }

    fn clauses(
        &self,
        terms: &mut Terms,
        chosen: &[usize],
        names: &mut Names,
    ) -> Option<Vec<Command>> {
        let mut tseitin = Tseitin::new(&self.fresh_prefix(terms));
        let mut commands = Vec::with_capacity(self.commands.len());
        for (at, command) in self.commands.iter().enumerate() {
            match command {
                Command::Assert(assertion) if chosen.binary_search(&at).is_ok() => {
                    let known = tseitin.names.len();
                    let clauses = tseitin.clauses(terms, assertion.term)?;
                    let new = tseitin.names[known..].iter();
                    commands.extend(new.map(|(fun, _)| Command::DeclareFun(*fun)));
                    asserted(terms, assertion.name, &clauses, &mut commands)?;
                }
                other => commands.push(other.clone()),
            }
        }
        *names = tseitin.names;
        Some(commands)
    }

    /// A beginning that no declared name has.
    fn fresh_prefix(&self, terms: &Terms) -> String {
        let declared = self.commands.iter().filter_map(|command| match command {
            Command::DeclareFun(fun) => Some(*fun),
            Command::DefineFun(definition) => Some(definition.fun),
            _ => None,
        });
        let name = |fun: Fun| terms.symbols.name(terms.fun(fun).name);
        let longest = declared
            .map(|fun| name(fun).chars().take_while(|c| *c == 'c').count())
            .max();
        // One `c` more than any other name begins with.
        format!("{}nf!", "c".repeat(longest.unwrap_or(0) + 1))
    }

    // ---- the text ----

    /// Appends the text of a term that comes to stand at a place.
    pub fn write_term(&self, terms: &Terms, place: Place, term: TermId, out: &mut String) {
        let spots = &self.active[place.of].spots;
        match self.text(terms) {
            Some(text) if !spots.is_open(place.spot) => {
                let Spans { whole, args } = &text.spans[place.of][place.spot];
                let base = spots.all[place.spot].term;
                let parts = terms.args(base).iter().zip(args);
                let parts = [(&base, whole)].into_iter().chain(parts);
                let known: Vec<(TermId, &str)> = parts
                    .map(|(part, span)| (*part, &text.text[span.clone()]))
                    .collect();
                render::term_around(terms, term, &known, out);
            }
            _ => render::term_to(terms, term, Sharing::Auto, out),
        }
    }

    /// None where a term's text depends on more than the term.
    pub fn text(&self, terms: &Terms) -> Option<&Text> {
        self.text.get_or_init(|| self.written(terms)).as_ref()
    }

    fn written(&self, terms: &Terms) -> Option<Text> {
        if render::has_overloaded(terms, &self.commands) {
            return None;
        }
        let mut text = String::new();
        let mut spans = Vec::new();
        let mut active = self.active.iter().peekable();
        for (at, command) in self.commands.iter().enumerate() {
            let start = text.len();
            render::command_to(terms, command, Sharing::Auto, &mut text);
            if let Some(active) = active.next_if(|active| active.at == at) {
                let document = Document::read(&text[start..]).ok()?;
                let mut body = document.items().next()?.item(1)?;
                if matches!(command, Command::Assert(Assertion { name: Some(_), .. })) {
                    body = body.item(1)?;
                }
                spans.push(active.spans(terms, body, start)?);
            }
        }
        Some(Text { text, spans })
    }
}

impl Text {
    pub fn span(&self, place: Place) -> Range<usize> {
        self.spans[place.of][place.spot].whole.clone()
    }
}

/// Changes kept of a seed; of its normal form half as many.
const ROOM: u64 = 24;

/// Places listed for each assertion; others are found by walking.
const MOST_SPOTS: usize = 600;

impl Active {
    fn new(terms: &Terms, at: usize, root: TermId, many: bool) -> Active {
        let root = Spot::root(root, Side::Lesser);
        // One mutant is not worth a list of all places, and with `let` a term has no text of its own.
        let listed = many && !render::is_shared(terms, root.term);
        let most = if listed { MOST_SPOTS } else { 1 };
        let spots = Spots::of(terms, book(), root, most);
        Active { at, spots }
    }

    fn spans(&self, terms: &Terms, body: Sexpr<'_>, start: usize) -> Option<Vec<Spans>> {
        let range = |text: Sexpr<'_>| {
            let range = text.span().range();
            start + range.start..start + range.end
        };
        let spans = |spot: &Spot| {
            let mut text = body;
            let mut term = self.spots.all[0].term;
            for place in &spot.path {
                text = text.item(match terms.head(term) {
                    Head::Binder(_) => 2,
                    _ => *place as usize + 1,
                })?;
                term = *terms.args(term).get(*place as usize)?;
            }
            let known = match (terms.head(term), terms.args(term).len()) {
                (Head::Op(_) | Head::Fun(_), 1..=MOST_KNOWN) => MOST_KNOWN,
                _ => 0,
            };
            Some(Spans {
                whole: range(text),
                args: text.items().skip(1).take(known).map(range).collect(),
            })
        };
        self.spots.all.iter().map(spans).collect()
    }
}

/// Of longer applications the arguments are not looked up.
const MOST_KNOWN: usize = 8;

/// The assertions of the first query, without those whose name is used elsewhere.
fn actives(terms: &Terms, commands: &[Command], many: bool) -> Vec<Active> {
    let mut active: Vec<(usize, &Assertion)> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        match command {
            Command::Assert(assertion) => active.push((at, assertion)),
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
    if active.iter().any(|(_, assertion)| assertion.name.is_some()) {
        let used = used_names(terms, commands);
        active.retain(|(_, a)| a.name.is_none_or(|name| !used.contains(&name)));
    }
    let make = |(at, assertion): (usize, &Assertion)| Active::new(terms, at, assertion.term, many);
    active.into_iter().map(make).collect()
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

/// What new terms may use so that the script stays in its logic, without and with nonlinear arithmetic where the logic
/// leaves that open. Difference logic is widened to linear arithmetic.
fn allowed_features(terms: &mut Terms, commands: &mut [Command]) -> [Features; 2] {
    let usual = Features::ALL.without(ONLY_WHERE_PRESENT);
    let both = |features: Features| [features.without(Features::NONLINEAR), features];
    let logic = commands.iter_mut().find_map(|command| match command {
        Command::SetLogic(logic) => Some(logic),
        _ => None,
    });
    let Some(logic) = logic else {
        return both(usual);
    };
    let name = features::widened(terms.symbols.name(*logic));
    *logic = terms.symbols.intern(&name);
    match features::of_logic(&name) {
        Some(allowed) if name.ends_with("ALL") => both(
            Features::ALL
                .without(Features::ALL.without(allowed))
                .without(Features::ALL.without(usual)),
        ),
        Some(allowed) => [allowed; 2],
        None => [Features::NONE; 2],
    }
}
