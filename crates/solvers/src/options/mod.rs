//! The options of a release as it tells them itself: names, types, defaults, tiers, and what a campaign may set.
//!
//! ```text
//! z3 -pd                        bv.solver (unsigned int) …: 0 - bit-blasting, 1 - polysat, 2 - intblast (default: 0)
//! → smt.bv.solver               one of 0, 1, 2; default 0; advanced
//! ```

mod help;
mod listing;
mod refused;
mod table;
mod written;
mod z3;

pub use listing::{Offer, offer};
pub use refused::{note_refused, refused};
pub use written::{as_written, is_command};

use crate::profile::{OptionRow, Profile, Tier};
use crate::settable::{Refusal, refusal};
use serde::{Deserialize, Serialize};

/// One option of one release.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Parameter {
    pub name: String,
    #[serde(flatten)]
    pub domain: Domain,
    /// As the solver prints it; empty where it does not say.
    pub default: String,
    pub tier: Tier,
    /// The maker's own word for the tier: `expert`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    pub means: String,
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Domain {
    Boolean,
    /// One of some words or numbers.
    Choice {
        values: Vec<String>,
    },
    Integer {
        least: i128,
        most: i128,
    },
    Real {
        least: f64,
        most: f64,
    },
    /// A word whose values are not listed; no campaign sets it.
    Text,
}

impl Domain {
    /// The name of the type with its values: `one of lazy, eager`.
    pub fn shown(&self) -> String {
        match self {
            Domain::Boolean => "Boolean".to_string(),
            Domain::Choice { values } => values.join(" | "),
            Domain::Integer { least, most } => format!("integer {least} … {most}"),
            Domain::Real { .. } => "real".to_string(),
            Domain::Text => "text".to_string(),
        }
    }
}

/// How a listing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Modules with `name (type) meaning (default: value)`.
    Z3,
    /// One option a line, in columns: what our drivers print.
    Table,
    /// A help text: lines that begin with `--name`.
    Help,
}

impl Form {
    fn read(self, text: &str) -> Vec<Parameter> {
        match self {
            Form::Z3 => z3::read(text),
            Form::Table => table::read(text),
            Form::Help => help::read(text),
        }
    }
}

/// An option with a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

impl Setting {
    /// As an argument on the command line of a make: `smt.arith.solver=2`, `--no-cbqi`.
    pub fn argument(&self, profile: &Profile) -> String {
        match (&profile.setting, self.value.as_str()) {
            (Some(form), value) => form.replace("{name}", &self.name).replace("{value}", value),
            (None, "true") => format!("--{}", self.name),
            (None, "false") => format!("--no-{}", self.name),
            (None, value) => format!("--{}={value}", self.name),
        }
    }

    /// As a command of a script.
    pub fn command(&self) -> String {
        format!("(set-option :{} {})", self.name, self.value)
    }

    /// Reads an argument or a `set-option` back; none for what sets no option.
    pub fn read(word: &str) -> Option<Setting> {
        let setting = |name: &str, value: &str| Setting {
            name: name.to_string(),
            value: value.to_string(),
        };
        if let Some(rest) = word.strip_prefix("(set-option :") {
            let (name, value) = rest.strip_suffix(')')?.split_once(' ')?;
            return Some(setting(name, value.trim()));
        }
        if is_command(word) || word.contains(char::is_whitespace) {
            return None;
        }
        let rest = word.trim_start_matches('-');
        let flag = word.starts_with("--");
        match (rest.split_once('='), rest.strip_prefix("no-")) {
            (Some((name, value)), _) => Some(setting(name, value)),
            (None, Some(name)) if flag => Some(setting(name, "false")),
            (None, None) if flag => Some(setting(rest, "true")),
            _ => None,
        }
    }
}

impl Parameter {
    /// Why no campaign sets this option, if none does.
    pub fn refusal(&self, profile: &Profile) -> Option<Refusal> {
        refusal(profile, &self.name).or_else(|| match self.domain {
            Domain::Text => Some(Refusal::untyped()),
            _ => None,
        })
    }
}

/// The words with which a maker says that an option is not for use.
const NOT_FOR_USE: [&str; 8] = [
    "experimental",
    "deprecated",
    "debug",
    "broken",
    "legacy",
    "for testing",
    "unsound",
    "not supported",
];

/// The tier that the words of its maker give an option.
fn tier_in(means: &str, usual: Tier) -> Tier {
    let means = means.to_ascii_lowercase();
    match NOT_FOR_USE.iter().any(|word| means.contains(word)) {
        true => Tier::Unsupported,
        false => usual,
    }
}

/// The options that a release lists, with the tiers of the profile's rows; those of the rows alone where it lists none.
fn with_rows<'r>(
    mut listed: Vec<Parameter>,
    rows: impl Iterator<Item = &'r OptionRow>,
) -> Vec<Parameter> {
    let told = !listed.is_empty();
    for row in rows {
        let Some(one) = of_row(row) else { continue };
        let known = listed.iter_mut().find(|known| known.name == one.name);
        match (known, one.domain.clone()) {
            (Some(known), _) if told => {
                known.tier = row.tier;
                if known.means.is_empty() {
                    known.means = one.means;
                }
            }
            (
                Some(Parameter {
                    domain: Domain::Choice { values },
                    ..
                }),
                Domain::Choice { values: more },
            ) => values.extend(more),
            (None, _) if !told => listed.push(one),
            _ => {}
        }
    }
    listed
}

/// An option of which only the profile's value is known.
fn of_row(row: &OptionRow) -> Option<Parameter> {
    let Setting { name, value } = Setting::read(&row.text)?;
    Some(Parameter {
        name,
        domain: Domain::Choice {
            values: vec![value],
        },
        default: String::new(),
        tier: row.tier,
        category: String::new(),
        means: row.means.clone(),
    })
}
