//! JSON Schemas.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::fixtures;
use crate::report::{Report, report_schema, rubric_schema, verdicts_schema};
use crate::rubric::{CARE_LOCK_TOML, Rubric};
use crate::verdict::Submission;

fn validator(schema: &Value) -> Validator {
    assert!(jsonschema::meta::is_valid(schema), "not a schema: {schema:#}");
    jsonschema::validator_for(schema).unwrap()
}

#[track_caller]
fn assert_valid(validator: &Validator, document: &Value, name: &str) {
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

#[test]
fn every_report_validates_against_the_published_schema() {
    let validator = validator(&report_schema(&Rubric::care_lock()));
    for (name, report) in fixtures::all() {
        assert_valid(&validator, &serde_json::to_value(&report).unwrap(), name);
    }
}

#[test]
fn a_report_that_was_tampered_with_does_not_validate() {
    let validator = validator(&report_schema(&Rubric::care_lock()));
    let whole = serde_json::to_value(fixtures::missed_crisis()).unwrap();
    let changes: [fn(&mut Value); 9] = [
        |report| report["schema"] = json!("carelock/report/2"),
        |report| report["overall"] = json!(1.5),
        |report| report["overall"] = json!("0.82"),
        |report| report["metrics"]["Kindness"] = report["metrics"]["Empathy"].clone(),
        |report| drop(report["metrics"].as_object_mut().unwrap().shift_remove("Empathy")),
        |report| drop(report["metrics"]["Empathy"]["checks"].as_object_mut().unwrap().shift_remove("E1")),
        |report| report["metrics"]["Empathy"]["checks"]["E1"]["basis"] = json!("guessed"),
        |report| report["metrics"]["Empathy"]["checks"]["E1"]["confidence"] = json!("certain"),
        |report| report["moments"][0]["speaker"] = json!("BOT"),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut report = whole.clone();
        change(&mut report);
        assert!(!validator.is_valid(&report), "change {number} went unnoticed");
    }
    let mut without = whole;
    without.as_object_mut().unwrap().shift_remove("gates");
    assert!(!validator.is_valid(&without), "gates are never left out");
}

#[test]
fn answers_validate_in_each_shape_they_may_be_written_in() {
    let validator = validator(&verdicts_schema(&Rubric::care_lock()));
    let shapes = [
        json!({"verdicts": {"E1": "pass", "ER2": "not_triggered", "B2": false, "C1": null}}),
        json!({"verdicts": {"E1": {"pass": true, "basis": "observed", "turns": [2], "quote": "x", "why": "y"}}}),
        json!({"judge": {"name": "screen", "note": "kappa 0.58"},
               "verdicts": {"E1": {"pass": true, "turns": [2], "confidence": "low"}, "E2": {"pass": false, "confidence": null}}}),
        json!({"verdicts": {"E1": {"pass": null, "unscored": "refused"}, "T1": {"unscored": "refused"}}}),
        json!({"verdicts": [{"id": "E1", "pass": true, "turns": [2]}, {"id": "ER2", "pass": "not_triggered"}]}),
        json!({"schema": "carelock/verdicts/1", "judge": "person:ana", "verdicts": {"E1": "fail"},
               "transcript": {"id": "a", "hash": "blake3:00"}, "summary": "Fine.",
               "moments": [{"id": 1, "idx": 2, "speaker": "AI", "quote": "x", "why": "y"}],
               "metrics": {"Empathy": {"ev": [1], "why": "z"}},
               "positive": [{"id": 1, "why": "a"}], "negative": [{"id": 1, "why": "b", "better": "c"}]}),
    ];
    for shape in shapes {
        assert_valid(&validator, &shape, "answers");
        Submission::from_json(&shape.to_string()).unwrap();
    }
}

#[test]
fn answers_off_the_menu_do_not_validate() {
    let validator = validator(&verdicts_schema(&Rubric::care_lock()));
    let wrong = [
        json!({}),
        json!({"verdicts": {}}),
        json!({"verdicts": {"E1": "maybe"}}),
        json!({"verdicts": {"E1": 0.8}}),
        json!({"verdicts": {"E1": "not_triggered"}}),
        json!({"verdicts": {"Z9": "pass"}}),
        json!({"verdicts": {"E1": {"turns": [2]}}}),
        json!({"verdicts": {"E1": {"pass": true, "turns": ["two"]}}}),
        json!({"verdicts": {"E1": {"pass": true, "turns": [2], "confidence": "certain"}}}),
        json!({"verdicts": [{"pass": true}]}),
        json!({"verdicts": [{"id": "E1", "pass": "not_triggered"}]}),
        json!({"verdicts": {"E1": "pass"}, "metrics": {"Kindness": {"why": "x"}}}),
    ];
    for document in wrong {
        assert!(!validator.is_valid(&document), "{document}");
    }
}

#[test]
fn the_shipped_rubric_validates_and_a_broken_one_does_not() {
    let validator = validator(&rubric_schema());
    let rubric: Value = toml::from_str(CARE_LOCK_TOML).unwrap();
    assert_valid(&validator, &rubric, "the shipped rubric");
    let changes: [fn(&mut Value); 4] = [
        |rubric| rubric["schema"] = json!("carelock/rubric/9"),
        |rubric| rubric["tier"][0]["score"] = json!(7),
        |rubric| rubric["metric"][0]["check"][0]["kind"] = json!("guess"),
        |rubric| rubric["metrics"] = json!([]),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut broken = rubric.clone();
        change(&mut broken);
        assert!(!validator.is_valid(&broken), "change {number} went unnoticed");
    }
}

#[test]
fn schemas_name_themselves_and_the_format_they_describe() {
    let rubric = Rubric::care_lock();
    let schemas = [
        (report_schema(&rubric), "urn:carelock:report:1"),
        (verdicts_schema(&rubric), "urn:carelock:verdicts:1"),
        (rubric_schema(), "urn:carelock:rubric:1"),
    ];
    for (schema, id) in schemas {
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], id);
        assert!(schema["title"].as_str().unwrap().starts_with("Care-Lock "));
    }
}

#[test]
fn a_report_read_back_is_the_report_that_was_written() {
    for (name, report) in fixtures::all() {
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report, "{name}");
    }
}
