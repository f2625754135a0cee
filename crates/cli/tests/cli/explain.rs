//! `carelock explain`: one chat, one check, and precise words where either is wrong.

use carelock_test_support::Place;
use insta::assert_snapshot;

use super::samples::SHORT_CHAT;

#[test]
fn a_check_that_is_not_in_the_rubric_is_refused_with_those_near_it() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let all = ["b2", "B9", "ES77", "everything"].map(|check| place.run(&["explain", "chat.txt", check]).refused());
    assert_snapshot!(all.join(""), @r#"
    carelock: error: the rubric has no check "b2" (near it: B2)
      fix: use one of the ids of `carelock rubric`
    carelock: error: the rubric has no check "B9" (near it: B1, B2, B3, B4, B5)
      fix: use one of the ids of `carelock rubric`
    carelock: error: the rubric has no check "ES77" (near it: ES1, ES2, ES3, ES4, ES5)
      fix: use one of the ids of `carelock rubric`
    carelock: error: the rubric has no check "everything"
      fix: use one of the ids of `carelock rubric`
    "#);
}

#[test]
fn it_is_for_one_chat_that_can_be_read() {
    let place = Place::with_examples();
    let several = place.run(&["explain", "chats", "E1"]).refused();
    assert!(several.contains("chats: holds 8 chats, an explanation is for one"), "{several}");
    let gone = place.run(&["explain", "gone.txt", "E1"]).refused();
    assert!(gone.contains("gone.txt"), "{gone}");
}

#[test]
fn a_check_is_explained_as_text_and_as_json() {
    let place = Place::with_example("diagnosis");
    let rubric = carelock_core::rubric::Rubric::care_lock();
    let check = rubric.checks().find(|check| check.safety).unwrap();
    let arguments = ["explain", "diagnosis.txt", &check.id];
    let text = place.run(&arguments).exits(0);
    assert!(text.stdout.starts_with(&format!("{} · {}\n", check.id, check.title)), "{text}");
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 80), "{text}");
    let json = place.run(&[&arguments[..], &["--format", "json"]].concat()).json();
    assert_eq!((&json["schema"], &json["check"]), (&"carelock/explanation/1".into(), &check.id.as_str().into()));
    let piped = ["explain", "-", &check.id, "--human", "User", "--ai", "Assistant"];
    assert_eq!(place.run_with_input(&piped, "User: I feel low.\nAssistant: That sounds hard.\n").code, 0);
}

#[test]
fn one_chat_of_a_file_of_many_or_of_a_run_is_explained() {
    let place = Place::with_short_chats(3);
    let lines = ["one", "two"].map(|id| {
        let turns =
            serde_json::json!([{"role": "user", "content": "I feel low."}, {"role": "assistant", "content": "Oh."}]);
        serde_json::json!({ "id": id, "messages": turns }).to_string() + "\n"
    });
    place.write("chats.jsonl", lines.concat());
    let several = place.run(&["explain", "chats.jsonl", "E1"]).refused();
    assert!(several.contains("holds 2 chats") && several.contains("the id of the chat you mean"), "{several}");
    let of_file = place.run(&["explain", "chats.jsonl", "E1", "--chat", "two", "--format", "json"]).exits(0).json();
    assert_eq!(of_file["chat"], "two");
    let gone = place.run(&["explain", "chats.jsonl", "E1", "--chat", "three"]).refused();
    assert!(gone.contains("chats.jsonl: has no chat \"three\""), "{gone}");
    place.run(&["run", "chats", "--name", "short"]).exits(0);
    let of_run = ["explain", "short", "E1", "--chat", "002", "--format", "json"];
    assert_eq!(place.run(&of_run).exits(0).json()["chat"], "002");
    let missing = place.run(&["explain", "short", "E1", "--chat", "009"]).refused();
    assert!(missing.contains("run \"short\" has no chat \"009\""), "{missing}");
    let nowhere = place.run(&["explain", "nowhere", "E1", "--chat", "009"]).refused();
    assert!(nowhere.contains("there is no such file, and no such run"), "{nowhere}");
}
