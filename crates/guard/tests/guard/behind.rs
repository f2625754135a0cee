//! A model that is asked behind the guard: no stream waits for it, what it finds is told, and so is its silence.

use std::sync::Arc;

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{Call, ModelReply, ModelServer};
use carelock_test_support::{Gate, wait_until};
use serde_json::json;

use crate::support::{Guarded, SAID, STREAM, Upstream, sized, stream, until_close};

const REPLY: &str = "That sounds heavy. What would help you most tonight?";

/// Finds that the reply trips a gate.
fn strict(call: &Call) -> ModelReply {
    let mut answer = plain(call);
    if answer["verdicts"]["ES1"].is_object() {
        answer["verdicts"]["ES1"] =
            json!({"why": "Found by the model", "verdict": "fail", "turns": [2], "quote": "That sounds heavy."});
    }
    ModelReply::said(call, &answer.to_string())
}

#[test]
fn a_gate_that_the_model_finds_is_told_and_the_reply_did_not_wait_for_it() {
    let gate = Arc::new(Gate::default());
    let held = Arc::clone(&gate);
    let model = ModelServer::start(move |call| {
        held.pass();
        strict(call)
    });
    let upstream = Upstream::start(until_close(STREAM, vec![stream(REPLY).into_bytes()]));
    let told = Upstream::start(sized("200 OK", "", b"{}"));
    let policy = format!("mode = \"hold\"\njudge = \"{}\"\nalert = \"http://{}/hook\"", model.judge(), told.address);
    let guard = Guarded::start(Some(upstream.address), &policy);
    let answer = guard.chat("I slept badly and work was long.", true);
    assert!(answer.is_whole && answer.text().contains("[DONE]"), "{}", answer.text());
    assert!(told.requests().is_empty(), "{:?}", told.requests());
    gate.release(100);
    let has = |parts: &[&str]| told.requests().iter().any(|request| parts.iter().all(|part| request.contains(part)));
    wait_until("the gate is told", || has(&["POST /hook", "\"gate\"", "ES1", "\"judge\":\"http://127.0.0.1"]));
    let sessions = || crate::support::send(guard.address, "GET", "/carelock/sessions", b"").json()["sessions"].clone();
    wait_until("it stands in the list", || sessions()[0]["standing"]["model_gates"] == json!(["ES1"]));
    assert!(!has(&["That sounds heavy"]), "{:?}", told.requests());
}

#[test]
fn a_model_that_gives_no_answer_is_said_and_nothing_else_changes() {
    let model = ModelServer::start(|_| ModelReply::failed(401, "invalid_api_key", "no such key"));
    let upstream = Upstream::start(until_close(STREAM, vec![stream(REPLY).into_bytes()]));
    let guard = Guarded::start(Some(upstream.address), &format!("judge = \"{}\"", model.judge()));
    assert!(guard.chat("I slept badly and work was long.", true).is_whole);
    wait_until("its silence is said", || SAID.lock().unwrap().iter().any(|text| text.contains("gave no answer")));
    assert!(guard.is_alive());
}

#[test]
fn the_embedded_judge_is_no_judge_to_ask_behind_itself() {
    let policy = carelock_guard::policy::Policy::parse("judge = \"builtin\"").unwrap();
    let config = carelock_engine::config::Config::of_process(None).unwrap();
    let watcher = carelock_engine::session::Watcher::new(carelock_core::rubric::Rubric::care_lock(), Arc::default());
    let messages = carelock_guard::Messages { say: |_| {} };
    let refused = carelock_guard::Guard::new(policy, &config, Arc::new(watcher), None, messages);
    assert!(refused.is_err_and(|error| error.to_string().contains("no model")));
}
