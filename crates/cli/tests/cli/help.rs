//! Help, version, schemas, completions and manual pages.

use carelock_test_support::Place;
use insta::assert_snapshot;
use serde_json::Value;

const COMMANDS: [&str; 23] = [
    "run",
    "init",
    "eval",
    "explain",
    "turns",
    "rubric",
    "verify",
    "sheet",
    "runs",
    "show",
    "export",
    "rescore",
    "delete",
    "judges",
    "prompt",
    "schema",
    "completions",
    "man",
    "compare",
    "agree",
    "stability",
    "probe",
    "personas",
];

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::new();
    for command in COMMANDS {
        let help = place.run(&[command, "--help"]).done();
        assert!(help.contains("\nExamples:\n  carelock "), "{command}: {help}");
        assert!(help.contains(&format!("Usage: carelock {command}")), "{command}: {help}");
    }
}

#[test]
fn the_main_help_names_the_commands_the_exit_codes_and_where_to_start() {
    let place = Place::new();
    assert_snapshot!(place.run(&["--help"]));
    let short = place.run(&["-h"]).done();
    for command in COMMANDS {
        assert!(short.contains(&format!("\n  {command} ")), "{command}: {short}");
    }
}

#[test]
fn the_version_is_told() {
    let version = Place::new().run(&["--version"]).done();
    assert_eq!(version, format!("carelock {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_wrong_command_line_is_refused_with_a_hint() {
    let place = Place::new();
    let all = [vec!["evil"], vec!["eval"], vec!["eval", "x", "--format", "yaml"], vec!["turns", "x", "--humn", "Ana"]];
    let all = all.map(|arguments| place.run(&arguments).refused());
    assert_snapshot!(all.join("\n"));
    let nothing = place.run(&[]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("Usage: carelock [OPTIONS] <COMMAND>"), "{nothing}");
}

#[test]
fn every_schema_is_a_valid_json_schema() {
    let place = Place::new();
    for which in ["report", "verdicts", "rubric"] {
        let schema: Value = serde_json::from_str(&place.run(&["schema", which]).done()).unwrap();
        assert!(jsonschema::meta::is_valid(&schema), "{which}");
        assert!(schema["title"].is_string(), "{which}");
    }
    place.run(&["schema", "everything"]).refused();
}

#[test]
fn sheets_and_the_rubric_validate_against_their_schemas() {
    let place = Place::with_example("very-short");
    for (schema, arguments) in [
        ("verdicts", vec!["sheet", "very-short.txt", "--format", "json"]),
        ("rubric", vec!["rubric", "--format", "json"]),
    ] {
        let validator = jsonschema::validator_for(&place.run(&["schema", schema]).json()).unwrap();
        let value = place.run(&arguments).json();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{schema}: {errors:?}");
    }
}

#[test]
fn completions_are_written_for_every_shell() {
    let place = Place::new();
    for (shell, mark) in
        [("bash", "complete -F _carelock"), ("zsh", "#compdef carelock"), ("fish", "complete -c carelock")]
    {
        let script = place.run(&["completions", shell]).done();
        assert!(script.contains(mark), "{shell}");
        assert!(script.contains("fail-on-gate"), "{shell}");
    }
    place.run(&["completions", "tcsh"]).refused();
}

#[test]
fn manual_pages_are_written_into_a_folder() {
    let place = Place::new();
    assert_eq!(place.run(&["man", "pages/man1"]).done(), "");
    for name in COMMANDS.map(|command| format!("carelock-{command}")).iter().chain(&["carelock".to_owned()]) {
        let page = place.read(&format!("pages/man1/{name}.1"));
        assert!(page.contains(".TH ") && page.contains("NAME"), "{name}");
    }
    place.write("file", "x");
    let said = place.run(&["man", "file/man1"]).refused();
    assert!(said.starts_with("carelock: error: file/man1: cannot be made"), "{said}");
}
