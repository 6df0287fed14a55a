//! The unsatisfiable mirror: a core that cannot be satisfied stays as it is, and everything else is mutated freely.
//!
//! ```text
//! core (assert (< x 3)) (assert (> x 5)), rest (assert (= y "a"))
//!   →  the core, (assert (= y (str.rev "ab"))), (assert (or (< x 1) (str.prefixof y "b")))
//! ```
//!
//! Keeps: the core is a subset of the assertions, so the mutant is unsatisfiable if the core is, which two solvers said.

use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{Ingredients, Palette, Pool, Rules, grow};
use crate::strategy::{Seed, Strategy, Workshop};
use auspex_logic::edit::Occurrences;
use auspex_logic::script::{Assertion, Command, Script};
use auspex_logic::{Sort, TermId, Terms};

pub struct Mirror;

impl Strategy for Mirror {
    fn name(&self) -> &'static str {
        "mirror"
    }

    fn about(&self) -> &'static str {
        "Keeps an unsatisfiable core and mutates everything around it."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Option<Case> {
        let with_cores: Vec<&Seed> = workshop
            .seeds
            .iter()
            .filter(|seed| seed.core.is_some())
            .collect();
        let seed = *draw.pick(&with_cores)?;
        let core = seed.core.as_ref()?;
        let query = seed.script.queries().into_iter().next()?;
        let terms = &mut *workshop.terms;
        let roots: Vec<TermId> = query.assertions.iter().map(|a| a.term).collect();
        let pool = Pool::of(terms, &roots);
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: Features::ALL,
        };
        let palette = Palette::new(terms.table(), &rules, pool.kinds(&terms.sorts));
        let with = Ingredients {
            pool: &pool,
            palette: &palette,
            scope: &[],
            place: crate::grow::EVERYWHERE,
            avoid: None,
            constants: 4,
        };
        let mut rest = Vec::new();
        for (at, root) in roots
            .iter()
            .enumerate()
            .filter(|(at, _)| !core.contains(at))
        {
            let mutated = mutate(terms, draw, *root, &with).unwrap_or(*root);
            rest.push((at, mutated));
        }
        for _ in 0..draw.between(1, 3) {
            rest.extend(grow(terms, draw, Sort::BOOL, 3, &with).map(|term| (roots.len(), term)));
        }
        let header = seed.script.commands[..query.command]
            .iter()
            .filter(|c| super::dive::is_declaration(c))
            .cloned();
        Some(assemble(
            terms,
            draw,
            header.collect(),
            core,
            &roots,
            &rest,
            &seed.name,
        ))
    }
}

/// Replaces one closed occurrence by a grown term.
fn mutate(
    terms: &mut Terms,
    draw: &mut Draw,
    root: TermId,
    with: &Ingredients<'_>,
) -> Option<TermId> {
    let occurrences = Occurrences::new(terms, &[root]);
    let chosen = occurrences.nth(terms, draw.below(occurrences.len()))?;
    if !terms.is_closed(chosen.term) {
        return None;
    }
    let new = grow(terms, draw, terms.sort(chosen.term), 3, with)?;
    terms.replace_at(root, &chosen.path, new)
}

fn assemble(
    terms: &mut Terms,
    draw: &mut Draw,
    header: Vec<Command>,
    core: &[usize],
    roots: &[TermId],
    rest: &[(usize, TermId)],
    seed: &str,
) -> Case {
    let mut names = Vec::new();
    let mut assertions = Vec::new();
    for at in core.iter().filter(|at| **at < roots.len()) {
        let name = terms.symbols.intern(&format!("core!{at}"));
        names.push(name);
        assertions.push(Assertion {
            term: roots[*at],
            name: Some(name),
        });
    }
    assertions.extend(rest.iter().map(|(_, term)| Assertion {
        term: *term,
        name: None,
    }));
    draw.shuffle(&mut assertions);
    let mut script = Script::default();
    let all = terms.symbols.intern("ALL");
    script.push(Command::SetLogic(all));
    script.commands.extend(header);
    script
        .commands
        .extend(assertions.into_iter().map(Command::Assert));
    script.push(Command::CheckSat);
    let because =
        "the assertions named core!… alone are unsatisfiable, as two solvers said of the seed"
            .to_string();
    let steps = vec![format!(
        "kept {} assertions of the core, mutated the others",
        names.len()
    )];
    let origin = Origin {
        strategy: "mirror",
        seed: Some(seed.to_string()),
        steps,
    };
    Case {
        script,
        evidence: vec![Evidence::Core { names, because }],
        origin,
    }
}
