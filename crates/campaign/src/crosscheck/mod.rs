//! Cross-checks our semantics with solvers: we evaluate ground terms, and ask every solver that supports their
//! operators.
//!
//! ```text
//! (bvudiv #b1010 #b0000) is #b1111 by our table   →   (assert (not (= (bvudiv #b1010 #b0000) #b1111)))   →   unsat
//! ```
//! One query has many equations; if its answer is not the expected `unsat`, each equation is asked alone. Every
//! difference is a bug: ours or the solver's.

mod asking;
mod equations;
mod growing;
mod values;

use auspex_logic::theory::SolverSet;
use auspex_logic::{OpTable, Theory};
use auspex_solvers::{Limits, Solver};
pub use equations::Equation;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The settings of a cross-check.
#[derive(Clone, Debug)]
pub struct Plan {
    pub theories: Vec<Theory>,
    /// Terms per theory; ignored if exhaustive.
    pub count: u64,
    pub seed: u64,
    /// Whether to test every operator of bit-vectors and floating point on all values of small sorts instead of
    /// random terms.
    pub exhaustive: bool,
    /// Whether to use only floats of 16, 32, 64 and 128 bits, for solvers that support no others.
    pub standard_formats: bool,
    /// Equations per query.
    pub batch: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            theories: theories(),
            count: 1_000,
            seed: 0,
            exhaustive: false,
            standard_formats: false,
            batch: 64,
        }
    }
}

/// The theories whose operators have semantics.
pub fn theories() -> Vec<Theory> {
    let without = [Theory::Separation, Theory::User];
    let all = Theory::ALL.into_iter();
    all.filter(|theory| !without.contains(theory)).collect()
}

/// A term on which a solver and we differ, or that it rejects although it should support the operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub theory: Theory,
    pub solver: String,
    pub term: String,
    pub ours: String,
    pub theirs: Theirs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Theirs {
    /// Another value, as the solver prints it.
    Value(String),
    /// It rejects the term; its message.
    Rejected(String),
    /// It crashes; its message.
    Crashed(String),
}

/// The results of one solver for one theory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub agreed: u64,
    /// `unknown`, or no answer in time.
    pub silent: u64,
    pub different: u64,
    pub rejected: u64,
    pub crashed: u64,
    /// Terms with an operator that the solver does not support, or on which it failed too often.
    pub not_asked: u64,
}

/// The results for one theory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoryReport {
    pub theory: Theory,
    /// Terms with a value.
    pub terms: u64,
    /// Terms that the standard leaves unspecified, or that exceed our bounds.
    pub open: u64,
    /// By solver.
    pub counts: BTreeMap<String, Count>,
    pub differences: Vec<Difference>,
    /// By solver: operators on which it failed too often.
    pub given_up: BTreeMap<String, Vec<String>>,
}

/// Compares theory by theory; `progress` is called with the number of finished terms.
pub fn crosscheck(
    plan: &Plan,
    solvers: &[Solver],
    limits: &Limits,
    progress: &(dyn Fn(Theory, u64) + Sync),
) -> Vec<TheoryReport> {
    let theories = plan.theories.iter();
    theories
        .map(|theory| check_theory(plan, *theory, solvers, limits, progress))
        .collect()
}

fn check_theory(
    plan: &Plan,
    theory: Theory,
    solvers: &[Solver],
    limits: &Limits,
    progress: &(dyn Fn(Theory, u64) + Sync),
) -> TheoryReport {
    let report = Mutex::new(TheoryReport {
        theory,
        terms: 0,
        open: 0,
        counts: BTreeMap::new(),
        differences: Vec::new(),
        given_up: BTreeMap::new(),
    });
    let mut askers: Vec<asking::Asker> = solvers
        .iter()
        .filter(|solver| supports(solver, theory))
        .map(|solver| asking::Asker::new(solver, limits, theory, plan.batch))
        .collect();
    std::thread::scope(|scope| {
        for asker in &mut askers {
            scope.spawn(|| asker.try_rows(plan, &report));
        }
    });
    let mut readers = growing::Readers {
        rows: vec![0; OpTable::builtin().rows().len()],
        ..growing::Readers::default()
    };
    askers.iter().for_each(|asker| asker.tell(&mut readers));
    let mut source = equations::Source::new(plan, theory, readers);
    while let Some(round) = source.next_round() {
        std::thread::scope(|scope| {
            for asker in &mut askers {
                scope.spawn(|| asker.ask_all(&round, &report));
            }
        });
        let mut report = report.lock().unwrap_or_else(|bad| bad.into_inner());
        report.terms += round.len() as u64;
        report.open = source.open;
        progress(theory, report.terms);
    }
    let mut report = report.into_inner().unwrap_or_else(|bad| bad.into_inner());
    for asker in askers {
        let (title, count, given_up) = asker.finish();
        report.counts.insert(title.clone(), count);
        if !given_up.is_empty() {
            report.given_up.insert(title, given_up);
        }
    }
    report.differences.sort_by(|a, b| {
        let key = |d: &Difference| (d.solver.clone(), d.term.len(), d.term.clone());
        key(a).cmp(&key(b))
    });
    report
}

/// The bit of a solver in the operator table, if it has one.
fn known_bit(solver: &Solver) -> Option<SolverSet> {
    let named = SolverSet::SOLVERS.iter();
    named
        .filter(|(_, name)| *name == solver.profile.name)
        .map(|(known, _)| *known)
        .next()
}

/// Whether a profile lists the ingredients of a theory's terms. An empty list means unknown.
fn supports(solver: &Solver, theory: Theory) -> bool {
    let needed: &[&str] = match theory {
        Theory::Core => &["core"],
        Theory::Ints => &["ints"],
        Theory::Reals => &["reals"],
        Theory::Transcendentals => &["transcendentals"],
        Theory::BitVectors => &["bit-vectors"],
        Theory::FloatingPoint => &["floating-point"],
        Theory::Arrays => &["arrays"],
        Theory::Strings => &["strings"],
        Theory::Regex => &["strings", "regular-expressions"],
        Theory::Datatypes => &["datatypes"],
        Theory::Sequences => &["sequences"],
        Theory::Sets => &["sets"],
        Theory::Bags => &["bags"],
        Theory::Relations => &["relations"],
        Theory::FiniteFields => &["finite-fields"],
        Theory::Separation | Theory::User => return false,
    };
    let theories = &solver.profile.theories;
    theories.is_empty() || needed.iter().all(|name| theories.iter().any(|t| t == name))
}
