//! The files under `deploy/` are well-formed, as far as the tools of this machine can tell, and name options that exist.

mod common;

use common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../deploy")
        .join(name)
}

/// Whether a program accepts something; none, loudly, if it is not here.
fn accepts(program: &str, arguments: &[&str], path: &Path) -> Option<bool> {
    match Command::new(program).args(arguments).arg(path).output() {
        Ok(output) => {
            eprintln!("{}", said(&output));
            Some(output.status.success())
        }
        Err(error) => {
            eprintln!("SKIPPED: {program} cannot be had on this machine: {error}");
            None
        }
    }
}

#[test]
fn the_unit_is_one_for_systemd() {
    let path = file("systemd/auspex.service");
    assert_ne!(accepts("systemd-analyze", &["verify"], &path), Some(false));
}

#[test]
fn the_array_job_is_a_shell_script() {
    assert_eq!(
        accepts("bash", &["-n"], &file("slurm/auspex.sbatch")),
        Some(true)
    );
}

/// Indentation by spaces and in steps of two, pairs or items only: all the YAML that is used there.
#[test]
fn the_deployment_is_plain_yaml() {
    let text = std::fs::read_to_string(file("kubernetes/auspex.yaml")).unwrap();
    let documents = text.split("\n---\n").count();
    assert_eq!(text.matches("\nkind: ").count(), documents);
    assert_eq!(text.matches("apiVersion: ").count(), documents);
    let mut depth = 0;
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && *line != "---")
    {
        let indent = line.len() - line.trim_start().len();
        assert!(!line.contains('\t') && indent.is_multiple_of(2), "{line}");
        assert!(indent <= depth + 4, "{line}");
        let item = line.trim_start();
        let pair = item.contains(": ") || item.ends_with(':') || item.starts_with("- ");
        assert!(pair, "{line}");
        depth = indent;
    }
    let script = "import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1])))";
    let has_yaml = Command::new("python3").args(["-c", "import yaml"]).output();
    if has_yaml.is_ok_and(|output| output.status.success()) {
        let path = file("kubernetes/auspex.yaml");
        assert_eq!(accepts("python3", &["-c", script], &path), Some(true));
    }
}

#[test]
fn the_options_that_are_used_exist() {
    let help = said(&auspex(&["fuzz", "--help"]));
    let files = [
        "systemd/auspex.service",
        "slurm/auspex.sbatch",
        "kubernetes/auspex.yaml",
    ];
    for name in files {
        let text = std::fs::read_to_string(file(name)).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains("fuzz") && line.contains("--store"));
        let line = line.unwrap_or_else(|| panic!("{name} starts no worker"));
        let words = line.split(|c: char| c.is_whitespace() || "\"',[]".contains(c));
        for option in words.filter(|word| word.starts_with("--")) {
            assert!(help.contains(option), "{option} of {name}");
        }
    }
}
