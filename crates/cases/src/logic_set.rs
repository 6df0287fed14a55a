//! The logics that a solver takes, and the one that a script is given: its own, or another that fits and that all of
//! its solvers take. Which logic is set decides which code of a solver runs.

use crate::draw::Draw;
use crate::features::{Features, of_logic};
use crate::logics::{LOGICS, smallest};
use auspex_logic::{Command, Script, Terms};

/// The logics that one solver, or each of several solvers, takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogicSet {
    /// Their names, small ones first, with the features that scripts may have in them; none means every logic.
    named: Option<Vec<(String, Features)>>,
    /// Whether a script must set one.
    needed: bool,
    /// The only logics besides `ALL` in which it knows strings and sequences; none means every logic that allows them.
    of_strings: Vec<String>,
}

/// Which of the fitting logics a script is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Its own if the solvers take it, else the smallest.
    Own,
    Smallest,
    /// The one for everything.
    Widest,
    /// Any that fits.
    Any,
}

/// The choices with their weights.
const CHOICES: [(Choice, u32); 4] = [
    (Choice::Own, 10),
    (Choice::Smallest, 3),
    (Choice::Widest, 2),
    (Choice::Any, 1),
];

impl Choice {
    pub fn drawn(draw: &mut Draw) -> Choice {
        let weights = CHOICES.map(|(_, weight)| weight);
        CHOICES[draw.weighted(&weights).unwrap_or(0)].0
    }
}

impl LogicSet {
    /// Every logic.
    pub const EVERY: LogicSet = LogicSet {
        named: None,
        needed: false,
        of_strings: Vec::new(),
    };

    /// The same, with the only logics besides `ALL` in which the solver knows strings and sequences.
    #[must_use]
    pub fn with_strings_in(self, of_strings: &[String]) -> LogicSet {
        LogicSet {
            of_strings: of_strings.to_vec(),
            ..self
        }
    }

    /// The logics of these names. `ALL` allows what the logic `widest` allows, if there is one.
    pub fn of<S: AsRef<str>>(names: &[S], widest: Option<&str>, needed: bool) -> LogicSet {
        let features = |name: &str| match (name, widest) {
            ("ALL", Some(widest)) => of_logic(widest),
            _ => of_logic(name),
        };
        let read = |name: &S| {
            let name = name.as_ref();
            features(name).map(|features| (name.to_string(), features))
        };
        let mut named: Vec<(String, Features)> = names.iter().filter_map(read).collect();
        named.sort_by_key(|(name, features)| (features.count(), name.len(), name.clone()));
        named.dedup();
        LogicSet {
            named: Some(named),
            needed,
            of_strings: Vec::new(),
        }
    }

    /// Whether a script of these features may set this logic, or none.
    pub fn takes(&self, logic: Option<&str>, needs: Features) -> bool {
        match (logic, &self.named) {
            (None, _) => !self.needed,
            (Some(logic), None) => !needs.has_strings() || self.has_strings(logic),
            (Some(logic), Some(named)) => {
                let known = named.iter().find(|(name, _)| name == logic);
                known.is_some_and(|(_, allowed)| allowed.includes(needs))
            }
        }
    }

    fn has_strings(&self, logic: &str) -> bool {
        let all = &self.of_strings;
        all.is_empty() || ["ALL", "HO_ALL"].contains(&logic) || all.iter().any(|one| one == logic)
    }

    /// What scripts may have in a logic.
    pub fn allowed(&self, logic: &str) -> Option<Features> {
        let Some(named) = &self.named else {
            return of_logic(logic);
        };
        let known = named.iter().find(|(name, _)| name == logic);
        known.map(|(_, allowed)| *allowed)
    }

    /// Whether it takes scripts of these features in some logic.
    pub fn fits(&self, needs: Features) -> bool {
        let fits = |(_, allowed): &(String, Features)| allowed.includes(needs);
        self.named
            .as_ref()
            .is_none_or(|named| named.iter().any(fits))
    }
}

/// What a script's logic is chosen for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The logic that it sets.
    pub own: Option<&'a str>,
    pub needs: Features,
    pub choice: Choice,
}

impl Wanted<'_> {
    /// The logic to set, which each of these solvers takes; none where its own stays, or where no logic fits.
    pub fn among(&self, sets: &[&LogicSet], draw: &mut Draw) -> Option<String> {
        let takes = |set: &&LogicSet| set.takes(self.own, self.needs);
        let allowed = self.own.and_then(of_logic);
        let fits = allowed.is_none_or(|allowed| allowed.includes(self.needs));
        if self.choice == Choice::Own && fits && sets.iter().all(takes) {
            return None;
        }
        let fitting = self.fitting(sets);
        let chosen = match self.choice {
            Choice::Own | Choice::Smallest => fitting.first(),
            Choice::Widest => fitting.last(),
            Choice::Any => draw.pick(&fitting),
        };
        let chosen = chosen.filter(|chosen| self.own != Some(**chosen));
        chosen.map(ToString::to_string)
    }

    /// The logics that fit, small ones first.
    fn fitting<'s>(&self, sets: &[&'s LogicSet]) -> Vec<&'s str> {
        let mut named = sets.iter().filter_map(|set| set.named.as_ref());
        let Some(first) = named.next() else {
            let fits = |name: &&&str| {
                of_logic(name).is_some_and(|all| all.includes(self.needs))
                    && sets.iter().all(|set| set.takes(Some(name), self.needs))
            };
            let fitting = LOGICS.iter().filter(fits).copied();
            // z3 takes operators of its own in `ALL` only.
            let is_extended = self.needs.includes(Features::EXTENSION);
            let widest = match self.needs.includes(Features::HIGHER_ORDER) && !is_extended {
                true => smallest(self.needs),
                false => "ALL",
            };
            return fitting.chain([widest]).collect();
        };
        let names = first.iter().map(|(name, _)| name.as_str());
        let all_take = |name: &&str| sets.iter().all(|set| set.takes(Some(name), self.needs));
        names.filter(all_take).collect()
    }
}

/// Sets a logic, after the options that must precede it.
pub fn set(terms: &mut Terms, script: &mut Script, logic: &str) {
    let logic = terms.symbols.intern(logic);
    script.spans.clear();
    script
        .commands
        .retain(|command| !matches!(command, Command::SetLogic(_)));
    let is_header =
        |command: &&Command| matches!(command, Command::SetOption(..) | Command::SetInfo(..));
    let header = script.commands.iter().take_while(is_header).count();
    script.commands.insert(header, Command::SetLogic(logic));
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};

    fn small() -> LogicSet {
        LogicSet::of(
            &["ALL", "QF_BV", "QF_LIA", "QF_AUFLIA", "QF_NIA", "UF"],
            Some("QF_AUFBVLIRA"),
            true,
        )
    }

    fn chosen(sets: &[&LogicSet], own: Option<&str>, needs: Features) -> Option<String> {
        choose(sets, own, needs, Choice::Own)
    }

    fn choose(
        sets: &[&LogicSet],
        own: Option<&str>,
        needs: Features,
        choice: Choice,
    ) -> Option<String> {
        let wanted = Wanted { own, needs, choice };
        wanted.among(sets, &mut Draw::new(1, 1))
    }

    #[test]
    fn the_smallest_that_fits_is_set_where_the_own_is_not_taken() {
        let small = small();
        let own = |logic, needs| chosen(&[&small], logic, needs);
        assert_eq!(own(None, Features::INTS).as_deref(), Some("QF_LIA"));
        assert_eq!(own(Some("QF_LIA"), Features::INTS), None);
        let other = own(Some("QF_UFNIRA"), Features::INTS);
        assert_eq!(other.as_deref(), Some("QF_LIA"));
        let mixed = Features::INTS.union(Features::BIT_VECTORS);
        assert_eq!(own(Some("QF_LIA"), mixed).as_deref(), Some("ALL"));
        let quantified = Features::INTS.union(Features::QUANTIFIERS);
        assert_eq!(own(Some("LIA"), quantified), None, "no logic fits");
        assert!(!small.takes(Some("ALL"), quantified) && !small.fits(quantified));
        assert!(!small.takes(None, Features::NONE));
    }

    #[test]
    fn solvers_that_take_every_logic_keep_the_own_one() {
        let every = &[&LogicSet::EVERY];
        assert_eq!(chosen(every, Some("QF_UFLIA"), Features::INTS), None);
        assert_eq!(chosen(every, None, Features::INTS), None);
        assert_eq!(chosen(every, Some("HORN"), Features::INTS), None);
        let outside = chosen(every, Some("QF_LIA"), Features::STRINGS);
        assert_eq!(outside.as_deref(), Some("QF_SLIA"));
        let smallest = choose(every, Some("ALL"), Features::INTS, Choice::Smallest);
        assert_eq!(smallest.as_deref(), Some("QF_LIA"));
        let widest = choose(every, Some("QF_LIA"), Features::INTS, Choice::Widest);
        assert_eq!(widest.as_deref(), Some("ALL"));
    }

    #[test]
    fn strings_stand_in_the_logics_in_which_they_are_known() {
        let z3 = LogicSet::EVERY.with_strings_in(&["QF_SLIA".to_string()]);
        let own = |logic, needs| chosen(&[&z3], Some(logic), needs);
        assert_eq!(own("QF_SLIA", Features::STRINGS), None);
        let other = own("QF_UFSLIA", Features::STRINGS);
        assert_eq!(other.as_deref(), Some("QF_SLIA"));
        let data = Features::STRINGS.union(Features::DATATYPES);
        assert_eq!(own("UFDTSLIA", data).as_deref(), Some("ALL"));
        assert_eq!(own("QF_UFSLIA", Features::INTS), None);
    }

    #[test]
    fn two_solvers_get_a_logic_that_both_take() {
        let (one, other) = (small(), LogicSet::of(&["QF_NIA", "ALL"], None, false));
        let both = &[&one, &LogicSet::EVERY, &other];
        let logic = chosen(both, Some("QF_LIA"), Features::INTS);
        assert_eq!(logic.as_deref(), Some("QF_NIA"));
        let quantified = Features::INTS.union(Features::QUANTIFIERS);
        assert_eq!(
            chosen(both, Some("QF_LIA"), quantified),
            None,
            "one has none"
        );
    }

    #[test]
    fn a_logic_stands_after_options_and_once() {
        let mut terms = Terms::new();
        let text = "(set-logic QF_LIA)(set-option :produce-unsat-assumptions true)(check-sat)";
        let mut script = read_script(&mut terms, text).expect("well-formed").script;
        set(&mut terms, &mut script, "QF_UF");
        let text = render::script(&terms, &script, Sharing::Auto);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "(set-option :produce-unsat-assumptions true)",
                "(set-logic QF_UF)",
                "(check-sat)"
            ]
        );
    }
}
