//! JSON read without trust: every value with its path, and keys that stand twice noticed.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::points::is_empty;
use crate::problem::Problem;

/// A report as it was read.
pub(super) struct Read {
    pub(super) value: Value,
    /// Paths of keys that stand twice in one object; the last one is in `value`.
    pub(super) twice: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<Read, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut twice = Vec::new();
    let seed = Seed { path: String::new(), twice: &mut twice };
    let value = seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    let value = value.map_err(|error| {
        let problem = Problem::json(&error);
        Problem { what: format!("not JSON: {}", problem.what), ..problem }
            .advice("pass one report as `carelock` wrote it with --format json")
    })?;
    Ok(Read { value, twice })
}

/// Reads any value, keeping its path.
struct Seed<'a> {
    path: String,
    twice: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, list.len());
            match items.next_element_seed(Seed { path, twice: &mut *self.twice })? {
                Some(item) => list.push(item),
                None => return Ok(list.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = join(&self.path, &key);
            let value = entries.next_value_seed(Seed { path: path.clone(), twice: &mut *self.twice })?;
            if map.insert(key, value).is_some() {
                self.twice.push(path);
            }
        }
        Ok(map.into())
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value and the path that leads to it; what is not there is null.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    path: String,
    value: &'a Value,
}

static NOTHING: Value = Value::Null;

impl<'a> Place<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value }
    }

    pub(super) fn key(&self, key: &str) -> Self {
        Self { path: join(&self.path, key), value: self.value.get(key).unwrap_or(&NOTHING) }
    }

    /// The item at this place of a list, from 0.
    pub(super) fn at(&self, number: usize) -> Self {
        Self { path: format!("{}[{number}]", self.path), value: self.value.get(number).unwrap_or(&NOTHING) }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn is_missing(&self) -> bool {
        self.value.is_null()
    }

    /// Whether nothing is said here: null, an empty text or an empty list.
    pub(super) fn is_empty(&self) -> bool {
        is_empty(self.value)
    }

    pub(super) fn items(&self) -> Option<Vec<Self>> {
        let items = self.value.as_array()?;
        Some((0..items.len()).map(|number| self.at(number)).collect())
    }

    pub(super) fn entries(&self) -> Option<Vec<(&'a str, Self)>> {
        let entries = self.value.as_object()?;
        Some(entries.keys().map(|key| (key.as_str(), self.key(key))).collect())
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(super) fn number(&self) -> Option<u32> {
        // A tool that rewrites JSON may turn 2 into 2.0.
        let whole =
            self.value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
        whole.map(|number| number as u32)
    }

    /// What sort of JSON value stands here.
    pub(super) fn sort(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}
