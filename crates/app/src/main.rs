//! The `auspex` binary.
fn main() {}
