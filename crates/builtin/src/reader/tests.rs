//! What the reader promises: the same bits whatever the grouping and the threads, and an answer for every chat.

use std::sync::OnceLock;

use carelock_core::transcript::{Speaker, Transcript};

use super::*;
use crate::text::Vocabulary;

fn reader() -> &'static Reader {
    static READER: OnceLock<Reader> = OnceLock::new();
    READER.get_or_init(Reader::embedded)
}

fn chat(turns: &[&str]) -> Transcript {
    let speaker = |place| if place % 2 == 0 { Speaker::Human } else { Speaker::Ai };
    let turns = turns.iter().enumerate().map(|(place, text)| (speaker(place), (*text).to_owned()));
    Transcript::new("test", turns.collect()).unwrap()
}

fn odds(turns: &[&str], group: usize) -> Vec<i16> {
    let transcript = chat(turns);
    let reading = Reading::new(&transcript, &Vocabulary::embedded());
    let odds = reader().odds_in_groups(&reading, 0, group, &mut Warm::default()).0;
    assert_eq!(odds.len(), reading.sentences.len() * reader().heads().len());
    odds
}

/// A chat whose turns have several segments each.
fn long_turns() -> Vec<String> {
    let sentence = |turn: usize, place: usize| {
        let words =
            ["I", "cannot", "sleep", "since", "we", "talked", "about", "her", "funeral", "and", "work", "is", "hard"];
        let words = (0..9 + (turn * 5 + place) % 7).map(|word| words[(word * 3 + place * 7 + turn) % words.len()]);
        words.collect::<Vec<_>>().join(" ") + ". "
    };
    (0..7).map(|turn| (0..(turn * 9) % 31 + 1).map(|place| sentence(turn, place)).collect()).collect()
}

#[test]
fn bits_do_not_depend_on_how_segments_are_grouped() {
    let turns = long_turns();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let right = odds(&turns, GROUP);
    assert!(right.iter().any(|&odds| odds != 0));
    for group in [1, 130, 200, 384, usize::MAX] {
        assert!(odds(&turns, group) == right, "groups of {group}");
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let turns = long_turns();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let right = odds(&turns, GROUP);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| odds(&turns, GROUP)) == right, "{threads} threads");
    }
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..5).map(|_| scope.spawn(|| odds(&turns, GROUP))).collect();
        assert!(all.into_iter().all(|one| one.join().unwrap() == right));
    });
}

#[test]
fn what_comes_later_does_not_change_what_was_read() {
    let turns = long_turns();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let whole = odds(&turns, GROUP);
    let part = odds(&turns[..4], GROUP);
    assert!(whole.starts_with(&part) && whole.len() > part.len());
}

#[test]
fn a_turn_of_ten_thousand_words_is_read() {
    let text = "He says the garden was quiet in the morning before they left. ".repeat(840);
    let odds = odds(&["Tell me something long.", &text, "Thanks."], GROUP);
    assert!(odds.iter().any(|&odds| odds != 0));
    let words = "word ".repeat(10_000);
    self::odds(&[&words, "I see."], GROUP);
}

#[test]
fn an_empty_turn_is_read() {
    odds(&["Hello.", "", "   ", "Still there?"], GROUP);
    odds(&["Hello.", "Hi.", ""], GROUP);
}

#[test]
fn odd_characters_and_pieces_without_a_row_are_read() {
    odds(&["\u{0}\u{200b}\u{1F600}\u{301}", "الحياة صعبة", "𝕳𝖊𝖑𝖑𝖔!!!???"], GROUP);
    let transcript = chat(&["One. Two.", "Three."]);
    let mut reading = Reading::new(&transcript, &Vocabulary::embedded());
    reading.sentences[0].pieces = vec![u32::MAX; 1000];
    reading.sentences[1].pieces.clear();
    assert_eq!(reader().odds(&reading).len(), 3 * reader().heads().len());
}

#[test]
fn heads_about_the_other_speaker_have_even_odds() {
    let odds = odds(&["I feel so alone.", "I am here with you."], GROUP);
    for (place, (_, about)) in reader().heads().iter().enumerate() {
        let other = if *about == Speaker::Human { 1 } else { 0 };
        assert_eq!(odds[other * reader().heads().len() + place], 0);
    }
}
