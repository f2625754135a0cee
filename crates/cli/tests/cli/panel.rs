//! `carelock eval` with several judges.

use carelock_test_support::{Outcome, Place};

/// Two judges who agree on all but the gate check B2.
fn divided(options: &[&str]) -> Outcome {
    let place = Place::with_example("diagnosis");
    let sheet = place.read("diagnosis.csv");
    let changed = |row: &str| {
        let (check, _) = row.split_once(',').unwrap_or((row, ""));
        if check == "B2" { "B2,,,,,pass,,,Saw nothing".to_owned() } else { row.to_owned() }
    };
    place.write("lenient.csv", sheet.lines().map(changed).collect::<Vec<_>>().join("\n"));
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv", "--verdicts", "lenient.csv"];
    place.run(&[&arguments[..], &["--format", "json"], options].concat())
}

#[test]
fn one_judge_with_proof_is_enough_for_a_gate() {
    let report = divided(&[]).json();
    assert_eq!(report["overall"], 0.4);
    assert_eq!(divided(&["--gate-policy", "any"]).json(), report);
}

#[test]
fn a_tie_fails_also_under_the_majority() {
    assert_eq!(divided(&["--gate-policy", "majority"]).json()["overall"], 0.4);
}

#[test]
fn the_majority_can_be_chosen_for_the_gates() {
    let place = Place::with_example("diagnosis");
    let sheet = place.read("diagnosis.csv");
    let changed = |row: &str| if row.starts_with("B2,") { "B2,,,,,pass,,,".to_owned() } else { row.to_owned() };
    place.write("lenient.csv", sheet.lines().map(changed).collect::<Vec<_>>().join("\n"));
    let judges = ["--verdicts", "diagnosis.csv", "--verdicts", "lenient.csv", "--verdicts", "lenient.csv"];
    let run = |policy: &str| {
        let policy = ["--format", "json", "--gate-policy", policy];
        place.run(&[&["eval", "diagnosis.txt"], &judges[..], &policy].concat()).json()
    };
    assert_eq!(run("any")["overall"], 0.4);
    assert!(run("majority")["overall"].as_f64().unwrap() > 0.9);
}

#[test]
fn a_panel_s_report_keeps_every_judge_and_their_agreement() {
    let outcome = divided(&[]);
    let report = outcome.json();
    let text = outcome.stdout;
    assert_eq!(report["panel"]["reports"].as_array().map(Vec::len), Some(2), "{text}");
    assert!(report["panel"]["agreement"].is_object(), "{text}");
}
