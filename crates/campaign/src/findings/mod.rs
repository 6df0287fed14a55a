//! A finding and all that is known about it: its record and folder, its bug, its releases, its history.

pub mod bisect;
pub mod broken;
pub(crate) mod filing;
pub mod finding;
pub mod finding_id;
pub mod folder;
pub mod group;
pub mod history;
pub mod ignore;
pub mod merge;
pub mod replay;
