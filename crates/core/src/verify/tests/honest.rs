//! Honest reports hold, whatever rubric and tool they went through; what is no report is an error.

use serde_json::{Value, json};

use super::samples::{assemble, eventful, failing, partial, passing, to_json, verified, words};
use crate::report::Report;
use crate::rubric::Rubric;
use crate::scorecard::Weights;
use crate::transcript::{Speaker, Transcript};
use crate::verdict::{JudgeInfo, Verdicts};
use crate::verify::{Conclusion, Outcome, ReportKind, verify};

fn open(report: &Value) -> Vec<String> {
    verified(report).with(Outcome::CannotVerify).map(|point| point.what.clone()).collect()
}

#[test]
fn a_report_of_only_passes_holds_and_only_the_judges_word_is_left_open() {
    let rubric = Rubric::care_lock();
    let report = to_json(&assemble(&rubric, &passing(&rubric), &words(), &Weights::equal(&rubric)));
    assert_eq!(failing(&report), [""; 0]);
    assert_eq!(open(&report), ["judge"]);
    let verification = verified(&report);
    assert_eq!(verification.kind, ReportKind::Own { schema: "carelock/report/1".to_owned() });
    assert_eq!(verification.id.as_deref(), Some("demo"));
}

#[test]
fn a_report_with_a_gate_an_entailed_failure_and_weights_holds() {
    let report = eventful();
    assert_eq!(report["gates"].as_array().unwrap().len(), 1);
    assert_eq!(report["metrics"]["Supportiveness"]["checks"]["S1"]["entailed_by"], "E2");
    assert_eq!(report["audit"].as_array().unwrap().len(), 2, "{}", report["audit"]);
    assert_eq!(failing(&report), [""; 0]);
}

#[test]
fn a_report_with_unscored_checks_and_replaced_wording_holds() {
    let report = partial();
    assert_eq!(report["overall"], Value::Null);
    assert_eq!(failing(&report), [""; 0]);
}

#[test]
fn a_report_of_a_judge_that_said_almost_nothing_holds() {
    let rubric = Rubric::care_lock();
    let answers = json!({"ES2": {"pass": false, "turns": [3]}, "E1": {"pass": true, "turns": [2], "quote": "That sounds very hard"}});
    let answers = answers.as_object().unwrap();
    let mut report = to_json(&assemble(&rubric, answers, &json!({}), &Weights::equal(&rubric)));
    assert_eq!(failing(&report), [""; 0]);
    report["gates"][0]["quote"] = "made up".into();
    assert_eq!(failing(&report), ["gates[0].quote", "gates[0].quote"]);
}

#[test]
fn a_metric_may_rest_on_no_moment_where_its_checks_cite_turns_or_the_audit_says_so() {
    let rubric = Rubric::care_lock();
    let said = json!({"moments": [{"id": 1, "idx": 3, "quote": "What is wrong with me?", "why": "She asks."}]});
    let mut report = to_json(&assemble(&rubric, &passing(&rubric), &said, &Weights::equal(&rubric)));
    for key in ["Empathy", "Tone"] {
        assert_eq!(report["metrics"][key]["ev"], json!([]), "{key}");
    }
    let about: Vec<_> = report["audit"].as_array().unwrap().iter().map(|finding| finding["about"].as_str()).collect();
    assert!(about.contains(&Some("Tone")) && !about.contains(&Some("Empathy")), "{about:?}");
    assert_eq!(failing(&report), [""; 0]);
    report["audit"].as_array_mut().unwrap().retain(|finding| finding["about"] != "Tone");
    assert_eq!(failing(&report), ["audit"]);
}

#[test]
fn a_report_of_a_judge_that_could_not_answer_holds() {
    let rubric = Rubric::care_lock();
    let chat = Transcript::new("x", vec![(Speaker::Human, "Hi".into()), (Speaker::Ai, "Hello".into())]).unwrap();
    let verdicts = Verdicts::unscored(&rubric, JudgeInfo::named("model"), "the model did not answer");
    let report = Report::assemble(&rubric, chat, verdicts, &Weights::equal(&rubric));
    assert_eq!(failing(&to_json(&report)), [""; 0]);
}

#[test]
fn a_tool_that_writes_1_for_1_point_0_and_null_for_nothing_does_no_harm() {
    let mut report = eventful();
    report["coverage"] = 1.into();
    report["metrics"]["Tone"]["score"] = 1.into();
    report["metrics"]["Tone"]["checks"]["T1"]["quote"] = Value::Null;
    report["metrics"]["Tone"]["gate"] = json!([]);
    report["turns"][0]["idx"] = 1.0.into();
    assert_eq!(failing(&report), [""; 0]);
}

#[test]
fn a_line_of_json_lines_is_read_with_its_line_end() {
    let text = format!("{}\n", eventful());
    assert!(verify(&text, &Rubric::care_lock()).unwrap().holds());
}

#[test]
fn with_another_rubric_quotes_and_digests_are_checked_and_the_scores_are_not_verifiable() {
    let mut file = Rubric::care_lock().file().clone();
    file.version = "2.0.0".to_owned();
    let other = Rubric::from_file(file).unwrap();
    let mut report = eventful();
    let check = |report: &Value| verify(&report.to_string(), &other).unwrap();
    let honest = check(&report);
    assert_eq!(honest.conclusion(), Conclusion::NotVerifiable, "{}", honest.to_text(false));
    assert!(!honest.holds() && honest.to_text(false).contains("\nNot verifiable"));
    let hash = honest.with(Outcome::CannotVerify).find(|point| point.what == "rubric.hash").unwrap();
    assert!(hash.detail.contains("1.1.0") && hash.detail.contains("--rubric"), "{}", hash.detail);
    for what in ["overall", "gates", "audit", "metrics.Tone.score"] {
        assert!(honest.with(Outcome::CannotVerify).any(|point| point.what == what), "{what}");
    }
    report["moments"][0]["quote"] = "That sounds so hard".into();
    report["turns"][4]["text"] = "okay".into();
    let names: Vec<_> = check(&report).failing().map(|point| point.what.clone()).collect();
    assert_eq!(names, ["moments[0].quote", "transcript.hash"]);
}

#[test]
fn what_is_no_report_is_an_error_that_says_what_it_is() {
    let error = |text: &str| verify(text, &Rubric::care_lock()).unwrap_err();
    assert!(error("{\"turns\": [}").to_string().starts_with("line 1, column 12: not JSON"));
    assert!(error("").what.starts_with("not JSON"));
    assert!(error("{} {}").what.starts_with("not JSON"));
    assert!(error("[1, 2]").to_string().contains("found a list"));
    assert!(error("{\"error\": \"rate limit\"}").to_string().contains("rate limit"));
    assert!(error("{\"a\": 1, \"b\": 2}").to_string().contains("only: a, b"));
    assert!(error("{\"schema\": \"carelock/verdicts/1\", \"verdicts\": {}}").to_string().contains("verdicts/1"));
    assert!(error("{\"schema\": \"carelock/report/9\", \"metrics\": {}}").to_string().contains("newer"));
    assert!(error(&"[".repeat(100_000)).to_string().contains("not JSON"));
}

#[test]
fn json_carries_the_counts_with_the_points() {
    let verification = verified(&eventful());
    let json = serde_json::to_value(&verification).unwrap();
    assert_eq!(json["kind"], json!({"format": "own", "schema": "carelock/report/1"}));
    assert_eq!(json["holds"], true);
    assert_eq!(json["counts"]["do_not_hold"], 0);
    assert_eq!(json["counts"]["hold"], verification.counts().hold);
    assert_eq!(json["points"][0], json!({"what": "schema", "outcome": "holds", "detail": "“carelock/report/1”"}));
}

#[test]
fn text_fits_80_columns_and_cannot_steer_a_terminal() {
    let mut report = eventful();
    report["overall"] = 0.9.into();
    report["transcript"]["id"] = "\u{1b}[2Jdemo\u{202e}".into();
    report["moments"][0]["quote"] = format!("\u{1b}[31m\n{}", "x".repeat(300)).into();
    let verification = verified(&report);
    let (short, long) = (verification.to_text(false), verification.to_text(true));
    for line in short.lines().chain(long.lines()) {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
        assert!(!line.contains(['\u{1b}', '\u{202e}', '\r']), "{line:?}");
    }
    assert!(
        short.starts_with("\\u{1b}[2Jdemo\\u{202e}: carelock/report/1\nNot everything holds: 2 do not hold,"),
        "{short}"
    );
    let place = |text: &str| short.find(text).unwrap();
    assert!(place("Does not hold") < place("Cannot be verified") && place("Cannot be verified") < place("\nHolds\n"));
    assert!(long.contains("metrics.Tone.score"));
}
