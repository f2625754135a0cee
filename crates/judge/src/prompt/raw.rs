//! An answer as the model wrote it: nothing judged yet, and nothing written twice lost.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The parts of an answer.
#[derive(Deserialize)]
pub(super) struct RawAnswer {
    pub(super) verdicts: Option<RawVerdicts>,
    #[serde(default)]
    pub(super) moments: Option<Vec<Value>>,
    #[serde(default)]
    pub(super) positive: Option<Vec<Value>>,
    #[serde(default)]
    pub(super) negative: Option<Vec<Value>>,
    #[serde(default)]
    pub(super) summary: Option<String>,
}

/// Verdicts by id, or in a list of objects that carry their id; repeated ids are all kept.
pub(super) struct RawVerdicts(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for RawVerdicts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVerdictsVisitor).map(Self)
    }
}

struct RawVerdictsVisitor;

impl<'de> Visitor<'de> for RawVerdictsVisitor {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one entry per check id")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element::<Value>()? {
            let id = entry.get("id").and_then(Value::as_str);
            let id = id.ok_or_else(|| A::Error::custom("an entry of the list has no `id`"))?.to_owned();
            entries.push((id, entry));
        }
        Ok(entries)
    }
}

/// A turn's or moment's number. One that no chat can have becomes one that no chat has, so that it is found missing.
pub(super) fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => {
            Some(number.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX))
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A text that says something.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
