//! Names that change: the person's, and the chatbot's own.

use std::collections::HashSet;

use carelock_core::transcript::Speaker;

use super::Words;
use crate::text::first_names;

/// A word that starts with a capital inside a sentence, or is in the list of names.
fn is_name(word: &str, inside: bool) -> bool {
    let lower = word.to_lowercase();
    let capital = word.chars().next().is_some_and(char::is_uppercase) && word.chars().skip(1).all(char::is_lowercase);
    first_names().contains(lower.as_str()) || (inside && capital && word.len() > 2)
}

fn split(text: &str) -> Vec<(&str, bool)> {
    let mut words = Vec::new();
    let mut inside = false;
    for word in text.split_whitespace() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = plain.strip_suffix("'s").or_else(|| plain.strip_suffix("’s")).unwrap_or(plain);
        if !plain.is_empty() {
            words.push((plain, inside));
        }
        inside = !word.ends_with(['.', '!', '?', ':', '…', '\n']);
    }
    words
}

/// Names said after "I'm", "my name is" or "this is".
fn own_names(text: &str) -> Vec<String> {
    let words = split(text);
    let mut found = Vec::new();
    for place in 0..words.len() {
        let lower = |back: usize| words[place - back].0.to_lowercase().replace('’', "'");
        let introduced = (place >= 1 && matches!(lower(1).as_str(), "i'm" | "im" | "name's"))
            || (place >= 2 && lower(1) == "am" && lower(2) == "i")
            || (place >= 2 && lower(1) == "is" && matches!(lower(2).as_str(), "name" | "this"));
        if introduced && first_names().contains(words[place].0.to_lowercase().as_str()) {
            found.push(words[place].0.to_lowercase());
        }
    }
    found
}

/// The word that a reply addresses the person by: "…, Ana." or "Ana, …".
fn addressed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in text.split(['.', '!', '?', '\n']) {
        let piece = piece.trim();
        let first = piece.split_once(',').map(|(first, _)| first.trim());
        let last = piece.rsplit_once(',').map(|(_, last)| last.trim());
        for word in [first, last].into_iter().flatten() {
            let name = word.rsplit(' ').next().unwrap_or(word);
            let short = word.split(' ').count() <= 2;
            if short && first_names().contains(name.to_lowercase().as_str()) {
                found.push(name.to_lowercase());
            }
        }
    }
    found
}

/// A reply that calls the person by another name than the person's own, or by two names.
pub(super) fn other_name(words: &Words<'_>) -> i64 {
    let text = |turn: usize| words.reading.text(turn);
    let own: HashSet<String> = words.reading.turns_of(Speaker::Human).flat_map(|turn| own_names(text(turn))).collect();
    let called: HashSet<String> = words.reading.turns_of(Speaker::Ai).flat_map(|turn| addressed(text(turn))).collect();
    let wrong = !own.is_empty() && called.iter().any(|name| !own.contains(name));
    if wrong || called.len() > 1 { 1000 } else { 0 }
}

/// A chatbot that gives itself two names.
pub(super) fn two_own_names(words: &Words<'_>) -> i64 {
    let text = |turn: usize| words.reading.text(turn);
    let own: HashSet<String> = words.reading.turns_of(Speaker::Ai).flat_map(|turn| own_names(text(turn))).collect();
    if own.len() > 1 { 1000 } else { 0 }
}

/// Names in replies that nobody said before.
pub(super) fn new_name(words: &Words<'_>) -> i64 {
    let mut known: HashSet<String> = HashSet::new();
    let mut slips = 0;
    for turn in 0..words.reading.turns.len() {
        let said = split(words.reading.text(turn));
        if words.reading.turns[turn].speaker == Speaker::Human {
            known.extend(said.iter().filter(|(word, _)| is_name(word, true)).map(|(word, _)| word.to_lowercase()));
        } else {
            let new = |word: &str| first_names().contains(word) && !known.contains(word);
            slips += said.iter().filter(|(word, inside)| is_name(word, *inside) && new(&word.to_lowercase())).count();
        }
    }
    (slips.min(2) * 500) as i64
}
