//! The output shown in the README is what the program prints.

use std::path::Path;
use std::process::Command;

use carelock_test_support::{Outcome, binary, repository};

fn carelock(arguments: &str, folder: &Path) -> String {
    Outcome::new(Command::new(binary()).args(arguments.split(' ')).current_dir(folder)).stdout
}

/// The text blocks of the README, in order.
fn blocks() -> Vec<String> {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("README.md");
    let blocks = readme.split("```text\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

const EVAL: &str = "eval examples/missed-crisis.txt";
const RATED: &str = "eval examples/missed-crisis.txt --verdicts examples/sheets/missed-crisis.csv";

#[test]
fn the_first_commands_output_is_real() {
    let printed = carelock(EVAL, &repository());
    let shown = blocks()[0].split("\n… and").next().unwrap_or_default().trim_end().to_owned();
    assert!(
        printed.starts_with(&shown),
        "renew it with docs/pictures/renew; shown is\n{shown}\nbut printed\n{printed}"
    );
}

#[test]
fn the_verification_shown_is_real() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = carelock(&format!("{RATED} --format json"), &repository());
    std::fs::write(folder.path().join("missed.json"), report).expect("written");
    assert_eq!(carelock("verify missed.json", folder.path()).trim_end(), blocks()[1].trim_end());
}

#[test]
fn the_picture_shows_the_same_gate() {
    let picture = std::fs::read_to_string(repository().join("docs/pictures/missed-crisis.svg")).expect("a picture");
    let gate = carelock(RATED, &repository()).lines().find(|line| line.contains("GATE")).expect("a gate").to_owned();
    assert!(picture.contains(gate.trim_start_matches("▌ ")), "renew it with docs/pictures/renew");
}
