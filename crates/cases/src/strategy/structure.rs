//! `structure`, mutation of commands: reorders a seed's assertions and puts them between `push` and `pop`, under
//! names and assumptions, with queries in between; moves declarations to where they are needed.
//!
//! ```text
//! before  (declare-const x Int) (assert (> x 0)) (assert (< x 9)) (check-sat)
//! after   (push 1) (declare-const x Int) (assert (< x 9)) (check-sat) (pop 1)
//!         (declare-const x Int) (declare-const guard!1 Bool) (assert (=> guard!1 (> x 0))) (check-sat-assuming (guard!1))
//! ```
//!
//! Preserves well-sortedness. Solvers are compared with each other, and each with itself: every query asked alone
//! (`alone::alone`) must have the same answer.

use super::typefuzz::TYPEFUZZ;
use super::{GenContext, Strategy, chain};
use crate::alone::alone;
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::mutant::needs::Declarations;
use crate::mutant::prepare::prepare;
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Fun, Script, Sort, TermId, Terms};

pub struct Structure;

/// The most commands per seed assertion.
const STEPS_PER_ASSERTION: usize = 4;
const FEWEST_STEPS: usize = 8;
const MOST_STEPS: usize = 60;
const DEEPEST: usize = 4;

impl Strategy for Structure {
    fn name(&self) -> &'static str {
        "structure"
    }

    fn about(&self) -> &'static str {
        "Spreads the assertions of a seed over scopes, names, assumptions and several queries."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn needs_second(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        // Half of the time the terms are mutated, too.
        let mutated = draw
            .coin()
            .then(|| chain::make(&TYPEFUZZ, 5, workshop, draw));
        let (script, mut origin) = match mutated.flatten() {
            Some(case) => (case.script, case.origin),
            None => {
                let seed = draw.pick(workshop.seeds)?;
                let script = Script {
                    commands: prepare(workshop.terms, &seed.script),
                    spans: Vec::new(),
                };
                let seed = Some(seed.name.clone());
                (
                    script,
                    Origin {
                        seed,
                        ..Origin::default()
                    },
                )
            }
        };
        let script = Builder::new(workshop.terms, &script, draw)?.build(draw)?;
        origin.strategy = self.name();
        origin.steps.push("spread over scopes and queries".into());
        let queries = script.queries().len();
        Some(Case {
            script,
            evidence: vec![Evidence::NoneKnown; queries],
            origin,
        })
    }
}

/// One level of assertions and declarations.
#[derive(Default)]
struct Level {
    /// Positions of the declarations in force since this level.
    declared: Vec<usize>,
    /// Positions of the assertions made on this level.
    asserted: Vec<usize>,
    /// Booleans that may be assumed.
    literals: Vec<TermId>,
}

struct Builder<'t> {
    terms: &'t mut Terms,
    /// The commands of one query asked alone.
    flat: Vec<Command>,
    /// The needed declarations; none if everything must be declared first.
    declarations: Option<Declarations>,
    levels: Vec<Level>,
    waiting: Vec<usize>,
    out: Vec<Command>,
    named: bool,
    /// Whether declarations are global.
    lasting: bool,
    changed: bool,
    fresh: u32,
}

impl<'t> Builder<'t> {
    fn new(terms: &'t mut Terms, script: &Script, draw: &mut Draw) -> Option<Builder<'t>> {
        let queries = script.queries();
        let query = draw.pick(&queries)?;
        let mut flat = alone(terms, script, query).commands;
        flat.pop();
        let is_header = |c: &Command| matches!(c, Command::SetLogic(_) | Command::SetOption(..));
        let mut out: Vec<Command> = flat.iter().filter(|c| is_header(c)).cloned().collect();
        flat.retain(|c| !is_header(c));
        let assertions = |(at, c): (usize, &Command)| matches!(c, Command::Assert(_)).then_some(at);
        let mut waiting: Vec<usize> = flat.iter().enumerate().filter_map(assertions).collect();
        if waiting.is_empty() {
            return None;
        }
        if draw.coin() {
            draw.shuffle(&mut waiting);
        }
        waiting.reverse();
        let named = draw.coin();
        if named {
            let (key, value) = (":produce-unsat-cores", "true");
            let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
            if !out.contains(&option) {
                out.insert(0, option);
            }
        }
        let lasting = draw.one_in(8);
        if lasting {
            let (key, value) = (":global-declarations", "true");
            let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
            out.insert(0, option);
        }
        let declarations = Declarations::of(&flat).filter(|_| !lasting && draw.coin());
        Some(Builder {
            terms,
            flat,
            declarations,
            levels: vec![Level::default()],
            waiting,
            out,
            named,
            lasting,
            changed: false,
            fresh: 0,
        })
    }

    fn build(mut self, draw: &mut Draw) -> Option<Script> {
        if self.declarations.is_none() {
            self.declare_all();
        }
        let steps = (self.waiting.len() * STEPS_PER_ASSERTION).clamp(FEWEST_STEPS, MOST_STEPS);
        for _ in 0..steps {
            self.step(draw);
        }
        if self.changed || !self.out.iter().any(is_query) {
            self.query(draw);
        }
        Some(Script {
            commands: self.out,
            spans: Vec::new(),
        })
    }

    fn step(&mut self, draw: &mut Draw) {
        let deep = self.levels.len() - 1;
        let weights = [
            if self.waiting.is_empty() { 0 } else { 60 },
            if deep < DEEPEST { 25 } else { 0 },
            if deep > 0 { 20 } else { 0 },
            if self.changed { 25 } else { 0 },
            // Otherwise declarations end here by the standard, but not in z3.
            if self.lasting { 8 } else { 0 },
        ];
        match draw.weighted(&weights) {
            Some(0) => self.assert(draw),
            Some(1) => {
                self.out.push(Command::Push(1));
                self.levels.push(Level::default());
            }
            Some(2) => self.pop(draw),
            Some(3) => self.query(draw),
            Some(4) => self.reset(),
            _ => {}
        }
    }

    fn assert(&mut self, draw: &mut Draw) {
        let Some(at) = self.waiting.pop() else { return };
        self.declare_for(at);
        let Command::Assert(mut assertion) = self.flat[at].clone() else {
            return;
        };
        // Names of the seed could occur twice.
        assertion.name = None;
        if draw.one_in(4) {
            assertion.term = self.guarded(assertion.term);
        } else if self.named && draw.coin() {
            let name = self.fresh_name("name");
            assertion.name = Some(self.terms.symbols.intern(&name));
        }
        self.out.push(Command::Assert(assertion));
        self.top().asserted.push(at);
        self.changed = true;
    }

    /// `(=> guard term)` with a new Boolean that a query may assume.
    fn guarded(&mut self, term: TermId) -> TermId {
        let name = self.fresh_name("guard");
        let fun = self.terms.declare_fun(&name, &[], Sort::BOOL);
        let guard = self.terms.fun_app(fun, &[]).ok();
        let implied = guard.and_then(|guard| {
            let term = self.terms.app("=>", &[guard, term]).ok()?;
            Some((guard, term))
        });
        let Some((guard, implied)) = implied else {
            return term;
        };
        self.out.push(Command::DeclareFun(fun));
        self.top().literals.push(guard);
        implied
    }

    fn fresh_name(&mut self, stem: &str) -> String {
        loop {
            self.fresh += 1;
            let name = format!("{stem}!{}", self.fresh);
            if self.terms.symbols.find(&name).is_none() {
                return name;
            }
        }
    }

    fn top(&mut self) -> &mut Level {
        self.levels
            .last_mut()
            .expect("the lowest level is never popped")
    }

    fn pop(&mut self, draw: &mut Draw) {
        let count = draw.between(1, (self.levels.len() - 1).min(2) as u64);
        self.out.push(Command::Pop(count as u32));
        for _ in 0..count {
            let level = self.levels.pop().unwrap_or_default();
            // Popped assertions may be asserted again.
            if draw.coin() {
                self.waiting.extend(level.asserted);
            }
        }
        self.changed = true;
    }

    fn reset(&mut self) {
        self.out.push(Command::ResetAssertions);
        let mut levels = std::mem::take(&mut self.levels).into_iter();
        let mut lowest = levels.next().unwrap_or_default();
        self.waiting.append(&mut lowest.asserted);
        for level in levels {
            self.waiting.extend(level.asserted);
        }
        self.levels.push(lowest);
        self.changed = true;
    }

    fn query(&mut self, draw: &mut Draw) {
        let mut literals: Vec<TermId> = Vec::new();
        for level in &self.levels {
            literals.extend(&level.literals);
        }
        let assume = !literals.is_empty() && draw.coin();
        let query = if assume {
            draw.shuffle(&mut literals);
            literals.truncate(draw.between(1, 3) as usize);
            let assumed = literals.into_iter().map(|literal| match draw.one_in(3) {
                true => self.terms.app("not", &[literal]).unwrap_or(literal),
                false => literal,
            });
            Command::CheckSatAssuming(assumed.collect())
        } else {
            Command::CheckSat
        };
        self.out.push(query);
        if self.named && draw.one_in(4) {
            self.out.push(Command::GetUnsatCore);
        }
        self.changed = false;
    }

    fn declare_all(&mut self) {
        for at in 0..self.flat.len() {
            self.declare(at);
        }
    }

    fn declare_for(&mut self, at: usize) {
        let Some(declarations) = &self.declarations else {
            return;
        };
        for needed in declarations.needed(self.terms, &self.flat, &self.flat[at]) {
            if !self
                .levels
                .iter()
                .any(|level| level.declared.contains(&needed))
            {
                self.declare(needed);
            }
        }
    }

    fn declare(&mut self, at: usize) {
        let command = self.flat[at].clone();
        if matches!(command, Command::Assert(_)) {
            return;
        }
        if let Command::DeclareFun(fun) = command
            && is_proposition(self.terms, fun)
            && let Ok(literal) = self.terms.fun_app(fun, &[])
        {
            self.top().literals.push(literal);
        }
        self.out.push(command);
        self.top().declared.push(at);
    }
}

fn is_proposition(terms: &Terms, fun: Fun) -> bool {
    let decl = terms.fun(fun);
    decl.kind == FunKind::Declared && decl.params.is_empty() && decl.result == Sort::BOOL
}

fn is_query(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alone::is_incremental;
    use crate::strategy::chain::tests::made;
    use auspex_logic::read_script;

    const SEED: &str = "(set-logic ALL)(declare-sort U 0)(declare-fun f (U) Int)(declare-const u U)(declare-const p Bool)\
        (define-fun g ((x Int)) Int (+ x (f u)))(assert (> (g 1) 0))(assert (or p (= (f u) 3)))(assert (not p))(check-sat)";

    #[test]
    fn scripts_stay_well_formed() {
        let all = made(&Structure, SEED, 1000);
        assert!(all.len() > 900);
        for text in &all {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, text).expect("well-formed");
            assert_eq!(reading.issues, [], "in {text}");
            assert!(!reading.script.queries().is_empty(), "{text}");
        }
    }

    #[test]
    fn reaches_every_kind_of_command() {
        let all = made(&Structure, SEED, 1000);
        for word in [
            "(push 1)",
            "(pop 2)",
            "check-sat-assuming",
            "get-unsat-core",
            ":named",
            "reset-assertions",
            "guard!",
        ] {
            assert!(all.iter().any(|text| text.contains(word)), "{word}");
        }
        let mut terms = Terms::new();
        let scripts = all
            .iter()
            .map(|t| read_script(&mut terms, t).expect("well-formed").script);
        let incremental = scripts.filter(is_incremental).count();
        assert!(incremental > all.len() / 2);
        let moved = |text: &&String| {
            text.find("(push")
                .is_some_and(|at| text[at..].contains("(declare-const u"))
        };
        assert!(all.iter().filter(moved).count() > 10);
    }

    #[test]
    fn a_seed_without_assertions_gives_nothing() {
        assert_eq!(
            made(&Structure, "(declare-const p Bool)(check-sat)", 1).len(),
            0
        );
    }
}
