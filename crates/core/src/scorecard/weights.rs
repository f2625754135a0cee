//! How much each metric counts, as exact decimals.

use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::problem::{Problem, toml_place};
use crate::rubric::Rubric;

/// A weight of at least 0, exact to six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u64);

/// The most a weight can be.
const LARGEST: f64 = 1_000_000.0;

impl Weight {
    /// The weight every metric has unless the user says otherwise.
    pub const ONE: Self = Self(1_000_000);

    /// A weight from a decimal number; `None` when it is negative, too large or finer than six decimals.
    pub fn from_decimal(number: f64) -> Option<Self> {
        let millionths = (number * 1e6).round();
        let exact = (number * 1e6 - millionths).abs() < 1e-3;
        // The range check comes before the cast, so the cast cannot lose anything; NaN fails it.
        (exact && (0.0..=LARGEST).contains(&number)).then_some(Self(millionths as u64))
    }

    pub(super) fn millionths(self) -> u128 {
        u128::from(self.0)
    }

    fn as_decimal(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_decimal())
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_decimal())
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl de::Visitor<'_> for NumberVisitor {
            type Value = f64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E>(self, number: f64) -> Result<f64, E> {
                Ok(number)
            }

            fn visit_i64<E>(self, number: i64) -> Result<f64, E> {
                Ok(number as f64)
            }

            fn visit_u64<E>(self, number: u64) -> Result<f64, E> {
                Ok(number as f64)
            }
        }
        let number = deserializer.deserialize_any(NumberVisitor)?;
        Self::from_decimal(number).ok_or_else(|| {
            de::Error::custom(format!("{number} is not a weight: expected 0 to {LARGEST}, six decimals at most"))
        })
    }
}

impl JsonSchema for Weight {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Weight".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": LARGEST })
    }
}

/// One weight per metric, in rubric order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    in_order: Vec<Weight>,
    keys: Vec<String>,
}

impl Weights {
    /// Every metric counts the same.
    pub fn equal(rubric: &Rubric) -> Self {
        let keys: Vec<String> = rubric.metrics().iter().map(|metric| metric.key.clone()).collect();
        Self { in_order: vec![Weight::ONE; keys.len()], keys }
    }

    /// Weights by metric key; a metric that is not named counts 1.
    pub fn from_map(rubric: &Rubric, map: &IndexMap<String, Weight>) -> Result<Self, Problem> {
        let mut weights = Self::equal(rubric);
        for (key, &weight) in map {
            let unknown = || {
                let known = format!("use one of {}", weights.keys.join(", "));
                Problem::new(format!("the rubric has no metric {key}")).advice(known)
            };
            let position = rubric.metric_position(key).ok_or_else(unknown)?;
            weights.in_order[position] = weight;
        }
        if weights.in_order.iter().all(|weight| weight.0 == 0) {
            let problem = Problem::new("all weights are 0, so nothing would count");
            return Err(problem.advice("give at least one metric a weight above 0"));
        }
        Ok(weights)
    }

    /// Reads weights from TOML (`Empathy = 2`) or JSON (`{"Empathy": 2}`).
    pub fn parse(rubric: &Rubric, text: &str) -> Result<Self, Problem> {
        let fix = "write one line per metric, such as `Empathy = 2`";
        let map: IndexMap<String, Weight> = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| Problem::json(&error).advice(fix))?
        } else {
            toml::from_str(text).map_err(|error| Problem::located(toml_place(text, &error), error.message(), fix))?
        };
        Self::from_map(rubric, &map)
    }

    /// The weights in rubric order.
    pub fn in_order(&self) -> impl Iterator<Item = Weight> {
        self.in_order.iter().copied()
    }

    /// The weights by key, or nothing when all are equal: a report then needs no word about them.
    pub fn to_map(&self) -> Option<IndexMap<String, Weight>> {
        let equal = self.in_order.iter().all(|&weight| weight == Weight::ONE);
        (!equal).then(|| self.keys.iter().cloned().zip(self.in_order()).collect())
    }
}
