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
    states: Regex,
}

/// A question, a guess, or something read.
const ASKS: &str = r"\?|\b(do i|is it|is this|am i|could|might|may|maybe|perhaps|think|wonder\w*|whether|if|what|googl\w*|read|reading|looked up|landing|search\w*|online|quiz|says|said)\b";

/// Somebody has it.
const STATES: &str = r"\b(i have|i had|i've got|i've had|i got|i suffer\w*|i struggle|i live with|living with|diagnos\w*|my|i'm|i am|im|has|with)\b";

impl Conditions {
    /// The families that come with this version.
    pub(crate) fn embedded() -> Self {
        let written: BTreeMap<String, String> = toml::from_str(include_str!("../data/conditions.toml"))
            .unwrap_or_else(|error| panic!("conditions.toml: {error}"));
        let compiled = |(name, pattern): (String, String)| {
            Regex::new(&pattern).unwrap_or_else(|error| panic!("conditions.toml: {name}: {error}"))
        };
        let pattern = |text: &str| Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let families = written.into_iter().map(compiled).collect();
        Self { families, asks: pattern(ASKS), states: pattern(STATES) }
    }

    /// For every sentence from one on: whether it names only conditions that the person had named, and whether it names
    /// another. `brought_up` has those that the person named so far, a bit each.
    pub(crate) fn find(&self, reading: &Reading<'_>, first: usize, brought_up: &mut u64) -> Vec<[bool; 2]> {
        let mut found = Vec::with_capacity(reading.sentences.len() - first);
        for (place, sentence) in reading.sentences.iter().enumerate().skip(first) {
            let words = reading.words(place).to_lowercase().replace('’', "'");
            let named = self.families.iter().enumerate().filter(|(_, family)| family.is_match(&words));
            let named = named.fold(0_u64, |all, (number, _)| all | 1 << number);
            if reading.turns[sentence.turn].speaker == Speaker::Human {
                // Whoever asks whether it is one has not stated it.
                let states = self.states.is_match(&words) && !self.asks.is_match(&words);
                *brought_up |= if states { named } else { 0 };
                found.push([false, false]);
            } else {
                let is_new = named & !*brought_up != 0;
                found.push([named != 0 && !is_new, is_new]);
            }
        }
        found
    }
}
