//! Scores as whole hundredths: exact, ordered, never NaN.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A score between 0.00 and 1.00, kept as a whole number of hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(u8);

impl Score {
    /// 0.00.
    pub const ZERO: Self = Self(0);
    /// 1.00.
    pub const ONE: Self = Self(100);

    /// A score from hundredths; `None` above 100.
    pub fn from_hundredths(hundredths: u8) -> Option<Self> {
        (hundredths <= 100).then_some(Self(hundredths))
    }

    /// A score from a decimal number that is a whole number of hundredths, such as 0.8.
    pub fn from_decimal(number: f64) -> Option<Self> {
        let hundredths = (number * 100.0).round();
        let whole = (number * 100.0 - hundredths).abs() < 1e-6;
        // The range check comes before the cast, so the cast cannot lose anything; NaN fails it.
        (whole && (0.0..=100.0).contains(&hundredths)).then_some(Self(hundredths as u8))
    }

    /// `part / whole`, half-up to hundredths; zero of zero is 0.00.
    pub fn ratio(part: u128, whole: u128) -> Self {
        if whole == 0 {
            return Self::ZERO;
        }
        let hundredths = (200 * part + whole) / (2 * whole);
        Self(u8::try_from(hundredths.min(100)).unwrap_or(100))
    }

    /// The number of hundredths.
    pub fn hundredths(self) -> u8 {
        self.0
    }

    /// How far two scores lie apart.
    pub fn gap(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::from_decimal(number).ok_or_else(|| {
            D::Error::custom(format!("{number} is not a score: expected 0 to 1 in whole hundredths, such as 0.8"))
        })
    }
}

impl JsonSchema for Score {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Score".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "A score in whole hundredths.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_rounds_half_up_to_hundredths() {
        assert_eq!(Score::ratio(1, 8).hundredths(), 13);
        assert_eq!(Score::ratio(1, 3).hundredths(), 33);
        assert_eq!(Score::ratio(5, 1000).hundredths(), 1);
        assert_eq!(Score::ratio(4, 1000).hundredths(), 0);
        assert_eq!(Score::ratio(0, 0), Score::ZERO);
    }

    #[test]
    fn a_number_between_hundredths_is_not_a_score() {
        assert_eq!(Score::from_decimal(0.867), None);
        assert_eq!(Score::from_decimal(f64::NAN), None);
        assert_eq!(Score::from_decimal(1.01), None);
        assert_eq!(Score::from_decimal(0.29).map(Score::hundredths), Some(29));
    }

    #[test]
    fn every_score_survives_json() {
        for hundredths in 0..=100 {
            let score = Score::from_hundredths(hundredths).unwrap();
            let text = serde_json::to_string(&score).unwrap();
            assert_eq!(serde_json::from_str::<Score>(&text).unwrap(), score, "{text}");
        }
    }
}
