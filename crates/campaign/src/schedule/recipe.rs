//! The replay line, from which a case can be made again on any machine: `strategy=typefuzz seed=7 case=1234
//! theories=bv,core solvers=z3@5.4.0,cvc5 from=made:17 from=file:3fa2…:a.smt2`.
//! Where it matters under which options it was asked, these follow: `with=z3@5.4.0 with=smt.bv.solver=2`.

use auspex_cases::answers::Kind;
use auspex_logic::Theory;
use std::fmt;

/// Everything that decides what a case looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub strategy: String,
    pub seed: u64,
    pub case: u64,
    /// Empty means all.
    pub theories: Vec<Theory>,
    /// Solvers that cases are made for; empty means standard operators only.
    pub solvers: Vec<String>,
    pub from: Vec<Source>,
    /// What the case is made to ask for.
    pub asks: Option<Question>,
    /// The accused with the options of its configuration, if it had one; decides nothing about the case.
    pub with: Vec<String>,
}

/// A kind of answers that a case asks for, in the words of a solver: `optimum:z3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub kind: Kind,
    pub make: String,
}

/// A seed of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Made without seeds, by its number.
    Made(u64),
    /// A file, by the hash of its structure and its name.
    File { key: String, name: String },
}

/// A text that is not a replay line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a replay line: {0}")]
pub struct BadRecipe(String);

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "strategy={} seed={} case={}",
            self.strategy, self.seed, self.case
        )?;
        if !self.theories.is_empty() {
            let names: Vec<_> = self.theories.iter().map(|t| t.name()).collect();
            write!(f, " theories={}", names.join(","))?;
        }
        if !self.solvers.is_empty() {
            write!(f, " solvers={}", escaped(&self.solvers.join(",")))?;
        }
        for source in &self.from {
            match source {
                Source::Made(number) => write!(f, " from=made:{number}")?,
                Source::File { key, name } => write!(f, " from=file:{key}:{}", escaped(name))?,
            }
        }
        if let Some(Question { kind, make }) = &self.asks {
            write!(f, " asks={}:{}", kind.name(), escaped(make))?;
        }
        for word in &self.with {
            write!(f, " with={}", escaped(word))?;
        }
        Ok(())
    }
}

/// A name without spaces, so that the line can be split into words.
fn escaped(name: &str) -> String {
    name.replace('%', "%25").replace(char::is_whitespace, "%20")
}

fn unescaped(name: &str) -> String {
    name.replace("%20", " ").replace("%25", "%")
}

impl std::str::FromStr for Recipe {
    type Err = BadRecipe;

    fn from_str(line: &str) -> Result<Recipe, BadRecipe> {
        let bad = |what: &str| BadRecipe(what.to_string());
        let mut recipe = Recipe {
            strategy: String::new(),
            seed: 0,
            case: 0,
            theories: Vec::new(),
            solvers: Vec::new(),
            from: Vec::new(),
            asks: None,
            with: Vec::new(),
        };
        for word in line.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| bad(word))?;
            let number = || value.parse().map_err(|_| bad(word));
            match key {
                "strategy" => recipe.strategy = value.to_string(),
                "seed" => recipe.seed = number()?,
                "case" => recipe.case = number()?,
                "theories" => recipe.theories = theories(value).ok_or_else(|| bad(word))?,
                "solvers" => recipe.solvers = solvers(value),
                "with" => recipe.with.push(unescaped(value)),
                "from" => recipe.from.push(source(value).ok_or_else(|| bad(word))?),
                "asks" => recipe.asks = Some(question(value).ok_or_else(|| bad(word))?),
                _ => return Err(bad(word)),
            }
        }
        match recipe.strategy.is_empty() {
            true => Err(bad("it has no strategy")),
            false => Ok(recipe),
        }
    }
}

/// Theory names, separated by commas.
pub fn theories(names: &str) -> Option<Vec<Theory>> {
    let named = |name: &str| Theory::ALL.into_iter().find(|t| t.name() == name);
    names
        .split(',')
        .filter(|n| !n.is_empty())
        .map(named)
        .collect()
}

fn solvers(names: &str) -> Vec<String> {
    names.split(',').map(unescaped).collect()
}

fn source(value: &str) -> Option<Source> {
    if let Some(number) = value.strip_prefix("made:") {
        return Some(Source::Made(number.parse().ok()?));
    }
    let (key, name) = value.strip_prefix("file:")?.split_once(':')?;
    Some(Source::File {
        key: key.to_string(),
        name: unescaped(name),
    })
}

fn question(value: &str) -> Option<Question> {
    let (kind, make) = value.split_once(':')?;
    Some(Question {
        kind: Kind::named(kind)?,
        make: unescaped(make),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let recipe = Recipe {
            strategy: "typefuzz".to_string(),
            seed: u64::MAX,
            case: 12,
            theories: vec![Theory::BitVectors, Theory::Core],
            solvers: vec!["z3@4.8.12".to_string(), "my solver".to_string()],
            from: vec![
                Source::Made(3),
                Source::File {
                    key: "0af".to_string(),
                    name: "my file 100%20.smt2".to_string(),
                },
            ],
            asks: Some(Question {
                kind: Kind::Optimum,
                make: "z3".to_string(),
            }),
            with: vec![
                "z3@5.1.0".to_string(),
                "(set-option :smt.bv.solver 2)".to_string(),
            ],
        };
        assert_eq!(recipe.to_string().parse::<Recipe>().as_ref(), Ok(&recipe));
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "strategy",
            "case=1",
            "strategy=a seed=x",
            "strategy=a theories=nope",
            "strategy=a from=3",
        ] {
            assert!(line.parse::<Recipe>().is_err(), "{line}");
        }
    }
}
