//! A finite derivation: values are carried through clauses one by one, and the last clause forbids where they end.

use super::component::Step;
use super::program::{Clause, Program, read};
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::{Command, Model, Script, Sort, Symbol, Terms, Value};

/// Clauses with how often the derivation goes through them, and where it is.
struct Derivation<'p> {
    program: &'p Program,
    clauses: Vec<Clause>,
    /// The predicate that holds, and its arguments.
    at: usize,
    state: Vec<Vec<String>>,
}

const LONGEST: u64 = 5;

impl Program {
    /// Unsatisfiable clauses, and the names of those that the derivation uses.
    pub fn with_derivation(
        &self,
        draw: &mut Draw,
        terms: &mut Terms,
    ) -> Option<(Script, Vec<Symbol>)> {
        let start: Vec<Vec<String>> = self.components.iter().map(|c| c.start(draw)).collect();
        let mut derivation = Derivation {
            program: self,
            clauses: vec![Clause {
                head: self.atom(&self.predicates[0], &start),
                ..Clause::default()
            }],
            at: 0,
            state: start,
        };
        for _ in 0..draw.between(1, LONGEST) {
            derivation.advance(draw, terms)?;
        }
        derivation.forbid(draw, terms)?;
        let mut text = format!(
            "(set-option :produce-unsat-cores true)\n{}",
            self.declarations()
        );
        for (number, clause) in derivation.clauses.iter().enumerate() {
            text.push_str(&format!(
                "(assert (! {} :named a{number}))\n",
                clause.text()
            ));
        }
        text.push_str("(check-sat)\n");
        let mut script = read(terms, &text)?;
        script
            .commands
            .retain(|command| !matches!(command, Command::SetOption(..)));
        let names = script
            .assertions()
            .filter_map(|assertion| assertion.name)
            .collect();
        Some((script, names))
    }
}

impl Derivation<'_> {
    /// One more clause that the values go through, once or several times.
    fn advance(&mut self, draw: &mut Draw, terms: &mut Terms) -> Option<()> {
        let program = self.program;
        let to = draw.index(program.predicates.len());
        let times = if to == self.at { draw.between(1, 3) } else { 1 };
        let (from, next) = (&program.predicates[self.at], &program.predicates[to]);
        let mut clause = Clause::default();
        let mut written = program.variables(from, "x", &mut clause);
        clause.body.push(program.atom(from, &written));
        let mut moves: Vec<(usize, Draw)> = Vec::new();
        for (at, component) in program.components.iter().enumerate() {
            if !next.components.contains(&at) {
                continue;
            }
            if written[at].is_empty() {
                // Nothing is known about it: it starts again.
                let start = component.start(draw);
                self.state[at].clone_from(&start);
                written[at] = start;
                continue;
            }
            if draw.one_in(3) {
                continue;
            }
            let fresh = format!("f{at}");
            let choices = draw.clone();
            let Step { guards, arguments } = component.step(draw, &written[at], &fresh);
            clause.variables.push((fresh, component.fresh_sort()));
            clause.body.extend(guards);
            written[at] = arguments;
            moves.push((at, choices));
        }
        clause.head = program.atom(next, &written);
        let mut moved = false;
        for _ in 0..times {
            match self.after(draw, &moves, terms) {
                Some(state) => self.state = state,
                None if moved => break,
                None => return None,
            }
            moved = true;
        }
        self.clauses.push(clause);
        self.at = to;
        Some(())
    }

    /// The values after the same steps, for new values of the variables of choice; none where no guard could be met.
    fn after(
        &self,
        draw: &mut Draw,
        moves: &[(usize, Draw)],
        terms: &mut Terms,
    ) -> Option<Vec<Vec<String>>> {
        const TRIES: usize = 12;
        let mut state = self.state.clone();
        for (at, choices) in moves {
            let component = &self.program.components[*at];
            let step = (0..TRIES).find_map(|_| {
                let fresh = component.fresh_value(draw);
                let step = component.step(&mut choices.clone(), &state[*at], &fresh);
                let is_met =
                    |guard: &String| value(terms, guard, "Bool") == Some("true".to_string());
                step.guards.iter().all(is_met).then_some(step)
            })?;
            let sorts = component.sorts();
            let values = step.arguments.iter().zip(&sorts);
            state[*at] = values
                .map(|(text, sort)| value(terms, text, sort))
                .collect::<Option<Vec<_>>>()?;
        }
        Some(state)
    }

    /// The last clause: some of the arguments must not be what they are.
    fn forbid(&mut self, draw: &mut Draw, terms: &mut Terms) -> Option<()> {
        let predicate = &self.program.predicates[self.at];
        let mut clause = Clause::default();
        let names = self.program.variables(predicate, "x", &mut clause);
        clause.body.push(self.program.atom(predicate, &names));
        for at in &predicate.components {
            let sorts = self.program.components[*at].sorts();
            for (number, sort) in sorts.iter().enumerate() {
                let (name, value_of) = (&names[*at][number], &self.state[*at][number]);
                let value = value(terms, value_of, sort)?;
                if !draw.one_in(3) {
                    let relation = match (sort.as_str(), draw.below(3)) {
                        ("Int" | "Real", 0) => "<=",
                        ("Int" | "Real", 1) => ">=",
                        _ => "=",
                    };
                    clause.body.push(format!("({relation} {name} {value})"));
                }
            }
        }
        clause.head = "false".to_string();
        self.clauses.push(clause);
        Some(())
    }
}

/// The value of a closed term, as text.
fn value(terms: &mut Terms, text: &str, sort: &str) -> Option<String> {
    let declarations = format!("{}{}", super::component::LIST, super::component::COLOUR);
    let script = read(
        terms,
        &format!("{declarations}(define-fun value () {sort} {text})"),
    )?;
    let definition = script.definitions().next()?.clone();
    let model = Model::default();
    let value: Value = Evaluator::new(terms, &model).value(definition.body).ok()?;
    let sort: Sort = terms.sort(definition.body);
    let term = terms.value_term(&value, sort)?;
    Some(auspex_logic::render::term(
        terms,
        term,
        auspex_logic::render::Sharing::Auto,
    ))
}
