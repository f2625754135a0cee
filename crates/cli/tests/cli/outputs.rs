//! Files that are written: whole or not at all, where asked and nowhere else.

use carelock_test_support::Place;
use insta::assert_snapshot;

use super::samples::record;

fn to(place: &Place, output: &str) -> carelock_test_support::Outcome {
    place.run(&["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json", "-o", output])
}

#[test]
fn a_file_holds_what_would_have_been_printed() {
    let place = Place::with_example("very-short");
    for format in ["text", "json", "jsonl", "md", "csv", "junit"] {
        let arguments = ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", format];
        let printed = place.run(&arguments).done();
        assert_eq!(place.run(&[&arguments[..], &["-o", "out"]].concat()).done(), "");
        assert_eq!(place.read("out"), printed, "{format}");
    }
    assert_eq!(place.names(), ["out", "very-short.csv", "very-short.txt"]);
}

#[test]
fn an_older_file_is_replaced_whole() {
    let place = Place::with_example("very-short");
    place.write("out.json", "x".repeat(1 << 20));
    assert_eq!(to(&place, "out.json").code, 0);
    assert!(place.read("out.json").ends_with("}\n"));
    assert_eq!(place.names(), ["out.json", "very-short.csv", "very-short.txt"]);
}

#[test]
fn nothing_is_written_when_nothing_could_be_judged() {
    let place = Place::with_example("very-short");
    place.write("out.json", "as it was");
    place.write("empty.txt", "");
    for (chat, output) in [("empty.txt", "new.json"), ("empty.txt", "out.json"), ("gone.txt", "new.json")] {
        let outcome = place.run(&["eval", chat, "--verdicts", "very-short.csv", "--format", "json", "-o", output]);
        assert_eq!(outcome.code, 2, "{outcome}");
    }
    assert_eq!(place.read("out.json"), "as it was");
    assert_eq!(place.names(), ["empty.txt", "out.json", "very-short.csv", "very-short.txt"]);
}

#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    let place = Place::with_example("very-short");
    place.write("folder/inside.txt", "x");
    assert_snapshot!(to(&place, "nowhere/out.json").refused(), @r"
    carelock: error: nowhere/out.json: there is no folder nowhere
      fix: make it first, or name another
    ");
    assert_snapshot!(to(&place, "folder/inside.txt/out.json").refused(), @r"
    carelock: error: folder/inside.txt/out.json: there is no folder folder/inside.txt
      fix: make it first, or name another
    ");
    assert_snapshot!(to(&place, "folder").refused(), @r"
    carelock: error: folder: is a folder
      fix: name a file in it
    ");
}

#[test]
fn an_input_is_never_written_over() {
    let place = Place::with_example("very-short");
    for output in ["very-short.txt", "./very-short.csv"] {
        let before = place.read(output);
        let said = to(&place, output).refused();
        assert!(said.contains("is one of the files to be read\n  fix: choose another name"), "{said}");
        assert_eq!(place.read(output), before);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    let place = Place::with_example("very-short");
    place.write("folder/target.json", "old");
    std::os::unix::fs::symlink("folder/target.json", place.path("link.json")).unwrap();
    assert_eq!(to(&place, "link.json").code, 0);
    assert!(place.path("link.json").is_symlink());
    assert!(place.read("folder/target.json").starts_with('{'));
    assert_eq!(to(&place, "/dev/stdout").stdout, place.read("folder/target.json"));
}

#[cfg(unix)]
#[test]
fn a_new_file_can_be_read_by_whom_the_umask_allows() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with_example("very-short");
    assert_eq!(to(&place, "out.json").code, 0);
    place.write("plain.txt", "made the usual way");
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("out.json"), mode("plain.txt"));
}

#[test]
fn nothing_is_left_behind_by_commands_that_only_print() {
    let place = Place::with_example("very-short");
    place.write("chats.jsonl", record("a", r#"{"E1": true}"#));
    let before = place.names();
    place.run(&["eval", "very-short.txt", "--verdicts", "very-short.csv"]).done();
    place.run(&["turns", "very-short.txt", "chats.jsonl"]).done();
    place.run(&["sheet", "very-short.txt"]).done();
    place.run(&["rubric"]).done();
    place.run(&["schema", "verdicts"]).done();
    place.run(&["completions", "fish"]).done();
    assert_eq!(place.names(), before);
}
