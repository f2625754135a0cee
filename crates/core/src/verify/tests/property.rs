//! Properties: whatever is answered, the report holds; whichever pass is flipped, it does not.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::samples::{assemble, failing, to_json, words};
use crate::rubric::Rubric;
use crate::scorecard::{Weight, Weights};

/// Any answer a judge may send: sound, off the menu, or without evidence.
fn answer() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => Just(json!({"pass": true, "turns": [2], "quote": "That sounds very hard"})),
        4 => Just(json!({"pass": false, "turns": [2, 4], "quote": "take melatonin TONIGHT", "confidence": "low"})),
        3 => Just(json!({"pass": true, "basis": "absent", "confidence": "medium"})),
        3 => Just(json!({"pass": false, "basis": "absent", "why": "never"})),
        3 => Just(json!({"pass": true, "basis": "not_triggered"})),
        1 => Just(json!({"pass": true, "turns": [9]})),
        1 => Just(json!({"pass": "perhaps"})),
        1 => Just(json!({"pass": null, "unscored": " ", "turns": [2], "quote": "no rest", "confidence": "high"})),
        1 => Just(json!({"pass": false, "turns": [1, 9], "why": "x"})),
    ]
}

fn answers() -> impl Strategy<Value = Map<String, Value>> {
    let ids: Vec<String> = Rubric::care_lock().checks().map(|check| check.id.clone()).collect();
    proptest::collection::vec(answer(), ids.len()).prop_map(move |answers| ids.iter().cloned().zip(answers).collect())
}

/// Wording with everything in it that has to be fixed or refused.
fn messy() -> Value {
    json!({
        "moments": [
            {"id": 3, "idx": 2, "speaker": "HUMAN", "quote": "that SOUNDS very hard", "why": ""},
            {"id": 3, "idx": 1, "quote": "Take melatonin … tonight", "why": "moved"},
            {"id": 8, "idx": 2, "quote": "never said", "why": "invented"},
            {"id": 9, "idx": 1, "quote": "sleep since the funeral. Nothing"},
        ],
        "metrics": {"Empathy": {"ev": [8], "why": ""}, "Tone": {"ev": [3, 3, 9]}, "Humour": {"ev": [1]}},
        "positive": [{"id": 8}, {"id": 9, "why": "good"}],
        "summary": "One.\rTwo.\n",
    })
}

fn weights(rubric: &Rubric, numbers: &[u8]) -> Weights {
    let keys = rubric.metrics().iter().map(|metric| metric.key.clone());
    let map = keys.zip(numbers).map(|(key, &number)| (key, Weight::from_decimal(f64::from(number) / 4.0).unwrap()));
    Weights::from_map(rubric, &map.collect()).unwrap_or_else(|_| Weights::equal(rubric))
}

fn flip(report: &mut Value, check: &str) -> bool {
    let metrics = report["metrics"].as_object_mut().unwrap();
    let pass = metrics.values_mut().find_map(|metric| metric["checks"].get_mut(check)).unwrap();
    let Some(said) = pass["pass"].as_bool() else { return false };
    pass["pass"] = (!said).into();
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_verdicts_make_a_report_that_holds_until_a_pass_is_flipped(
        answers in answers(),
        numbers in proptest::collection::vec(0u8..9, 10),
        style in 0usize..3,
        at in 0usize..50,
    ) {
        let rubric = Rubric::care_lock();
        let words = [json!({}), words(), messy()][style].clone();
        let mut report = to_json(&assemble(&rubric, &answers, &words, &weights(&rubric, &numbers)));
        prop_assert_eq!(failing(&report), [""; 0]);
        let check = &rubric.check(at).id;
        if flip(&mut report, check) {
            let names = failing(&report);
            prop_assert!(!names.is_empty(), "{} was flipped unseen", check);
        }
    }
}
