//! Anthropic's Messages.

use carelock_core::verdict::Tokens;
use serde_json::{Map, Value, json};

use super::body::{count, text_of};
use super::{CallTarget, Question, Request, SCHEMA_NAME, instructions, schema};
use crate::outcome::{Outcome, Reply, Usage};
use crate::provider::{StructuredOutput, Thinking};
use crate::redact_keys::redact_keys;

/// The version asked for where the table states none: the first, which every server knows.
const FIRST_VERSION: &str = "2023-06-01";

/// The request that asks a question.
pub(super) fn to_request(question: &Question, asked: &CallTarget<'_>, mechanism: StructuredOutput) -> Request {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("model", json!(question.model));
    set("max_tokens", json!(super::room(question, asked)));
    // The rubric is the same for every chat: marking its end makes the provider cache it.
    let text = instructions(question, mechanism);
    set("system", json!([{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }]));
    set("messages", messages(question));
    let config = output_config(question, asked, mechanism);
    if !config.is_empty() {
        set("output_config", Value::Object(config));
    }
    // No hosted model of today takes it, but servers that speak this format may.
    if asked.model.temperature {
        set("temperature", json!(0));
    }
    match asked.model.thinking {
        Thinking::BetweenTools => set("thinking", json!({ "type": "between_tools" })),
        Thinking::ThinkingDisabled => set("thinking", json!({ "type": "disabled" })),
        Thinking::ReasoningEffortNone | Thinking::Untouched => {}
    }
    if mechanism == StructuredOutput::Tool {
        set("tools", json!([tool(question, asked)]));
        set("tool_choice", json!({ "type": "tool", "name": SCHEMA_NAME }));
    }
    super::add_extra(&mut body, asked);
    Request { url: url(&asked.provider.base_url), headers: headers(asked), body: Value::Object(body) }
}

/// The headers of every call.
pub(super) fn headers(asked: &CallTarget<'_>) -> Vec<(&'static str, String)> {
    let mut headers = super::json_headers();
    let version = asked.provider.api_version.as_deref().unwrap_or(FIRST_VERSION);
    headers.push(("anthropic-version", version.to_owned()));
    headers
}

/// Some write the address with the version, others without.
pub(super) fn url(base: &str) -> String {
    if base.ends_with("/v1") { format!("{base}/messages") } else { format!("{base}/v1/messages") }
}

fn messages(question: &Question) -> Value {
    let message = |message: &super::Message| {
        let role = if message.from_model { "assistant" } else { "user" };
        json!({ "role": role, "content": message.text })
    };
    question.messages.iter().map(message).collect()
}

fn output_config(question: &Question, asked: &CallTarget<'_>, mechanism: StructuredOutput) -> Map<String, Value> {
    let mut config = Map::new();
    // A server that refused one part of it may refuse all of it.
    let refused = mechanism != asked.model.structured && asked.model.structured == StructuredOutput::OutputConfig;
    if asked.model.thinking == Thinking::BetweenTools && !refused {
        config.insert("effort".to_owned(), json!("low"));
    }
    if mechanism == StructuredOutput::OutputConfig {
        let format = json!({ "type": "json_schema", "schema": answer_schema(question, asked) });
        config.insert("format".to_owned(), format);
    }
    config
}

/// Hosted models take a narrow dialect only; own servers make better use of the full schema.
fn answer_schema(question: &Question, asked: &CallTarget<'_>) -> Value {
    if asked.provider.own_server { question.schema.clone() } else { schema::strict(&question.schema) }
}

fn tool(question: &Question, asked: &CallTarget<'_>) -> Value {
    let mut tool = json!({
        "name": SCHEMA_NAME,
        "description": "Takes the complete answer.",
        "input_schema": answer_schema(question, asked),
    });
    // Where the tool stands in for a schema that was refused as too large, strictness would be refused as well.
    if asked.model.structured == StructuredOutput::Tool {
        tool["strict"] = json!(true);
    }
    tool
}

/// What the body of a successful response means.
pub(super) fn to_outcome(body: &Value, asked: &CallTarget<'_>) -> Outcome {
    match body.get("stop_reason").and_then(Value::as_str).unwrap_or_default() {
        "refusal" => Outcome::Refused { reason: refusal(body) },
        "max_tokens" => Outcome::Truncated,
        "model_context_window_exceeded" => Outcome::TooLong {
            what: "the question and its answer do not fit the model's context".to_owned(),
            limit: asked.model.context,
            asked: usage(body).map(|usage| usage.tokens.input),
        },
        "pause_turn" => Outcome::Invalid { what: "the model paused instead of answering".to_owned() },
        _ => answer(body),
    }
}

fn refusal(body: &Value) -> String {
    let detail = |name: &str| body.pointer(&format!("/stop_details/{name}")).and_then(Value::as_str).map(redact_keys);
    let parts: Vec<String> = [detail("category"), detail("explanation")].into_iter().flatten().collect();
    if parts.is_empty() { "the model declined".to_owned() } else { parts.join(": ") }
}

fn answer(body: &Value) -> Outcome {
    let text = match body.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => match blocks.iter().find_map(tool_input) {
            Some(input) => input,
            None => text_of(&text_blocks(blocks)),
        },
        _ => return Outcome::Invalid { what: "the server's reply has no content, so no answer".to_owned() },
    };
    if text.trim().is_empty() {
        return Outcome::Empty;
    }
    Outcome::Answered(Reply {
        text,
        model: body.get("model").and_then(Value::as_str).map(redact_keys),
        fingerprint: None,
        tokens: usage(body).map(|usage| usage.tokens),
    })
}

/// Blocks without a type are not taken for text: thoughts must not become an answer.
fn text_blocks(blocks: &[Value]) -> Value {
    blocks.iter().filter(|block| block.get("type").is_some_and(|kind| kind == "text")).cloned().collect()
}

/// What the model handed to our tool; other tools were not offered.
fn tool_input(block: &Value) -> Option<String> {
    let ours = block.get("type")? == "tool_use" && block.get("name").is_none_or(|name| name == SCHEMA_NAME);
    match block.get("input").filter(|_| ours)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        input => Some(input.to_string()),
    }
}

/// The tokens a reply reports; the prompt is the sum of what was new, written to the cache, and read from it.
pub(super) fn usage(body: &Value) -> Option<Usage> {
    let usage = body.get("usage")?;
    let new = count(usage.get("input_tokens"))?;
    let output = count(usage.get("output_tokens"))?;
    let cache_written = count(usage.get("cache_creation_input_tokens")).unwrap_or(0);
    let cached = count(usage.get("cache_read_input_tokens")).unwrap_or(0);
    let input = new.checked_add(cache_written)?.checked_add(cached)?;
    Some(Usage { tokens: Tokens { input, cached, output }, cache_written })
}
