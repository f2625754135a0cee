//! Several judges: each is asked, each report is kept, and one with proof trips a gate.

use carelock_core::verdict::Pass;
use carelock_test_support::Place;
use carelock_test_support::model::answers::{answer, by_the_sheets, sheet};
use carelock_test_support::model::{ModelReply, ModelServer};
use serde_json::json;

/// A judge who does not see the diagnosis that trips the gate.
fn lenient() -> ModelServer {
    ModelServer::start(|call| {
        let mut submission = sheet("diagnosis");
        let (_, answered) = submission.verdicts.iter_mut().find(|(id, _)| id == "B2").unwrap();
        (answered.pass, answered.turns, answered.quote) = (Pass::Yes, Vec::new(), None);
        ModelReply::said(call, &answer(call, &submission).to_string())
    })
}

#[test]
fn two_judges_are_both_asked_both_kept_and_one_with_proof_trips_the_gate() {
    let place = Place::with(&["diagnosis"]);
    let (strict, lenient) = (ModelServer::start(by_the_sheets), lenient());
    let (first, second) = (lenient.judge(), strict.judge());
    let arguments = ["eval", "diagnosis.txt", "--judge", &first, "--judge", &second, "--format", "json"];
    let report = place.run(&arguments).exits(0).json();
    assert!(!strict.take_calls().is_empty() && !lenient.take_calls().is_empty());
    let kept = report["panel"]["reports"].as_array().unwrap();
    let names: Vec<_> = kept.iter().map(|report| &report["judge"]["name"]).collect();
    assert_eq!(names, [&json!(first), &json!(second)]);
    assert!(kept[0]["overall"].as_f64() > kept[1]["overall"].as_f64(), "{report:#}");
    assert!(report["panel"]["agreement"].is_object(), "{report:#}");
    assert_eq!(report["overall"], 0.4);
    assert_eq!(place.run(&[&arguments[..], &["--fail-on-gate"]].concat()).code, 1);
    assert_eq!(strict.calls().len() + lenient.calls().len(), 0, "both are known by now");
    place.write("report.json", report.to_string());
    place.run(&["verify", "report.json"]).exits(0);
}

#[test]
fn a_model_and_a_person_can_form_a_panel() {
    let place = Place::with(&["diagnosis"]);
    let lenient = lenient();
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "sheets/diagnosis.csv", "--format", "json", "--judge"];
    let report = place.run(&[&arguments[..], &[&lenient.judge()]].concat()).exits(0).json();
    assert_eq!(report["panel"]["reports"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["overall"], 0.4);
}

#[test]
fn a_judge_that_is_gone_leaves_the_others_verdicts_and_is_said() {
    let place = Place::with(&["diagnosis"]);
    let (strict, gone) = (ModelServer::start(by_the_sheets), ModelServer::start(by_the_sheets));
    gone.stop();
    let (first, second) = (strict.judge(), gone.judge());
    let arguments = ["eval", "diagnosis.txt", "--judge", &first, "--judge", &second, "--format", "json"];
    let outcome = place.run(&arguments);
    let report = outcome.json();
    let kept = report["panel"]["reports"].as_array().unwrap();
    assert_eq!((&kept[0]["overall"], &kept[1]["overall"]), (&json!(0.4), &json!(null)), "{outcome}");
    assert!(outcome.stdout.contains("unavailable: "), "{outcome}");
    assert_eq!(outcome.code, 3, "a judge that was asked for and gave nothing: {outcome}");
    let text = place.run(&["eval", "diagnosis.txt", "--judge", &first, "--judge", &second]);
    let head: String = text.stdout.lines().take(5).collect();
    assert!(head.contains(&format!("Judge {second} gave no verdict: unavailable")), "{text}");
    let enough = place.run(&[&arguments[..], &["--min-judges", "1"]].concat());
    assert_eq!(enough.code, 0, "{enough}");
    assert!(outcome.stderr.contains(&format!("diagnosis: no verdicts of judge {second}: unavailable: ")), "{outcome}");
}
