//! `carelock judges`: the list, keys that are never shown, and one tiny call.

use carelock_test_support::{Outcome, Place, StubServer};
use insta::assert_snapshot;
use serde_json::json;

const KEY: &str = "sk-planted-0123456789abcdef";

/// An answer in OpenAI's shape.
fn answered(text: &str) -> Option<(u16, String)> {
    let choice = json!({ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } });
    let usage = json!({ "prompt_tokens": 40, "completion_tokens": 8, "total_tokens": 48 });
    let body =
        json!({ "id": "x", "object": "chat.completion", "model": "tiny-1", "choices": [choice], "usage": usage });
    Some((200, body.to_string()))
}

fn failed(status: u16, message: &str) -> Option<(u16, String)> {
    Some((status, json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string()))
}

/// A run with the key set everywhere a key can be; it may show in nothing that is said.
#[track_caller]
fn with_key(place: &Place, arguments: &[&str], base: &str) -> Outcome {
    let mut command = place.command(arguments);
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "CARELOCK_JUDGE_KEY"] {
        command.env(name, KEY);
    }
    let outcome = Outcome::new(command.env("OPENAI_BASE_URL", base));
    assert!(!outcome.stdout.contains("planted") && !outcome.stderr.contains("planted"), "{outcome}");
    outcome
}

/// What was said, without what changes from run to run.
fn steady(outcome: &Outcome, base: &str) -> String {
    let text = outcome.to_string().replace(base, "<base>");
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    let text = text.replace(host, "<host>");
    let words = text.split(' ').collect::<Vec<_>>();
    let mut steady: Vec<&str> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let seconds = words.get(place + 1).is_some_and(|next| next.starts_with('s') && next.len() < 4);
        steady.push(if seconds && word.parse::<f64>().is_ok() { "<time>" } else { word });
    }
    steady.join(" ")
}

#[test]
fn the_list_says_whose_key_is_set() {
    let place = Place::new();
    let list = place.run(&["judges"]).done();
    assert!(list.contains("openai · OpenAI · key missing: set OPENAI_API_KEY"), "{list}");
    let mut command = place.command(&["judges"]);
    let list = Outcome::new(command.env("OPENAI_API_KEY", KEY)).done();
    assert!(list.contains("openai · OpenAI · key set (OPENAI_API_KEY)"), "{list}");
    assert!(list.contains("anthropic · Anthropic · key missing: set ANTHROPIC_API_KEY"), "{list}");
    assert!(!list.contains("planted"), "{list}");
    assert!(list.contains("gpt-4.1-mini") && list.contains("2027-01-14") && list.contains("1,047,576"), "{list}");
    let json = with_key(&place, &["judges", "--json"], "").json();
    assert_eq!(json["providers"][0]["key_state"], "set");
}

#[test]
fn the_embedded_judge_comes_first_and_is_always_there() {
    let place = Place::new();
    let list = place.run(&["judges"]).done();
    assert!(list.starts_with("builtin · the embedded judge · always there · no key, no network, no cost\n"), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
    let json = place.run(&["judges", "--json"]).json();
    assert_eq!(json["schema"], "carelock/judges/1");
    let embedded = json!([{ "name": "builtin", "available": true, "key": "none", "network": false }]);
    assert_eq!(json["embedded"], embedded);
    assert_eq!(place.run(&["judges", "--check", "builtin"]).done(), "builtin: always there; nothing was sent\n");
    assert_eq!(place.run(&["judges", "--check", "builtin", "--json"]).json()["outcome"], "answered");
    place.write("carelock.toml", "judge = \"builtin\"\n");
    assert!(place.run(&["judges", "--check"]).done().starts_with("builtin: always there"));
}

#[test]
fn a_check_says_who_answered_and_how() {
    let server = StubServer::start(|_| answered("{\"ok\": true}"));
    let place = Place::new();
    let outcome = with_key(&place, &["judges", "--check", "openai:gpt-6-luna"], &server.base());
    assert_snapshot!(steady(&outcome, &server.base()));
    let sent = server.requests();
    assert_eq!(sent.len(), 1);
    let sent = sent[0].text();
    assert!(sent.starts_with("POST /v1/chat/completions") && sent.contains(&format!("Bearer {KEY}")));
    let json = with_key(&place, &["judges", "--json", "--check", "openai:gpt-6-luna"], &server.base()).json();
    assert_eq!((&json["outcome"], &json["answers_by"]), (&json!("answered"), &json!("json_schema")));
    assert_eq!((&json["model"], &json["tokens"]["input"]), (&json!("tiny-1"), &json!(40)));
}

#[test]
fn a_server_that_knows_no_schema_is_asked_in_simpler_words() {
    let server = StubServer::start(|request| match request.text().contains("json_schema") {
        true => failed(400, "response_format json_schema is not supported"),
        false => answered("It is {\"ok\": true}"),
    });
    let judge = format!("{}#tiny", server.base());
    let outcome = Place::new().run(&["judges", "--check", &judge]);
    assert_snapshot!(steady(&outcome, &server.base()));
    assert!(server.requests().iter().all(|request| !request.text().to_lowercase().contains("authorization")));
}

#[test]
fn a_call_that_fails_says_so_and_exits_with_3_or_2() {
    let place = Place::new();
    let quoting = format!("Incorrect API key provided: {KEY}");
    let mut said = Vec::new();
    for (status, message) in [(401, quoting.as_str()), (404, "The model does not exist"), (500, "boom")] {
        let message = message.to_owned();
        let server = StubServer::start(move |_| failed(status, &message));
        let outcome = with_key(&place, &["judges", "--check", "openai:gpt-6-luna"], &server.base());
        assert_eq!(outcome.code, if status == 500 { 3 } else { 2 }, "{outcome}");
        with_key(&place, &["judges", "--json", "--check", "openai:gpt-6-luna"], &server.base()).json();
        said.push(steady(&outcome, &server.base()));
    }
    let server = StubServer::start(|_| Some((200, "<html>".to_owned())));
    let outcome = with_key(&place, &["judges", "--check", "openai:gpt-6-luna"], &server.base());
    assert_eq!(outcome.code, 3, "{outcome}");
    let nobody = with_key(&place, &["judges", "--check", "openai:gpt-6-luna"], "http://127.0.0.1:1/v1");
    assert_eq!(nobody.code, 3, "{nobody}");
    said.push(steady(&nobody, "http://127.0.0.1:1/v1"));
    assert_snapshot!(said.join("\n"));
}

#[test]
fn judges_that_cannot_be_asked_say_what_to_do() {
    let place = Place::new();
    let judges = [
        "openai:gpt-6-luna",
        "anthropic:claude-3-5-sonnet",
        "deepseek:deepseek-chat",
        "gemini:flash",
        "gpt-4.1-mini",
        "http://10.1.2.3:8080/v1#model",
        "sk-planted-0123456789abcdef",
        "https://me:sk-planted-0123456789abcdef@host/v1#m",
    ];
    let said = judges.map(|judge| {
        let outcome = place.run(&["judges", "--check", judge]);
        assert!(!outcome.stderr.contains("planted"), "{outcome}");
        outcome.refused().replace(&place.path("").display().to_string(), "~/")
    });
    assert_snapshot!(said.join("\n"));
    place.run(&["judges", "--check"]).refused();
}

#[test]
fn the_judge_and_key_of_the_settings_are_used() {
    let server = StubServer::start(|_| answered("{\"ok\": true}"));
    let place = Place::new();
    place.write(".config/carelock/carelock.toml", format!("judge = \"ollama:x\"\n[keys]\nopenai = \"{KEY}\"\n"));
    place.write("carelock.toml", "judge = \"openai:gpt-6-luna\"\n");
    let outcome = Outcome::new(place.command(&["judges", "--check"]).env("OPENAI_BASE_URL", server.base()));
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(server.requests()[0].text().contains(&format!("Bearer {KEY}")));
    assert!(!outcome.stdout.contains("planted") && !outcome.stderr.contains("planted"), "{outcome}");
    place.write("carelock.toml", "judgee = \"openai:gpt-6-luna\"\n");
    let said = place.run(&["judges"]).refused();
    assert!(said.contains("carelock.toml: line 1, column 1: unknown field `judgee`"), "{said}");
}
