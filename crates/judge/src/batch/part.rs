//! Requests cut into parts that a provider takes, one part in memory at a time.

use std::collections::HashSet;

use bytes::Bytes;
use carelock_core::verdict::Tokens;
use serde::Serialize;
use serde_json::Value;

use super::{CustomId, Entry, PartKey};
use crate::outcome::Usage;
use crate::prompt::estimate_tokens;
use crate::provider::{BatchTerms, Cost, Resolved, Wire};
use crate::wire::{CallTarget, to_request};

/// Requests that are sent together.
#[derive(Clone, Debug)]
pub struct Part {
    pub(super) key: PartKey,
    pub(super) ids: Vec<CustomId>,
    /// What is sent, in the provider's format.
    pub(super) payload: Bytes,
    estimate: Cost,
}

impl Part {
    /// Its name, to be stored before it is sent.
    pub fn key(&self) -> &PartKey {
        &self.key
    }

    /// The names of its requests.
    pub fn ids(&self) -> &[CustomId] {
        &self.ids
    }

    /// The most it is expected to cost, where prices are known: the longest answers, and nothing cached.
    pub fn estimate(&self) -> Cost {
        self.estimate
    }

    /// How many bytes are sent.
    pub fn bytes(&self) -> usize {
        self.payload.len()
    }
}

/// The requests of a chat that fit no part; they are asked directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The names of its requests.
    pub ids: Vec<CustomId>,
    /// Why.
    pub why: &'static str,
}

/// Cuts requests into parts: a chat's requests stay together, and nothing is read ahead of the part being made.
#[derive(Debug)]
pub struct Parts<'job, I> {
    resolved: &'job Resolved,
    terms: &'job BatchTerms,
    rounds: I,
    building: Building,
    /// A chat that did not fit the part before.
    over: Option<Round>,
}

impl<'job, I> Parts<'job, I> {
    pub(super) fn new(resolved: &'job Resolved, terms: &'job BatchTerms, rounds: I) -> Self {
        Self { resolved, terms, rounds, building: Building::new(resolved.provider.wire), over: None }
    }

    /// What was built so far.
    fn finish(&mut self) -> Option<Part> {
        std::mem::replace(&mut self.building, Building::new(self.resolved.provider.wire)).finish()
    }
}

/// The requests of one chat as they are sent.
#[derive(Debug)]
struct Round {
    ids: Vec<CustomId>,
    lines: Vec<Vec<u8>>,
    estimate: Cost,
}

impl Round {
    fn bytes(&self) -> usize {
        // A line end or a comma each.
        self.lines.iter().map(|line| line.len() + 1).sum()
    }
}

impl<I: Iterator<Item = Vec<Entry>>> Iterator for Parts<'_, I> {
    type Item = Result<Part, LeftOut>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let round = match self.over.take() {
                Some(round) => round,
                None => match self.rounds.next() {
                    Some(entries) if entries.is_empty() => continue,
                    Some(entries) => self.round(&entries),
                    None => return self.finish().map(Ok),
                },
            };
            if self.building.check(&round, self.terms).is_ok() {
                self.building.add(round);
                continue;
            }
            if let Err(why) = Building::new(self.resolved.provider.wire).check(&round, self.terms) {
                return Some(Err(LeftOut { ids: round.ids, why }));
            }
            self.over = Some(round);
            return self.finish().map(Ok);
        }
    }
}

impl<I> Parts<'_, I> {
    fn round(&self, entries: &[Entry]) -> Round {
        let asked = CallTarget::from(self.resolved);
        let price = self.resolved.model.price.as_ref();
        let mut round = Round { ids: Vec::new(), lines: Vec::new(), estimate: Cost::ZERO };
        for entry in entries {
            let body = to_request(&entry.question, &asked, self.resolved.model.structured).body;
            round.lines.push(line(&entry.id, body, self.resolved.provider.wire));
            round.ids.push(entry.id.clone());
            if let Some(price) = price {
                let messages = entry.question.messages.iter().map(|message| estimate_tokens(&message.text));
                let input = (estimate_tokens(&entry.question.system) + messages.sum::<usize>()) as u64;
                let tokens = Tokens { input, cached: 0, output: u64::from(entry.question.max_tokens) };
                round.estimate = round.estimate + price.batch_cost(&Usage::from(tokens));
            }
        }
        round
    }
}

/// A request in OpenAI's words.
#[derive(Serialize)]
struct OpenAiLine<'a> {
    custom_id: &'a str,
    method: &'a str,
    url: &'a str,
    body: Value,
}

/// A request in Anthropic's words.
#[derive(Serialize)]
struct AnthropicLine<'a> {
    custom_id: &'a str,
    params: Value,
}

/// The call that every request of an OpenAI batch makes.
pub(super) const ENDPOINT: &str = "/v1/chat/completions";

fn line(id: &CustomId, body: Value, wire: Wire) -> Vec<u8> {
    let custom_id = id.as_str();
    let line = match wire {
        Wire::OpenAiChat => serde_json::to_vec(&OpenAiLine { custom_id, method: "POST", url: ENDPOINT, body }),
        Wire::AnthropicMessages => serde_json::to_vec(&AnthropicLine { custom_id, params: body }),
    };
    // Names and JSON values always serialise; an empty line would only lose this one answer.
    line.unwrap_or_default()
}

/// A part in the making.
#[derive(Debug)]
struct Building {
    wire: Wire,
    ids: Vec<CustomId>,
    seen: HashSet<CustomId>,
    payload: Vec<u8>,
    estimate: Cost,
}

const OPENING: &[u8] = b"{\"requests\":[";
const CLOSING: &[u8] = b"]}";

impl Building {
    fn new(wire: Wire) -> Self {
        let payload = if wire == Wire::AnthropicMessages { OPENING.to_vec() } else { Vec::new() };
        Self { wire, ids: Vec::new(), seen: HashSet::new(), payload, estimate: Cost::ZERO }
    }

    /// Whether a chat's requests still fit.
    fn check(&self, round: &Round, terms: &BatchTerms) -> Result<(), &'static str> {
        if self.ids.len() + round.ids.len() > terms.requests {
            return Err("it takes more requests than a batch may have");
        }
        if self.payload.len() + round.bytes() + CLOSING.len() > terms.bytes {
            return Err("its requests are larger than a batch may be");
        }
        let mut own = HashSet::new();
        if round.ids.iter().any(|id| self.seen.contains(id) || !own.insert(id)) {
            return Err("two of its requests have the same name");
        }
        Ok(())
    }

    fn add(&mut self, round: Round) {
        for (id, line) in round.ids.into_iter().zip(round.lines) {
            if self.wire == Wire::AnthropicMessages && !self.ids.is_empty() {
                self.payload.push(b',');
            }
            self.payload.extend_from_slice(&line);
            if self.wire == Wire::OpenAiChat {
                self.payload.push(b'\n');
            }
            self.seen.insert(id.clone());
            self.ids.push(id);
        }
        self.estimate = self.estimate + round.estimate;
    }

    fn finish(mut self) -> Option<Part> {
        if self.ids.is_empty() {
            return None;
        }
        if self.wire == Wire::AnthropicMessages {
            self.payload.extend_from_slice(CLOSING);
        }
        let key = PartKey::of(&self.ids);
        Some(Part { key, ids: self.ids, payload: Bytes::from(self.payload), estimate: self.estimate })
    }
}
