//! `carelock runs`.

use insta::assert_snapshot;

use super::place::{Made, Place};

#[test]
fn runs_are_listed_with_the_newest_first() {
    let place = Place::with_run("last-week");
    place.make(Made { judges: 2, grouped: true, cost_nanos: 12_300_000, ..Made::named("candidate") }, &[]);
    place.make(Made { judged: 3, ..Made::named("interrupted-because-someone-needed-the-machine") }, &[]);
    assert_snapshot!(place.run(&["runs"]).done());
    let json = place.run(&["runs", "--format", "json"]);
    assert_snapshot!(json);
}

#[test]
fn a_database_without_runs_says_so() {
    let place = Place::new();
    place.wait(|_| async {});
    let outcome = place.run(&["runs"]);
    assert_eq!(outcome.code, 0);
    assert_eq!(
        (outcome.stdout.as_str(), outcome.stderr.as_str()),
        ("", "carelock: carelock.db: there are no runs yet\n")
    );
    assert_eq!(place.run(&["runs", "--format", "json"]).json()["runs"], serde_json::json!([]));
}

#[test]
fn a_database_that_is_not_there_or_not_one_is_refused_and_none_is_made() {
    let place = Place::new();
    place.write("notes.txt", "not a database at all, but long enough to be looked at ".repeat(20));
    let all = [
        place.run(&["runs"]).refused(),
        place.run(&["runs", "--db", "gone/runs.db"]).refused(),
        place.run(&["show", "x", "--db", "notes.txt"]).refused(),
    ];
    assert_snapshot!(all.join(""));
    assert!(!place.path("carelock.db").exists());
}

#[test]
fn the_database_may_be_named_in_the_environment() {
    let place = Place::with_run("nightly");
    std::fs::rename(place.path("carelock.db"), place.path("other.db")).unwrap();
    let mut command = place.command(&["runs"]);
    let listed = carelock_test_support::Outcome::new(command.env("CARELOCK_DB", "other.db")).done();
    assert!(listed.contains("nightly"), "{listed}");
    assert_eq!(place.run(&["runs", "--db", "other.db"]).done(), listed);
}
