//! Chats that cannot be judged: each a precise message, exit 2, nothing half-written.

use carelock_test_support::Place;
use insta::assert_snapshot;

use super::samples::{SHORT_CHAT, answers, record};

/// Name and content of files in which there is nothing to judge.
fn hopeless() -> Vec<(&'static str, Vec<u8>)> {
    let openai = std::fs::read(carelock_test_support::examples().join("formats/openai.json")).unwrap();
    let binary: Vec<u8> = (0..2000_u32).map(|number| (number * 7919 % 256) as u8).collect();
    vec![
        ("empty.txt", Vec::new()),
        ("blank.txt", b" \n\n\t\r\n".to_vec()),
        ("only-human.txt", b"Human: hello?\nHuman: is anyone there?\n".to_vec()),
        ("only-ai.txt", b"AI: Hello, how can I help?\n".to_vec()),
        ("silent-ai.txt", b"Human: hello?\nAI:\n".to_vec()),
        ("only-system.json", br#"[{"role":"system","content":"Be kind."},{"role":"tool","content":"ok"}]"#.to_vec()),
        ("binary.txt", binary),
        ("truncated.json", openai[..300].to_vec()),
        ("not-a-chat.json", br#"{"name": "Ana", "age": 7}"#.to_vec()),
        ("number.json", b"[1, 2, 3]".to_vec()),
        ("prose.txt", b"It was a dark night.\nNobody said a word.\n".to_vec()),
        ("strangers.txt", b"Ana: hi\nBen: hello\nAna: how are you\n".to_vec()),
        ("table.csv", b"name,age\nAna,7\nBen,8\n".to_vec()),
        ("cut.zip", b"PK\x03\x04 cut short".to_vec()),
        ("cut.parquet", b"PAR1 cut short".to_vec()),
        ("bad-lines.jsonl", b"{\"messages\": []}\n{\"messages\": [}\n{\"nothing\": 1}\n".to_vec()),
    ]
}

#[test]
fn what_cannot_be_judged_is_said_precisely_and_nothing_is_written() {
    let place = Place::new();
    place.write("v.json", format!(r#"{{"verdicts": {}}}"#, answers()));
    let mut said = Vec::new();
    for (name, content) in hopeless() {
        place.write(name, content);
        let before = place.names();
        let arguments = ["eval", name, "--verdicts", "v.json", "--format", "json"];
        said.push(place.run(&arguments).refused());
        place.run(&[&arguments[..], &["-o", "out.json"]].concat()).refused();
        assert_eq!(place.names(), before, "{name}");
    }
    assert_snapshot!(said.join("\n"));
}

#[test]
fn turns_shows_what_it_could_of_a_chat_that_cannot_be_judged() {
    let place = Place::new();
    for (name, content) in hopeless() {
        place.write(name, content);
        assert_eq!(place.run(&["turns", name]).code, 2, "{name}");
    }
    assert_snapshot!(place.run(&["turns", "only-system.json"]));
}

#[test]
fn names_that_lead_nowhere_are_refused() {
    let place = Place::with_example("very-short");
    place.write("folder/picture.png", "x");
    let refused = |path: &str| place.run(&["eval", path, "--verdicts", "very-short.csv"]).refused();
    let all = ["gone.txt", "gone/", "*.jsonl", "folder", "[", ""].map(refused);
    assert_snapshot!(all.join("\n"));
}

#[test]
fn standard_input_is_read_once() {
    let place = Place::with_example("very-short");
    assert_snapshot!(place.run(&["eval", "-", "--verdicts", "-"]).refused(), @r"
    carelock: error: standard input (-) is named twice
      fix: only one of the inputs can come from it
    ");
    place.run(&["eval", "-", "-", "--verdicts", "very-short.csv"]).refused();
    place.run(&["eval", "very-short.txt", "--verdicts", "-", "--verdicts", "-"]).refused();
    place.run(&["eval", "-", "--verdicts", "very-short.csv", "--weights", "-"]).refused();
    place.run(&["eval", "-", "--verdicts", "very-short.csv", "--rubric", "-"]).refused();
    place.run(&["turns", "-", "-"]).refused();
    let empty = place.run_with_input(&["eval", "-", "--verdicts", "very-short.csv"], "").refused();
    assert!(empty.starts_with("carelock: error: standard input: the input is empty\n"), "{empty}");
}

#[test]
fn one_bad_chat_does_not_hide_the_good_ones() {
    let place = Place::new();
    let good = |id: &str| record(id, &answers());
    place.write("chats.jsonl", [good("a"), "{\"id\": \"b\", \"messages\": [".to_owned(), good("c")].join("\n"));
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "csv", "-o", "out.csv"]);
    assert_snapshot!(outcome);
    let rows = place.read("out.csv");
    let ids: Vec<&str> = rows.lines().map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["id", "a", "c"]);
}

#[test]
fn chats_with_the_same_id_are_told_apart_or_refused() {
    let place = Place::new();
    place.write("chats.jsonl", [record("a", &answers()), record("a", &answers())].join("\n"));
    let outcome = place.run(&["eval", "chats.jsonl", "--format", "csv"]);
    assert_eq!(outcome.code, 2);
    assert_snapshot!(outcome.stderr, @r#"
    carelock: error: chats.jsonl, line 2: the id "a" is that of an earlier chat
      fix: give every chat its own id
    carelock: 2 chats, 1 report, 1 could not be evaluated
    "#);
    assert_eq!(outcome.stdout.lines().count(), 2);
    // Files of the same name go by their path.
    place.write("one/chat.txt", SHORT_CHAT);
    place.write("two/chat.txt", SHORT_CHAT);
    place.write("sheets/chat.json", format!(r#"{{"verdicts": {}}}"#, answers()));
    let outcome = place.run(&["eval", "one", "two", "--verdicts", "sheets", "--format", "csv"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "carelock: 2 chats, 2 reports\n"), "{outcome}");
}
