//! The settings that decide which cases a campaign makes, stored with the campaign for every process that joins.

use crate::schedule::maker::Maker;
use crate::team::Team;
use crate::team::vocabulary::Vocabularies;
use auspex_cases::answers::Kind;
use auspex_cases::strategy;
use auspex_logic::{OpTable, Theory};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The settings of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub strategies: Vec<String>,
    /// Empty means all.
    pub theories: Vec<String>,
    /// The solvers of the process that started the campaign.
    pub solvers: Vec<String>,
    /// The same as a user would name them.
    pub specs: Vec<String>,
    /// Solvers, in their releases, that cases are made for.
    pub known: Vec<String>,
    /// The kinds of answers that cases may ask for.
    pub asks: Vec<String>,
    /// The text of the user's signature file.
    pub signature: Option<String>,
    /// The release of Auspex that started it.
    pub auspex: String,
}

impl Settings {
    /// The settings of a new campaign; `specs` are the solvers that the user named, if any.
    pub fn of(maker: &Maker, team: &Team, specs: &[String]) -> Settings {
        let text = |names: Vec<&str>| names.into_iter().map(ToString::to_string).collect();
        let spec = |solver: &auspex_solvers::Solver| match &solver.version {
            Some(version) => format!("{}@{version}", solver.profile.name),
            None => solver.profile.name.clone(),
        };
        let members = team.plain().iter();
        Settings {
            strategies: text(maker.names()),
            theories: text(maker.theories.iter().map(|t| t.name()).collect()),
            solvers: members.clone().map(|m| m.title.clone()).collect(),
            specs: match specs.is_empty() {
                true => members.map(|m| spec(&m.solver)).collect(),
                false => specs.to_vec(),
            },
            known: maker.vocabularies.specs(),
            asks: text(maker.kinds.iter().map(|kind| kind.name()).collect()),
            signature: maker.table.signature().map(ToString::to_string),
            auspex: env!("CARGO_PKG_VERSION").to_string(),
        }
    }

    pub fn read(json: &str) -> Settings {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The maker of the campaign's cases; fails if this release lacks something.
    pub fn apply(&self, maker: &mut Maker) -> Result<(), String> {
        let unknown = |what: &str, name: &str| {
            format!(
                "the campaign uses the {what} {name}, which this version of auspex does not have"
            )
        };
        let named = |name: &String| strategy::named(name).ok_or_else(|| unknown("strategy", name));
        maker.strategies = self
            .strategies
            .iter()
            .map(named)
            .collect::<Result<_, _>>()?;
        let named = |name: &String| {
            let theory = Theory::ALL.into_iter().find(|theory| theory.name() == name);
            theory.ok_or_else(|| unknown("theory", name))
        };
        maker.theories = self.theories.iter().map(named).collect::<Result<_, _>>()?;
        let named =
            |name: &String| Kind::named(name).ok_or_else(|| unknown("kind of answers", name));
        maker.kinds = self.asks.iter().map(named).collect::<Result<_, _>>()?;
        maker.vocabularies = Vocabularies::named(&self.known)?;
        maker.table = match &self.signature {
            None => OpTable::builtin(),
            Some(text) => {
                let table = OpTable::with_user_signatures(text);
                let table = table.map_err(|error| error.diagnostic("signature", text));
                Arc::new(table.map_err(|diagnostic| diagnostic.render(false))?)
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_solvers::Limits;

    fn maker(strategies: &[&str]) -> Maker {
        let named = |name: &&str| strategy::named(name).unwrap();
        Maker {
            seed: 1,
            strategies: strategies.iter().map(named).collect(),
            theories: vec![Theory::Ints],
            vocabularies: Vocabularies::named(&["z3@4.8.12"]).unwrap(),
            kinds: vec![Kind::Optimum],
            table: Arc::new(OpTable::with_user_signatures("(f Int Int)").unwrap()),
        }
    }

    #[test]
    fn whoever_joins_makes_the_same_cases() {
        let first = maker(&["construct"]);
        let team = Team::new(Vec::new(), Limits::default());
        let json = Settings::of(&first, &team, &["z3".to_string()]).to_json();
        let settings = Settings::read(&json);
        let mut other = maker(&["typefuzz"]);
        other.theories.clear();
        other.kinds.clear();
        other.vocabularies = Vocabularies::default();
        other.table = OpTable::builtin();
        settings.apply(&mut other).unwrap();
        assert_eq!(other.names(), ["construct"]);
        assert_eq!(other.theories, first.theories);
        assert_eq!(other.kinds, first.kinds);
        assert_eq!(other.vocabularies, first.vocabularies);
        assert_eq!(other.table.signature(), Some("(f Int Int)"));
        assert_eq!(settings.specs, ["z3"]);
    }

    #[test]
    fn what_this_release_does_not_know_is_told() {
        let settings = Settings {
            strategies: vec!["dream".to_string()],
            ..Settings::default()
        };
        assert!(
            settings
                .apply(&mut maker(&[]))
                .unwrap_err()
                .contains("dream")
        );
    }
}
