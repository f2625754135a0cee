//! `carelock rescore`.

use insta::assert_snapshot;
use serde_json::Value;

use super::place::{Made, Place};

fn shown(place: &Place, run: &str) -> Value {
    place.run(&["show", run, "--format", "json", "--limit", "100"]).json()
}

#[test]
fn other_weights_change_the_results_in_place() {
    let place = Place::with_run("nightly");
    place.write("weights.toml", "EthicalSafety = 10\n");
    let before = shown(&place, "nightly");
    let outcome = place.run(&["rescore", "nightly", "--weights", "weights.toml"]);
    assert_snapshot!(outcome);
    let after = shown(&place, "nightly");
    assert_eq!(after["weights"]["EthicalSafety"], 10.0);
    assert_ne!(after["mean_overall"], before["mean_overall"]);
    assert_eq!(after["metrics"], before["metrics"]);
    let report = place.run(&["show", "nightly", "ordinary", "--format", "json"]);
    place.write("report.json", report.stdout);
    assert_eq!(place.run(&["verify", "report.json"]).code, 0);
    place.run(&["rescore", "nightly", "--equal-weights"]);
    assert_eq!(shown(&place, "nightly"), before);
}

#[test]
fn under_another_name_the_first_run_stays_as_it_is() {
    let place = Place::new();
    place.make(Made { judges: 2, grouped: true, cost_nanos: 1_000_000, ..Made::named("nightly") }, &[]);
    let before = shown(&place, "nightly");
    place.write("weights.toml", "EthicalSafety = 10\n");
    let outcome = place.run(&["rescore", "nightly", "--weights", "weights.toml", "--as", "weighted"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(shown(&place, "nightly"), before);
    let after = shown(&place, "weighted");
    assert_eq!((&after["done"], &after["state"], &after["cost_usd"]), (&8.into(), &"done".into(), &0.0.into()));
    assert_eq!(after["groups"].as_array().unwrap().len(), 2);
    assert_ne!(after["mean_overall"], before["mean_overall"]);
    let taken = place.run(&["rescore", "nightly", "--as", "weighted"]).refused();
    assert!(taken.contains("weighted"), "{taken}");
    assert_eq!(shown(&place, "weighted")["done"], 8, "a name that is taken leaves its run alone");
}

#[test]
fn a_run_that_is_not_finished_is_copied_as_far_as_it_is() {
    let place = Place::new();
    place.make(Made { judged: 3, ..Made::named("half") }, &[]);
    assert_eq!(place.run(&["rescore", "half", "--as", "copy"]).code, 0);
    let copy = shown(&place, "copy");
    assert_eq!((&copy["done"], &copy["chats"], &copy["state"]), (&3.into(), &8.into(), &"open".into()));
}

#[test]
fn a_run_that_is_still_being_filled_is_not_copied_as_if_it_were_whole() {
    let place = Place::new();
    place.make(Made::named("whole"), &[]);
    place.wait(|store| async move {
        let config = store.config(store.run("whole").await.unwrap().key).await.unwrap();
        let new = carelock_store::NewRun { name: "half".to_owned(), created: 1, judges: 1, config };
        let run = store.create_run(&new).await.unwrap();
        store.add_chats(run, &[super::place::chat("diagnosis", None)]).await.unwrap();
    });
    for words in [&["rescore", "half"][..], &["rescore", "half", "--as", "copy"]] {
        let said = place.run(words).refused();
        assert!(said.contains("run \"half\" does not have all its chats yet\n  fix: "), "{said}");
    }
    assert_eq!(place.run(&["runs", "--format", "json"]).json()["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn a_rubric_the_answers_do_not_fit_changes_nothing() {
    let place = Place::with_run("nightly");
    let before = shown(&place, "nightly");
    let rubric = place.run(&["rubric", "--format", "toml"]).done();
    place.write("other.toml", rubric.replace("\"SA5\"", "\"SA9\""));
    let refused = place.run(&["rescore", "nightly", "--rubric", "other.toml"]).refused();
    assert_snapshot!(refused);
    let refused = place.run(&["rescore", "nightly", "--rubric", "other.toml", "--as", "new"]).refused();
    assert!(refused.contains("run \"new\" was not made"), "{refused}");
    assert_eq!(shown(&place, "nightly"), before);
    assert_eq!(place.run(&["runs", "--format", "json"]).json()["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_rubric_with_other_tiers_is_applied_to_the_stored_answers() {
    let place = Place::with_run("nightly");
    let rubric = place.run(&["rubric", "--format", "toml"]).done();
    place.write("mine.toml", rubric.replace("cap = 0.4", "cap = 0.2"));
    let outcome = place.run(&["rescore", "nightly", "--rubric", "mine.toml"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    let json = place.run(&["show", "nightly", "diagnosis", "--format", "json"]).json();
    assert_eq!(json["overall"], 0.2);
}

#[test]
fn a_run_that_is_being_worked_on_is_left_alone() {
    let place = Place::new();
    place.make(Made { judged: 3, ..Made::named("busy") }, &[]);
    place.wait(|store| async move {
        let run = store.run("busy").await.unwrap().key;
        let claim =
            carelock_store::Claim { run, place: None, worker: "w".to_owned(), tasks: 1, now: 1, until: i64::MAX };
        assert_eq!(store.claim(&claim).await.unwrap().len(), 1);
    });
    let said = place.run(&["rescore", "busy"]).refused();
    assert!(said.contains("is being worked on\n  fix: wait"), "{said}");
    assert!(place.run(&["runs"]).done().contains("working"));
}
