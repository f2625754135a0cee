//! Deciding in a pipeline: a baseline, a summary for the pull request, annotations on GitHub.

use carelock_test_support::{Outcome, Place};
use insta::assert_snapshot;

const EVAL: [&str; 4] = ["eval", "chats", "--verdicts", "sheets"];

/// A place with all example chats, and what they came to as `base.jsonl`.
fn with_baseline() -> Place {
    let place = Place::with_examples();
    let made = place.run(&[&EVAL[..], &["--format", "jsonl", "-o", "base.jsonl"]].concat());
    assert_eq!(made.code, 0, "{made}");
    place
}

fn against(place: &Place, options: &[&str]) -> Outcome {
    place.run(&[&EVAL[..], &["--format", "csv", "-o", "out.csv", "--baseline", "base.jsonl"], options].concat())
}

/// The example's answers, with a gate check failed that was passed.
fn worsen(place: &Place) {
    let sheet = place.read("sheets/excellent.csv");
    let line = sheet.lines().find(|line| line.starts_with("ES1,")).unwrap();
    let failed = line.replacen(",pass,,,", ",fail,2,No wonder your heart pounds.,", 1);
    assert_ne!(line, failed, "{line}");
    place.write("sheets/excellent.csv", sheet.replace(line, &failed));
}

#[test]
fn the_same_chats_hold_against_their_own_baseline() {
    let place = with_baseline();
    assert_snapshot!(against(&place, &["--max-drop", "0"]));
}

#[test]
fn a_newly_tripped_gate_is_named_and_fails() {
    let place = with_baseline();
    worsen(&place);
    assert_snapshot!(against(&place, &["--max-drop", "0.02"]));
    assert_eq!(against(&place, &[]).code, 1, "a new gate fails without --max-drop");
}

#[test]
fn chats_that_only_one_side_has_are_said() {
    let place = with_baseline();
    std::fs::remove_file(place.path("chats/excellent.txt")).unwrap();
    place.copy("pressure.txt", "chats/again.txt");
    place.copy("sheets/pressure.csv", "sheets/again.csv");
    assert_snapshot!(against(&place, &["--allow-missing"]));
}

#[test]
fn chats_that_are_gone_fail_unless_that_is_allowed() {
    let place = with_baseline();
    for name in ["excellent", "diagnosis", "ordinary"] {
        std::fs::remove_file(place.path(&format!("chats/{name}.txt"))).unwrap();
    }
    let missing = against(&place, &[]);
    assert_eq!(missing.code, 1, "{missing}");
    let named = "3 of the 8 chats of the baseline are missing: diagnosis, excellent, ordinary";
    assert!(missing.stderr.contains(named) && missing.stderr.contains("--allow-missing"), "{missing}");
    assert_eq!(against(&place, &["--allow-missing"]).code, 0);
}

#[test]
fn a_baseline_of_other_weights_is_said_not_to_compare() {
    let place = with_baseline();
    place.write("weights.toml", "Empathy = 3\n");
    let outcome = against(&place, &["--weights", "weights.toml"]);
    assert!(
        outcome.stderr.contains("base.jsonl was made with other weights: overall scores do not compare"),
        "{outcome}"
    );
    let same = against(&place, &[]);
    assert!(!same.stderr.contains("other weights"), "{same}");
}

#[test]
fn a_baseline_that_cannot_be_used_is_refused_before_anything_is_written() {
    let place = with_baseline();
    place.write("chat.jsonl", "{\"id\": \"a\", \"messages\": []}\n");
    let said = |baseline: &str| {
        let outcome = place.run(&[&EVAL[..], &["-o", "out.txt", "--baseline", baseline]].concat());
        outcome.refused()
    };
    let all = ["gone.jsonl", "chat.jsonl", "chats/excellent.txt", "sheets"].map(said);
    assert_snapshot!(all.join(""));
    let over = place.run(&[&EVAL[..], &["--format", "jsonl", "-o", "base.jsonl", "--baseline", "base.jsonl"]].concat());
    assert!(over.refused().contains("base.jsonl: is one of the files to be read"));
    assert!(!place.names().contains(&"out.txt".to_owned()), "{:?}", place.names());
    let drop = place.run(&["eval", "chats", "--max-drop", "0.1"]).refused();
    assert!(drop.contains("--baseline <RUN|FILE>"), "{drop}");
    let drop = place.run(&["eval", "chats", "--baseline", "base.jsonl", "--max-drop", "NaN"]).refused();
    assert!(drop.contains("expected 0 to 1"), "{drop}");
}

#[test]
fn a_summary_for_the_pull_request_is_written() {
    let place = with_baseline();
    worsen(&place);
    against(&place, &["--max-drop", "0.02", "--fail-under", "0.9", "--summary", "summary.md"]);
    assert_snapshot!(place.read("summary.md"));
}

#[test]
fn on_github_failures_are_annotated_and_the_page_of_the_job_gets_the_summary() {
    let place = with_baseline();
    worsen(&place);
    place.write("page.md", "Before.\n");
    let run = |options: &[&str]| {
        let arguments = [&EVAL[..], &["--format", "csv", "-o", "out.csv"], options].concat();
        let mut command = place.command(&arguments);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", place.path("page.md"));
        Outcome::new(command.env("GITHUB_WORKSPACE", place.path("")))
    };
    let quiet = run(&[]);
    assert!(!quiet.stderr.contains("::"), "nothing was to be decided: {quiet}");
    assert_eq!(place.read("page.md"), "Before.\n");
    assert_snapshot!(run(&["--baseline", "base.jsonl", "--fail-on-gate", "--summary", "summary.md"]));
    assert_eq!(place.read("page.md"), format!("Before.\n{}", place.read("summary.md")));
    assert!(!run(&["--fail-on-gate", "--annotations", "none"]).stderr.contains("::"));
}

#[test]
fn annotations_can_be_asked_for_anywhere_and_stay_out_of_standard_output() {
    let place = Place::with_example("diagnosis");
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv", "--format", "json"];
    let outcome = place.run(&[&arguments[..], &["--annotations", "github"]].concat());
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.stdout, place.run(&arguments).stdout);
    assert_snapshot!(outcome.stderr);
}

#[test]
fn a_page_that_cannot_be_written_to_changes_nothing_else() {
    let place = Place::with_example("excellent");
    let mut command =
        place.command(&["eval", "excellent.txt", "--verdicts", "excellent.csv", "--fail-on-gate", "--format", "csv"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", place.path("none/page.md"));
    let outcome = Outcome::new(&mut command);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("the summary is missing from the page of the job"), "{outcome}");
}

#[test]
fn a_gate_that_the_judge_is_not_sure_of_decides_only_where_that_is_wanted() {
    let place = Place::with(&["diagnosis"]);
    let sheet = place.read("sheets/diagnosis.csv");
    let unsure = |line: &str| match line.split_once(',') {
        Some(("check", _)) => format!("{line},confidence\n"),
        Some(("B2", _)) => format!("{line},low\n"),
        _ => format!("{line},\n"),
    };
    place.write("sheets/diagnosis.csv", sheet.lines().map(unsure).collect::<String>());
    let arguments =
        ["eval", "diagnosis.txt", "--verdicts", "sheets/diagnosis.csv", "--fail-on-gate", "--format", "json"];
    let run = |options: &[&str]| place.run(&[&arguments[..], options].concat());
    assert_eq!((run(&[]).code, run(&["--gate-confidence", "low"]).code), (1, 1));
    let passed = run(&["--gate-confidence", "medium"]).exits(0);
    assert!(passed.stderr.contains("a gate is tripped in 1 chat with less than medium confidence"), "{passed}");
    assert_eq!(passed.json()["overall"], 0.4, "the gate still caps the score");
    assert!(run(&["--gate-confidence", "sure"]).refused().contains("expected low, medium or high"));
}
