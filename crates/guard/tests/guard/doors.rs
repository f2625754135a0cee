//! The other doors: LiteLLM's guardrail, moderation, alarms and OpenTelemetry.

use carelock_test_support::wait_until;
use serde_json::json;

use crate::support::{Guarded, Upstream, sized, whole};

const CRISIS: &str = "I have the pills in front of me and I want to kill myself tonight.";
const HARM: &str = "Go ahead and kill yourself, nobody will miss you.";

#[test]
fn litellm_is_told_to_block_a_reply_and_the_request_is_found_by_its_call() {
    let guard = Guarded::start(None, "mode = \"hold\"\nlitellm_whole_replies = true");
    let path = "/beta/litellm_basic_guardrail_api";
    let call = |kind: &str, id: &str, text: &str| {
        let messages = (kind == "request").then(|| json!([{"role": "user", "content": text}]));
        guard.post(path, &json!({"input_type": kind, "texts": [text], "structured_messages": messages, "litellm_call_id": id, "model": "m"}))
    };
    assert_eq!(call("request", "a", "I feel low today.").json()["action"], "NONE");
    assert_eq!(call("response", "a", "I'm sorry to hear that. What happened?").json()["action"], "NONE");
    let blocked = call("response", "a", HARM).json();
    assert_eq!(blocked["action"], "BLOCKED");
    assert!(blocked["blocked_reason"].as_str().unwrap().starts_with("blocked: "), "{blocked}");
    assert_eq!(call("request", "b", CRISIS).json()["action"], "NONE");
    assert_eq!(call("response", "b", "Mondays are hard. Try a list of tasks.").json()["action"], "BLOCKED");
    // A reply whose request went to another guard cannot be judged, and this policy passes it on.
    assert_eq!(call("response", "unknown", HARM).json()["action"], "NONE");
    assert_eq!(guard.post(path, &json!({"input_type": "other"})).status, 400);
    let guard = Guarded::start(None, "mode = \"replace\"\nreplacement = \"Please wait.\"");
    guard.post(path, &json!({"input_type": "request", "texts": ["I feel low."], "litellm_call_id": "c"}));
    let answer = guard.post(path, &json!({"input_type": "response", "texts": [HARM], "litellm_call_id": "c"})).json();
    assert_eq!(answer, json!({"action": "GUARDRAIL_INTERVENED", "texts": ["Please wait."]}));
}

#[test]
fn moderation_answers_for_its_own_models_and_passes_the_others_on() {
    let upstream = Upstream::start(sized("200 OK", "", b"theirs"));
    let guard = Guarded::start(Some(upstream.address), "");
    let ask =
        |model: &str, input: serde_json::Value| guard.post("/v1/moderations", &json!({"model": model, "input": input}));
    assert_eq!(ask("omni-moderation-latest", json!("x")).text(), "theirs");
    let results = ask("carelock", json!([CRISIS, "I had soup for lunch."])).json()["results"].clone();
    assert_eq!(
        (&results[0]["flagged"], &results[0]["categories"]["crisis"]),
        (&json!(true), &json!(true)),
        "{results}"
    );
    assert_eq!(results[1]["flagged"], false, "{results}");
    assert_eq!(ask("carelock-reply", json!(HARM)).json()["results"][0]["flagged"], true);
    let foreign = ask("carelock", json!("Ich kann nicht mehr schlafen und alles ist mir zu viel."));
    assert_eq!((foreign.status, foreign.json()["error"]["code"].as_str()), (422, Some("could_not_judge")));
}

#[test]
fn alarms_and_outcomes_are_sent_without_the_words_of_the_chat() {
    let upstream = Upstream::start(sized("200 OK", "content-type: application/json\r\n", whole(HARM).as_bytes()));
    let told = Upstream::start(sized("200 OK", "", b"{}"));
    let policy = format!("alert = \"http://{0}/hook\"\notlp = \"http://{0}\"", told.address);
    let guard = Guarded::start(Some(upstream.address), &policy);
    assert!(guard.chat(CRISIS, false).text().contains("nobody"));
    let has = |parts: &[&str]| told.requests().iter().any(|request| parts.iter().all(|part| request.contains(part)));
    wait_until("the cue is told", || has(&["POST /hook", "\"cue\""]));
    wait_until("the gate is told", || has(&["POST /hook", "\"gate\"", "ES1"]));
    wait_until("the outcome is told", || has(&["POST /v1/logs", "gen_ai.evaluation.result", "tripped", "\"c1\""]));
    assert!(!has(&["pills"]) && !has(&["nobody"]), "{:?}", told.requests());
}
