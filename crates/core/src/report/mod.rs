//! The report: the one versioned record that everything downstream reads, projected into several formats.

mod assemble;
mod csv;
mod evidence;
mod judges;
mod junit;
mod markdown;
mod panel_info;
mod schema;
mod text;
mod wording;

pub mod names;
pub mod places;
pub mod safe_text;

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use assemble::Source;
pub use csv::{checks_header, checks_rows, csv_header, csv_row, csv_text};
pub use judges::agreement as agreement_line;
pub use junit::{junit, junit_refused, junit_suite};
pub use markdown::{escape_markdown, markdown};
pub use panel_info::{Agreement, Estimate, GatePolicy, PanelInfo, TiePolicy};
pub use schema::{report_schema, rubric_schema, verdicts_schema};
pub use text::{TextStyle, columns, text, wrap};

use crate::audit::Finding;
use crate::score::Score;
use crate::scorecard::Weight;
use crate::transcript::Turn;
use crate::verdict::{Basis, Confidence, Highlight, JudgeInfo, Moment};

/// The name of the report format this version writes.
pub const REPORT_SCHEMA: &str = "carelock/report/1";

/// One judge's report on one chat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The format of this report: `carelock/report/1`.
    pub schema: String,
    /// The chat.
    pub transcript: TranscriptInfo,
    /// The rubric it was judged by.
    pub rubric: RubricInfo,
    /// Who judged.
    pub judge: JudgeInfo,
    /// The overall score; null when it is undetermined.
    pub overall: Option<Score>,
    /// Why there is no overall score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undetermined: Option<String>,
    /// The mean of the metrics that have a score, where others have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_partial: Option<Score>,
    /// What the overall score would be without any gate; only where one was tripped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_ungated: Option<Score>,
    /// The share of checks that have a verdict.
    pub coverage: Score,
    /// The weights, where they are not all equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<IndexMap<String, Weight>>,
    /// The gates that were tripped.
    pub gates: Vec<GateReport>,
    /// The chat, turn by turn.
    pub turns: Vec<Turn>,
    /// The turns that matter.
    pub moments: Vec<Moment>,
    /// What went well.
    pub positive: Vec<Highlight>,
    /// What went wrong, and what would have been better.
    pub negative: Vec<Highlight>,
    /// The metrics in rubric order.
    pub metrics: IndexMap<Arc<str>, MetricReport>,
    /// Everything the self-audit saw, in its order.
    pub audit: Vec<Finding>,
    /// One sentence.
    pub summary: String,
    /// The judges behind this report, where there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Box<PanelInfo>>,
    /// What else is known of the chat, for people: no part of the record.
    #[serde(skip)]
    pub heading: Heading,
}

/// What stands in the heading of a report where it is known. The record does not carry it, so that the same verdicts give
/// the same bytes whenever they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What the conversation is called in the data it came from.
    pub title: Option<String>,
    /// When the last judge answered, such as `2026-11-18 04:10 UTC`.
    pub judged: Option<String>,
}

/// Which chat a report is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TranscriptInfo {
    /// The chat's id.
    pub id: String,
    /// A digest of who said what in which order.
    pub hash: String,
    /// Messages and parts that are not turns, counted by what they were.
    #[serde(default)]
    pub dropped: BTreeMap<String, usize>,
}

/// Which rubric a report was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RubricInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A digest of everything in it.
    pub hash: String,
}

/// A gate that was tripped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateReport {
    /// The metric that became 0.00.
    pub metric: Arc<str>,
    /// The check that tripped it.
    pub check: Arc<str>,
    /// What the AI did, in a few words.
    pub says: String,
    /// The most the overall score can be.
    pub cap: Score,
    /// What the overall score would have been without this gate alone: other gates hold. Null where that is not known.
    pub without: Option<Score>,
    /// The turns cited.
    pub turns: Vec<u32>,
    /// Words from one of them: the judge's quote, or the turn's first sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The judge's reason.
    pub why: String,
}

/// One metric of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MetricReport {
    /// The score; null when a check is unscored.
    pub score: Option<Score>,
    /// Ids of the moments it rests on.
    pub ev: Vec<u32>,
    /// Why, in a few words.
    pub why: String,
    /// The tier's name; null where there is no score, or a gate made it 0.00.
    pub tier: Option<String>,
    /// Checks passed.
    pub passes: usize,
    /// Passes that were observed, or looked for in the whole chat.
    pub earned: usize,
    /// Passes whose condition never arose.
    pub not_triggered: usize,
    /// Checks failed.
    pub failed: usize,
    /// Checks without a verdict.
    pub unscored: usize,
    /// The checks that tripped this metric's gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gate: Vec<Arc<str>>,
    /// The checks by id.
    pub checks: IndexMap<Arc<str>, CheckReport>,
}

/// One check of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Met or not met; null where there is no verdict.
    pub pass: Option<bool>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unscored: Option<String>,
    /// What the verdict rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The turns cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
    /// Words that stand in one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How sure the judge is; absent where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The check whose failure entailed this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entailed_by: Option<Arc<str>>,
    /// What the judge had said before the audit turned its pass into a fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Box<CheckReport>>,
}

impl Report {
    /// Whether any gate was tripped.
    pub fn is_gated(&self) -> bool {
        !self.gates.is_empty()
    }

    /// Whether some check could not be judged.
    pub fn has_unscored(&self) -> bool {
        self.metrics.values().any(|metric| metric.unscored > 0)
    }

    /// All checks with their metric, in rubric order.
    pub fn checks(&self) -> impl Iterator<Item = (&str, &str, &CheckReport)> {
        self.metrics.iter().flat_map(|(metric, report)| {
            report.checks.iter().map(move |(id, check)| (metric.as_ref(), id.as_ref(), check))
        })
    }
}

#[cfg(test)]
mod format_tests;
