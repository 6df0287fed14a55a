//! The parameters of `approximate`: `approximate:pst,literals=3`, with the values of the paper as a preset.

use super::{Approximate, Changes, Form, Linearity};
use crate::strategy::{Parameter, Preset, Values};

/// A preset for the paper: its Table 2 and injection, clauses, five literals, no chains. Its Algorithm 1 builds atoms
/// of terms with one operator over the seed's variables.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        about: "the paper's values: Table 2 and injection, clauses, five literals, no chains",
        values: &[("rounds", 1), ("changes", 3), ("form", 2), ("variables", 0)],
    },
    Preset {
        name: "pst",
        about: "predicate symbol transformation only",
        values: &[("changes", 1)],
    },
    Preset {
        name: "lpi",
        about: "live predicate injection only",
        values: &[("changes", 2)],
    },
    Preset {
        name: "no-chain",
        about: "no mutant is the seed of the next one",
        values: &[("rounds", 1)],
    },
];

const CHANGES: [Changes; 4] = [
    Changes::Any,
    Changes::Rules,
    Changes::Formulas,
    Changes::Paper,
];
const FORMS: [Form; 3] = [Form::Either, Form::Polarity, Form::Clauses];
const LINEARITIES: [Linearity; 3] = [Linearity::Mixed, Linearity::Linear, Linearity::Nonlinear];

fn place<T: PartialEq>(all: &[T], one: &T) -> u64 {
    all.iter().position(|other| other == one).unwrap_or(0) as u64
}

pub fn parameters(of: &Approximate) -> Vec<Parameter> {
    vec![
        Parameter::number(
            "literals",
            "literals changed per round",
            of.literals,
            1..=1000,
        ),
        Parameter::number(
            "rounds",
            "the longest chain in which a mutant is the seed of the next",
            of.rounds,
            1..=1000,
        ),
        Parameter::number(
            "depth",
            "depth of operators in the atoms of injected formulas",
            of.depth.into(),
            1..=12,
        ),
        Parameter::number(
            "variables",
            "one in this many mutants gets new variables; 0 means none",
            of.variables,
            0..=1_000_000,
        ),
        Parameter::choice(
            "changes",
            "how literals may be changed",
            place(&CHANGES, &of.changes),
            &["any", "rules", "formulas", "paper"],
        ),
        Parameter::choice(
            "form",
            "the form of the seed in which literals are changed",
            place(&FORMS, &of.form),
            &["either", "polarity", "clauses"],
        ),
        Parameter::choice(
            "linearity",
            "whether new terms may contain products of unknowns",
            place(&LINEARITIES, &of.linearity),
            &["mixed", "linear", "nonlinear"],
        ),
    ]
}

/// The strategy with these values; a value without effect is an error.
pub fn with(name: &'static str, values: &Values) -> Result<Approximate, String> {
    let settings = Approximate {
        name,
        literals: values.get("literals"),
        rounds: values.get("rounds"),
        depth: values.get("depth") as u32,
        variables: values.get("variables"),
        changes: CHANGES[values.get("changes") as usize],
        form: FORMS[values.get("form") as usize],
        linearity: LINEARITIES[values.get("linearity") as usize],
    };
    let usual = Approximate::USUAL;
    let injects = settings.depth != usual.depth || settings.variables != usual.variables;
    match settings.changes == Changes::Rules && injects {
        true => Err(
            "depth and variables apply to injected formulas only, which this variant does not make"
                .into(),
        ),
        false => Ok(settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::parse;

    #[test]
    fn settings_are_read() {
        let values = |changes, form| {
            let mut all = Values::default();
            for one in parameters(&Approximate::USUAL) {
                all.set(one.name, one.value);
            }
            all.set("changes", changes);
            all.set("form", form);
            all
        };
        let read = with("x", &values(1, 2)).expect("settings");
        assert_eq!((read.changes, read.form), (Changes::Rules, Form::Clauses));
        let named = parse("approximate:lpi,depth=4").expect("a strategy");
        assert_eq!(named.name(), "approximate:lpi,depth=4");
    }

    #[test]
    fn refuses_what_has_no_effect_or_is_not_there() {
        for words in [
            "",
            "frob",
            "literals=0",
            "literals=x",
            "pst,depth=3",
            "pst,variables=9",
            "form=square",
            "lpi,paper",
            "frob=1",
        ] {
            let text = format!("approximate:{words}");
            let said = parse(&text).err().expect(words);
            assert!(said.starts_with(&text), "{said}");
        }
    }
}
