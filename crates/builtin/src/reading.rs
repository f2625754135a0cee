//! A chat cut into turns and sentences, with the word pieces of every sentence.

use std::ops::Range;

use carelock_core::transcript::{Speaker, Transcript, Turn};

use crate::language;
use crate::text::{self, Vocabulary, sentences};

/// A chat as the judge reads it.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The chat itself.
    said: &'a [Turn],
    /// The turns in order.
    pub turns: Vec<ReadTurn>,
    /// The sentences of all turns in order.
    pub sentences: Vec<Sentence>,
    /// Whether any reply says something.
    says_something: bool,
}

/// Where a turn's sentences lie.
#[derive(Debug)]
pub struct ReadTurn {
    /// Who says it.
    pub speaker: Speaker,
    /// Its sentences, as places in [`Reading::sentences`]. Never empty: a turn without words has one empty sentence.
    pub sentences: Range<usize>,
    /// Whether the turn says next to nothing ("ok", "thanks"), so that it cannot change what the chat is like.
    pub is_brief: bool,
}

/// One sentence.
#[derive(Debug)]
pub struct Sentence {
    /// The turn's place in [`Reading::turns`].
    pub turn: usize,
    /// Its bytes in the turn's text.
    pub range: Range<usize>,
    /// The numbers of its word pieces. Never empty.
    pub pieces: Vec<u32>,
}

/// Sentences are read up to here; longer ones were cut before, except where they have no blanks.
const MOST_PIECES: usize = 64;

/// Words that say next to nothing. Shortness is no sign: "want to die" has three words, and "yes" may answer a question
/// about suicide.
const FILLERS: [&str; 34] = [
    "ok", "okay", "okey", "k", "kk", "alright", "thanks", "thank", "you", "thankyou", "ty", "thx", "cheers", "hm",
    "hmm", "mm", "mhm", "oh", "ah", "i", "see", "got", "it", "noted", "for", "that", "this", "is", "much", "very",
    "so", "sure", "again", "welcome",
];

/// Whether a turn has nothing but such words, and few of them.
fn is_filler(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_known = |word: &str| FILLERS.iter().any(|filler| filler.eq_ignore_ascii_case(word));
    words.by_ref().take(4).all(is_known) && words.next().is_none()
}

/// Fewer words than this are no reply to speak of.
const FEWEST_WORDS: usize = 3;

/// Whether any reply is one in a language: some words in an order, most of them known, and not the person's own message again.
fn says_something(said: &[Turn]) -> bool {
    let mut asked = String::new();
    for turn in said {
        let words = language::words(&turn.text).join(" ");
        match turn.speaker {
            Speaker::Human => asked = words,
            Speaker::Ai if words == asked => {}
            Speaker::Ai if text::is_garbled(&turn.text) => {}
            Speaker::Ai if language::is_language(&turn.text, FEWEST_WORDS) => return true,
            Speaker::Ai => {}
        }
    }
    false
}

impl<'a> Reading<'a> {
    /// Reads a chat.
    pub fn new(transcript: &'a Transcript, vocabulary: &Vocabulary) -> Self {
        Self::so_far(transcript.turns(), vocabulary)
    }

    /// Reads the turns of a chat that may go on; there must be one.
    pub fn so_far(said: &'a [Turn], vocabulary: &Vocabulary) -> Self {
        let mut reading = Self { said, turns: Vec::new(), sentences: Vec::new(), says_something: false };
        for (place, turn) in said.iter().enumerate() {
            let first = reading.sentences.len();
            for range in sentences(&turn.text) {
                let mut pieces = vocabulary.pieces(&turn.text[range.clone()]);
                pieces.truncate(MOST_PIECES);
                if pieces.is_empty() {
                    pieces.push(0);
                }
                reading.sentences.push(Sentence { turn: place, range, pieces });
            }
            if reading.sentences.len() == first {
                reading.sentences.push(Sentence { turn: place, range: 0..0, pieces: vec![0] });
            }
            let is_brief = is_filler(&turn.text);
            let sentences = first..reading.sentences.len();
            reading.turns.push(ReadTurn { speaker: turn.speaker, sentences, is_brief });
        }
        reading.says_something = says_something(said);
        reading
    }

    /// Whether any reply has more than a word, a copy of the person's message or noise in it.
    pub fn says_something(&self) -> bool {
        self.says_something
    }

    /// The text of a turn.
    pub fn text(&self, turn: usize) -> &'a str {
        &self.said[turn].text
    }

    /// The words of a sentence, verbatim.
    pub fn words(&self, sentence: usize) -> &'a str {
        let sentence = &self.sentences[sentence];
        &self.text(sentence.turn)[sentence.range.clone()]
    }

    /// The places of a speaker's turns that have words in them.
    pub fn spoken_turns_of(&self, speaker: Speaker) -> impl Iterator<Item = usize> + '_ {
        self.turns_of(speaker).filter(|&turn| !self.text(turn).trim().is_empty())
    }

    /// The places of a speaker's turns.
    pub fn turns_of(&self, speaker: Speaker) -> impl Iterator<Item = usize> + '_ {
        self.turns.iter().enumerate().filter(move |(_, turn)| turn.speaker == speaker).map(|(place, _)| place)
    }
}
