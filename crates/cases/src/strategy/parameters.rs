//! Parameters of strategies on the command line: `diver:paper,depth=3` is `diver` with its preset `paper` and another
//! depth. A name without effect is an error.

use super::{ALL, Strategy};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A parameter: a number, a switch, or a choice.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Its default value.
    pub value: u64,
    /// Its allowed values.
    pub range: RangeInclusive<u64>,
    /// The words for its values, if it is not a number.
    pub words: &'static [&'static str],
}

impl Parameter {
    pub fn number(
        name: &'static str,
        about: &'static str,
        value: u64,
        range: RangeInclusive<u64>,
    ) -> Parameter {
        Parameter {
            name,
            about,
            value,
            range,
            words: &[],
        }
    }

    pub fn switch(name: &'static str, about: &'static str, value: bool) -> Parameter {
        Parameter::choice(name, about, value.into(), &["off", "on"])
    }

    /// A choice of words; the value is the position.
    pub fn choice(
        name: &'static str,
        about: &'static str,
        value: u64,
        words: &'static [&'static str],
    ) -> Parameter {
        Parameter {
            words,
            ..Parameter::number(name, about, value, 0..=words.len() as u64 - 1)
        }
    }
}

/// A preset: values of some parameters under a name, such as those of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    pub about: &'static str,
    pub values: &'static [(&'static str, u64)],
}

/// The values of all parameters of a strategy.
#[derive(Clone, Debug, Default)]
pub struct Values(BTreeMap<&'static str, u64>);

impl Values {
    fn of(parameters: &[Parameter]) -> Values {
        Values(parameters.iter().map(|one| (one.name, one.value)).collect())
    }

    /// The value of a parameter; zero if the strategy does not have it.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    pub fn set(&mut self, name: &'static str, value: u64) {
        self.0.insert(name, value);
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) != 0
    }
}

/// The strategy of a name with its parameters, such as `construct`, `diver:paper,depth=3` or `typefuzz:60`, where a
/// number alone is the value of the first parameter. Each is created once and lives as long as the program.
pub fn parse(text: &str) -> Result<&'static dyn Strategy, String> {
    static KNOWN: OnceLock<Mutex<HashMap<String, &'static dyn Strategy>>> = OnceLock::new();
    let Some((name, settings)) = text.split_once(':') else {
        return base(text);
    };
    let base = base(name)?;
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(strategy) = known.get(text) {
        return Ok(*strategy);
    }
    let values = values(base, settings).map_err(|why| format!("{text}: {why}"))?;
    let own: &'static str = String::leak(text.to_string());
    let made = base.with(own, &values);
    let made: &'static dyn Strategy = Box::leak(made.map_err(|why| format!("{text}: {why}"))?);
    known.insert(text.to_string(), made);
    Ok(made)
}

fn base(name: &str) -> Result<&'static dyn Strategy, String> {
    let found = ALL.iter().copied().find(|one| one.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|one| one.name()).collect();
        format!(
            "unknown strategy {name}; expected one of {}",
            names.join(", ")
        )
    })
}

/// Reads `preset,key=value,…` for a strategy.
fn values(strategy: &dyn Strategy, settings: &str) -> Result<Values, String> {
    let parameters = strategy.parameters();
    if parameters.is_empty() {
        return Err(format!("{} has no parameters", strategy.name()));
    }
    let mut values = Values::of(&parameters);
    let mut given: Vec<&str> = Vec::new();
    for (place, word) in settings.split(',').enumerate() {
        let preset = strategy.presets().iter().find(|preset| preset.name == word);
        if let Some(preset) = preset.filter(|_| place == 0) {
            values.0.extend(preset.values.iter().copied());
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some(pair) => pair,
            None if place == 0 && word.parse::<u64>().is_ok() => (parameters[0].name, word),
            None => return Err(unknown(strategy, word)),
        };
        let parameter = parameters.iter().find(|one| one.name == name);
        let parameter = parameter.ok_or_else(|| unknown(strategy, name))?;
        if given.contains(&parameter.name) {
            return Err(format!("{name} is given twice"));
        }
        given.push(parameter.name);
        values.0.insert(parameter.name, parameter.read(value)?);
    }
    Ok(values)
}

fn unknown(strategy: &dyn Strategy, word: &str) -> String {
    let parameters: Vec<&str> = strategy.parameters().iter().map(|one| one.name).collect();
    let presets: Vec<&str> = strategy.presets().iter().map(|one| one.name).collect();
    let first = match presets.is_empty() {
        true => String::new(),
        false => format!("; a preset comes first: {}", presets.join(", ")),
    };
    format!(
        "{} has no parameter \"{word}\"; it has {}{first}",
        strategy.name(),
        parameters.join(", ")
    )
}

impl Parameter {
    fn read(&self, text: &str) -> Result<u64, String> {
        let word = self.words.iter().position(|word| *word == text);
        let number = match self.words.is_empty() {
            true => text.parse().ok(),
            false => word.map(|place| place as u64),
        };
        let number = number.filter(|number| self.range.contains(number));
        number.ok_or_else(|| {
            let name = self.name;
            match self.words.is_empty() {
                true => format!(
                    "{name}={text}: expected a number from {} to {}",
                    self.range.start(),
                    self.range.end()
                ),
                false => format!("{name}={text}: expected {}", self.words.join(" or ")),
            }
        })
    }
}

/// Splits a list of strategies, whose parameters are also separated by commas: `diver:paper,depth=3,typefuzz` names
/// two.
pub fn split(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in list.split(',').filter(|word| !word.is_empty()) {
        match names.last_mut() {
            Some(last) if word.contains('=') && !word.contains(':') => {
                last.push(if last.contains(':') { ',' } else { ':' });
                last.push_str(word);
            }
            _ => names.push(word.to_string()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text).err().unwrap_or_default()
    }

    #[test]
    fn names_with_parameters_are_read_once() {
        let one = parse("typefuzz:60").expect("a strategy");
        assert_eq!(one.name(), "typefuzz:60");
        let again = parse("typefuzz:60").expect("a strategy");
        assert!(std::ptr::eq(one.name(), again.name()), "the same strategy");
        assert!(parse("typefuzz").is_ok() && parse("diver:paper,depth=3").is_ok());
    }

    #[test]
    fn what_has_no_effect_is_an_error() {
        assert!(refusal("typefuzz:length=0").contains("from 1 to"));
        assert!(refusal("typefuzz:lenght=3").contains("it has length"));
        assert!(refusal("typefuzz:length=3,length=4").contains("twice"));
        assert!(refusal("diver:weighted=maybe").contains("off or on"));
        assert!(refusal("diver:depth=3,paper").contains("a preset comes first: paper"));
        assert!(refusal("structure:x=1").contains("has no parameters"));
        assert!(refusal("dream").contains("expected one of construct"));
        for wrong in ["typefuzz:x", "typefuzz:", "structure:7", "dream:1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lists_keep_parameters_with_their_strategy() {
        let list = "diver:paper,depth=3,typefuzz,opfuzz:length=5,tests=2,,storm";
        let names = [
            "diver:paper,depth=3",
            "typefuzz",
            "opfuzz:length=5,tests=2",
            "storm",
        ];
        assert_eq!(split(list), names);
        assert_eq!(split("construct"), ["construct"]);
        assert_eq!(split("diver,depth=3"), ["diver:depth=3"]);
    }
}
