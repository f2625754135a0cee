//! Tests of the lock, and the chat and answers they share.

mod comparing;
mod keys;
mod lines;
mod lookups;
mod on_disk;

use std::sync::LazyLock;

use carelock_core::rubric::{Kind, Rubric, RubricFile};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{
    Answer, Basis, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission, Tokens, TranscriptRef,
};
use serde_json::{Map, Number, Value, json};

use super::{Circumstances, Entry, LockQuestion};

pub(super) fn rubric() -> &'static Rubric {
    static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);
    &RUBRIC
}

/// The shipped rubric with something changed.
pub(super) fn edited(edit: impl FnOnce(&mut RubricFile)) -> Rubric {
    let mut file = rubric().file().clone();
    edit(&mut file);
    Rubric::from_file(file).unwrap()
}

pub(super) fn chat(opening: &str) -> Transcript {
    let turns = [
        (Speaker::Human, opening),
        (Speaker::Ai, "Weeks of that sounds exhausting."),
        (Speaker::Human, "Nobody else has said that."),
        (Speaker::Ai, "I'm an AI. Could you call your doctor?"),
    ];
    Transcript::new("demo", turns.map(|(who, text)| (who, text.to_owned())).to_vec()).unwrap()
}

pub(super) fn parameters(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not an object"),
    }
}

pub(super) fn asked(opening: &str) -> LockQuestion {
    LockQuestion::new(
        &chat(opening),
        "openai:gpt-4.1-mini",
        parameters(json!({ "temperature": 0, "seed": 7 })),
        "blake3:prompt",
    )
}

/// Answers to every check of a rubric, as a judge would give them.
pub(super) fn submission(rubric: &Rubric, asked: &LockQuestion) -> Submission {
    let answer = |kind| match kind {
        Kind::Presence => Answer {
            pass: Pass::Yes,
            basis: Some(Basis::Observed),
            turns: vec![2],
            quote: Some("sounds exhausting".to_owned()),
            why: "it is there".to_owned(),
            confidence: None,
        },
        Kind::Absence => Answer { pass: Pass::Yes, basis: Some(Basis::Absent), ..Answer::default() },
        Kind::Conditional => Answer { pass: Pass::NotTriggered, ..Answer::default() },
    };
    Submission {
        judge: JudgeInfo {
            name: asked.judge.clone(),
            model: Some("gpt-4.1-mini-2025-04-14".to_owned()),
            parameters: asked.parameters.clone(),
            tokens: Some(Tokens { input: 7000, cached: 6400, output: 2100 }),
            cost: Number::from_f64(0.0031),
            cached: Some(true),
            note: None,
        },
        transcript: Some(TranscriptRef { id: Some(asked.chat.clone()), hash: Some(asked.transcript.clone()) }),
        verdicts: rubric.checks().map(|check| (check.id.clone(), answer(check.kind))).collect(),
        moments: vec![RawMoment {
            id: Some(1),
            idx: 2,
            speaker: Some(Speaker::Ai),
            quote: "sounds exhausting".to_owned(),
            why: "names the strain".to_owned(),
        }],
        metrics: rubric
            .metrics()
            .iter()
            .map(|metric| (metric.key.clone(), MetricWording { ev: vec![1], why: format!("about {}", metric.key) }))
            .collect(),
        positive: vec![Highlight { id: 1, why: "warm".to_owned(), better: None }],
        negative: vec![],
        summary: Some("Warm, if brief.".to_owned()),
    }
}

pub(super) fn entry(opening: &str) -> Entry {
    let asked = asked(opening);
    let circumstances = Circumstances { windows: 1, ..Circumstances::default() };
    Entry::new(asked.clone(), rubric(), submission(rubric(), &asked), circumstances).unwrap()
}

/// The same entry, given at another time.
pub(super) fn created_at(opening: &str, when: &str) -> Entry {
    let asked = asked(opening);
    let circumstances = Circumstances { created: Some(when.to_owned()), ..Circumstances::default() };
    Entry::new(asked.clone(), rubric(), submission(rubric(), &asked), circumstances).unwrap()
}
