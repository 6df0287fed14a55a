//! Solvers for tests, installed by the product itself; where one cannot be had the skip is loud.

use auspex_solvers::{Catalog, Want, install};

/// Whether a solver is there or could be installed; a failure where skips are not allowed.
pub fn provided(catalog: &Catalog, name: &str) -> bool {
    let profile = catalog.profile(name).expect("a built-in profile");
    match install(profile, &Want::Any, &catalog.cache, &mut |_| {}) {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("AUSPEX_NO_SKIP").is_none(), "{error}");
            eprintln!("SKIPPED: {name} cannot be had on this machine: {error}");
            false
        }
    }
}
