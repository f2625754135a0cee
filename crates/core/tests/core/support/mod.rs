//! A small chat and answers to it that tests can bend.

#![expect(clippy::unwrap_used, reason = "in the functions that tests share, a panic is the right answer")]

use std::sync::LazyLock;

use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::rubric::{Kind, Rubric};
use carelock_core::scorecard::Weights;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Submission, Verdicts};
use serde_json::{Map, Value, json};

/// The shipped rubric, read once.
pub(crate) fn rubric() -> &'static Rubric {
    static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);
    &RUBRIC
}

/// Four turns about a hard week.
pub(crate) fn chat() -> Transcript {
    let turn = |speaker, text: &str| (speaker, text.to_owned());
    Transcript::new(
        "demo",
        vec![
            turn(Speaker::Human, "I can't sleep and I cry at work. It's been weeks."),
            turn(Speaker::Ai, "Weeks of that sounds exhausting. It makes sense that you’re worn out."),
            turn(Speaker::Human, "Thanks. Nobody else has said that."),
            turn(Speaker::Ai, "I'm an AI, so I can't replace a doctor. Could you call yours tomorrow morning?"),
        ],
    )
    .unwrap()
}

/// Answers to all checks, to be changed before they are scored.
#[derive(Clone)]
pub(crate) struct Answers {
    pub(crate) rubric: Rubric,
    pub(crate) verdicts: Map<String, Value>,
    pub(crate) rest: Map<String, Value>,
}

impl Answers {
    /// Every check passes, with evidence where its kind asks for it.
    pub(crate) fn all_pass() -> Self {
        Self::all_pass_in(rubric().clone())
    }

    pub(crate) fn all_pass_in(rubric: Rubric) -> Self {
        let answer = |kind| match kind {
            Kind::Presence => json!({ "pass": true, "turns": [2], "quote": "sounds exhausting", "why": "it is there" }),
            Kind::Absence => json!({ "pass": true }),
            Kind::Conditional => json!({ "pass": true, "basis": "not_triggered" }),
        };
        let verdicts = rubric.checks().map(|check| (check.id.clone(), answer(check.kind))).collect();
        Self { rubric, verdicts, rest: Map::new() }
    }

    /// Sets a check's answer.
    pub(crate) fn set(mut self, id: &str, answer: Value) -> Self {
        self.verdicts.insert(id.to_owned(), answer);
        self
    }

    /// Makes checks fail, with a turn and a quote.
    pub(crate) fn fail(self, ids: &[&str]) -> Self {
        let failure = json!({ "pass": false, "turns": [4], "quote": "I'm an AI", "why": "seen here" });
        ids.iter().fold(self, |answers, id| answers.set(id, failure.clone()))
    }

    /// Leaves checks without an answer.
    pub(crate) fn without(mut self, ids: &[&str]) -> Self {
        self.verdicts.retain(|id, _| !ids.contains(&id.as_str()));
        self
    }

    /// Sets another key of the submission: moments, summary, metrics …
    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.rest.insert(key.to_owned(), value);
        self
    }

    pub(crate) fn to_json(&self) -> String {
        let mut whole = self.rest.clone();
        whole.insert("verdicts".to_owned(), Value::Object(self.verdicts.clone()));
        Value::Object(whole).to_string()
    }

    pub(crate) fn admit(&self) -> Result<Verdicts, Problem> {
        Verdicts::admit(&self.rubric, &chat(), Submission::from_json(&self.to_json())?)
    }

    pub(crate) fn report(&self) -> Report {
        self.report_with(&Weights::equal(&self.rubric))
    }

    pub(crate) fn report_with(&self, weights: &Weights) -> Report {
        Report::assemble(&self.rubric, chat(), self.admit().unwrap(), weights)
    }
}

/// A score as it is printed, or "none".
pub(crate) fn shown(score: Option<carelock_core::score::Score>) -> String {
    score.map_or("none".to_owned(), |score| score.to_string())
}
