//! A seed made ready: its commands, the places of its first query that can be approximated, and its text.
//! All of that is the same for all of its mutants; a mutant is a few other terms at some of the places.

use super::Names;
use super::cnf::{self, Tseitin};
use super::pantry::Larder;
use super::spot::{Spot, Spots};
use crate::draw::Draw;
use crate::features::{self, Features};
use crate::grow::Rules;
use crate::mutant::prepare;
use crate::rules::approximation::{Book, Side, book};
use crate::strategy::Seed;
use crate::strategy::chain::{ONLY_WHERE_PRESENT, within_theories};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Assertion, Command, Fun, Head, Script, Symbol, TermId, Terms};
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
    turn: u64,
    most_spots: usize,
    larder: OnceCell<Larder<'w>>,
    text: OnceCell<Option<Text>>,
}

/// An assertion of the first query.
pub struct Active {
    /// The number of its command.
    pub at: usize,
    pub spots: Spots,
    /// For each place, the rules that match when it must become greater, and lesser.
    fitting: Vec<[OnceCell<Box<[u32]>>; 2]>,
}

/// The text of a script, with the places that may change.
struct Text {
    text: String,
    /// For each place of each assertion.
    spans: Vec<Vec<Range<usize>>>,
}

impl<'w> Skeleton<'w> {
    /// Lists at most so many places of each assertion; others are found by walking.
    pub fn new(
        terms: &mut Terms,
        rules: Rules<'w>,
        seed: &Seed,
        most_spots: usize,
        draw: &mut Draw,
    ) -> Option<Skeleton<'w>> {
        let mut commands = prepare::prepare(terms, &seed.script);
        let rules = allowed_features(terms, &mut commands).map(|features| Rules {
            features: within_theories(features, rules.theories),
            ..rules
        });
        let skeleton = Skeleton {
            active: actives(terms, &commands, most_spots),
            commands,
            names: Names::new(),
            before: None,
            rules,
            turn: draw.below(u64::MAX),
            most_spots,
            larder: OnceCell::new(),
            text: OnceCell::new(),
        };
        (!skeleton.active.is_empty()).then_some(skeleton)
    }

    /// Makes everything that would otherwise be made at its first use, so that the arena may forget what comes later.
    pub fn complete(&self, terms: &mut Terms) {
        self.larder(terms);
        self.text(terms);
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

    /// Brings assertions into conjunctive normal form, all if they are small, else some; or gives the skeleton back.
    pub fn normal_form(
        self,
        terms: &mut Terms,
        draw: &mut Draw,
    ) -> Result<Skeleton<'w>, Box<Self>> {
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
        let mut names = Names::new();
        match self.clauses(terms, &chosen, &mut names) {
            Some(commands) if !chosen.is_empty() => Ok(Skeleton {
                active: actives(terms, &commands, self.most_spots),
                before: Some((self.commands, chosen.len())),
                commands,
                names,
                larder: OnceCell::new(),
                text: OnceCell::new(),
                ..self
            }),
            _ => Err(Box::new(self)),
        }
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

    /// Appends the text with other terms at some places: assertion, place, term; in any order.
    pub fn write(
        &self,
        terms: &Terms,
        changes: &mut [(usize, usize, TermId)],
        out: &mut String,
    ) -> bool {
        let Some(Text { text, spans }) = self.text(terms) else {
            return false;
        };
        changes.sort_unstable_by_key(|(of, spot, _)| spans[*of][*spot].start);
        let mut written = 0;
        for (of, at, term) in changes {
            let (span, spots) = (&spans[*of][*at], &self.active[*of].spots);
            out.push_str(&text[written..span.start]);
            if spots.is_open(*at) {
                render::term_to(terms, *term, Sharing::Auto, out);
            } else {
                let known = (spots.all[*at].term, &text[span.clone()]);
                render::term_around(terms, *term, known, out);
            }
            written = span.end;
        }
        out.push_str(&text[written..]);
        true
    }

    fn text(&self, terms: &Terms) -> Option<&Text> {
        self.text.get_or_init(|| self.written(terms)).as_ref()
    }

    /// None where a term's text depends on more than the term.
    fn written(&self, terms: &Terms) -> Option<Text> {
        let script = Script {
            commands: self.commands.clone(),
            spans: Vec::new(),
        };
        if render::has_overloaded(terms, &script) {
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

impl Active {
    fn new(terms: &Terms, at: usize, root: TermId, most_spots: usize) -> Active {
        let root = Spot::root(root, Side::Lesser);
        // With `let` a term has no text of its own.
        let plain = most_spots > 1 && !render::is_shared(terms, root.term);
        let spots = Spots::of(terms, book(), root, if plain { most_spots } else { 1 });
        let fitting = spots.all.iter().map(|_| Default::default()).collect();
        Active { at, spots, fitting }
    }

    /// The rules that match at a place.
    pub fn fitting(&self, terms: &Terms, book: &Book, spot: usize, side: Side) -> &[u32] {
        let cell = &self.fitting[spot][usize::from(side == Side::Greater)];
        cell.get_or_init(|| {
            let Spot { term, order, .. } = self.spots.all[spot];
            let rules = book.for_root(terms, term, order, side).iter();
            let fits = |rule: &&u32| book.rule(**rule).fits(terms, term, side);
            rules.filter(fits).copied().collect()
        })
    }

    fn spans(&self, terms: &Terms, body: Sexpr<'_>, start: usize) -> Option<Vec<Range<usize>>> {
        let span = |spot: &Spot| {
            let mut text = body;
            let mut term = self.spots.all[0].term;
            for place in &spot.path {
                text = text.item(match terms.head(term) {
                    Head::Binder(_) => 2,
                    _ => *place as usize + 1,
                })?;
                term = *terms.args(term).get(*place as usize)?;
            }
            let range = text.span().range();
            Some(start + range.start..start + range.end)
        };
        self.spots.all.iter().map(span).collect()
    }
}

/// The assertions of the first query, without those whose name is used elsewhere.
fn actives(terms: &Terms, commands: &[Command], most_spots: usize) -> Vec<Active> {
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
    let make =
        |(at, assertion): (usize, &Assertion)| Active::new(terms, at, assertion.term, most_spots);
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
