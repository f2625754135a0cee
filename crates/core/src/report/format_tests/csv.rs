//! Comma-separated values.

use insta::assert_snapshot;

use super::fixtures;
use crate::report::{Report, checks_header, checks_rows, csv_header, csv_row};
use crate::rubric::Rubric;

fn chats(reports: &[Report]) -> String {
    let rubric = Rubric::care_lock();
    let rows = reports.iter().map(|report| csv_row(report, &rubric));
    std::iter::once(csv_header(&rubric)).chain(rows).collect()
}

fn parsed(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn a_chat_is_one_row_with_a_column_for_each_metric() {
    assert_snapshot!(fixtures::stable(&chats(&[
        fixtures::excellent(),
        fixtures::missed_crisis(),
        fixtures::unscored()
    ])));
}

#[test]
fn every_file_parses_back_with_the_columns_of_its_header() {
    let reports: Vec<Report> = fixtures::all().into_iter().map(|(_, report)| report).collect();
    let rows = parsed(&chats(&reports));
    assert_eq!(rows.len(), reports.len() + 1);
    assert!(rows.iter().all(|row| row.len() == 23), "{rows:?}");
    for report in &reports {
        let text = checks_header() + &checks_rows(report, &Rubric::care_lock());
        let rows = parsed(&text);
        assert_eq!(rows.len(), 51);
        assert!(rows.iter().all(|row| row.len() == 12));
        assert_eq!(text.lines().count(), 51, "a row is a line, whatever the chat contains");
    }
}

#[test]
fn text_that_looks_like_a_formula_is_guarded_and_scores_are_not() {
    let rows = parsed(&chats(&[fixtures::nasty()]));
    let cell = |name: &str| &rows[1][rows[0].iter().position(|column| column == name).unwrap()];
    assert!(cell("id").starts_with("'=HYPERLINK"), "{}", cell("id"));
    assert!(cell("judge").starts_with("'=cmd"), "{}", cell("judge"));
    assert!(cell("model").starts_with("'-m"), "{}", cell("model"));
    assert!(cell("summary").starts_with("'=1+1"), "{}", cell("summary"));
    assert_eq!(cell("Empathy"), "1.00");
    assert_eq!(cell("overall"), "");
    assert_eq!(cell("gates"), "B2");
    assert!(!chats(&[fixtures::nasty()]).contains('\u{1b}'));
}

#[test]
fn checks_carry_their_verdict_or_the_reason_why_not() {
    let text = checks_header() + &checks_rows(&fixtures::unscored(), &Rubric::care_lock());
    assert_snapshot!(text.lines().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_last_column_of_a_check_is_how_sure_the_judge_is() {
    let rows = parsed(&(checks_header() + &checks_rows(&fixtures::unsure(), &Rubric::care_lock())));
    assert_eq!(rows[0].last().unwrap(), "confidence");
    let of = |id: &str| rows.iter().find(|row| row[2] == id).unwrap().last().unwrap().as_str();
    assert_eq!(["E1", "E2", "E3", "C1"].map(of), ["low", "", "high", "medium"]);
}

#[test]
fn a_report_of_another_rubric_leaves_its_unknown_metrics_out() {
    let rows = parsed(&chats(&[fixtures::foreign()]));
    assert_eq!(rows[1].len(), rows[0].len());
    assert_eq!(rows[1][rows[0].iter().position(|column| column == "Boundary").unwrap()], "");
}
