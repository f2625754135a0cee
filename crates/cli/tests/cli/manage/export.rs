//! `carelock export`.

use std::collections::HashSet;

use carelock_test_support::binary;
use carelock_test_support::{Outcome, examples};
use insta::assert_snapshot;
use serde_json::Value;

use super::place::{CHATS, Made, Place, undated};

#[test]
fn reports_are_exported_as_eval_writes_them() {
    let place = Place::with_run("nightly");
    for (format, option) in [("jsonl", "jsonl"), ("md", "md"), ("junit", "junit")] {
        let chats: Vec<String> = CHATS.iter().map(|(name, _)| format!("{name}.txt")).collect();
        let chats: Vec<&str> = chats.iter().map(String::as_str).collect();
        let arguments = [&["eval"], &chats[..], &["--verdicts", "sheets", "--format", option]].concat();
        let mut eval = place.command(&arguments);
        let printed = Outcome::new(eval.current_dir(examples())).stdout.replace("sheet:examples", "sheet:0");
        let exported = place.run(&["export", "nightly", "--format", format]).done();
        assert_eq!(undated(&exported, format), printed, "{format}");
        assert_eq!(place.run(&["export", "nightly", "--format", format, "-o", "out"]).done(), "");
        assert_eq!(place.read("out"), exported);
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error_and_a_dash_is_standard_output() {
    let place = Place::with_run("nightly");
    let formats = ["jsonl", "csv", "md", "junit", "parquet", "html"];
    let tables = ["jsonl", "csv"].map(|format| ["export", "nightly", "--table", "checks", "--format", format]);
    let plain = formats.map(|format| ["export", "nightly", "-o", "-", "--format", format]);
    for arguments in tables.iter().chain(&plain) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(binary());
        command.current_dir(place.path("")).env("HOME", place.path("")).args(arguments).stdout(writer);
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
    let printed = place.run(&["export", "nightly"]).done();
    assert_eq!(place.run(&["export", "nightly", "-o", "-"]).done(), printed);
    assert!(!place.path("-").exists());
}

#[test]
fn a_run_that_is_not_done_says_so_where_it_is_compared() {
    let place = Place::with_run("whole");
    place.make(Made { judged: 3, ..Made::named("begun") }, &[]);
    let shown = place.run(&["compare", "whole", "begun"]).done();
    assert!(shown.contains("begun: 5 of 8 chats have no result yet"), "{shown}");
    assert!(!shown.contains("note: whole"), "{shown}");
}

#[test]
fn every_exported_report_holds() {
    let place = Place::new();
    place.make(Made { judges: 2, grouped: true, ..Made::named("panel") }, &[]);
    place.run(&["export", "panel", "-o", "reports.jsonl"]).done();
    let verified = place.run(&["verify", "reports.jsonl"]);
    assert_eq!(verified.code, 0, "{verified}");
}

#[test]
fn tables_have_the_documented_columns() {
    let place = Place::new();
    place.make(Made { grouped: true, ..Made::named("nightly") }, &[]);
    let chats = place.run(&["export", "nightly", "--format", "csv", "--text", "missed"]).done();
    assert_snapshot!(chats.lines().next().unwrap());
    let checks = place.run(&["export", "nightly", "--format", "csv", "--table", "checks"]).done();
    assert_snapshot!(checks.lines().next().unwrap());
    let documented = std::fs::read_to_string(examples().join("../docs/runs/columns.md")).unwrap();
    for name in [&chats, &checks].into_iter().flat_map(|text| text.lines().next().unwrap().split(',')) {
        let is_metric = name.starts_with(char::is_uppercase);
        assert!(is_metric || documented.contains(&format!("| `{name}` |")), "{name} is not in docs/runs/columns.md");
    }
}

#[test]
fn rows_of_all_tables_join_by_chat_and_check() {
    let place = Place::new();
    place.make(Made { grouped: true, ..Made::named("nightly") }, &[]);
    let lines = |table: &str| -> Vec<Value> {
        let text = place.run(&["export", "nightly", "--format", "jsonl", "--table", table]).done();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (chats, checks) = (lines("chats"), lines("checks"));
    assert_eq!((chats.len(), checks.len()), (8, 400));
    let key = |row: &Value| (row["run"].to_string(), row["id"].to_string());
    let known: HashSet<_> = chats.iter().map(key).collect();
    assert_eq!(known.len(), 8);
    assert!(checks.iter().all(|check| known.contains(&key(check))));
    let both: HashSet<_> = checks.iter().map(|check| (key(check), check["check"].to_string())).collect();
    assert_eq!(both.len(), 400, "a chat and a check name one row");
    let failed = checks.iter().filter(|check| check["id"] == "luna/missed-crisis" && check["pass"] == false).count();
    let chat = chats.iter().find(|chat| chat["id"] == "luna/missed-crisis").unwrap();
    assert_eq!(chat["failed"], failed);
    assert_eq!((&chat["overall"], &chat["gates"], &chat["group"]), (&0.0.into(), &"ES2".into(), &"luna".into()));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_what_the_lines_hold() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::{Field, Row};
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Double(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::Bool(flag) => (*flag).into(),
        other => panic!("{other:?} is no kind of value a table has"),
    };
    let object = |row: Row| -> Value {
        row.get_column_iter()
            .map(|(name, field)| (name.clone(), value(field)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let place = Place::new();
    place.make(Made { grouped: true, judged: 8, ..Made::named("nightly") }, &[]);
    for table in ["chats", "checks"] {
        place.run(&["export", "nightly", "--format", "parquet", "--table", table, "-o", "table.parquet"]).done();
        let lines = place.run(&["export", "nightly", "--format", "jsonl", "--table", table]).done();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let file = std::fs::File::open(place.path("table.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<Value> = reader.get_row_iter(None).unwrap().map(|row| object(row.unwrap())).collect();
        assert_eq!(rows, lines, "{table}");
    }
}

#[test]
fn chats_without_a_result_are_counted_and_left_out() {
    let place = Place::new();
    place.make(Made { judged: 3, ..Made::named("half") }, &[]);
    let outcome = place.run(&["export", "half", "--format", "csv"]);
    assert_eq!(outcome.stdout.lines().count(), 4);
    assert_eq!(outcome.stderr, "carelock: 5 of 8 chats have no result yet and are left out\n");
    let none = place.run(&["export", "half", "--gated", "--text", "nothing"]);
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (0, "", "carelock: no chat matches\n"));
}

#[test]
fn a_table_goes_with_tables_only() {
    let place = Place::with_run("nightly");
    let said = place.run(&["export", "nightly", "--format", "md", "--table", "checks"]).refused();
    assert!(said.contains("fix: choose one of them"), "{said}");
    let said = place.run(&["export", "gone", "-o", "out.jsonl"]).refused();
    assert!(said.contains("there is no run named \"gone\""), "{said}");
    assert!(!place.path("out.jsonl").exists());
}

#[test]
fn text_of_a_chat_is_no_formula_in_a_table() {
    let place = Place::new();
    place.make(Made::named("=cmd|calc"), &[]);
    let table = place.run(&["export", "=cmd|calc", "--format", "csv"]).done();
    assert!(table.lines().nth(1).unwrap().starts_with("'=cmd|calc,"), "{table}");
    let lines = place.run(&["export", "=cmd|calc", "--table", "chats"]).done();
    assert!(lines.starts_with("{\"run\":\"=cmd|calc\","), "{lines}");
}
