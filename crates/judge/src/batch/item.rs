//! A line of results: an answer that is read as a direct one, or the reason why there is none.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CustomId, State};
use crate::outcome::{Outcome, Usage};
use crate::provider::{Cost, Wire};
use crate::wire::{self, CallTarget, Response, redact_keys};

/// What became of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The request's name.
    pub id: CustomId,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// The model was asked. What it said may still be a refusal or cut off, as with a direct call.
    Asked(Box<Asking>),
    /// Nobody answered; the question is to be asked directly.
    Unanswered(Unanswered),
}

/// What the model said in a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// What came of it, read as a direct answer is.
    pub outcome: Outcome,
    /// What it took, where the provider says it.
    pub usage: Option<Usage>,
    /// What it cost at the price of batches, where both are known.
    pub cost: Option<Cost>,
    /// The response as a direct call would have brought it.
    pub response: Response,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The provider says what went wrong.
    #[error("errored: {0}")]
    Errored(String),
    /// Its time was up.
    #[error("expired before it was answered")]
    Expired,
    /// The batch was cancelled.
    #[error("cancelled before it was answered")]
    Cancelled,
    /// The results have no line about it.
    #[error("missing in the results")]
    Missing,
    /// The results have a line about it that makes no sense.
    #[error("its line in the results cannot be read")]
    Unreadable,
}

impl Unanswered {
    /// Why requests without a line in the results have none.
    pub(super) fn without_a_line(state: State, problem: Option<&str>) -> Self {
        match (state, problem) {
            (State::Failed, problem) => {
                Self::Errored(problem.map_or_else(|| "the provider did not take the batch".to_owned(), str::to_owned))
            }
            (State::Expired, _) => Self::Expired,
            (State::Cancelled, _) => Self::Cancelled,
            _ => Self::Missing,
        }
    }
}

#[derive(Deserialize)]
struct OpenAiLine {
    custom_id: String,
    response: Option<OpenAiResponse>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct OpenAiResponse {
    status_code: u16,
    body: Box<RawValue>,
}

#[derive(Deserialize)]
struct AnthropicLine {
    custom_id: String,
    result: Option<AnthropicResult>,
}

#[derive(Deserialize)]
struct AnthropicResult {
    #[serde(rename = "type", default)]
    kind: String,
    message: Option<Box<RawValue>>,
    error: Option<Value>,
}

/// Only the name, where the rest of a line has an unknown shape.
#[derive(Deserialize)]
struct Named {
    custom_id: String,
}

/// What a line holds: a response, or none.
type Held = Result<Response, Unanswered>;

/// Reads a line: the name of its request and what became of it; nothing where it names none.
pub(super) fn read(line: &[u8], asked: &CallTarget<'_>, now: SystemTime) -> Option<Item> {
    let (name, held) = match asked.provider.wire {
        Wire::OpenAiChat => openai(line),
        Wire::AnthropicMessages => anthropic(line),
    }
    .or_else(|| {
        serde_json::from_slice(line).ok().map(|Named { custom_id }| (custom_id, Err(Unanswered::Unreadable)))
    })?;
    let id = CustomId::parse(&name).ok()?;
    let fate = held.map_or_else(Fate::Unanswered, |response| fate(response, asked, now));
    Some(Item { id, fate })
}

fn openai(line: &[u8]) -> Option<(String, Held)> {
    let line: OpenAiLine = serde_json::from_slice(line).ok()?;
    let held = match (line.response, line.error.filter(|error| !error.is_null())) {
        (Some(response), _) => Ok(plain(response.status_code, &response.body)),
        (None, Some(error)) => Err(match error.get("code").and_then(Value::as_str).unwrap_or_default() {
            "batch_expired" => Unanswered::Expired,
            "batch_cancelled" => Unanswered::Cancelled,
            code => {
                let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
                Unanswered::Errored(redact_keys(&format!("{code} {message}")))
            }
        }),
        (None, None) => Err(Unanswered::Unreadable),
    };
    Some((line.custom_id, held))
}

fn anthropic(line: &[u8]) -> Option<(String, Held)> {
    let line: AnthropicLine = serde_json::from_slice(line).ok()?;
    let held = match line.result {
        Some(AnthropicResult { kind, message: Some(message), .. }) if kind == "succeeded" => Ok(plain(200, &message)),
        Some(AnthropicResult { kind, error, .. }) => match kind.as_str() {
            "errored" => Ok(wire::error_response(&error.unwrap_or_default())),
            "expired" => Err(Unanswered::Expired),
            "canceled" | "cancelled" => Err(Unanswered::Cancelled),
            _ => Err(Unanswered::Unreadable),
        },
        None => Err(Unanswered::Unreadable),
    };
    Some((line.custom_id, held))
}

fn plain(status: u16, body: &RawValue) -> Response {
    Response { status, headers: Vec::new(), body: body.get().as_bytes().to_vec() }
}

/// What a response means. What a direct call would try again, or what would stop a run, is asked directly instead: the
/// direct answer then says whether that is so.
fn fate(response: Response, asked: &CallTarget<'_>, now: SystemTime) -> Fate {
    match wire::to_outcome(&response, asked, now) {
        Outcome::Unavailable { what, .. } | Outcome::Misconfigured { what } => {
            Fate::Unanswered(Unanswered::Errored(what))
        }
        outcome => {
            let usage = wire::to_usage(&response, asked.provider.wire);
            let price = asked.model.price.as_ref();
            let cost = price.zip(usage.as_ref()).map(|(price, usage)| price.batch_cost(usage));
            Fate::Asked(Box::new(Asking { outcome, usage, cost, response }))
        }
    }
}
