//! Tests of plain text with labels.

use proptest::prelude::*;

use super::{looks_like, read};
use crate::problem::Speakers;
use crate::transcript::Speaker::{self, Ai, Human};
use crate::transcript::formats::{ReadError, ReadOptions, Reading};

fn named(human: &[&str], ai: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { human: owned(human), ai: owned(ai), ..ReadOptions::default() }
}

fn reading_with(text: &str, options: &ReadOptions) -> Reading {
    read(text, options).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn reading(text: &str) -> Reading {
    reading_with(text, &ReadOptions::default())
}

fn turns(text: &str) -> Vec<(Speaker, String)> {
    reading(text).turns
}

fn refused(text: &str) -> ReadError {
    read(text, &ReadOptions::default()).err().unwrap()
}

fn expect(pairs: &[(Speaker, &str)]) -> Vec<(Speaker, String)> {
    pairs.iter().map(|&(who, text)| (who, text.to_owned())).collect()
}

#[test]
fn each_known_label_opens_a_turn() {
    let reading = reading("User: I feel low.\nAssistant: I hear you.\nUSER: thanks\n");
    assert_eq!(reading.turns, expect(&[(Human, "I feel low."), (Ai, "I hear you."), (Human, "thanks")]));
    assert_eq!(reading.speakers.len(), 2);
    assert_eq!((reading.speakers[0].label.as_str(), reading.speakers[0].turns), ("User", 2));
    assert_eq!(reading.speakers[0].because, "known label");
    assert!(reading.dropped.is_empty() && reading.notes.is_empty(), "{reading:?}");
}

#[test]
fn messages_span_lines_and_blank_lines_and_contain_colons() {
    let text = "Patient: first\n\n  second: line\nat 10:30\nNote: breathe\nhttp://a.b\n\n\nTherapist:\n\n  ok\n---\nTip: rest\n";
    assert_eq!(
        turns(text),
        expect(&[
            (Human, "first\n\n  second: line\nat 10:30\nNote: breathe\nhttp://a.b"),
            (Ai, "  ok\n---\nTip: rest"),
        ])
    );
}

#[test]
fn fences_and_trailing_spaces_inside_messages_stay() {
    assert_eq!(
        turns("User: a\nAI: see\n```\ncode:\n```  \n\n"),
        expect(&[(Human, "a"), (Ai, "see\n```\ncode:\n```  ")])
    );
}

#[test]
fn other_scripts_and_emoji_are_read() {
    assert_eq!(turns("用户：你好 🌧️\n助手：我在听"), expect(&[(Human, "你好 🌧️"), (Ai, "我在听")]));
    assert_eq!(turns("المستخدم: أنا حزين\nالمساعد: أنا هنا"), expect(&[(Human, "أنا حزين"), (Ai, "أنا هنا")]));
    assert_eq!(turns("🧑 User: hi\n🤖 Bot: hello"), expect(&[(Human, "hi"), (Ai, "hello")]));
}

#[test]
fn a_copied_chatgpt_page_is_read() {
    let reading = reading("You said:\nI can't sleep.\nChatGPT said:\nThat sounds hard.\nYou said:\nYes");
    assert_eq!(reading.turns, expect(&[(Human, "I can't sleep."), (Ai, "That sounds hard."), (Human, "Yes")]));
    assert!(reading.speakers[0].because.contains("opposite"), "{:?}", reading.speakers);
}

#[test]
fn me_is_the_person_opposite_a_therapist() {
    assert_eq!(turns("Me: hi\nTherapist: hello"), expect(&[(Human, "hi"), (Ai, "hello")]));
}

#[test]
fn you_with_me_is_refused() {
    let error = refused("You: hi\nMe: hello\nYou: so\nMe: ok");
    assert!(error.what.contains("\"You\" (2 times, unknown), \"Me\" (2 times, unknown)"), "{error}");
    assert_eq!(error.remedy, Some(Box::new(Speakers::FromList.into())), "{error}");
    assert!(read("You: hi\nMe: hello\nBot: so", &ReadOptions::default()).is_err());
}

#[test]
fn one_known_and_one_unknown_label_is_refused_by_name() {
    let error = refused("Therapist: hi\nAnna: hello\nTherapist: so?\nAnna: well");
    assert!(error.what.contains("\"Anna\" (2 times, unknown)"), "{error}");
    let (label, ai) = ("Anna".to_owned(), Some("Therapist".to_owned()));
    assert_eq!(error.remedy, Some(Box::new(Speakers::Unclear { label, human: None, ai }.into())), "{error}");
    let error = refused("Anna: hello\nBot: hi");
    assert!(error.what.contains("\"Anna\" (once, unknown), \"Bot\" (once, AI: known label)"), "{error}");
    assert!(refused("anna: hello\nbot: hi\nanna: ok").what.contains("\"anna\""));
}

#[test]
fn labels_of_one_side_only_are_refused() {
    assert!(refused("User: hi\nPatient: hello").what.contains("\"Patient\" (once, HUMAN"));
}

#[test]
fn a_third_name_that_keeps_coming_back_is_refused_not_swallowed() {
    let error = refused("User: hi\nBot: hello\nMark: and me\nUser: ok\nBot: so\nMark: yes");
    assert!(error.what.contains("\"Mark\" (2 times, unknown)"), "{error}");
    let (human, ai) = (Some("User".to_owned()), Some("Bot".to_owned()));
    assert_eq!(
        error.remedy,
        Some(Box::new(Speakers::Unclear { label: "Mark".to_owned(), human, ai }.into())),
        "{error}"
    );
}

#[test]
fn a_third_name_is_refused_even_once_and_also_where_both_sides_are_named() {
    let text = "User: hi\nBot: hello\nMark: and me\nUser: ok\nBot: so";
    assert!(refused(text).what.contains("\"Mark\" (once, unknown)"));
    assert!(read(text, &named(&["User"], &["Bot"])).is_err());
    let options = ReadOptions { text: vec!["Mark".to_owned()], ..ReadOptions::default() };
    assert_eq!(reading_with(text, &options).turns[1].1, "hello\nMark: and me");
}

#[test]
fn whom_to_call_and_headings_are_no_third_speakers() {
    let text = "User: help\nAI: Call now.\nSamaritans: 116 123\nCrisis Text Line: text HOME to 741741\nThe Next Step: rest\nUser: ok";
    assert_eq!(turns(text).len(), 3);
}

#[test]
fn a_breathing_exercise_is_not_a_speaker() {
    let text = "User: help\nAI: try\nInhale: 4\nHold: 4\nExhale: 4\nHold: 4\nUser: again\nAI: sure\nInhale: 4\nHold: 4";
    assert_eq!(turns(text).len(), 4);
}

#[test]
fn one_named_side_and_one_other_label_is_enough() {
    let reading = reading_with("Anna: hi\nMira: hello\nAnna: ok\nMira: so", &named(&["anna"], &[]));
    assert_eq!(reading.turns[1], (Ai, "hello".to_owned()));
    assert_eq!(reading.speakers[0].because, "--human");
    assert_eq!(reading.speakers[1].because, "the only other label");
    assert!(read("Anna: hi\nMira: a\nJo: b\nMira: c\nJo: d", &named(&["Anna"], &[])).is_err());
}

#[test]
fn options_win_over_the_known_labels() {
    let reading = reading_with("Therapist: hi\nPatient: hello", &named(&["Therapist"], &["Patient"]));
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
    assert!(read("A: hi\nB: ok", &named(&["A"], &["A"])).err().unwrap().what.contains("for the person and for the AI"));
}

#[test]
fn system_messages_and_what_stands_before_are_dropped_and_counted() {
    let reading = reading("Chat of 3 May\n\nSystem: be kind\nof course\nUser: hi\nTool: {}\nAI: hello");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
    assert_eq!(reading.dropped["system message"], 1);
    assert_eq!(reading.dropped["tool message"], 1);
    assert_eq!(reading.dropped["text before the first label"], 1);
    assert!(reading.notes[0].contains("one line"), "{:?}", reading.notes);
}

#[test]
fn time_stamps_dashes_and_bare_labels_are_understood() {
    let two = expect(&[(Human, "hi - there"), (Ai, "hello")]);
    assert_eq!(turns("[10:32] User: hi - there\n[10:33] GPT-4o mini: hello"), two);
    assert_eq!(turns("User - hi - there\nBot – hello"), two);
    assert_eq!(turns("User\nhi - there\n\nAssistant\nhello"), two);
}

#[test]
fn an_empty_message_is_still_a_turn() {
    assert_eq!(turns("User:\nAI: hello"), expect(&[(Human, ""), (Ai, "hello")]));
}

#[test]
fn text_without_labels_is_refused_with_its_first_line() {
    let error = refused("\nDear diary, today was hard.\nThe end.");
    assert!(error.what.contains("\"Dear diary, today was hard.\""), "{error}");
    assert_eq!(error.remedy, Some(Box::new(Speakers::LabelOrName.into())), "{error}");
    assert!(refused(" \n").what.contains("empty"));
    assert!(!looks_like("Dear diary", &ReadOptions::default()));
    let error = refused("Question: a\nAnswer: b\nQuestion: c\nAnswer: d");
    assert!(error.what.contains("\"Question:\" (2 times), \"Answer:\" (2 times)"), "{error}");
    assert!(refused("Q: a\nA: b\nQ: c\nA: d").what.contains("\"Q\" (2 times, unknown)"));
    for text in ["Q: I feel alone\nA: I hear you.", "q: I feel alone\n\na: I hear you.\nIt is hard."] {
        let error = refused(text);
        assert!(error.what.contains("it is not clear who is who") && error.labels().len() == 2, "{error}");
        assert_eq!(reading_with(text, &named(&["Q"], &["A"])).turns.len(), 2, "{text}");
    }
    for (text, labels) in [
        ("Sam: I feel awful today.\nSunny-Helper v2: I am sorry. What happened?", ["Sam", "Sunny-Helper v2"]),
        ("Sam: I feel awful.\nNobody calls.\n\nMira: I am sorry.\nSince when?", ["Sam", "Mira"]),
    ] {
        let error = refused(text);
        assert!(error.what.contains("it is not clear who is who"), "{error}");
        assert_eq!(error.labels(), labels, "{text}");
        assert_eq!(reading_with(text, &named(&labels[..1], &labels[1..])).turns.len(), 2, "{text}");
    }
    let error = read("hello", &named(&["Ana"], &[])).err().unwrap();
    assert!(error.what.contains("\"Ana\""), "{error}");
}

#[test]
fn a_million_turns_and_a_giant_line_take_linear_time() {
    assert_eq!(turns(&"User: hi\nAI: ok\n".repeat(100_000)).len(), 200_000);
    let giant = format!("User: {}\nAI: ok", "x: ".repeat(5_000_000));
    assert_eq!(turns(&giant)[0].1.len(), 15_000_000);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}(\n(User|AI|Anna|You|System)?[:： >-]{0,2}\\PC{0,20}){0,8}") {
        let _ = looks_like(&text, &ReadOptions::default());
        let _ = read(&text, &ReadOptions::default());
        let _ = read(&text, &named(&["Anna"], &[]));
    }

    #[test]
    fn what_was_said_comes_back_unchanged(said in proptest::collection::vec("[a-zé🌱,.!? ]{0,20}[a-zé🌱]", 1..8)) {
        let text: String = said.iter().map(|text| format!("User: {text}\nAI: {text}\n")).collect();
        let back: Vec<String> = reading(&text).turns.into_iter().map(|(_, text)| text).collect();
        let expected: Vec<String> = said.iter().flat_map(|text| [text.trim_start().to_owned(), text.trim_start().to_owned()]).collect();
        prop_assert_eq!(back, expected);
    }
}
