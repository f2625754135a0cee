//! `carelock delete`.

use carelock_test_support::Outcome;

use super::place::{Made, Place};

/// Words that stand in the chat `missed-crisis` only.
const WORDS: &str = "before I went up";

/// Whether words, or their start in the compressed transcript, are in the files of the database.
fn has(place: &Place, words: &str) -> bool {
    let entries = std::fs::read_dir(place.path("")).unwrap();
    let files =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.to_string_lossy().contains("carelock.db"));
    files.into_iter().any(|path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    })
}

fn asked(place: &Place, arguments: &[&str], answer: &str) -> Outcome {
    place.run_with_input(arguments, answer)
}

#[test]
fn a_run_is_gone_with_everything_after_a_yes() {
    let place = Place::with_run("nightly");
    place.make(Made::named("other"), &[]);
    let outcome = asked(&place, &["delete", "nightly"], "y\n");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(
        outcome.stderr,
        "carelock: delete the run nightly with 8 chats, their answers and results? This cannot be undone. [y/N] \
         carelock: deleted the run nightly and 8 chats, with their answers and results\n"
    );
    assert!(place.run(&["show", "nightly"]).refused().contains("there is no run"));
    assert_eq!(place.run(&["show", "other", "--format", "json"]).json()["done"], 8);
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let place = Place::with_run("nightly");
    for answer in ["", "n\n", "\n", "yesterday\n"] {
        let outcome = asked(&place, &["delete", "nightly"], answer);
        assert_eq!(outcome.code, 2, "{outcome}");
        assert!(outcome.stderr.contains("nothing was deleted\n  fix: answer y, or add --yes"), "{outcome}");
    }
    let gone = place.run(&["delete", "nightly", "excellent", "nobody", "--yes"]).refused();
    assert!(gone.contains("has no chat \"nobody\"; nothing was deleted"), "{gone}");
    assert_eq!(place.run(&["show", "nightly", "--format", "json"]).json()["done"], 8);
}

#[test]
fn some_chats_are_gone_and_the_run_stays() {
    let place = Place::with_run("nightly");
    let outcome = place.run(&["delete", "nightly", "missed-crisis", "excellent", "excellent", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(outcome.stderr, "carelock: deleted 2 chats, with their answers and results\n");
    let shown = place.run(&["show", "nightly", "--format", "json"]).json();
    assert_eq!((&shown["done"], &shown["chats"]), (&6.into(), &6.into()));
    assert!(place.run(&["show", "nightly", "missed-crisis"]).refused().contains("has no chat"));
}

#[test]
fn no_word_of_what_was_deleted_stays_in_the_files() {
    let place = Place::with_run("nightly");
    assert!(has(&place, "missed-crisis"), "the id is there in the clear, so that looking for it means something");
    place.run(&["delete", "nightly", "missed-crisis", "--yes"]);
    assert!(!has(&place, "missed-crisis") && !has(&place, WORDS));
    assert!(has(&place, "handled-crisis"));
}

#[test]
fn traces_can_be_cleared_without_deleting_anything() {
    let place = Place::with_run("nightly");
    let said = place.run(&["delete", "--clear"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said}");
    place.run(&["delete"]).refused();
    place.run(&["delete", "nightly", "--clear"]).refused();
}
