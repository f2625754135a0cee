//! Pairs of chats that are alike but for one check: has the judge seen the difference?

use carelock_statistics::{Bootstrap, Estimate, proportion};
use indexmap::IndexMap;
use serde::Serialize;

use super::Two;
use super::checks::class;

/// Pairs of chats of which one passes a check and the other fails it.
#[derive(Debug, Serialize)]
pub(super) struct Pairs {
    /// How many pairs there are of which the judge has both chats.
    pub(super) pairs: u64,
    /// How many of them have both chats right.
    pub(super) both_right: u64,
    /// The share of the two.
    pub(super) share: Estimate,
    /// Pairs of which the judge lacks a chat.
    pub(super) incomplete: u64,
    /// The pairs that are not right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) wrong: Vec<String>,
}

impl Pairs {
    /// Nothing where the reference has no pairs.
    pub(super) fn new(two: &Two<'_>, bootstrap: &Bootstrap) -> Option<Self> {
        // For each pair, whether each of its chats is right.
        let mut pairs: IndexMap<&str, Vec<bool>> = IndexMap::new();
        for (reference, judge) in two.chats() {
            let Some(pair) = reference.pair.as_deref() else { continue };
            let labelled = reference.outcomes.iter().zip(&judge.outcomes).filter(|(label, _)| label.is_some());
            let right = labelled.fold(true, |right, (label, said)| right && class(*label) == class(*said));
            pairs.entry(pair).or_default().push(right);
        }
        if pairs.is_empty() {
            return None;
        }
        let whole = pairs.values().filter(|chats| chats.len() == 2).count() as u64;
        let is_right = |chats: &&Vec<bool>| chats.len() == 2 && chats.iter().all(|right| *right);
        let both_right = pairs.values().filter(is_right).count() as u64;
        let wrong = pairs.iter().filter(|(_, chats)| chats.len() == 2 && !is_right(chats));
        Some(Self {
            pairs: whole,
            both_right,
            share: proportion(both_right, whole, bootstrap),
            incomplete: pairs.len() as u64 - whole,
            wrong: wrong.map(|(pair, _)| (*pair).to_owned()).collect(),
        })
    }
}
