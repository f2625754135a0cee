//! Values of the settings file that are checked while they are read, so that errors name their place.

use std::fmt;

use carelock_judge::provider::Cost;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

use toml::Spanned;

use crate::judge_kind::JudgeKind;

/// A judge's name as it is shown, where it is one.
pub(super) fn canonical(name: &str) -> String {
    JudgeKind::parse(name).map_or_else(|_| name.to_owned(), |judge| judge.to_string())
}

/// One judge's name, or a list of them with the place of each. They are checked once the file is read.
#[derive(Debug)]
pub(super) struct Judges(pub(super) Vec<(Option<usize>, String)>);

impl Judges {
    /// The names as they are shown.
    pub(super) fn names(self) -> Vec<String> {
        self.0.iter().map(|(_, name)| canonical(name)).collect()
    }
}

impl<'de> Deserialize<'de> for Judges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore).map(Self)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Vec<(Option<usize>, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a judge such as \"openai:gpt-6-luna\", or a list of them")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![(None, text.to_owned())])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut judges = Vec::new();
        while let Some(name) = list.next_element::<Spanned<String>>()? {
            judges.push((Some(name.span().start), name.into_inner()));
        }
        Ok(judges)
    }
}

/// A whole number of at least 1.
#[derive(Debug)]
pub(super) struct Positive(pub(super) u32);

impl<'de> Deserialize<'de> for Positive {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let fits = u32::try_from(number).ok().filter(|number| *number > 0);
        fits.map(Self).ok_or_else(|| de::Error::custom("expected a whole number of at least 1"))
    }
}

/// An amount of dollars, as a number or a text; kept as it was typed.
#[derive(Debug)]
pub(super) struct Amount(pub(super) String);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Dollars).map(Self)
    }
}

struct Dollars;

impl Dollars {
    fn read<E: de::Error>(text: &str) -> Result<String, E> {
        let read: Result<Cost, _> = text.parse();
        read.map(|_| text.to_owned()).map_err(|_| E::custom("expected an amount of dollars such as 0.50"))
    }
}

impl Visitor<'_> for Dollars {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount of dollars such as 0.50")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<String, E> {
        // The shortest text of a float is what was typed.
        Self::read(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<String, E> {
        Self::read(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Self::read(text)
    }
}
