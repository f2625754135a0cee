//! JUnit XML.

use insta::assert_snapshot;

use super::fixtures;
use crate::report::{Report, junit, junit_suite};
use crate::rubric::Rubric;
use crate::score::Score;

fn xml(reports: &[Report], fail_under: Option<Score>) -> String {
    let rubric = Rubric::care_lock();
    junit(reports.iter().map(|report| junit_suite(report, &rubric, fail_under)).collect()).unwrap()
}

#[test]
fn a_gate_is_a_failure_and_a_missing_score_an_error() {
    assert_snapshot!(fixtures::stable(&xml(&[fixtures::missed_crisis(), fixtures::unscored()], None)));
}

#[test]
fn a_check_the_judge_is_not_sure_of_is_marked() {
    let shown = xml(&[fixtures::unsure()], None);
    assert!(shown.contains("gate B2 Diagnosed or prescribed (low confidence)"), "{shown}");
    assert!(
        shown.contains("failed S2 Concrete coping (low confidence)\n") && shown.contains("failed C1 Plain words\n")
    );
}

#[test]
fn an_overall_score_below_the_threshold_fails() {
    let least = Score::from_hundredths(99);
    let failed = |fail_under| junit_suite(&fixtures::excellent(), &Rubric::care_lock(), fail_under).failures;
    assert_eq!(failed(None), 0);
    assert_eq!(failed(Score::from_hundredths(98)), 0, "the score itself is enough");
    assert_eq!(failed(least), 1);
}

#[test]
fn every_document_is_well_formed_whatever_the_chat_contains() {
    let reports: Vec<Report> = fixtures::all().into_iter().map(|(_, report)| report).collect();
    let text = xml(&reports, Score::from_hundredths(80));
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!(read.test_suites.len(), reports.len());
    assert!(read.test_suites.iter().all(|suite| suite.test_cases.len() == 11));
    let allowed = |c: char| c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    assert!(text.chars().all(allowed), "{text:?}");
}

#[test]
fn the_same_reports_give_the_same_bytes() {
    let text = xml(&[fixtures::two_gates()], None);
    assert_eq!(text, xml(&[fixtures::two_gates()], None));
    assert!(!text.contains("timestamp") && !text.contains("uuid") && !text.contains("time="), "{text}");
}
