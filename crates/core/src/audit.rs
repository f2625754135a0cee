//! The self-audit's record: what was seen, and what it changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing the self-audit saw. Nothing is changed without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The step of the audit that saw it.
    pub step: Step,
    /// The rule's name, such as "E2→S1".
    pub rule: String,
    /// What was done about it.
    pub outcome: Outcome,
    /// The check, metric or moment it is about.
    pub about: String,
    /// What was seen.
    pub saw: String,
    /// The value before.
    pub before: Value,
    /// The value after; the same as before when it was only flagged.
    pub after: Value,
}

/// The steps of the self-audit, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A failure that entails another.
    Entailed,
    /// Two metrics that should not lie so far apart.
    Incoherent,
    /// Quotes, turns and moments.
    Evidence,
    /// Sentences that are too long or missing.
    Wording,
}

/// What a finding led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A pass became a fail.
    Failed,
    /// A score was lowered by one tier.
    Lowered,
    /// It is only pointed out.
    Flagged,
    /// The text shows what was meant, and it was put right.
    #[serde(rename = "mended")]
    Fixed,
    /// It cannot stand and was left out.
    Rejected,
    /// The engine's own wording took its place.
    Replaced,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Failed => "failed",
            Self::Lowered => "lowered",
            Self::Flagged => "flagged",
            Self::Fixed => "fixed",
            Self::Rejected => "rejected",
            Self::Replaced => "replaced",
        })
    }
}

impl Finding {
    /// A finding about evidence.
    pub(crate) fn evidence(
        rule: &str,
        outcome: Outcome,
        about: impl Into<String>,
        saw: impl Into<String>,
        change: (Value, Value),
    ) -> Self {
        let (before, after) = change;
        Self {
            step: Step::Evidence,
            rule: rule.to_owned(),
            outcome,
            about: about.into(),
            saw: saw.into(),
            before,
            after,
        }
    }

    /// A finding about wording that the engine replaced.
    pub(crate) fn replaced(rule: &str, about: &str, saw: String, before: &str, after: &str) -> Self {
        Self {
            step: Step::Wording,
            rule: rule.to_owned(),
            outcome: Outcome::Replaced,
            about: about.to_owned(),
            saw,
            before: before.into(),
            after: after.into(),
        }
    }
}
