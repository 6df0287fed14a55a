//! The sweep: every value of every option, one at a time, so that no engine of a solver stays untried. A campaign
//! gives some of its blocks to it; each asks one solver, under a few configurations, cases whose answers are known.
//!
//! ```text
//! about bit-vectors     z3@5.1.0 smt.bv.solver=1, then smt.bv.solver=2, …     another engine: in every round
//! simplifiers           z3@5.1.0 (set-simplifier elim-term-ite), …
//! about no theory       z3@5.1.0 rewriter.flat=false, …                       a switch: in every eighth round
//! ```

use crate::team::configuration::{
    Choice, Configuration, OptionSpace, SolverSpace, simplifying, values,
};
use auspex_cases::Draw;
use auspex_logic::{Theory, TheorySet};
use auspex_solvers::options::{Domain, Setting};
use auspex_solvers::settable::refusal_of;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Sets its draws apart from others.
const STREAM: u64 = 0x7377_6565_7073_2121;
/// Its share of a campaign's time, one part in this many.
const SHARE: u32 = 5;
/// How many configurations one block asks.
pub const TOGETHER: usize = 6;
/// An option of more values than this chooses no engine.
const ENGINES: usize = 8;
/// The rounds of a lane until every configuration was its turn.
const ROUNDS: usize = 8;

/// What a block of the sweep tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Options about one theory.
    Theory,
    Simplifiers,
    /// Options and tactics about none.
    Others,
}

impl Class {
    /// The class of a block, if it may belong to the sweep. Blocks of walks have even numbers.
    pub fn of(block: u64) -> Option<Class> {
        let order = [
            Class::Theory,
            Class::Simplifiers,
            Class::Theory,
            Class::Others,
        ];
        (block % 2 == 1).then(|| order[(block / 2 % 4) as usize])
    }
}

/// A configuration with what it is about.
struct Step {
    class: Class,
    configuration: Configuration,
    about: TheorySet,
    /// It is asked once in so many rounds.
    every: usize,
}

/// The configurations of one solver that are about one theory, or those of one class about none.
struct Lane {
    class: Class,
    member: usize,
    theory: Option<Theory>,
    /// In the order in which they are asked.
    steps: Vec<Configuration>,
    next: usize,
    turns: u64,
}

/// What one block of the sweep asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub configurations: Vec<Configuration>,
    /// None if they are about no theory.
    pub theory: Option<Theory>,
}

/// How far the sweep of a campaign came.
pub struct Sweep {
    lanes: Mutex<Vec<Lane>>,
    shut: Mutex<BTreeSet<(usize, Vec<String>)>>,
    /// The time that it took, of all workers.
    spent: Mutex<Duration>,
}

impl Sweep {
    /// The sweep over what may be set, with cases about these theories.
    pub fn over(space: &OptionSpace, theories: &[Theory], seed: u64) -> Sweep {
        let mut lanes = Vec::new();
        for own in &space.solvers {
            let mut steps = steps_of(own);
            steps.retain(|step| {
                let word = step.configuration.options.last();
                !word.is_some_and(|word| own.refused.contains(word))
            });
            for theory in theories {
                let about = steps.iter().filter(|step| step.about.contains(*theory));
                let lane = Lane::new(Class::Theory, own.member, &about.collect::<Vec<_>>(), seed);
                lanes.extend(lane.map(|lane| lane.about(*theory)));
            }
            for class in [Class::Simplifiers, Class::Others] {
                let steps = steps.iter().filter(|step| step.class == class);
                let lane = Lane::new(class, own.member, &steps.collect::<Vec<_>>(), seed);
                lanes.extend(lane);
            }
        }
        Sweep {
            lanes: Mutex::new(lanes),
            shut: Mutex::default(),
            spent: Mutex::default(),
        }
    }

    pub fn spend(&self, time: Duration) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// Whether it keeps to its share of this time.
    pub fn is_affordable(&self, of: Duration) -> bool {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) * SHARE <= of
    }

    fn lanes(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn closed(&self) -> MutexGuard<'_, BTreeSet<(usize, Vec<String>)>> {
        self.shut.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next configurations of a solver that cases are made for: of a class, if there is any, and of the lane that had
    /// the fewest turns.
    pub fn turn(&self, class: Class, is_target: impl Fn(usize) -> bool) -> Option<Turn> {
        let mut lanes = self.lanes();
        let fits = |lane: &&mut Lane| is_target(lane.member);
        let fitting = lanes.iter_mut().filter(fits);
        let lane = fitting.min_by_key(|lane| (lane.class != class, lane.turns))?;
        let closed = self.closed();
        let configurations = lane.take(|one| !closed.contains(&(one.member, one.options.clone())));
        (!configurations.is_empty()).then_some(Turn {
            configurations,
            theory: lane.theory,
        })
    }

    /// Does not ask a configuration again: what it shows is known.
    pub fn shut(&self, member: usize, options: &[String]) {
        self.closed().insert((member, options.to_vec()));
    }

    pub fn is_shut(&self, configuration: &Configuration) -> bool {
        let closed = self.closed();
        closed.iter().any(|(member, options)| {
            let all = &configuration.options;
            *member == configuration.member && options.iter().all(|word| all.contains(word))
        })
    }
}

impl Lane {
    fn new(class: Class, member: usize, own: &[&Step], seed: u64) -> Option<Lane> {
        let mut draw = Draw::new(seed ^ STREAM, member as u64);
        let mut steps = Vec::new();
        for round in 0..ROUNDS {
            let turn = |(at, step): &(usize, &&Step)| (at + round) % step.every == 0;
            let asked = own.iter().enumerate().filter(turn);
            let mut asked: Vec<Configuration> =
                asked.map(|(_, step)| step.configuration.clone()).collect();
            draw.shuffle(&mut asked);
            steps.extend(asked);
        }
        (!steps.is_empty()).then_some(Lane {
            class,
            member,
            theory: None,
            steps,
            next: 0,
            turns: 0,
        })
    }

    fn about(self, theory: Theory) -> Lane {
        Lane {
            theory: Some(theory),
            ..self
        }
    }

    /// The next few that are wanted, each once.
    fn take(&mut self, is_wanted: impl Fn(&Configuration) -> bool) -> Vec<Configuration> {
        self.turns += 1;
        let mut taken: Vec<Configuration> = Vec::new();
        for _ in 0..self.steps.len() {
            let one = &self.steps[self.next % self.steps.len()];
            if taken.len() == TOGETHER || taken.contains(one) {
                break;
            }
            self.next += 1;
            if is_wanted(one) {
                taken.push(one.clone());
            }
        }
        taken
    }
}

/// Everything that one solver is asked under, one at a time. Engines come first, since they share the least code.
fn steps_of(own: &SolverSpace) -> Vec<Step> {
    let options = own.choices.iter().flat_map(|choice| settings(own, choice));
    let with = |word: String, about: TheorySet, class| Step {
        class: class_of(about, class),
        configuration: Configuration {
            member: own.member,
            options: own.fixed.iter().cloned().chain([word]).collect(),
            groups: Vec::new(),
        },
        about,
        every: match class {
            Class::Simplifiers => 1,
            Class::Theory | Class::Others => ROUNDS,
        },
    };
    let simplifiers = own.simplifiers.iter().map(|one| {
        with(
            simplifying(&one.name),
            TheorySet::default(),
            Class::Simplifiers,
        )
    });
    let tactics = own.tactics.iter().map(|one| {
        let word = format!("(check-sat-using (then {} smt))", one.name);
        with(word, one.theories, Class::Others)
    });
    options.chain(simplifiers).chain(tactics).collect()
}

/// The class of a step about these theories, or this class if it is about no theory.
fn class_of(about: TheorySet, otherwise: Class) -> Class {
    match about.is_empty() {
        true => otherwise,
        false => Class::Theory,
    }
}

/// The values of one option.
fn settings(own: &SolverSpace, choice: &Choice) -> Vec<Step> {
    let profile = &own.solver.profile;
    let parameter = &choice.parameter;
    let every = match &parameter.domain {
        Domain::Choice { values } if values.len() <= ENGINES => 1,
        Domain::Choice { .. } | Domain::Boolean => ROUNDS,
        Domain::Integer { .. } | Domain::Real { .. } | Domain::Text => return Vec::new(),
    };
    let setting = |value: String| Setting {
        name: parameter.name.clone(),
        value,
    };
    let all = values(parameter).into_iter().map(setting);
    let allowed = all.filter(|setting| refusal_of(profile, setting).is_none());
    let step = |setting: Setting| Step {
        class: class_of(choice.theories, Class::Others),
        about: choice.theories,
        configuration: Configuration {
            member: own.member,
            options: own
                .fixed
                .iter()
                .cloned()
                .chain([setting.argument(profile)])
                .collect(),
            groups: vec![choice.group],
        },
        every,
    };
    allowed.map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::configuration::Scope;
    use auspex_solvers::options::{Offer, Parameter};
    use auspex_solvers::profile::{Tier, profiles};
    use auspex_solvers::{Invocation, Solver, Version};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn z3() -> Solver {
        let mut all = profiles(None).unwrap().into_iter();
        Solver {
            profile: Arc::new(all.find(|profile| profile.name == "z3").unwrap()),
            base: Invocation::default(),
            version: Version::read("5.4.0"),
            commit: None,
            options: Vec::new(),
        }
    }

    fn parameter(name: &str, values: &[&str]) -> Parameter {
        let domain = match values {
            [] => Domain::Boolean,
            some => Domain::Choice {
                values: some.iter().map(ToString::to_string).collect(),
            },
        };
        Parameter {
            name: name.to_string(),
            domain,
            default: values.first().unwrap_or(&"false").to_string(),
            tier: Tier::Advanced,
            category: String::new(),
            means: String::new(),
        }
    }

    /// Options of two members, alike.
    fn sweep() -> Sweep {
        let mut space = OptionSpace::default();
        for member in 0..2 {
            let flags = (0..40).map(|at| parameter(&format!("rewriter.flag{at}"), &[]));
            let engine = parameter("smt.bv.solver", &["0", "1", "2"]);
            let other = parameter("rewriter.engine", &["a", "b"]);
            let offer = Offer {
                parameters: flags.chain([engine, other]).collect(),
                simplifiers: vec!["elim-term-ite".to_string(), "randomizer".to_string()],
                tactics: vec!["simplify".to_string()],
            };
            let own = space.solver(member, &z3(), offer, &Scope::All, &[]);
            space.solvers.push(own);
        }
        Sweep::over(&space, &[Theory::BitVectors, Theory::Reals], 7)
    }

    fn words(turn: &Turn) -> Vec<String> {
        let all = turn.configurations.iter();
        all.flat_map(|one| one.options.clone()).collect()
    }

    #[test]
    fn every_value_has_its_turn_and_engines_have_more() {
        let sweep = sweep();
        let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
        for _ in 0..80 {
            let turn = sweep.turn(Class::Others, |_| true).unwrap();
            assert!(turn.configurations.len() <= TOGETHER);
            let member = turn.configurations[0].member;
            for word in words(&turn) {
                *counts.entry((member, word)).or_default() += 1;
            }
        }
        let count = |member: usize, word: &str| {
            let key = (member, word.to_string());
            counts.get(&key).copied().unwrap_or(0)
        };
        for member in 0..2 {
            let all = (0..40).map(|at| count(member, &format!("rewriter.flag{at}=true")));
            let all: Vec<usize> = all.collect();
            assert!(!all.contains(&0), "every flag");
            let most = *all.iter().max().unwrap();
            assert!(count(member, "rewriter.engine=b") > 2 * most);
        }
    }

    #[test]
    fn a_turn_is_about_one_theory_and_one_target() {
        let sweep = sweep();
        for _ in 0..10 {
            let turn = sweep.turn(Class::Theory, |member| member == 1).unwrap();
            assert_eq!(turn.theory, Some(Theory::BitVectors));
            let mut all = words(&turn);
            all.sort();
            assert_eq!(all, ["smt.bv.solver=1", "smt.bv.solver=2"]);
            assert!(turn.configurations.iter().all(|one| one.member == 1));
        }
        assert_eq!(sweep.turn(Class::Theory, |_| false), None);
    }

    #[test]
    fn simplifiers_have_turns_of_their_own() {
        let sweep = sweep();
        let turn = sweep.turn(Class::Simplifiers, |_| true).unwrap();
        assert_eq!(words(&turn), ["(set-simplifier elim-term-ite)"]);
        let classes: Vec<_> = (0..8).filter_map(Class::of).collect();
        assert!(classes.contains(&Class::Simplifiers) && classes.contains(&Class::Others));
    }

    #[test]
    fn what_is_shut_is_not_asked_again() {
        let sweep = sweep();
        let odd = "smt.bv.solver=2".to_string();
        sweep.shut(0, std::slice::from_ref(&odd));
        let turn = sweep.turn(Class::Theory, |member| member == 0).unwrap();
        assert_eq!(words(&turn), ["smt.bv.solver=1"]);
        let with = |member, options: &[&str]| Configuration {
            member,
            options: options.iter().map(ToString::to_string).collect(),
            groups: Vec::new(),
        };
        assert!(sweep.is_shut(&with(0, &["rewriter.flag1=true", &odd])));
        assert!(!sweep.is_shut(&with(1, &[&odd])));
        assert!(!sweep.is_shut(&with(0, &["smt.bv.solver=1"])));
    }
}
