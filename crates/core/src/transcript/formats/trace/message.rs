//! One message of a trace, whichever library wrote it down.

use serde_json::{Map, Value};

use super::super::assemble::{PartRole, part_role};

/// Values inside values inside values are looked into so far.
const DEEPEST: usize = 6;

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// Who speaks, as the trace calls them.
    pub(super) label: String,
    /// What is said, where there is text.
    pub(super) text: Option<String>,
    /// What is no text, by its name.
    pub(super) left_out: Vec<String>,
}

impl Message {
    /// A message of plain text.
    pub(super) fn new(label: &str, text: &str) -> Self {
        Self { label: label.to_owned(), text: Some(text.to_owned()), left_out: Vec::new() }
    }

    /// The message in an object; `label` speaks where the object does not say who does.
    pub(super) fn from_object(object: &Map<String, Value>, label: &str) -> Option<Self> {
        // LangChain's own way of writing a message down.
        if let Some(Value::Object(inner)) = object.get("kwargs").or_else(|| object.get("data"))
            && !object.contains_key("role")
        {
            let class = object.get("id").and_then(Value::as_array).and_then(|path| path.last()).and_then(Value::as_str);
            let kind = class.or_else(|| object.get("type").and_then(Value::as_str)).map(speaker);
            return Self::from_object(inner, kind.unwrap_or(label));
        }
        let own = ["role", "type"].iter().find_map(|key| object.get(*key).and_then(Value::as_str));
        let own = own.filter(|kind| !matches!(*kind, "text" | "message" | "constructor" | "json" | "object"));
        let content =
            ["parts", "content", "contents"].iter().find_map(|key| object.get(*key).filter(|had| !had.is_null()));
        let calls = object.get("tool_calls").and_then(Value::as_array).map_or(0, Vec::len);
        if content.is_none() && calls == 0 && own.is_none() {
            return None;
        }
        let mut message = Self { label: own.map_or(label, speaker).to_owned(), ..Self::default() };
        content.into_iter().for_each(|content| message.add(content, 0));
        message.left_out.extend(std::iter::repeat_n("tool call".to_owned(), calls));
        if message.text.as_deref() == Some("") && !message.left_out.is_empty() {
            message.text = None;
        }
        Some(message)
    }

    /// Adds a text, a part or a list of them.
    fn add(&mut self, content: &Value, depth: usize) {
        match content {
            Value::String(text) => self.say(text),
            Value::Array(parts) if depth < DEEPEST => parts.iter().for_each(|part| self.add(part, depth + 1)),
            Value::Object(part) => self.add_part(part, depth),
            _ => {}
        }
    }

    fn add_part(&mut self, part: &Map<String, Value>, depth: usize) {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
        let modality = part.get("modality").and_then(Value::as_str);
        let text =
            ["text", "content", "value", "refusal"].iter().find_map(|key| part.get(*key).and_then(Value::as_str));
        let dropped = match (kind, modality) {
            ("blob" | "uri" | "file", Some(modality @ ("image" | "audio" | "video"))) => modality,
            ("tool_call_response", _) => "tool block",
            (kind, _) => match part_role(kind) {
                Some(PartRole::Said) => {
                    match (text, part.get("content").or_else(|| part.get("text"))) {
                        (Some(text), _) => self.say(text),
                        (None, Some(inner)) if depth < DEEPEST => self.add(inner, depth + 1),
                        _ => {}
                    }
                    return;
                }
                Some(PartRole::Dropped(what)) => what,
                None => return self.left_out.push(format!("{kind} part")),
            },
        };
        self.left_out.push(dropped.to_owned());
    }

    fn say(&mut self, text: &str) {
        match &mut self.text {
            Some(said) => {
                said.push('\n');
                said.push_str(text);
            }
            None => self.text = Some(text.to_owned()),
        }
    }
}

/// The role behind the names that LangChain has for kinds of messages.
fn speaker(kind: &str) -> &str {
    match kind {
        "human" | "HumanMessage" | "HumanMessageChunk" => "user",
        "ai" | "AIMessage" | "AIMessageChunk" => "assistant",
        "SystemMessage" | "SystemMessageChunk" => "system",
        "ToolMessage" | "ToolMessageChunk" | "FunctionMessage" | "tool_result" => "tool",
        other => other,
    }
}

/// The keys under which what goes in and what comes out is wrapped, the most telling first.
const WRAPPERS: [&str; 20] = [
    "messages",
    "choices",
    "generations",
    "message",
    "output",
    "input",
    "value",
    "content",
    "text",
    "question",
    "query",
    "prompt",
    "answer",
    "response",
    "completion",
    "result",
    "output_text",
    "chat_history",
    "user_input",
    "return_values",
];

/// The messages in what went into a call or came out of it; `label` speaks where they do not say who does.
pub(super) fn messages(value: &Value, label: &str) -> Vec<Message> {
    let mut found = Vec::new();
    gather(value, label, 0, &mut found);
    found
}

fn gather(value: &Value, label: &str, depth: usize, found: &mut Vec<Message>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) => match encoded(text) {
            Some(inner) => gather(&inner, label, depth + 1, found),
            None if !text.trim().is_empty() => found.push(Message::new(label, text)),
            None => {}
        },
        // A batch of one: LangChain wraps the messages of a call in one more list.
        Value::Array(entries) if matches!(entries.first(), Some(Value::Array(_))) => {
            entries.iter().take(1).for_each(|entry| gather(entry, label, depth + 1, found));
        }
        Value::Array(entries) => entries.iter().for_each(|entry| match entry {
            Value::Object(_) => gather(entry, label, depth + 1, found),
            Value::String(text) => found.push(Message::new(label, text)),
            _ => {}
        }),
        Value::Object(object) => gather_object(object, label, depth, found),
        _ => {}
    }
}

fn gather_object(object: &Map<String, Value>, label: &str, depth: usize, found: &mut Vec<Message>) {
    let is_message = object.contains_key("role")
        || object.contains_key("kwargs")
        || object.contains_key("data")
        || (object.contains_key("type") && object.contains_key("content"));
    if is_message && let Some(message) = Message::from_object(object, label) {
        return found.push(message);
    }
    let Some((key, inner)) =
        WRAPPERS.iter().find_map(|key| Some((*key, object.get(*key).filter(|had| !had.is_null())?)))
    else {
        return;
    };
    match (key, inner) {
        // Of several answers the first is the one that was used.
        ("choices" | "generations", Value::Array(all)) => {
            let first = all.first().and_then(|first| first.get(0).or(Some(first)));
            first.into_iter().for_each(|first| gather(first, label, depth + 1, found));
        }
        (_, inner) => gather(inner, label, depth + 1, found),
    }
}

/// What stands in a text that is JSON once more: an object or a list with something in it.
fn encoded(text: &str) -> Option<Value> {
    let text = text.trim();
    let opens = text.starts_with('{') && text.ends_with('}') || text.starts_with('[') && text.ends_with(']');
    let value: Value = serde_json::from_str(text).ok().filter(|_| opens)?;
    let holds = match &value {
        Value::Object(object) => {
            object.contains_key("role")
                || object.contains_key("kwargs")
                || WRAPPERS.iter().any(|key| object.contains_key(*key))
        }
        Value::Array(entries) => entries.first().is_some_and(|first| first.is_object() || first.is_array()),
        _ => false,
    };
    holds.then_some(value)
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
