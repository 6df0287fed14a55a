//! Asks one solver about equations in a live session, many at a time, and finds those it does not prove.

use super::equations::equation;
use super::growing::{Grower, Readers, helpers};
use super::{Count, Difference, Equation, Plan, Theirs, TheoryReport, known_bit};
use auspex_cases::Draw;
use auspex_logic::theory::{OpDecl, SolverSet};
use auspex_logic::{Answer, OpTable, Terms, Theory};
use auspex_solvers::{Limits, Mode, Query, Run, Session, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// After this many unanswered, rejected or crashing terms with an operator, and few successes, the solver is no
/// longer asked about it.
const ENOUGH_FAILURES: u64 = 12;
/// An operator is reliable if it succeeds this many times as often as it fails.
const WELL: u64 = 12;
/// How many differences of one solver in one theory are stored; all are counted.
const MOST_KEPT: usize = 200;

pub(super) struct Asker {
    session: Session,
    solver: Solver,
    limits: Limits,
    theory: Theory,
    bit: Option<SolverSet>,
    batch: usize,
    /// Rows that it does not support, whose examples it cannot answer, or on which it failed too often.
    avoided: BTreeSet<u32>,
    /// How often each row succeeded and failed.
    luck: BTreeMap<u32, (u64, u64)>,
    count: Count,
    kept: usize,
    /// Rows of which it supports some examples, but not those with more arguments.
    narrow: BTreeSet<u32>,
    logic: &'static str,
}

/// The result of a query.
enum Ending {
    Granted,
    Denied,
    Silent,
    Rejected(String),
    Crashed(String),
}

impl Asker {
    pub(super) fn new(solver: &Solver, limits: &Limits, theory: Theory, batch: usize) -> Asker {
        Asker {
            session: Session::start(solver, limits),
            solver: solver.clone(),
            limits: limits.clone(),
            theory,
            bit: known_bit(solver),
            batch: batch.max(1),
            avoided: BTreeSet::new(),
            luck: BTreeMap::new(),
            count: Count::default(),
            kept: 0,
            narrow: BTreeSet::new(),
            logic: logic(solver, theory),
        }
    }

    pub(super) fn finish(self) -> (String, Count, Vec<String>) {
        let table = OpTable::builtin();
        let names = self.avoided.iter();
        let names = names.map(|row| table.rows()[*row as usize].declaration.to_string());
        (self.solver.title(), self.count, names.collect())
    }

    pub(super) fn ask_all(&mut self, round: &[Equation], report: &Mutex<TheoryReport>) {
        let (wanted, not): (Vec<&Equation>, Vec<&Equation>) =
            round.iter().partition(|equation| self.knows(equation));
        self.count.not_asked += not.len() as u64;
        for batch in wanted.chunks(self.batch) {
            // Skip operators that were given up in the meantime.
            let (batch, left): (Vec<&Equation>, Vec<&Equation>) =
                batch.iter().partition(|equation| self.knows(equation));
            self.count.not_asked += left.len() as u64;
            if !batch.is_empty() {
                self.settle(&batch, report);
            }
        }
    }

    fn knows(&self, equation: &Equation) -> bool {
        let known = match self.bit {
            Some(bit) => equation.audience.includes(bit),
            None => equation.audience.is_standard(),
        };
        known && !equation.rows.iter().any(|row| self.avoided.contains(row))
    }

    /// Asks about every row's examples first, each alone, so that an unsupported row does not fail a batch later. A
    /// row with unusual sorts in its examples gets a second chance; one whose simplest terms crash the solver or get
    /// no answer is not used inside of other terms.
    pub(super) fn try_rows(&mut self, plan: &Plan, report: &Mutex<TheoryReport>) {
        let table = OpTable::builtin();
        let bit = self.bit.unwrap_or(SolverSet::STANDARD);
        let mut hopeless = BTreeSet::new();
        for (number, decl) in table.rows().iter().enumerate() {
            let wanted = decl.theory == self.theory || helpers(self.theory).contains(&decl.theory);
            if wanted && decl.known.includes(bit) && self.try_examples(number as u32, decl, report)
            {
                hopeless.insert(number as u32);
            }
        }
        let readers = Readers {
            rows: vec![u16::MAX; table.rows().len()],
            ..Readers::default()
        };
        let mut terms = Terms::new();
        let grower = Grower::new(&mut terms, plan, self.theory, &readers);
        for row in self.avoided.clone() {
            if self.reads(&mut terms, &grower, row) {
                self.avoided.remove(&row);
            }
        }
        for row in self.avoided.clone() {
            let decl = &table.rows()[row as usize];
            if decl.theory == self.theory {
                self.refused(decl, report);
            }
        }
        self.avoided.extend(hopeless);
    }

    /// Asks about a row's examples; returns whether the solver accepts them but answers none.
    fn try_examples(&mut self, row: u32, decl: &OpDecl, report: &Mutex<TheoryReport>) -> bool {
        let (mut read, mut answered) = (0, 0);
        for (term, value) in decl.examples {
            let equation = example(decl, term, value, row);
            match self.ask(&[&equation]) {
                Ending::Rejected(_) if arguments(term) > decl.sig.params.len() => {
                    self.narrow.insert(row);
                }
                Ending::Rejected(_) => {}
                ending => {
                    read += 1;
                    answered += usize::from(matches!(ending, Ending::Granted | Ending::Denied));
                    if decl.theory == self.theory {
                        self.single(&equation, ending, report);
                    }
                }
            }
        }
        if read == 0 && !decl.examples.is_empty() {
            self.avoided.insert(row);
        }
        read > 0 && answered == 0
    }

    /// Whether it accepts the row with values other than those of the examples.
    fn reads(&mut self, terms: &mut Terms, grower: &Grower, row: u32) -> bool {
        const TRIES: u64 = 6;
        (0..TRIES).any(|number| {
            let mut draw = Draw::new(u64::from(row), number);
            let term = grower.simplest(terms, &mut draw, row);
            let grown = term.and_then(|term| equation(terms, term, u16::MAX, ""));
            grown.is_some_and(|grown| !matches!(self.ask(&[&grown]), Ending::Rejected(_)))
        })
    }

    /// Reports an unsupported row that the solver should support.
    fn refused(&mut self, decl: &OpDecl, report: &Mutex<TheoryReport>) {
        if let Some((term, value)) = decl.examples.first() {
            let equation = example(decl, term, value, 0);
            let ending = self.ask(&[&equation]);
            self.single(&equation, ending, report);
        }
    }

    /// Removes this solver from the supporters of the rows that it rejected.
    pub(super) fn tell(&self, readers: &mut Readers) {
        let bit = self.bit.unwrap_or(SolverSet::STANDARD);
        let table = OpTable::builtin();
        readers.all |= bit.0;
        readers.narrow.extend(&self.narrow);
        for (row, decl) in table.rows().iter().enumerate() {
            if decl.known.includes(bit) && !self.avoided.contains(&(row as u32)) {
                readers.rows[row] |= bit.0;
            }
        }
    }

    /// Finds the equations of a batch that the solver does not prove.
    fn settle(&mut self, batch: &[&Equation], report: &Mutex<TheoryReport>) {
        let ending = self.ask(batch);
        match (ending, batch) {
            (Ending::Granted, _) => {
                self.count.agreed += batch.len() as u64;
                for row in batch.iter().flat_map(|equation| &equation.rows) {
                    self.luck.entry(*row).or_default().0 += 1;
                }
            }
            (ending, [one]) => self.single(one, ending, report),
            // One by one: an answered query costs a thousandth of one that crashes the solver or times out, and
            // bisection would ask every culprit six times.
            (_, _) => {
                for one in batch {
                    if self.knows(one) {
                        self.settle(&[one], report);
                    } else {
                        self.count.not_asked += 1;
                    }
                }
            }
        }
    }

    fn single(&mut self, equation: &Equation, ending: Ending, report: &Mutex<TheoryReport>) {
        let theirs = match ending {
            Ending::Granted => return,
            Ending::Silent => {
                self.count.silent += 1;
                self.blame(equation);
                return;
            }
            Ending::Rejected(message) => {
                self.count.rejected += 1;
                self.blame(equation);
                Theirs::Rejected(message)
            }
            Ending::Crashed(message) => {
                self.count.crashed += 1;
                self.blame(equation);
                Theirs::Crashed(message)
            }
            Ending::Denied => match self.confirmed(equation) {
                Some(value) => {
                    self.count.different += 1;
                    Theirs::Value(value)
                }
                // Only the live process answered so, which is not a semantic difference.
                None => {
                    self.count.silent += 1;
                    return;
                }
            },
        };
        self.keep(equation, theirs, report);
    }

    /// Records an unanswered query, which costs more than a thousand answered ones, against the row with the fewest
    /// successes.
    fn blame(&mut self, equation: &Equation) {
        let granted = |row: &&u32| self.luck.get(row).map_or(0, |luck| luck.0);
        let Some(&suspect) = equation.rows.iter().min_by_key(granted) else {
            return;
        };
        let (granted, not) = self.luck.entry(suspect).or_default();
        *not += 1;
        if *not >= ENOUGH_FAILURES && *not * WELL >= *granted {
            self.avoided.insert(suspect);
        }
    }

    fn keep(&mut self, equation: &Equation, theirs: Theirs, report: &Mutex<TheoryReport>) {
        self.kept += 1;
        if self.kept > MOST_KEPT {
            return;
        }
        let difference = Difference {
            theory: self.theory,
            solver: self.solver.title(),
            term: equation.term.clone(),
            ours: equation.value.clone(),
            theirs,
        };
        let mut report = report.lock().unwrap_or_else(|bad| bad.into_inner());
        report.differences.push(difference);
    }

    fn ask(&mut self, batch: &[&Equation]) -> Ending {
        let mut text = format!("(set-logic {})\n", self.logic);
        text.push_str(batch.first().map_or("", |equation| equation.prelude));
        text.push_str("(assert (not (and true");
        for equation in batch {
            text.push_str("\n  ");
            text.push_str(&equation.text());
        }
        text.push_str(")))\n(check-sat)\n");
        let query = Query::new(&text).mode(Mode::PushPop);
        match self.session.ask(&query) {
            Ok(run) => ending(&run),
            Err(error) => Ending::Crashed(error.to_string()),
        }
    }

    /// Asks again in a fresh process; returns the solver's value if it still differs.
    fn confirmed(&self, equation: &Equation) -> Option<String> {
        let text = format!(
            "(set-logic {})\n{}(assert (not {}))\n(check-sat)\n(get-value ({}))\n",
            self.logic,
            equation.prelude,
            equation.text(),
            equation.term
        );
        let query = Query::new(&text);
        let run = Session::start(&self.solver, &self.limits)
            .ask(&query)
            .ok()?;
        if !matches!(run.answer(), Answer::Sat { .. }) {
            return None;
        }
        let said = run.replies.iter().rev();
        let value = said.filter(|r| r.command.contains("get-value")).map(|r| {
            let text = r.text.trim();
            let inner = text.strip_prefix("((").and_then(|t| t.strip_suffix("))"));
            inner
                .map_or(text, |t| t.strip_prefix(&*equation.term).unwrap_or(t))
                .trim()
                .to_string()
        });
        Some(value.into_iter().next().unwrap_or_default())
    }
}

fn example(decl: &OpDecl, term: &str, value: &str, row: u32) -> Equation {
    Equation {
        term: term.to_string(),
        value: value.to_string(),
        audience: decl.known,
        rows: vec![row],
        prelude: "",
    }
}

/// The number of arguments of an application.
fn arguments(term: &str) -> usize {
    let document = auspex_syntax::Document::read(term).ok();
    let count = document.and_then(|d| d.items().next().map(|item| item.items().count()));
    count.unwrap_or(1).saturating_sub(1)
}

/// The logic for functions as arguments, if the solver has one.
fn logic(solver: &Solver, theory: Theory) -> &'static str {
    let with_functions = [
        Theory::Sets,
        Theory::Bags,
        Theory::Sequences,
        Theory::Relations,
    ];
    let theories = &solver.profile.theories;
    match with_functions.contains(&theory) && theories.iter().any(|t| t == "higher-order") {
        true => "HO_ALL",
        false => "ALL",
    }
}

fn ending(run: &Run) -> Ending {
    match run.answer() {
        Answer::Unsat { .. } => Ending::Granted,
        Answer::Sat { .. } => Ending::Denied,
        Answer::Unknown { .. } | Answer::Timeout | Answer::OutOfMemory => Ending::Silent,
        Answer::Rejected { message, .. } => Ending::Rejected(first_line(message)),
        Answer::Crashed(crash) => Ending::Crashed(first_line(&crash.message)),
        Answer::Garbled { text } => Ending::Crashed(first_line(text)),
    }
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    line.chars().take(200).collect()
}
