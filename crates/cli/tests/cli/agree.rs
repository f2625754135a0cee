//! `carelock agree`: judges against labels, sheets and each other, from files.

use carelock_test_support::{EXAMPLES, Place};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::samples::record;

/// The examples as reports of the sheets and of the embedded judge.
fn place() -> Place {
    let place = Place::with_examples();
    place.run(&["eval", "chats", "--verdicts", "sheets", "--format", "jsonl", "-o", "rated.jsonl"]);
    place.run(&["eval", "chats", "--judge", "builtin", "--format", "jsonl", "-o", "builtin.jsonl"]);
    place
}

/// The sheets of the examples as a file of labels, with the turns of the chats.
fn labels(place: &Place) -> String {
    let reports = place.read("rated.jsonl");
    let label = |report: Value| {
        let checks =
            report["metrics"].as_object().unwrap().values().flat_map(|metric| metric["checks"].as_object().unwrap());
        let word = |check: &Value| match (check["pass"].as_bool(), check["basis"].as_str()) {
            (Some(true), Some("not_triggered")) => "not_triggered",
            (Some(true), _) => "pass",
            _ => "fail",
        };
        let verdicts: serde_json::Map<String, Value> =
            checks.map(|(id, check)| (id.clone(), word(check).into())).collect();
        json!({ "id": report["transcript"]["id"], "source": "written", "turns": report["turns"], "verdicts": verdicts })
    };
    let lines = reports.lines().map(|line| label(serde_json::from_str(line).unwrap()).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_judge_against_rating_sheets_gates_first() {
    assert_snapshot!(place().run(&["agree", "sheets", "rated.jsonl", "--by", "metric", "--worst", "2"]));
}

#[test]
fn labels_sheets_and_reports_say_the_same_of_the_same_verdicts() {
    let place = place();
    place.write("labels.jsonl", labels(&place));
    let figures = |reference: &str| {
        let mut study = place.run(&["agree", reference, "builtin.jsonl", "--format", "json", "--worst", "0"]).json();
        study["judges"][0].take()
    };
    let (labels, sheets, reports) = (figures("labels.jsonl"), figures("sheets"), figures("rated.jsonl"));
    for part in ["matched", "gates", "checks", "failures", "confusion", "overall"] {
        assert_eq!(labels[part], sheets[part], "{part}");
        assert_eq!(labels[part], reports[part], "{part}");
    }
    assert_eq!(labels["matched"]["chats"], EXAMPLES.len());
    // A gate of which the embedded judge is unsure has no verdict to compare.
    let unsure = place.read("builtin.jsonl").matches("\"unscored\":\"unsure").count();
    assert_eq!(labels["checks"]["items"], 50 * EXAMPLES.len() - unsure);
}

#[test]
fn chats_are_found_by_their_text_where_ids_differ() {
    let place = place();
    place.write("labels.jsonl", labels(&place).replace("\"id\":\"", "\"id\":\"another-"));
    let study = place.run(&["agree", "labels.jsonl", "rated.jsonl", "--format", "json"]).json();
    assert_eq!(study["judges"][0]["matched"], json!({ "chats": 8, "by_digest": 8 }));
    assert_eq!(study["judges"][0]["checks"]["raw"]["value"], 1.0);
}

#[test]
fn pairs_count_only_where_both_chats_are_right() {
    let place = Place::new();
    let answers = super::samples::answers();
    let right =
        answers.replace(r#""E5": true"#, r#""E5": {"pass": false, "turns": [2], "quote": "That sounds hard."}"#);
    let chats = [("E5-1-pass", &answers), ("E5-1-fail", &right), ("E5-2-pass", &answers), ("E5-2-fail", &answers)];
    let lines: Vec<String> = chats.iter().map(|(id, answers)| record(id, answers)).collect();
    place.write("chats.jsonl", lines.join("\n"));
    place.run(&["eval", "chats.jsonl", "--format", "jsonl", "-o", "reports.jsonl"]);
    let label = |(id, _): &(&str, &String)| {
        let verdict = id.rsplit('-').next().unwrap();
        json!({ "id": id, "check": "E5", "verdict": verdict, "cited": [2] }).to_string()
    };
    place.write("pairs.jsonl", chats.iter().map(label).collect::<Vec<_>>().join("\n"));
    let study = place.run(&["agree", "pairs.jsonl", "reports.jsonl", "--format", "json"]).json();
    let judge = &study["judges"][0];
    assert_eq!((&judge["pairs"]["pairs"], &judge["pairs"]["both_right"]), (&json!(2), &json!(1)), "{judge:#}");
    assert_eq!((&judge["pairs"]["wrong"], &judge["checks"]["items"]), (&json!(["E5-2"]), &json!(4)));
    let text = place.run(&["agree", "pairs.jsonl", "reports.jsonl"]).done();
    assert!(text.contains("both chats right  1 of 2  0.50"), "{text}");
}

#[test]
fn three_raters_are_measured_together_and_each_against_the_first() {
    let place = place();
    let text = place.run(&["agree", "sheets", "builtin.jsonl", "rated.jsonl", "--worst", "0"]).done();
    assert_eq!(text.matches(" against sheet:examples (sheets)").count(), 2, "{text}");
    assert!(text.contains("All 3 raters together") && text.contains("Fleiss' kappa"), "{text}");
}

#[test]
fn every_format_is_written_and_no_line_of_text_is_too_wide() {
    let place = place();
    for by in ["check", "metric", "source"] {
        let text = place.run(&["agree", "sheets", "builtin.jsonl", "--by", by]).done();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let markdown = place.run(&["agree", "sheets", "builtin.jsonl", "--by", "check", "-f", "md"]).done();
    assert!(markdown.contains("| ES2 | "), "{markdown}");
    let csv = place.run(&["agree", "sheets", "builtin.jsonl", "--by", "metric", "-f", "csv"]).done();
    let mut rows = csv.lines();
    assert_eq!(rows.next(), Some("judge,reference,part,name,figure,value,low,high,p,why_not"));
    assert!(rows.all(|row| row.split(',').count() == 10), "{csv}");
    place.run(&["agree", "sheets", "builtin.jsonl", "-o", "agreement.txt"]).done();
    assert!(place.read("agreement.txt").starts_with("builtin (builtin.jsonl) against"));
}

#[test]
fn the_same_seed_gives_the_same_intervals_and_another_one_others() {
    let place = place();
    let run = |seed: &str| place.run(&["agree", "sheets", "builtin.jsonl", "-f", "csv", "--seed", seed]).done();
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_to_do() {
    let place = place();
    place.write(
        "other.jsonl",
        labels(&place).lines().next().unwrap().replace("diagnosis", "elsewhere").replace("ADHD", "x"),
    );
    place.write("odd.jsonl", r#"{"id": "a", "verdicts": {"E99": "pass"}}"#);
    place.write(
        "misspelt.jsonl",
        "{\"id\": \"a\", \"verdicts\": {\"E1\": \"pass\"}}\n{\"id\": \"c0\", \"verdicts\": {\"E1\": \"maybe\"}}",
    );
    place.write("pair.jsonl", r#"{"id": "a", "check": "E1", "verdict": "maybe"}"#);
    place.write("empty.jsonl", "");
    place.write("broken.jsonl", "{\"id\": ");
    place.write("twice.jsonl", [labels(&place), labels(&place)].join("\n"));
    let all = [
        vec!["agree", "gone.jsonl", "builtin.jsonl"],
        vec!["agree", "odd.jsonl", "builtin.jsonl"],
        vec!["agree", "misspelt.jsonl", "builtin.jsonl"],
        vec!["agree", "pair.jsonl", "builtin.jsonl"],
        vec!["agree", "empty.jsonl", "builtin.jsonl"],
        vec!["agree", "broken.jsonl", "builtin.jsonl"],
        vec!["agree", "twice.jsonl", "builtin.jsonl"],
        vec!["agree", "-", "-"],
        vec!["agree", "sheets", "builtin.jsonl", "--confidence", "1"],
        vec!["agree", "sheets", "builtin.jsonl", "--resamples", "5"],
    ];
    assert_snapshot!(all.map(|arguments| place.run(&arguments).refused()).join(""));
}

#[test]
fn what_a_model_said_off_the_menu_is_no_verdict_and_no_error() {
    let place = place();
    let verdicts = json!({ "E1": "maybe", "E2": "pass" });
    let answer = json!({ "id": "diagnosis", "judge": { "name": "m", "model": "m-1" }, "verdicts": verdicts });
    place.write("answers.jsonl", answer.to_string());
    let study = place.run(&["agree", "answers.jsonl", "builtin.jsonl", "--format", "json"]).json();
    assert_eq!(study["judges"][0]["checks"]["items"], 1);
}

#[test]
fn nothing_in_common_is_said_and_is_bad_input() {
    let place = place();
    place.write("other.jsonl", json!({ "id": "elsewhere", "verdicts": { "E1": "pass" } }).to_string());
    let outcome = place.run(&["agree", "other.jsonl", "builtin.jsonl"]);
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(outcome.stdout.contains("only in other.jsonl: 1 chat (elsewhere)"), "{outcome}");
    assert!(outcome.stderr.contains("no chat is in both"), "{outcome}");
}
