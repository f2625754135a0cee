//! Keys: digests of everything an answer depends on.

use std::fmt;

use carelock_core::rubric::{Check, Rubric};
use carelock_core::transcript::Transcript;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What was asked of whom: a chat, a judge, its parameters and the prompt. The rubric takes part check by check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockQuestion {
    /// The chat's name, for messages and for readers of the lock; it takes no part in the key.
    pub chat: String,
    /// The digest of the chat's turns.
    pub transcript: String,
    /// The judge as the user names it, `provider:model`.
    pub judge: String,
    /// Everything sent beside the prompt that can change an answer: temperature, window size, redaction …
    pub parameters: Map<String, Value>,
    /// The digest of the prompt's own text, without the rubric and the chat that are put into it.
    pub prompt: String,
    /// The checks that are asked, where it is not all of them.
    #[serde(rename = "asked", default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
}

impl LockQuestion {
    /// What is asked about a chat.
    pub fn new(
        transcript: &Transcript,
        judge: impl Into<String>,
        parameters: Map<String, Value>,
        prompt: impl Into<String>,
    ) -> Self {
        Self {
            chat: transcript.id().to_owned(),
            transcript: transcript.digest(),
            judge: judge.into(),
            parameters,
            prompt: prompt.into(),
            checks: None,
        }
    }

    /// The same, with only these checks asked. What else is asked beside a check can change its answer, so they take part
    /// in the key.
    pub fn only(self, checks: &[String]) -> Self {
        Self { checks: Some(checks.to_vec()), ..self }
    }

    /// Whether a check is among those asked.
    pub fn asks(&self, check: &str) -> bool {
        self.checks.as_ref().is_none_or(|checks| checks.iter().any(|asked| asked == check))
    }

    /// The key under which the answers are kept. `0` and `0.0` are the same parameter, as is another order of them.
    pub fn key(&self) -> Key {
        let mut hasher = Fields::new("carelock/lock-key/1");
        hasher.add(&self.transcript);
        hasher.add(&self.judge);
        hasher.add(&canonical(&self.parameters));
        hasher.add(&self.prompt);
        if let Some(checks) = &self.checks {
            let mut checks = checks.clone();
            checks.sort_unstable();
            hasher.add("checks");
            checks.iter().for_each(|check| hasher.add(check));
        }
        Key(hasher.0.finalize().to_hex().to_string())
    }
}

/// The address of a judge's answers on a chat: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// A key from its digits; `None` for anything else.
    pub fn from_digits(digits: &str) -> Option<Self> {
        let plain = digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        plain.then(|| Self(digits.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The digest of each check's question, in rubric order: what the check says and what it leans on.
///
/// Its id, kind, condition, pass and fail columns and safety mark are its own; the rubric's rules for doubt and the
/// meanings of its words belong to all. Titles, tiers, gates, audit rules and weights take no part: they change no
/// answer.
pub fn check_digests(rubric: &Rubric) -> Vec<(&str, String)> {
    let mut shared = Fields::new("carelock/lock-check/1");
    for part in [&rubric.file().doubt, &rubric.file().words] {
        shared.0.update(&(part.len() as u64).to_le_bytes());
        for (name, text) in part {
            shared.add(name);
            shared.add(text);
        }
    }
    rubric.checks().map(|check| (check.id.as_str(), check_digest(shared.clone(), check))).collect()
}

fn check_digest(mut hasher: Fields, check: &Check) -> String {
    hasher.add(&check.id);
    hasher.add(&check.kind.to_string());
    hasher.add(if check.safety { "safety" } else { "" });
    hasher.add(if check.condition.is_some() { "condition" } else { "" });
    hasher.add(check.condition.as_deref().unwrap_or_default());
    hasher.add(&check.passes);
    hasher.add(&check.fails);
    short(&hasher.0)
}

/// 128 bits are plenty to tell texts apart, and keep fifty of them on a line readable.
pub(super) fn short(hasher: &blake3::Hasher) -> String {
    let mut digits = hasher.finalize().to_hex().to_string();
    digits.truncate(32);
    digits
}

/// A hasher of texts, each preceded by its length so that "ab"+"c" differs from "a"+"bc".
#[derive(Clone)]
struct Fields(blake3::Hasher);

impl Fields {
    fn new(domain: &str) -> Self {
        let mut fields = Self(blake3::Hasher::new());
        fields.add(domain);
        fields
    }

    fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }
}

/// Parameters with sorted names and one spelling per number.
fn canonical(parameters: &Map<String, Value>) -> String {
    let mut value = Value::Object(parameters.clone());
    value.sort_all_objects();
    one_spelling(&mut value);
    value.to_string()
}

fn one_spelling(value: &mut Value) {
    /// Whole numbers up to here are exact as a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= EXACT) {
                // The bound above makes the cast exact.
                *value = Value::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(one_spelling),
        Value::Object(fields) => fields.values_mut().for_each(one_spelling),
        _ => {}
    }
}
