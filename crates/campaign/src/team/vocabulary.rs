//! Vocabularies: the operators that each solver supports in its release, and the target solvers of a case. An
//! operator that only some solvers support is used only in cases for those solvers. A strategy without a known answer
//! compares solvers, so its cases are for all solvers or for two; with a known answer one solver is enough.

use auspex_cases::Draw;
use auspex_cases::features::Features;
use auspex_cases::logic_set::{Choice, LogicSet, Wanted};
use auspex_logic::theory::SolverSet;
use auspex_logic::{OpTable, Theory};
use auspex_solvers::{Called, Catalog, Profile, Version};

/// The operators that a solver supports in one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// Its name: `z3@4.8.12`.
    pub spec: String,
    /// Its column of the operator table; none if it has none.
    known: SolverSet,
    /// Rows of the built-in table that it does not support, sorted.
    lacks: Vec<u32>,
    /// Rows that it takes only under an option, sorted.
    experimental: Vec<u32>,
    /// The features that its theories allow.
    features: Features,
    logics: LogicSet,
}

/// The logics that a solver takes: every one if its profile lists `ALL` alone.
pub fn logics_of(profile: &Profile) -> LogicSet {
    let all = match &profile.logics[..] {
        [] => LogicSet::EVERY,
        [only] if only == "ALL" && profile.all_means.is_none() && !profile.needs_logic => {
            LogicSet::EVERY
        }
        names => LogicSet::of(names, profile.all_means.as_deref(), profile.needs_logic),
    };
    all.with_strings_in(&profile.string_logics)
}

impl Vocabulary {
    pub fn new(profile: &Profile, release: Option<&Version>) -> Vocabulary {
        let named = SolverSet::SOLVERS
            .iter()
            .find(|(_, name)| *name == profile.name);
        let known = named.map_or(SolverSet(0), |(known, _)| *known);
        let lists = |name: &str, row: SolverSet| match profile.lists(name, release) {
            Some(said) => said,
            // An operator without a solver list is assumed to be supported by all.
            None if row == SolverSet::NONE => true,
            None if known == SolverSet(0) => row.is_standard(),
            None => row.includes(known),
        };
        let table = OpTable::builtin();
        let rows = table.rows().iter().enumerate();
        let lacks = rows.filter(|(_, decl)| !lists(&decl.name, decl.known));
        let experimental = profile.turned_off(release, &[]);
        let experimental = experimental.flat_map(|one| &one.operators);
        let mut experimental: Vec<u32> = experimental
            .flat_map(|name| table.named(name))
            .copied()
            .collect();
        experimental.sort_unstable();
        Vocabulary {
            spec: match release {
                Some(release) => format!("{}@{release}", profile.name),
                None => profile.name.clone(),
            },
            known,
            lacks: lacks.map(|(row, _)| row as u32).collect(),
            experimental,
            features: Features::of_names(&profile.theories),
            logics: logics_of(profile),
        }
    }

    /// The vocabulary of `z3`, `z3@4.8.12` or `cvc5+plain`, which need not be installed.
    pub fn named(catalog: &Catalog, spec: &str) -> Vocabulary {
        let called = Called::read(spec);
        let release = called.release.and_then(Version::read);
        let unknown = || Profile::unknown(called.name);
        let profile = catalog
            .profile(called.name)
            .cloned()
            .unwrap_or_else(unknown);
        Vocabulary::new(&profile, release.as_ref())
    }

    /// Whether it takes a row without further options.
    fn is_plain(&self, row: u32) -> bool {
        self.lists(&[row]) && self.experimental.binary_search(&row).is_err()
    }

    /// Whether it takes scripts of these features in some logic.
    fn fits(&self, needs: Features) -> bool {
        self.features.includes(needs) && self.logics.fits(needs)
    }

    /// Whether it supports all these rows; a user's own operators count as supported.
    pub fn lists(&self, rows: &[u32]) -> bool {
        rows.iter()
            .all(|row| self.lacks.binary_search(row).is_err())
    }
}

/// The solvers that a case is made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetSolvers {
    /// Their columns of the operator table.
    pub solvers: SolverSet,
    /// Rows that not all of them support although their columns say so, sorted.
    pub forbidden: Vec<u32>,
    /// Positions among the vocabularies; all if there are none.
    members: Vec<usize>,
}

impl TargetSolvers {
    fn of(vocabularies: &[Vocabulary], members: Vec<usize>) -> TargetSolvers {
        let all = || members.iter().map(|at| &vocabularies[*at]);
        let solvers = all().fold(SolverSet(0), |all, one| all.union(one.known));
        let fits = |row: SolverSet| match solvers {
            SolverSet(0) => row.is_standard(),
            some => row.includes(some),
        };
        let table = OpTable::builtin();
        let rows = table.rows().iter().zip(0u32..);
        let forbidden = rows
            .filter(|(decl, row)| fits(decl.known) && !all().all(|one| one.is_plain(*row)))
            .map(|(_, row)| row)
            .collect();
        TargetSolvers {
            solvers,
            forbidden,
            members,
        }
    }

    /// Whether they all support an operator of a theory.
    pub fn know(&self, theory: Theory) -> bool {
        let table = OpTable::builtin();
        let rows = table.rows().iter().zip(0u32..);
        let mut own = rows.filter(|(decl, _)| decl.theory == theory);
        own.any(|(decl, row)| {
            let listed = match self.solvers {
                SolverSet(0) => decl.known.is_standard(),
                some => decl.known.includes(some),
            };
            listed && self.forbidden.binary_search(&row).is_err()
        })
    }

    /// Whether the vocabulary at this position is a target; one that is not among the vocabularies always is.
    pub fn includes(&self, vocabulary: Option<usize>) -> bool {
        self.members.is_empty() || vocabulary.is_none_or(|at| self.members.contains(&at))
    }
}

/// The vocabularies of all solvers that a campaign makes cases for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabularies {
    all: Vec<Vocabulary>,
    everyone: TargetSolvers,
    alone: Vec<TargetSolvers>,
    pairs: Vec<TargetSolvers>,
}

impl Vocabularies {
    pub fn new(all: Vec<Vocabulary>) -> Vocabularies {
        let count = all.len();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |two| vec![one, two]));
        Vocabularies {
            everyone: TargetSolvers::of(&all, (0..count).collect()),
            alone: (0..count)
                .map(|at| TargetSolvers::of(&all, vec![at]))
                .collect(),
            pairs: pairs.map(|pair| TargetSolvers::of(&all, pair)).collect(),
            all,
        }
    }

    /// The vocabularies of these names, by this machine's profiles.
    pub fn named<S: AsRef<str>>(specs: &[S]) -> Result<Vocabularies, String> {
        let catalog = Catalog::of_user().map_err(|error| error.to_string())?;
        let named = |spec: &S| Vocabulary::named(&catalog, spec.as_ref());
        Ok(Vocabularies::new(specs.iter().map(named).collect()))
    }

    /// The same, with cases for all of them only.
    pub fn together(self) -> Vocabularies {
        Vocabularies {
            alone: Vec::new(),
            pairs: Vec::new(),
            ..self
        }
    }

    /// Whether a solver supports an operator of a theory.
    pub fn know(&self, theory: Theory) -> bool {
        let all = std::iter::once(&self.everyone).chain(&self.alone);
        all.into_iter().any(|targets| targets.know(theory))
    }

    pub fn specs(&self) -> Vec<String> {
        self.all.iter().map(|one| one.spec.clone()).collect()
    }

    /// The names of the solvers that a case is made for, each once.
    pub fn makes(&self, targets: &TargetSolvers) -> Vec<String> {
        let meant = self.all.iter().enumerate();
        let meant = meant.filter(|(at, _)| targets.includes(Some(*at)));
        let mut names: Vec<String> = meant
            .map(|(_, one)| Called::read(&one.spec).name.to_string())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    pub fn position(&self, spec: &str) -> Option<usize> {
        self.all.iter().position(|one| one.spec == spec)
    }

    /// Whether a solver is asked about a case: the target solvers, and if the answer is known every solver that
    /// supports all of its operators.
    pub fn asks(
        &self,
        targets: &TargetSolvers,
        spec: &str,
        needs_second: bool,
        operators: &[u32],
    ) -> bool {
        let at = self.position(spec);
        let lists = |at: usize| !needs_second && self.all[at].lists(operators);
        targets.includes(at) || at.is_some_and(lists)
    }

    /// The logic to set in a script; none where its own stays. The solvers that cannot take the script in any logic do
    /// not count, since they are not asked.
    pub fn logic(&self, own: Option<&str>, needs: Features, draw: &mut Draw) -> Option<String> {
        let fitting = self.all.iter().filter(|one| one.fits(needs));
        let sets: Vec<&LogicSet> = fitting.map(|one| &one.logics).collect();
        let choice = Choice::drawn(draw);
        Wanted { own, needs, choice }.among(&sets, draw)
    }

    pub fn everyone(&self) -> &TargetSolvers {
        &self.everyone
    }

    /// The target solvers of a case: half of the time all, otherwise as few as possible.
    pub fn targets(&self, needs_second: bool, draw: &mut Draw) -> &TargetSolvers {
        let few = match needs_second {
            true => &self.pairs,
            false => &self.alone,
        };
        match draw.coin() {
            true => &self.everyone,
            false => draw.pick(few).unwrap_or(&self.everyone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabularies(specs: &[&str]) -> Vocabularies {
        Vocabularies::named(specs).unwrap()
    }

    fn rows(name: &str) -> Vec<u32> {
        OpTable::builtin().named(name).to_vec()
    }

    /// Whether an targets may get an operator, as `Palette` decides it.
    fn gets(targets: &TargetSolvers, name: &str) -> bool {
        let table = OpTable::builtin();
        table.named(name).iter().any(|row| {
            let known = table.rows()[*row as usize].known;
            let fits = match targets.solvers {
                SolverSet(0) => known.is_standard(),
                some => known.includes(some),
            };
            fits && targets.forbidden.binary_search(row).is_err()
        })
    }

    #[test]
    fn a_solver_lists_the_standard_and_its_own() {
        let both = vocabularies(&["z3", "cvc5", "opensmt"]);
        let lists = |at: usize, name: &str| both.all[at].lists(&rows(name));
        assert!(lists(0, "bvadd") && lists(1, "bvadd") && lists(2, "bvadd"));
        assert!(lists(1, "set.union") && !lists(0, "set.union") && !lists(2, "set.union"));
    }

    #[test]
    fn profiles_name_operators_of_the_table() {
        let table = OpTable::builtin();
        for (name, text) in auspex_solvers::profile::BUILT_IN {
            let profile = Profile::read(name, text).unwrap();
            for operator in profile.operators.keys() {
                assert!(!table.named(operator).is_empty(), "{name}: {operator}");
            }
        }
    }

    #[test]
    fn two_who_list_an_operator_are_enough_for_a_comparison() {
        let three = vocabularies(&["z3@5.4.0", "cvc5@1.4.2", "cvc5@1.0.3"]);
        assert!(!gets(three.everyone(), "set.union"));
        let drawn = |second: bool| {
            let targets = |n| three.targets(second, &mut Draw::new(7, n)).clone();
            (0..200).map(targets).collect::<Vec<_>>()
        };
        let with_sets: Vec<_> = drawn(true)
            .into_iter()
            .filter(|a| gets(a, "set.union"))
            .collect();
        assert!(with_sets.iter().all(|a| a.members == [1, 2]), "both cvc5");
        assert!(!with_sets.is_empty());
        assert!(
            drawn(false).iter().any(|a| a.members == [0]),
            "one is enough"
        );
        assert!(
            drawn(true).iter().all(|a| a.members.len() > 1),
            "one is not"
        );
    }

    #[test]
    fn a_case_for_one_is_asked_of_all_who_read_it() {
        let two = vocabularies(&["z3", "cvc5"]);
        let for_z3 = &two.alone[0];
        let asks = |second, name: &str| two.asks(for_z3, "cvc5", second, &rows(name));
        assert!(asks(false, "bvadd"));
        assert!(!asks(false, "at-most"), "cvc5 does not list it");
        assert!(
            !asks(true, "bvadd"),
            "answers are compared between those it is made for"
        );
        assert!(two.asks(for_z3, "z3", true, &rows("at-most")));
    }

    #[test]
    fn who_is_no_reader_is_asked_everything() {
        let two = vocabularies(&["z3", "cvc5"]);
        let cvc5 = &two.alone[1];
        assert!(cvc5.includes(Some(1)) && cvc5.includes(None) && !cvc5.includes(Some(0)));
        let none = Vocabularies::new(Vec::new());
        assert!(none.targets(true, &mut Draw::new(1, 1)).includes(Some(5)));
    }
}
