//! Tests of messenger exports.

use proptest::prelude::*;

use super::{looks_like, read};
use crate::transcript::Speaker::{self, Ai, Human};
use crate::transcript::formats::{ReadOptions, Reading};

fn named(human: &[&str], ai: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { human: owned(human), ai: owned(ai), ..ReadOptions::default() }
}

fn reading(text: &str) -> Reading {
    let options = named(&["Ana"], &[]);
    assert!(looks_like(text, &options), "{text}");
    read(text, &options).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn expect(pairs: &[(Speaker, &str)]) -> Vec<(Speaker, String)> {
    pairs.iter().map(|&(who, text)| (who, text.to_owned())).collect()
}

#[test]
fn whatsapp_from_android_is_read() {
    let reading = reading(
        "12/03/2024, 10:14 - Messages and calls are end-to-end encrypted. Tap to learn more.\n\
         12/03/2024, 10:15 - Ana: hi: it is 10:15\nsecond line\n\nNote: third\n\
         12/03/2024, 10:16 - Luz: hello\n12/03/2024, 10:17 - Ana: <Media omitted>\n\
         12/03/2024, 10:18 - Luz: This message was deleted\n12/03/2024, 10:18 - Luz: so <This message was edited>\n",
    );
    assert_eq!(
        reading.turns,
        expect(&[(Human, "hi: it is 10:15\nsecond line\n\nNote: third"), (Ai, "hello"), (Ai, "so")])
    );
    assert_eq!(reading.dropped["messenger's notice"], 1);
    assert_eq!(reading.dropped["media"], 1);
    assert_eq!(reading.dropped["deleted message"], 1);
    assert_eq!(reading.speakers[1].because, "the only other label");
    assert_eq!((reading.speakers[0].turns, reading.speakers[1].turns), (1, 2));
}

#[test]
fn whatsapp_from_an_iphone_is_read() {
    let reading = reading(
        "\u{200E}[12/03/24, 10:14:00\u{202F}PM] Luz: \u{200E}Messages and calls are end-to-end encrypted.\n\
         [12/03/24, 10:15:32\u{202F}PM] Ana: שלום 🌱\n[12/03/24, 10:15:40\u{202F}PM] Luz: hello\n\
         \u{200E}[12/03/24, 10:16:40\u{202F}PM] Luz: \u{200E}image omitted\n",
    );
    assert_eq!(reading.turns, expect(&[(Human, "שלום 🌱"), (Ai, "hello")]));
    assert_eq!(reading.dropped["media"], 1);
}

#[test]
fn slack_is_read_with_messages_that_go_on() {
    let reading = reading("Ana  10:15 AM\nhi\nthere\n10:16 AM\nstill me\n\nCareBot APP  10:17 AM\nhello\n");
    assert_eq!(reading.turns, expect(&[(Human, "hi\nthere"), (Human, "still me"), (Ai, "hello")]));
    let reading = self::reading("[10:15 AM] Ana: hi\n[10:16 AM] Bot: hello\nagain");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello\nagain")]));
}

#[test]
fn discord_is_read() {
    let reading = reading("Ana — Today at 10:15 AM\nhi\n\nWysa — Today at 10:16 AM\nhello\n");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
    assert_eq!(reading.speakers[1].because, "known label");
}

#[test]
fn discord_chat_exporter_is_read_without_its_own_lines() {
    let bar = "=".repeat(62);
    let reading = reading(&format!(
        "{bar}\nGuild: Home\nChannel: talk\n{bar}\n\n[12/03/2024 10:15 AM] Ana\nhi\n\n\
         [12/03/2024 10:16 AM] Luz\nhello\n\n{{Attachments}}\nhttps://a.b/c.png\n\n{bar}\nExported 2 message(s)\n{bar}\n"
    ));
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
    assert_eq!(reading.dropped["attachment or reaction"], 1);
    assert_eq!(reading.dropped["exporter's remark"], 1);
}

#[test]
fn telegram_is_read() {
    let reading = reading("Ana, [12.03.2024 10:15]\nhi\n\nLuz, [12.03.2024 10:16]\nhello");
    assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello")]));
}

#[test]
fn real_names_are_asked_for() {
    let text = "12/03/2024, 10:15 - Ana: hi\n12/03/2024, 10:16 - Luz: hello";
    let error = read(text, &ReadOptions::default()).err().unwrap();
    assert!(error.what.contains("\"Ana\" (once, unknown), \"Luz\" (once, unknown)"), "{error}");
    assert_eq!(error.remedy, Some(Box::new(crate::problem::Speakers::FromList.into())), "{error}");
}

#[test]
fn known_labels_need_no_options() {
    let text = "[10:15] User: hi\n[10:16] Assistant: hello";
    assert_eq!(read(text, &ReadOptions::default()).unwrap()[0].turns.len(), 2);
}

#[test]
fn other_texts_are_left_to_the_other_readers() {
    for text in [
        "",
        "User: hi\nAI: at 10:15 - well: so\n",
        "User: my log\n12/03/2024, 10:15 - nothing\n",
        "10:15 - Mood: low\n10:30 - Mood: better",
        "User: read this\n[10:15] Ana: hi\n[10:16] Luz: hello\nAI: ok",
        "Dear diary\n\nSee you  soon\n",
        "role,text\nuser,hi",
        "**User:** hi",
    ] {
        assert!(!looks_like(text, &ReadOptions::default()), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        text in "(\n?(12/03/2024, 10:15 - |\\[10:15\\] ?|\u{200E}|Ana  10:15|Ana — Today at 1:15|=====|10:15)?(Ana: |Bot: )?\\PC{0,16}){0,8}"
    ) {
        let _ = looks_like(&text, &ReadOptions::default());
        let _ = read(&text, &ReadOptions::default());
        let _ = read(&text, &named(&["Ana"], &[]));
    }
}
