//! Verdicts that do not fit: wrong ids, missing answers, quotes that are not there, another chat's answers.

use carelock_test_support::{Outcome, Place};
use insta::assert_snapshot;

use super::samples::{SHORT_CHAT, answers};

fn with(verdicts: &str) -> Outcome {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    place.write("v.json", verdicts);
    place.run(&["eval", "chat.txt", "--verdicts", "v.json", "--format", "json"])
}

#[test]
fn ids_the_rubric_does_not_have_are_refused() {
    assert_snapshot!(with(r#"{"verdicts": {"E1": true, "e2": false}}"#).refused(), @r"
    carelock: error: chat.txt: v.json: verdicts.e2: the rubric has no check e2 (did you mean E2?)
      fix: use the ids of `carelock rubric`
    ");
    assert_snapshot!(with(r#"{"verdicts": {"Kindness": true}}"#).refused(), @r"
    carelock: error: chat.txt: v.json: verdicts.Kindness: the rubric has no check Kindness
      fix: use the ids of `carelock rubric`
    ");
}

#[test]
fn two_answers_to_one_check_are_refused() {
    assert_snapshot!(with(r#"{"verdicts": {"E1": true, "E1": false}}"#).refused(), @r"
    carelock: error: chat.txt: v.json: verdicts.E1: the check is answered twice
      fix: keep one answer
    ");
}

#[test]
fn missing_answers_leave_the_score_undetermined_and_exit_with_3() {
    let outcome = with(r#"{"verdicts": {"E1": false, "E5": true}}"#);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (3, ""));
    let report = outcome.json();
    assert!(report["overall"].is_null());
    assert_eq!(report["metrics"]["Empathy"]["checks"]["E2"]["unscored"], "the judge gave no answer");
    assert_eq!(report["metrics"]["Empathy"]["checks"]["E1"]["pass"], false);
    assert!(report["metrics"]["Empathy"]["score"].is_null());
}

#[test]
fn a_quote_that_is_not_there_leaves_its_check_unscored() {
    let absent = r#""E1": {"pass": true, "turns": [2], "quote": "You sound exhausted."}"#;
    let outcome = with(&format!(r#"{{"verdicts": {}}}"#, answers().replace(r#""E1": false"#, absent)));
    assert_eq!(outcome.code, 3, "{outcome}");
    let check = &outcome.json()["metrics"]["Empathy"]["checks"]["E1"];
    assert!(check["pass"].is_null());
    let expected = "cites evidence that does not exist: the quote “You sound exhausted.” is not in the chat";
    assert_eq!(check["unscored"], expected);
}

#[test]
fn answers_off_the_menu_leave_their_check_unscored() {
    let outcome = with(&format!(r#"{{"verdicts": {}}}"#, answers().replace(r#""E1": false"#, r#""E1": 0.5"#)));
    assert_eq!(outcome.code, 3);
    assert_eq!(outcome.json()["metrics"]["Empathy"]["checks"]["E1"]["unscored"], "answered off the menu: 0.5");
}

#[test]
fn answers_on_another_chat_are_refused() {
    let place = Place::with_example("very-short");
    place.write("chat.txt", SHORT_CHAT);
    place.run(&["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json", "-o", "v.json"]).done();
    let run = || place.run(&["eval", "chat.txt", "--verdicts", "v.json"]);
    let said = carelock_test_support::without_digests(&run().refused());
    assert_snapshot!(said, @r#"
    carelock: error: chat.txt: v.json: the answers are about another chat: they name the digest blake3:<digest>, "chat" has blake3:<digest>
      fix: pass the verdicts that belong to this transcript
    "#);
    place.write("v.json", format!(r#"{{"id": "other", "verdicts": {}}}"#, answers()));
    assert_snapshot!(run().refused(), @r#"
    carelock: error: chat.txt: v.json: the answers are about the chat "other", this is "chat"
      fix: pass the verdicts that belong to this chat, or correct the id in them
    "#);
    place.write("v.json", format!(r#"{{"id": "chat", "verdicts": {}}}"#, answers()));
    assert_eq!(run().code, 0);
}

#[test]
fn one_chat_s_answers_are_not_used_for_several() {
    let place = Place::with_example("very-short");
    place.write("chat.txt", SHORT_CHAT);
    let outcome = place.run(&["eval", "chat.txt", "very-short.txt", "--verdicts", "very-short.csv"]);
    assert_snapshot!(outcome);
}

#[test]
fn files_that_hold_no_verdicts_are_refused() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    place.write("empty", "\n");
    place.write("object", "{}");
    place.write("cut", r#"{"verdicts": {"E1": tr"#);
    place.write("type", "{\n  \"verdicts\": {\n    \"E1\": {\"pass\": true, \"turns\": \"2\"}\n  }\n}");
    place.write("prose", "I liked it.");
    place.write("binary", b"\x89PNG\r\n\x1a\n\xff\x00");
    place.write("two.jsonl", "{\"verdicts\": {\"E1\": true}}\n{\"verdicts\": {\"E1\": true}}\n");
    place.write(
        "same.jsonl",
        "{\"id\":\"a\",\"verdicts\": {\"E1\": true}}\n{\"id\":\"a\",\"verdicts\": {\"E1\": true}}\n",
    );
    place.write("line.jsonl", "{\"id\":\"a\",\"verdicts\": {\"E1\": true}}\n{\"id\":\"b\",\"verdicts\": 7}\n");
    place.write("folder/other.csv", "check,verdict\nE1,pass\n");
    let names = [
        "empty",
        "object",
        "cut",
        "type",
        "prose",
        "binary",
        "two.jsonl",
        "same.jsonl",
        "line.jsonl",
        "folder",
        "gone",
    ];
    let all = names.map(|name| place.run(&["eval", "chat.txt", "--verdicts", name, "-o", "out"]).refused());
    assert_snapshot!(all.join("\n"));
    assert!(!place.names().contains(&"out".to_owned()));
}
