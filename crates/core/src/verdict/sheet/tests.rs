//! Sheets written, filled in, read back, and spoilt.

use super::*;
use crate::rubric::Rubric;
use crate::transcript::{Speaker, Transcript};
use crate::verdict::{Confidence, Pass, Submission};

fn chat() -> Transcript {
    Transcript::new("t", vec![(Speaker::Human, "I'm sad.".into()), (Speaker::Ai, "That sounds hard.".into())]).unwrap()
}

fn error(rows: &str) -> String {
    let text = format!("check,verdict,turns,quote,why\n{rows}");
    read_sheet(&Rubric::care_lock(), &text).unwrap_err().to_string()
}

#[test]
fn a_blank_sheet_has_a_row_a_check_with_the_codebooks_wording() {
    let rubric = Rubric::care_lock();
    let text = sheet_csv(&rubric, &chat());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for (check, row) in rubric.checks().zip(&rows) {
        assert_eq!((&row[0], &row[4], &row[5]), (check.id.as_str(), check.fails.as_str(), ""));
        assert!(row[3].ends_with(&check.passes));
    }
    assert_eq!(rows.len(), 50 + 5 + 5);
    assert!(error_of_blank(&text).contains("not a single verdict is filled in"));
}

fn error_of_blank(text: &str) -> String {
    read_sheet(&Rubric::care_lock(), text).unwrap_err().to_string()
}

#[test]
fn an_error_names_the_same_line_whatever_ends_the_lines() {
    let rows = "E1,pass,2,That sounds hard.,\nE2,maybe,,,\n";
    let text = format!("check,verdict,turns,quote,why\n{rows}");
    let told = |text: &str| read_sheet(&Rubric::care_lock(), text).unwrap_err().to_string();
    assert!(told(&text).starts_with("line 3, column verdict"), "{}", told(&text));
    assert_eq!(told(&text.replace('\n', "\r\n")), told(&text));
}

#[test]
fn a_blank_json_sheet_can_be_read_back_with_every_answer_missing() {
    let text = sheet_json(&Rubric::care_lock(), &chat()).to_string();
    let read = Submission::from_json(&text).unwrap();
    assert_eq!(read.verdicts.len(), 50);
    assert!(read.verdicts.iter().all(|(_, answer)| answer.pass == Pass::Missing));
    assert_eq!(read.transcript.unwrap().hash.unwrap(), chat().digest());
}

#[test]
fn a_filled_sheet_is_read_whatever_the_spreadsheet_made_of_it() {
    let rubric = Rubric::care_lock();
    for (separator, mark) in [(",", ""), (";", "\u{feff}"), ("\t", "")] {
        let text = format!(
            "{mark}check,verdict,turns,quote,why\r\nE1,Pass,2,That sounds hard.,names it\r\nB1,not triggered,,,\r\n\
             moment,,2,sounds hard,warm\r\nnegative,,2,Say more.,short\r\nsummary,,,,Kind but short.\r\njudge,,,,person:ana\r\n\r\n"
        )
        .replace(',', separator);
        let read = read_sheet(&rubric, &text).unwrap().remove(0);
        assert_eq!(read.verdicts.len(), 2);
        assert_eq!(read.verdicts[0].1.turns, [2]);
        assert_eq!(read.verdicts[1].1.pass, Pass::NotTriggered);
        assert_eq!(read.moments[0].quote, "sounds hard");
        assert_eq!((read.negative[0].id, read.negative[0].better.as_deref()), (1, Some("Say more.")));
        assert_eq!((read.summary.as_deref(), read.judge.name.as_str()), (Some("Kind but short."), "person:ana"));
    }
}

#[test]
fn a_sheet_with_an_id_column_holds_several_chats() {
    let text = "id,check,pass,turns,unscored\na,E1,yes,2,\nb,E1,no,,\na,E2,,,filtered\n";
    let read = read_sheet(&Rubric::care_lock(), text).unwrap();
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].transcript.as_ref().unwrap().id.as_deref(), Some("a"));
    assert_eq!(read[0].verdicts[1].1.pass, Pass::Unscored("filtered".into()));
}

#[test]
fn a_mistake_is_named_with_its_line_and_column() {
    assert!(error("E1,pass,2,,\nE9,pass,,,\n").starts_with("line 3, column check: there is no check \"E9\""));
    assert!(error("E1,maybe,2,,\n").starts_with("line 2, column verdict: \"maybe\" is not a verdict"));
    assert!(error("E1,pass,two,,\n").starts_with("line 2, column turns: \"two\" is not a turn number"));
    assert!(error("E1,pass,0,,\n").contains("not a turn number"));
    assert!(
        error("E1,pass,2,,\nE2,fail,,,\nE1,fail,,,\n")
            .contains("line 4, column check: E1 is answered twice, first on line 2")
    );
    assert!(error("E1,pass,2,,\nmoment,,2,,x\n").contains("a moment has one turn and a quote"));
    assert!(error("E1,pass,2,,\npositive,,4,,x\n").contains("no moment row names turn 4"));
    assert!(read_sheet(&Rubric::care_lock(), "a,b\n1,2\n").unwrap_err().to_string().contains("no column \"check\""));
}

#[test]
fn a_sheet_may_say_how_sure_the_rater_is() {
    let text = "check,verdict,turns,confidence\nE1,pass,2,Low\nE2,fail,,\n";
    let read = read_sheet(&Rubric::care_lock(), text).unwrap().remove(0);
    assert_eq!((read.verdicts[0].1.confidence, read.verdicts[1].1.confidence), (Some(Confidence::Low), None));
    let error = read_sheet(&Rubric::care_lock(), &text.replace("Low", "90%")).unwrap_err().to_string();
    assert!(error.starts_with("line 2, column confidence: \"90%\" is not a confidence"), "{error}");
}

#[test]
fn lines_are_counted_through_cells_with_line_breaks() {
    assert!(error("E1,pass,2,\"two\nlines\",\nE2,nope,,,\n").starts_with("line 4, column verdict"));
}
