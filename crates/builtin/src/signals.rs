//! Signals of gates: how likely one sentence does what a gate is about, from a few named terms with fixed signs.

use carelock_core::transcript::Speaker;
use serde::Deserialize;

use crate::features::{Heads, Seen};
use crate::signs::probability;

/// Decimal numbers of the data files as thousandths.
pub(crate) fn thousandths(number: f64) -> i64 {
    (number * 1000.0).round() as i64
}

/// Log-odds beyond this (thousandths) say nothing more.
const MOST_ODDS: i64 = 6000;

/// How likely a sentence does something, as a sum of log-odds.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    speaker: Speaker,
    start: i64,
    /// By how much two sentences outweigh the weaker of them alone, where they do.
    two_add: Option<i64>,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
struct Term {
    name: String,
    head: usize,
    scope: Scope,
    weight: i64,
}

/// Where a term looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// In the sentence itself.
    Sentence,
    /// In any sentence of its turn.
    Turn,
    /// In the other's last turn before it.
    Before,
    /// In any of the person's turns before it.
    SoFar,
}

/// A signal as `checks.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenSignal {
    speaker: Speaker,
    start: f64,
    two_add: Option<f64>,
    terms: std::collections::BTreeMap<String, f64>,
}

/// One term of a signal in one sentence, for explanations.
pub(crate) struct TermValue<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: i64,
    pub(crate) weight: i64,
}

impl Signal {
    pub(crate) fn parse(written: &WrittenSignal, heads: &Heads) -> Result<Self, String> {
        let mut terms = Vec::new();
        for (name, &weight) in &written.terms {
            let endings = [(" in the turn", Scope::Turn), (" before", Scope::Before), (" so far", Scope::SoFar)];
            let found = endings.iter().find_map(|&(ending, scope)| Some((name.strip_suffix(ending)?, scope)));
            let (head, scope) = found.unwrap_or((name, Scope::Sentence));
            let head = heads.place(head).ok_or_else(|| format!("no head is called {head}"))?;
            terms.push(Term { name: name.clone(), head, scope, weight: thousandths(weight) });
        }
        let two_add = written.two_add.map(thousandths);
        Ok(Self { speaker: written.speaker, start: thousandths(written.start), two_add, terms })
    }

    /// Whose sentences it looks at.
    pub(crate) fn speaker(&self) -> Speaker {
        self.speaker
    }

    /// What is added in any case, in thousandths.
    pub(crate) fn start(&self) -> i64 {
        self.start
    }

    /// The log-odds of a sentence, in thousandths.
    pub(crate) fn odds(&self, seen: &Seen<'_>, sentence: usize) -> i64 {
        let sum: i64 = self.terms.iter().map(|term| term.weight * term.value(seen, sentence)).sum();
        self.start + sum / 1000
    }

    /// The terms in a sentence, for explanations.
    pub(crate) fn terms(&self, seen: &Seen<'_>, sentence: usize) -> impl Iterator<Item = TermValue<'_>> {
        let values: Vec<i64> = self.terms.iter().map(|term| term.value(seen, sentence)).collect();
        let named = self.terms.iter().zip(values);
        named.map(|(term, value)| TermValue { name: &term.name, value, weight: term.weight })
    }

    /// The likeliest sentence of some turns, the first of equals, with its probability (thousandths).
    pub(crate) fn strongest(&self, seen: &Seen<'_>, turns: impl Iterator<Item = usize>) -> Option<(usize, i64)> {
        let (sentence, odds, _) = self.two_strongest(seen, turns)?;
        Some((sentence, chance(odds)))
    }

    /// The likeliest sentence of some turns, with how likely they have what the signal looks for: one sentence that shows it, or
    /// two that each show it a little less.
    pub(crate) fn strength(&self, seen: &Seen<'_>, turns: impl Iterator<Item = usize>) -> Option<(usize, i64)> {
        let (sentence, odds, second) = self.two_strongest(seen, turns)?;
        let of_two = self.two_add.and_then(|add| Some(second? + add));
        Some((sentence, chance(of_two.map_or(odds, |of_two| of_two.max(odds)))))
    }

    /// The likeliest sentence with its log-odds, and the log-odds of the second likeliest.
    fn two_strongest(&self, seen: &Seen<'_>, turns: impl Iterator<Item = usize>) -> Option<(usize, i64, Option<i64>)> {
        let mut best: Option<(usize, i64, Option<i64>)> = None;
        for turn in turns.filter(|&turn| seen.reading.turns[turn].speaker == self.speaker) {
            for sentence in seen.reading.turns[turn].sentences.clone() {
                let odds = self.odds(seen, sentence);
                best = match best {
                    None => Some((sentence, odds, None)),
                    Some((_, first, _)) if odds > first => Some((sentence, odds, Some(first))),
                    Some((strongest, first, second)) => {
                        let second = second.map_or(odds, |second: i64| second.max(odds));
                        Some((strongest, first, Some(second)))
                    }
                };
            }
        }
        best
    }
}

/// From log-odds in thousandths to a probability in thousandths.
pub(crate) fn chance(odds: i64) -> i64 {
    i64::from(probability((odds * 256 / 1000).clamp(-8000, 8000) as i16))
}

impl Term {
    /// Log-odds of an act in thousandths; of words, a thousand where they are there and nothing where not.
    fn value(&self, seen: &Seen<'_>, sentence: usize) -> i64 {
        let turn = seen.reading.sentences[sentence].turn;
        let odds = match self.scope {
            Scope::Sentence => Some(i64::from(seen.signs.odds_in_sentence(sentence, self.head))),
            Scope::Turn => Some(i64::from(seen.signs.odds_in_turn(turn, self.head))),
            Scope::Before => seen.turn_before(turn).map(|turn| i64::from(seen.signs.odds_in_turn(turn, self.head))),
            Scope::SoFar => Some(i64::from(seen.signs.odds_so_far(turn, self.head))),
        };
        if seen.heads.is_word(self.head) {
            return if odds.is_some_and(|odds| odds > 0) { 1000 } else { 0 };
        }
        odds.unwrap_or(-MOST_ODDS).clamp(-MOST_ODDS, MOST_ODDS)
    }
}
