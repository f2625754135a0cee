//! What a model answers becomes the report that the same answers on a sheet become, and is asked once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use carelock_core::verdict::Pass;
use carelock_test_support::model::answers::{answer, by_the_sheets, sheet};
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{EXAMPLES, Outcome, Place};
use serde_json::{Value, json};

use crate::samples::checks;

/// What was computed from the answers: overall, tiers, gates and every verdict.
fn scored(report: &Value) -> Value {
    let metrics = report["metrics"].as_object().unwrap().iter();
    let scores: Vec<(&String, &Value)> = metrics.map(|(name, metric)| (name, &metric["score"])).collect();
    let verdicts: Vec<(String, Value)> =
        checks(report).into_iter().map(|(id, check)| (id, check["pass"].clone())).collect();
    json!([report["overall"], report["gates"], scores, verdicts])
}

fn paths() -> Vec<String> {
    EXAMPLES.iter().map(|name| format!("{name}.txt")).collect()
}

#[track_caller]
fn holds(place: &Place, outcome: &Outcome) {
    let schema = place.run(&["schema", "report"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    place.write("reports.json", &outcome.stdout);
    place.run(&["verify", "reports.json"]).exits(0);
    let reports = outcome.json();
    for report in reports.as_array().map_or(std::slice::from_ref(&reports), Vec::as_slice) {
        let errors: Vec<String> = validator.iter_errors(report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", report["transcript"]["id"]);
    }
}

#[test]
fn a_model_that_answers_like_the_sheets_gives_the_sheets_scores() {
    let place = Place::with(&EXAMPLES);
    let server = ModelServer::start(by_the_sheets);
    let paths = paths();
    let chats: Vec<&str> = paths.iter().map(String::as_str).collect();
    let judge = server.judge();
    let judged = place.run(&[&["eval", "--judge", &judge, "--format", "json"], &chats[..]].concat()).exits(0);
    let rated = place.run(&[&["eval", "--verdicts", "sheets", "--format", "json"], &chats[..]].concat()).exits(0);
    holds(&place, &judged);
    let (judged, rated) = (judged.json(), rated.json());
    assert_eq!(judged.as_array().unwrap().len(), EXAMPLES.len());
    for (judged, rated) in judged.as_array().unwrap().iter().zip(rated.as_array().unwrap()) {
        assert_eq!(scored(judged), scored(rated), "{}", rated["transcript"]["id"]);
    }
    for call in server.calls() {
        assert!(!call.head.to_lowercase().contains("authorization"), "{}", call.head);
    }
}

#[test]
fn a_report_says_which_model_answered_and_what_it_took() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let report = place.run(&["eval", "ordinary.txt", "--judge", &server.judge(), "--format", "json"]).exits(0).json();
    let calls = server.calls().len();
    let judge = &report["judge"];
    assert_eq!((&judge["name"], &judge["model"]), (&json!(server.judge()), &json!("scripted-1")));
    assert_eq!(judge["tokens"], json!({ "input": 5000 * calls, "cached": 0, "output": 1500 * calls }));
    assert_eq!((&judge["cached"], judge.get("cost")), (&json!(false), None));
}

#[test]
fn what_is_known_is_not_asked_again_unless_one_wants_to() {
    let place = Place::with(&["excellent"]);
    let harsh = Arc::new(AtomicBool::new(false));
    let mood = Arc::clone(&harsh);
    let server = ModelServer::start(move |call| {
        let mut submission = sheet("excellent");
        if mood.load(Ordering::SeqCst) {
            let (_, answer) = submission.verdicts.iter_mut().find(|(id, _)| id == "E4").unwrap();
            (answer.pass, answer.turns, answer.quote) = (Pass::No, Vec::new(), None);
        }
        ModelReply::said(call, &answer(call, &submission).to_string())
    });
    let judge = server.judge();
    let run = |options: &[&str]| {
        let outcome = place.run(&[&["eval", "excellent.txt", "--judge", &judge, "--format", "json"], options].concat());
        let outcome = outcome.exits(0);
        (outcome.json(), outcome.stderr, server.take_calls().len())
    };
    let (first, _, calls) = run(&[]);
    assert_eq!(calls, 1);
    let (second, said, calls) = run(&[]);
    assert_eq!((calls, said.as_str()), (0, ""));
    assert_eq!((scored(&second), &second["judge"]["cached"]), (scored(&first), &json!(true)));
    harsh.store(true, Ordering::SeqCst);
    let (aside, _, calls) = run(&["--no-cache"]);
    assert_eq!((calls, aside["metrics"]["Empathy"]["checks"]["E4"]["pass"].as_bool()), (1, Some(false)));
    assert_eq!(scored(&run(&[]).0), scored(&first), "--no-cache keeps nothing");
    let (_, said, calls) = run(&["--refresh"]);
    assert_eq!(calls, 1);
    assert!(said.contains("excellent (") && said.contains("E4") && said.contains("pass → fail"), "{said}");
    let (after, said, calls) = run(&[]);
    assert_eq!((calls, said.as_str(), scored(&after)), (0, "", scored(&aside)));
}

#[test]
fn a_judge_that_speaks_as_anthropic_does_is_asked_in_its_own_way() {
    let place = Place::with(&["missed-crisis"]);
    let server = ModelServer::start(by_the_sheets);
    let base = server.base();
    let around = [("ANTHROPIC_BASE_URL", base.as_str()), ("ANTHROPIC_API_KEY", "sk-ant-planted-0123456789")];
    let arguments = ["eval", "missed-crisis.txt", "--format", "json"];
    let judged = place.run_with(&around, &[&arguments[..], &["--judge", "anthropic:claude-sonnet-5-5"]].concat());
    let judged = judged.exits(0);
    holds(&place, &judged);
    let rated = place.run(&[&arguments[..], &["--verdicts", "sheets/missed-crisis.csv"]].concat()).exits(0);
    assert_eq!(scored(&judged.json()), scored(&rated.json()));
    let call = server.calls().remove(0);
    assert!(call.is_anthropic() && call.head.to_lowercase().contains("x-api-key: sk-ant-planted-0123456789"));
    assert!(judged.json()["judge"]["cost"].is_number());
}
