//! One field that stands beside a conversation, such as the model that spoke.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Objects in which data sets keep what is known about a conversation.
const INSIDE: [&str; 2] = ["metadata", "meta"];

/// The field of an object: `model`, also inside `metadata`, or a path such as `run.model`; a text, a number or a truth value.
pub(super) fn of_object(text: &str, field: &str) -> Option<String> {
    let object: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).ok()?;
    let direct = || object.get(field).and_then(|raw| scalar(raw));
    let nested = || {
        let (first, rest) = field.split_once('.')?;
        of_object(object.get(first)?.get(), rest)
    };
    let inside = || INSIDE.iter().find_map(|key| of_object(object.get(*key)?.get(), field));
    direct().or_else(nested).or_else(inside)
}

fn scalar(raw: &RawValue) -> Option<String> {
    let text = match serde_json::from_str(raw.get()).ok()? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, read};
    use super::*;

    #[test]
    fn a_field_is_found_at_the_top_inside_metadata_and_by_its_path() {
        let object = r#"{"model":" a ","metadata":{"model":"b","seed":7,"deep":{"x":true}},"none":null,"list":[1]}"#;
        let found = |field| of_object(object, field);
        assert_eq!(found("model").as_deref(), Some("a"));
        assert_eq!(found("seed").as_deref(), Some("7"));
        assert_eq!(found("metadata.model").as_deref(), Some("b"));
        assert_eq!(found("deep.x").as_deref(), Some("true"));
        for missing in ["none", "list", "metadata", "seed.x", ""] {
            assert_eq!(found(missing), None, "{missing}");
        }
    }

    #[test]
    fn every_kind_of_table_and_record_gives_its_field() {
        let messages = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#;
        let options = ReadOptions { field: Some("model".to_owned()), ..ReadOptions::default() };
        for (text, expected) in [
            (format!(r#"{{"messages":{messages},"model":"m1"}}"#), Some("m1")),
            (format!(r#"{{"data":[{{"messages":{messages},"meta":{{"model":"m2"}}}}]}}"#), Some("m2")),
            (format!(r#"{{"model":"m3","conversations":[{{"messages":{messages}}}]}}"#), Some("m3")),
            (format!(r#"{{"messages":{messages}}}"#), None),
            ("chat_id,model,speaker,text\na,m4,user,hi\na,m4,assistant,hello\n".to_owned(), Some("m4")),
        ] {
            let document = read(text.as_bytes(), &options).unwrap();
            let reading = document.readings.into_iter().next().unwrap().unwrap();
            assert_eq!(reading.field.as_deref(), expected, "{text}");
        }
    }
}
