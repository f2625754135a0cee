//! Chats of a million turns, lines of 60 MB.

use carelock_test_support::Place;

use super::samples::{answers, record};

#[test]
fn a_chat_of_a_million_turns_is_judged() {
    let place = Place::new();
    let mut chat = String::new();
    for number in 0..500_000 {
        chat.push_str(&format!("Human: {number}\nAI: so {number}\n"));
    }
    place.write("chat.txt", chat);
    let quoted =
        answers().replace(r#""E1": false"#, r#""E1": {"pass": true, "turns": [1000000], "quote": "so 499999"}"#);
    place.write("v.json", format!(r#"{{"verdicts": {quoted}}}"#));
    let outcome = place.run(&["eval", "chat.txt", "--verdicts", "v.json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome}");
    assert!(outcome.stdout.contains("1000000 turns"), "{outcome}");
}

#[test]
fn a_quote_is_looked_for_in_a_huge_turn() {
    let place = Place::new();
    let quoted = r#""E1": {"pass": true, "turns": [2], "quote": "nowhere to be found"}"#;
    for filling in ["a", "word "] {
        let chat = record("huge", &answers().replace(r#""E1": false"#, quoted));
        place.write("chat.json", chat.replace("That sounds hard.", &filling.repeat(8_000_000 / filling.len())));
        let outcome = place.run(&["eval", "chat.json", "--format", "csv", "--checks"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (3, ""), "{filling:?}");
        assert!(outcome.stdout.contains("the quote “nowhere to be found” is not in the chat"), "{filling:?}");
    }
}

#[test]
fn a_huge_line_without_labels_is_refused_with_its_start_only() {
    let place = Place::new();
    place.write("line.txt", "word ".repeat(12_000_000));
    let said = place.run(&["turns", "line.txt"]).refused();
    assert!(said.starts_with("carelock: error: line.txt: no speaker label found at the start of any line"), "{said}");
    assert!(said.len() < 1000, "{}", said.len());
    let said = place.run(&["turns", "line.txt", "--max-size", "16"]).refused();
    let expected =
        "carelock: error: line.txt: larger than 16 MiB\n  fix: raise --max-size, or split it into a chat a line\n";
    assert_eq!(said, expected);
}

#[test]
fn a_line_above_the_limit_is_refused_and_the_others_are_judged() {
    let place = Place::new();
    let huge = record("huge", &answers()).replace("I feel low.", &"low ".repeat(15_000_000));
    place.write("chats.jsonl", [record("before", &answers()), huge, record("after", &answers())].join("\n"));
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "csv", "--max-size", "16"]);
    assert_eq!(outcome.code, 2);
    let expected = "carelock: error: chats.jsonl: line 2: longer than 16 MiB\n  \
                    fix: raise --max-size, or check that the file has line breaks\n\
                    carelock: 3 chats, 2 reports, 1 could not be evaluated\n";
    assert_eq!(outcome.stderr, expected);
    let ids: Vec<&str> = outcome.stdout.lines().map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["id", "before", "after"]);
    assert_eq!(place.run(&["eval", "chats.jsonl", "--format", "csv"]).code, 0);
}
