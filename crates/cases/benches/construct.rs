//! Cases per second that `construct` makes on one core, with their texts. Run with `cargo bench -p auspex-cases`.

use auspex_cases::strategy::construct::Construct;
use auspex_cases::{Draw, Strategy, Workshop};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::Known;
use auspex_logic::{Terms, Theory};
use std::time::Instant;

fn main() {
    let sets: [(&str, &[Theory]); 5] = [
        ("all", &[]),
        ("bv", &[Theory::BitVectors]),
        ("arrays", &[Theory::Arrays]),
        ("strings", &[Theory::Strings, Theory::Regex]),
        (
            "bv,arrays,strings",
            &[Theory::BitVectors, Theory::Arrays, Theory::Strings],
        ),
    ];
    let count: u64 = std::env::args()
        .find_map(|a| a.parse().ok())
        .unwrap_or(200_000);
    for (name, theories) in sets {
        measure(name, theories, count);
    }
}

fn measure(name: &str, theories: &[Theory], count: u64) {
    let mut terms = Terms::new();
    let mut text = String::new();
    let (mut made, mut bytes) = (0u64, 0usize);
    let mut make = |number: u64| {
        let mark = terms.mark();
        let mut workshop = Workshop {
            terms: &mut terms,
            seeds: &[],
            theories,
            solvers: Known::Z3,
            forbidden: &[],
        };
        let case = Construct.make(&mut workshop, &mut Draw::new(1, number));
        if let Some(case) = case {
            text.clear();
            render::script_to(&terms, &case.script, Sharing::Auto, &mut text);
            bytes += text.len();
            made += 1;
        }
        terms.release(mark);
    };
    let started = Instant::now();
    make(0);
    let prepared = started.elapsed();
    let started = Instant::now();
    (1..=count).for_each(&mut make);
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{name:<20} {:>9.0} cases/s  {:>5.1} MB/s  {:.1} % of draws  first case {prepared:?}",
        made as f64 / seconds,
        bytes as f64 / seconds / 1e6,
        made as f64 * 100.0 / (count + 1) as f64,
    );
}
