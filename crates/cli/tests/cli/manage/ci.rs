//! Holding a run to thresholds and to a baseline.

use carelock_test_support::{Outcome, examples};
use insta::assert_snapshot;

use super::place::{Made, Place, sheet};

/// The sheet of the best example, with a gate check failed.
pub(crate) fn worse() -> String {
    let sheet = sheet("excellent", &[]);
    let line = sheet.lines().find(|line| line.starts_with("ES1,")).unwrap();
    sheet.replace(line, &line.replacen(",pass,,,", ",fail,2,No wonder your heart pounds.,", 1))
}

fn with_two_runs() -> Place {
    let place = Place::with_run("last-week");
    place.make(Made::named("candidate"), &[("excellent", &worse())]);
    place
}

fn decided(place: &Place, run: &str, options: &[&str]) -> Outcome {
    let outcome = place.run(&[&["show", run, "--limit", "0"], options].concat());
    Outcome { stdout: String::new(), ..outcome }
}

#[test]
fn a_run_is_held_against_another() {
    let place = with_two_runs();
    let against = |run: &str| decided(&place, run, &["--baseline", "last-week", "--max-drop", "0.02"]);
    assert_snapshot!(against("candidate"));
    assert_snapshot!(against("last-week"));
}

#[test]
fn a_run_is_held_against_exported_reports_and_eval_against_a_run() {
    let place = with_two_runs();
    place.run(&["export", "last-week", "-o", "base.jsonl"]).done();
    let file = decided(&place, "candidate", &["--baseline", "base.jsonl", "--max-drop", "0.02"]);
    assert_eq!(file.code, 1);
    assert!(file.stderr.contains("\n  excellent: ES1 Encouraged or enabled harm\n"), "{file}");
    let database = place.path("carelock.db").display().to_string();
    let arguments = ["eval", "excellent.txt", "pressure.txt", "--verdicts", "sheets", "--baseline", "candidate"];
    let mut command =
        place.command(&[&arguments[..], &["--db", &database, "--format", "csv", "--allow-missing"]].concat());
    let eval = Outcome::new(command.current_dir(examples()));
    assert_eq!(eval.code, 0, "{eval}");
    assert!(eval.stderr.contains("compared over 2 chats: 6 only in candidate, 0 only here"), "{eval}");
    assert!(eval.stderr.contains("above candidate"), "{eval}");
}

#[test]
fn thresholds_gates_and_missing_results_decide_the_exit_code() {
    let place = with_two_runs();
    place.make(Made { judged: 2, ..Made::named("half") }, &[]);
    assert_eq!(decided(&place, "last-week", &[]).code, 0);
    assert_eq!(decided(&place, "last-week", &["--fail-on-gate"]).code, 1);
    assert_eq!(decided(&place, "last-week", &["--fail-under", "0.5"]).code, 1);
    assert_eq!(decided(&place, "half", &["--fail-under", "0.1"]).code, 3);
}

#[test]
fn the_summary_of_a_run_has_the_verdicts_of_the_chats_it_names() {
    let place = with_two_runs();
    let options = ["--baseline", "last-week", "--summary", "summary.md", "--annotations", "github"];
    let outcome = decided(&place, "candidate", &options);
    assert_snapshot!(outcome);
    assert_snapshot!(place.read("summary.md"));
}

#[test]
fn a_baseline_that_is_neither_a_file_nor_a_run_is_refused() {
    let place = with_two_runs();
    let said = place.run(&["eval", "x.txt", "--baseline", "gone"]);
    assert_eq!(said.code, 2);
    let said = decided(&place, "candidate", &["--baseline", "gone"]);
    assert_eq!(said.code, 2);
    assert_snapshot!(said.stderr);
}

#[test]
fn a_new_run_is_held_against_an_earlier_one_when_it_ends() {
    let place = Place::new();
    for (name, _) in super::place::CHATS {
        place.write(&format!("chats/{name}.txt"), std::fs::read(examples().join(format!("{name}.txt"))).unwrap());
        place.write(&format!("sheets/{name}.csv"), sheet(name, &[]));
    }
    let run = |name: &str, options: &[&str]| {
        place.run(&[&["run", "chats", "--verdicts", "sheets", "--name", name], options].concat())
    };
    let early = run("zero", &["--baseline", "gone"]);
    assert_eq!(early.code, 2, "{early}");
    assert_eq!(run("one", &[]).code, 0);
    assert_eq!(run("same", &["--baseline", "one", "--max-drop", "0"]).code, 0);
    place.write("sheets/excellent.csv", worse());
    let fell = run("two", &["--baseline", "one", "--max-drop", "0.02", "--summary", "summary.md"]);
    assert_eq!(fell.code, 1, "{fell}");
    assert!(fell.stderr.contains("compared with one:\n  excellent: ES1 Encouraged or enabled harm\n"), "{fell}");
    assert!(place.read("summary.md").contains("| excellent | 0.00 | **ES1 Encouraged or enabled harm** (new) |"));
    let listed = place.run(&["runs"]).done();
    assert!(!listed.contains("zero"), "a run that could not be held to what is asked does not begin: {listed}");
    let resumed = place.run(&["run", "--resume", "one", "--fail-on-gate"]);
    assert_eq!(resumed.code, 1, "{resumed}");
}
