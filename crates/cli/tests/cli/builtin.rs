//! `carelock eval` with the embedded judge: without a key, without a network, without being asked to.

use carelock_test_support::{EXAMPLES, Outcome, Place};
use serde_json::Value;

use super::samples::{SHORT_CHAT, answers, record};

/// What was written by a run that the embedded judge took part in; it may leave checks unscored.
#[track_caller]
fn judged(outcome: &Outcome) -> Value {
    assert!(matches!(outcome.code, 0 | 3), "{outcome}");
    outcome.json()
}

/// A chat as a JSONL record without answers.
fn bare(id: &str) -> String {
    let messages = r#"[{"role":"user","content":"I feel low."},{"role":"assistant","content":"That sounds hard."}]"#;
    format!(r#"{{"id":"{id}","messages":{messages}}}"#)
}

/// Chat and judge of every report, in order.
fn who(lines: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let reports = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    reports.map(|report| (text(&report["transcript"]["id"]), text(&report["judge"]["name"]))).collect()
}

#[test]
fn a_chat_without_verdicts_is_judged_by_the_embedded_judge() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let outcome = place.run(&["eval", "chat.txt", "--format", "json"]);
    assert_eq!((&judged(&outcome)["judge"]["name"], outcome.stderr.as_str()), (&"builtin".into(), ""));
    assert_eq!(place.run(&["eval", "chat.txt", "--judge", "builtin", "--format", "json"]), outcome);
    assert_eq!(place.run_with_input(&["eval", "-"], SHORT_CHAT).code, outcome.code);
    assert_eq!(place.names(), ["chat.txt"], "nothing is kept");
}

#[test]
fn its_reports_hold() {
    let place = Place::with_examples();
    let outcome = place.run(&["eval", "chats", "--format", "jsonl", "-o", "reports.jsonl"]);
    assert!(matches!(outcome.code, 0 | 3), "{outcome}");
    assert_eq!(place.run(&["verify", "reports.jsonl"]).code, 0);
}

#[test]
fn verdicts_in_the_record_come_before_the_embedded_judge_unless_it_is_named() {
    let place = Place::new();
    place.write("chats.jsonl", [bare("c"), record("a", &answers()), bare("b")].join("\n"));
    let named = |id: &str, judge: &str| (id.to_owned(), judge.to_owned());
    let default = place.run(&["eval", "chats.jsonl", "--format", "jsonl"]);
    assert_eq!(who(&default.stdout), [named("c", "builtin"), named("a", "unnamed"), named("b", "builtin")]);
    let asked = place.run(&["eval", "chats.jsonl", "--format", "jsonl", "--judge", "builtin"]);
    assert!(who(&asked.stdout).iter().all(|(_, judge)| judge == "builtin"), "{asked}");
}

#[test]
fn it_can_sit_beside_people() {
    let place = Place::with_example("very-short");
    let arguments =
        ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--judge", "builtin", "--format", "json"];
    let report = judged(&place.run(&arguments));
    let members = report["panel"]["reports"].as_array().unwrap();
    assert_eq!((members.len(), &members[1]["judge"]["name"]), (2, &"builtin".into()));
}

#[test]
fn many_chats_keep_their_order_and_their_bytes_on_any_number_of_threads() {
    let place = Place::with_examples();
    let lines: Vec<String> = (0..500).map(|number| bare(&format!("chat-{number}"))).collect();
    place.write("many.jsonl", lines.join("\n"));
    let on = |threads: &str| {
        let mut command = place.command(&["eval", "many.jsonl", "chats", "--format", "jsonl"]);
        Outcome::new(command.env("RAYON_NUM_THREADS", threads))
    };
    let one = on("1");
    let ids: Vec<String> = who(&one.stdout).into_iter().map(|(id, _)| id).collect();
    let expected = (0..500).map(|number| format!("chat-{number}")).chain(EXAMPLES.map(str::to_owned));
    assert_eq!(ids, expected.collect::<Vec<_>>());
    assert_eq!(on("7"), one);
}

#[test]
fn the_settings_can_name_it() {
    let place = Place::new();
    place.write("chats.jsonl", record("a", &answers()));
    place.write("carelock.toml", "judge = \"builtin\"\n");
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "json"]);
    assert_eq!(judged(&outcome)["judge"]["name"], "builtin");
}

#[test]
fn options_for_models_are_refused_where_only_the_embedded_judge_is_named() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let with = |options: &[&str]| place.run(&[&["eval", "chat.txt", "--judge", "builtin"], options].concat());
    for options in [&["--dry-run"][..], &["--refresh"], &["--redact"], &["--fallback", "ollama:llama3.2"]] {
        let said = with(options).refused();
        assert!(said.contains("this option goes with a model; builtin sends nothing"), "{said}");
    }
    let plain = with(&[]);
    assert_eq!(with(&["--locked"]), plain);
    let twice = with(&["--judge", "builtin"]).refused();
    assert!(twice.contains("judge builtin is named twice"), "{twice}");
    let said = place.run(&["eval", "chat.txt", "--judge", "ollama:x", "--fallback", "builtin"]).refused();
    assert!(said.contains("--fallback builtin: only a model can stand in for a model"), "{said}");
    let unnamed = place.run(&["eval", "chat.txt", "--locked"]).refused();
    assert!(unnamed.contains("this option goes with a judge"), "{unnamed}");
}
