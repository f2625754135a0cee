//! Keys go to the provider and nowhere else.

use std::fmt::Write as _;

use carelock_test_support::model::answers::{by_the_sheets, from_sheet};
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Outcome, Place};

use crate::samples::HOSTED;

const KEY: &str = "sk-test-SECRETsecretSECRET0123456789";

/// Runs with the key planted; it may lie in nothing that was said or written.
#[track_caller]
fn keyed(place: &Place, server: &ModelServer, options: &[&str]) -> Outcome {
    let base = server.base();
    let outcome = place.run_with(&[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &base)], options);
    let mut everything = outcome.to_string();
    for (path, text) in place.files() {
        let _ = write!(everything, "{}\n{text}", path.display());
    }
    let at = everything.to_lowercase().find("secretsecret");
    assert_eq!(at.map(|at| &everything[at.saturating_sub(200)..at]), None, "the key shows");
    outcome
}

#[test]
fn a_key_is_in_the_header_and_nowhere_else() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let arguments = ["eval", "ordinary.txt", "--judge", HOSTED, "--lock", "answers.lock"];
    for format in ["json", "text", "md", "csv", "junit"] {
        let output = format!("report.{format}");
        keyed(&place, &server, &[&arguments[..], &["--refresh", "--format", format, "-o", &output]].concat()).exits(0);
    }
    assert!(place.path("answers.lock").exists() && place.path("cache/carelock").exists());
    for call in server.calls() {
        let lines: Vec<&str> = call.head.lines().filter(|line| line.contains(KEY)).collect();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].to_lowercase(), format!("authorization: bearer {KEY}").to_lowercase());
        assert!(!call.body.to_string().contains(KEY));
    }
}

#[test]
fn a_key_that_the_server_repeats_is_not_repeated() {
    let echo = format!("Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}");
    for (status, code) in [(401, 2), (400, 2), (404, 2), (429, 3), (500, 3)] {
        let place = Place::with(&["ordinary"]);
        let said = echo.clone();
        let server = ModelServer::start(move |_| ModelReply::failed(status, "some_error", &said));
        let outcome = keyed(&place, &server, &["eval", "ordinary.txt", "--judge", HOSTED, "--format", "json"]);
        assert_eq!(outcome.code, code, "{status}: {outcome}");
        assert!(!server.calls().is_empty());
    }
}

#[test]
fn a_key_that_the_model_repeats_is_not_kept() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(|call| {
        let mut answer = from_sheet(call);
        answer["verdicts"]["E1"]["why"] = format!("Said {KEY}").into();
        ModelReply::said(call, &answer.to_string())
    });
    let arguments = ["eval", "ordinary.txt", "--judge", HOSTED, "--lock", "answers.lock", "--format", "json"];
    let outcome = keyed(&place, &server, &arguments).exits(0);
    assert!(outcome.stdout.contains("Said ***"), "{outcome}");
}

#[test]
fn a_key_that_the_model_repeats_with_escapes_is_not_kept() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(|call| {
        let mut answer = from_sheet(call);
        answer["verdicts"]["E1"]["why"] = "Said KEY".into();
        let escaped: String = KEY.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
        ModelReply::said(call, &answer.to_string().replace("KEY", &escaped))
    });
    let arguments = ["eval", "ordinary.txt", "--judge", HOSTED, "--lock", "answers.lock", "--format", "json"];
    let outcome = keyed(&place, &server, &arguments).exits(0);
    assert!(outcome.stdout.contains("Said ***"), "{outcome}");
}

#[test]
fn the_key_of_another_provider_is_not_sent() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let arguments = ["eval", "ordinary.txt", "--judge", &server.judge()];
    keyed(&place, &server, &arguments).exits(0);
    assert!(server.calls().iter().all(|call| !call.head.contains(KEY)));
}

#[test]
fn judge_and_key_can_come_from_the_settings() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let settings = format!("judge = \"{HOSTED}\"\nlock = \"../../answers.lock\"\n[keys]\nopenai = \"{KEY}\"\n");
    place.write(".config/carelock/carelock.toml", settings);
    let base = server.base();
    let outcome = place.run_with(&[("OPENAI_BASE_URL", &base)], &["eval", "ordinary.txt", "--format", "json"]).exits(0);
    assert_eq!(outcome.json()["judge"]["name"], HOSTED);
    assert!(server.calls().iter().all(|call| call.head.contains(KEY)) && !server.calls().is_empty());
    assert!(!outcome.to_string().contains(KEY), "{outcome}");
    let holding = place.files().into_iter().filter(|(_, text)| text.contains(KEY)).map(|(path, _)| path);
    assert_eq!(holding.collect::<Vec<_>>(), [place.path(".config/carelock/carelock.toml")]);
    assert!(place.path("answers.lock").exists());
}
