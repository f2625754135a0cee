//! Colour, and readers that stop reading.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use carelock_test_support::{Outcome, Place, binary};

const ESCAPE: char = '\u{1b}';

#[test]
fn colour_is_for_terminals_or_when_asked_for() {
    let place = Place::with_example("diagnosis");
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv"];
    let plain = place.run(&arguments).done();
    assert!(!plain.contains(ESCAPE));
    let coloured = place.run(&[&arguments[..], &["--color", "always"]].concat()).done();
    assert!(coloured.contains(ESCAPE));
    assert_eq!(place.run(&[&arguments[..], &["--color", "never"]].concat()).done(), plain);
    assert_eq!(without_colour(&coloured), plain);
}

#[test]
fn no_color_is_honoured_unless_colour_is_asked_for() {
    let place = Place::with_example("diagnosis");
    let run = |more: &[&str], name: &str| {
        let arguments = [&["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv"], more].concat();
        Outcome::new(place.command(&arguments).env(name, "1")).done()
    };
    assert!(run(&[], "CLICOLOR_FORCE").contains(ESCAPE));
    assert!(!run(&["--color", "never"], "CLICOLOR_FORCE").contains(ESCAPE));
    assert!(!run(&[], "NO_COLOR").contains(ESCAPE));
    assert!(run(&["--color", "always"], "NO_COLOR").contains(ESCAPE));
}

#[test]
fn files_and_other_formats_are_never_coloured_by_themselves() {
    let place = Place::with_example("diagnosis");
    let arguments = ["eval", "diagnosis.txt", "--verdicts", "diagnosis.csv"];
    Outcome::new(place.command(&[&arguments[..], &["-o", "out.txt"]].concat()).env("CLICOLOR_FORCE", "1")).done();
    assert!(!place.read("out.txt").contains(ESCAPE));
    for format in ["json", "jsonl", "md", "csv", "junit"] {
        let arguments = [&arguments[..], &["--format", format, "--color", "always"]].concat();
        assert!(!place.run(&arguments).done().contains(ESCAPE), "{format}");
    }
}

#[test]
fn text_fits_80_columns() {
    let place = Place::with_examples();
    let outcome = place.run(&["eval", "chats", "--verdicts", "sheets"]);
    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let place = Place::with_examples();
    place.run(&["turns", "chats", "--json"]).done();
    for arguments in [
        vec!["rubric"],
        vec!["eval", "chats", "--verdicts", "sheets", "--format", "json"],
        vec!["turns", "chats"],
        vec!["schema", "report"],
        vec!["completions", "bash"],
        vec!["--help"],
    ] {
        let mut child = Command::new(binary())
            .args(&arguments)
            .current_dir(place.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("error") && !said.contains("panic"), "{arguments:?}: {said}");
    }
}

fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split(ESCAPE).enumerate() {
        plain.push_str(if number == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
    }
    plain
}
