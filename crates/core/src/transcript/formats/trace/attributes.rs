//! The attributes of a span: a plain object, nested or with dots in its keys, or OTLP's list of keys and values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// How deep values are looked into; real ones are far from it.
const DEEPEST: usize = 24;

/// Attributes by their full name.
#[derive(Debug, Default)]
pub(super) struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    /// Takes them from an object or from OTLP's list.
    pub(super) fn new(value: Option<&Value>) -> Self {
        let mut attributes = BTreeMap::new();
        match value {
            Some(Value::Array(entries)) => {
                for entry in entries {
                    if let Some(key) = entry.get("key").and_then(Value::as_str) {
                        attributes.insert(key.to_owned(), entry.get("value").map_or(Value::Null, any_value));
                    }
                }
            }
            Some(Value::Object(object)) => insert_nested(&mut attributes, "", object, 0),
            _ => {}
        }
        Self(attributes)
    }

    /// An attribute by its full name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// The first of several attributes that is a text or a number, as a text that is not empty.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.get(name).and_then(text))
    }

    /// The attributes under a name, without it: `0.message.role` under `llm.input_messages`.
    pub(super) fn under<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let inside = move |(key, value): (&'a String, &'a Value)| {
            Some((key.strip_prefix(name)?.strip_prefix('.')?, value)).filter(|_| !value.is_null())
        };
        self.0.range(name.to_owned()..).take_while(move |(key, _)| key.starts_with(name)).filter_map(inside)
    }

    /// Whether there is anything under a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some() || self.under(name).next().is_some()
    }

    /// Lists under these names become an attribute for each of their entries.
    pub(super) fn spread(&mut self, names: &[&str]) {
        for name in names {
            let spread = self.0.get(*name).is_some_and(Value::is_array);
            let Some(Value::Array(entries)) = spread.then(|| self.0.remove(*name)).flatten() else { continue };
            for (number, entry) in entries.into_iter().enumerate() {
                spread_into(&mut self.0, format!("{name}.{number}"), entry, 0);
            }
        }
    }
}

/// An object whose keys may be nested keeps its leaves; lists stay whole.
fn insert_nested(attributes: &mut BTreeMap<String, Value>, prefix: &str, object: &Map<String, Value>, depth: usize) {
    for (key, value) in object {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(inner) if depth < DEEPEST && !inner.is_empty() => {
                insert_nested(attributes, &name, inner, depth + 1);
            }
            value => drop(attributes.insert(name, value.clone())),
        }
    }
}

fn spread_into(attributes: &mut BTreeMap<String, Value>, name: String, value: Value, depth: usize) {
    match value {
        Value::Object(object) if depth < DEEPEST => {
            for (key, value) in object {
                spread_into(attributes, format!("{name}.{key}"), value, depth + 1);
            }
        }
        Value::Array(entries) if depth < DEEPEST => {
            for (number, entry) in entries.into_iter().enumerate() {
                spread_into(attributes, format!("{name}.{number}"), entry, depth + 1);
            }
        }
        value => drop(attributes.insert(name, value)),
    }
}

/// A value as OTLP writes it (`{"stringValue": "x"}`), or as it is.
pub(super) fn any_value(value: &Value) -> Value {
    deep_value(value, 0)
}

fn deep_value(value: &Value, depth: usize) -> Value {
    let Some((kind, inner)) =
        value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next())
    else {
        return value.clone();
    };
    let inside = |name: &str| inner.get(name).unwrap_or(inner).as_array().filter(|_| depth < DEEPEST);
    match kind.as_str() {
        "stringValue" | "string_value" | "boolValue" | "bool_value" | "doubleValue" | "double_value" => inner.clone(),
        // 64-bit numbers are texts in OTLP's JSON.
        "intValue" | "int_value" => match inner.as_str().and_then(|digits| digits.parse::<i64>().ok()) {
            Some(number) => Value::from(number),
            None => inner.clone(),
        },
        "arrayValue" | "array_value" => inside("values")
            .map(|values| values.iter().map(|value| deep_value(value, depth + 1)).collect())
            .unwrap_or_default(),
        "kvlistValue" | "kvlist_value" => {
            let entries = inside("values").map(Vec::as_slice).unwrap_or_default().iter();
            let entry = |entry: &Value| {
                let key = entry.get("key")?.as_str()?.to_owned();
                Some((key, entry.get("value").map_or(Value::Null, |value| deep_value(value, depth + 1))))
            };
            Value::Object(entries.filter_map(entry).collect())
        }
        _ => value.clone(),
    }
}

/// A text or a number as a text that is not empty.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The first of several fields of a record that is a text or a number.
pub(super) fn field(record: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| record.get(name).and_then(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_nested_objects_and_dotted_keys_give_the_same_attributes() {
        let otlp = json!([{"key": "session.id", "value": {"stringValue": "s"}},
            {"key": "n", "value": {"intValue": "7"}},
            {"key": "m", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": [{"key": "role", "value": {"stringValue": "user"}}]}}]}}}]);
        for value in [
            otlp,
            json!({"session.id": "s", "n": 7, "m": [{"role": "user"}]}),
            json!({"session": {"id": "s"}, "n": 7, "m": [{"role": "user"}]}),
        ] {
            let attributes = Attributes::new(Some(&value));
            assert_eq!(attributes.text(&["session.id"]).as_deref(), Some("s"), "{value}");
            assert_eq!(attributes.text(&["none", "n"]).as_deref(), Some("7"));
            assert_eq!(attributes.get("m"), Some(&json!([{"role": "user"}])));
        }
    }

    #[test]
    fn a_list_is_spread_and_found_under_its_name() {
        let mut attributes = Attributes::new(Some(
            &json!({"llm": {"input_messages": [{"message.role": "user"}, {"message": {"role": "assistant"}}]}, "llm.input_messages_x": 1}),
        ));
        attributes.spread(&["llm.input_messages"]);
        let under: Vec<_> = attributes.under("llm.input_messages").map(|(key, _)| key.to_owned()).collect();
        assert_eq!(under, ["0.message.role", "1.message.role"]);
        assert!(attributes.has("llm.input_messages") && !attributes.has("llm.output_messages"));
    }
}
