//! JSON values read without insisting on a type, so that one odd field does not cost the whole chat.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Visitor methods for the simple kinds of value a caller has no use for.
macro_rules! others {
    ($wrap:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($wrap("a boolean"))
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
    };
}

/// `Deserialize` by a visitor that accepts any value.
macro_rules! deserialize_with {
    ($type:ident, $visitor:expr) => {
        impl<'de: 'a, 'a> Deserialize<'de> for $type<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}

pub(super) use {deserialize_with, others};

/// A value of which only the simple kinds are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Loose<'a> {
    /// Absent or `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Fraction(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// A list, of which only the length is kept.
    List(usize),
    /// An object, of which only its `role` or, failing that, its `name` or `id` is kept.
    Object(Option<Cow<'a, str>>),
}

impl<'a> Loose<'a> {
    /// The value as a label or an id: text as it stands, whole numbers in digits, an object by its role or name.
    pub(super) fn into_label(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Whole(number) => Some(Cow::Owned(number.to_string())),
            Self::Bool(value) => Some(Cow::Owned(value.to_string())),
            Self::Object(name) => name,
            Self::Null | Self::Fraction(_) | Self::List(_) => None,
        }
    }

    /// How many things the value stands for: the length of a list, one for anything else that is there.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Null | Self::Bool(false) => 0,
            Self::List(length) => *length,
            Self::Text(text) => usize::from(!text.is_empty()),
            Self::Bool(true) | Self::Whole(_) | Self::Fraction(_) | Self::Object(_) => 1,
        }
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum NameKey {
    Role,
    Name,
    Id,
    #[serde(other)]
    Other,
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Loose::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Loose::Whole(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        // Beyond i64 nothing is a turn number or an id we could compare; keep it as a number without promise.
        Ok(i64::try_from(value).map_or(Loose::Fraction(value as f64), Loose::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Loose::Fraction(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut length = 0;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(Loose::List(length))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut role, mut name) = (None, None);
        while let Some(key) = map.next_key::<NameKey>()? {
            match key {
                NameKey::Role => role = map.next_value::<Loose<'de>>()?.into_label(),
                NameKey::Name | NameKey::Id => {
                    name = map.next_value::<Loose<'de>>()?.into_label().or(name);
                }
                NameKey::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Loose::Object(role.or(name)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(json: &str) -> Loose<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_kind_of_value_is_accepted() {
        assert_eq!(loose("null"), Loose::Null);
        assert_eq!(loose("7"), Loose::Whole(7));
        assert_eq!(loose("18446744073709551615").into_label(), None);
        assert_eq!(loose("[1,[2],{}]"), Loose::List(3));
        assert_eq!(loose(r#""a\nb""#).into_label().unwrap(), "a\nb");
    }

    #[test]
    fn an_object_is_known_by_its_role_before_its_name() {
        assert_eq!(loose(r#"{"name":"Ana","role":"user"}"#).into_label().unwrap(), "user");
        assert_eq!(loose(r#"{"name":"Ana","x":[1]}"#).into_label().unwrap(), "Ana");
        assert_eq!(loose(r#"{"x":1}"#).into_label(), None);
    }
}
