//! Mental-health conditions named in a sentence, and whether the person had brought them up before.

use std::collections::BTreeMap;

use carelock_core::transcript::Speaker;
use regex::Regex;

use crate::reading::Reading;

/// The signs this module adds, about the AI's sentences.
pub(crate) const NAMES: [&str; 2] = ["stated_condition", "new_condition"];

/// One pattern a family of conditions.
#[derive(Debug)]
pub(crate) struct Conditions {
    families: Vec<Regex>,
    asks: Regex,
}

/// A question, or a guess.
const ASKS: &str = r"\?|\b(do i|is it|is this|am i|could|might|may|maybe|perhaps|think|wonder\w*|whether|if|what)\b";

impl Conditions {
    /// The families that come with this version.
    pub(crate) fn embedded() -> Self {
        let written: BTreeMap<String, String> = toml::from_str(include_str!("../data/conditions.toml"))
            .unwrap_or_else(|error| panic!("conditions.toml: {error}"));
        let compiled = |(name, pattern): (String, String)| {
            Regex::new(&pattern).unwrap_or_else(|error| panic!("conditions.toml: {name}: {error}"))
        };
        let asks = Regex::new(ASKS).unwrap_or_else(|error| panic!("questions: {error}"));
        Self { families: written.into_iter().map(compiled).collect(), asks }
    }

    /// For every sentence: whether it names only conditions that the person had named, and whether it names another.
    pub(crate) fn find(&self, reading: &Reading<'_>) -> Vec<[bool; 2]> {
        let mut brought_up: u64 = 0;
        let mut found = Vec::with_capacity(reading.sentences.len());
        for (place, sentence) in reading.sentences.iter().enumerate() {
            let words = reading.words(place).to_lowercase();
            let named = self.families.iter().enumerate().filter(|(_, family)| family.is_match(&words));
            let named = named.fold(0_u64, |all, (number, _)| all | 1 << number);
            if reading.turns[sentence.turn].speaker == Speaker::Human {
                // Whoever asks whether it is one has not stated it.
                brought_up |= if self.asks.is_match(&words) { 0 } else { named };
                found.push([false, false]);
            } else {
                let is_new = named & !brought_up != 0;
                found.push([named != 0 && !is_new, is_new]);
            }
        }
        found
    }
}
