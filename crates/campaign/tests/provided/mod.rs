//! Solvers for tests, installed by the product itself; where one cannot be had the skip is loud.

use auspex_solvers::{Catalog, Want, install};

/// Whether a solver (`z3`, `z3@5.1.0`) is there or could be installed; a failure where skips are not allowed.
pub fn provided(catalog: &Catalog, name: &str) -> bool {
    let (make, release) = name
        .split_once('@')
        .map_or((name, None), |(m, r)| (m, Some(r)));
    let profile = catalog.profile(make).expect("a built-in profile");
    let want = Want::read(release).expect("a release");
    match install(profile, &want, &catalog.cache, &mut |_| {}) {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("AUSPEX_NO_SKIP").is_none(), "{error}");
            eprintln!("SKIPPED: {name} cannot be had on this machine: {error}");
            false
        }
    }
}
