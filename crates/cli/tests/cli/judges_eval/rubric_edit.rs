//! A rubric edit asks only what changed.

use carelock_test_support::Place;
use carelock_test_support::model::answers::by_the_sheets;
use carelock_test_support::model::{ModelReply, ModelServer};

use crate::samples::{checks, unscored};

/// The rubric with another word in what E1 passes for.
fn edited(place: &Place) {
    let rubric = place.run(&["rubric", "--format", "toml"]).exits(0).stdout;
    let (before, after) = rubric.split_once("id = \"E1\"").unwrap();
    let changed = after.replacen("passes = \"a feeling", "passes = \"some feeling", 1);
    assert_ne!(changed, after);
    place.write("rubric.toml", format!("{before}id = \"E1\"{changed}"));
}

#[test]
fn a_word_in_one_check_asks_this_check_alone() {
    let place = Place::with(&["excellent"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let asking = ["eval", "excellent.txt", "--judge", &judge, "--lock", "answers.lock", "--format", "json"];
    let before = place.run(&asking).exits(0).json();
    assert_eq!(server.take_calls().len(), 1);
    edited(&place);
    let with_edit = [&asking[..], &["--rubric", "rubric.toml"]].concat();
    let refused = place.run(&[&with_edit[..], &["--locked"]].concat()).exits(2);
    assert!(refused.stderr.contains("has no locked answer to E1 (changed since)"), "{refused}");
    let after = place.run(&with_edit).exits(0).json();
    let calls = server.take_calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].checks(), ["E1"]);
    assert!(calls[0].system().contains("some feeling"), "{}", calls[0].system());
    let others: Vec<String> = checks(&before).into_iter().map(|(id, _)| id).filter(|id| id != "E1").collect();
    let asked = format!("{}\n{}", calls[0].system(), calls[0].user());
    let mut words = asked.split(|letter: char| !letter.is_ascii_alphanumeric());
    assert_eq!(words.find(|word| others.iter().any(|id| id == word)), None, "{asked}");
    assert_eq!(checks(&after), checks(&before));
    place.run(&[&with_edit[..], &["--locked"]].concat()).exits(0);
    place.run(&with_edit).exits(0);
    assert_eq!(server.calls().len(), 0);
}

#[test]
fn answers_that_hold_stand_also_where_the_rest_is_refused() {
    let place = Place::with(&["excellent"]);
    let server = ModelServer::start(|call| match call.checks().len() {
        1 => ModelReply::refusal("I can't help with that"),
        _ => by_the_sheets(call),
    });
    let judge = server.judge();
    let asking = ["eval", "excellent.txt", "--judge", &judge, "--format", "json"];
    let before = place.run(&asking).exits(0).json();
    edited(&place);
    let with_edit = [&asking[..], &["--rubric", "rubric.toml"]].concat();
    let after = place.run(&with_edit).exits(3).json();
    assert_eq!(unscored(&after).len(), 1);
    for ((id, old), (_, new)) in checks(&before).iter().zip(&checks(&after)) {
        let reason = new["unscored"].as_str().unwrap_or_default();
        assert!(if id == "E1" { reason.starts_with("refused: ") } else { old == new }, "{id}: {new}");
    }
    server.take_calls();
    place.run(&with_edit).exits(3);
    assert_eq!(server.calls().len(), 1, "what was refused is asked again");
}

#[test]
fn titles_and_weights_ask_nothing() {
    let place = Place::with(&["excellent"]);
    let server = ModelServer::start(by_the_sheets);
    let asking = ["eval", "excellent.txt", "--judge", &server.judge(), "--format", "json"];
    place.run(&asking).exits(0);
    server.take_calls();
    let rubric = place.run(&["rubric", "--format", "toml"]).exits(0).stdout;
    let changed = rubric.replacen("title = \"Empathy\"", "title = \"Warmth\"", 1);
    assert_ne!(changed, rubric);
    place.write("rubric.toml", changed);
    place.write("weights.toml", "Empathy = 3\n");
    let options = ["--rubric", "rubric.toml", "--weights", "weights.toml"];
    place.run(&[&asking[..], &options].concat()).exits(0);
    assert_eq!(server.calls().len(), 0);
}
