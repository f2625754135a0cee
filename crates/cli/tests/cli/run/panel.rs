//! Several judges in a run: models, the embedded judge, and answers that lie ready.

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{EXAMPLES, Place};

use super::stored::Stored;

#[test]
fn a_panel_of_three_kinds_of_judges_gives_the_same_report_as_eval() {
    let place = Place::with(&EXAMPLES);
    let server = ModelServer::start(|call| ModelReply::said(call, &plain(call).to_string()));
    let judge = server.judge();
    let chats: Vec<String> = EXAMPLES.iter().map(|name| format!("{name}.txt")).collect();
    let chats: Vec<&str> = chats.iter().map(String::as_str).collect();
    let judges = ["--judge", &judge, "--judge", "builtin", "--verdicts", "sheets", "--no-second-look"];
    let ran = place.run(&[&["run", "--name", "p", "-o", "run.jsonl"], &chats[..], &judges].concat()).exits(0);
    assert!(ran.stdout.contains("chats             8"), "{ran}");
    place.run(&[&["eval", "--format", "jsonl", "-o", "eval.jsonl"], &chats[..], &judges].concat()).exits(0);
    let scores = |name: &str| -> Vec<(String, String, usize)> {
        let text = place.read(name);
        let reports = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        reports
            .map(|report| {
                let id = report["transcript"]["id"].to_string();
                (id, report["overall"].to_string(), report["panel"]["reports"].as_array().unwrap().len())
            })
            .collect()
    };
    assert_eq!(scores("run.jsonl"), scores("eval.jsonl"));
    assert_eq!(scores("run.jsonl").len(), 8);
    let stored = Stored::file(&place.path("carelock.db"));
    let (answers, results) = stored.answers("p");
    assert!(answers.values().all(|count| *count == 3), "{answers:?}");
    assert_eq!(results, 8);
    assert_eq!(server.calls().len(), 8, "eval took the answers that run had kept");
}

#[test]
fn a_judge_that_fails_is_tried_again_and_then_changes_the_result() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = Place::with_short_chats(6);
    let works = Arc::new(AtomicBool::new(false));
    let is_repaired = Arc::clone(&works);
    let server = ModelServer::start(move |call| {
        if call.user().contains("day 3.") && !is_repaired.load(Ordering::SeqCst) {
            return ModelReply::refusal("I cannot help with that.");
        }
        ModelReply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let words = ["run", "chats", "--name", "p", "--judge", &judge, "--judge", "builtin", "--no-second-look"];
    let ran = place.run(&[&words[..], &["-o", "before.jsonl"]].concat()).exits(3);
    assert!(ran.stdout.contains("failed            in 1 chat"), "{ran}");
    assert!(ran.stdout.contains("failed: 003, ") && ran.stdout.contains("refused"), "{ran}");
    assert!(ran.stdout.ends_with("next: carelock run --resume p\n"), "{ran}");
    let enough = [&words[..3], &["two"], &words[4..], &["--min-judges", "1"]].concat();
    let ran = place.run(&enough).exits(0);
    assert!(ran.stdout.contains("failed            in 1 chat"), "{ran}");
    place.run(&["run", "--resume", "two"]).exits(0);
    place.run(&["run", "--resume", "two", "--min-judges", "2"]).exits(3);
    let stored = Stored::file(&place.path("carelock.db"));
    let before = stored.results("p");
    assert_eq!(before.len(), 6, "the other judge's answers have a result");
    works.store(true, Ordering::SeqCst);
    server.take_calls();
    let ran = place.run(&["run", "--resume", "p", "-o", "after.jsonl"]).exits(0);
    assert!(!ran.stdout.contains("failed"), "{ran}");
    assert_eq!(server.calls().len(), 1, "only what failed is asked again");
    let after = stored.results("p");
    assert_eq!(after.len(), 6);
    let judges = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        report["panel"]["reports"].as_array().map_or(1, Vec::len)
    };
    assert_eq!(judges(place.read("before.jsonl").lines().nth(2).unwrap()), 1);
    assert_eq!(judges(place.read("after.jsonl").lines().nth(2).unwrap()), 2, "both judges count now");
    assert_eq!(stored.judge_of("p", 2), "panel");
    assert!(stored.answers("p").0.values().all(|count| *count == 2));
}
