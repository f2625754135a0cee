//! Tests of chats written in Markdown.

use proptest::prelude::*;

use super::{looks_like, read};
use crate::transcript::Speaker::{self, Ai, Human};
use crate::transcript::formats::{ReadOptions, Reading};

fn named(human: &[&str], ai: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { human: owned(human), ai: owned(ai), ..ReadOptions::default() }
}

fn reading(text: &str) -> Reading {
    assert!(looks_like(text, &ReadOptions::default()), "{text}");
    read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn expect(pairs: &[(Speaker, &str)]) -> Vec<(Speaker, String)> {
    pairs.iter().map(|&(who, text)| (who, text.to_owned())).collect()
}

#[test]
fn bold_labels_open_turns() {
    let reading = reading("**User:** I feel **low**.\n\n**Assistant**: I hear you:\n- one\n- two\n\n**USER:** ok");
    let expected = [(Human, "I feel **low**."), (Ai, "I hear you:\n- one\n- two"), (Human, "ok")];
    assert_eq!(reading.turns, expect(&expected));
    assert_eq!(reading.speakers[0].turns, 2);
}

#[test]
fn headings_open_turns_and_other_headings_belong_to_the_message() {
    let reading =
        reading("# My chat\n\n## User\n\nhi\n\n## ChatGPT\n\nhello\n\n### A plan\n\n1. rest\n\n## User\n\nok\n");
    let expected = [(Human, "hi"), (Ai, "hello\n\n### A plan\n\n1. rest"), (Human, "ok")];
    assert_eq!(reading.turns, expect(&expected));
    assert_eq!(reading.dropped["text before the first label"], 1);
}

#[test]
fn a_copied_chatgpt_page_with_headings_is_read() {
    let reading = reading("#### You said:\nhi\n#### ChatGPT said:\nhello");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
}

#[test]
fn one_side_may_be_written_without_markup() {
    let reading = reading("**User:** hi\nAssistant: hello\n**User:** ok");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello"), (Human, "ok")]));
}

#[test]
fn plain_labels_inside_marked_messages_are_text() {
    let reading = reading("### User\nhi\n### Assistant\nPractise:\nClient: I need time.\n### User\nok");
    assert_eq!(reading.turns[1].1, "Practise:\nClient: I need time.");
}

#[test]
fn block_quotes_around_all_messages_are_taken_off() {
    let reading = reading("> **Human**: hi\n> there\n>\n> **AI**: hello");
    assert_eq!(reading.turns, expect(&[(Human, "hi\nthere"), (Ai, "hello")]));
    assert!(reading.notes[0].contains("block quotes"), "{:?}", reading.notes);
}

#[test]
fn system_headings_are_dropped_and_counted() {
    let reading = reading("## System\nbe kind\n## User\nhi\n## Assistant\nhello");
    assert_eq!(reading.turns.len(), 2);
    assert_eq!(reading.dropped["system message"], 1);
}

#[test]
fn unknown_bold_names_are_refused_by_name() {
    let text = "**Anna:** hi\n\n**Mira:** hello\n\n**Anna:** ok\n\n**Mira:** so";
    assert!(looks_like(text, &ReadOptions::default()));
    let error = read(text, &ReadOptions::default()).err().unwrap();
    assert!(error.what.contains("\"Anna\" (2 times, unknown), \"Mira\" (2 times, unknown)"), "{error}");
    let options = named(&["Anna"], &["Mira"]);
    assert!(looks_like(text, &options));
    assert_eq!(read(text, &options).unwrap()[0].turns.len(), 4);
}

#[test]
fn bold_remarks_inside_messages_are_text() {
    let text = "**User:** hi\n**Bot:** try\n**Note:** slowly\n**Deep Breathing:** in and out\n**User:** ok\n**Bot:** **Note:** good";
    assert_eq!(reading(text).turns.len(), 4);
}

#[test]
fn plain_transcripts_with_some_markup_are_left_to_the_plain_reader() {
    for text in [
        "User: hi\nAssistant: **Note:** hello\n# AI\nUser: ok",
        "Dear diary\n# You\nwere there",
        "**Summary:** one\n**Goal:** two",
        "User: hi\nBot: hello\n**Anna:** x\n**Anna:** y",
        "",
    ] {
        assert!(!looks_like(text, &ReadOptions::default()), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\n?[#*_> ]{0,4}(User|AI|Anna|You|System)?[*_:： (>]{0,4}\\PC{0,20}){0,8}") {
        let _ = looks_like(&text, &ReadOptions::default());
        let _ = read(&text, &ReadOptions::default());
        let _ = read(&text, &named(&["Anna"], &[]));
    }
}
