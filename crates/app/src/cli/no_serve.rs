//! Stands in for `serve.rs` where Auspex is built without the web page: says so.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

#[derive(clap::Args)]
pub struct Arguments {
    /// Whatever `serve` takes where the web page is built in
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _given: Vec<std::ffi::OsString>,
}

pub fn run(_: &Arguments, _: Terminal) -> Result<Exit, Failure> {
    Err(Failure::Usage(
        "this auspex was built without the web page; build it with the feature `web`".to_string(),
    ))
}
