//! Words that are signs in themselves, looked for in every sentence beside what the classifier recognises.

use std::collections::BTreeMap;

use carelock_core::transcript::Speaker;
use regex::Regex;
use serde::Deserialize;

use crate::reading::Reading;

/// The log-odds (1/256) of a sign whose words are there, and of one whose words are not.
const THERE: i16 = 1024;
const NOT_THERE: i16 = -1024;

/// The word signs, in the order of their names.
#[derive(Debug)]
pub struct Lexicon {
    entries: Vec<Entry>,
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
        Ok(Self { entries })
    }

    /// The names of the signs with whose sentences they are about.
    pub fn names(&self) -> impl Iterator<Item = (String, Speaker)> + '_ {
        self.entries.iter().map(|entry| (entry.name.clone(), entry.speaker))
    }

    /// How many signs there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The log-odds of every sign in one sentence.
    pub fn odds<'a>(&'a self, reading: &'a Reading<'_>, sentence: usize) -> impl Iterator<Item = i16> + 'a {
        let speaker = reading.turns[reading.sentences[sentence].turn].speaker;
        let words = plain(reading.words(sentence));
        self.entries.iter().map(move |entry| {
            let is_there = entry.speaker == speaker && entry.patterns.iter().all(|pattern| pattern.is_match(&words));
            if is_there { THERE } else { NOT_THERE }
        })
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
        let odds: Vec<i16> = lexicon.odds(&reading, 0).collect();
        lexicon.names().zip(odds).filter(|(_, odds)| *odds > 0).map(|((name, _), _)| name).collect()
    }

    #[test]
    fn words_are_found_in_the_right_speakers_sentences_only() {
        assert_eq!(found(Speaker::Human, "I want to die"), ["suicide_words"]);
        assert_eq!(found(Speaker::Ai, "Nobody would miss me"), [""; 0]);
        assert_eq!(found(Speaker::Ai, "Are you thinking of ending your life?"), ["asks_plainly", "names_it"]);
        assert_eq!(found(Speaker::Ai, "You can call 988"), ["help_line"]);
    }

    #[test]
    fn case_and_curly_quotes_do_not_matter() {
        assert_eq!(found(Speaker::Human, "I DON’T WANT TO BE HERE"), found(Speaker::Human, "i don't want to be here"));
    }
}
