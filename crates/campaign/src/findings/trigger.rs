//! Triggers: what a script must hold to show a bug that is known already, so that it is not confirmed and reduced again.
//!
//! ```text
//! reduced script    (assert (= (fp.rem x (fp.abs y)) z))      z3, wrong sat
//! trigger           fp.rem with fp.abs in its second argument, at any depth
//! ```

use crate::findings::bug::BugEntry;
use crate::findings::finding::Finding;
use crate::findings::group::accused_name;
use crate::judge::fingerprint::Kind;
use crate::team::Member;
use crate::team::case_profile::CaseProfile;
use auspex_cases::Class;
use auspex_logic::render::post_order;
use auspex_logic::{Head, Script, TermId, Terms, Theory, read_script};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Operators below an argument of an operator: row, position, row.
type Place = (u32, u8, u32);

/// The most operators of a trigger: a script with more is hardly reduced, and nothing would hold it.
const MOST: usize = 32;

/// What a script must hold to show a known bug, and whose bug it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    class: Class,
    make: String,
    /// The options that the solver needs to be wrong.
    options: Vec<String>,
    /// Rows of the operator table, sorted.
    operators: Vec<u32>,
    places: BTreeSet<Place>,
}

/// The solver that is wrong about a script: its make, and the options that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Accused<'a> {
    pub make: &'a str,
    pub options: &'a [String],
}

impl Trigger {
    /// The trigger of a reduced script; none if it has no operators but those of the core, which nearly every script
    /// has.
    pub fn of(
        terms: &Terms,
        script: &Script,
        class: Class,
        accused: Accused<'_>,
    ) -> Option<Trigger> {
        let operators = special_rows(terms, script);
        if operators.is_empty() || operators.len() > MOST || !class.is_bug() {
            return None;
        }
        Some(Trigger {
            class,
            make: accused.make.to_string(),
            options: accused.options.to_vec(),
            places: places(terms, script, &operators),
            operators,
        })
    }

    /// The trigger of a reduced finding that accuses one solver.
    pub fn of_finding(finding: &Finding) -> Option<Trigger> {
        if finding.accused.len() != 1 {
            return None;
        }
        let options = finding.options_of_accused();
        let mut terms = finding.terms();
        let script = read_script(&mut terms, finding.reduced.as_ref()?).ok()?;
        let accused = Accused {
            make: accused_name(finding),
            options: &options,
        };
        Trigger::of(&terms, &script.script, finding.class, accused)
    }

    /// The trigger of a bug in a file or database of bugs, if it keeps a script.
    pub fn of_entry(entry: &BugEntry) -> Option<Trigger> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, entry.script.as_ref()?).ok()?;
        let accused = Accused {
            make: &entry.solver,
            options: &entry.options,
        };
        let class = Class::named(&entry.class)?;
        Trigger::of(&terms, &script.script, class, accused)
    }

    pub fn class(&self) -> Class {
        self.class
    }

    /// Whether a solver of a team may have the bug.
    pub fn accuses(&self, member: &Member) -> bool {
        let set = &member.solver.options;
        member.name() == self.make && self.options.iter().all(|option| set.contains(option))
    }

    /// Whether a script holds it: the operators, one below the other as in the reduced script.
    pub fn is_in(&self, terms: &Terms, script: &Script, profile: &CaseProfile) -> bool {
        let has = |row: &u32| profile.operators.binary_search(row).is_ok();
        self.operators.iter().all(has)
            && (self.places.is_empty()
                || self
                    .places
                    .is_subset(&places(terms, script, &self.operators)))
    }
}

/// The kind within which findings are compared.
pub fn kind_of(finding: &Finding) -> Kind {
    Kind::new(finding.class, accused_name(finding))
}

/// The rows of operators of other theories than the core. The notation of constants, as in `(- 1)`, does not count,
/// unless there is nothing else.
fn special_rows(terms: &Terms, script: &Script) -> Vec<u32> {
    let all = all_terms(terms, script);
    let mut varying = FxHashSet::default();
    for term in &all {
        let is_name = matches!(terms.head(*term), Head::Fun(_) | Head::Variable(_));
        if is_name || terms.args(*term).iter().any(|arg| varying.contains(arg)) {
            varying.insert(*term);
        }
    }
    let rows = |keep: &dyn Fn(&TermId) -> bool| {
        let rows = all.iter().filter(|term| keep(term));
        rows.filter_map(|term| row_of(terms, *term))
            .collect::<BTreeSet<u32>>()
    };
    let mut special = rows(&|term| varying.contains(term));
    if special.is_empty() {
        special = rows(&|_| true);
    }
    special.into_iter().collect()
}

fn row_of(terms: &Terms, term: TermId) -> Option<u32> {
    match terms.head(term) {
        Head::Op(op) if terms.op(op).theory != Theory::Core => Some(terms.op_row(op) as u32),
        _ => None,
    }
}

/// Which of some operators are below which arguments of others.
fn places(terms: &Terms, script: &Script, operators: &[u32]) -> BTreeSet<Place> {
    let bit = |term: TermId| {
        let row = row_of(terms, term)?;
        operators.binary_search(&row).ok()
    };
    let mut places = BTreeSet::new();
    // For each term the operators that it is made of.
    let mut inside: FxHashMap<TermId, u32> = FxHashMap::default();
    for term in all_terms(terms, script) {
        let args = terms.args(term);
        let masks = args.iter().map(|arg| inside.get(arg).copied().unwrap_or(0));
        let masks: Vec<u32> = masks.collect();
        let mut own = masks.iter().fold(0, |all, mask| all | mask);
        if let Some(bit) = bit(term) {
            own |= 1 << bit;
            for (at, mask) in masks.iter().enumerate() {
                let at = position(terms, term, at);
                let below = operators.iter().enumerate();
                let below = below.filter(|(place, _)| mask & (1 << place) != 0);
                places.extend(below.map(|(_, row)| (operators[bit], at, *row)));
            }
        }
        inside.insert(term, own);
    }
    places
}

/// The position of an argument; of a commutative operator all are alike.
fn position(terms: &Terms, term: TermId, at: usize) -> u8 {
    match terms.head(term) {
        Head::Op(op) if terms.op(op).commutative => 0,
        _ => at.min(3) as u8,
    }
}

/// Every distinct subterm, arguments first.
fn all_terms(terms: &Terms, script: &Script) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let roots = script.roots().into_iter();
    let all = roots.flat_map(|root| post_order(terms, root));
    all.filter(|term| seen.insert(*term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::case_profile::features;

    const Z3: Accused<'static> = Accused {
        make: "z3",
        options: &[],
    };

    fn trigger(text: &str) -> Option<Trigger> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        Trigger::of(&terms, &script, Class::WrongSat, Z3)
    }

    fn holds(trigger: &Trigger, text: &str) -> bool {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        trigger.is_in(&terms, &script, &features(&terms, &script))
    }

    const DECLARED: &str = "(declare-const s String)(declare-const t String)";

    #[test]
    fn a_script_with_the_operators_in_their_places_holds_the_trigger() {
        let bug = trigger(&format!(
            "{DECLARED}(assert (= (str.to_code (str.at s 1)) 5))(check-sat)"
        ))
        .unwrap();
        let deeper = "(assert (< (str.to_code (str.++ t (str.at (str.++ s t) 0))) 9))(check-sat)";
        assert!(holds(&bug, &format!("{DECLARED}{deeper}")));
        let beside = "(assert (= (str.at s (str.to_code t)) t))(check-sat)";
        assert!(!holds(&bug, &format!("{DECLARED}{beside}")));
        let half = "(assert (= (str.to_code s) 5))(check-sat)";
        assert!(!holds(&bug, &format!("{DECLARED}{half}")));
    }

    #[test]
    fn what_nearly_every_script_has_is_no_trigger() {
        assert_eq!(
            trigger("(declare-const p Bool)(assert (and p (not p)))"),
            None
        );
        let negative = trigger(&format!("{DECLARED}(assert (= (str.to_code s) (- 1)))")).unwrap();
        assert_eq!(
            negative.operators.len(),
            1,
            "the sign of a constant is notation"
        );
    }

    #[test]
    fn a_bug_that_needs_an_option_is_only_expected_under_it() {
        use auspex_solvers::{Invocation, Profile, Solver};
        let member = |options: &[&str]| {
            Member::new(Solver {
                profile: std::sync::Arc::new(Profile::unknown("z3")),
                base: Invocation::default(),
                version: None,
                commit: None,
                options: options.iter().map(ToString::to_string).collect(),
            })
        };
        let mut bug = trigger(&format!("{DECLARED}(assert (= (str.to_code s) 5))")).unwrap();
        assert!(bug.accuses(&member(&[])) && bug.accuses(&member(&["a=1"])));
        bug.options.push("a=1".to_string());
        assert!(bug.accuses(&member(&["b=2", "a=1"])) && !bug.accuses(&member(&["b=2"])));
    }
}
