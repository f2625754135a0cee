//! Names that were learned, and every place where they stand.

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::Kind;
use super::find::{Claims, is_word};
use super::words::{is_also_a_word, is_ordinary, is_role};

/// The names learned so far, in lower case, and whether they count only where they are capitalised.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<String, bool>,
}

impl Names {
    /// The names in labels and in what the user gave.
    pub(super) fn from_labels(labels: &[String]) -> Self {
        let mut names = Self::default();
        for label in labels {
            for word in words(label).map(|range| &label[range]).filter(|word| !is_role(word)) {
                if word.chars().count() > 1 && word.chars().any(char::is_alphabetic) {
                    names.known.insert(folded(word), false);
                }
            }
        }
        names
    }

    /// Learns a word as a name, unless it cannot be one.
    pub(super) fn add(&mut self, word: &str, only_capitalised: bool) {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters > 1 && word.chars().count() <= 40 && !is_ordinary(word) {
            let only = self.known.entry(folded(word)).or_insert(only_capitalised);
            *only &= only_capitalised;
        }
    }

    /// Claims every word that is a name: as a whole, before a possessive, or as a part joined by a hyphen.
    pub(super) fn claim(&self, text: &str, claims: &mut Claims) {
        if self.known.is_empty() {
            return;
        }
        // Where words are written without spaces, a name stands inside of what looks like one word.
        for name in self.known.keys().filter(|name| name.chars().count() > 1 && name.chars().all(is_unspaced)) {
            for (start, _) in text.match_indices(name.as_str()) {
                claims.claim(start..start + name.len(), Kind::Name);
            }
        }
        for range in words(text) {
            let bare = without_possessive(&text[range.clone()]);
            let whole = range.start..range.start + bare.len();
            if self.is_name(&text[whole.clone()]) {
                claims.claim(whole, Kind::Name);
                continue;
            }
            for part in parts(text, whole) {
                if self.is_name(&text[part.clone()]) {
                    claims.claim(part, Kind::Name);
                }
            }
        }
    }

    fn is_name(&self, word: &str) -> bool {
        let folded = folded(word);
        let Some(&only_capitalised) = self.known.get(&folded) else { return false };
        // "Hope" is a name and "hope" a word; of two letters neither "al" nor "AL" says much.
        let mut letters = word.chars();
        let capitalised = letters.next().is_some_and(char::is_uppercase) && !letters.any(char::is_uppercase);
        let caseless = !word.chars().any(|c| c.is_uppercase() || c.is_lowercase());
        let mixed = word.contains(['-', '\'', '’']) && word.chars().next().is_some_and(char::is_uppercase);
        let any_case = !only_capitalised && folded.chars().count() > 2 && !is_also_a_word(&folded);
        capitalised || caseless || mixed || any_case
    }
}

/// Whether a letter belongs to a script that puts no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

fn folded(word: &str) -> String {
    word.nfc().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

/// The words of a text; hyphens and apostrophes inside belong to them.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.by_ref().find(|(_, c)| is_word(*c))?;
        let mut end = start + first.len_utf8();
        while let Some(&(place, c)) = chars.peek() {
            let inner = is_word(c) || (is_joint(c) && text[place + c.len_utf8()..].chars().next().is_some_and(is_word));
            if !inner {
                break;
            }
            end = place + c.len_utf8();
            chars.next();
        }
        Some(start..end)
    })
}

fn is_joint(c: char) -> bool {
    matches!(c, '-' | '\'' | '’' | '‑')
}

pub(super) fn without_possessive(word: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word)
}

/// The pieces between hyphens and apostrophes.
fn parts(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = range.start;
    let mut from = 0;
    text[range].split(is_joint).map(move |part| {
        let piece = start + from..start + from + part.len();
        let joint = text[piece.end..].chars().next().map_or(0, char::len_utf8);
        from += part.len() + joint;
        piece
    })
}
