//! Placeholders: which value has which, and the way back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization as _;

use super::{Kind, pattern};

/// A pattern in which `KIND` stands for the word of any kind.
fn of_any_kind(text: &str) -> Regex {
    let words: Vec<&str> = Kind::ALL.into_iter().map(Kind::word).collect();
    pattern(&text.replace("KIND", &format!("(?:{})", words.join("|"))))
}

/// A placeholder exactly as it is written.
static EXACT: LazyLock<Regex> = LazyLock::new(|| of_any_kind(r"\[KIND_[0-9]{1,9}[A-Z]{0,4}\]"));

/// A placeholder as a judge may write it: without brackets, in another case.
static LOOSE: LazyLock<Regex> = LazyLock::new(|| of_any_kind(r"(?i)(\[)?\b(KIND_[0-9]{1,9}[A-Z]{0,4})\b(\])?"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| of_any_kind(r"(?i)(KIND)_([0-9]{1,9})"));

/// One value and what stands for it.
#[derive(Clone, Debug)]
pub(super) struct BookEntry {
    pub(super) kind: Kind,
    pub(super) value: String,
    pub(super) placeholder: String,
}

/// All placeholders of a chat.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    reserved: BTreeSet<(String, u32)>,
    entries: Vec<BookEntry>,
    by_value: BTreeMap<(Kind, String), usize>,
    by_placeholder: BTreeMap<String, usize>,
    groups: BTreeMap<(Kind, String), (u32, u32)>,
    last: BTreeMap<Kind, u32>,
}

impl Book {
    /// An empty book that will not use a number which a text already has in something like a placeholder.
    pub(super) fn reserving<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut reserved = BTreeSet::new();
        for text in texts {
            for found in NUMBER.captures_iter(text) {
                reserved.extend(found[2].parse().ok().map(|number| (found[1].to_ascii_uppercase(), number)));
            }
        }
        Self { reserved, ..Self::default() }
    }

    /// The placeholder of a value.
    pub(super) fn placeholder(&mut self, kind: Kind, value: &str) -> &str {
        let key = (kind, value.to_owned());
        let place = match self.by_value.get(&key) {
            Some(place) => *place,
            None => {
                let placeholder = self.fresh(kind, value);
                self.by_placeholder.insert(placeholder.clone(), self.entries.len());
                self.by_value.insert(key, self.entries.len());
                self.entries.push(BookEntry { kind, value: value.to_owned(), placeholder });
                self.entries.len() - 1
            }
        };
        &self.entries[place].placeholder
    }

    /// A number of its own for a new value; a new spelling of a known one gets its number and a letter.
    fn fresh(&mut self, kind: Kind, value: &str) -> String {
        let group = (kind, same(kind, value));
        let (number, spelling) = match self.groups.get(&group) {
            Some(&(number, spellings)) => (number, spellings),
            None => (self.next_number(kind), 0),
        };
        self.groups.insert(group, (number, spelling + 1));
        format!("[{kind}_{number}{}]", letters(spelling))
    }

    fn next_number(&mut self, kind: Kind) -> u32 {
        let last = self.last.entry(kind).or_default();
        *last += 1;
        while self.reserved.contains(&(kind.word().to_owned(), *last)) {
            *last += 1;
        }
        *last
    }

    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = &BookEntry> {
        self.entries.iter()
    }

    /// How often each placeholder stands in the texts.
    pub(super) fn count<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let mut counts = vec![0; self.entries.len()];
        for text in texts {
            for found in EXACT.find_iter(text) {
                if let Some(place) = self.by_placeholder.get(found.as_str()) {
                    counts[*place] += 1;
                }
            }
        }
        counts
    }

    /// Puts the values back where exactly our placeholders stand.
    pub(super) fn restore(&self, text: &str) -> String {
        let value = |found: &Captures<'_>| self.value(&found[0]).unwrap_or(&found[0]).to_owned();
        EXACT.replace_all(text, value).into_owned()
    }

    /// Puts the values back in what a judge wrote.
    pub(super) fn restore_loosely(&self, text: &str) -> String {
        let value = |found: &Captures<'_>| {
            let inner = &found[2];
            let Some(value) = self.value(&format!("[{}]", inner.to_ascii_uppercase())) else {
                return found[0].to_owned();
            };
            // A bracket on one side only belongs to the sentence.
            match (found.get(1).is_some(), found.get(3).is_some()) {
                (true, false) => format!("[{value}"),
                (false, true) => format!("{value}]"),
                _ => value.to_owned(),
            }
        };
        LOOSE.replace_all(text, value).into_owned()
    }

    fn value(&self, placeholder: &str) -> Option<&str> {
        self.by_placeholder.get(placeholder).map(|place| self.entries[*place].value.as_str())
    }
}

/// Where texts that look like our placeholders stand: nothing inside them is ever replaced.
pub(super) fn standing(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    EXACT.find_iter(text).map(|found| found.range())
}

/// What spellings of one value have in common.
fn same(kind: Kind, value: &str) -> String {
    let folded: String = value.nfc().flat_map(char::to_lowercase).collect();
    match kind {
        Kind::Phone | Kind::Card | Kind::Id => folded.chars().filter(|c| c.is_alphanumeric()).collect(),
        _ => folded,
    }
}

/// Nothing for the first spelling, then B, C … Z, BA, BB …: digits of a number to the base of 26.
fn letters(spelling: u32) -> String {
    let mut rest = spelling;
    let mut letters = Vec::new();
    while rest > 0 {
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.into_iter().rev().collect()
}
