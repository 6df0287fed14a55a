//! `skeletons`: keeps the Boolean, quantifier and scope structure of a script that showed a bug, or of any seed, and
//! fills its atoms' places with atoms of other seeds and with grown ones.
//!
//! ```text
//! before  (assert (forall ((x Int)) (=> (> x a) (= (f x) 0))))            and a seed with (<= (* y y) z)
//! after   (assert (forall ((x Int)) (=> (<= (* x x) a) (= (f x) 0))))
//! ```
//! Preserves well-sortedness: the symbols of an atom become variables in scope and constants of the same sort, or new
//! ones. The answer is unknown, so solvers are compared and their models are checked. After Sun and others (HistFuzz,
//! 2023), and Zhou and others (Once4All, 2026).

mod atoms;
mod fill;

use super::{GenContext, Seed, Strategy};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::logics;
use crate::mutant::prepare::prepare;
use auspex_logic::{Command, Script, Terms};
use fill::Filler;

pub struct Skeletons;

/// How scripts of earlier findings are called among the seeds.
const FINDING: &str = "finding:";

impl Strategy for Skeletons {
    fn name(&self) -> &'static str {
        "skeletons"
    }

    fn about(&self) -> &'static str {
        "Fills the structure of past bugs and of seeds with the atoms of other seeds and with grown ones."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn seeds(&self) -> usize {
        2
    }

    fn needs_second(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let seed = skeleton(workshop.seeds, draw)?;
        let commands = prepare(workshop.terms, &seed.script);
        let mut filler = Filler::new(workshop, &commands)?;
        let filled = filler.fill(workshop.terms, draw, &commands);
        let steps = filler.steps();
        if steps.is_empty() {
            return None;
        }
        let mut commands = with_declarations(filled, filler.declarations());
        set_logic(workshop.terms, seed, &mut commands);
        let script = Script {
            commands,
            spans: Vec::new(),
        };
        Some(Case {
            evidence: vec![Evidence::NoneKnown; script.queries().len()],
            script,
            origin: Origin {
                strategy: self.name(),
                seed: Some(seed.name.clone()),
                steps,
            },
        })
    }

    fn stages(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Vec<Script> {
        let mut again = draw.clone();
        let before = skeleton(workshop.seeds, &mut again).map(|seed| seed.script.clone());
        let case = self.make(workshop, draw).map(|case| case.script);
        before.into_iter().chain(case).collect()
    }
}

/// The seed whose structure is kept: a past bug rather than another.
fn skeleton<'s>(seeds: &'s [Seed], draw: &mut Draw) -> Option<&'s Seed> {
    let is_bug = |seed: &&Seed| seed.name.starts_with(FINDING);
    let bugs: Vec<&Seed> = seeds.iter().filter(is_bug).collect();
    match draw.pick(&bugs) {
        Some(bug) if !draw.one_in(4) => Some(bug),
        _ => draw.pick(seeds),
    }
}

/// Inserts declarations of new symbols behind the header.
fn with_declarations(mut commands: Vec<Command>, new: Vec<Command>) -> Vec<Command> {
    let is_header = |command: &&Command| {
        matches!(
            command,
            Command::SetLogic(_) | Command::SetOption(..) | Command::DeclareSort(..)
        ) || matches!(
            command,
            Command::DeclareDatatypes(_) | Command::DefineSort(..)
        )
    };
    let header = commands.iter().take_while(is_header).count();
    commands.splice(header..header, new);
    commands
}

fn set_logic(terms: &mut Terms, seed: &Seed, commands: &mut Vec<Command>) {
    let logic = logics::fitting(terms, &seed.script, commands);
    let logic = Command::SetLogic(terms.symbols.intern(&logic));
    commands.retain(|command| !matches!(command, Command::SetLogic(_)));
    let is_option = |command: &&Command| matches!(command, Command::SetOption(..));
    let options = commands.iter().take_while(is_option).count();
    commands.insert(options, logic);
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use std::collections::BTreeSet;

    const BUG: &str = "(declare-const a Int)(declare-fun f (Int) Int)\
        (assert (forall ((x Int)) (=> (> x a) (= (f x) 0))))(push 1)(assert (or (< a 3) (not (> a 5))))\
        (check-sat)(pop 1)(check-sat)";
    const OTHER: &str = "(declare-const y Int)(declare-const z Int)(declare-const s String)\
        (assert (<= (* y y) z))(assert (= (str.len s) y))(check-sat)";

    fn made(texts: &[(&str, &str)], count: u64) -> BTreeSet<String> {
        let mut terms = Terms::new();
        let seed = |(name, text): &(&str, &str)| Seed {
            name: name.to_string(),
            script: read_script(&mut terms, text).expect("well-formed").script,
            status: None,
            models: Vec::new(),
            core: None,
        };
        let seeds: Vec<Seed> = texts.iter().map(seed).collect();
        let mut texts = BTreeSet::new();
        for number in 0..count {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: SolverSet::Z3,
                forbidden: &[],
            };
            let case = Skeletons.make(&mut workshop, &mut Draw::new(5, number));
            texts.extend(case.map(|case| {
                assert_eq!(case.evidence.len(), case.script.queries().len());
                render::script(&terms, &case.script, Sharing::Auto)
            }));
        }
        texts
    }

    #[test]
    fn atoms_of_another_seed_take_places_and_the_structure_stays() {
        let all = made(&[("finding:1", BUG), ("b.smt2", OTHER)], 300);
        assert!(all.len() > 100, "{}", all.len());
        let of_bug: Vec<&String> = all
            .iter()
            .filter(|text| text.contains("(push 1)"))
            .collect();
        assert!(of_bug.len() * 2 > all.len(), "past bugs come first");
        let kept = |text: &&&String| text.contains("forall") && text.contains("(or ");
        assert!(of_bug.iter().filter(kept).count() * 4 > of_bug.len());
        let has = |part: &str| of_bug.iter().any(|text| text.contains(part));
        assert!(
            has("(<= (* x x) a)") || has("(<= (* x x) x)"),
            "under the quantifier"
        );
        assert!(has("str.len"), "with a new constant");
    }

    #[test]
    fn cases_read_back_without_issues() {
        for text in made(&[("a.smt2", BUG), ("b.smt2", OTHER)], 300) {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
        }
    }

    #[test]
    fn what_has_other_sorts_is_left_out() {
        let strange = "(declare-datatype D ((c0) (c1)))(declare-const d D)(declare-sort U 0)\
            (declare-const u U)(declare-fun p (U) Bool)(assert ((_ is c0) d))(assert (p u))(check-sat)";
        let all = made(&[("finding:1", BUG), ("b.smt2", strange)], 200);
        let mixed = |text: &&String| text.contains("forall") && text.contains("(_ is c0)");
        assert_eq!(all.iter().find(mixed), None);
    }

    #[test]
    fn a_script_without_atoms_gives_no_case() {
        assert!(made(&[("a.smt2", "(check-sat)")], 20).is_empty());
    }
}
