//! The embedded judge beside models: its place on the bench is where it was named.

use carelock_test_support::model::ModelServer;
use carelock_test_support::model::answers::by_the_sheets;
use carelock_test_support::{Outcome, Place};
use serde_json::{Value, json};

use crate::samples::checks;

/// The report of a run; the embedded judge may leave checks of its own unscored.
#[track_caller]
fn report(outcome: &Outcome) -> Value {
    assert!(matches!(outcome.code, 0 | 3), "{outcome}");
    outcome.json()
}

#[test]
fn a_panel_of_the_embedded_judge_and_a_model_keeps_the_order_in_which_they_were_named() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let alone = report(&place.run(&["eval", "ordinary.txt", "--format", "json"]));
    for order in [["builtin", &judge], [&judge, "builtin"]] {
        let arguments = ["eval", "ordinary.txt", "--judge", order[0], "--judge", order[1], "--format", "json"];
        let panel = report(&place.run(&arguments));
        let members = panel["panel"]["reports"].as_array().unwrap();
        let names: Vec<&Value> = members.iter().map(|member| &member["judge"]["name"]).collect();
        assert_eq!(names, [&json!(order[0]), &json!(order[1])]);
        let embedded = members.iter().find(|member| member["judge"]["name"] == "builtin").unwrap();
        assert_eq!(checks(embedded), checks(&alone), "it answers as it does alone");
    }
    assert_eq!(server.calls().len(), 1, "the model is asked once and then known");
}

#[test]
fn the_embedded_judge_is_in_no_record() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let arguments = ["eval", "ordinary.txt", "--judge", "builtin", "--judge", &judge, "--lock", "answers.lock"];
    let asked = place.run(&[&arguments[..], &["--format", "json"]].concat());
    report(&asked);
    let lock = place.read("answers.lock");
    assert_eq!(lock.lines().count(), 2, "{lock}");
    assert!(!lock.contains("builtin"), "{lock}");
    server.stop();
    place.forget();
    let locked = report(&place.run(&[&arguments[..], &["--format", "json", "--locked"]].concat()));
    assert_eq!(checks(&locked), checks(&asked.json()));
}

#[test]
fn a_dry_run_counts_models_only() {
    let place = Place::with(&["ordinary"]);
    let arguments = ["eval", "ordinary.txt", "--judge", "builtin", "--judge", "openai:gpt-4.1-mini", "--dry-run"];
    let said = place.run(&arguments).exits(0).stdout;
    assert!(said.contains("openai:gpt-4.1-mini: 1 to ask") && !said.contains("builtin"), "{said}");
}
