//! How a run ends before it is done: Ctrl-C, a spent budget, a key that is wrong.

use std::time::Duration;

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Place, wait_until};

use super::stored::Stored;
use crate::samples::HOSTED;

#[cfg(unix)]
#[test]
fn ctrl_c_waits_for_what_is_in_flight_and_says_how_to_go_on() {
    let place = Place::with_short_chats(30);
    let server = ModelServer::start(|call| {
        std::thread::sleep(Duration::from_millis(300));
        ModelReply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--no-second-look", "--no-cache", "--concurrency", "3"];
    let words = [&["run", "chats", "--name", "n", "--judge", &judge], &options[..]].concat();
    let running = place.start_with(&[], &words);
    wait_until("4 calls came", || server.calls().len() >= 4);
    running.interrupt();
    let said = running.wait().exits(130).stderr;
    assert!(said.ends_with("stopped; carry on with: carelock run --resume n\n"), "{said}");
    let stored = Stored::file(&place.path("carelock.db"));
    let progress = stored.progress("n");
    assert_eq!(progress.answered, server.calls().len() as u64, "what was in flight is answered");
    assert_eq!(progress.leased, 0, "nothing stays claimed");
    place.run(&["run", "--resume", "n", "--no-cache", "--concurrency", "30"]).exits(0);
    assert_eq!(server.calls().len(), 30, "nothing is asked twice");
}

#[test]
fn a_run_stops_at_its_cap_and_goes_on_with_a_higher_one() {
    let place = Place::with_short_chats(12);
    let server = ModelServer::start(|call| ModelReply::said(call, &plain(call).to_string()));
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    let options = ["--no-second-look", "--no-cache", "--concurrency", "1"];
    let begin = ["run", "chats", "--name", "n", "--judge", HOSTED, "--max-cost", "0.025"];
    let ran = place.run_with(&environment, &[&begin[..], &options].concat()).exits(3);
    assert!(ran.stderr.contains("the cap on the cost is reached"), "{ran}");
    assert!(ran.stderr.contains("carelock run --resume n --max-cost"), "{ran}");
    assert!(ran.stdout.contains("answers so far") && ran.stdout.contains("spent             $0.0"), "{ran}");
    let first = server.calls().len();
    assert!((1..12).contains(&first), "{first}");
    let stored = Stored::file(&place.path("carelock.db"));
    assert_eq!((stored.progress("n").failed, stored.progress("n").leased), (0, 0));
    let again = ["run", "--resume", "n", "--no-cache", "--concurrency", "1"];
    let ran = place.run_with(&environment, &again).exits(3);
    assert_eq!(server.calls().len(), first, "what was spent before counts towards the cap: {ran}");
    place.run_with(&environment, &[&again[..], &["--max-cost", "5"]].concat()).exits(0);
    assert_eq!(server.calls().len(), 12);
}

#[test]
fn a_wrong_key_stops_the_run_at_once_and_fails_no_chat() {
    let place = Place::with_short_chats(8);
    let server = ModelServer::start(|_| ModelReply::failed(401, "invalid_api_key", "Incorrect API key provided."));
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    let words = ["run", "chats", "--name", "n", "--judge", HOSTED, "--no-cache", "--concurrency", "1"];
    let ran = place.run_with(&environment, &words).exits(2);
    assert!(ran.stderr.contains("carelock run --resume n") && ran.stderr.contains("misconfigured"), "{ran}");
    let progress = Stored::file(&place.path("carelock.db")).progress("n");
    assert_eq!((progress.open, progress.failed, progress.leased), (8, 0, 0));
    assert!(server.calls().len() < 3, "{}", server.calls().len());
}

#[test]
fn a_server_that_is_down_fails_its_chats_and_they_are_tried_again() {
    let place = Place::with_short_chats(3);
    let server = ModelServer::start(|call| {
        let broken = call.user().contains("day 2.");
        if broken { ModelReply::failed(400, "bad", "no") } else { ModelReply::said(call, &plain(call).to_string()) }
    });
    let judge = server.judge();
    let words = ["run", "chats", "--name", "n", "--judge", &judge, "--no-cache", "--no-second-look"];
    let ran = place.run(&words);
    assert!(ran.code == 3 || ran.code == 2, "{ran}");
    let progress = Stored::file(&place.path("carelock.db")).progress("n");
    assert!(progress.answered <= 2 && progress.leased == 0, "{progress:?}");
}

#[test]
fn chats_that_could_not_be_judged_are_picked_with_unscored() {
    let place = Place::with_short_chats(2);
    place
        .write("chats/spanish.txt", "Human: Estoy muy triste y no puedo dormir.\nAI: Lo siento mucho, cuéntame más.\n");
    place.run(&["run", "chats", "--name", "n"]).exits(3);
    let shown = place.run(&["show", "n", "--unscored", "--format", "json"]).json();
    let listed: Vec<&str> =
        shown["listed"].as_array().unwrap().iter().map(|chat| chat["id"].as_str().unwrap()).collect();
    assert_eq!(listed, ["spanish"]);
    let exported = place.run(&["export", "n", "--unscored", "--format", "jsonl"]).done();
    assert_eq!(exported.lines().count(), 1, "{exported}");
}
