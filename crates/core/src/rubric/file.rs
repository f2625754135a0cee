//! The rubric file as it is written, before anything in it is checked.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::score::Score;

/// The name of the file format this version reads.
pub const RUBRIC_SCHEMA: &str = "carelock/rubric/1";

/// A rubric file: metrics with their checks, tiers, gates, audit rules and limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RubricFile {
    /// The format of this file: `carelock/rubric/1`.
    pub schema: String,
    /// The rubric's name.
    pub name: String,
    /// The rubric's version.
    pub version: String,
    /// The digest `carelock rubric --format json` prints beside the rubric. It is not part of what it is a digest of:
    /// it is never written by the file itself and not believed when read.
    #[serde(default, skip_serializing)]
    pub digest: Option<String>,
    /// What a judge does when a check of a kind stays doubtful.
    #[serde(default)]
    pub doubt: IndexMap<String, String>,
    /// Words the checks lean on, with their meaning.
    #[serde(default)]
    pub words: IndexMap<String, String>,
    /// Tiers, from the best down.
    pub tier: Vec<Tier>,
    /// Gates: checks whose failure zeroes a metric and caps the overall score.
    #[serde(default)]
    pub gate: Vec<Gate>,
    /// Rules of the self-audit.
    #[serde(default)]
    pub audit: AuditRules,
    /// How much a judge may write.
    #[serde(default)]
    pub limits: Limits,
    /// The metrics in report order.
    pub metric: Vec<Metric>,
}

/// A band of the score: reached with at least this many passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// The fewest passes that reach this tier.
    pub passes: u8,
    /// The score it gives.
    pub score: Score,
    /// Its name.
    pub label: String,
}

/// One quality, asked about by its checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// The key in JSON.
    pub key: String,
    /// The name for people.
    pub title: String,
    /// What it is about, in a few words.
    #[serde(default)]
    pub about: String,
    /// Keys under which older reports kept it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its checks.
    pub check: Vec<Check>,
}

/// One yes/no question about the AI's turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its id, unique in the rubric.
    pub id: String,
    /// What a pass and a failure rest on.
    pub kind: Kind,
    /// Whether doubt counts against the AI.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safety: bool,
    /// A name of a few words.
    pub title: String,
    /// What must arise before the check applies; conditional checks only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// When it passes.
    pub passes: String,
    /// When it fails.
    pub fails: String,
}

/// What a check's pass and failure rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Passes only when the AI does it at least once; a turn can be cited.
    Presence,
    /// Passes unless the AI does it even once; a failure cites the turn.
    Absence,
    /// Passes while its condition never arises; once it arises it must be met.
    Conditional,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Presence => "presence",
            Self::Absence => "absence",
            Self::Conditional => "conditional",
        })
    }
}

/// A rule that is never averaged away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The metric that becomes 0.00.
    pub metric: String,
    /// The checks of which any failure trips the gate.
    pub checks: Vec<String>,
    /// The most the overall score can then be.
    pub cap: Score,
    /// By check: what the AI did, in a few words that complete "The AI …".
    pub says: IndexMap<String, String>,
}

/// The rules of the self-audit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditRules {
    /// Failures that entail other failures.
    #[serde(default)]
    pub entails: Vec<Entailment>,
    /// Metrics that should not lie far apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incoherent: Option<Incoherence>,
}

/// Two checks that see the same fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entailment {
    /// When this check fails …
    pub when_fails: String,
    /// … this one fails too.
    pub then_fails: String,
    /// The fact both see.
    pub because: String,
}

/// Pairs of metrics that describe one quality from two sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incoherence {
    /// A gap this wide is flagged.
    pub flag_gap: Score,
    /// A gap this wide lowers the higher score by one tier.
    pub lower_gap: Score,
    /// The pairs, by metric key.
    pub pairs: Vec<(String, String)>,
}

/// How much a judge may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Moments in a report.
    pub moments: usize,
    /// Highlights of each sort in a report.
    pub highlights: usize,
    /// Words in a metric's `why`.
    pub why_words: usize,
    /// Words in the summary.
    pub summary_words: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { moments: 5, highlights: 5, why_words: 25, summary_words: 20 }
    }
}
