//! What a solver refuses, learned from its replies: operators, sorts, logics and commands. Scripts that have what it
//! refuses are seldom asked again.

use crate::team::case_profile::CaseProfile;
use auspex_logic::{OpTable, Theory};
use std::collections::HashMap;

/// What was learned about one solver.
#[derive(Debug, Default)]
pub struct Refusals {
    seen: HashMap<Trait, Count>,
    skipped: u32,
}

/// How often a trait was blamed for a refusal, and how often a script with it was taken.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    blamed: u32,
    taken: u32,
}

/// A property of a script for which a solver may refuse it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Trait {
    Operator(u32),
    Theory(Theory),
    /// A floating-point format.
    Format(u32, u32),
    /// A command or an attribute.
    Word(String),
    Logic(String),
    /// A theory in scripts of one logic.
    Within(String, Theory),
}

/// After this many refusals for which a trait is blamed, and as many more for each script with it that was taken, a
/// solver is no longer asked about it.
const ENOUGH_REFUSALS: u32 = 4;
/// One in this many skipped scripts is asked anyway, and more of the first, since the refusals may have had other
/// reasons.
const RETRY: u32 = 64;

impl Count {
    /// The estimated chance that a script with the trait is refused for it. A script that was taken tells more than one
    /// that was refused, which may have other reasons.
    fn suspicion(self) -> f64 {
        let taken = self.taken.saturating_mul(ENOUGH_REFUSALS);
        f64::from(self.blamed + 1) / (f64::from(self.blamed) + f64::from(taken) + 2.0)
    }

    fn is_hopeless(self) -> bool {
        let enough = self.taken.saturating_add(1).saturating_mul(ENOUGH_REFUSALS);
        self.blamed >= enough
    }
}

impl Refusals {
    /// What the solver has refused in scripts like this one; none if it is asked.
    pub fn objection(&mut self, profile: &CaseProfile) -> Option<String> {
        let is_hopeless = |one: &Trait| self.count(one).is_hopeless();
        let hopeless = traits(profile).find(is_hopeless)?;
        self.skipped += 1;
        let is_retry = self.skipped.is_power_of_two() || self.skipped.is_multiple_of(RETRY);
        (!is_retry).then(|| format!("refuses {}", hopeless.name()))
    }

    /// Learns from a reply. The blame for a refusal goes to the most suspicious traits: those that were new, or refused
    /// before.
    pub fn note(&mut self, profile: &CaseProfile, is_refused: bool) {
        let suspicion = |one: Trait| self.count(&one).suspicion();
        let most = traits(profile).map(suspicion).fold(0.0, f64::max);
        for one in traits(profile) {
            let count = self.seen.entry(one).or_default();
            let is_blamed = is_refused && count.suspicion() >= most;
            count.blamed += u32::from(is_blamed);
            count.taken += u32::from(!is_refused);
        }
    }

    fn count(&self, one: &Trait) -> Count {
        self.seen.get(one).copied().unwrap_or_default()
    }
}

impl Trait {
    fn name(&self) -> String {
        match self {
            Trait::Operator(row) => {
                let table = OpTable::builtin();
                let name = table
                    .rows()
                    .get(*row as usize)
                    .map(|decl| decl.name.clone());
                name.map_or("an operator of the user".to_string(), |name| {
                    name.to_string()
                })
            }
            Trait::Theory(theory) => theory.name().to_string(),
            Trait::Format(eb, sb) => format!("the format {eb} {sb}"),
            Trait::Word(word) => word.clone(),
            Trait::Logic(logic) => format!("the logic {logic}"),
            Trait::Within(logic, theory) => format!("{} in {logic}", theory.name()),
        }
    }
}

fn traits(profile: &CaseProfile) -> impl Iterator<Item = Trait> {
    let theories = || {
        let all = Theory::ALL.into_iter();
        all.filter(|theory| profile.theories.contains(*theory))
    };
    let operators = profile.operators.iter().map(|row| Trait::Operator(*row));
    let formats = profile.formats.iter();
    let words = profile.words.iter().cloned().map(Trait::Word);
    let logic = profile.logic.iter();
    let within = logic
        .clone()
        .flat_map(move |logic| theories().map(|theory| Trait::Within(logic.clone(), theory)));
    operators
        .chain(theories().map(Trait::Theory))
        .chain(formats.map(|(eb, sb)| Trait::Format(*eb, *sb)))
        .chain(words)
        .chain(logic.cloned().map(Trait::Logic))
        .chain(within)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(operators: &[u32]) -> CaseProfile {
        CaseProfile {
            operators: operators.to_vec(),
            logic: Some("ALL".to_string()),
            ..CaseProfile::default()
        }
    }

    #[test]
    fn what_is_refused_is_seldom_asked_again() {
        let mut refusals = Refusals::default();
        refusals.note(&script(&[1]), false);
        for _ in 0..ENOUGH_REFUSALS {
            assert_eq!(refusals.objection(&script(&[1, 2])), None);
            refusals.note(&script(&[1, 2]), true);
        }
        let asked = (0..640).filter(|_| refusals.objection(&script(&[1, 2])).is_none());
        assert_eq!(asked.count(), 16, "operator 2 is refused");
        assert_eq!(refusals.objection(&script(&[1])), None, "operator 1 is not");
    }

    #[test]
    fn scripts_that_are_taken_clear_what_they_have() {
        let mut refusals = Refusals::default();
        for _ in 0..ENOUGH_REFUSALS {
            refusals.note(&script(&[1, 2]), true);
        }
        refusals.note(&script(&[1]), false);
        assert_eq!(refusals.objection(&script(&[1])), None, "it was by chance");
        let again = (0..8).map(|_| refusals.objection(&script(&[1, 2])));
        assert!(again.flatten().count() > 0, "operator 2 was not cleared");
        for turn in 0..100 {
            refusals.note(&script(&[7]), turn % 5 == 0);
        }
        let seldom = refusals.objection(&script(&[7]));
        assert_eq!(seldom, None, "refused now and then");
    }

    #[test]
    fn a_format_a_word_and_a_logic_are_learned_and_named() {
        let odd = CaseProfile {
            formats: vec![(3, 5)],
            ..script(&[])
        };
        let pattern = CaseProfile {
            words: vec![":pattern".to_string()],
            ..script(&[])
        };
        let mut refusals = Refusals::default();
        for _ in 0..ENOUGH_REFUSALS {
            refusals.note(&script(&[]), false);
            refusals.note(&odd, true);
            refusals.note(&pattern, true);
        }
        // The first skipped scripts are asked all the same.
        let said = |one: &CaseProfile, refusals: &mut Refusals| {
            (0..4).find_map(|_| refusals.objection(one))
        };
        assert_eq!(
            said(&odd, &mut refusals).as_deref(),
            Some("refuses the format 3 5")
        );
        assert_eq!(
            said(&pattern, &mut refusals).as_deref(),
            Some("refuses :pattern")
        );
        assert_eq!(said(&script(&[]), &mut refusals), None);
    }
}
