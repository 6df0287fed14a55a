//! Searches for rules of approximation, proves them with z3 and cvc5, and prints the survivors as lines of `found.rules`.
//!
//! `cargo bench -p auspex-campaign --bench discover -- [THEORY…]`; without a theory all are searched.

use auspex_campaign::discover::{Survivor, search};
use auspex_campaign::prove::Provers;
use auspex_cases::rules::approximation::write_rule;
use auspex_cases::rules::discover::{Extent, theories};
use auspex_logic::Theory;
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|w| !w.starts_with('-'))
        .collect();
    let wanted = |theory: &Theory| words.is_empty() || words.iter().any(|w| w == theory.name());
    let mut provers = Provers::of_machine(Duration::from_secs(1));
    for theory in theories().filter(wanted) {
        let report = search(theory, &Extent::default(), &mut provers);
        println!(
            "; {}: {} atoms, {} classes, {} implications, {} proposed; proved by two {}, by one {}, refuted {}, open {}",
            theory.name(),
            report.found.atoms,
            report.found.classes,
            report.found.implications,
            report.found.rules.len(),
            report
                .survivors
                .iter()
                .filter(|s| s.provers.len() > 1)
                .count(),
            report
                .survivors
                .iter()
                .filter(|s| s.provers.len() == 1)
                .count(),
            report.refuted,
            report.open,
        );
        for Survivor { rule, provers } in &report.survivors {
            println!(
                "({} {}) ; {}",
                theory.name(),
                write_rule(rule),
                provers.join(" ")
            );
        }
    }
}
