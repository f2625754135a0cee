//! `carelock cache`: recorded answers are listed, removed by judge, pruned by size and age, and asked for again after that.

use std::fs::File;
use std::time::{Duration, SystemTime};

use carelock_test_support::Place;
use carelock_test_support::model::ModelServer;
use carelock_test_support::model::answers::by_the_sheets;

#[test]
fn recorded_answers_are_listed_and_removed() {
    let place = Place::with(&["very-short", "ordinary"]);
    assert!(place.run(&["cache", "list"]).exits(0).stdout.contains("0 recorded answers, 0 B"));
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let eval = ["eval", "--judge", &judge, "very-short.txt", "ordinary.txt", "--format", "jsonl"];
    place.run(&eval).exits(0);
    let calls = server.calls().len();
    let listed = place.run(&["cache", "list"]).exits(0).stdout;
    assert!(listed.contains("2 recorded answers") && listed.contains(&judge), "{listed}");
    let all: serde_json::Value =
        serde_json::from_str(&place.run(&["cache", "list", "--all", "--json"]).exits(0).stdout).unwrap();
    let chats: Vec<&str> =
        all["entries"].as_array().unwrap().iter().map(|entry| entry["chat"].as_str().unwrap()).collect();
    assert_eq!((chats, all["schema"].as_str()), (vec!["ordinary", "very-short"], Some("carelock/cache/1")));
    let refused = place.run(&["cache", "clear", "--judge", "openai:other", "--yes"]).exits(2);
    assert!(refused.stderr.contains("no answers of openai:other are recorded"), "{refused}");
    let unasked = place.run(&["cache", "clear"]).exits(2);
    assert!(unasked.stderr.contains("nothing was removed"), "{unasked}");
    let cleared = place.run(&["cache", "clear", "--judge", &judge, "--yes"]).exits(0);
    assert!(cleared.stderr.contains("removed 2 recorded answers"), "{cleared}");
    place.run(&eval).exits(0);
    assert_eq!(server.calls().len(), 2 * calls, "what was removed is asked for again");
}

#[test]
fn old_answers_are_pruned_and_new_ones_stay() {
    let place = Place::with(&["very-short", "ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    place.run(&["eval", "--judge", &server.judge(), "very-short.txt"]).exits(0);
    let (old, _) = place.files().into_iter().find(|(path, _)| path.starts_with(place.path("cache"))).unwrap();
    let days_ago = SystemTime::now() - Duration::from_secs(100 * 86_400);
    File::options().write(true).open(old).unwrap().set_modified(days_ago).unwrap();
    place.run(&["eval", "--judge", &server.judge(), "ordinary.txt"]).exits(0);
    let pruned = place.run(&["cache", "prune", "--older-than", "90"]).exits(0);
    assert!(pruned.stderr.contains("removed 1 recorded answer,"), "{pruned}");
    let left = place.run(&["cache", "list", "--all"]).exits(0).stdout;
    assert!(left.contains("ordinary") && !left.contains("very-short"), "{left}");
    assert!(place.run(&["cache", "prune", "--max-size", "0"]).exits(0).stderr.contains("removed 1 recorded answer,"));
    place.run(&["cache", "prune"]).exits(2);
    place.run(&["cache", "list", "--folder", "nowhere"]).exits(2);
}
