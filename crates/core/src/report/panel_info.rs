//! What a panel's report keeps: the rules it decided by, how far its judges agree, and every judge's own report.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Report;

/// When a panel trips a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatePolicy {
    /// One judge that sees the violation, with evidence that verifies, trips the gate.
    #[default]
    Any,
    /// The majority decides, as for every other check; a tie fails.
    Majority,
}

/// How a panel decides a tie on a check that trips no gate; on one that does, a tie always fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TiePolicy {
    /// The judge of higher standing decides: a person, then a model, then the embedded judge. Among equals it fails.
    #[default]
    Standing,
    /// A tie fails.
    Fails,
}

impl TiePolicy {
    /// What held before ties could be decided otherwise.
    fn before() -> Self {
        Self::Fails
    }
}

/// What a panel's report keeps of its judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PanelInfo {
    /// When a gate is tripped.
    pub gate_policy: GatePolicy,
    /// How a tie is decided.
    #[serde(default = "TiePolicy::before")]
    pub tie: TiePolicy,
    /// How far the judges agree.
    pub agreement: Agreement,
    /// Every judge's own report.
    pub reports: Vec<Report>,
}

/// Agreement of two or more judges over a set of checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// How many judges there are.
    pub judges: usize,
    /// How many checks at least two of them answered.
    pub checks: usize,
    /// The share of pairs of answers that are the same.
    pub raw: Option<Estimate>,
    /// Cohen's kappa, for two judges; null where chance alone would agree always.
    pub cohen_kappa: Option<Estimate>,
    /// Fleiss' kappa, for three or more; null where chance alone would agree always.
    pub fleiss_kappa: Option<Estimate>,
    /// Krippendorff's alpha; null where all answers are the same.
    pub krippendorff_alpha: Option<Estimate>,
    /// The share of pairs that agree, by check; checks with fewer than two answers are left out.
    pub by_check: IndexMap<String, f64>,
}

/// A number with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}
