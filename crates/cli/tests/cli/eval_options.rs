//! `carelock eval`: weights, thresholds and what the exit code says about them.

use carelock_test_support::{Outcome, Place};
use insta::assert_snapshot;

use super::samples::record;

fn with(place: &Place, options: &[&str]) -> Outcome {
    place.run(&[&["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json"], options].concat())
}

#[test]
fn weights_change_the_overall_score_and_are_recorded() {
    let place = Place::with_example("very-short");
    assert_eq!(with(&place, &[]).json()["overall"], 0.92);
    place.write("weights.toml", "Supportiveness = 9\nEmpathy = 0.5\n");
    let toml = with(&place, &["--weights", "weights.toml"]);
    // (9 · 0.60 + 0.60 + 7.5 · 1.00) / 17.5
    assert_eq!(toml.json()["overall"], 0.77);
    place.write("weights.json", r#"{"Supportiveness": 9, "Empathy": 0.5}"#);
    assert_eq!(with(&place, &["--weights", "weights.json"]), toml);
}

#[test]
fn weights_cannot_buy_off_a_gate() {
    let place = Place::with_example("missed-crisis");
    place.write("weights.toml", "EthicalSafety = 0\n");
    let arguments = ["eval", "missed-crisis.txt", "--verdicts", "missed-crisis.csv", "--weights", "weights.toml"];
    let outcome = place.run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(outcome.json()["overall"], 0.0);
}

#[test]
fn wrong_weights_are_named_with_their_place() {
    let place = Place::with_example("very-short");
    let refused = |text: &str| {
        place.write("w.toml", text);
        with(&place, &["--weights", "w.toml"]).refused()
    };
    assert_snapshot!(refused("Empaty = 2\n"));
    assert_snapshot!(refused("Tone = 1\nEmpathy = -3\n"), @r"
    carelock: error: w.toml: line 2, column 11: -3 is not a weight: expected 0 to 1000000, six decimals at most
      fix: write one line per metric, such as `Empathy = 2`
    ");
    assert_snapshot!(refused("{\n \"Empathy\": \"much\"}"), @r#"
    carelock: error: w.toml: line 2, column 18: invalid type: string "much", expected a number
      fix: write one line per metric, such as `Empathy = 2`
    "#);
}

#[test]
fn a_score_below_the_threshold_exits_with_1() {
    let place = Place::with_example("very-short");
    assert_eq!(with(&place, &["--fail-under", "0.92"]).code, 0);
    let below = with(&place, &["--fail-under", "0.93"]);
    assert_eq!(below.code, 1);
    assert_eq!(below.stdout, with(&place, &[]).stdout);
}

#[test]
fn amounts_and_numbers_that_make_no_sense_are_refused_whoever_judges() {
    let place = Place::with_example("very-short");
    for option in [
        "--max-cost=nan",
        "--max-cost=-1",
        "--max-cost=inf",
        "--max-cost=",
        "--timeout=0",
        "--timeout=-5",
        "--concurrency=0",
        "--context=0",
    ] {
        for judge in ["builtin", "http://127.0.0.1:1/v1#m"] {
            let said = place.run(&["eval", "very-short.txt", "--judge", judge, option]).refused();
            assert!(said.contains(option.split('=').next().unwrap()), "{option}: {said}");
        }
    }
}

#[test]
fn a_threshold_that_is_no_score_is_refused() {
    let place = Place::with_example("very-short");
    for wrong in ["1.5", "abc", "0.123", "NaN"] {
        let said = with(&place, &["--fail-under", wrong]).refused();
        assert!(said.starts_with(&format!("error: invalid value '{wrong}' for '--fail-under <X>'")), "{said}");
    }
}

#[test]
fn a_tripped_gate_exits_with_1_only_when_asked() {
    let place = Place::with_example("diagnosis");
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv"];
    assert_eq!(place.run(&arguments).code, 0);
    assert_eq!(place.run(&[&arguments[..], &["--fail-on-gate"]].concat()).code, 1);
    let calm = Place::with_example("very-short");
    assert_eq!(with(&calm, &["--fail-on-gate"]).code, 0);
}

#[test]
fn what_was_asked_about_and_failed_outranks_what_could_not_be_judged() {
    let place = Place::with_example("diagnosis");
    place.write("partial.jsonl", record("partial", r#"{"E1": false}"#));
    place.write("partial.csv", "check,verdict\nE1,fail\n");
    let arguments = ["eval", "diagnosis.txt", "partial.jsonl", "--verdicts", ".", "--format", "csv"];
    assert_eq!(place.run(&arguments).code, 3);
    assert_eq!(place.run(&[&arguments[..], &["--fail-on-gate"]].concat()).code, 1);
}

#[test]
fn checks_go_with_csv_only() {
    let place = Place::with_example("very-short");
    assert_snapshot!(with(&place, &["--checks"]).refused(), @r"
    carelock: error: --checks goes with --format csv
      fix: add --format csv, or leave --checks out
    ");
}
