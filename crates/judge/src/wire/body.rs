//! The body of a response as JSON, or why it is none.

use serde_json::Value;

use super::Response;
use crate::outcome::{Outcome, Retry};
use crate::redact_keys::redact_keys;

/// The JSON of a response that claims success.
pub(super) fn decode(response: &Response) -> Result<Value, Outcome> {
    let bytes = response.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&response.body);
    if bytes.trim_ascii().is_empty() {
        return Err(Outcome::Unavailable {
            what: "the server sent a reply without a body".to_owned(),
            retry: Retry::Later,
        });
    }
    serde_json::from_slice(bytes).map_err(|error| undecodable(response, bytes, &error))
}

fn undecodable(response: &Response, bytes: &[u8], error: &serde_json::Error) -> Outcome {
    let start = bytes.trim_ascii_start();
    let kind = response.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if kind.contains("html") || start.starts_with(b"<") {
        let what = "the server sent a web page instead of JSON; \
                    is there a proxy or a login in between, or is the address wrong?";
        return Outcome::Invalid { what: what.to_owned() };
    }
    if kind.contains("event-stream") || start.starts_with(b"data:") || start.starts_with(b"event:") {
        return Outcome::Invalid { what: "the server streamed its reply although it was not asked to".to_owned() };
    }
    if error.is_eof() && (start.starts_with(b"{") || start.starts_with(b"[")) {
        // The connection broke: nothing is wrong with the question.
        let what = format!("the server's reply breaks off after {} bytes", response.body.len());
        return Outcome::Unavailable { what, retry: Retry::Later };
    }
    Outcome::Invalid { what: format!("the server's reply is not JSON: {}", redact_keys(&error.to_string())) }
}

/// The text of a content field: a string, or parts of which the text is taken.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(part_text).collect(),
        _ => String::new(),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    if let Value::String(text) = part {
        return Some(text);
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
    matches!(kind, "text" | "output_text").then(|| part.get("text").and_then(Value::as_str))?
}

/// The answer without thoughts that a server left in front of it.
pub(super) fn without_thoughts(text: &str) -> &str {
    let start = text.trim_start();
    match start.strip_prefix("<think>").and_then(|inside| inside.split_once("</think>")) {
        Some((_, answer)) => answer.trim_start(),
        None => text,
    }
}

/// A whole number that is not negative, written as an integer or as a float without a fraction.
pub(super) fn count(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..=9e15).contains(number);
    // The range check makes the cast exact.
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|number| number as u64))
}
