//! `--judge cascade:…` from the outside: a model is asked only what the embedded judge leaves it, and keeps its promises.

use carelock_core::rubric::Rubric;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_judge::cascade::{Division, divide};
use carelock_test_support::model::answers::by_the_sheets;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Place, example};
use serde_json::json;

use crate::samples::checks;

/// Who must answer what on an example, by what the embedded judge of this version makes of it.
fn expected(name: &str) -> Division {
    let rubric = Rubric::care_lock();
    let mut document = read(example(&format!("{name}.txt")).as_bytes(), &ReadOptions::default()).unwrap();
    let transcript = document.readings.remove(0).unwrap().into_transcript(name).unwrap();
    divide(&rubric, &carelock_builtin::Judge::embedded().judge(&rubric, &transcript))
}

#[test]
fn the_model_is_asked_what_is_left_and_the_report_says_who_answered() {
    for name in ["missed-crisis", "ordinary"] {
        let place = Place::with(&[name]);
        let server = ModelServer::start(by_the_sheets);
        let judge = format!("cascade:{}", server.judge());
        let chat = format!("{name}.txt");
        let outcome = place.run(&["eval", &chat, "--judge", &judge, "--no-second-look", "--format", "json"]);
        assert!(matches!(outcome.code, 0 | 3), "{outcome}");
        let division = expected(name);
        let asked: Vec<Vec<String>> = server.calls().iter().map(carelock_test_support::model::Call::checks).collect();
        assert_eq!(asked, if division.ask.is_empty() { vec![] } else { vec![division.ask.clone()] }, "{name}");
        let report = outcome.json();
        assert_eq!(report["judge"]["name"], json!(judge));
        let answered = report["judge"]["parameters"]["answered"].as_object().unwrap();
        assert_eq!(answered["builtin"], division.sure.len());
        place.write("report.json", &outcome.stdout);
        place.run(&["verify", "report.json"]).exits(0);
    }
}

#[test]
fn what_was_asked_is_locked_and_needs_no_server_again() {
    let place = Place::with(&["diagnosis"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = format!("cascade:{}", server.judge());
    let arguments = ["eval", "diagnosis.txt", "--judge", &judge, "--lock", "answers.lock", "--format", "json"];
    let asked = place.run(&arguments);
    server.stop();
    place.forget();
    let locked = place.run(&[&arguments[..], &["--locked"]].concat());
    assert_eq!((locked.code, checks(&locked.json())), (asked.code, checks(&asked.json())));
    let alone = ["eval", "diagnosis.txt", "--judge", &server.judge(), "--lock", "answers.lock", "--locked"];
    let alone = place.run(&alone).exits(2);
    assert!(alone.stderr.contains(&format!("(locked are answers of {judge})")), "{alone}");
}

#[test]
fn a_model_that_refuses_is_not_replaced_by_the_embedded_judge() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(|_| ModelReply::refusal("No."));
    let judge = format!("cascade:{}", server.judge());
    let outcome = place.run(&["eval", "ordinary.txt", "--judge", &judge, "--format", "json"]);
    let report = outcome.json();
    let division = expected("ordinary");
    for (id, check) in checks(&report).iter().filter(|(id, _)| division.ask.contains(id)) {
        assert!(check["unscored"].as_str().is_some_and(|reason| reason.starts_with("refused")), "{id}: {check}");
    }
    assert!(division.ask.is_empty() || outcome.code == 3, "{outcome}");
}

#[test]
fn a_dry_run_sends_nothing_and_says_what_would_be() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = format!("cascade:{}", server.judge());
    let said = place.run(&["eval", "ordinary.txt", "--judge", &judge, "--dry-run"]).exits(0).stdout;
    let sure = expected("ordinary").sure.len();
    assert!(said.contains(&format!("{judge}: builtin is sure of {sure} of 50 checks")), "{said}");
    assert!(server.calls().is_empty());
}

#[test]
fn a_cascade_can_be_tried_out_and_named_in_the_settings() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(|call| ModelReply::said(call, "{\"ok\": true}"));
    let judge = format!("cascade:{}", server.judge());
    let tried = place.run(&["judges", "--check", &judge]).exits(0);
    assert!(tried.stdout.starts_with(&format!("{judge}: answered")), "{tried}");
    place.write("carelock.toml", format!("judge = \"{judge}\"\n"));
    let dry = place.run(&["eval", "ordinary.txt", "--dry-run"]).exits(0);
    assert!(dry.stdout.contains(&judge), "{dry}");
    let wrong = place.run(&["eval", "ordinary.txt", "--judge", "cascade:builtin"]).exits(2);
    assert!(wrong.stderr.contains("no provider is named"), "{wrong}");
}
