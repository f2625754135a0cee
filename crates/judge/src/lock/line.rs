//! An entry as one line of canonical JSON, sealed with a digest of itself.

use carelock_core::verdict::{Answer, Basis, Confidence, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::entry::{Circumstances, Entry, KeptCheck};
use super::key::{Key, LockQuestion, short};

/// Why a line is no entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is not the JSON expected.
    #[error("{0}")]
    Shape(String),
    /// Its key is not that of what it says was asked.
    #[error("its key does not belong to the chat, judge, parameters and prompt it names")]
    WrongKey,
    /// Something in it was changed after it was written.
    #[error("its content does not match its seal: it was changed by hand or damaged")]
    BrokenSeal,
}

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    asked: LockQuestion,
    checks: Vec<KeptCheck>,
    #[serde(flatten)]
    circumstances: Circumstances,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judge_note: Option<String>,
    key: String,
    metrics: Vec<MetricLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    moments: Vec<RawMoment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    negative: Vec<Highlight>,
    positive: Vec<Highlight>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reported_parameters: Option<Map<String, Value>>,
    rubric: RubricLine,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
}

#[derive(Serialize, Deserialize)]
struct RubricLine {
    name: String,
    version: String,
}

#[derive(Serialize, Deserialize)]
struct MetricLine {
    metric: String,
    #[serde(flatten)]
    wording: MetricWording,
}

/// An answer as it stands in a line.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Answer")]
pub(super) struct AnswerLine {
    pass: Pass,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    turns: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    why: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
}

impl Entry {
    /// The entry as one line: sorted names, no line end. The same entry always gives the same bytes.
    pub fn to_line(&self) -> String {
        // The line has text keys only, so this cannot fail; if it did, the seal would refuse the line.
        let mut line = serde_json::to_value(Line::from(self)).unwrap_or_default();
        let sealed = seal(&mut line);
        line["seal"] = sealed.into();
        line.sort_all_objects();
        line.to_string()
    }

    /// Reads a line back; one whose key or seal is wrong is refused.
    pub fn from_line(text: &str) -> Result<Self, LineError> {
        let shape = |error: serde_json::Error| LineError::Shape(error.to_string());
        let mut value: Value = serde_json::from_str(text).map_err(shape)?;
        let sealed = value.as_object_mut().and_then(|line| line.remove("seal"));
        let seal = seal(&mut value);
        let line = Line::deserialize(value).map_err(shape)?;
        if sealed.is_none_or(|sealed| sealed != seal) {
            return Err(LineError::BrokenSeal);
        }
        let key = Key::from_digits(&line.key);
        let entry = Self::from(line);
        if key == Some(entry.key()) { Ok(entry) } else { Err(LineError::WrongKey) }
    }
}

/// A digest of a line without its seal, whatever the order of its names.
fn seal(line: &mut Value) -> String {
    line.sort_all_objects();
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"carelock/lock-seal/1");
    hasher.update(line.to_string().as_bytes());
    short(&hasher)
}

impl From<&Entry> for Line {
    fn from(entry: &Entry) -> Self {
        let Entry { asked, rubric, judge, .. } = entry.clone();
        let line = |(metric, wording): (String, MetricWording)| MetricLine { metric, wording };
        Self {
            checks: entry.checks.clone(),
            circumstances: entry.circumstances.clone(),
            cost: judge.cost,
            judge_note: judge.note,
            key: asked.key().to_string(),
            metrics: entry.metrics.iter().cloned().map(line).collect(),
            model: judge.model,
            moments: entry.moments.clone(),
            name: (judge.name != asked.judge).then_some(judge.name),
            negative: entry.negative.clone(),
            positive: entry.positive.clone(),
            reported_parameters: (judge.parameters != asked.parameters).then_some(judge.parameters),
            rubric: RubricLine { name: rubric.0, version: rubric.1 },
            summary: entry.summary.clone(),
            tokens: judge.tokens,
            asked,
        }
    }
}

impl From<Line> for Entry {
    fn from(line: Line) -> Self {
        let judge = JudgeInfo {
            name: line.name.unwrap_or_else(|| line.asked.judge.clone()),
            model: line.model,
            parameters: line.reported_parameters.unwrap_or_else(|| line.asked.parameters.clone()),
            tokens: line.tokens,
            cost: line.cost,
            cached: None,
            note: line.judge_note,
        };
        Self {
            asked: line.asked,
            rubric: (line.rubric.name, line.rubric.version),
            circumstances: line.circumstances,
            judge,
            checks: line.checks,
            moments: line.moments,
            metrics: line.metrics.into_iter().map(|line| (line.metric, line.wording)).collect(),
            positive: line.positive,
            negative: line.negative,
            summary: line.summary,
        }
    }
}
