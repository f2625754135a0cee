//! Wire formats: a question to a request, a response to an outcome. No IO.

mod anthropic;
mod body;
mod chat;
mod error_body;
mod failure;
mod fallback;
mod openai_chat;
mod retry;
mod schema;

use std::time::SystemTime;

use serde_json::{Map, Value};

pub use crate::redact_keys::redact_keys;
pub use chat::{Chat, to_chat_request};
pub use fallback::next_mechanism;
pub use retry::{Allowance, Limits};

use crate::outcome::{Outcome, Usage};
use crate::provider::{ModelInfo, ProviderInfo, Resolved, StructuredOutput, Wire};

/// The name under which the answer's schema is sent.
const SCHEMA_NAME: &str = "carelock_answer";

/// What is asked of a model, before it is put into a provider's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The model's id at the provider.
    pub model: String,
    /// Instructions and rubric: the same for every chat, so that provider caches hit.
    pub system: String,
    /// The transcript and whatever belongs to this chat alone, then any exchange that followed (re-asks).
    pub messages: Vec<Message>,
    /// The JSON Schema the answer must have.
    pub schema: Value,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
}

/// One message of the exchange with the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whether the model wrote it; otherwise we did.
    pub from_model: bool,
    /// The text.
    pub text: String,
}

/// A request, ready to be sent with POST. Keys are added by the HTTP layer, never here.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The full address.
    pub url: String,
    /// Headers without the key.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Value,
}

/// A response as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

/// Who is asked.
#[derive(Clone, Copy, Debug)]
pub struct CallTarget<'a> {
    /// The provider, with its address.
    pub provider: &'a ProviderInfo,
    /// The model.
    pub model: &'a ModelInfo,
}

impl<'a> From<&'a Resolved> for CallTarget<'a> {
    fn from(judge: &'a Resolved) -> Self {
        Self { provider: &judge.provider, model: &judge.model }
    }
}

/// The request that asks a question in the provider's words, holding the answer to its schema by this mechanism.
pub fn to_request(question: &Question, asked: &CallTarget<'_>, mechanism: StructuredOutput) -> Request {
    match asked.provider.wire {
        Wire::OpenAiChat => openai_chat::to_request(question, asked, mechanism),
        Wire::AnthropicMessages => anthropic::to_request(question, asked, mechanism),
    }
}

/// What a response means; `now` makes sense of dates in it. An error is never an answer.
pub fn to_outcome(response: &Response, asked: &CallTarget<'_>, now: SystemTime) -> Outcome {
    let body = match to_json(response, asked, now) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    match asked.provider.wire {
        Wire::OpenAiChat => openai_chat::to_outcome(&body),
        Wire::AnthropicMessages => anthropic::to_outcome(&body, asked),
    }
}

/// The tokens a response reports, whatever came of the call; `None` where it reports none.
pub fn to_usage(response: &Response, wire: Wire) -> Option<Usage> {
    let body = serde_json::from_slice(&response.body).ok()?;
    match wire {
        Wire::OpenAiChat => openai_chat::usage(&body),
        Wire::AnthropicMessages => anthropic::usage(&body),
    }
}

/// Where a provider takes batches: beside its calls, with the same headers.
pub(crate) fn batch_place(asked: &CallTarget<'_>) -> (String, Vec<(&'static str, String)>) {
    match asked.provider.wire {
        Wire::OpenAiChat => (asked.provider.base_url.clone(), json_headers()),
        Wire::AnthropicMessages => {
            (format!("{}/batches", anthropic::url(&asked.provider.base_url)), anthropic::headers(asked))
        }
    }
}

/// An error that came without a status of its own, as the response to a direct call would carry it.
pub(crate) fn error_response(body: &Value) -> Response {
    Response { status: failure::status_in(body), headers: Vec::new(), body: body.to_string().into_bytes() }
}

/// The JSON of a successful response; else what it comes to.
pub(crate) fn to_json(response: &Response, asked: &CallTarget<'_>, now: SystemTime) -> Result<Value, Outcome> {
    if !(200..300).contains(&response.status) {
        let body = serde_json::from_slice(&response.body).ok();
        return Err(failure::outcome(response, body.as_ref(), asked, now));
    }
    let body = body::decode(response)?;
    match error_body::read(&body) {
        Some(_) => Err(failure::outcome(response, Some(&body), asked, now)),
        None => Ok(body),
    }
}

/// Whether a response says that the account's money or quota is spent, so that no other call can succeed either.
pub fn money_is_spent(response: &Response) -> bool {
    failure::money_is_spent(response)
}

/// The instructions, with the schema after them where no mechanism carries it. They stay the same for every chat.
fn instructions(question: &Question, mechanism: StructuredOutput) -> String {
    match mechanism {
        StructuredOutput::JsonObject | StructuredOutput::None => format!(
            "{}\n\nAnswer with one JSON object and nothing else: no Markdown, no words before or after it. \
             The JSON object must match this JSON Schema:\n{}",
            question.system, question.schema
        ),
        _ => question.system.clone(),
    }
}

/// The room for the answer: what is asked for, but no more than the model can give.
fn room(question: &Question, asked: &CallTarget<'_>) -> u64 {
    let wanted = u64::from(question.max_tokens);
    asked.model.max_output.map_or(wanted, |most| wanted.min(most))
}

fn json_headers() -> Vec<(&'static str, String)> {
    vec![("content-type", "application/json".to_owned()), ("accept", "application/json".to_owned())]
}

fn add_extra(body: &mut Map<String, Value>, asked: &CallTarget<'_>) {
    for (name, value) in asked.provider.extra.iter().chain(&asked.model.extra) {
        body.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests;
