//! A model that talks: one side of a chat, with the same keys, limits, retries and budget as a judge.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::failure::Failure;
use super::{Budget, lock};
use crate::http::{Caller, Lane, Transport};
use crate::outcome::{Outcome, Usage};
use crate::prompt::estimate_tokens;
use crate::provider::{Cost, JudgeSpec, Resolved};
use crate::wire::{self, Chat, Response};

/// A model that can be talked with.
pub struct Talker<T> {
    spec: JudgeSpec,
    resolved: Resolved,
    lane: Lane,
    caller: Arc<Caller<T>>,
    budget: Arc<Budget>,
    clock: fn() -> SystemTime,
}

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The words.
    pub text: String,
    /// What they cost, where that is known.
    pub cost: Cost,
}

impl<T: Transport> Talker<T> {
    /// Puts a talker together.
    pub fn new(
        spec: JudgeSpec,
        resolved: Resolved,
        lane: Lane,
        caller: Arc<Caller<T>>,
        budget: Arc<Budget>,
        clock: fn() -> SystemTime,
    ) -> Self {
        Self { spec, resolved, lane, caller, budget, clock }
    }

    /// Its name as it was asked for.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// Where and what it is.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// What it says next. `key` names this call for servers that keep from doing the same twice.
    pub async fn say(&self, chat: &Chat, key: &str) -> Result<Said, Failure> {
        let price = self.resolved.model.price.as_ref();
        let asked = wire::CallTarget::from(&self.resolved);
        let words = chat.system.iter().chain(chat.messages.iter().map(|message| &message.text));
        let prompt = words.map(|text| estimate_tokens(text) as u64).sum();
        let reserved = self.budget.reserve(price, prompt, u64::from(chat.max_tokens)).map_err(Failure::CostCap)?;
        let mut request = wire::to_chat_request(chat, &asked);
        request.headers.push(("idempotency-key", key.to_owned()));
        let usage: Mutex<Option<Usage>> = Mutex::default();
        let classify = |response: &Response| {
            if let Some(used) = wire::to_usage(response, self.resolved.provider.wire) {
                *lock(&usage) = Some(used);
            }
            let outcome = wire::to_outcome(response, &asked, (self.clock)());
            if wire::money_is_spent(response) && matches!(outcome, Outcome::Misconfigured { .. }) {
                self.lane.close(outcome.clone());
            }
            outcome
        };
        let (outcome, _) = self.caller.call(&self.lane, &request, classify).await;
        let used = (*lock(&usage)).unwrap_or_else(|| guessed(&outcome, prompt));
        let cost = reserved.settle(price, &used);
        match outcome {
            Outcome::Answered(reply) => Ok(Said { text: reply.text, cost }),
            other => Err(Failure::new(other).unwrap_or_else(|| Failure::Invalid("the reply was lost".to_owned()))),
        }
    }
}

/// What a reply must have taken, where the server does not say.
fn guessed(outcome: &Outcome, prompt: u64) -> Usage {
    let Outcome::Answered(reply) = outcome else { return Usage::default() };
    let output = estimate_tokens(&reply.text) as u64;
    Usage::from(carelock_core::verdict::Tokens { input: prompt, cached: 0, output })
}
