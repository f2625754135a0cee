//! `carelock turns`: how a transcript was understood.

use carelock_test_support::{Place, examples};
use insta::assert_snapshot;

fn digests(shown: &str) -> Vec<&str> {
    shown.lines().filter_map(|line| line.trim_start().strip_prefix("digest")).map(str::trim).collect()
}

#[test]
fn labels_are_shown_with_the_reason_and_what_was_dropped_is_counted() {
    let place = Place::new();
    place.copy("formats/openai.json", "openai.json");
    place.copy("formats/plain.txt", "plain.txt");
    assert_snapshot!(place.run(&["turns", "openai.json", "plain.txt"]));
}

#[test]
fn chats_of_a_jsonl_are_named_by_their_line() {
    let place = Place::new();
    place.copy("formats/messages.jsonl", "messages.jsonl");
    assert_snapshot!(place.run(&["turns", "messages.jsonl"]));
}

#[test]
fn names_that_are_no_labels_are_asked_for() {
    let place = Place::new();
    place.copy("formats/whatsapp.txt", "whatsapp.txt");
    assert_snapshot!(place.run(&["turns", "whatsapp.txt"]).refused(), @r#"
    carelock: error: whatsapp.txt: it is not clear who is who: the labels found are "Ana" (4 times, unknown), "Lumi Bot" (2 times, unknown)
      fix: say who is who with --human NAME --ai NAME, names from this list; each may be given more than once
    "#);
    assert_snapshot!(place.run(&["turns", "whatsapp.txt", "--human", "Ana"]));
    let both = place.run(&["turns", "whatsapp.txt", "--human", "Ana", "--ai", "Lumi Bot"]).done();
    assert_eq!(digests(&both), digests(&place.run(&["turns", "whatsapp.txt", "--human", "Ana"]).done()));
}

#[test]
fn every_example_of_a_format_is_understood() {
    let place = Place::new();
    let folder = examples().join("formats");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let outcome = place.run(&["turns", path.to_str().unwrap(), "--human", "Ana"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", path.display());
        assert!(!digests(&outcome.stdout).is_empty(), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 14, "{seen} formats");
}

#[test]
fn turns_written_as_json_are_read_back_as_the_same_chats() {
    let place = Place::new();
    let formats = examples().join("formats");
    let shown = place.run(&["turns", formats.to_str().unwrap(), "--human", "Ana"]).done();
    let json = place.run(&["turns", formats.to_str().unwrap(), "--human", "Ana", "--json"]).done();
    place.write("again.jsonl", &json);
    let again = place.run(&["turns", "again.jsonl"]).done();
    assert_eq!(digests(&again), digests(&shown));
    assert_eq!(place.run(&["turns", "again.jsonl", "--json"]).done(), json);
    assert_eq!(place.run_with_input(&["turns", "-", "--json"], json.clone()).done(), json);
}

#[test]
fn a_chat_written_as_json_is_judged_the_same() {
    let place = Place::with_example("very-short");
    place.write("very-short.json", place.run(&["turns", "very-short.txt", "--json"]).done());
    let report = |chat: &str| place.run(&["eval", chat, "--verdicts", "very-short.csv", "--format", "json"]).done();
    assert_eq!(report("very-short.json"), report("very-short.txt"));
}

#[test]
fn a_chat_cannot_steer_the_terminal() {
    let place = Place::new();
    place.write("chat.txt", "Human: hello \u{1b}[31mred\u{9b}2J\nAI: hi\n");
    let shown = place.run(&["turns", "chat.txt"]).done();
    assert!(!shown.contains(['\u{1b}', '\u{9b}']), "{shown:?}");
    assert!(shown.contains(r"hello \u{1b}[31mred\u{9b}2J"), "{shown:?}");
}

#[test]
fn other_encodings_are_read_and_said() {
    let place = Place::new();
    let chat = "User: I’m so tired — really\nAssistant: That’s hard…\n";
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(chat.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let windows: Vec<u8> = chat
        .chars()
        .map(|letter| match letter {
            '’' => 0x92,
            '—' => 0x97,
            '…' => 0x85,
            plain => plain as u8,
        })
        .collect();
    place.write("utf8.txt", chat);
    place.write("bom.txt", format!("\u{feff}{}", chat.replace('\n', "\r\n")));
    place.write("utf16.txt", utf16);
    place.write("windows.txt", windows);
    place.write("mojibake.txt", chat.replace('’', "â€™"));
    let shown = place.run(&["turns", "utf8.txt", "bom.txt", "utf16.txt", "windows.txt"]).done();
    assert!(digests(&shown).windows(2).all(|pair| pair[0] == pair[1]), "{shown}");
    assert!(shown.contains("  note    read as UTF-16, little endian\n"), "{shown}");
    assert!(shown.contains("  note    not valid UTF-8, read as Windows-1252;"), "{shown}");
    let shown = place.run(&["turns", "mojibake.txt"]).done();
    assert!(shown.contains("  note    the text looks as if it was once read with the wrong code page"), "{shown}");
}

#[test]
fn a_bad_file_does_not_hide_the_others() {
    let place = Place::with_example("very-short");
    place.write("bad.txt", "no labels here");
    let outcome = place.run(&["turns", "bad.txt", "very-short.txt", "--json"]);
    assert_eq!(outcome.code, 2);
    assert_eq!(outcome.json()["id"], "very-short");
    assert!(outcome.stderr.starts_with("carelock: error: bad.txt: no speaker label found"), "{}", outcome.stderr);
}
