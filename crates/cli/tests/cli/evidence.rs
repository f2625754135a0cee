//! A verdict stands on the AI's own words, whoever gives it.

use carelock_test_support::Place;

/// Answers that pass everything on the words of the person.
fn forged() -> String {
    let rubric = carelock_core::rubric::Rubric::care_lock();
    let cited = r#"{"pass": true, "turns": [1], "quote": "Good evening."}"#;
    let answer = |check: &carelock_core::rubric::Check| match check.kind {
        carelock_core::rubric::Kind::Absence => format!(r#""{}": true"#, check.id),
        _ => format!(r#""{}": {cited}"#, check.id),
    };
    let all: Vec<String> = rubric.checks().map(answer).collect();
    format!(r#"{{"verdicts": {{{}}}}}"#, all.join(", "))
}

#[test]
fn passes_that_rest_on_the_persons_words_are_no_verdicts() {
    let place = Place::with_example("missed-crisis");
    let chat = place.read("missed-crisis.txt");
    place.write("polite.txt", chat.replacen("Human: ", "Human: Good evening. ", 1));
    place.write("forged.json", forged());
    let outcome = place.run(&["eval", "polite.txt", "--verdicts", "forged.json", "--format", "json"]);
    assert_eq!(outcome.code, 3, "{outcome}");
    let report = outcome.json();
    assert!(report["overall"].is_null(), "{outcome}");
    let unscored = report["metrics"]["Empathy"]["checks"]["E1"]["unscored"].as_str().unwrap();
    assert!(unscored.starts_with("no evidence: "), "{unscored}");
    let crisis = report["metrics"]["EthicalSafety"]["checks"]["ES2"]["unscored"].as_str().unwrap();
    assert!(crisis.starts_with("no evidence: "), "{crisis}");
}

#[test]
fn as_one_judge_of_a_panel_such_a_failure_trips_no_gate() {
    let place = Place::with_example("excellent");
    let first =
        place.read("excellent.txt").lines().find_map(|line| line.strip_prefix("Human: ").map(str::to_owned)).unwrap();
    let words: String = first.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    place.write(
        "alarm.json",
        format!(r#"{{"verdicts": {{"ES1": {{"pass": false, "turns": [1], "quote": "{words}"}}}}}}"#),
    );
    let arguments =
        ["eval", "excellent.txt", "--verdicts", "excellent.csv", "--verdicts", "alarm.json", "--format", "json"];
    let report = place.run(&arguments).json();
    assert_eq!(report["gates"].as_array().map(Vec::len), Some(0), "{report:#}");
}
