//! Reduces two related scripts as one text: shared parts occur once, and where they differ there is `(auspex!both
//! source script)`. An edit of a shared part preserves the relation; after an edit of an assertion that differs,
//! solvers must refute the relation's negation again.

use crate::findings::finding::{EvidenceRecord, Finding};
use crate::judge::confirm::fresh_run;
use crate::judge::diagnose::Bug;
use crate::shrink::bug_check::Costs;
use crate::shrink::reduction::Subject;
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::{Grounds, Link, Side};
use auspex_cases::{RelationKind, Source};
use auspex_reduce::{Check, Examined};
use auspex_solvers::{Limits, Mode, Query, Session};
use auspex_syntax::{Document, Sexpr, write_flat};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The head of a term that is its first argument in the source and its second in the script.
const BOTH: &str = "auspex!both";

/// The two scripts on which a solver contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub kind: RelationKind,
    pub source: String,
    pub script: String,
}

impl Pair {
    /// The pair of a finding, if it has one.
    pub fn of(finding: &Finding) -> Option<Pair> {
        let Grounds::RelatedItself { relation, .. } = &finding.grounds else {
            return None;
        };
        let EvidenceRecord::Relation { sources, .. } = &finding.evidence else {
            return None;
        };
        let [Source::Seed { query: 0, .. } | Source::Core { .. }] = sources.as_slice() else {
            return None;
        };
        let mut related = finding.related.iter();
        let source = related.find(|one| one.link == Link::Source(0))?;
        Some(Pair {
            kind: *relation,
            source: source.text.clone(),
            script: finding.script.clone(),
        })
    }

    /// The pair as one text; none if more than assertions differ.
    pub fn merged(&self) -> Option<String> {
        let (source, script) = (
            Document::read(self.source.as_str()).ok()?,
            Document::read(self.script.as_str()).ok()?,
        );
        let lines = |document: &Document| -> Vec<String> {
            let kept = document.items().filter(|form| !is_detail(*form));
            kept.map(flat).collect()
        };
        let (one, other) = (lines(&source), lines(&script));
        let is = |text: &String, head: &str| text.starts_with(head);
        let frame = |all: &[String]| -> Vec<String> {
            let kept = all.iter().filter(|text| {
                !is(text, "(assert ") && !is(text, "(declare-") && !is(text, "(set-")
            });
            kept.cloned().collect()
        };
        if frame(&one) != frame(&other) || frame(&one).iter().any(|text| is(text, "(p")) {
            return None;
        }
        let asserted = |all: &[String]| -> Vec<String> {
            let kept = all.iter().filter(|text| is(text, "(assert "));
            kept.cloned().collect()
        };
        let (from, to) = (asserted(&one), asserted(&other));
        let only = |all: &[String], rest: &[String]| -> Vec<String> {
            let kept = all.iter().filter(|text| !rest.contains(text));
            kept.map(|text| body(text)).collect()
        };
        let both = combined(&all_of(only(&from, &to)), &all_of(only(&to, &from)));
        let mut merged: Vec<String> = other
            .iter()
            .take_while(|text| is(text, "(set-"))
            .cloned()
            .collect();
        let declared = one.iter().chain(&other);
        for text in declared.filter(|text| !is(text, "(assert ") && !is(text, "(set-")) {
            if !is(text, "(check-sat") && !merged.contains(text) {
                merged.push(text.clone());
            }
        }
        let shared = to.iter().filter(|text| from.contains(text));
        merged.extend(shared.cloned());
        merged.push(format!("(assert {both})"));
        merged.push("(check-sat)".to_string());
        Some(merged.join("\n") + "\n")
    }
}

/// The source and the script of a text.
pub fn split(merged: &str) -> Option<(String, String)> {
    let document = Document::read(merged).ok()?;
    let side = |place: usize| -> String {
        let mut out = String::new();
        for form in document.items() {
            chosen(form, place, &mut out);
            out.push('\n');
        }
        out
    };
    let (source, script) = (side(1), side(2));
    (source != script).then_some((source, script))
}

/// Writes one side of a combined form.
fn chosen(form: Sexpr<'_>, place: usize, out: &mut String) {
    if form.head() == Some(BOTH) {
        return match form.item(place) {
            Some(side) => chosen(side, place, out),
            None => out.push_str("true"),
        };
    }
    if !form.is_list() || !form.text().contains(BOTH) {
        return write_flat(form, out);
    }
    out.push('(');
    for (at, item) in form.items().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        chosen(item, place, out);
    }
    out.push(')');
}

/// Commands that request more than an answer.
fn is_detail(form: Sexpr<'_>) -> bool {
    form.head()
        .is_some_and(|head| head.starts_with("get-") || matches!(head, "exit" | "set-info"))
}

fn flat(form: Sexpr<'_>) -> String {
    let mut out = String::new();
    write_flat(form, &mut out);
    out
}

/// The formula of an assertion.
fn body(assertion: &str) -> String {
    let document = Document::read(assertion).ok();
    let term = document.as_ref().and_then(|all| {
        let form = all.items().next()?;
        Some(flat(form.item(1)?))
    });
    term.unwrap_or_else(|| "true".to_string())
}

fn all_of(mut terms: Vec<String>) -> String {
    match terms.len() {
        0 => "true".to_string(),
        1 => terms.remove(0),
        _ => format!("(and {})", terms.join(" ")),
    }
}

/// Combines two terms, with the differences as deep inside as possible.
fn combined(one: &str, other: &str) -> String {
    let whole = || format!("({BOTH} {one} {other})");
    let (Ok(a), Ok(b)) = (Document::read(one), Document::read(other)) else {
        return whole();
    };
    let (Some(a), Some(b)) = (a.items().next(), b.items().next()) else {
        return whole();
    };
    let mut out = String::new();
    descend(a, b, &mut out);
    out
}

fn descend(a: Sexpr<'_>, b: Sexpr<'_>, out: &mut String) {
    let differ: Vec<usize> = match a.is_list() && b.is_list() && a.count() == b.count() {
        true => (0..a.count())
            .filter(|at| match (a.item(*at), b.item(*at)) {
                (Some(a), Some(b)) => !a.same_as(b),
                _ => true,
            })
            .collect(),
        false => Vec::new(),
    };
    // Binders are not split, because their subterms would have free variables.
    let binds = matches!(a.head(), Some("let" | "forall" | "exists" | "match" | "!"));
    let (true, [place], false) = (differ.len() == 1, differ.as_slice(), binds) else {
        out.push_str(&format!("({BOTH} {} {})", flat(a), flat(b)));
        return;
    };
    if *place == 0 {
        out.push_str(&format!("({BOTH} {} {})", flat(a), flat(b)));
        return;
    }
    out.push('(');
    for (at, (left, right)) in a.items().zip(b.items()).enumerate() {
        if at > 0 {
            out.push(' ');
        }
        match at == *place {
            true => descend(left, right, out),
            false => write_flat(left, out),
        }
    }
    out.push(')');
}

/// Checks that a solver still contradicts itself on the two scripts of a text.
pub struct PairCheck {
    kind: RelationKind,
    /// The accused, followed by the solvers that check the relation.
    team: Team,
    session: Session,
    mode: Mode,
    limits: Limits,
    costs: Arc<Costs>,
    /// Assertions with two sides whose relation is proved.
    proved: HashSet<String>,
    checked_by: CheckedBy,
}

/// The solvers that refuted the negation of a relation that no rule proves any more.
pub type CheckedBy = Arc<Mutex<Vec<String>>>;

impl PairCheck {
    /// The check for a bug about a pair, as one text.
    pub fn new(subject: &Subject, bug: &Bug, limits: &Limits, costs: Arc<Costs>) -> PairCheck {
        let (kind, merged) = (
            subject.pair.unwrap_or(RelationKind::Equisatisfiable),
            subject.text.as_str(),
        );
        let accused = &bug.accused;
        let checked_by = subject.checked_by.clone();
        let solvers = std::iter::once(accused).chain(&bug.trusted).cloned();
        let mut check = PairCheck {
            kind,
            team: Team::new(solvers.collect(), limits.clone()),
            session: Session::start(accused, limits),
            mode: Mode::Fresh,
            limits: limits.clone(),
            costs,
            proved: HashSet::new(),
            checked_by,
        };
        check.proved.extend(sided(merged));
        check.mode = check.cheapest(merged);
        check
    }

    /// The cheapest mode that shows the contradiction.
    fn cheapest(&mut self, merged: &str) -> Mode {
        let profile = self.team.members[0].solver.profile.clone();
        let modes = [Mode::PushPop, Mode::Reset].into_iter();
        let mut modes = modes.filter(|mode| profile.has(*mode));
        let found = modes.find(|mode| {
            self.mode = *mode;
            self.contradicts(merged, false)
        });
        found.unwrap_or(Mode::Fresh)
    }

    /// Whether the accused gives two answers that the relation forbids.
    fn contradicts(&mut self, merged: &str, fresh: bool) -> bool {
        let Some((source, script)) = split(merged) else {
            return false;
        };
        let Some(told) = self.answer(&script, fresh) else {
            return false;
        };
        let wanted = self.kind.forbids(told);
        wanted.is_some() && self.answer(&source, fresh) == wanted
    }

    fn answer(&mut self, text: &str, fresh: bool) -> Option<Side> {
        let run = match fresh {
            true => {
                let solver = &self.team.members[0].solver;
                solver.fresh_exact(text, &self.limits).ok()?
            }
            false => self.session.ask(&Query::new(text).mode(self.mode)).ok()?,
        };
        self.costs.add(run.cpu);
        Side::of(run.answers.last()?)
    }

    /// Whether the relation still holds, by the shared parts or by asking solvers.
    fn is_related(&mut self, merged: &str) -> bool {
        let open: Vec<String> = sided(merged)
            .into_iter()
            .filter(|assertion| !self.proved.contains(assertion))
            .collect();
        for assertion in open {
            if !self.implies(merged, &assertion) {
                return false;
            }
            self.proved.insert(assertion);
        }
        true
    }

    /// Whether every solver that answers refutes the negation of the relation between the sides of an assertion.
    fn implies(&mut self, merged: &str, assertion: &str) -> bool {
        let Some((source, script)) = split(&format!("(assert {assertion})")) else {
            return true;
        };
        let (source, script) = (body(source.trim()), body(script.trim()));
        let denials: &[(&str, &str)] = match self.kind {
            RelationKind::Weaker => &[(&source, &script)],
            RelationKind::Stronger => &[(&script, &source)],
            RelationKind::Equisatisfiable => &[(&source, &script), (&script, &source)],
            RelationKind::SatIfAll | RelationKind::UnsatIfAll => return false,
        };
        let Ok(document) = Document::read(merged) else {
            return false;
        };
        let head: String = document
            .items()
            .filter(|form| {
                let head = form.head().unwrap_or("");
                head.starts_with("declare-") || head.starts_with("define-") || head == "set-logic"
            })
            .map(|form| flat(form) + "\n")
            .collect();
        denials.iter().all(|(from, to)| {
            let text = format!("{head}(assert {from})\n(assert (not {to}))\n(check-sat)\n");
            self.is_refuted(&text)
        })
    }

    /// Asks other solvers if there are any; otherwise the accused must contradict itself in three answers.
    fn is_refuted(&mut self, text: &str) -> bool {
        let members = match self.team.members.len() {
            1 => 0..1,
            all => 1..all,
        };
        let mut by = Vec::new();
        for member in members {
            let run = fresh_run(&self.team, member, text, &self.limits);
            self.costs
                .add(run.as_ref().map_or_else(Default::default, |run| run.cpu));
            let side = |run: SolverRun| run.answers.last().and_then(Side::of);
            match run.and_then(side) {
                Some(Side::Unsat) => by.push(self.team.members[member].title.clone()),
                Some(Side::Sat) => return false,
                None => {}
            }
        }
        let refuted = !by.is_empty();
        let mut told = self
            .checked_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        by.retain(|title| !told.contains(title));
        told.extend(by);
        refuted
    }
}

/// The terms of assertions in which the two scripts differ.
fn sided(merged: &str) -> Vec<String> {
    let Ok(document) = Document::read(merged) else {
        return Vec::new();
    };
    let assertions = document
        .items()
        .filter(|form| form.head() == Some("assert"));
    let bodies = assertions.filter_map(|form| form.item(1)).map(flat);
    bodies.filter(|text| text.contains(BOTH)).collect()
}

impl Check for PairCheck {
    fn interesting(&mut self, text: &str) -> Examined {
        match self.contradicts(text, false) && self.is_related(text) {
            true => Examined::Yes {
                evidence: String::new(),
            },
            false => Examined::No,
        }
    }

    fn confirm(&mut self, text: &str, _: &str) -> bool {
        self.contradicts(text, true)
    }

    fn distrust(&mut self) {
        self.mode = Mode::Fresh;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(source: &str, script: &str) -> Option<String> {
        let pair = Pair {
            kind: RelationKind::Weaker,
            source: source.to_string(),
            script: script.to_string(),
        };
        pair.merged()
    }

    const DECLARED: &str = "(declare-const x Int)(declare-const y Int)";

    #[test]
    fn what_is_shared_stands_once_and_what_differs_twice() {
        let source = format!("{DECLARED}(assert (> y 0))(assert (not (< x y)))(check-sat)");
        let script =
            format!("{DECLARED}(assert (> y 0))(assert (not (<= x y)))(check-sat)(get-model)");
        let merged = pair(&source, &script).unwrap();
        assert!(merged.contains("(assert (> y 0))"));
        assert!(
            merged.contains("(assert (not (auspex!both (< x y) (<= x y))))"),
            "{merged}"
        );
        let (one, other) = split(&merged).unwrap();
        assert!(one.contains("(assert (not (< x y)))") && !one.contains("<="));
        assert!(other.contains("(assert (not (<= x y)))") && !other.contains("both"));
    }

    #[test]
    fn scripts_with_other_queries_are_left_alone() {
        let one = format!("{DECLARED}(assert (> y 0))(check-sat)");
        let two = format!("{DECLARED}(assert (> y 1))(check-sat)(check-sat)");
        assert_eq!(pair(&one, &two), None);
        let scoped = format!("{DECLARED}(push 1)(assert (> y 0))(check-sat)");
        assert_eq!(pair(&scoped, &scoped), None);
        assert_eq!(split("(assert (> y 1))"), None, "no longer two scripts");
    }
}
