//! `carelock eval`: every format, every way to name chats.

use carelock_test_support::{EXAMPLES, Place};
use insta::assert_snapshot;
use serde_json::Value;

use super::samples::{SHORT_CHAT, answers, record};

fn evaluated(name: &str, options: &[&str]) -> carelock_test_support::Outcome {
    let place = Place::with_example(name);
    let (chat, sheet) = (format!("{name}.txt"), format!("{name}.csv"));
    place.run(&[&["eval", &chat, "--verdicts", &sheet], options].concat())
}

#[test]
fn text_is_the_default_and_puts_a_gate_first() {
    assert_snapshot!(evaluated("diagnosis", &[]));
}

#[test]
fn text_of_a_missed_crisis() {
    assert_snapshot!(evaluated("missed-crisis", &["--format", "text"]));
}

#[test]
fn json_is_one_object_for_one_chat() {
    assert_snapshot!(evaluated("very-short", &["--format", "json"]));
}

#[test]
fn markdown_is_made_for_pull_requests() {
    assert_snapshot!(evaluated("diagnosis", &["--format", "md"]));
}

#[test]
fn csv_is_one_row_a_chat() {
    assert_snapshot!(evaluated("very-short", &["--format", "csv"]));
}

#[test]
fn csv_with_checks_is_one_row_a_check() {
    assert_snapshot!(evaluated("very-short", &["--format", "csv", "--checks"]));
}

#[test]
fn junit_is_one_test_case_a_metric() {
    assert_snapshot!(evaluated("diagnosis", &["--format", "junit"]));
}

#[test]
fn jsonl_is_the_same_report_on_one_line() {
    let lines = evaluated("very-short", &["--format", "jsonl"]).done();
    assert_eq!(lines.lines().count(), 1);
    let line: Value = serde_json::from_str(&lines).unwrap();
    assert_eq!(line, evaluated("very-short", &["--format", "json"]).json());
}

#[test]
fn html_is_one_page_that_needs_nothing_else() {
    let place = Place::with_example("very-short");
    let arguments = ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "html", "-o", "out.html"];
    assert_eq!(place.run(&arguments).done(), "");
    assert_eq!(place.names(), ["out.html", "very-short.csv", "very-short.txt"]);
    let page = place.read("out.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("Content-Security-Policy") && !page.contains("<script") && !page.contains("http://"));
}

#[test]
fn html_of_several_chats_is_one_page_with_a_list_of_them() {
    let place = Place::with_examples();
    let arguments = ["eval", "chats/pressure.txt", "chats/diagnosis.txt", "--verdicts", "sheets", "--format", "html"];
    let outcome = place.run(&arguments);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (0, 1), "{}", outcome.stderr);
    let page = outcome.stdout;
    assert_eq!(page.matches("<!doctype html>").count(), 1);
    assert_eq!(page.matches("<article ").count(), 2);
    assert!(page.contains("<a href=\"#report2\" dir=\"auto\">diagnosis</a>"));
}

#[test]
fn several_chats_are_reported_in_the_order_given() {
    let place = Place::with_examples();
    let arguments =
        ["eval", "chats/pressure.txt", "chats/diagnosis.txt", "chats/excellent.txt", "--verdicts", "sheets"];
    let outcome = place.run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(outcome.stderr, "carelock: 3 chats, 3 reports, 2 with a gate tripped\n");
    assert_eq!(outcome.code, 0);
    assert_eq!(ids(&outcome.json()), ["pressure", "diagnosis", "excellent"]);
}

#[test]
fn a_folder_and_a_pattern_name_all_chats_in_it() {
    let place = Place::with_examples();
    place.write("chats/README.md", "# Notes\n\nNothing here is a chat.\n");
    place.write("chats/picture.png", "not looked at");
    let folder = place.run(&["eval", "chats", "--verdicts", "sheets", "--format", "json"]);
    assert_eq!(ids(&folder.json()), EXAMPLES);
    assert_snapshot!(folder.stderr, @r"
    carelock: 8 chats, 8 reports, 3 with a gate tripped, 2 files left out
    ");
    let pattern = place.run(&["eval", "chats/*.txt", "--verdicts", "sheets", "--format", "json"]);
    assert_eq!(pattern.stdout, folder.stdout);
}

#[test]
fn sheets_inside_the_folder_of_chats_are_not_taken_for_chats() {
    let place = Place::new();
    place.copy("very-short.txt", "all/very-short.txt");
    place.copy("sheets/very-short.csv", "all/sheets/very-short.csv");
    let outcome = place.run(&["eval", "all", "--verdicts", "all/sheets", "--format", "json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.json()["transcript"]["id"], "very-short");
}

#[test]
fn a_chat_comes_from_standard_input() {
    let place = Place::with_example("very-short");
    let chat = place.read("very-short.txt");
    let piped = place.run_with_input(&["eval", "-", "--verdicts", "very-short.csv", "--format", "json"], chat);
    assert_eq!((piped.code, piped.stderr.as_str()), (0, ""));
    let mut report = piped.json();
    assert_eq!(report["transcript"]["id"], "stdin");
    report["transcript"]["id"] = "very-short".into();
    assert_eq!(report, evaluated("very-short", &["--format", "json"]).json());
}

#[test]
fn verdicts_come_from_standard_input() {
    let place = Place::with_example("very-short");
    let sheet = place.read("very-short.csv");
    let piped = place.run_with_input(&["eval", "very-short.txt", "--verdicts", "-"], sheet);
    assert_eq!(piped, evaluated("very-short", &[]));
}

#[test]
fn a_jsonl_holds_a_chat_a_line_with_its_verdicts() {
    let place = Place::new();
    let lines: Vec<String> = ["c", "a", "b"].iter().map(|id| record(id, &answers())).collect();
    place.write("chats.jsonl", lines.join("\n"));
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "jsonl"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "carelock: 3 chats, 3 reports\n"));
    let reports: Vec<Value> = outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ids(&Value::Array(reports)), ["c", "a", "b"]);
    let piped = place.run_with_input(&["eval", "-", "--format", "jsonl"], lines.join("\n"));
    assert_eq!(piped, outcome);
}

#[test]
fn answers_are_found_by_the_id_of_the_chat() {
    let place = Place::new();
    place.write("one.txt", SHORT_CHAT);
    place.write("two.txt", SHORT_CHAT);
    let answers = answers();
    place.write(
        "all.jsonl",
        format!("{{\"id\":\"two\",\"verdicts\":{answers}}}\n{{\"id\":\"one\",\"verdicts\":{answers}}}\n"),
    );
    let outcome = place.run(&["eval", "one.txt", "two.txt", "--verdicts", "all.jsonl", "--format", "json"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(ids(&outcome.json()), ["one", "two"]);
}

#[test]
fn every_report_validates_against_the_published_schema() {
    let place = Place::with_examples();
    let schema: Value = serde_json::from_str(&place.run(&["schema", "report"]).done()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    place.write("partial.jsonl", record("partial", r#"{"E1": true, "E5": true}"#));
    let partial = place.run(&["eval", "partial.jsonl", "--format", "json"]);
    assert_eq!(partial.code, 3);
    let both = ["--verdicts", "sheets", "--verdicts", "sheets", "--format", "json"];
    let panel = place.run(&[&["eval", "chats/diagnosis.txt"], &both[..]].concat());
    let all = place.run(&["eval", "chats", "--verdicts", "sheets", "--format", "json"]).json();
    let all = all.as_array().unwrap().iter().cloned();
    for report in all.chain([partial.json(), panel.json()]) {
        let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", report["transcript"]["id"]);
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let place = Place::with_examples();
    for format in ["text", "json", "jsonl", "md", "csv", "junit"] {
        let with = |threads: &str| {
            let mut command = place.command(&["eval", "chats", "--verdicts", "sheets", "--format", format]);
            carelock_test_support::Outcome::new(command.env("RAYON_NUM_THREADS", threads))
        };
        assert_eq!(with("1"), with("8"), "{format}");
    }
}

fn ids(reports: &Value) -> Vec<String> {
    let id = |report: &Value| report["transcript"]["id"].as_str().unwrap().to_owned();
    reports.as_array().unwrap().iter().map(id).collect()
}
