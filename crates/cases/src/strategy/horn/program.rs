//! A Horn problem: predicates over parts of one state, and clauses between them.

use super::component::{COLOUR, Component, LIST, Step};
use crate::draw::Draw;
use auspex_logic::model::Interpretation;
use auspex_logic::{Command, Model, Script, Terms, Theory, read_script};

/// A predicate over some of the components, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Predicate {
    pub name: String,
    pub components: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    pub components: Vec<Component>,
    pub predicates: Vec<Predicate>,
}

/// A clause as it is being written: what it is over, what it needs, what it gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub variables: Vec<(String, String)>,
    pub body: Vec<String>,
    pub head: String,
}

const NAMES: [&str; 4] = ["inv", "mid", "out", "aux"];

impl Program {
    pub fn choose(draw: &mut Draw, theories: &[Theory]) -> Option<Program> {
        let mut components = Vec::new();
        for _ in 0..1 + draw.weighted(&[4, 4, 1])? {
            components.push(Component::choose(draw, theories)?);
        }
        let mut predicates = Vec::new();
        for name in &NAMES[..1 + draw.weighted(&[4, 4, 2, 1])?] {
            let all = 0..components.len();
            let mut some: Vec<usize> = match predicates.is_empty() {
                true => all.collect(),
                false => all.filter(|_| !draw.one_in(3)).collect(),
            };
            if some.is_empty() {
                some.push(draw.index(components.len()));
            }
            let name = name.to_string();
            predicates.push(Predicate {
                name,
                components: some,
            });
        }
        Some(Program {
            components,
            predicates,
        })
    }

    /// The declarations, with as many datatypes as the components need.
    pub fn declarations(&self) -> String {
        let mut text = String::from("(set-logic HORN)\n");
        let sorts: Vec<String> = self.components.iter().flat_map(Component::sorts).collect();
        for (sort, declaration) in [("List", LIST), ("Colour", COLOUR)] {
            if sorts.iter().any(|one| one == sort) {
                text.push_str(declaration);
            }
        }
        for predicate in &self.predicates {
            let sorts = self.sorts_of(predicate).join(" ");
            text.push_str(&format!(
                "(declare-fun {} ({sorts}) Bool)\n",
                predicate.name
            ));
        }
        text
    }

    fn sorts_of(&self, predicate: &Predicate) -> Vec<String> {
        let parts = predicate.components.iter();
        parts.flat_map(|at| self.components[*at].sorts()).collect()
    }

    /// The application of a predicate to a state, of which other parts may be empty.
    pub fn atom(&self, predicate: &Predicate, state: &[Vec<String>]) -> String {
        let parts = predicate.components.iter().map(|at| state[*at].join(" "));
        format!(
            "({} {})",
            predicate.name,
            parts.collect::<Vec<_>>().join(" ")
        )
    }

    /// New variables for the components of a predicate.
    pub fn variables(
        &self,
        predicate: &Predicate,
        prefix: &str,
        clause: &mut Clause,
    ) -> Vec<Vec<String>> {
        let mut state = vec![Vec::new(); self.components.len()];
        for at in &predicate.components {
            for (number, sort) in self.components[*at].sorts().into_iter().enumerate() {
                let name = format!("{prefix}{at}{}", ["u", "v", "w"][number.min(2)]);
                clause.variables.push((name.clone(), sort));
                state[*at].push(name);
            }
        }
        state
    }

    /// Satisfiable clauses, and the invariants that satisfy them.
    pub fn with_invariant(&self, draw: &mut Draw, terms: &mut Terms) -> Option<(Script, Model)> {
        let mut clauses = vec![self.start(draw)];
        // Every predicate is reached, then some more moves.
        for to in 1..self.predicates.len() {
            let from = draw.index(to);
            clauses.push(self.transition(draw, from, to));
        }
        for _ in 0..1 + draw.index(3) {
            let (from, to) = (
                draw.index(self.predicates.len()),
                draw.index(self.predicates.len()),
            );
            clauses.push(self.transition(draw, from, to));
        }
        for _ in 0..1 + draw.index(2) {
            clauses.push(self.forbidden(draw)?);
        }
        let rest = clauses.len();
        draw.shuffle(&mut clauses[1..rest]);
        let mut text = self.declarations();
        for clause in &clauses {
            text.push_str(&format!("(assert {})\n", clause.text()));
        }
        text.push_str("(check-sat)\n");
        let script = read(terms, &text)?;
        let model = self.witness(terms, &script)?;
        Some((script, model))
    }

    /// A fact about values to start from, sometimes through equations.
    fn start(&self, draw: &mut Draw) -> Clause {
        let predicate = &self.predicates[0];
        let values: Vec<Vec<String>> = self.components.iter().map(|c| c.start(draw)).collect();
        let mut clause = Clause::default();
        if draw.coin() {
            clause.head = self.atom(predicate, &values);
            return clause;
        }
        let state = self.variables(predicate, "s", &mut clause);
        for (names, values) in state.iter().zip(&values) {
            let both = names.iter().zip(values);
            clause
                .body
                .extend(both.map(|(name, value)| format!("(= {name} {value})")));
        }
        clause.head = self.atom(predicate, &state);
        clause
    }

    /// From one predicate to another, sometimes from a third one, too.
    fn transition(&self, draw: &mut Draw, from: usize, to: usize) -> Clause {
        let (from, to) = (&self.predicates[from], &self.predicates[to]);
        let mut clause = Clause::default();
        let mut state = self.variables(from, "x", &mut clause);
        clause.body.push(self.atom(from, &state));
        if draw.one_in(4)
            && let Some(other) = draw.pick(&self.predicates)
        {
            let beside = self.variables(other, "y", &mut clause);
            clause.body.push(self.atom(other, &beside));
            for (own, other) in state.iter_mut().zip(beside) {
                if !other.is_empty() && (own.is_empty() || draw.coin()) {
                    *own = other;
                }
            }
        }
        for at in &to.components {
            state[*at] = self.moved(draw, *at, &state[*at], &mut clause);
        }
        if draw.one_in(4) {
            name_arguments(draw, self, to, &mut state, &mut clause);
        }
        clause.head = self.atom(to, &state);
        clause
    }

    /// The arguments of a component after a move: a step, nothing, or a new start where there is nothing to go on from.
    fn moved(
        &self,
        draw: &mut Draw,
        at: usize,
        args: &[String],
        clause: &mut Clause,
    ) -> Vec<String> {
        let component = &self.components[at];
        if args.is_empty() {
            return component.start(draw);
        }
        if draw.one_in(4) {
            return args.to_vec();
        }
        let fresh = format!("f{at}");
        let Step { guards, arguments } = component.step(draw, args, &fresh);
        if guards
            .iter()
            .chain(&arguments)
            .any(|text| has_word(text, &fresh))
        {
            clause.variables.push((fresh, component.fresh_sort()));
        }
        clause.body.extend(guards);
        arguments
    }

    /// What must not be: that the invariant of one component fails.
    fn forbidden(&self, draw: &mut Draw) -> Option<Clause> {
        let predicate = draw.pick(&self.predicates)?;
        let mut clause = Clause::default();
        let state = self.variables(predicate, "x", &mut clause);
        clause.body.push(self.atom(predicate, &state));
        let at = *draw.pick(&predicate.components)?;
        clause.body.push(format!(
            "(not {})",
            self.components[at].invariant(&state[at])
        ));
        clause.head = "false".to_string();
        Some(clause)
    }

    /// Each predicate holds where the invariants of its components do.
    fn witness(&self, terms: &mut Terms, script: &Script) -> Option<Model> {
        let mut model = Model::with_definitions(script);
        let funs: Vec<_> = script.declared().collect();
        let mut text: String = self.declarations();
        for predicate in &self.predicates {
            let mut clause = Clause::default();
            let state = self.variables(predicate, "x", &mut clause);
            let invariants = predicate.components.iter();
            let invariants: Vec<String> = invariants
                .map(|at| self.components[*at].invariant(&state[*at]))
                .collect();
            let (name, parameters) = (&predicate.name, clause.parameters());
            text.push_str(&format!(
                "(define-fun is-{name} ({parameters}) Bool (and true {}))\n",
                invariants.join(" ")
            ));
        }
        let script = read(terms, &text)?;
        let definitions = script.commands.iter().filter_map(|command| match command {
            Command::DefineFun(definition) => Some(definition.clone()),
            _ => None,
        });
        for (fun, definition) in funs.into_iter().zip(definitions) {
            let body = Interpretation::Body(definition.variables, definition.body);
            model.set(fun, body);
        }
        Some(model)
    }
}

/// Arguments of the head get names, and equations in the body say what they are.
fn name_arguments(
    draw: &mut Draw,
    program: &Program,
    to: &Predicate,
    state: &mut [Vec<String>],
    clause: &mut Clause,
) {
    for at in &to.components {
        let sorts = program.components[*at].sorts();
        for (number, sort) in sorts.into_iter().enumerate() {
            if draw.coin() {
                let name = format!("n{at}{}", ["u", "v", "w"][number.min(2)]);
                clause
                    .body
                    .push(format!("(= {name} {})", state[*at][number]));
                clause.variables.push((name.clone(), sort));
                state[*at][number] = name;
            }
        }
    }
}

/// Whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    words.any(|one| one == word)
}

impl Clause {
    pub fn parameters(&self) -> String {
        let shown = self
            .variables
            .iter()
            .map(|(name, sort)| format!("({name} {sort})"));
        shown.collect::<Vec<_>>().join(" ")
    }

    pub fn text(&self) -> String {
        let matrix = match &self.body[..] {
            [] => self.head.clone(),
            [only] => format!("(=> {only} {})", self.head),
            many => format!("(=> (and {}) {})", many.join(" "), self.head),
        };
        match self.variables.is_empty() {
            true => matrix,
            false => format!("(forall ({}) {matrix})", self.parameters()),
        }
    }
}

/// A script of ours; none where an operator does not fit, which a test would show.
pub(super) fn read(terms: &mut Terms, text: &str) -> Option<Script> {
    let reading = read_script(terms, text).ok()?;
    let mut script = reading.script;
    script.spans.clear();
    reading.issues.is_empty().then_some(script)
}
