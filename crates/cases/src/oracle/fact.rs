//! The facts that oracles judge: which solver was asked which query in which form, and what it answered.

pub use crate::case::Side;
use crate::spelling::Spelling;
use ::core::time::Duration;
use auspex_logic::Answer;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One release of one solver in one configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SolverId {
    /// The solver's name: `cvc5`.
    pub make: String,
    /// Solvers that share code belong to one family and do not confirm each other: cvc5 and CVC4.
    pub family: String,
    pub release: Option<String>,
    pub options: Vec<String>,
    /// Whether it treats functions as undefined outside their domains. To dReal both `(> (/ 1.0 0.0) x)` and its
    /// negation are false.
    #[serde(default)]
    pub has_partial_functions: bool,
    /// Whether its options give scripts another meaning than the standard does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_otherwise: bool,
}

impl SolverId {
    /// A solver that is its own family, without options.
    pub fn new(make: &str, release: &str) -> SolverId {
        SolverId {
            make: make.to_string(),
            family: make.to_string(),
            release: Some(release.to_string()).filter(|release| !release.is_empty()),
            ..SolverId::default()
        }
    }

    /// `cvc5 1.4.2`: name and release.
    pub fn release_title(&self) -> String {
        match &self.release {
            Some(release) => format!("{} {release}", self.make),
            None => self.make.clone(),
        }
    }

    /// `cvc5 1.4.2 --safe-mode=safe`: name, release and options.
    pub fn title(&self) -> String {
        let mut title = self.release_title();
        for option in &self.options {
            title.push(' ');
            title.push_str(option);
        }
        title
    }
}

/// The form in which a query was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// In its script, with requests for models and cores added.
    #[default]
    Script,
    /// In its unchanged script.
    Exact,
    /// In its script, in a live process between `push` and `pop` or after `(reset)`.
    Live,
}

impl Form {
    /// The remark after the solver's name.
    pub fn remark(self) -> &'static str {
        match self {
            Form::Script => "",
            Form::Exact => " (unchanged script)",
            Form::Live => " (live process)",
        }
    }
}

/// One solver's reply to one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub solver: Arc<SolverId>,
    pub form: Form,
    pub answer: Answer,
    /// The replies to questions that belong to the query: those after it, and those before the first one.
    pub questions: Vec<QuestionReply>,
    /// The replies to questions of earlier queries of the script that it answered with sat or unsat.
    pub earlier: Vec<QuestionReply>,
    /// Processor time of the whole script, if it was measured.
    pub time: Option<Duration>,
    /// Which part of the time limit the whole run took, on the clock; none if it is not known, or if the solver's own
    /// options set limits.
    pub time_used: Option<f64>,
}

/// The reply to a question such as `(get-objectives)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct QuestionReply {
    /// Number of the command in the script.
    pub command: usize,
    /// The command.
    pub question: String,
    /// The reply, to the letter.
    pub said: String,
}

impl Reply {
    /// An untimed reply to a query in its script.
    pub fn new(solver: Arc<SolverId>, answer: Answer) -> Reply {
        Reply {
            solver,
            form: Form::Script,
            answer,
            questions: Vec::new(),
            earlier: Vec::new(),
            time: None,
            time_used: None,
        }
    }

    /// Name, release and options.
    pub fn title(&self) -> String {
        self.solver.title()
    }

    pub fn side(&self) -> Option<Side> {
        Side::of(&self.answer)
    }

    /// Whether the solver did not answer the query, so that it may have been asked another one than was meant.
    pub fn has_no_answer(&self) -> bool {
        matches!(
            self.answer,
            Answer::Rejected { .. } | Answer::Garbled { .. } | Answer::Crashed(_)
        )
    }

    /// The text of the model of a `sat`.
    pub fn model(&self) -> Option<&str> {
        match &self.answer {
            Answer::Sat { model } => model.as_deref(),
            _ => None,
        }
    }
}

/// Another script whose answers bear on a query, with the replies to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    pub link: Link,
    /// The script as it was asked.
    pub text: String,
    /// What is known about it without any answers.
    pub known: SourceStatus,
    pub replies: Vec<Reply>,
}

impl Related {
    /// A script that was not asked yet and about which nothing is known.
    pub fn unasked(link: Link, text: String) -> Related {
        Related {
            link,
            text,
            known: SourceStatus::Nothing,
            replies: Vec::new(),
        }
    }
}

/// How another script relates to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// A source of the case's relation, by its position.
    Source(usize),
    /// The members of the core in that reply, without the other named assertions.
    CoreOf(usize),
    /// The query alone: the declarations and assertions in force.
    Alone,
    /// The same script after one `push`.
    Pushed,
    /// The same assertions in other commands.
    Spelled(Spelling),
    /// What decides a claim of that reply, by its number.
    Claim(usize, usize),
}

/// What is known about a related script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceStatus {
    #[default]
    Nothing,
    /// This model makes every assertion true, checked by evaluation.
    Model(String),
    /// It is contradictory by construction.
    Contradiction,
}
