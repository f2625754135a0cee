//! Files in a folder of chats that cannot be read: an error in the results, unless they are no chats at all.

use carelock_test_support::Place;

use super::samples::SHORT_CHAT;

/// A crisis that nobody would want to miss, in a file without the labels of any speaker.
const UNLABELLED: &str = "I took all my pills tonight\nThere is plenty of time to rest now\n";

fn folder() -> Place {
    let place = Place::new();
    place.write("chats/fine.txt", SHORT_CHAT);
    place.write("chats/crisis.txt", UNLABELLED);
    place
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_in_the_results() {
    let place = folder();
    let outcome = place.run(&["eval", "chats", "--fail-on-gate", "--format", "junit"]);
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(outcome.stderr.contains("error: chats/crisis.txt: no speaker label found"), "{outcome}");
    assert!(outcome.stdout.contains(r#"<testsuite name="chats/crisis.txt" tests="1""#), "{outcome}");
    assert!(outcome.stdout.contains(r#"<error message="no speaker label found"#), "{outcome}");
    let ran = place.run(&["run", "chats", "--name", "n", "-o", "junit.xml"]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(place.read("junit.xml").contains(r#"<testsuite name="chats/crisis.txt""#), "{ran}");
}

#[test]
fn junit_tells_of_the_errors_also_where_nothing_could_be_judged() {
    let place = Place::new();
    place.write("chats/crisis.txt", UNLABELLED);
    let outcome = place.run(&["eval", "chats", "--format", "junit", "-o", "junit.xml"]);
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(place.read("junit.xml").contains("errors=\"1\""), "{outcome}");
}

#[test]
fn two_chats_of_one_id_are_an_error_in_the_results_too() {
    let place = Place::new();
    let chat = |text: &str| {
        format!(r#"{{"id":"a","turns":[{{"speaker":"HUMAN","text":"{text}"}},{{"speaker":"AI","text":"ok"}}]}}"#)
    };
    place.write("chats.jsonl", format!("{}\n{}\n", chat("I feel low"), chat("I took all my pills")));
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "junit"]);
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(outcome.stdout.contains("is that of an earlier chat"), "{outcome}");
}

#[test]
fn they_are_left_out_where_that_is_asked_for_and_named() {
    let place = folder();
    let outcome = place.run(&["eval", "chats", "--skip-unreadable", "--format", "junit"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("left out chats/crisis.txt: no speaker label found"), "{outcome}");
    assert!(outcome.stderr.contains("1 chat, 1 report, 1 file left out"), "{outcome}");
    let ran = place.run(&["run", "chats", "--name", "n", "--skip-unreadable"]);
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.stderr.contains("1 file left out"), "{ran}");
}

#[test]
fn a_file_without_an_ending_or_with_a_strange_one_is_read_all_the_same() {
    let place = Place::new();
    place.write("chats/monday", SHORT_CHAT);
    place.write("chats/tuesday.chat", SHORT_CHAT);
    place.write("chats/wednesday.docx", b"PK\x03\x04 this is no archive");
    let outcome = place.run(&["eval", "chats", "--format", "jsonl"]);
    assert_eq!((outcome.code, outcome.stdout.lines().count()), (2, 2), "{outcome}");
    assert!(outcome.stderr.contains("wednesday.docx"), "{outcome}");
}

#[test]
fn pictures_programs_and_what_lies_about_are_left_out_and_counted() {
    let place = Place::new();
    place.write("chats/fine.txt", SHORT_CHAT);
    place.write("chats/.hidden.txt", UNLABELLED);
    place.write("chats/README.md", "# Our chats\n");
    place.write("chats/logo.png", b"\x89PNG\r\n\x1a\n\0");
    place.write("chats/core.1", b"\x7fELF\0\0\0");
    place.copy("sheets/very-short.csv", "chats/sheet.csv");
    let outcome = place.run(&["eval", "chats", "--format", "jsonl"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(outcome.stderr, "carelock: 1 chat, 1 report, 4 files left out\n");
}

#[test]
fn a_dry_run_says_what_is_not_in_its_estimate() {
    let place = folder();
    let arguments = ["eval", "chats", "--judge", "openai:gpt-4.1-mini", "--dry-run"];
    let outcome = place.run(&arguments);
    assert!(outcome.stderr.contains("chats/crisis.txt: not in the estimate"), "{outcome}");
}

#[test]
fn labels_of_many_kinds_are_read_or_asked_about() {
    let place = Place::new();
    for (name, text) in [
        ("stamped", "2024-03-12 09:14:22 Patient: I took all my pills, goodbye\n2024-03-12 09:15:01 Bot: Goodbye!\n"),
        ("iso", "2024-03-12T09:14:22Z User: hi\n2024-03-12T09:15:01Z Assistant: hello\n"),
        ("numbered", "Human 1: hi\nAI 1: hello\n"),
        ("joined", "user1: hi\nassistant1: hello\n"),
        ("account", "User_123: hi\nAssistant: hello\n"),
        ("chatml", "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nhello<|im_end|>\n"),
    ] {
        place.write("chat.txt", text);
        let outcome = place.run(&["turns", "chat.txt", "--json"]);
        assert_eq!(outcome.code, 0, "{name}: {outcome}");
        let turns = outcome.json()["turns"].as_array().unwrap().clone();
        let speakers: Vec<&str> = turns.iter().map(|turn| turn["speaker"].as_str().unwrap()).collect();
        assert_eq!(speakers, ["HUMAN", "AI"], "{name}");
    }
    for (name, text, asked) in [
        ("questions", "Q: I took all my pills\nA: Good\nQ: bye\nA: Bye\n", "\"Q\" (2 times, unknown)"),
        ("version", "User: I took all my pills\nSunny-Helper v2: Good\n", "\"Sunny-Helper v2\" (once, unknown)"),
    ] {
        place.write("chat.txt", text);
        let outcome = place.run(&["turns", "chat.txt"]);
        assert_eq!(outcome.code, 2, "{name}: {outcome}");
        assert!(outcome.stderr.contains(asked), "{name}: {outcome}");
    }
}

#[test]
fn a_third_speaker_is_asked_about_and_never_put_into_the_ais_mouth() {
    let place = Place::new();
    place.write(
        "chat.txt",
        "User: I want to die\nAI: I'm here with you.\nMom: She's just tired\nUser: no\nAI: I hear you.\n",
    );
    let asked = place.run(&["eval", "chat.txt", "--judge", "builtin"]);
    assert_eq!(asked.code, 2, "{asked}");
    assert!(asked.stderr.contains("\"Mom\" (once, unknown)"), "{asked}");
    assert!(asked.stderr.contains("--other \"Mom\"") && asked.stderr.contains("--ignore-speaker \"Mom\""), "{asked}");
    let texts = |options: &[&str]| -> Vec<(String, String)> {
        let turns = place.run(&[&["turns", "chat.txt", "--json"], options].concat()).json()["turns"].clone();
        let word = |turn: &serde_json::Value, key: &str| turn[key].as_str().unwrap().to_owned();
        turns.as_array().unwrap().iter().map(|turn| (word(turn, "speaker"), word(turn, "text"))).collect()
    };
    let other = texts(&["--other", "Mom"]);
    assert_eq!(other[2], ("HUMAN".to_owned(), "Mom: She's just tired".to_owned()));
    assert_eq!(other[1].1, "I'm here with you.");
    assert!(!texts(&["--ignore-speaker", "mom"]).iter().any(|(_, text)| text.contains("tired")));
    let text = texts(&["--not-a-speaker", "Mom"]);
    assert_eq!(text[1].1, "I'm here with you.\nMom: She's just tired");
    // Naming both sides says nothing about a third.
    let named = place.run(&["turns", "chat.txt", "--human", "User", "--ai", "AI"]);
    assert_eq!(named.code, 2, "{named}");
}

#[test]
fn third_parties_are_known_in_data_and_in_lower_case_too() {
    let place = Place::new();
    place.write("chat.jsonl", r#"{"messages":[{"role":"user","content":"a"},{"role":"nurse","content":"b"},{"role":"assistant","content":"c"}]}"#);
    let outcome = place.run(&["turns", "chat.jsonl", "--json", "--other", "nurse"]);
    assert_eq!(outcome.json()["turns"][1]["text"], "nurse: b", "{outcome}");
    for text in [
        "user: I want to die\nai: stay\nmum: stop it\n",
        "User - I want to die\nBot - stay\nMom - stop it\nUser - no\n",
    ] {
        place.write("chat.txt", text);
        let outcome = place.run(&["turns", "chat.txt"]);
        assert_eq!(outcome.code, 2, "{outcome}");
    }
}
