//! Reduction of findings: the check that a smaller script still shows the same bug, alone or as a pair.

pub mod bug_check;
pub mod command_check;
pub mod options;
pub mod pair;
pub(crate) mod reducer_session;
pub mod reduction;
