//! A plain chat: instructions, messages, and a reply in free words, for models that talk instead of judging.

use serde_json::{Map, Value, json};

use super::{CallTarget, Message, Request, anthropic, json_headers};
use crate::provider::{Thinking, Wire};

/// What a model is asked to say next.
#[derive(Clone, Debug, PartialEq)]
pub struct Chat {
    /// Instructions, where there are any.
    pub system: Option<String>,
    /// What was said so far, the other side's words last.
    pub messages: Vec<Message>,
    /// The most tokens the reply may have.
    pub max_tokens: u32,
    /// How freely it chooses its words, where that can be set and is not left to the server.
    pub temperature: Option<f64>,
    /// The seed, where one is taken.
    pub seed: Option<u64>,
}

/// The request for the next words of a chat in the provider's format.
pub fn to_chat_request(chat: &Chat, asked: &CallTarget<'_>) -> Request {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("model", json!(asked.model.id));
    let room = asked.model.max_output.map_or(u64::from(chat.max_tokens), |most| most.min(u64::from(chat.max_tokens)));
    let is_anthropic = asked.provider.wire == Wire::AnthropicMessages;
    let mut messages = Vec::new();
    match &chat.system {
        Some(system) if is_anthropic => set("system", json!(system)),
        Some(system) => messages.push(json!({ "role": "system", "content": system })),
        None => {}
    }
    messages.extend(chat.messages.iter().map(|message| {
        let role = if message.from_model { "assistant" } else { "user" };
        json!({ "role": role, "content": message.text })
    }));
    set("messages", Value::Array(messages));
    set(if is_anthropic { "max_tokens" } else { asked.model.max_tokens_field.name() }, json!(room));
    if let Some(temperature) = chat.temperature.filter(|_| asked.model.temperature) {
        set("temperature", json!(temperature));
    }
    if let Some(seed) = chat.seed.filter(|_| asked.model.seed && !is_anthropic) {
        set("seed", json!(seed));
    }
    match asked.model.thinking {
        Thinking::ReasoningEffortNone if !is_anthropic => set("reasoning_effort", json!("none")),
        Thinking::ThinkingDisabled => set("thinking", json!({ "type": "disabled" })),
        _ => {}
    }
    if asked.provider.sends_store {
        set("store", json!(false));
    }
    super::add_extra(&mut body, asked);
    let (url, headers) = match asked.provider.wire {
        Wire::AnthropicMessages => (anthropic::url(&asked.provider.base_url), anthropic::headers(asked)),
        Wire::OpenAiChat => (format!("{}/chat/completions", asked.provider.base_url), json_headers()),
    };
    Request { url, headers, body: Value::Object(body) }
}
