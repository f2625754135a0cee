//! Messages spread over many attributes, one for each field: `llm.input_messages.0.message.role`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::message::Message;

/// The messages under a name, in the order of their numbers.
pub(super) fn messages(attributes: &Attributes, name: &str, label: &str) -> Vec<Message> {
    let mut numbered: BTreeMap<u64, BTreeMap<&str, &Value>> = BTreeMap::new();
    for (key, value) in attributes.under(name) {
        let Some((number, field)) = key.split_once('.') else { continue };
        if let Ok(number) = number.parse() {
            let field = field.strip_prefix("message.").unwrap_or(field);
            numbered.entry(number).or_default().insert(field, value);
        }
    }
    numbered.values().filter_map(|fields| message(fields, label)).collect()
}

fn message(fields: &BTreeMap<&str, &Value>, label: &str) -> Option<Message> {
    let mut object = Map::new();
    let mut parts: BTreeMap<u64, Map<String, Value>> = BTreeMap::new();
    let mut calls = std::collections::BTreeSet::new();
    for (field, value) in fields {
        let mut path = field.splitn(3, '.');
        match (path.next(), path.next(), path.next()) {
            (Some("role" | "content"), None, _) => drop(object.insert((*field).to_owned(), content(value))),
            (Some("contents"), Some(number), Some(rest)) => {
                let part = number.parse().ok().map(|number| parts.entry(number).or_default());
                let rest = rest.strip_prefix("message_content.").unwrap_or(rest);
                part.into_iter().for_each(|part| drop(part.insert(rest.to_owned(), (*value).clone())));
            }
            (Some("tool_calls"), Some(number), _) => drop(calls.insert(number)),
            _ => {}
        }
    }
    if !parts.is_empty() && object.get("content").is_none_or(|content| content == "") {
        object.insert("content".to_owned(), parts.into_values().map(Value::Object).collect());
    }
    if !calls.is_empty() {
        object.insert("tool_calls".to_owned(), calls.iter().map(|_| Value::Null).collect());
    }
    Message::from_object(&object, label)
}

/// The content of a message: parts may stand in a text with JSON inside.
fn content(value: &Value) -> Value {
    let parts = value.as_str().filter(|text| text.starts_with("[{") && text.ends_with("}]"));
    parts.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}
