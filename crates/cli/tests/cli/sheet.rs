//! `carelock sheet`: written for a person, read back with errors that name the line.

use carelock_test_support::Place;
use insta::assert_snapshot;

use super::samples::SHORT_CHAT;

/// A place with the short chat and a sheet on it that was filled in: every check that may be left without a turn.
fn filled_in() -> Place {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let blank = place.run(&["sheet", "chat.txt"]).done();
    let mut writer = Vec::new();
    for line in blank.lines() {
        let kind = ["presence", "absence", "conditional"].into_iter().find(|kind| line.contains(&format!(",{kind},")));
        let word = match kind {
            Some("presence") => "fail",
            Some("absence") => "pass",
            Some(_) => "not_triggered",
            None => "",
        };
        let filled = match line.strip_suffix(",,,,") {
            Some(row) if kind.is_some() => format!("{row},{word},,,seen"),
            _ => line.to_owned(),
        };
        writer.push(filled);
    }
    place.write("sheet.csv", writer.join("\n") + "\n");
    place
}

fn evaluated(place: &Place) -> carelock_test_support::Outcome {
    place.run(&["eval", "chat.txt", "--verdicts", "sheet.csv", "--format", "csv"])
}

#[test]
fn a_sheet_lists_the_fifty_checks_and_the_chat_it_is_for() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let csv = place.run(&["sheet", "chat.txt"]).done();
    assert!(csv.starts_with("check,metric,kind,passes_when,fails_when,verdict,turns,quote,why\nE1,Empathy,presence,"));
    assert!(csv.lines().last().unwrap().starts_with("transcript,,,,,,,blake3:"));
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["sheet", "chat.txt", "-f", "json"]).done()).unwrap();
    assert_eq!(json["verdicts"].as_object().unwrap().len(), 50);
    assert!(json["verdicts"]["E1"]["passes_when"].is_string());
}

#[test]
fn a_sheet_that_exists_is_never_overwritten() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    assert_eq!(place.run(&["sheet", "chat.txt", "-o", "sheet.csv"]).done(), "");
    place.write("sheet.csv", "hours of work");
    assert_snapshot!(place.run(&["sheet", "chat.txt", "-o", "sheet.csv"]).refused(), @r"
    carelock: error: sheet.csv: the file exists
      fix: choose another name, or delete it first
    ");
    assert_eq!(place.read("sheet.csv"), "hours of work");
    assert_eq!(place.names(), ["chat.txt", "sheet.csv"]);
}

#[test]
fn a_filled_in_sheet_is_read_back() {
    let place = filled_in();
    let outcome = evaluated(&place);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome}");
    // The same sheet as spreadsheets in other countries save it.
    let sheet = place.read("sheet.csv");
    place.write("sheet.csv", format!("\u{feff}{}", sheet.replace('\n', "\r\n")));
    assert_eq!(evaluated(&place), outcome);
}

#[test]
fn a_filled_in_json_sheet_is_read_back() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let mut sheet = place.run(&["sheet", "chat.txt", "--format", "json"]).json();
    for (_, check) in sheet["verdicts"].as_object_mut().unwrap() {
        let presence = check["kind"] == "presence";
        check["pass"] = (!presence).into();
        if check["kind"] == "conditional" {
            check["basis"] = "not_triggered".into();
        }
    }
    sheet["judge"]["name"] = "person:ana".into();
    place.write("sheet.json", sheet.to_string());
    let outcome = place.run(&["eval", "chat.txt", "--verdicts", "sheet.json", "--format", "json"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(outcome.json()["judge"]["name"], "person:ana");
}

#[test]
fn an_empty_sheet_is_not_an_answer() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    place.run(&["sheet", "chat.txt", "-o", "sheet.csv"]).done();
    assert_snapshot!(evaluated(&place).refused(), @r"
    carelock: error: sheet.csv: line 61, column verdict: not a single verdict is filled in
      fix: write pass, fail or not_triggered into the column verdict
    ");
}

#[test]
fn mistakes_in_a_sheet_are_named_with_line_and_column() {
    let place = filled_in();
    let sheet = place.read("sheet.csv");
    let row = |id: &str| sheet.lines().find(|line| line.starts_with(&format!("{id},"))).unwrap();
    let refused = |from: &str, to: &str| {
        place.write("sheet.csv", sheet.replacen(from, to, 1));
        evaluated(&place).refused()
    };
    let (e1, t1) = (row("E1"), row("T1"));
    let all = [
        refused(t1, &t1.replacen("T1", "T9", 1)),
        refused(e1, &e1.replace(",fail,", ",perhaps,")),
        refused(t1, &format!("{t1}\n{t1}")),
        refused(e1, &e1.replace(",fail,,", ",fail,two,")),
        refused(e1, &e1.replace(",fail,,", ",fail,0,")),
        refused("moment,,,,,,,,", "moment,,,,,,2,,"),
        refused("positive,,,,,,,,", "positive,,,,,,2,,Kind"),
        refused("check,metric", "chk,metric"),
    ];
    assert_snapshot!(all.join("\n"));
}

#[test]
fn a_sheet_is_for_one_chat() {
    let place = Place::new();
    place.copy("formats/table.csv", "table.csv");
    assert_snapshot!(place.run(&["sheet", "table.csv"]).refused(), @r"
    carelock: error: table.csv: holds 2 chats, a sheet is for one
      fix: name a file with one chat, or the id of the chat you mean
    ");
    place.write("noai.txt", "Human: hello?\n");
    let said = place.run(&["sheet", "noai.txt", "-o", "sheet.csv"]).refused();
    assert!(said.starts_with("carelock: error: noai.txt: no AI turn with text"), "{said}");
    assert_eq!(place.names(), ["noai.txt", "table.csv"]);
}
