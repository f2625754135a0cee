//! How sure a judge is of an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How sure a judge is of its answer to one check; it changes no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The judge would answer so again.
    High,
    /// The judge could see it otherwise.
    Medium,
    /// Little more than a guess: worth a second look.
    Low,
}

impl Confidence {
    /// The confidence a word names, in any case; nothing where it names none.
    ///
    /// ```
    /// use carelock_core::verdict::Confidence;
    /// assert_eq!(Confidence::from_word(" Low "), Some(Confidence::Low));
    /// assert_eq!(Confidence::from_word("0.9"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "high" => Some(Self::High),
            "medium" => Some(Self::Medium),
            "low" => Some(Self::Low),
            _ => None,
        }
    }
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_confidence_is_read_back_from_the_word_it_is_shown_as() {
        for confidence in [Confidence::High, Confidence::Medium, Confidence::Low] {
            let word = confidence.to_string();
            assert_eq!(Confidence::from_word(&word), Some(confidence));
            assert_eq!(serde_json::to_value(confidence).unwrap(), word);
        }
    }
}
