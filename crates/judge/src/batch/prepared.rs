//! Answers at hand for the questions of one chat, so that these need not be asked directly.

use std::collections::HashMap;

use super::id::Digest;
use super::{CustomId, Entry, Fate, Item};
use crate::wire::{Question, Response};

/// The answers to a chat's first questions, as far as a batch brought them.
///
/// Every answer is used once, for exactly the question it was given to; all other questions are asked directly.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    expected: HashMap<CustomId, Digest>,
    answers: HashMap<Digest, Response>,
}

impl Prepared {
    /// Room for the answers to a chat's requests.
    pub fn awaiting(entries: &[Entry]) -> Self {
        let expected = entries.iter().map(|entry| (entry.id.clone(), entry.digest.clone())).collect();
        Self { expected, answers: HashMap::new() }
    }

    /// Takes what became of a request; false if the request is not one of this chat's, or was taken before.
    pub fn put(&mut self, item: Item) -> bool {
        let Some(digest) = self.expected.remove(&item.id) else { return false };
        if let Fate::Asked(asking) = item.fate {
            self.answers.insert(digest, asking.response);
        }
        true
    }

    /// Whether something became of every request.
    pub fn is_complete(&self) -> bool {
        self.expected.is_empty()
    }

    /// How many questions have an answer at hand.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// The answer to a question, once.
    pub(crate) fn take(&mut self, question: &Question) -> Option<Response> {
        // Most chats are asked directly, and a digest of a whole chat is not free.
        if self.answers.is_empty() {
            return None;
        }
        self.answers.remove(&Digest::new(question))
    }
}
