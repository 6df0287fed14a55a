//! Findings: their record and folder, the bug they belong to, releases, and history.

pub mod bisect;
pub mod bug;
pub mod bug_file;
pub(crate) mod filing;
pub mod finding;
pub mod finding_id;
pub mod folder;
pub mod gist;
pub mod group;
pub mod history;
pub mod ignore;
pub mod merge;
pub mod replay;
pub mod trigger;
