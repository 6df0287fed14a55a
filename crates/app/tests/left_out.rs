//! A build without PostgreSQL or the web page says what is left out, and everything else works:
//! `cargo test -p auspex --no-default-features --test left_out`.
#![cfg(not(any(feature = "postgres", feature = "web")))]

mod common;

use common::*;

#[test]
fn what_is_left_out_says_so_and_names_the_feature() {
    for (arguments, feature) in [
        (
            &["fuzz", "--store", "postgres://nowhere/x"][..],
            "`postgres`",
        ),
        (
            &["findings", "--store", "postgres://nowhere/x"],
            "`postgres`",
        ),
        (&["serve"], "`web`"),
        (&["serve", "out", "--listen", "127.0.0.1:0"], "`web`"),
    ] {
        let output = auspex(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).contains(feature), "{}", said(&output));
    }
}

#[test]
fn a_campaign_and_its_report_need_neither() {
    if !have("z3@latest") {
        return;
    }
    let folder = Folder::new("left-out");
    let out = folder.path();
    let fuzz = [
        "fuzz",
        "--time",
        "3s",
        "--workers",
        "1",
        "--plain",
        "--no-memory",
    ];
    let mut fuzz = fuzz.to_vec();
    fuzz.extend(["--no-seed-install", "--solver", "z3@latest", "--out", out]);
    for arguments in [&fuzz[..], &["report", out], &["status", out]] {
        let output = auspex(arguments);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}",
            said(&output)
        );
    }
}
