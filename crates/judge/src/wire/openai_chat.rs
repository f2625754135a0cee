//! OpenAI's Chat Completions, as OpenAI, DeepSeek, Ollama and most other servers speak it.

use carelock_core::verdict::Tokens;
use serde_json::{Map, Value, json};

use super::body::{count, text_of, without_thoughts};
use super::error_body::filtered_categories;
use super::failure::hiccup;
use super::{CallTarget, Question, Request, SCHEMA_NAME, instructions, schema};
use crate::outcome::{Outcome, Reply, Usage};
use crate::provider::{StructuredOutput, Thinking};
use crate::redact_keys::redact_keys;

/// Sent where a seed is accepted; any constant does.
const SEED: u64 = 7;

/// The request that asks a question.
pub(super) fn to_request(question: &Question, asked: &CallTarget<'_>, mechanism: StructuredOutput) -> Request {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("model", json!(question.model));
    set("messages", messages(question, mechanism));
    if let Some(format) = response_format(question, asked, mechanism) {
        set("response_format", format);
    }
    set(asked.model.max_tokens_field.name(), json!(super::room(question, asked)));
    if asked.model.temperature {
        set("temperature", json!(0));
    }
    if asked.model.seed {
        set("seed", json!(SEED));
    }
    match asked.model.thinking {
        Thinking::ReasoningEffortNone => set("reasoning_effort", json!("none")),
        Thinking::ThinkingDisabled => set("thinking", json!({ "type": "disabled" })),
        Thinking::BetweenTools => set("thinking", json!({ "type": "between_tools" })),
        Thinking::Untouched => {}
    }
    if asked.provider.sends_store {
        set("store", json!(false));
    }
    if asked.provider.sends_cache_key {
        set("prompt_cache_key", json!(cache_key(&question.system)));
    }
    super::add_extra(&mut body, asked);
    Request {
        url: format!("{}/chat/completions", asked.provider.base_url),
        headers: super::json_headers(),
        body: Value::Object(body),
    }
}

fn messages(question: &Question, mechanism: StructuredOutput) -> Value {
    let system = json!({ "role": "system", "content": instructions(question, mechanism) });
    let rest = question.messages.iter().map(|message| {
        let role = if message.from_model { "assistant" } else { "user" };
        json!({ "role": role, "content": message.text })
    });
    std::iter::once(system).chain(rest).collect()
}

fn response_format(question: &Question, asked: &CallTarget<'_>, mechanism: StructuredOutput) -> Option<Value> {
    match mechanism {
        StructuredOutput::JsonSchema => {
            // Hosted models take a narrow dialect only; own servers make better use of the full schema.
            let own = asked.provider.own_server;
            let schema = if own { question.schema.clone() } else { schema::strict(&question.schema) };
            let named = json!({ "name": SCHEMA_NAME, "strict": true, "schema": schema });
            Some(json!({ "type": "json_schema", "json_schema": named }))
        }
        StructuredOutput::JsonObjectSchema => Some(json!({ "type": "json_object", "schema": question.schema })),
        StructuredOutput::JsonObject => Some(json!({ "type": "json_object" })),
        StructuredOutput::OutputConfig | StructuredOutput::Tool | StructuredOutput::None => None,
    }
}

/// Calls with the same rubric share a key, so that they are sent to where its prefix is cached.
fn cache_key(system: &str) -> String {
    let digest = blake3::hash(system.as_bytes()).to_hex();
    format!("carelock-{}", &digest[..16])
}

/// What the body of a successful response means.
pub(super) fn to_outcome(body: &Value) -> Outcome {
    let Some(choice) = body.get("choices").and_then(|choices| choices.get(0)) else {
        return without_choices(body);
    };
    of_choice(choice, body)
}

fn without_choices(body: &Value) -> Outcome {
    let categories = filtered_categories(body, 0);
    if categories.is_empty() {
        return Outcome::Invalid { what: "the server's reply has no choices, so no answer".to_owned() };
    }
    Outcome::Filtered { stage: "prompt", category: Some(redact_keys(&categories.join(", "))) }
}

fn of_choice(choice: &Value, body: &Value) -> Outcome {
    if choice.get("error").is_some_and(Value::is_object) {
        let message = choice.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        return hiccup(format!("the server broke off its answer: {}", redact_keys(message)));
    }
    let message = choice.get("message").unwrap_or(&Value::Null);
    if let Some(reason) = refusal(message) {
        return Outcome::Refused { reason };
    }
    match choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default() {
        "content_filter" | "sensitive" => {
            let categories = filtered_categories(choice, 0);
            let category = (!categories.is_empty()).then(|| redact_keys(&categories.join(", ")));
            return Outcome::Filtered { stage: "answer", category };
        }
        "refusal" => return Outcome::Refused { reason: "the model declined".to_owned() },
        "length" | "max_tokens" | "model_length" => return Outcome::Truncated,
        reason @ ("error" | "abort" | "insufficient_system_resource") => {
            return hiccup(format!("the server broke off its answer ({reason})"));
        }
        _ => {}
    }
    if !message.is_object() {
        return Outcome::Invalid { what: "the server's reply has a choice without a message".to_owned() };
    }
    let content = text_of(message.get("content").unwrap_or(&Value::Null));
    let text = without_thoughts(&content);
    if text.trim().is_empty() {
        return nothing_said(message);
    }
    Outcome::Answered(Reply {
        text: text.to_owned(),
        model: body.get("model").and_then(Value::as_str).map(redact_keys),
        fingerprint: body.get("system_fingerprint").and_then(Value::as_str).map(redact_keys),
        tokens: usage(body).map(|usage| usage.tokens),
    })
}

fn nothing_said(message: &Value) -> Outcome {
    let called = message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
    if called {
        return Outcome::Invalid {
            what: "the model called a tool that it was not offered, instead of answering".to_owned(),
        };
    }
    Outcome::Empty
}

/// The model's own words for declining, in the field for them or in a part of the content.
fn refusal(message: &Value) -> Option<String> {
    let part = |part: &Value| (part.get("type")? == "refusal").then(|| part.get("refusal")?.as_str())?.map(redact_keys);
    let field =
        message.get("refusal").and_then(Value::as_str).filter(|words| !words.trim().is_empty()).map(redact_keys);
    field.or_else(|| message.get("content")?.as_array()?.iter().find_map(part))
}

/// The tokens a reply reports, in OpenAI's or DeepSeek's words.
pub(super) fn usage(body: &Value) -> Option<Usage> {
    let usage = body.get("usage")?;
    let input = count(usage.get("prompt_tokens"))?;
    let output = count(usage.get("completion_tokens")).or_else(|| {
        let total = count(usage.get("total_tokens"))?;
        total.checked_sub(input)
    })?;
    let detail = |name: &str| count(usage.get("prompt_tokens_details").and_then(|details| details.get(name)));
    let cached =
        detail("cached_tokens").or_else(|| count(usage.get("prompt_cache_hit_tokens"))).unwrap_or(0).min(input);
    let cache_written = detail("cache_write_tokens").unwrap_or(0).min(input - cached);
    Some(Usage { tokens: Tokens { input, cached, output }, cache_written })
}
