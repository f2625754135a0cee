//! Writing a judge's answers as JSON, so that reading them back gives the very same answers.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::submission::{Answer, MetricWording, Pass, Submission, VERDICTS_SCHEMA};

impl Submission {
    /// The answers as JSON, which [`Submission::from_json`] reads back unchanged.
    ///
    /// ```
    /// use carelock_core::verdict::Submission;
    ///
    /// let answers = Submission::from_json(r#"{"verdicts": {"E1": {"pass": true, "turns": [2]}, "E2": "fail"}}"#)?;
    /// assert_eq!(Submission::from_json(&answers.to_json())?, answers);
    /// # Ok::<(), carelock_core::problem::Problem>(())
    /// ```
    pub fn to_json(&self) -> String {
        // Text keys and finite numbers only, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Submission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", VERDICTS_SCHEMA)?;
        map.serialize_entry("judge", &self.judge)?;
        if let Some(transcript) = &self.transcript {
            map.serialize_entry("transcript", transcript)?;
        }
        map.serialize_entry("verdicts", &Entries(&self.verdicts))?;
        if !self.moments.is_empty() {
            map.serialize_entry("moments", &self.moments)?;
        }
        if !self.metrics.is_empty() {
            map.serialize_entry("metrics", &Entries::<MetricWording>(&self.metrics))?;
        }
        if !self.positive.is_empty() {
            map.serialize_entry("positive", &self.positive)?;
        }
        if !self.negative.is_empty() {
            map.serialize_entry("negative", &self.negative)?;
        }
        if let Some(summary) = &self.summary {
            map.serialize_entry("summary", summary)?;
        }
        map.end()
    }
}

/// Pairs as a map in their order, repeated keys included.
struct Entries<'a, T>(&'a [(String, T)]);

impl<T: Serialize> Serialize for Entries<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.pass {
            Pass::Yes => map.serialize_entry("pass", &true)?,
            Pass::No => map.serialize_entry("pass", &false)?,
            Pass::NotTriggered => map.serialize_entry("pass", "not_triggered")?,
            Pass::Missing => map.serialize_entry("pass", &())?,
            Pass::Unscored(reason) => map.serialize_entry("unscored", reason)?,
            Pass::OffMenu(word) => map.serialize_entry("off_menu", word)?,
        }
        if let Some(basis) = &self.basis {
            map.serialize_entry("basis", basis)?;
        }
        if !self.turns.is_empty() {
            map.serialize_entry("turns", &self.turns)?;
        }
        if let Some(quote) = &self.quote {
            map.serialize_entry("quote", quote)?;
        }
        if !self.why.is_empty() {
            map.serialize_entry("why", &self.why)?;
        }
        if let Some(confidence) = &self.confidence {
            map.serialize_entry("confidence", confidence)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Basis, Confidence, Highlight, JudgeInfo, RawMoment, Tokens, TranscriptRef};
    use super::*;

    fn answer(pass: Pass) -> Answer {
        Answer { pass, ..Answer::default() }
    }

    #[test]
    fn everything_a_judge_can_say_is_read_back_as_it_was() {
        let full = Answer {
            pass: Pass::Yes,
            basis: Some(Basis::Observed),
            turns: vec![2, 4],
            quote: Some("That \"sounds\" hard.\u{0}".to_owned()),
            why: "seen".to_owned(),
            confidence: Some(Confidence::Medium),
        };
        let mut judge = JudgeInfo::named("openai:x");
        judge.model = Some("x-1".to_owned());
        judge.parameters.insert("seed".to_owned(), 7.into());
        judge.tokens = Some(Tokens { input: 5, cached: 2, output: 1 });
        judge.cost = serde_json::Number::from_f64(0.000_123);
        judge.cached = Some(true);
        judge.note = Some("note".to_owned());
        let submission = Submission {
            judge,
            transcript: Some(TranscriptRef { id: Some("a".to_owned()), hash: None }),
            verdicts: vec![
                ("E1".to_owned(), full),
                ("E2".to_owned(), answer(Pass::No)),
                ("E2".to_owned(), answer(Pass::NotTriggered)),
                ("E3".to_owned(), answer(Pass::Missing)),
                ("E4".to_owned(), answer(Pass::Unscored(String::new()))),
                // A word that would be read as yes, and one longer than is kept of a fresh answer.
                ("E5".to_owned(), answer(Pass::OffMenu("1".to_owned()))),
                ("B1".to_owned(), answer(Pass::OffMenu("x".repeat(90)))),
            ],
            moments: vec![RawMoment { id: Some(1), idx: 2, speaker: None, quote: "q".to_owned(), why: String::new() }],
            metrics: vec![("Empathy".to_owned(), MetricWording { ev: vec![1], why: "w".to_owned() })],
            positive: vec![Highlight { id: 1, why: "p".to_owned(), better: None }],
            negative: vec![Highlight { id: 1, why: "n".to_owned(), better: Some("b".to_owned()) }],
            summary: Some("All in all.".to_owned()),
        };
        assert_eq!(Submission::from_json(&submission.to_json()).as_ref(), Ok(&submission));
    }
}
