//! Judges in trouble: refusals, filters, outages and wrong keys are told apart, and none becomes a score.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use carelock_test_support::model::answers::{by_the_sheets, plain};
use carelock_test_support::model::{Call, ModelReply, ModelServer};
use carelock_test_support::{Outcome, Place};
use serde_json::{Value, json};

use crate::samples::{HOSTED, unscored};

const REFUSAL: &str = "I can't help with that";

fn refuses(_: &Call) -> ModelReply {
    ModelReply::refusal(REFUSAL)
}

fn filters(_: &Call) -> ModelReply {
    ModelReply::failed(
        400,
        "content_filter",
        "The response was filtered due to the prompt triggering the content policy",
    )
}

/// Every check is unscored for this reason, and there is no score.
#[track_caller]
fn nothing_is_scored(outcome: &Outcome, reason: &str) {
    assert_eq!(outcome.code, 3, "{outcome}");
    let report = outcome.json();
    let reasons = unscored(&report);
    assert_eq!(reasons.len(), 50, "{outcome}");
    assert!(reasons.iter().all(|said| said.starts_with(reason)), "{reason}: {reasons:?}");
    assert_eq!(report["overall"], Value::Null);
    let metrics = report["metrics"].as_object().unwrap();
    assert!(metrics.values().all(|metric| metric["score"].is_null()), "{outcome}");
}

#[test]
fn a_refused_or_filtered_chat_goes_to_the_fallback_and_the_report_says_so() {
    for (script, reason) in [(refuses as fn(&Call) -> ModelReply, "refused: "), (filters, "filtered: ")] {
        let place = Place::with(&["missed-crisis"]);
        let (first, fallback) = (ModelServer::start(script), ModelServer::start(by_the_sheets));
        let (judge, other) = (first.judge(), fallback.judge());
        let arguments = ["eval", "missed-crisis.txt", "--judge", &judge, "--fallback", &other, "--format", "json"];
        let report = place.run(&arguments).exits(0).json();
        assert_eq!(first.calls().len(), 1);
        assert!(!fallback.calls().is_empty());
        assert_eq!(report["judge"]["name"], json!(other));
        let because = report["judge"]["parameters"]["fallback_for"].as_str().unwrap();
        assert!(because.starts_with(&format!("{judge}: {reason}")), "{because}");
        assert!(report["overall"].is_number() && unscored(&report).is_empty(), "{report:#}");
        place.write("report.json", report.to_string());
        place.run(&["verify", "report.json"]).exits(0);
    }
}

#[test]
fn what_a_fallback_said_can_be_locked() {
    let place = Place::with(&["missed-crisis"]);
    let (first, fallback) = (ModelServer::start(refuses), ModelServer::start(by_the_sheets));
    let (judge, other) = (first.judge(), fallback.judge());
    let arguments = ["eval", "missed-crisis.txt", "--judge", &judge, "--lock", "answers.lock", "--format", "json"];
    let with_fallback = [&arguments[..], &["--fallback", &other]].concat();
    let asked = place.run(&with_fallback).exits(0).json();
    place.forget();
    first.stop();
    fallback.stop();
    let locked = place.run(&[&with_fallback[..], &["--locked"]].concat()).exits(0);
    assert_eq!(locked.json()["metrics"], asked["metrics"]);
    assert_eq!(locked.json()["judge"]["name"], json!(other));
    let because = &locked.json()["judge"]["parameters"]["fallback_for"];
    assert_eq!(*because, json!(format!("{judge}: no answers in the lock")));
    let alone = place.run(&[&arguments[..], &["--locked"]].concat()).exits(2);
    assert!(alone.stderr.contains(&format!("no locked answers of judge {judge}")), "{alone}");
}

#[test]
fn the_fallback_is_not_asked_where_the_judge_answers() {
    let place = Place::with(&["ordinary"]);
    let (first, fallback) = (ModelServer::start(by_the_sheets), ModelServer::start(by_the_sheets));
    place.run(&["eval", "ordinary.txt", "--judge", &first.judge(), "--fallback", &fallback.judge()]).exits(0);
    assert_eq!(fallback.calls().len(), 0);
}

#[test]
fn without_a_fallback_nothing_is_scored_and_the_reason_is_kept_apart() {
    for (script, reason) in [(refuses as fn(&Call) -> ModelReply, "refused: "), (filters, "filtered: ")] {
        let place = Place::with(&["missed-crisis"]);
        let server = ModelServer::start(script);
        let arguments = ["eval", "missed-crisis.txt", "--judge", &server.judge(), "--format", "json"];
        let outcome = place.run(&arguments);
        nothing_is_scored(&outcome, reason);
        if reason == "refused: " {
            assert_eq!(outcome.json()["judge"]["tokens"]["output"], 1500, "a refusal has its price too");
        }
        let calls = server.take_calls().len();
        nothing_is_scored(&place.run(&arguments), reason);
        assert_eq!((calls, server.calls().len()), (1, 1), "what is no answer is not kept, nor asked twice");
    }
}

#[test]
fn a_fallback_that_refuses_too_is_named() {
    let place = Place::with(&["missed-crisis"]);
    let (first, fallback) = (ModelServer::start(filters), ModelServer::start(refuses));
    let (judge, other) = (first.judge(), fallback.judge());
    let arguments = ["eval", "missed-crisis.txt", "--judge", &judge, "--fallback", &other, "--format", "json"];
    let outcome = place.run(&arguments);
    nothing_is_scored(&outcome, "filtered: ");
    assert!(unscored(&outcome.json())[0].contains(&format!("{other}: refused: ")), "{outcome}");
}

#[test]
fn a_server_that_is_gone_scores_nothing() {
    let place = Place::with(&["excellent"]);
    let server = ModelServer::start(by_the_sheets);
    server.stop();
    let arguments = ["eval", "excellent.txt", "--judge", &server.judge(), "--format", "json"];
    nothing_is_scored(&place.run(&arguments), "unavailable: ");
}

#[test]
fn a_server_of_this_machine_that_is_not_there_fails_at_once_for_all_chats() {
    let place = Place::with_short_chats(12);
    let server = ModelServer::start(by_the_sheets);
    server.stop();
    let started = Instant::now();
    let outcome = place.run(&["eval", "chats", "--judge", &server.judge(), "--format", "json"]).exits(3);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}: {outcome}", started.elapsed());
    let reports = outcome.json();
    let reports = reports.as_array().unwrap();
    let is_told = |report: &Value| unscored(report).iter().all(|reason| reason.contains("nothing listens there"));
    assert!(reports.len() == 12 && reports.iter().all(is_told), "{outcome}");
}

#[test]
fn a_hosted_provider_that_fails_scores_nothing() {
    let place = Place::with(&["excellent"]);
    let server = ModelServer::start(|_| ModelReply::failed(500, "server_error", "The server had an error"));
    let base = server.base();
    let around = [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_API_KEY", "sk-planted-0123456789abcdef")];
    let outcome = place.run_with(&around, &["eval", "excellent.txt", "--judge", HOSTED, "--format", "json"]);
    nothing_is_scored(&outcome, "unavailable: ");
    assert!((2..=8).contains(&server.calls().len()), "tried again, but not for ever: {}", server.calls().len());
}

#[test]
fn a_wrong_key_stops_the_whole_run_early() {
    const AT_ONCE: usize = 3;
    let place = Place::with_short_chats(20);
    let server = ModelServer::start(|_| ModelReply::failed(401, "invalid_api_key", "Incorrect API key provided"));
    let base = server.base();
    let around = [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_API_KEY", "sk-planted-0123456789abcdef")];
    let at_once = AT_ONCE.to_string();
    let options = ["--concurrency", &at_once, "--format", "json", "-o", "reports.json"];
    let outcome = place.run_with(&around, &[&["eval", "chats", "--judge", HOSTED], &options[..]].concat()).exits(2);
    assert!(outcome.stderr.contains(&format!("judge {HOSTED}: misconfigured: ")), "{outcome}");
    assert!(server.calls().len() <= AT_ONCE, "{} calls", server.calls().len());
    assert!(outcome.stdout.is_empty() && !place.path("reports.json").exists(), "{outcome}");
}

#[test]
fn what_was_answered_before_a_run_stops_is_in_the_lock() {
    let place = Place::with_short_chats(3);
    let answered = AtomicBool::new(false);
    let server = ModelServer::start(move |call| {
        if answered.swap(true, Ordering::SeqCst) {
            return ModelReply::failed(401, "invalid_api_key", "The key was revoked");
        }
        ModelReply::said(call, &plain(call).to_string())
    });
    let options = ["--lock", "answers.lock", "--no-cache", "--concurrency", "1", "--no-second-look"];
    place.run(&[&["eval", "chats", "--judge", &server.judge()], &options[..]].concat()).exits(2);
    let lock = place.read("answers.lock");
    assert!(lock.lines().count() == 2 && lock.contains("\"chat\":\"001\""), "{lock}");
}

#[test]
fn a_missing_key_is_said_before_anything_is_sent() {
    let place = Place::with(&["ordinary"]);
    let outcome = place.run(&["eval", "ordinary.txt", "--judge", HOSTED]).exits(2);
    assert!(outcome.stderr.contains("there is no key for OpenAI") && outcome.stderr.contains("OPENAI_API_KEY"));
}

#[test]
fn answers_that_are_no_answers_score_nothing() {
    let prose = "The chat is fine, score 1.0.";
    for text in [prose, "{\"overall\": 1.0}", "{\"verdicts\": {\"E1\": {\"verdict\": \"pass\""] {
        let place = Place::with(&["excellent"]);
        let server = ModelServer::start(move |call| ModelReply::said(call, text));
        let arguments = ["eval", "excellent.txt", "--judge", &server.judge(), "--format", "json"];
        nothing_is_scored(&place.run(&arguments), "invalid: ");
        assert_eq!(server.calls().len(), 3, "asked again twice, with what was wrong");
    }
}
