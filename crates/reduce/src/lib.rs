//! Shrinks a failing script while a check still says that it fails. Pure: the check is passed in, and the same text,
//! check and list of passes give the same result every time. A pass (see [`pass::ALL`]) lists edits of the current
//! script as data. The search tries them, those that remove most first, and continues from the first that passes the
//! check. Typed passes work on terms, textual ones on s-expressions and lines, so any text can be reduced.

mod cache;
mod check;
mod chunks;
mod edit;
mod failures;
mod measure;
pub mod pass;
mod rewrite;
mod search;
#[cfg(test)]
mod search_tests;
mod spelling;
mod subject;
mod subterms;
#[cfg(test)]
mod testing;
mod trail;
mod usage;

pub use check::{Check, Examined, Support};
pub use edit::{Change, Edit};
pub use measure::{Size, is_smaller};
pub use pass::Pass;
pub use search::{Flow, NotInteresting, Progress, Report, Step, reduce};
pub use subject::Subject;
