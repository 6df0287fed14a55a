//! Settings of `approximate` by name: `approximate:pst:literals=3`.
//!
//! ```text
//! pst, lpi          predicate symbol transformation only, live predicate injection only
//! no-chain          a mutant is never the seed of the next
//! paper             the paper's values: its Table 2 and injection, clauses, five literals, no chains
//! literals=N        literals changed in one round          rounds=N      rounds at most
//! depth=N           operators above each other in the atoms of injected formulas
//! variables=N       one mutant in so many has new variables, 0 for none
//! form=F            polarity, clauses, either              linearity=L   linear, nonlinear, mixed
//! ```

use super::{Approximate, Changes, Form, Linearity};
use crate::strategy::Strategy;

/// The paper's values. Its Algorithm 1 builds atoms of terms with one operator over the seed's variables.
const PAPER: Approximate = Approximate {
    name: "approximate:paper",
    rounds: 1,
    changes: Changes::Paper,
    form: Form::Clauses,
    variables: 0,
    ..Approximate::USUAL
};

/// The strategy with the settings of a name, or why there is none; nothing for names of other strategies.
pub fn named(name: &str) -> Option<Result<&'static dyn Strategy, String>> {
    let words = name.strip_prefix("approximate:")?;
    Some(settings(words).map(|settings| {
        let name = String::leak(name.to_string());
        Box::leak(Box::new(Approximate { name, ..settings })) as &dyn Strategy
    }))
}

/// Reads settings; one that would have no effect is an error.
fn settings(words: &str) -> Result<Approximate, String> {
    let mut settings = Approximate::USUAL;
    for word in words.split(':') {
        let before = settings;
        apply(&mut settings, word).map_err(|why| format!("approximate:{words}: {why}"))?;
        if settings == before {
            return Err(format!(
                "approximate:{words}: {word} has no effect; leave it out"
            ));
        }
    }
    if settings.changes == Changes::Rules {
        let usual = Approximate {
            depth: Approximate::USUAL.depth,
            variables: Approximate::USUAL.variables,
            ..settings
        };
        if usual != settings {
            return Err(format!(
                "approximate:{words}: depth and variables are about injected formulas, and pst injects none"
            ));
        }
    }
    Ok(settings)
}

fn apply(settings: &mut Approximate, word: &str) -> Result<(), String> {
    let Some((key, value)) = word.split_once('=') else {
        return preset(settings, word);
    };
    let number = |least: u64, most: u64| {
        let number = value.parse().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("{key} is a number from {least} to {most}, not {value:?}"))
    };
    match key {
        "literals" => settings.literals = number(1, 1000)?,
        "rounds" => settings.rounds = number(1, 1000)?,
        "depth" => settings.depth = number(1, 12)? as u32,
        "variables" => settings.variables = number(0, 1_000_000)?,
        "form" => settings.form = one_of(key, value, &FORMS)?,
        "linearity" => settings.linearity = one_of(key, value, &LINEARITIES)?,
        _ => return Err(format!("there is no setting {key}; {KNOWN}")),
    }
    Ok(())
}

fn preset(settings: &mut Approximate, word: &str) -> Result<(), String> {
    match word {
        "pst" => settings.changes = Changes::Rules,
        "lpi" => settings.changes = Changes::Formulas,
        "no-chain" => settings.rounds = 1,
        "paper" if *settings == Approximate::USUAL => *settings = PAPER,
        "paper" => return Err("paper comes first, what departs from it after it".to_string()),
        _ => return Err(format!("there is no setting {word:?}; {KNOWN}")),
    }
    Ok(())
}

const KNOWN: &str = "there are pst, lpi, no-chain, paper, literals=N, rounds=N, depth=N, variables=N, form=polarity|clauses|either and linearity=linear|nonlinear|mixed";

const FORMS: [(&str, Form); 3] = [
    ("polarity", Form::Polarity),
    ("clauses", Form::Clauses),
    ("either", Form::Either),
];
const LINEARITIES: [(&str, Linearity); 3] = [
    ("linear", Linearity::Linear),
    ("nonlinear", Linearity::Nonlinear),
    ("mixed", Linearity::Mixed),
];

fn one_of<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| *name == value);
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    found
        .map(|(_, found)| *found)
        .ok_or_else(|| format!("{key} is one of {}, not {value:?}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let read = settings("pst:literals=3:no-chain:form=clauses").expect("settings");
        assert_eq!((read.literals, read.rounds), (3, 1));
        assert_eq!((read.changes, read.form), (Changes::Rules, Form::Clauses));
        let paper = settings("paper:literals=2").expect("settings");
        assert_eq!((paper.literals, paper.changes), (2, Changes::Paper));
        let strategy = named("approximate:lpi:depth=4").expect("ours");
        assert_eq!(strategy.map(Strategy::name), Ok("approximate:lpi:depth=4"));
    }

    #[test]
    fn refuses_what_has_no_effect() {
        for words in [
            "",
            "frob",
            "literals=0",
            "literals=x",
            "literals=5",
            "pst:depth=3",
            "pst:variables=9",
            "form=square",
            "lpi:paper",
            "frob=1",
        ] {
            let said = settings(words).expect_err(words);
            assert!(
                said.starts_with(&format!("approximate:{words}: ")),
                "{said}"
            );
        }
        assert!(named("typefuzz:60").is_none());
    }
}
