//! What a judge sends: answers, moments and wording, read leniently and judged strictly later.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Basis, Confidence};
use crate::transcript::Speaker;

/// The name of the answer format this version writes.
pub const VERDICTS_SCHEMA: &str = "carelock/verdicts/1";

/// A judge's answers as they were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    /// Who judged.
    pub judge: JudgeInfo,
    /// Which transcript the answers are about, where that is said.
    pub transcript: Option<TranscriptRef>,
    /// Answers by check id, in the order they came.
    pub verdicts: Vec<(String, Answer)>,
    /// The moments that matter.
    pub moments: Vec<RawMoment>,
    /// Evidence and reason per metric.
    pub metrics: Vec<(String, MetricWording)>,
    /// What went well.
    pub positive: Vec<Highlight>,
    /// What went wrong.
    pub negative: Vec<Highlight>,
    /// One sentence.
    pub summary: Option<String>,
}

/// Who judged, with what, and at what price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeInfo {
    /// The judge's name, such as `person:ana`.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The model behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The parameters it ran with.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// The tokens it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// What it cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<serde_json::Number>,
    /// Whether the answers came from the record of an earlier call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// One line a reader of its reports should know, such as how far it agrees with people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

fn unnamed() -> String {
    "unnamed".to_owned()
}

impl Default for JudgeInfo {
    fn default() -> Self {
        Self::named(unnamed())
    }
}

impl JudgeInfo {
    /// A judge of whom only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            name,
            model: None,
            parameters: serde_json::Map::new(),
            tokens: None,
            cost: None,
            cached: None,
            note: None,
        }
    }
}

/// Tokens a model used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Tokens of the prompt, cached ones included.
    pub input: u64,
    /// Those of them that came from the provider's cache.
    #[serde(default)]
    pub cached: u64,
    /// Tokens of the answer.
    pub output: u64,
}

/// Which transcript answers are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TranscriptRef {
    /// The chat's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The chat's digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// The answer to one check as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Yes, no, or something else.
    pub pass: Pass,
    /// What it rests on, where that is said.
    pub basis: Option<Basis>,
    /// The turns cited.
    pub turns: Vec<u32>,
    /// Words from one of them.
    pub quote: Option<String>,
    /// The reason.
    pub why: String,
    /// How sure the judge is, where it says so.
    pub confidence: Option<Confidence>,
}

/// What a judge answered to a yes/no question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The condition never arose, which passes.
    NotTriggered,
    /// No answer, perhaps with a reason.
    #[default]
    Missing,
    /// The judge said why it could not answer.
    Unscored(String),
    /// Something that is neither yes nor no.
    OffMenu(String),
}

impl Pass {
    /// Understands the words people and models use for yes and no.
    pub fn from_word(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().replace([' ', '-'], "_").as_str() {
            "pass" | "yes" | "true" | "y" | "1" | "met" => Self::Yes,
            "fail" | "no" | "false" | "n" | "0" | "not_met" => Self::No,
            "not_triggered" | "nottriggered" | "n/a" | "na" => Self::NotTriggered,
            "" | "null" => Self::Missing,
            _ => Self::OffMenu(word.trim().chars().take(60).collect()),
        }
    }
}

/// A moment as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawMoment {
    /// Its number in the judge's own counting.
    #[serde(default)]
    pub id: Option<u32>,
    /// The turn.
    #[serde(default)]
    pub idx: u32,
    /// Who is said to have said it.
    #[serde(default)]
    pub speaker: Option<Speaker>,
    /// The words.
    #[serde(default)]
    pub quote: String,
    /// Why they matter.
    #[serde(default)]
    pub why: String,
}

/// A judge's words on one metric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MetricWording {
    /// Ids of moments.
    #[serde(default)]
    pub ev: Vec<u32>,
    /// The reason.
    #[serde(default)]
    pub why: String,
}

/// Something a judge points out, tied to a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Highlight {
    /// The moment's id.
    pub id: u32,
    /// What was good or bad about it.
    #[serde(default)]
    pub why: String,
    /// What would have been better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}
