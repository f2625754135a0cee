//! How sure a judge is, from its answer to the report and back; and what is noted of the judge itself.

use crate::support::{Answers, chat};
use carelock_core::panel::GatePolicy;
use carelock_core::report::{Report, markdown, text};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::{Confidence, Submission, Verdicts};
use carelock_core::verify::verify;
use serde_json::{Value, json};

fn unsure() -> Answers {
    let failure = json!({"pass": false, "turns": [4], "quote": "I'm an AI", "why": "Stiff", "confidence": "low"});
    Answers::all_pass()
        .set("C1", failure)
        .set("T3", json!({"pass": true, "turns": [2], "quote": "sounds exhausting", "confidence": "high"}))
}

fn noted(note: &str) -> Answers {
    unsure().with("judge", json!({"name": "screen", "note": note}))
}

fn failing(report: &Value) -> Vec<String> {
    verify(&report.to_string(), &Rubric::care_lock())
        .expect("a report")
        .failing()
        .map(|point| point.what.clone())
        .collect()
}

fn panel() -> Report {
    let members = [noted("kappa 0.58"), unsure()].map(|member| member.admit().expect("answers")).to_vec();
    let rubric = Rubric::care_lock();
    Report::assemble_panel(&rubric, chat(), members, GatePolicy::Any, &Weights::equal(&rubric))
}

#[test]
fn how_sure_a_judge_is_goes_from_its_answer_into_the_report_after_the_reason() {
    let report = unsure().report();
    let check = &report.metrics["Clarity"].checks["C1"];
    assert_eq!(check.confidence, Some(Confidence::Low));
    let written = serde_json::to_string(check).unwrap();
    assert!(written.ends_with(r#""why":"Stiff","confidence":"low"}"#), "{written}");
}

#[test]
fn it_changes_no_score() {
    let plain = Answers::all_pass().fail(&["C1"]).report();
    let report = unsure().report();
    assert_eq!((plain.overall, plain.gates), (report.overall, report.gates));
}

#[test]
fn a_report_of_a_judge_that_does_not_say_has_no_such_fields() {
    let written = serde_json::to_string(&Answers::all_pass().fail(&["C1", "B2"]).report()).unwrap();
    assert!(!written.contains("\"confidence\"") && !written.contains("\"note\""));
}

#[test]
fn what_names_no_confidence_is_passed_over_and_the_answer_stands() {
    for said in [json!("certain"), json!(0.9), json!(null), json!(["low"]), json!({"level": "low"}), json!("")] {
        let answers = Answers::all_pass()
            .set("E1", json!({"pass": true, "turns": [2], "quote": "sounds exhausting", "confidence": said}));
        let report = answers.report();
        let check = &report.metrics["Empathy"].checks["E1"];
        assert_eq!((check.pass, check.confidence), (Some(true), None), "{said}");
    }
    let answers = Answers::all_pass()
        .set("E1", json!({"pass": true, "turns": [2], "quote": "sounds exhausting", "confidence": " LOW"}));
    assert_eq!(answers.report().metrics["Empathy"].checks["E1"].confidence, Some(Confidence::Low));
}

#[test]
fn a_check_without_a_verdict_has_no_confidence() {
    let report = Answers::all_pass().set("E1", json!({"unscored": "refused", "confidence": "high"})).report();
    assert_eq!(report.metrics["Empathy"].checks["E1"].confidence, None);
    let mut forged = serde_json::to_value(report).unwrap();
    forged["metrics"]["Empathy"]["checks"]["E1"]["confidence"] = json!("high");
    assert!(failing(&forged).iter().any(|name| name == "metrics.Empathy.checks.E1.confidence"));
}

#[test]
fn an_entailed_failure_is_as_sure_as_the_failure_it_follows_from_and_keeps_the_judges_own() {
    let failure = json!({"pass": false, "basis": "absent", "confidence": "low"});
    let pass = json!({"pass": true, "turns": [2], "quote": "sounds exhausting", "confidence": "high"});
    let report = Answers::all_pass().set("E2", failure).set("S1", pass).report();
    let check = &report.metrics["Supportiveness"].checks["S1"];
    assert_eq!((check.pass, check.confidence), (Some(false), Some(Confidence::Low)));
    assert_eq!(check.judged.as_ref().unwrap().confidence, Some(Confidence::High));
    let report = serde_json::to_value(&report).unwrap();
    assert_eq!(failing(&report), [""; 0]);
    let mut forged = report;
    forged["metrics"]["Supportiveness"]["checks"]["S1"]["confidence"] = json!("high");
    assert_eq!(failing(&forged), ["metrics.Supportiveness.checks.S1.confidence"]);
}

#[test]
fn the_answers_of_a_report_are_read_back_with_how_sure_they_were() {
    let report = noted("kappa 0.58").report();
    let read = Submission::from_json(&serde_json::to_string(&report).unwrap()).unwrap();
    assert_eq!(read.judge.note.as_deref(), Some("kappa 0.58"));
    let rubric = Rubric::care_lock();
    let again = Verdicts::admit(&rubric, &chat(), read).unwrap();
    let again = Report::assemble(&rubric, chat(), again, &Weights::equal(&rubric));
    assert_eq!(again.metrics, report.metrics);
}

#[test]
fn verification_accepts_any_confidence_on_the_menu_and_no_other() {
    let mut report = serde_json::to_value(noted("kappa 0.58").report()).unwrap();
    assert_eq!(failing(&report), [""; 0]);
    report["metrics"]["Clarity"]["checks"]["C1"]["confidence"] = json!("high");
    assert_eq!(failing(&report), [""; 0], "the judge's word cannot be derived");
    report["metrics"]["Clarity"]["checks"]["C1"]["confidence"] = json!("certain");
    assert!(failing(&report).iter().all(|name| name == "metrics.Clarity.checks.C1.confidence"));
    assert!(!failing(&report).is_empty());
}

#[test]
fn a_panel_is_not_sure_or_unsure_but_keeps_what_its_judges_said() {
    let report = panel();
    assert!(report.checks().all(|(_, _, check)| check.confidence.is_none()));
    assert_eq!(report.judge.note, None);
    let member = &report.panel.as_ref().unwrap().reports[0];
    assert_eq!(member.metrics["Clarity"].checks["C1"].confidence, Some(Confidence::Low));
    assert_eq!(failing(&serde_json::to_value(&report).unwrap()), [""; 0]);
}

#[test]
fn a_note_stands_beside_its_judge_also_on_a_panel() {
    let rubric = Rubric::care_lock();
    let lines = |report: &Report| [text(report, &rubric, &Default::default()), markdown(report, &rubric)];
    for shown in lines(&noted("kappa 0.58").report()) {
        assert_eq!(shown.matches("kappa 0.58").count(), 1, "{shown}");
    }
    for shown in lines(&panel()) {
        assert!(shown.contains("screen: 0.98 (kappa 0.58)"), "{shown}");
    }
    for shown in lines(&noted(" \n ").report()) {
        assert!(!shown.contains("·  ·") && !shown.contains("\n\n\n"), "{shown}");
    }
}
