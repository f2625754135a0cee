//! The lock: sorted lines to commit, reports to the byte without key, network or kept answers, precise errors.

use carelock_test_support::Place;
use carelock_test_support::model::ModelServer;
use carelock_test_support::model::answers::by_the_sheets;

use crate::samples::HOSTED;

const CHATS: [&str; 4] = ["diagnosis", "missed-crisis", "ordinary", "very-short"];
const PATHS: [&str; 4] = ["diagnosis.txt", "missed-crisis.txt", "ordinary.txt", "very-short.txt"];

/// A place whose `answers.lock` holds the answers on all chats, made by a server that is gone, and the judge's name.
fn locked(judge: Option<&str>) -> (Place, String) {
    let place = Place::with(&CHATS);
    let server = ModelServer::start(by_the_sheets);
    let judge = judge.map_or_else(|| server.judge(), str::to_owned);
    let base = server.base();
    let around = [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_API_KEY", "sk-planted-0123456789abcdef")];
    let arguments = ["eval", "--judge", &judge, "--lock", "answers.lock", "--format", "json"];
    place.run_with(&around, &[&arguments[..], &PATHS].concat()).exits(0);
    assert!(!server.calls().is_empty());
    server.stop();
    place.forget();
    (place, judge)
}

fn arguments<'a>(judge: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let locked = ["eval", "--locked", "--lock", "answers.lock", "--format", "json", "--judge", judge];
    [&locked[..], options, &PATHS].concat()
}

#[test]
fn a_lock_has_a_line_a_chat_sorted_and_made_for_diffs() {
    let (place, judge) = locked(None);
    let lock = place.read("answers.lock");
    let lines: Vec<serde_json::Value> = lock.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["format"]), (CHATS.len() + 1, &"carelock/lock/1".into()));
    let mut chats: Vec<&str> = lines[1..].iter().map(|line| line["chat"].as_str().unwrap()).collect();
    chats.sort_unstable();
    assert_eq!(chats, CHATS);
    // By what was said and not by name, so that a chat that is renamed stays where it is.
    assert!(lines[1..].iter().map(|line| line["transcript"].as_str().unwrap()).is_sorted(), "{lock}");
    assert!(lines[1..].iter().all(|line| line["judge"] == judge.as_str()));
    for line in lock.lines() {
        let sorted: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let names: Vec<&String> = sorted.keys().collect();
        assert!(names.is_sorted(), "{names:?}");
    }
    assert!(lock.ends_with('\n') && !lock.ends_with("\n\n"));
}

#[test]
fn locked_reports_are_the_same_to_the_byte_without_server_key_or_kept_answers() {
    for judge in [None, Some(HOSTED)] {
        let (place, judge) = locked(judge);
        let lock = place.read("answers.lock");
        let first = place.run(&arguments(&judge, &[])).exits(0);
        assert_eq!(first.stderr.lines().filter(|line| !line.contains("4 chats, 4 reports")).count(), 0, "{first}");
        for options in [&[][..], &["--concurrency", "1"], &["--concurrency", "64"]] {
            let again = place.run(&arguments(&judge, options)).exits(0);
            assert_eq!(again, first, "{judge} {options:?}");
        }
        assert_eq!(place.read("answers.lock"), lock);
        assert!(!place.path("cache").exists(), "what is locked needs nothing kept, and keeps nothing");
    }
}

#[test]
fn the_lock_is_the_same_whatever_the_order_and_number_of_chats_at_once() {
    let place = Place::with(&CHATS);
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let made = |lock: &str, concurrency: &str, paths: &[&str]| {
        let arguments = ["eval", "--judge", &judge, "--lock", lock, "--concurrency", concurrency, "--format", "json"];
        place.run(&[&arguments[..], paths].concat()).exits(0);
        place.read(lock)
    };
    let forward = made("one.lock", "1", &PATHS);
    let backward: Vec<&str> = PATHS.into_iter().rev().collect();
    assert_eq!(made("two.lock", "64", &backward), forward);
}

#[test]
fn a_chat_that_is_not_in_the_lock_is_an_error_that_says_so() {
    let (place, judge) = locked(None);
    place.write("new.txt", "Human: I feel low.\nAI: That sounds hard.\n");
    let outcome = place.run(&[&arguments(&judge, &[])[..], &["new.txt"]].concat()).exits(2);
    let expected =
        format!("new: no locked answers of judge {judge}\n  fix: run without --locked to ask, then commit the lock");
    assert!(outcome.stderr.contains(&expected), "{outcome}");
    let other = place.run(&arguments("openai:gpt-6-luna", &[])).exits(2);
    assert!(other.stderr.contains("ordinary: no locked answers of judge openai:gpt-6-luna"), "{other}");
    let none = place.run(&["eval", "--locked", "--judge", &judge, "ordinary.txt"]).exits(2);
    assert!(none.stderr.contains("carelock.lock: there is no lock"), "{none}");
}

#[test]
fn a_changed_chat_is_not_answered_from_the_lock() {
    let (place, judge) = locked(None);
    place.write("ordinary.txt", place.read("ordinary.txt").replace("bright red", "pale"));
    let outcome = place.run(&arguments(&judge, &[])).exits(2);
    assert!(outcome.stderr.contains("ordinary: no locked answers of judge"), "{outcome}");
}

#[test]
fn a_damaged_line_of_the_lock_is_named() {
    let (place, judge) = locked(None);
    let lock = place.read("answers.lock");
    let damage = |line: usize, change: &dyn Fn(&str) -> String| {
        let lines =
            (1..).zip(lock.lines()).map(|(number, text)| if number == line { change(text) } else { text.to_owned() });
        place.write("answers.lock", lines.collect::<Vec<_>>().join("\n") + "\n");
        place.run(&arguments(&judge, &[])).exits(2).stderr
    };
    let flipped = damage(3, &|text| text.replacen("\"pass\":\"no\"", "\"pass\":\"yes\"", 1));
    assert!(
        flipped.contains("answers.lock") && flipped.contains("line 3: its content does not match its seal"),
        "{flipped}"
    );
    assert_eq!(flipped.matches("does not match its seal").count(), 1, "said once: {flipped}");
    let broken = damage(4, &|text| text[..text.len() / 2].to_owned());
    assert!(broken.contains("line 4: "), "{broken}");
    let merged = damage(2, &|text| format!("<<<<<<< ours\n{text}\n=======\n{text}\n>>>>>>> theirs"));
    assert!(merged.contains("line 2: an unresolved git conflict"), "{merged}");
    let twice = damage(2, &|text| format!("{text}\n{text}"));
    assert!(twice.contains("line 3: the same key as line 2"), "{twice}");
}
