//! `mirror`, the unsatisfiable counterpart of `diver`: an unsatisfiable core stays or becomes stronger by proved
//! rules, and everything else is mutated freely.
//!
//! ```text
//! core (assert (< x 3)) (assert (> x 5)), rest (assert (= y "a"))
//!   →  (assert (< x 2)) (assert (and (> x 5) (= (* x x) y2))), (assert (= y (str.rev "ab")))
//! ```
//! Preserves: the new core implies the old one, so the mutant is unsatisfiable if the core is, as two solvers
//! answered.

use crate::case::{Case, Evidence, Origin, Relation, RelationKind, SeedStatus, Source};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{Ingredients, Palette, Pool, Rules, grow};
use crate::logics;
use crate::strategy::approximate::Approximate;
use crate::strategy::flat::is_declaration;
use crate::strategy::{GenContext, Seed, Strategy, position};
use auspex_logic::edit::Occurrences;
use auspex_logic::script::{Assertion, Command, Script};
use auspex_logic::{Sort, TermId, Terms};

/// How many literals are strengthened: few, so that the rest of the script still matters.
const STRENGTHEN: Approximate = Approximate {
    literals: 3,
    rounds: 2,
    ..Approximate::USUAL
};

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

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
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
        let outside = Features::ALL.without(logics::room(terms, &seed.script));
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: match draw.coin() {
                true => super::HEAPLESS.without(outside),
                false => super::HEAPLESS,
            },
        };
        let palette = Palette::shared(terms.table(), &rules, pool.kinds(&terms.sorts));
        let with = Ingredients {
            pool: &pool,
            palette: &palette,
            scope: &[],
            place: crate::grow::EVERYWHERE,
            avoid: None,
            constants: 4,
        };
        let mut rest = Vec::new();
        for (_, root) in roots
            .iter()
            .enumerate()
            .filter(|(at, _)| !core.contains(at))
        {
            rest.push(mutate(terms, draw, *root, &with).unwrap_or(*root));
        }
        for _ in 0..draw.between(1, 3) {
            rest.extend(grow(terms, draw, Sort::BOOL, 3, &with));
        }
        let header = seed.script.commands[..query.command].iter();
        let header: Vec<Command> = header.filter(|c| is_declaration(c)).cloned().collect();
        let kept = core.iter().filter(|at| **at < roots.len());
        let kept: Vec<Assertion> = kept
            .map(|at| Assertion {
                term: roots[*at],
                name: Some(terms.symbols.intern(&format!("core!{at}"))),
            })
            .collect();
        let commands = core_script(terms, header, &kept);
        let (commands, mut steps) = match draw.coin() {
            true => strengthened(workshop, draw, commands),
            false => (commands, Vec::new()),
        };
        steps.push("mutated the assertions outside the core".to_string());
        let rest = rest.into_iter().map(|term| Assertion { term, name: None });
        let relation = Relation {
            kind: RelationKind::Stronger,
            sources: vec![Source::Core {
                seed: position(workshop.seeds, seed),
            }],
            status: seed.status,
        };
        let mut script = assemble(draw, commands, rest.collect());
        declare_logic(workshop.terms, draw, seed, &mut script);
        let origin = Origin {
            strategy: "mirror",
            seed: Some(seed.name.clone()),
            steps,
        };
        Some(Case {
            script,
            evidence: vec![Evidence::Relation(relation)],
            origin,
        })
    }
}

/// Declares the logic that fits, or sometimes `ALL`.
fn declare_logic(terms: &mut Terms, draw: &mut Draw, seed: &Seed, script: &mut Script) {
    let logic = match draw.one_in(super::WIDE) {
        true => "ALL".to_string(),
        false => logics::fitting(terms, &seed.script, &script.commands),
    };
    let logic = terms.symbols.intern(&logic);
    for command in &mut script.commands {
        if let Command::SetLogic(declared) = command {
            *declared = logic;
        }
    }
}

/// The core alone, as a script.
fn core_script(terms: &mut Terms, header: Vec<Command>, core: &[Assertion]) -> Vec<Command> {
    let mut commands = vec![Command::SetLogic(terms.symbols.intern("ALL"))];
    commands.extend(header);
    commands.extend(core.iter().copied().map(Command::Assert));
    commands.push(Command::CheckSat);
    commands
}

/// A script that implies another, with the rules; the same script if no rule matches.
fn strengthened(
    workshop: &mut GenContext<'_>,
    draw: &mut Draw,
    commands: Vec<Command>,
) -> (Vec<Command>, Vec<String>) {
    let seed = Seed {
        name: String::new(),
        script: Script {
            commands,
            spans: Vec::new(),
        },
        status: Some(SeedStatus::AgreedUnsat),
        models: Vec::new(),
        core: None,
    };
    let mut inner = GenContext {
        terms: workshop.terms,
        seeds: std::slice::from_ref(&seed),
        theories: workshop.theories,
        solvers: workshop.solvers,
        forbidden: workshop.forbidden,
    };
    match STRENGTHEN.make(&mut inner, draw) {
        Some(case) => (case.script.commands, case.origin.steps),
        None => (seed.script.commands, Vec::new()),
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

/// Mixes the other assertions with those of the core.
fn assemble(draw: &mut Draw, commands: Vec<Command>, mut assertions: Vec<Assertion>) -> Script {
    let mut script = Script::default();
    for command in commands {
        match command {
            Command::Assert(assertion) => assertions.push(assertion),
            Command::CheckSat | Command::CheckSatAssuming(_) => {}
            other => script.push(other),
        }
    }
    draw.shuffle(&mut assertions);
    script
        .commands
        .extend(assertions.into_iter().map(Command::Assert));
    script.push(Command::CheckSat);
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::eval::Evaluator;
    use auspex_logic::theory::SolverSet;
    use auspex_logic::value::Int;
    use auspex_logic::{Model, Value, read_script};

    const SEED: &str = "(declare-const x Int)(declare-const y Int)(declare-const p Bool)(assert (=> p (< x 3)))\
                        (assert (= y (+ x 1)))(assert (and p (> x 5)))(check-sat)";

    fn seeds(terms: &mut Terms, core: Option<Vec<usize>>) -> Vec<Seed> {
        let script = read_script(terms, SEED).expect("well-formed").script;
        vec![Seed {
            name: "test".into(),
            script,
            status: Some(SeedStatus::AgreedUnsat),
            models: Vec::new(),
            core,
        }]
    }

    fn made(terms: &mut Terms, seeds: &[Seed], number: u64) -> Option<Case> {
        let mut workshop = GenContext {
            terms,
            seeds,
            theories: &[],
            solvers: SolverSet(0),
            forbidden: &[],
        };
        Mirror.make(&mut workshop, &mut Draw::new(4, number))
    }

    /// Values for the symbols of a script, as far as they are integers and Booleans.
    fn model(terms: &Terms, script: &Script, draw: &mut Draw) -> Model {
        let mut model = Model::with_definitions(script);
        for fun in script.declared() {
            match terms.fun(fun).result {
                Sort::BOOL => model.set_value(fun, Value::Bool(draw.coin())),
                Sort::INT => {
                    let value = Int::from(draw.below(16) as i64 - 4);
                    model.set_value(fun, Value::Int(value));
                }
                _ => {}
            }
        }
        model
    }

    #[test]
    fn what_stands_for_the_core_cannot_be_satisfied() {
        let mut terms = Terms::new();
        let seeds = seeds(&mut terms, Some(vec![0, 2]));
        let original = seeds[0].script.roots();
        let (mut unchanged, mut stronger) = (0, 0);
        for number in 0..300 {
            let case = made(&mut terms, &seeds, number).expect("a core is enough");
            let core: Vec<Assertion> = case
                .script
                .commands
                .iter()
                .filter_map(|c| match c {
                    Command::Assert(a) if a.name.is_some() => Some(*a),
                    _ => None,
                })
                .collect();
            let Evidence::Relation(relation) = &case.evidence[0] else {
                panic!("a relation")
            };
            assert_eq!(relation.sources, [Source::Core { seed: 0 }]);
            assert!(core.len() >= 2);
            let same = core.iter().all(|a| original.contains(&a.term));
            unchanged += u32::from(same);
            stronger += u32::from(!same);
            for turn in 0..40 {
                let model = model(&terms, &case.script, &mut Draw::new(number, turn));
                let mut evaluator = Evaluator::new(&terms, &model);
                let all = core
                    .iter()
                    .all(|a| evaluator.value(a.term) == Ok(Value::TRUE));
                assert!(!all, "case {number}");
            }
        }
        assert!(
            unchanged > 50 && stronger > 50,
            "{unchanged} and {stronger}"
        );
    }

    #[test]
    fn leaves_a_seed_without_a_core_alone() {
        let mut terms = Terms::new();
        let seeds = seeds(&mut terms, None);
        assert!(made(&mut terms, &seeds, 1).is_none());
    }
}
