//! An entry as one line of canonical JSON, sealed with a digest of itself.

use carelock_core::verdict::{Answer, Basis, Confidence, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::entry::{Circumstances, Entry, KeptCheck};
use super::key::{Asked, Key, short};

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
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<Vec<String>>,
    chat: String,
    checks: Vec<CheckLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    judge: String,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    parameters: Map<String, Value>,
    positive: Vec<Highlight>,
    prompt: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    repaired: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reported_parameters: Option<Map<String, Value>>,
    rubric: RubricLine,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    seal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    transcript: String,
    #[serde(default)]
    windows: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RubricLine {
    name: String,
    version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricLine {
    metric: String,
    ev: Vec<u32>,
    why: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckLine {
    id: String,
    digest: String,
    pass: PassLine,
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

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PassLine {
    Yes,
    No,
    NotTriggered,
    Missing,
    Unscored(String),
    OffMenu(String),
}

impl Entry {
    /// The entry as one line: sorted names, no line end. The same entry always gives the same bytes.
    pub fn to_line(&self) -> String {
        let mut line = Line::from(self);
        line.seal = seal(&line);
        canonical(&line)
    }

    /// Reads a line back; one whose key or seal is wrong is refused.
    pub fn from_line(text: &str) -> Result<Self, LineError> {
        let mut line: Line = serde_json::from_str(text).map_err(|error| LineError::Shape(error.to_string()))?;
        let sealed = std::mem::take(&mut line.seal);
        if seal(&line) != sealed {
            return Err(LineError::BrokenSeal);
        }
        let key = std::mem::take(&mut line.key);
        let entry = Self::from(line);
        match Key::from_digits(&key) {
            Some(key) if key == entry.key() => Ok(entry),
            _ => Err(LineError::WrongKey),
        }
    }
}

/// A digest of the line as it is without its seal.
fn seal(line: &Line) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"carelock/lock-seal/1");
    hasher.update(canonical(line).as_bytes());
    short(&hasher)
}

fn canonical(line: &Line) -> String {
    // The line has text keys only, so this cannot fail; if it did, the seal would refuse the line.
    let mut value = serde_json::to_value(line).unwrap_or_default();
    value.sort_all_objects();
    value.to_string()
}

impl From<&Entry> for Line {
    fn from(entry: &Entry) -> Self {
        let Entry { asked, rubric, circumstances, judge, .. } = entry;
        let differs = judge.parameters != asked.parameters;
        Self {
            asked: asked.checks.clone(),
            chat: asked.chat.clone(),
            checks: entry.checks.iter().map(CheckLine::from).collect(),
            cost: judge.cost.clone(),
            created: circumstances.created.clone(),
            fingerprint: circumstances.fingerprint.clone(),
            judge: asked.judge.clone(),
            judge_note: judge.note.clone(),
            key: asked.key().to_string(),
            metrics: entry.metrics.iter().map(MetricLine::from).collect(),
            model: judge.model.clone(),
            moments: entry.moments.clone(),
            name: (judge.name != asked.judge).then(|| judge.name.clone()),
            negative: entry.negative.clone(),
            notes: circumstances.notes.clone(),
            parameters: asked.parameters.clone(),
            positive: entry.positive.clone(),
            prompt: asked.prompt.clone(),
            repaired: circumstances.repaired,
            reported_parameters: differs.then(|| judge.parameters.clone()),
            rubric: RubricLine { name: rubric.0.clone(), version: rubric.1.clone() },
            seal: String::new(),
            summary: entry.summary.clone(),
            tokens: judge.tokens,
            transcript: asked.transcript.clone(),
            windows: circumstances.windows,
        }
    }
}

impl From<Line> for Entry {
    fn from(line: Line) -> Self {
        let judge = JudgeInfo {
            name: line.name.unwrap_or_else(|| line.judge.clone()),
            model: line.model,
            parameters: line.reported_parameters.unwrap_or_else(|| line.parameters.clone()),
            tokens: line.tokens,
            cost: line.cost,
            cached: None,
            note: line.judge_note,
        };
        Self {
            asked: Asked {
                chat: line.chat,
                transcript: line.transcript,
                judge: line.judge,
                parameters: line.parameters,
                prompt: line.prompt,
                checks: line.asked,
            },
            rubric: (line.rubric.name, line.rubric.version),
            circumstances: Circumstances {
                created: line.created,
                fingerprint: line.fingerprint,
                repaired: line.repaired,
                windows: line.windows,
                notes: line.notes,
            },
            judge,
            checks: line.checks.into_iter().map(KeptCheck::from).collect(),
            moments: line.moments,
            metrics: line
                .metrics
                .into_iter()
                .map(|words| (words.metric, MetricWording { ev: words.ev, why: words.why }))
                .collect(),
            positive: line.positive,
            negative: line.negative,
            summary: line.summary,
        }
    }
}

impl From<&(String, MetricWording)> for MetricLine {
    fn from((metric, words): &(String, MetricWording)) -> Self {
        Self { metric: metric.clone(), ev: words.ev.clone(), why: words.why.clone() }
    }
}

impl From<&KeptCheck> for CheckLine {
    fn from(kept: &KeptCheck) -> Self {
        let answer = kept.answer.clone();
        let pass = match answer.pass {
            Pass::Yes => PassLine::Yes,
            Pass::No => PassLine::No,
            Pass::NotTriggered => PassLine::NotTriggered,
            Pass::Missing => PassLine::Missing,
            Pass::Unscored(reason) => PassLine::Unscored(reason),
            Pass::OffMenu(word) => PassLine::OffMenu(word),
        };
        let Answer { basis, turns, quote, why, confidence, .. } = answer;
        Self { id: kept.id.clone(), digest: kept.digest.clone(), pass, basis, turns, quote, why, confidence }
    }
}

impl From<CheckLine> for KeptCheck {
    fn from(line: CheckLine) -> Self {
        let pass = match line.pass {
            PassLine::Yes => Pass::Yes,
            PassLine::No => Pass::No,
            PassLine::NotTriggered => Pass::NotTriggered,
            PassLine::Missing => Pass::Missing,
            PassLine::Unscored(reason) => Pass::Unscored(reason),
            PassLine::OffMenu(word) => Pass::OffMenu(word),
        };
        let CheckLine { id, digest, basis, turns, quote, why, confidence, .. } = line;
        Self { id, digest, answer: Answer { pass, basis, turns, quote, why, confidence } }
    }
}
