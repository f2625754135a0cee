//! The published samples, each read by its own reader and claimed by no reader asked before it.

use super::super::{ReadOptions, Reading, chat_export, chat_template, delimited, encoding, markdown, plain_text};
use crate::transcript::Speaker;

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/formats/", $name))
    };
}

/// Reads as the readers of text are asked: the strictest first, plain text as the last resort.
fn read(bytes: &[u8], options: &ReadOptions) -> (&'static str, Vec<Reading>) {
    let decoded = encoding::decode(bytes).unwrap_or_else(|error| panic!("{error}"));
    assert!(decoded.notes.is_empty(), "{:?}", decoded.notes);
    let text = decoded.text.as_ref();
    let (name, readings) = if chat_template::looks_like(text, options) {
        ("chat template", chat_template::read(text, options))
    } else if delimited::looks_like(text, options) {
        ("delimited", delimited::read(text, options))
    } else if chat_export::looks_like(text, options) {
        ("chat export", chat_export::read(text, options))
    } else if markdown::looks_like(text, options) {
        ("markdown", markdown::read(text, options))
    } else {
        ("plain text", plain_text::read(text, options))
    };
    (name, readings.unwrap_or_else(|error| panic!("{error}")))
}

fn summary(bytes: &[u8]) -> (&'static str, Vec<usize>) {
    let options = ReadOptions { human: vec!["Ana".to_owned()], ..ReadOptions::default() };
    let (name, readings) = read(bytes, &options);
    let turns = readings.iter().map(|reading| reading.turns.len()).collect();
    for reading in readings {
        let noted: usize = reading.speakers.iter().map(|note| note.turns).sum();
        assert_eq!(noted, reading.turns.len());
        assert!(reading.into_transcript("sample").is_ok());
    }
    (name, turns)
}

#[test]
fn every_sample_is_read_by_its_own_reader() {
    assert_eq!(summary(sample!("plain.txt")), ("plain text", vec![5]));
    assert_eq!(summary(sample!("chatml.txt")), ("chat template", vec![4]));
    assert_eq!(summary(sample!("markdown.md")), ("markdown", vec![4]));
    assert_eq!(summary(sample!("whatsapp.txt")), ("chat export", vec![5]));
    assert_eq!(summary(sample!("slack.txt")), ("chat export", vec![4]));
    assert_eq!(summary(sample!("discord.txt")), ("chat export", vec![4]));
    assert_eq!(summary(sample!("table.csv")), ("delimited", vec![4, 2]));
    assert_eq!(summary(sample!("table.tsv")), ("delimited", vec![4]));
    assert_eq!(summary(sample!("exchange.csv")), ("delimited", vec![4, 2]));
}

#[test]
fn messages_over_several_lines_come_back_whole() {
    let (_, readings) = read(sample!("plain.txt"), &ReadOptions::default());
    let expected = "I had another argument with my sister today.\nI keep replaying it: what I said, what she said.\n\nAnd now I can't sleep.";
    assert_eq!(readings[0].turns[0], (Speaker::Human, expected.to_owned()));
    assert_eq!(readings[0].dropped["text before the first label"], 1);
}

#[test]
fn the_same_chat_means_the_same_in_every_encoding() {
    let text = std::str::from_utf8(sample!("plain.txt")).unwrap();
    let windows = text.replace('\n', "\r\n");
    let wide: Vec<u8> = windows.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain = plain_text::read(text, &ReadOptions::default()).unwrap().remove(0);
    for bytes in [windows.into_bytes(), [b"\xFF\xFE".to_vec(), wide].concat()] {
        let decoded = encoding::decode(&bytes).ok().unwrap();
        let reading = plain_text::read(&decoded.text, &ReadOptions::default()).unwrap().remove(0);
        assert_eq!(reading.turns, plain.turns);
    }
}
