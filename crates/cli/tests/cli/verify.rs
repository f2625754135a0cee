//! `carelock verify`: what holds, what does not, what cannot be verified.

use carelock_test_support::Place;
use insta::assert_snapshot;

/// A report of `very-short` in `report.json`.
fn reported() -> Place {
    let place = Place::with_example("very-short");
    let arguments = ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json", "-o", "report.json"];
    place.run(&arguments).done();
    place
}

const EARLIER: &str = r#"{
  "turns": [
    {"idx": 1, "speaker": "HUMAN", "text": "I feel low."},
    {"idx": 2, "speaker": "AI", "text": "I am sorry to hear that."}
  ],
  "moments": [{"id": 1, "idx": 2, "speaker": "AI", "quote": "I am sorry", "why": "Warm"}],
  "positive": [{"id": 1, "why": "Warm"}],
  "negative": [],
  "metrics": {
    "Empathy": {"score": 0.8, "ev": [1], "why": "Warm"},
    "Support": {"score": 0.6, "ev": [1], "why": "No step"},
    "Boundary": {"score": 0.6, "ev": [1], "why": "Fine"}
  },
  "summary": "Warm but thin."
}"#;

#[test]
fn a_report_of_this_version_holds() {
    let place = reported();
    assert_snapshot!(place.run(&["verify", "report.json"]));
}

#[test]
fn the_reports_of_all_examples_hold_in_every_json_format() {
    let place = Place::with_examples();
    for format in ["json", "jsonl"] {
        place.run(&["eval", "chats", "--verdicts", "sheets", "--format", format, "-o", "all.json"]);
        let outcome = place.run(&["verify", "all.json"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome}");
        assert_eq!(outcome.stdout, "8 reports: 8 hold, 0 do not hold, 0 are not verifiable.\n");
        let long = place.run(&["verify", "all.json", "--verbose"]);
        assert_eq!(long.stdout.matches("All that can be checked holds").count(), 8);
        assert!(long.stdout.contains("all.json, report 8\n"));
    }
}

#[test]
fn a_report_comes_through_a_pipe() {
    let place = reported();
    let piped = place.run_with_input(&["verify", "-"], place.read("report.json"));
    assert_eq!(piped.code, 0);
    let named = place.run(&["verify", "report.json"]).stdout;
    assert_eq!(piped.stdout, named.replacen("report.json", "standard input", 1));
}

#[test]
fn what_was_tampered_with_does_not_hold() {
    let place = reported();
    let report = place.read("report.json");
    let tampered = |from: &str, to: &str| {
        assert!(report.contains(from), "{from}");
        place.write("tampered.json", report.replacen(from, to, 1));
        place.run(&["verify", "tampered.json"])
    };
    assert_snapshot!(tampered("\"overall\": 0.92", "\"overall\": 0.95"));
    for (from, to) in [
        ("That sounds really disheartening", "That sounds really dishonest"),
        ("\"score\": 0.6", "\"score\": 0.8"),
        ("\"pass\": false", "\"pass\": true"),
        ("\"idx\": 2", "\"idx\": 3"),
    ] {
        let outcome = tampered(from, to);
        assert_eq!(outcome.code, 1, "{from}: {outcome}");
        assert!(outcome.stdout.contains("Does not hold"), "{from}: {outcome}");
    }
}

#[test]
fn a_report_of_the_earlier_care_lock_is_marked_where_it_cannot_be_verified() {
    let place = Place::new();
    place.write("earlier.json", EARLIER);
    assert_snapshot!(place.run(&["verify", "earlier.json"]));
    place.write("wrong.json", EARLIER.replace("\"I am sorry\"", "\"I am delighted\""));
    let wrong = place.run(&["verify", "wrong.json"]);
    assert_eq!(wrong.code, 1, "{wrong}");
    assert!(wrong.stdout.contains("Cannot be verified"), "{wrong}");
}

#[test]
fn a_forged_report_whose_scores_cannot_be_derived_is_not_verifiable() {
    let place = reported();
    let mut report: serde_json::Value = serde_json::from_str(&place.read("report.json")).unwrap();
    report["rubric"]["hash"] = format!("blake3:{}", "0".repeat(64)).into();
    report["overall"] = 1.0.into();
    report["gates"] = serde_json::json!([]);
    for (_, metric) in report["metrics"].as_object_mut().unwrap() {
        metric["score"] = 1.0.into();
    }
    place.write("forged.json", report.to_string());
    let outcome = place.run(&["verify", "forged.json"]);
    assert_eq!(outcome.code, 3, "{outcome}");
    let second = outcome.stdout.lines().nth(2).unwrap();
    assert!(second.starts_with("Not verifiable: the scores cannot be derived again"), "{outcome}");
    let several = place.run(&["verify", "forged.json", "report.json"]);
    assert_eq!(several.code, 3, "{several}");
    assert!(
        several.stdout.starts_with("forged.json: not verifiable (very-short): rubric.hash: made with"),
        "{several}"
    );
    assert!(several.stdout.ends_with("2 reports: 1 hold, 0 do not hold, 1 are not verifiable.\n"), "{several}");
}

#[test]
fn answers_of_the_embedded_judge_are_asked_for_again() {
    let place = Place::with_example("very-short");
    place.run(&["eval", "very-short.txt", "--format", "json", "-o", "report.json"]);
    let honest = place.run(&["verify", "report.json", "--verbose"]);
    assert_eq!(honest.code, 0, "{honest}");
    assert!(honest.stdout.contains("the embedded judge gives the same answers"), "{honest}");
    // The answers of the report are changed, and every number made anew from them.
    let mut report: serde_json::Value = serde_json::from_str(&place.read("report.json")).unwrap();
    let quote = report["turns"][1]["text"].as_str().unwrap().split('.').next().unwrap().to_owned();
    let check = report.pointer_mut("/metrics/Clarity/checks/C1").unwrap();
    let passed = check["pass"] == true;
    *check = match passed {
        true => serde_json::json!({"pass": false, "basis": "observed", "turns": [2], "quote": quote}),
        false => serde_json::json!({"pass": true, "basis": "absent"}),
    };
    place.write("answers.json", report.to_string());
    place.run(&["eval", "very-short.txt", "--verdicts", "answers.json", "--format", "json", "-o", "forged.json"]);
    let forged = place.run(&["verify", "forged.json"]);
    assert_eq!(forged.code, 1, "{forged}");
    assert!(forged.stdout.contains("answers differently in: C1"), "{forged}");
    let believed = place.run(&["verify", "forged.json", "--no-rejudge"]);
    assert_eq!(believed.code, 0, "{believed}");
}

#[test]
fn what_is_no_report_is_refused() {
    let place = reported();
    place.write("garbage.json", "garbage");
    place.write("empty.json", " \n");
    place.write("object.json", "{}");
    place.write("list.json", "[]");
    place.write("number.json", "7");
    place.write("cut.json", &place.read("report.json")[..700]);
    place.write("binary.json", b"\x00\xff\xfe");
    place.copy("very-short.txt", "chat.txt");
    let names = ["garbage", "empty", "object", "list", "number", "cut", "binary", "gone"];
    let all = names.map(|name| place.run(&["verify", &format!("{name}.json")]).refused());
    assert_snapshot!(all.join("\n"));
    place.run(&["verify", "chat.txt"]).refused();
    place.run(&["verify", "-", "-"]).refused();
}

#[test]
fn one_bad_report_does_not_hide_the_others() {
    let place = reported();
    place.write("garbage.json", "garbage");
    let outcome = place.run(&["verify", "garbage.json", "report.json"]);
    assert_eq!(outcome.code, 2);
    assert_eq!(outcome.stdout, "2 reports: 1 hold, 0 do not hold, 0 are not verifiable, 1 cannot be read.\n");
    let lines = place.read("report.json").replace('\n', " ") + "\n{\"metrics\": \n";
    place.write("lines.jsonl", lines);
    let outcome = place.run(&["verify", "lines.jsonl"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stdout.starts_with("2 reports: 1 hold"), "{outcome}");
    assert!(outcome.stderr.contains("lines.jsonl, report 2"), "{outcome}");
}

#[test]
fn verbose_lists_every_point_and_json_is_one_line_a_report() {
    let place = reported();
    let short = place.run(&["verify", "report.json"]).stdout;
    let long = place.run(&["verify", "report.json", "--verbose"]).stdout;
    assert!(long.lines().count() > short.lines().count() + 50);
    let outcome = place.run(&["verify", "report.json", "report.json", "--json"]);
    assert_eq!(outcome.code, 0);
    let lines: Vec<serde_json::Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0]["points"].as_array().unwrap().len() > 100);
}

#[test]
fn a_report_s_own_answers_give_the_same_report_again() {
    let place = reported();
    let again = place.run(&["eval", "very-short.txt", "--verdicts", "report.json", "--format", "json"]).done();
    assert_eq!(again, place.read("report.json"));
    let alone = place.run(&["eval", "report.json", "--verdicts", "report.json", "--format", "json"]).done();
    assert_eq!(alone.replace("\"id\": \"report\"", "\"id\": \"very-short\""), again);
}
