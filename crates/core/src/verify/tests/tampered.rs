//! Reports changed in one place: each change is seen, and named by its path.

use serde_json::{Value, json};

use super::samples::{eventful, failing, partial, verified};
use crate::rubric::Rubric;
use crate::verify::verify;

/// A report with the value at a JSON pointer replaced; a new key is added.
fn with(mut report: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match report.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.insert(key.to_owned(), value)),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => panic!("{pointer}: {other}"),
    }
    report
}

fn without(mut report: Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match report.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.shift_remove(key).unwrap()),
        Value::Array(items) => drop(items.remove(key.parse().unwrap())),
        other => panic!("{pointer}: {other}"),
    }
    report
}

#[track_caller]
fn assert_named(report: &Value, path: &str) {
    let names = failing(report);
    assert!(names.iter().any(|name| name == path), "{path} is not among {names:?}");
}

#[test]
fn every_value_that_is_changed_is_named() {
    let cases: Vec<(&str, Value, &str)> = vec![
        ("/metrics/Empathy/score", json!(1.0), "metrics.Empathy.score"),
        ("/metrics/Empathy/score", json!("0.8"), "metrics.Empathy.score"),
        ("/metrics/Boundary/score", json!(0.8), "metrics.Boundary.score"),
        ("/metrics/Clarity/score", json!(1.0), "metrics.Clarity.score"),
        ("/metrics/Tone/tier", json!("Strong"), "metrics.Tone.tier"),
        ("/metrics/Tone/passes", json!(4), "metrics.Tone.passes"),
        ("/metrics/Tone/earned", json!(5), "metrics.Tone.earned"),
        ("/metrics/Tone/not_triggered", json!(0), "metrics.Tone.not_triggered"),
        ("/metrics/Tone/failed", json!(null), "metrics.Tone.failed"),
        ("/metrics/Tone/unscored", json!(1), "metrics.Tone.unscored"),
        ("/metrics/Boundary/gate", json!([]), "metrics.Boundary.gate"),
        ("/gates", json!([]), "gates"),
        ("/gates", json!("none"), "gates"),
        ("/gates/0/cap", json!(0.8), "gates[0].cap"),
        ("/gates/0/without", json!(0.99), "gates[0].without"),
        ("/gates/0/quote", json!("You have a mild depressive disorder."), "gates[0].quote"),
        ("/gates/0/turns", json!([2]), "gates[0].turns"),
        ("/gates/0/metric", json!("Tone"), "gates[0].metric"),
        ("/gates/0/says", json!("was helpful"), "gates[0].says"),
        ("/gates/0/check", json!("B3"), "gates[0].check"),
        ("/overall", json!(0.5), "overall"),
        ("/overall", json!(null), "overall"),
        ("/overall", json!(true), "overall"),
        ("/overall_ungated", json!(0.1), "overall_ungated"),
        ("/overall_partial", json!(0.9), "overall_partial"),
        ("/undetermined", json!("who knows"), "undetermined"),
        ("/coverage", json!(0.9), "coverage"),
        ("/weights/Consistency", json!(1), "gates[0].without"),
        ("/weights/Empathy", json!(-1), "weights.Empathy"),
        ("/weights/Kindness", json!(3), "weights"),
        ("/turns/3/text", json!("You may be sad. Take melatonin tonight."), "transcript.hash"),
        ("/turns/0/text", json!("I can’t sleep since the funeral.\r\nNothing helps."), "turns[0].text"),
        ("/turns/0/text", json!(7), "turns[0].text"),
        ("/turns/1/speaker", json!("HUMAN"), "transcript.hash"),
        ("/turns/1/speaker", json!("BOT"), "turns[1].speaker"),
        ("/turns/2/idx", json!(4), "turns[2].idx"),
        ("/turns", json!({}), "turns"),
        ("/turns", json!([]), "turns"),
        ("/transcript/hash", json!("blake3:00"), "transcript.hash"),
        ("/transcript/id", json!(3), "transcript.id"),
        ("/rubric/hash", json!("md5:1"), "rubric.hash"),
        ("/rubric/version", json!("9.9"), "rubric.version"),
        ("/moments/0/quote", json!("That sounds very harsh"), "moments[0].quote"),
        ("/moments/0/quote", json!("that sounds very hard"), "moments[0].quote"),
        ("/moments/0/quote", json!(" "), "moments[0].quote"),
        ("/moments/0/speaker", json!("HUMAN"), "moments[0].speaker"),
        ("/moments/0/idx", json!(4), "moments[0].quote"),
        ("/moments/0/idx", json!(44), "moments[0].idx"),
        ("/moments/1/id", json!(1), "moments[1].id"),
        ("/metrics/Empathy/ev", json!([3]), "metrics.Empathy.ev"),
        ("/metrics/Empathy/ev", json!([]), "metrics.Empathy.ev"),
        ("/metrics/Empathy/why", json!("word ".repeat(26)), "metrics.Empathy.why"),
        ("/metrics/Empathy/why", json!(""), "metrics.Empathy.why"),
        ("/summary", json!("word ".repeat(21)), "summary"),
        ("/summary", json!("One.\nTwo."), "summary"),
        ("/positive/0/id", json!(9), "positive[0].id"),
        ("/negative", json!(vec![json!({"id": 1, "why": ""}); 6]), "negative"),
        ("/audit/0/before", json!(false), "audit[0].before"),
        ("/audit/1/after", json!(1.0), "audit[1].after"),
        ("/audit/1/outcome", json!("flagged"), "audit[1].outcome"),
        ("/audit/1/step", json!("dreamt"), "audit[1].step"),
        ("/metrics", json!([]), "metrics"),
        ("/schema", json!(1), "schema"),
    ];
    for (pointer, value, path) in cases {
        assert_named(&with(eventful(), pointer, value), path);
    }
}

#[test]
fn every_answer_that_is_changed_is_named() {
    let cases: Vec<(&str, &str, Value, &str)> = vec![
        ("Empathy", "E1/pass", json!(false), "metrics.Empathy.passes"),
        ("Empathy", "E1/pass", json!("yes"), "metrics.Empathy.checks.E1.pass"),
        ("Empathy", "E1/pass", json!(null), "metrics.Empathy.checks.E1.basis"),
        ("Empathy", "E1/basis", json!("absent"), "metrics.Empathy.checks.E1.basis"),
        ("Empathy", "E1/basis", json!("felt"), "metrics.Empathy.checks.E1.basis"),
        ("Empathy", "E1/basis", json!("not_triggered"), "metrics.Empathy.checks.E1.basis"),
        ("Empathy", "E1/turns", json!([]), "metrics.Empathy.checks.E1.basis"),
        ("Empathy", "E1/turns", json!([77]), "metrics.Empathy.checks.E1.turns"),
        ("Empathy", "E1/turns", json!("2"), "metrics.Empathy.checks.E1.turns"),
        ("Empathy", "E1/quote", json!("That sounds very hart"), "metrics.Empathy.checks.E1.quote"),
        ("Empathy", "E1/quote", json!("Take melatonin"), "metrics.Empathy.checks.E1.quote"),
        ("Empathy", "E1/unscored", json!("refused"), "metrics.Empathy.checks.E1.unscored"),
        ("Empathy", "E1/entailed_by", json!("E2"), "metrics.Empathy.checks.E1.entailed_by"),
        ("Boundary", "B2/pass", json!(true), "metrics.Boundary.score"),
        ("Boundary", "B2/basis", json!("absent"), "metrics.Boundary.checks.B2.basis"),
        ("Supportiveness", "S1/pass", json!(true), "metrics.Supportiveness.checks.S1.pass"),
        ("Supportiveness", "S1/entailed_by", json!("E1"), "metrics.Supportiveness.checks.S1.entailed_by"),
        ("Supportiveness", "S1/judged/pass", json!(false), "metrics.Supportiveness.checks.S1.judged"),
        ("Supportiveness", "S1/judged/quote", json!("Oh"), "metrics.Supportiveness.checks.S1.judged.quote"),
        ("Supportiveness", "S1/judged", json!(null), "metrics.Supportiveness.checks.S1.entailed_by"),
        ("Supportiveness", "S1/why", json!("It was fine."), "metrics.Supportiveness.checks.S1.why"),
        ("Tone", "T9", json!({"pass": true, "basis": "absent"}), "metrics.Tone.checks.T9"),
        ("Tone", "E1", json!({"pass": true, "basis": "absent"}), "metrics.Tone.checks.E1"),
    ];
    for (metric, place, value, path) in cases {
        assert_named(&with(eventful(), &format!("/metrics/{metric}/checks/{place}"), value), path);
    }
}

#[test]
fn everything_that_is_removed_is_named() {
    let cases = [
        ("/audit/0", "audit"),
        ("/audit/1", "audit"),
        ("/gates/0", "gates"),
        ("/metrics/Tone", "metrics.Tone.checks.T1"),
        ("/metrics/Tone/checks", "metrics.Tone"),
        ("/metrics/Tone/checks/T1", "metrics.Tone.checks.T1"),
        ("/metrics/Tone/score", "metrics.Tone.score"),
        ("/turns/2", "turns[2].idx"),
        ("/turns", "report"),
        ("/moments/0", "moments[0].id"),
        ("/moments", "report"),
        ("/overall", "overall"),
        ("/overall_ungated", "overall_ungated"),
        ("/weights", "gates[0].without"),
        ("/schema", "schema"),
        ("/rubric", "rubric.hash"),
        ("/transcript", "report"),
        ("/summary", "report"),
        ("/audit", "report"),
    ];
    for (pointer, path) in cases {
        assert_named(&without(eventful(), pointer), path);
    }
}

#[test]
fn an_unscored_check_cannot_be_made_a_pass_or_lose_its_reason() {
    let check = "/metrics/Clarity/checks/C1";
    let pass = with(partial(), check, json!({"pass": true, "basis": "absent"}));
    assert_named(&pass, "metrics.Clarity.unscored");
    assert_named(&pass, "metrics.Clarity.score");
    assert_named(&pass, "coverage");
    assert_named(&with(partial(), check, json!({"pass": null})), "metrics.Clarity.checks.C1.unscored");
    assert_named(&with(partial(), "/metrics/Clarity/score", json!(0.8)), "metrics.Clarity.score");
    assert_named(&with(partial(), "/overall_partial", json!(0.3)), "overall_partial");
    assert_named(&with(partial(), "/undetermined", json!("bad luck")), "undetermined");
    assert_named(&with(partial(), "/overall", json!(1.0)), "overall");
}

#[test]
fn a_replaced_sentence_must_be_the_one_in_the_report() {
    assert_named(&with(partial(), "/summary", json!("All is well.")), "summary");
    assert_named(&with(partial(), "/metrics/Empathy/why", json!("All is well.")), "metrics.Empathy.why");
}

#[test]
fn an_entailed_failure_cannot_be_undone_even_with_the_judges_own_answer() {
    let mut report = eventful();
    let judged = report["metrics"]["Supportiveness"]["checks"]["S1"]["judged"].clone();
    report["metrics"]["Supportiveness"]["checks"]["S1"] = judged;
    assert_named(&report, "metrics.Supportiveness.checks.S1.pass");
}

#[test]
fn an_invented_finding_or_gate_is_named() {
    let mut report = eventful();
    let mut finding = report["audit"][0].clone();
    finding["rule"] = "E9→S9".into();
    report["audit"].as_array_mut().unwrap().insert(1, finding);
    assert_named(&report, "audit[1]");
    let mut report = eventful();
    let mut gate = report["gates"][0].clone();
    gate["check"] = "ES1".into();
    report["gates"].as_array_mut().unwrap().push(gate);
    assert_named(&report, "gates[1]");
}

#[test]
fn a_key_that_stands_twice_is_named() {
    let text = eventful().to_string().replacen("\"E1\":", "\"E1\":{\"pass\":true},\"E1\":", 1);
    let verification = verify(&text, &Rubric::care_lock()).unwrap();
    assert_eq!(verification.failing().next().unwrap().what, "metrics.Empathy.checks.E1");
}

#[test]
fn a_report_that_lost_its_schema_does_not_pass_for_an_earlier_one() {
    let mut report = without(eventful(), "/schema");
    for mark in ["transcript", "rubric", "coverage", "gates"] {
        report = without(report, &format!("/{mark}"));
    }
    assert_named(&report, "schema");
    assert_named(&report, "report");
}

#[test]
fn a_quote_that_was_changed_by_hand_is_shown_as_the_turn_has_it() {
    let report = with(eventful(), "/moments/0/quote", json!("THAT sounds very hard"));
    let point = verified(&report).failing().next().unwrap().clone();
    assert!(point.detail.contains("differs in case") && point.detail.contains("“That sounds"), "{}", point.detail);
}

#[test]
fn a_field_the_format_does_not_have_does_not_hold_wherever_it_stands() {
    for place in
        ["/metrics/Tone/percentile", "/turns/1/aside", "/certified", "/metrics/Tone/checks/T1/note", "/audit/0/by"]
    {
        assert_named(&with(eventful(), place, json!(99)), &dotted(place));
    }
    assert!(verified(&with(eventful(), "/turns/1/aside", json!(null))).holds());
}

/// A JSON pointer as verification writes it.
fn dotted(pointer: &str) -> String {
    let part = |part: &str| if part.parse::<u32>().is_ok() { format!("[{part}]") } else { format!(".{part}") };
    pointer.split('/').skip(1).map(part).collect::<String>()[1..].to_owned()
}

/// JSON pointers to everything in a report.
fn places(value: &Value, at: &str) -> Vec<String> {
    let below = |(key, value): (String, &Value)| places(value, &format!("{at}/{key}"));
    let mut all: Vec<String> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).flat_map(below).collect(),
        Value::Array(items) => {
            (0..).zip(items).map(|(at, item): (u32, _)| (at.to_string(), item)).flat_map(below).collect()
        }
        _ => Vec::new(),
    };
    all.push(at.to_owned());
    all
}

#[test]
fn a_value_of_the_wrong_type_never_goes_unseen() {
    let report = eventful();
    // The audit keeps any value under these two names; what follows from the verdicts is compared elsewhere.
    let is_any = |place: &str| place.is_empty() || place.ends_with("/before") || place.ends_with("/after");
    for place in places(&report, "").into_iter().filter(|place| !is_any(place)) {
        for odd in [json!([{}]), json!({"odd": [null]})] {
            let changed = with(report.clone(), &place, odd);
            assert!(!failing(&changed).is_empty(), "{place}");
        }
    }
}
