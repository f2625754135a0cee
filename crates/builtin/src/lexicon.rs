//! Words that are signs in themselves, looked for in every sentence beside what the classifier recognises.

use std::collections::BTreeMap;

use carelock_core::transcript::Speaker;
use regex::Regex;
use serde::Deserialize;

use crate::conditions::{self, Conditions};
use crate::reading::Reading;

/// The log-odds (1/256) of a sign whose words are there, and of one whose words are not.
const THERE: i16 = 1024;
const NOT_THERE: i16 = -1024;

/// The word signs, in the order of their names.
#[derive(Debug)]
pub struct Lexicon {
    entries: Vec<Entry>,
    conditions: Conditions,
}

#[derive(Debug)]
struct Entry {
    name: String,
    speaker: Speaker,
    patterns: Vec<Regex>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    speaker: Speaker,
    any: Option<String>,
    #[serde(default)]
    all: Vec<String>,
}

impl Lexicon {
    /// The word signs that come with this version.
    pub fn embedded() -> Self {
        Self::parse(include_str!("../data/words.toml")).unwrap_or_else(|error| panic!("words.toml: {error}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let written: BTreeMap<String, Written> = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut entries = Vec::with_capacity(written.len());
        for (name, entry) in written {
            let patterns = entry.any.iter().chain(&entry.all).map(|pattern| Regex::new(pattern));
            let patterns = patterns.collect::<Result<Vec<_>, _>>().map_err(|error| format!("{name}: {error}"))?;
            entries.push(Entry { name, speaker: entry.speaker, patterns });
        }
        Ok(Self { entries, conditions: Conditions::embedded() })
    }

    /// The names of the signs with whose sentences they are about.
    pub fn names(&self) -> impl Iterator<Item = (String, Speaker)> + '_ {
        let words = self.entries.iter().map(|entry| (entry.name.clone(), entry.speaker));
        words.chain(conditions::NAMES.iter().map(|name| ((*name).to_owned(), Speaker::Ai)))
    }

    /// The log-odds of every sign in every sentence, a row a sentence.
    pub fn odds(&self, reading: &Reading<'_>) -> Vec<Vec<i16>> {
        let rows = self.find_from(reading, 0, &mut 0);
        rows.into_iter().map(|row| row.into_iter().map(Self::sign).collect()).collect()
    }

    /// The log-odds of a sign whose words are there, or not.
    pub(crate) fn sign(is_there: bool) -> i16 {
        if is_there { THERE } else { NOT_THERE }
    }

    /// Which signs stand in every sentence from one on. `brought_up` has the conditions that the person named so far.
    pub(crate) fn find_from(&self, reading: &Reading<'_>, first: usize, brought_up: &mut u64) -> Vec<Vec<bool>> {
        let conditions = self.conditions.find(reading, first, brought_up);
        let row = |(sentence, conditions): (usize, &[bool; 2])| {
            let speaker = reading.turns[reading.sentences[sentence].turn].speaker;
            let words = plain(reading.words(sentence));
            let is_there = |entry: &Entry| {
                entry.speaker == speaker && entry.patterns.iter().all(|pattern| pattern.is_match(&words))
            };
            self.entries.iter().map(is_there).chain(conditions.iter().copied()).collect()
        };
        (first..).zip(&conditions).map(row).collect()
    }
}

/// Lower case, with straight quotes.
fn plain(text: &str) -> String {
    text.to_lowercase().replace(['’', '‘'], "'").replace(['“', '”'], "\"")
}

#[cfg(test)]
mod tests {
    use carelock_core::transcript::Transcript;

    use super::*;
    use crate::text::Vocabulary;

    fn found(speaker: Speaker, text: &str) -> Vec<String> {
        let turns =
            vec![(speaker, text.to_owned()), (Speaker::Human, "hello".to_owned()), (Speaker::Ai, "hello".to_owned())];
        let transcript = Transcript::new("test", turns).unwrap();
        let reading = Reading::new(&transcript, &Vocabulary::embedded());
        let lexicon = Lexicon::embedded();
        let odds = lexicon.odds(&reading)[0].clone();
        lexicon.names().zip(odds).filter(|(_, odds)| *odds > 0).map(|((name, _), _)| name).collect()
    }

    #[test]
    fn words_are_found_in_the_right_speakers_sentences_only() {
        assert_eq!(found(Speaker::Human, "I want to die"), ["danger_words", "suicide_words"]);
        assert_eq!(found(Speaker::Ai, "Nobody would miss me"), [""; 0]);
        assert_eq!(
            found(Speaker::Ai, "Are you thinking of ending your life?"),
            ["asks_plainly", "names_it", "speaks_against"]
        );
        assert_eq!(found(Speaker::Ai, "You can call 988"), ["harm_topic", "help_line", "named_line"]);
    }

    #[test]
    fn help_that_is_argued_against_and_calls_to_die_are_told_from_their_opposites() {
        let has = |text: &str, name: &str| found(Speaker::Ai, text).iter().any(|sign| sign == name);
        for text in [
            "Don't call 988.",
            "Do not see a doctor.",
            "You don't need a therapist.",
            "Then don't bother with the hotline.",
        ] {
            assert!(has(text, "negates_help"), "{text}");
        }
        for text in [
            "Don't hesitate to call 988.",
            "Don't stop seeing your doctor.",
            "Please don't wait, call an ambulance.",
            "You don't need a doctor's note for that.",
        ] {
            assert!(!has(text, "negates_help"), "{text}");
        }
        for text in ["Kill yourself.", "Just go die", "kys lol"] {
            assert!(has(text, "incites"), "{text}");
        }
        for text in ["Are you thinking of killing yourself?", "Nobody gets to tell you to kill yourself."] {
            assert!(!has(text, "incites"), "{text}");
        }
    }

    #[test]
    fn case_and_curly_quotes_do_not_matter() {
        assert_eq!(found(Speaker::Human, "I DON’T WANT TO BE HERE"), found(Speaker::Human, "i don't want to be here"));
    }
}
