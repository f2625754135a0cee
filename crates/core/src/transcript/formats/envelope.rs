//! Conversations that stand inside something else: a string, a logged request, a field, a wrapper.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::assemble::place;
use super::json::{Found, parse, read_array, read_messages};
use super::message::{Item, List, Message};
use super::record::{Key, Record};
use super::{Format, ReadError, ReadOptions, openai, plain_text, spiral_bench, trace};
use crate::problem::Speakers;

/// A string where a list is expected: JSON once more, or a chat in plain text.
pub(super) fn read_encoded(
    record: &Record<'_>,
    inner: &str,
    at: &str,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let trimmed = inner.trim();
    if trimmed.starts_with('[') {
        if let Ok(items) = serde_json::from_str::<Vec<Item<'_>>>(trimmed) {
            return read_messages(record, None, items, false, at, options);
        }
    } else if trimmed.starts_with('{') {
        // Only one level: a string in a string in a string is nobody's format.
        let parsed = serde_json::from_str::<Record<'_>>(trimmed);
        if let Ok((Some((key, List::Items(items))), _)) = parsed.map(|mut record| record.take_list()) {
            return read_messages(record, Some(key), items, false, at, options);
        }
    }
    if !plain_text::looks_like(inner, options) {
        let what = "the conversation is a string, but neither JSON nor a chat with a speaker label on each message";
        return Err(ReadError::new(at, what, Speakers::IfUnusual));
    }
    let mut readings = plain_text::read(inner, options).map_err(|mut error| {
        error.at = place(at, &error.at);
        error
    })?;
    for reading in &mut readings {
        reading.at = at.to_owned();
        reading.id = record.id();
        reading.verdicts = record.verdicts();
    }
    Ok(Found { format: Format::HuggingFace, readings: readings.into_iter().map(Ok).collect() })
}

/// A record without a list of its own: a logged request, a transcript in a field, or data in an envelope.
pub(super) fn read_without_list(
    record: &Record<'_>,
    text: &str,
    at: &str,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let inner = record.raw(Key::Request).and_then(|request| serde_json::from_str::<Record<'_>>(request.get()).ok());
    if let Some(mut inner) = inner {
        let system = openai::has_system(inner.raw(Key::System));
        if let (Some((key, List::Items(items))), _) = inner.take_list() {
            return read_messages(record, Some(key), items, system, at, options);
        }
    }
    if let Some(transcript) = record.raw(Key::Transcript) {
        match serde_json::from_str::<List<'_>>(transcript.get()) {
            Ok(List::Items(items)) => {
                return read_messages(record, None, items, false, at, options);
            }
            Ok(List::Encoded(inner)) => return read_encoded(record, &inner, at, options),
            _ => {}
        }
    }
    if trace::is_trace(text) {
        return trace::read_one(text, at, options);
    }
    if let Some(data) = record.raw(Key::Data).filter(|data| data.get().starts_with('[')) {
        let elements: Vec<&RawValue> = parse(data.get(), 0)?;
        return read_array(data.get(), &elements, at, options);
    }
    if let Some(found) = spiral_bench::read(text, at, options) {
        return Ok(found);
    }
    let keys: Vec<String> = parse::<indexmap::IndexMap<String, &RawValue>>(text, 0)?.into_keys().take(20).collect();
    let what = if keys.is_empty() {
        "the object is empty".to_owned()
    } else {
        format!("no conversation in this object; its keys are {}", keys.join(", "))
    };
    Err(ReadError::new(at, what, "the messages are looked for under `messages`, `turns`, `conversations` and the like"))
}

/// Whether `conversations` holds whole conversations and not messages.
pub(super) fn is_wrapper(items: &[Item<'_>]) -> bool {
    let blank = |message: &Message<'_>| message.label.is_none() && message.content_key.is_none();
    matches!(items.first(), Some(Item::Message(message)) if blank(message))
        || matches!(items.first(), Some(Item::Other("a list")))
}

#[derive(Deserialize)]
struct Wrapper<'a> {
    #[serde(borrow)]
    conversations: Vec<&'a RawValue>,
}

/// Reads the conversations of a wrapper.
pub(super) fn read_wrapper(text: &str, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    let wrapper: Wrapper<'_> = parse(text, 0)?;
    read_array("[]", &wrapper.conversations, at, options)
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};

    #[test]
    fn envelopes_around_conversations_are_opened() {
        let chat = r#"{"id":"a","messages":[{"role":"user","content":"x"}]}"#;
        for envelope in
            [format!(r#"{{"conversations":[{chat}]}}"#), format!(r#"{{"data":[{chat}]}}"#), format!("[{chat}]")]
        {
            assert_eq!(one(&envelope).1.id.as_deref(), Some("a"), "{envelope}");
        }
        assert_eq!(one(r#"[[{"role":"user","content":"x"}]]"#).1.turns.len(), 1);
    }

    #[test]
    fn empty_objects_and_lists_are_errors() {
        assert!(one_error("{}").what.contains("empty"));
        assert!(one_error("[]").what.contains("empty"));
    }
}
