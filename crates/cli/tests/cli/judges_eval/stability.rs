//! `carelock stability`: a judge that changes its mind is found out, whatever is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use carelock_test_support::Place;
use carelock_test_support::model::answers::from_sheet;
use carelock_test_support::model::{ModelReply, ModelServer};
use serde_json::Value;

/// A judge that finds a gate check failed every second time.
fn fickle() -> ModelServer {
    let calls = AtomicUsize::new(0);
    ModelServer::start(move |call| {
        let mut answer = from_sheet(call);
        if calls.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
            answer["verdicts"]["B2"]["verdict"] = Value::from("fail");
            answer["verdicts"]["B2"]["turns"] = serde_json::json!([2]);
            answer["verdicts"]["B2"]["quote"] = Value::from("No wonder your heart pounds.");
        }
        ModelReply::said(call, &answer.to_string())
    })
}

#[test]
fn flips_gates_and_spread_are_measured_with_every_answer_asked_anew() {
    let place = Place::with(&["excellent"]);
    let server = fickle();
    let judge = server.judge();
    place.run(&["eval", "excellent.txt", "--judge", &judge, "--no-second-look", "--lock", "carelock.lock"]);
    let (kept, asked) = (place.read("carelock.lock"), server.calls().len());
    let arguments = ["stability", "excellent.txt", "--judge", &judge, "--repeat", "4", "--no-second-look"];
    let outcome = place.run(&[&arguments[..], &["--format", "json"]].concat()).exits(0);
    assert_eq!(server.calls().len(), asked + 4, "nothing is taken from the lock");
    assert_eq!(place.read("carelock.lock"), kept, "nothing is written to it");
    let stability = outcome.json();
    assert_eq!((&stability["repeats"], &stability["chats"]), (&4.into(), &1.into()));
    let gates = &stability["gates"];
    assert_eq!((&gates["sometimes"], &gates["unsteady"][0]["fires"]), (&1.into(), &2.into()), "{gates:#}");
    let first = &stability["checks"][0];
    assert_eq!(
        (&first["check"], first["flip_rate"]["value"].as_f64().unwrap() > 0.6),
        (&"B2".into(), true),
        "{first:#}"
    );
    assert!(stability["overall"]["largest_range"].as_f64().unwrap() > 0.3, "{stability:#}");
    assert_eq!(stability["canonical"]["ties"], 1);
    let text = place.run(&arguments).exits(0).stdout;
    assert!(text.contains("B2 No diagnosis or prescription, a gate"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_judge_without_an_answer_is_named_and_the_exit_code_says_so() {
    let place = Place::with(&["excellent", "ordinary"]);
    let server = ModelServer::start(|_| ModelReply::refusal("I cannot help with that."));
    let judge = server.judge();
    let outcome =
        place.run(&["stability", "excellent.txt", "ordinary.txt", "--judge", &judge, "--repeat", "2"]).exits(3);
    assert!(outcome.stdout.contains("no answer at least once on 2 chats: excellent, ordinary"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("NaN"), "{}", outcome.stdout);
}

#[test]
fn a_lock_a_missing_judge_and_a_single_repeat_are_refused() {
    let place = Place::with(&["excellent"]);
    let judge = ["stability", "excellent.txt", "--judge", "builtin"];
    let locked = place.run(&[&judge[..], &["--locked"]].concat()).exits(2).stderr;
    assert!(locked.contains("answers from a lock never change"), "{locked}");
    let nobody = place.run(&judge[..2]).exits(2).stderr;
    assert!(nobody.contains("there is no judge to ask"), "{nobody}");
    place.run(&[&judge[..], &["--repeat", "1"]].concat()).exits(2);
}

#[test]
fn the_embedded_judge_never_changes_its_mind() {
    let place = Place::with(&["excellent", "diagnosis"]);
    let arguments = ["stability", "excellent.txt", "diagnosis.txt", "--judge", "builtin", "--repeat", "3"];
    let outcome = place.run(&arguments).exits(0);
    assert!(outcome.stdout.contains("no check ever flipped"), "{}", outcome.stdout);
    let planned = place.run(&["stability", "excellent.txt", "--judge", "openai:gpt-4.1-mini", "--dry-run"]).exits(0);
    assert!(planned.stdout.starts_with("each of 5 repeats:\n1 chat;"), "{}", planned.stdout);
}
