//! Makes mutants as a campaign does, from made seeds and from mutants that became seeds, and evaluates each from
//! nothing: its model must satisfy it. Stops at the first that it does not satisfy.
//!
//! `cargo run --release -p auspex-campaign --example soundness -- [COUNT] [SECONDS] [STRATEGY]`

use auspex_campaign::schedule::growth::Growth;
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::schedule::plan::{BLOCK, SeedChoice, seeds};
use auspex_campaign::team::case_profile::{CaseProfile, features};
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_cases::strategy::parse;
use auspex_cases::{Case, Evidence, Seed, Strategy};
use auspex_logic::TheorySet;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{OpTable, Terms};
use std::time::Instant;

/// What was made so far.
#[derive(Default)]
struct Tally {
    cases: u64,
    /// Terms put in the place of others.
    replacements: u64,
    seeds: u64,
    /// Seeds that are mutants, and those of them whose model leaves an assertion undetermined.
    grown: u64,
    open: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let (count, seconds) = (
        number(0).unwrap_or(1_000_000),
        number(1).unwrap_or(u64::MAX),
    );
    let strategy = parse(words.get(2).map_or("diver", String::as_str)).expect("a strategy");
    let maker = Maker {
        seed: 1,
        strategies: vec![strategy],
        theories: Vec::new(),
        vocabularies: Vocabularies::named(&["z3", "cvc5"]).expect("built-in profiles"),
        kinds: Vec::new(),
        table: OpTable::builtin(),
    };
    let growth = Growth::new(maker.seed);
    let (mut tally, began) = (Tally::default(), Instant::now());
    let mut block = 0;
    while tally.replacements < count && began.elapsed().as_secs() < seconds {
        // An arena keeps every name it has seen.
        let mut terms = Terms::new();
        for _ in 0..64 {
            one_block(&maker, strategy, &growth, &mut terms, block, &mut tally);
            block += 1;
        }
        if block.is_multiple_of(6400) {
            tell(&tally, began);
        }
    }
    tell(&tally, began);
}

fn tell(tally: &Tally, began: Instant) {
    println!(
        "{} replacements in {} cases, all satisfied by their models, of {} seeds, {} of them mutants ({} undetermined), in {:.0} s",
        tally.replacements,
        tally.cases,
        tally.seeds,
        tally.grown,
        tally.open,
        began.elapsed().as_secs_f64()
    );
}

fn one_block(
    maker: &Maker,
    strategy: &dyn Strategy,
    growth: &Growth,
    terms: &mut Terms,
    block: u64,
    tally: &mut Tally,
) {
    let mark = terms.mark();
    let seeds = block_seeds(maker, growth, terms, block, tally);
    let mut line = maker.line(strategy);
    let mut made: Vec<(u64, Case, String, CaseProfile)> = Vec::new();
    for number in block * BLOCK..(block + 1) * BLOCK {
        let Some(case) = line.make(terms, &seeds, number) else {
            continue;
        };
        let text = render::script(terms, &case.script, Sharing::Auto);
        if let [Evidence::Witness(model)] = &case.evidence[..] {
            let query = case.script.queries().pop().expect("a query");
            let verdict = validate(terms, model, &query);
            assert_eq!(verdict, ModelVerdict::Valid, "case {number}:\n{text}");
            tally.cases += 1;
            let steps = case.origin.steps.iter();
            tally.replacements += steps.filter(|step| step.contains(" becomes ")).count() as u64;
        }
        let features = features(terms, &case.script);
        made.push((number, case, text, features));
    }
    let cases = made.iter();
    let cases = cases.map(|(number, case, text, f)| (*number, case, text.as_str(), f));
    growth.offer(terms, block, cases);
    drop(made);
    terms.release(mark);
}

/// The seeds of a block as a worker of a campaign without files finds them.
fn block_seeds(
    maker: &Maker,
    growth: &Growth,
    terms: &mut Terms,
    block: u64,
    tally: &mut Tally,
) -> Vec<Seed> {
    let mut found = Vec::new();
    for (place, choice) in seeds(maker.seed, block, 0).into_iter().enumerate() {
        if let Some(file) = growth.pick(block, place as u64, TheorySet::default()) {
            let facts = file.facts.get().expect("what is known");
            let seed = file.load(terms, facts).expect("it can be read again");
            let query = seed.script.queries().pop().expect("a query");
            // Bounds of transcendental functions may decide less where a model was written and read again.
            match validate(terms, &seed.models[0], &query) {
                ModelVerdict::Valid => {}
                ModelVerdict::Undetermined { .. } => tally.open += 1,
                ModelVerdict::Invalid { .. } => panic!("{}:\n{}", file.name, file.text),
            }
            tally.grown += 1;
            found.push(seed);
        } else if let SeedChoice::Made(number) = choice {
            found.extend(maker.made_seed(terms, number));
        }
    }
    tally.seeds += found.len() as u64;
    found
}
