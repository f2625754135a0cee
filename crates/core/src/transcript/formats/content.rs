//! What a message says: plain text, or parts of which some are text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::loose::{Loose, deserialize_with, others};

/// What a message says, before it is known which parts of it are text.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Content<'a> {
    /// There is no such key, or it is `null`.
    #[default]
    Missing,
    /// A plain string.
    Text(String),
    /// Parts or blocks: some text, some not.
    Parts(Vec<Part<'a>>),
    /// Something that cannot be text; its name for messages.
    Other(&'static str),
}

/// One part of a message made of several.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part<'a> {
    /// Its `type` (or `content_type`).
    pub(super) kind: Option<Cow<'a, str>>,
    /// Its text, where it has any.
    pub(super) text: Option<String>,
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a list of parts")
    }

    others!(Content::Other);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::Missing)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(Content::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(Content::Parts(vec![PartVisitor.visit_map(map)?]))
    }
}

deserialize_with!(Content, ContentVisitor);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum PartKey {
    #[serde(alias = "content_type")]
    Type,
    #[serde(alias = "refusal")]
    Text,
    Value,
    #[serde(other)]
    Other,
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part of a message")
    }

    others!(|name| Part { kind: Some(Cow::Borrowed(name)), text: None });

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Part { kind: Some(Cow::Borrowed("empty")), text: None })
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Part { kind: None, text: Some(value.to_owned()) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Part { kind: Some(Cow::Borrowed("list")), text: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut part = Part::default();
        while let Some(key) = map.next_key::<PartKey>()? {
            match key {
                PartKey::Type => part.kind = map.next_value::<Loose<'de>>()?.into_label(),
                // The text of a part may itself be an object: {"text": {"value": "..."}}.
                PartKey::Text | PartKey::Value => match map.next_value::<Content<'de>>()? {
                    Content::Text(text) => part.text = Some(text),
                    Content::Parts(inner) => {
                        part.text = inner.into_iter().find_map(|inner| inner.text);
                    }
                    Content::Missing | Content::Other(_) => {}
                },
                PartKey::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(part)
    }
}

deserialize_with!(Part, PartVisitor);

#[cfg(test)]
mod tests {
    use super::*;

    fn content(json: &str) -> Content<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn text_is_found_in_strings_parts_and_single_objects() {
        assert_eq!(content(r#""a\nb""#), Content::Text("a\nb".to_owned()));
        assert_eq!(content("null"), Content::Missing);
        assert_eq!(content("7"), Content::Other("a number"));
        let part = Part { kind: Some(Cow::Borrowed("text")), text: Some("x".to_owned()) };
        assert_eq!(content(r#"{"type":"text","text":{"value":"x","annotations":[]}}"#), Content::Parts(vec![part]));
    }

    #[test]
    fn parts_of_any_kind_are_accepted() {
        let Content::Parts(parts) = content(r#"["a",null,1,[2],{"type":"image"},{"text":null}]"#) else { panic!() };
        let kinds: Vec<_> = parts.iter().map(|part| part.kind.as_deref().unwrap_or("-")).collect();
        assert_eq!(kinds, ["-", "empty", "a number", "list", "image", "-"]);
    }
}
