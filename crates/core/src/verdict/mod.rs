//! A judge's answers: what was sent, what of it stands up, and what could not be judged.

mod admit;
mod confidence;
mod moments;
mod needed;
mod reading;
mod sheet;
mod submission;
mod writing;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use admit::on_the_menu;
pub use confidence::Confidence;
pub use needed::Needed;
pub(crate) use needed::rests_on_evidence;
pub use sheet::{read_sheet, sheet_csv, sheet_json};
pub use submission::{
    Answer, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission, Tokens, TranscriptRef, VERDICTS_SCHEMA,
};

use crate::audit::Finding;
use crate::rubric::Rubric;
use crate::transcript::Speaker;

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Turns are cited.
    Observed,
    /// It was looked for in the whole chat and is not there.
    Absent,
    /// Its condition never arose.
    NotTriggered,
}

impl std::fmt::Display for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Observed => "observed",
            Self::Absent => "absent",
            Self::NotTriggered => "not_triggered",
        })
    }
}

/// The answer to one check, after its evidence was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The check was judged.
    Judged(Judged),
    /// The check could not be judged, and why. Never a pass, a fail or a zero.
    Unscored(String),
}

/// A check that was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Met or not met.
    pub pass: bool,
    /// What that rests on.
    pub basis: Basis,
    /// The turns cited, in order.
    pub turns: Vec<u32>,
    /// Words proven to stand in one of those turns.
    pub quote: Option<String>,
    /// The judge's reason.
    pub why: String,
    /// How sure the judge is, where it says so.
    pub confidence: Option<Confidence>,
}

impl Verdict {
    /// Pass or fail, or nothing where there is no verdict.
    pub fn pass(&self) -> Option<bool> {
        match self {
            Self::Judged(judged) => Some(judged.pass),
            Self::Unscored(_) => None,
        }
    }
}

/// A turn that matters, with the words that make it matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// Its number, from 1.
    pub id: u32,
    /// The turn.
    pub idx: u32,
    /// Who said it.
    pub speaker: Speaker,
    /// A verbatim part of that turn.
    pub quote: String,
    /// Why it matters.
    pub why: String,
}

/// One judge's answers on one transcript, with every piece of evidence proven.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// Who judged.
    pub judge: JudgeInfo,
    /// One verdict per check, in rubric order.
    pub checks: Vec<Verdict>,
    /// Up to as many moments as the rubric allows.
    pub moments: Vec<Moment>,
    /// The judge's wording per metric, in rubric order: evidence and reason.
    pub wording: Vec<MetricWording>,
    /// What went well.
    pub positive: Vec<Highlight>,
    /// What went wrong, and what would have been better.
    pub negative: Vec<Highlight>,
    /// The judge's one sentence, if it is short enough.
    pub summary: Option<String>,
    /// What was fixed or flagged on the way.
    pub findings: Vec<Finding>,
}

impl Verdicts {
    /// Verdicts for a chat no judge could answer: every check is unscored for the same reason.
    pub fn unscored(rubric: &Rubric, judge: JudgeInfo, reason: &str) -> Self {
        Self {
            judge,
            checks: vec![Verdict::Unscored(reason.to_owned()); rubric.checks().len()],
            moments: Vec::new(),
            wording: vec![MetricWording::default(); rubric.metrics().len()],
            positive: Vec::new(),
            negative: Vec::new(),
            summary: None,
            findings: Vec::new(),
        }
    }
}

/// The number of words, as people count them.
pub(crate) fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}
