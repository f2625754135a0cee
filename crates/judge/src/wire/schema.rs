//! JSON Schemas in the narrow dialect that hosted models can be held to.

use serde_json::{Map, Value, json};

/// Deeper schemas are sent as they are: no schema of ours comes near it.
const DEEPEST: usize = 64;

/// Keywords that strict modes refuse or ignore; our own validation has them all.
const DROPPED: [&str; 19] = [
    "$schema",
    "$id",
    "title",
    "default",
    "examples",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];

const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The schema with every property required, nothing added, and no limits that a server would refuse. A property that
/// was optional may be null instead.
pub(crate) fn strict(schema: &Value) -> Value {
    narrowed(schema, 0)
}

fn narrowed(schema: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth > DEEPEST {
        return schema.clone();
    }
    // A reference stands alone: strict modes refuse a description beside it.
    if let Some(reference) = fields.get("$ref") {
        return json!({ "$ref": reference });
    }
    let mut narrow = Map::new();
    for (keyword, value) in fields.iter().filter(|(keyword, value)| is_kept(keyword, value)) {
        let name = if keyword == "oneOf" { "anyOf" } else { keyword };
        narrow.insert(name.to_owned(), inside(keyword, value, depth + 1));
    }
    if narrow.contains_key("properties") || narrow.get("type").is_some_and(|kind| kind == "object") {
        close(&mut narrow, fields);
    }
    Value::Object(narrow)
}

fn is_kept(keyword: &str, value: &Value) -> bool {
    match keyword {
        "minItems" => value.as_u64().is_some_and(|least| least <= 1),
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        "required" | "additionalProperties" => false,
        _ => !DROPPED.contains(&keyword),
    }
}

fn inside(keyword: &str, value: &Value, depth: usize) -> Value {
    match (keyword, value) {
        ("properties" | "$defs" | "definitions", Value::Object(named)) => {
            Value::Object(named.iter().map(|(name, schema)| (name.clone(), narrowed(schema, depth))).collect())
        }
        ("items" | "not", schema) => narrowed(schema, depth),
        ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
            schemas.iter().map(|schema| narrowed(schema, depth)).collect()
        }
        _ => value.clone(),
    }
}

fn close(narrow: &mut Map<String, Value>, original: &Map<String, Value>) {
    let is_required = |name: &str| {
        let required = original.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|known| known == name))
    };
    let properties = narrow.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        for (_, schema) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
            *schema = nullable(schema.take());
        }
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        narrow.insert("required".to_owned(), Value::Array(names));
    }
    narrow.insert("additionalProperties".to_owned(), json!(false));
}

fn nullable(schema: Value) -> Value {
    let nothing = json!({ "type": "null" });
    let kinds = schema.get("type").cloned();
    let plain = schema.get("enum").is_none() && schema.get("const").is_none();
    match (schema, kinds) {
        (Value::Object(mut fields), Some(Value::String(kind))) if plain && kind != "null" => {
            fields.insert("type".to_owned(), json!([kind, "null"]));
            Value::Object(fields)
        }
        (schema, Some(Value::Array(kinds))) if kinds.iter().any(|kind| kind == "null") => schema,
        (schema, Some(Value::String(kind))) if kind == "null" => schema,
        (Value::Object(mut fields), None) if fields.get("anyOf").is_some_and(Value::is_array) => {
            if let Some(Value::Array(choices)) = fields.get_mut("anyOf")
                && !choices.contains(&nothing)
            {
                choices.push(nothing);
            }
            Value::Object(fields)
        }
        (schema, _) => json!({ "anyOf": [schema, nothing] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_is_closed_and_every_property_required() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": { "type": "array", "minItems": 50, "maxItems": 50, "items": { "$ref": "#/$defs/One", "description": "x" } },
                "b": { "type": "string", "minLength": 1, "format": "regex" },
                "c": { "$ref": "#/$defs/One" },
                "d": { "type": ["string", "null"], "enum": ["x", null] },
                "title": { "enum": ["p", "q"] }
            },
            "$defs": { "One": { "type": "object", "properties": { "default": { "oneOf": [{ "const": 1 }, { "type": "string", "format": "uuid" }] } }, "required": ["default"] } }
        });
        assert_eq!(
            strict(&schema),
            json!({
                "type": "object",
                "properties": {
                    "a": { "type": "array", "items": { "$ref": "#/$defs/One" } },
                    "b": { "type": ["string", "null"] },
                    "c": { "anyOf": [{ "$ref": "#/$defs/One" }, { "type": "null" }] },
                    "d": { "type": ["string", "null"], "enum": ["x", null] },
                    "title": { "anyOf": [{ "enum": ["p", "q"] }, { "type": "null" }] }
                },
                "$defs": { "One": { "type": "object", "properties": { "default": { "anyOf": [{ "const": 1 }, { "type": "string", "format": "uuid" }] } }, "required": ["default"], "additionalProperties": false } },
                "required": ["a", "b", "c", "d", "title"],
                "additionalProperties": false
            })
        );
    }

    #[test]
    fn what_is_no_schema_passes_unharmed() {
        for value in [
            json!(true),
            json!(null),
            json!([1]),
            json!({}),
            json!({ "properties": 3 }),
            json!({ "type": "object", "required": 1 }),
        ] {
            let _ = strict(&value);
        }
        let mut deep = json!({ "type": "string" });
        for _ in 0..90 {
            deep = json!({ "items": deep });
        }
        assert_eq!(strict(&deep), deep);
    }
}
