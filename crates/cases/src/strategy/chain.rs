//! Chains of mutations: a mutant is the seed of the next. One draw makes the whole chain, so every mutant can be
//! replayed from the same numbers and its stage.
//!
//! ```text
//! typefuzz                      chains of 30 mutations, 16 of their mutants are tested
//! typefuzz:5                    chains of 5, all of whose mutants are tested
//! typefuzz:length=100,each=on   chains of 100, all of whose mutants are tested
//! ```

use super::fuzzchick::FUZZCHICK;
use super::opfuzz::OPFUZZ;
use super::typefuzz::TYPEFUZZ;
use super::{GenContext, Parameter, Preset, Seed, Strategy, Values};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{self, Ingredients, Kinds, Palette, Rules};
use crate::mutant::{Mutant, Site};
use auspex_logic::{Command, Head, Script, Sort, TermId, Terms, Theory};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The number of cases of a longer chain, unless each mutant is wanted, spread evenly over it.
pub const STAGES: u64 = 16;

/// The effect of a mutation.
pub enum Step {
    /// Replaced a term by another.
    Replaced(Site, TermId),
    /// Inserted an assertion before a query.
    Asserted(TermId),
}

impl Step {
    /// A description.
    fn describe(&self, terms: &Terms) -> String {
        match self {
            Step::Replaced(site, new) => format!("{}: {}", site.describe(), root_word(terms, *new)),
            Step::Asserted(new) => format!("new assertion: {}", root_word(terms, *new)),
        }
    }
}

/// Changes the mutant once and returns the effect, or does not change it.
pub type Mutate = fn(&mut Mutant, &mut Terms, &Palette, &mut Draw) -> Option<Step>;

/// One kind of mutation, which becomes a strategy by chaining.
pub struct Mutation {
    pub name: &'static str,
    /// One sentence for `auspex rules`.
    pub about: &'static str,
    /// The longest chain.
    pub longest: u32,
    /// Whether each of its mutants is a case.
    pub each: bool,
    pub step: Mutate,
}

/// The default maximum length of chains.
pub const LENGTH: u32 = 30;

/// The mutations that can be chained.
pub const MUTATIONS: [&Mutation; 3] = [&TYPEFUZZ, &OPFUZZ, &FUZZCHICK];

/// The longest chain that a user can set.
const LONGEST: u32 = 10_000;

/// The paper's chains: lengths from 10 to 100, with every mutant tested.
const PAPER: Preset = Preset {
    name: "paper",
    about: "chains of 100, each mutant tested",
    values: &[("length", 100), ("each", 1)],
};

impl Mutation {
    /// The number of cases of a chain.
    fn cases(&self) -> u64 {
        let longest = u64::from(self.longest);
        match self.each {
            true => longest,
            false => longest.min(STAGES),
        }
    }

    /// How many consecutive case numbers belong to chains of the same seed.
    pub fn span(&self) -> u64 {
        self.cases().next_multiple_of(STAGES)
    }

    /// The number of the first case in a case's chain.
    pub fn start(&self, number: u64) -> u64 {
        number - number % self.span() % self.cases()
    }

    /// How many mutations precede the case at a stage of a chain.
    fn steps(&self, stage: u64) -> u64 {
        match self.cases() < u64::from(self.longest) {
            true => 1 + stage * u64::from(self.longest - 1) / (STAGES - 1),
            false => stage + 1,
        }
    }
}

impl Strategy for Mutation {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::number(
                "length",
                "mutations in a chain",
                self.longest.into(),
                1..=LONGEST.into(),
            ),
            Parameter::switch(
                "each",
                "test every mutant of a chain instead of only sixteen",
                self.each,
            ),
        ]
    }

    fn presets(&self) -> &'static [Preset] {
        &[PAPER]
    }

    fn with(&self, name: &'static str, values: &Values) -> Result<Box<dyn Strategy>, String> {
        Ok(Box::new(Mutation {
            name,
            about: self.about,
            longest: values.get("length") as u32,
            each: values.is_on("each"),
            step: self.step,
        }))
    }

    fn per_seed(&self) -> Option<u64> {
        Some(self.span())
    }

    fn needs_second(&self) -> bool {
        true
    }

    fn is_chained(&self) -> bool {
        true
    }

    fn chain_start(&self, number: u64) -> u64 {
        self.start(number)
    }

    fn chain(&self, workshop: &mut GenContext<'_>, draw: Draw) -> Option<Chain<'_>> {
        Chain::start(self, workshop, draw)
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        make(self, self.longest, workshop, draw)
    }

    fn stages(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Vec<Script> {
        let length = draw.between(1, self.longest.into());
        let chain = Chain::start(self, workshop, draw.clone());
        chain.map_or_else(Vec::new, |mut chain| chain.scripts(workshop.terms, length))
    }
}

/// The successive mutants of one seed.
pub struct Chain<'m> {
    mutation: &'m Mutation,
    draw: Draw,
    mutant: Mutant,
    palette: Arc<Palette>,
    seed: String,
    steps: Vec<Step>,
    /// Mutants of this chain, to avoid duplicates.
    seen: FxHashSet<u64>,
    stage: u64,
}

/// How many steps may give nothing new before an assertion is added.
const PATIENCE: usize = 8;
/// How many added assertions are tried before a chain is abandoned.
const ASSERTIONS: usize = 8;

impl<'m> Chain<'m> {
    /// A chain on one of the seeds; none if there are no seeds.
    pub fn start(
        mutation: &'m Mutation,
        workshop: &mut GenContext<'_>,
        mut draw: Draw,
    ) -> Option<Chain<'m>> {
        let seed = draw.pick(workshop.seeds)?;
        Some(Chain::on(mutation, workshop, seed, draw))
    }

    /// A chain on that seed.
    pub fn on(
        mutation: &'m Mutation,
        workshop: &mut GenContext<'_>,
        seed: &Seed,
        mut draw: Draw,
    ) -> Chain<'m> {
        let mutant = Mutant::new(workshop.terms, &seed.script);
        let palette = palette(workshop, &mutant, &mut draw);
        let mut seen = FxHashSet::default();
        seen.insert(mutant.fingerprint());
        Chain {
            mutation,
            draw,
            mutant,
            palette,
            seed: seed.name.clone(),
            steps: Vec::new(),
            seen,
            stage: 0,
        }
    }

    /// The seed's name.
    pub fn seed(&self) -> &str {
        &self.seed
    }

    /// Makes a new mutant of this chain; false if there is none.
    pub fn advance(&mut self, terms: &mut Terms) -> bool {
        for attempt in 0..PATIENCE + ASSERTIONS {
            let (mutant, palette, draw) = (&mut self.mutant, &self.palette, &mut self.draw);
            let step = match attempt < PATIENCE {
                true => (self.mutation.step)(mutant, terms, palette, draw),
                false => new_assertion(mutant, terms, palette, draw),
            };
            self.steps.extend(step);
            if self.seen.insert(self.mutant.fingerprint()) {
                return true;
            }
        }
        false
    }

    /// Advances to the next stage; false if there is no further mutant.
    pub fn next(&mut self, terms: &mut Terms) -> bool {
        let before = self.steps.len() as u64;
        let wanted = self.mutation.steps(self.stage);
        self.stage += 1;
        let steps = wanted.saturating_sub(before).max(1);
        (0..steps).fold(false, |_, _| self.advance(terms))
    }

    /// The mutant as a case without known answers.
    pub fn case(&self, terms: &mut Terms) -> Case {
        let script = self.mutant.script(terms);
        let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let queries = script.commands.iter().filter(asks).count();
        Case {
            script,
            evidence: vec![Evidence::NoneKnown; queries],
            origin: Origin {
                strategy: self.mutation.name,
                seed: Some(self.seed.clone()),
                steps: self.steps.iter().map(|step| step.describe(terms)).collect(),
            },
        }
    }

    /// Appends the text of the mutant, which is that of its script.
    pub fn write(&mut self, terms: &mut Terms, out: &mut String) {
        self.mutant.write(terms, out);
    }

    /// The prepared seed, and each mutant up to a number of steps.
    pub fn scripts(&mut self, terms: &mut Terms, length: u64) -> Vec<Script> {
        let mut scripts = vec![self.mutant.script(terms)];
        while (self.steps.len() as u64) < length && self.advance(terms) {
            scripts.push(self.mutant.script(terms));
        }
        scripts
    }
}

/// The mutant at a random position of a chain of at most `longest`.
pub fn make(
    mutation: &Mutation,
    longest: u32,
    workshop: &mut GenContext<'_>,
    draw: &mut Draw,
) -> Option<Case> {
    let length = draw.between(1, longest.into());
    let mut chain = Chain::start(mutation, workshop, draw.clone())?;
    while (chain.steps.len() as u64) < length && chain.advance(workshop.terms) {}
    *draw = chain.draw.clone();
    (!chain.steps.is_empty()).then(|| chain.case(workshop.terms))
}

/// Adds an assertion over the script's symbols and expressions.
pub fn new_assertion(
    mutant: &mut Mutant,
    terms: &mut Terms,
    palette: &Palette,
    draw: &mut Draw,
) -> Option<Step> {
    /// One in this many arguments is a constant that need not occur in the formula.
    const CONSTANTS: u64 = 16;
    let gap = mutant.gap(draw)?;
    let with = Ingredients {
        pool: &mutant.pool,
        palette,
        scope: &[],
        place: gap.1,
        avoid: None,
        constants: CONSTANTS,
    };
    let term = grow::grow(terms, draw, Sort::BOOL, 2, &with)?;
    mutant.add_assertion(terms, gap, term);
    Some(Step::Asserted(term))
}

/// Theories that are used only if the seed or its logic has them.
pub(super) const ONLY_WHERE_PRESENT: Features = Features::HIGHER_ORDER
    .union(Features::SEPARATION)
    .union(Features::FIELDS)
    .union(Features::TRANSCENDENTALS);

/// The operators for a chain. Half of the chains stay in the seed's logic, since solvers have special procedures for
/// small logics; one in eight may also introduce new sorts.
fn palette(workshop: &GenContext<'_>, mutant: &Mutant, draw: &mut Draw) -> Arc<Palette> {
    let (inside, wide) = (draw.coin(), draw.one_in(8));
    let usual = Features::ALL.without(ONLY_WHERE_PRESENT);
    let seed = mutant.seed_features();
    let features = if inside {
        // `ALL` includes separation logic, which is meaningless without a heap.
        mutant.allowed().without(Features::SEPARATION.without(seed))
    } else if seed.includes(Features::HIGHER_ORDER) {
        // z3 treats the higher-order logic as a small one.
        usual.union(seed).without(Features::EXTENSION)
    } else {
        usual.union(seed)
    };
    let rules = Rules {
        solvers: workshop.solvers,
        theories: workshop.theories,
        forbidden: workshop.forbidden,
        features: within_theories(features, workshop.theories),
    };
    let kinds = if wide {
        Kinds::ALL
    } else {
        mutant.pool.kinds(&workshop.terms.sorts)
    };
    Palette::shared(workshop.terms.table(), &rules, kinds)
}

pub(super) fn within_theories(features: Features, theories: &[Theory]) -> Features {
    if theories.is_empty() {
        return features;
    }
    let wanted = Theory::ALL.into_iter().filter(|t| !theories.contains(t));
    wanted.fold(features, |all, theory| {
        all.without(Features::of_theory(theory))
    })
}

/// The root of a term in one word.
pub fn root_word(terms: &Terms, term: TermId) -> &str {
    match terms.head(term) {
        Head::Op(op) => &terms.op(op).name,
        Head::Fun(fun) => terms.symbols.name(terms.fun(fun).name),
        Head::Variable(name) => terms.symbols.name(name),
        Head::Literal(_) => "a constant",
        Head::Binder(_) => "a quantifier",
        Head::Match(_) => "match",
        Head::Annotated(_) | Head::Apply | Head::Opaque(_) => "a term",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{OpTable, read_script};

    /// The texts of the mutants of the first so many draws.
    pub fn mutants(mutation: &Mutation, longest: u32, seed: &str, draws: u64) -> Vec<String> {
        all(seed, draws, |workshop, draw| {
            make(mutation, longest, workshop, draw)
        })
    }

    /// The texts of the cases that a strategy makes from the first so many draws.
    pub fn made(strategy: &dyn Strategy, seed: &str, draws: u64) -> Vec<String> {
        all(seed, draws, |workshop, draw| strategy.make(workshop, draw))
    }

    fn all(
        seed: &str,
        draws: u64,
        make: impl Fn(&mut GenContext<'_>, &mut Draw) -> Option<Case>,
    ) -> Vec<String> {
        all_with(Terms::new(), seed, draws, make)
    }

    fn all_with(
        mut terms: Terms,
        seed: &str,
        draws: u64,
        make: impl Fn(&mut GenContext<'_>, &mut Draw) -> Option<Case>,
    ) -> Vec<String> {
        let reading = read_script(&mut terms, seed).expect("well-formed");
        let seeds = [Seed {
            name: "seed.smt2".into(),
            script: reading.script,
            status: None,
            models: Vec::new(),
            core: None,
        }];
        let mark = terms.mark();
        let mut texts = Vec::new();
        for number in 0..draws {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: SolverSet::Z3.union(SolverSet::CVC5),
                forbidden: &[],
            };
            let case = make(&mut workshop, &mut Draw::new(3, number));
            if let Some(case) = case {
                texts.push(render::script(&terms, &case.script, Sharing::Expanded));
            }
            terms.release(mark);
        }
        texts
    }

    #[test]
    fn stages_lead_from_the_seed_to_the_case() {
        let text = "(declare-const x Int)(assert (< (+ x 1) (* 2 x)))(check-sat)";
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let seeds = [Seed {
            name: "seed.smt2".into(),
            script,
            status: None,
            models: Vec::new(),
            core: None,
        }];
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        for number in 0..20 {
            let strategy = TYPEFUZZ;
            let stages = strategy.stages(&mut workshop, &mut Draw::new(5, number));
            let case = strategy.make(&mut workshop, &mut Draw::new(5, number));
            let case = case.expect("a mutant");
            assert!((2..=case.origin.steps.len() + 1).contains(&stages.len()));
            assert_eq!(stages.last(), Some(&case.script));
        }
    }

    #[test]
    fn operators_of_a_user_are_put_in() {
        let signatures = "(theory T :sorts ((Colour 0)) :funs ((mix Colour Colour Colour) (red Colour) (tint Int Int)))";
        let table = OpTable::with_user_signatures(signatures).expect("well-formed");
        let table = Arc::new(table);
        let seed = "(declare-const c Colour)(declare-const x Int)(assert (distinct c red))\
                    (assert (< (abs x) 9))(check-sat)";
        let texts = |mutation: &Mutation| {
            let terms = Terms::with_table(table.clone());
            all_with(terms, seed, 2000, |workshop, draw| {
                make(mutation, 5, workshop, draw)
            })
        };
        let (new, swapped) = (texts(&TYPEFUZZ).concat(), texts(&OPFUZZ).concat());
        assert!(new.contains("(mix c red)") && new.contains("(tint x)"));
        assert!(swapped.contains("(tint x)") && !swapped.contains("(tint c)"));
    }

    #[test]
    fn chains_have_the_length_that_is_asked_for() {
        let layout = |longest, each| Mutation {
            longest,
            each,
            ..TYPEFUZZ
        };
        let (short, usual, long) = (layout(5, false), layout(30, false), layout(40, true));
        assert_eq!([short.span(), usual.span(), long.span()], [16, 16, 48]);
        let starts = |of: &Mutation, numbers: &[u64]| -> Vec<u64> {
            numbers.iter().map(|number| of.start(*number)).collect()
        };
        assert_eq!(
            starts(&short, &[0, 4, 5, 15, 16, 21]),
            [0, 0, 5, 15, 16, 21]
        );
        assert_eq!(starts(&long, &[0, 39, 40, 47, 48]), [0, 0, 40, 40, 48]);
        assert_eq!([usual.steps(0), usual.steps(15)], [1, 30]);
        assert_eq!([short.steps(4), long.steps(39)], [5, 40]);
    }

    #[test]
    fn a_chain_writes_its_script_and_never_twice_the_same() {
        let text = "(set-logic QF_LIA)(declare-const x Int)(define-fun f ((a Int)) Int (+ a 1))\
                    (assert (< (f x) 7))(push 1)(assert (= x 1))(check-sat)(pop 1)(check-sat)";
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let seeds = [Seed {
            name: "seed.smt2".into(),
            script,
            status: None,
            models: Vec::new(),
            core: None,
        }];
        for strategy in MUTATIONS {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: SolverSet::Z3,
                forbidden: &[],
            };
            let mut chain = Chain::start(strategy, &mut workshop, Draw::new(1, 1)).expect("a seed");
            let mut all = FxHashSet::default();
            for _ in 0..STAGES {
                assert!(chain.next(&mut terms));
                let mut text = String::new();
                chain.write(&mut terms, &mut text);
                let case = chain.case(&mut terms);
                assert_eq!(text, render::script(&terms, &case.script, Sharing::Auto));
                assert!(all.insert(text));
            }
            assert!(chain.steps.len() as u64 >= strategy.longest.into());
        }
    }

    /// Every mutant of a chain reads back without anything that does not fit.
    pub fn all_well_sorted(mutation: &Mutation, seed: &str, draws: u64) -> usize {
        let all = mutants(mutation, 20, seed, draws);
        for text in &all {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, text).expect("well-formed");
            assert_eq!(reading.issues, [], "in {text}");
        }
        all.len()
    }
}
