//! Silence about known bugs: a verdict on a script that holds the trigger of a known bug is most likely that bug, so
//! it is counted, and only a few are looked at; a solver that nearly always fails on such scripts is seldom asked them.

use crate::findings::trigger::Trigger;
use std::sync::Arc;

/// The first so many verdicts on a known bug are looked at,
const FIRST: u64 = 2;
/// and one in so many later, since another bug may hide behind it.
const SHARE: u64 = 32;
/// After so many scripts with a trigger it is known how often the bug shows.
const ENOUGH: u64 = 16;

/// A known bug.
#[derive(Clone, Debug)]
pub struct KnownBug {
    /// The name of its finding, or of its report.
    pub name: String,
    pub trigger: Arc<Trigger>,
    /// Scripts with the trigger that its solver was asked, and those of them that showed a bug.
    held: u64,
    shown: u64,
}

impl KnownBug {
    fn new(name: &str, trigger: Trigger) -> KnownBug {
        KnownBug {
            name: name.to_string(),
            trigger: Arc::new(trigger),
            held: 0,
            shown: 0,
        }
    }

    /// Whether most scripts with its trigger show it, so that asking them is hardly worth the time.
    pub fn covers(&self) -> bool {
        self.held >= ENOUGH && 2 * self.shown > self.held
    }

    /// Whether its solver is asked such a script all the same.
    pub fn is_turn(&self, number: u64) -> bool {
        !self.covers() || number.is_multiple_of(SHARE)
    }
}

/// The known bugs of a campaign.
#[derive(Debug, Default)]
pub struct Silence {
    bugs: Arc<Vec<KnownBug>>,
}

impl Silence {
    /// Adds a bug, unless it is known.
    pub fn add(&mut self, name: &str, trigger: Option<Trigger>) {
        if let Some(trigger) = trigger
            && self.bugs.iter().all(|bug| *bug.trigger != trigger)
        {
            Arc::make_mut(&mut self.bugs).push(KnownBug::new(name, trigger));
        }
    }

    /// The known bugs now.
    pub fn bugs(&self) -> Arc<Vec<KnownBug>> {
        Arc::clone(&self.bugs)
    }

    /// A solver was asked scripts that hold these triggers.
    pub fn note_asked(&mut self, held: &[usize]) {
        for at in held {
            if let Some(bug) = Arc::make_mut(&mut self.bugs).get_mut(*at) {
                bug.held += 1;
            }
        }
    }

    /// A verdict on a script that holds these triggers: the name of the bug that it is taken for, or none if it is to be
    /// looked at.
    pub fn explain(&mut self, held: &[usize]) -> Option<String> {
        let mut name = None;
        let bugs = Arc::make_mut(&mut self.bugs);
        for at in held {
            if let Some(bug) = bugs.get_mut(*at) {
                bug.shown += 1;
                if bug.shown > FIRST && !bug.shown.is_multiple_of(SHARE) {
                    name.get_or_insert_with(|| bug.name.clone());
                }
            }
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::trigger::Accused;
    use auspex_cases::Class;
    use auspex_logic::{Terms, read_script};

    fn silence() -> Silence {
        let mut terms = Terms::new();
        let text = "(declare-const s String)(assert (= (str.to_code s) 5))";
        let script = read_script(&mut terms, text).unwrap().script;
        let accused = Accused {
            make: "z3",
            options: &[],
        };
        let trigger = Trigger::of(&terms, &script, Class::WrongSat, accused);
        let mut silence = Silence::default();
        silence.add("f", trigger.clone());
        silence.add("g", trigger);
        assert_eq!(silence.bugs().len(), 1, "once");
        silence
    }

    #[test]
    fn a_known_bug_is_looked_at_now_and_then() {
        let mut silence = silence();
        let looked_at = (0..320).filter(|_| silence.explain(&[0]).is_none()).count();
        assert_eq!(looked_at, 12);
        assert_eq!(silence.explain(&[]), None, "another bug");
    }

    #[test]
    fn a_solver_that_always_fails_is_seldom_asked() {
        let mut silence = silence();
        for _ in 0..ENOUGH {
            silence.note_asked(&[0]);
            silence.explain(&[0]);
        }
        let asked = (0..320).filter(|n| silence.bugs()[0].is_turn(*n)).count();
        assert_eq!(asked, 10);
        (0..64).for_each(|_| silence.note_asked(&[0]));
        assert!(silence.bugs()[0].is_turn(1), "it seldom shows");
    }
}
