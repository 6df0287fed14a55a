//! Configurations: the options, simplifiers and tactics that a block tries on one of its solvers, drawn from the
//! campaign's seed and the block's number, from what the release offers. They decide nothing about the cases.
//!
//! ```text
//! block 4711, cases about bit-vectors    z3@5.1.0 smt.bv.solver=2 rewriter.flat=false
//! block 4715, cases about reals          z3@5.1.0 (set-simplifier (then solve-eqs elim-term-ite))
//! ```

mod names;
mod smaller;
mod values;

use crate::team::Team;
use auspex_cases::Draw;
use auspex_logic::TheorySet;
use auspex_solvers::options::{Offer, Parameter, Setting, note_refused, offer, refused};
use auspex_solvers::profile::{Profile, Tier};
use auspex_solvers::settable::refusal_of;
use auspex_solvers::{Cache, Solver};
use names::{group_of, theories_of};
pub use smaller::smaller_options;
use std::collections::BTreeSet;
pub(super) use values::values;
use values::{eagerness, value};

/// Sets the draws of configurations apart from those of cases.
const STREAM: u64 = 0x6f70_7469_6f6e_7321;
/// Blocks in a row that share a configuration where a process starts slowly.
const SLOW_SPAN: u64 = 4;
/// How often one, two or three options are set together.
const TOGETHER: [u32; 3] = [3, 2, 1];
/// The share of an option about a theory that is not in the cases, beside one about none.
const ELSEWHERE: u32 = 8;
/// How often one to four simplifiers follow each other: a simplifier alone is rarely wrong, and the fewest are found
/// later.
const SIMPLIFIERS: [u32; 4] = [2, 2, 1, 1];

/// Which options a campaign sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    None,
    /// Those that the makers support.
    Supported,
    /// Those for experts, too.
    All,
    /// The configurations of a paper, as the profiles list them.
    Preset(String),
}

impl Scope {
    /// Reads `none`, `supported`, `all` or the name of a preset.
    pub fn named(name: &str, profiles: &[Profile]) -> Option<Scope> {
        let mut presets = profiles.iter().flat_map(|profile| &profile.presets);
        match name {
            "none" => Some(Scope::None),
            "supported" => Some(Scope::Supported),
            "all" => Some(Scope::All),
            _ if presets.any(|preset| preset.name == name) => Some(Scope::Preset(name.to_string())),
            _ => None,
        }
    }
}

/// What a campaign may set, solver by solver.
#[derive(Clone, Debug, Default)]
pub struct OptionSpace {
    pub(super) solvers: Vec<SolverSpace>,
    /// Where what releases refuse is kept.
    cache: Option<Cache>,
    /// The groups that are learnt about: a make and the part of a name that its options share, `z3 smt.arith`.
    pub groups: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct SolverSpace {
    /// Position in the team.
    pub member: usize,
    pub solver: Solver,
    pub choices: Vec<Choice>,
    /// Whole configurations to choose from instead.
    presets: Vec<Vec<String>>,
    /// Options of every configuration, as the user wants.
    pub fixed: Vec<String>,
    pub simplifiers: Vec<Named>,
    pub tactics: Vec<Named>,
    /// Options and commands that it was seen to refuse.
    pub refused: BTreeSet<String>,
}

/// A simplifier or a tactic.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    /// The theories that its name tells of.
    pub theories: TheorySet,
}

/// An option that may be set.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub parameter: Parameter,
    /// The theories that its name tells of; empty for what is about none.
    pub theories: TheorySet,
    pub group: usize,
}

/// What one solver is asked with for a block, besides its own options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Position of the solver in the team.
    pub member: usize,
    pub options: Vec<String>,
    /// Positions of the groups that its options belong to.
    pub groups: Vec<usize>,
}

impl OptionSpace {
    /// What the solvers of a team offer within a scope; `fixed` options are set always, where a solver has them.
    pub fn of(team: &Team, scope: &Scope, fixed: &[String], cache: Option<&Cache>) -> OptionSpace {
        let mut space = OptionSpace {
            cache: cache.cloned(),
            ..OptionSpace::default()
        };
        if *scope == Scope::None && fixed.is_empty() {
            return space;
        }
        for (member, one) in team.plain().iter().enumerate() {
            let offer = offer(&one.solver, cache);
            let mut own = space.solver(member, &one.solver, offer, scope, fixed);
            own.refused = cache.map_or_else(BTreeSet::new, |cache| refused(&one.solver, cache));
            if !own.is_empty() {
                space.solvers.push(own);
            }
        }
        space
    }

    pub fn is_empty(&self) -> bool {
        self.solvers.is_empty()
    }

    /// Whether a solver is asked with this option in each of its configurations.
    pub fn sets(&self, word: &str) -> bool {
        let mut fixed = self.solvers.iter().flat_map(|own| &own.fixed);
        fixed.any(|known| known == word)
    }

    /// Remembers for later campaigns that a member refuses an option or a command.
    pub fn refuse(&self, member: usize, word: &str) {
        let own = self.solvers.iter().find(|own| own.member == member);
        if let (Some(own), Some(cache)) = (own, &self.cache) {
            note_refused(&own.solver, cache, word);
        }
    }

    /// The tier of the least supported of some options of a member; commands are for experts.
    pub fn tier(&self, member: usize, options: &[String]) -> Option<Tier> {
        let own = self.solvers.iter().find(|own| own.member == member)?;
        let tier = |word: &String| {
            let name = Setting::read(word)?.name;
            let mut choices = own.choices.iter().map(|choice| &choice.parameter);
            let known = choices.find(|parameter| parameter.name == name)?;
            Some(known.tier)
        };
        options
            .iter()
            .map(|word| tier(word).unwrap_or(Tier::Advanced))
            .max()
    }

    /// Adds what one solver offers within a scope.
    pub(super) fn solver(
        &mut self,
        member: usize,
        solver: &Solver,
        offer: Offer,
        scope: &Scope,
        fixed: &[String],
    ) -> SolverSpace {
        let profile = &solver.profile;
        let has = |word: &String| has_option(&offer, word);
        let mut own = SolverSpace {
            member,
            solver: solver.clone(),
            choices: Vec::new(),
            presets: Vec::new(),
            fixed: fixed.iter().filter(|word| has(word)).cloned().collect(),
            simplifiers: Vec::new(),
            tactics: Vec::new(),
            refused: BTreeSet::new(),
        };
        if let Scope::Preset(name) = scope {
            let presets = profile.presets.iter().filter(|preset| preset.name == *name);
            let rows = presets.flat_map(|preset| &preset.configurations);
            let rows = rows.map(|row| row.split(' ').map(str::to_string).collect());
            own.presets = rows
                .filter(|row: &Vec<String>| row.iter().all(has))
                .collect();
            return own;
        }
        let furthest = match scope {
            Scope::All => Tier::Advanced.min(solver.furthest()),
            Scope::None | Scope::Supported | Scope::Preset(_) => Tier::Normal,
        };
        if *scope == Scope::None {
            return own;
        }
        let allowed = |kind: &str, name: &String| {
            let name = format!("{kind}.{name}");
            let value = "true".to_string();
            refusal_of(profile, &Setting { name, value }).is_none()
        };
        if furthest >= Tier::Advanced {
            let Offer {
                simplifiers,
                tactics,
                ..
            } = &offer;
            let fit = |kind, all: &[String]| {
                let fitting = all.iter().filter(|name| allowed(kind, name));
                fitting.map(|name| Named::of(name)).collect()
            };
            own.simplifiers = fit("set-simplifier", simplifiers);
            own.tactics = fit("check-sat-using", tactics);
        }
        for parameter in offer.parameters {
            let set = solver.options.iter().filter_map(|word| Setting::read(word));
            let is_set = set.into_iter().any(|set| set.name == parameter.name);
            if parameter.tier <= furthest && parameter.refusal(profile).is_none() && !is_set {
                let group = self.group(&profile.name, &parameter.name);
                own.choices.push(Choice {
                    theories: theories_of(&parameter.name),
                    parameter,
                    group,
                });
            }
        }
        own
    }

    fn group(&mut self, make: &str, name: &str) -> usize {
        let name = format!("{make} {}", group_of(name));
        let known = self.groups.iter().position(|group| *group == name);
        known.unwrap_or_else(|| {
            self.groups.push(name);
            self.groups.len() - 1
        })
    }

    /// The configuration of a block with cases about these theories; `weights` are those of the groups.
    pub fn draw(
        &self,
        seed: u64,
        block: u64,
        theories: TheorySet,
        weights: &[u32],
    ) -> Option<Configuration> {
        let mut draw = Draw::new(seed ^ STREAM, block / SLOW_SPAN);
        let space = draw.pick(&self.solvers)?;
        if !space.starts_slowly() {
            draw = Draw::new(seed ^ STREAM, u64::MAX - block);
        }
        let mut options = space.fixed.clone();
        let mut groups = Vec::new();
        match draw.pick(&space.presets) {
            Some(preset) => options.extend(preset.iter().cloned()),
            None => {
                for choice in space.choose(&mut draw, theories, weights) {
                    if let Some(word) = space.setting(&mut draw, choice) {
                        options.push(word);
                        groups.push(choice.group);
                    }
                }
                options.extend(space.command(&mut draw, theories));
            }
        }
        (!options.is_empty()).then_some(Configuration {
            member: space.member,
            options,
            groups,
        })
    }
}

impl Configuration {
    /// Configurations that ask less.
    pub fn smaller(&self) -> Vec<Configuration> {
        let all = smaller_options(&self.options).into_iter();
        let all = all.filter(|options| !options.is_empty());
        let with = |options| Configuration {
            options,
            ..self.clone()
        };
        all.map(with).collect()
    }
}

impl SolverSpace {
    fn is_empty(&self) -> bool {
        self.choices.is_empty()
            && self.presets.is_empty()
            && self.fixed.is_empty()
            && self.tactics.is_empty()
    }

    /// A driver starts an interpreter first.
    fn starts_slowly(&self) -> bool {
        !self.solver.base.arguments.is_empty()
    }

    /// One to three options, most of them about the theories of the cases where there are such.
    fn choose(&self, draw: &mut Draw, theories: TheorySet, weights: &[u32]) -> Vec<&Choice> {
        let count = draw.weighted(&TOGETHER).unwrap_or(0) + 1;
        let mut chosen: Vec<&Choice> = Vec::new();
        for _ in 0..count {
            let about = |choice: &Choice| choice.theories.meets(theories);
            let only_about = !draw.one_in(3) && self.choices.iter().any(about);
            let weight = |choice: &Choice| {
                let usual = weights.get(choice.group).copied().unwrap_or(1).max(1);
                let usual = usual.saturating_mul(eagerness(&choice.parameter.domain));
                match (about(choice), choice.theories.is_empty()) {
                    (false, _) if only_about => 0,
                    (true, _) | (false, true) => usual,
                    (false, false) => usual.div_ceil(ELSEWHERE),
                }
            };
            let weights: Vec<u32> = self.choices.iter().map(weight).collect();
            let place = draw.weighted(&weights);
            let choice = place.and_then(|place| self.choices.get(place));
            let is_new = |one: &&Choice| {
                let name = &one.parameter.name;
                chosen.iter().all(|known| known.parameter.name != *name)
            };
            chosen.extend(choice.filter(is_new));
        }
        chosen
    }

    /// An option with a value that is not its default: on the command line, or as a command.
    fn setting(&self, draw: &mut Draw, choice: &Choice) -> Option<String> {
        let profile = &self.solver.profile;
        let as_command = draw.one_in(4) && profile.listing.is_some();
        let name = choice.parameter.name.clone();
        let value = value(draw, &choice.parameter)?;
        let setting = Setting { name, value };
        if refusal_of(profile, &setting).is_some()
            || self.refused.contains(&setting.argument(profile))
        {
            return None;
        }
        Some(match as_command {
            true => setting.command(),
            false => setting.argument(profile),
        })
    }

    /// A simplifier before the script or a tactic instead of its plain query, now and then.
    fn command(&self, draw: &mut Draw, theories: TheorySet) -> Option<String> {
        match draw.below(8) {
            0..=2 => self.simplifier(draw, theories),
            3..=4 => {
                let tactic = self.tactic(draw, theories, 2)?;
                Some(format!("(check-sat-using {tactic})"))
            }
            _ => None,
        }
    }

    fn simplifier(&self, draw: &mut Draw, theories: TheorySet) -> Option<String> {
        let count = draw.weighted(&SIMPLIFIERS)? + 1;
        let chain: Option<Vec<&str>> = (0..count)
            .map(|_| Named::pick(draw, &self.simplifiers, theories))
            .collect();
        let is_refused = |name: &&str| self.refused.contains(&simplifying(name));
        let chain = chain.filter(|chain| !chain.iter().any(is_refused));
        Some(match &chain?[..] {
            [only] => simplifying(only),
            several => simplifying(&format!("(then {})", several.join(" "))),
        })
    }

    /// A tactic that ends with one that decides.
    fn tactic(&self, draw: &mut Draw, theories: TheorySet, depth: u32) -> Option<String> {
        let any = Named::pick(draw, &self.tactics, theories)?;
        let deciding = ["smt", "smt", "smt", "default", "sat"];
        let last = draw.pick(&deciding).map_or("smt", |last| *last).to_string();
        if depth == 0 {
            return Some(last);
        }
        let inner = self.tactic(draw, theories, depth - 1)?;
        Some(match draw.below(8) {
            0..=2 => format!("(then {any} {inner})"),
            3 => {
                let more = Named::pick(draw, &self.tactics, theories)?;
                format!("(then {any} {more} {inner})")
            }
            4 => format!("(or-else (then {any} {last}) {inner})"),
            5 => format!("(par-or (then {any} {last}) {inner})"),
            6 => match self.parameter(draw) {
                Some(parameter) => format!("(using-params {last} {parameter})"),
                None => last,
            },
            _ => any.to_string(),
        })
    }

    /// A parameter of the plain solver, as a tactic takes it: `:arith.solver 2`.
    fn parameter(&self, draw: &mut Draw) -> Option<String> {
        let choice = draw.pick(&self.choices)?;
        let name = choice.parameter.name.strip_prefix("smt.")?;
        let value = value(draw, &choice.parameter)?;
        Some(format!(":{name} {value}"))
    }
}

impl Named {
    fn of(name: &str) -> Named {
        Named {
            name: name.to_string(),
            theories: theories_of(name),
        }
    }

    /// One of them, seldom one about a theory that is not in the cases.
    fn pick<'n>(draw: &mut Draw, all: &'n [Named], theories: TheorySet) -> Option<&'n str> {
        let weight = |one: &Named| {
            let fits = one.theories.is_empty() || one.theories.meets(theories);
            if fits { ELSEWHERE } else { 1 }
        };
        let weights: Vec<u32> = all.iter().map(weight).collect();
        let place = draw.weighted(&weights)?;
        Some(all.get(place)?.name.as_str())
    }
}

/// The command that sets a simplifier or a chain of them.
pub(super) fn simplifying(simplifier: &str) -> String {
    format!("(set-simplifier {simplifier})")
}

/// Whether a release has the option that a word sets.
fn has_option(offer: &Offer, word: &str) -> bool {
    match Setting::read(word) {
        Some(setting) => offer.parameters.iter().any(|one| one.name == setting.name),
        None => !offer.tactics.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::Theory;
    use auspex_solvers::options::Domain;
    use auspex_solvers::profile::profiles;
    use auspex_solvers::{Invocation, Limits, Version};
    use std::sync::Arc;

    fn solver() -> Solver {
        let mut all = profiles(None).unwrap().into_iter();
        Solver {
            profile: Arc::new(all.find(|profile| profile.name == "z3").unwrap()),
            base: Invocation::default(),
            version: Version::read("5.4.0"),
            commit: None,
            options: Vec::new(),
        }
    }

    fn parameter(name: &str, domain: Domain, default: &str, tier: Tier) -> Parameter {
        Parameter {
            name: name.to_string(),
            domain,
            default: default.to_string(),
            tier,
            category: String::new(),
            means: String::new(),
        }
    }

    fn space(scope: &Scope, fixed: &[&str]) -> OptionSpace {
        let engines = ["0", "1", "2"].map(str::to_string).to_vec();
        let offer = Offer {
            parameters: vec![
                parameter(
                    "smt.bv.solver",
                    Domain::Choice { values: engines },
                    "0",
                    Tier::Advanced,
                ),
                parameter("smt.arith.nl", Domain::Boolean, "true", Tier::Advanced),
                parameter("auto_config", Domain::Boolean, "true", Tier::Normal),
                parameter(
                    "rlimit",
                    Domain::Integer { least: 0, most: 9 },
                    "0",
                    Tier::Normal,
                ),
                parameter("sat.euf", Domain::Boolean, "false", Tier::Advanced),
                parameter("tactic.default_tactic", Domain::Text, "", Tier::Advanced),
            ],
            simplifiers: vec!["elim-term-ite".to_string()],
            tactics: vec!["simplify".to_string(), "fail".to_string()],
        };
        let fixed: Vec<String> = fixed.iter().map(ToString::to_string).collect();
        let mut space = OptionSpace::default();
        let own = space.solver(0, &solver(), offer, scope, &fixed);
        space.solvers.push(own);
        space
    }

    fn drawn(space: &OptionSpace, theories: &[Theory]) -> Vec<Configuration> {
        let theories = TheorySet::of(theories);
        (0..500)
            .filter_map(|block| space.draw(7, block, theories, &[]))
            .collect()
    }

    #[test]
    fn configurations_follow_from_the_block_and_fit_the_theories() {
        let space = space(&Scope::All, &[]);
        let bits = drawn(&space, &[Theory::Core, Theory::BitVectors]);
        assert_eq!(bits, drawn(&space, &[Theory::Core, Theory::BitVectors]));
        let count = |all: &[Configuration], text: &str| {
            let has = |one: &&Configuration| one.options.iter().any(|word| word.contains(text));
            all.iter().filter(has).count()
        };
        assert!(count(&bits, "bv.solver") > count(&bits, "arith"));
        assert!(count(&bits, "set-option") > 0 && count(&bits, "set-simplifier") > 0);
        assert!(count(&bits, "check-sat-using") > 0);
        assert_eq!(count(&bits, "rlimit"), 0, "no campaign sets it");
        assert_eq!(count(&bits, "fail"), 0, "no campaign uses it");
        assert_eq!(
            count(&bits, "solver=0"),
            0,
            "the default is no configuration"
        );
        let reals = drawn(&space, &[Theory::Reals]);
        assert!(count(&reals, "arith") > count(&reals, "bv.solver"));
    }

    #[test]
    fn scopes_and_presets_limit_what_is_set() {
        let supported = drawn(&space(&Scope::Supported, &[]), &[]);
        let word =
            |word: &str| word == "auto_config=false" || word == "(set-option :auto_config false)";
        assert!(!supported.is_empty());
        assert!(
            supported
                .iter()
                .all(|one| one.options.iter().all(|w| word(w)))
        );
        let preset = Scope::Preset("typefuzz".to_string());
        let own = drawn(&space(&preset, &[]), &[]);
        assert_eq!(
            own[0].options,
            ["tactic.default_tactic=smt", "sat.euf=true"]
        );
        let all = space(&Scope::All, &[]);
        let tier = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            all.tier(0, &words)
        };
        assert_eq!(tier(&["auto_config=false"]), Some(Tier::Normal));
        let both = ["(set-option :auto_config false)", "smt.bv.solver=2"];
        assert_eq!(tier(&both), Some(Tier::Advanced));
        assert_eq!(
            tier(&["(set-simplifier elim-term-ite)"]),
            Some(Tier::Advanced)
        );
        assert_eq!(tier(&[]), None);
        let fixed = drawn(&space(&Scope::None, &["smt.bv.solver=2", "no.such=1"]), &[]);
        assert!(fixed.iter().all(|one| one.options == ["smt.bv.solver=2"]));
        let team = Team::new(Vec::new(), Limits::default());
        assert!(OptionSpace::of(&team, &Scope::None, &[], None).is_empty());
    }

    #[test]
    fn a_smaller_configuration_leaves_something_out() {
        let smaller = |options: &[&str]| {
            let configuration = Configuration {
                member: 0,
                options: options.iter().map(ToString::to_string).collect(),
                groups: Vec::new(),
            };
            let all = configuration.smaller().into_iter();
            all.map(|one| one.options.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(smaller(&["a=1", "b=2"]), ["b=2", "a=1"]);
        assert_eq!(smaller(&["a=1"]), [""; 0]);
        assert_eq!(
            smaller(&["(check-sat-using (then a (or-else b smt) c))"]),
            [
                "(check-sat-using (then a smt c))",
                "(check-sat-using (then a b c))",
                "(check-sat-using c)",
                "(check-sat-using (or-else b smt))",
                "(check-sat-using a)",
                "(check-sat-using (then (or-else b smt) c))",
                "(check-sat-using (then a c))",
                "(check-sat-using (then a (or-else b smt)))",
            ]
        );
    }

    #[test]
    fn presets_are_named_by_profiles() {
        let all = profiles(None).unwrap();
        assert_eq!(Scope::named("all", &all), Some(Scope::All));
        for name in ["typefuzz", "diver"] {
            assert_eq!(
                Scope::named(name, &all),
                Some(Scope::Preset(name.to_string()))
            );
        }
        assert_eq!(Scope::named("some", &all), None);
    }
}
