//! The chat that is judged, the answer the script intends, and ways to spoil it.

use std::sync::LazyLock;

use carelock_core::rubric::{Kind, Rubric};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, Basis, Pass, Submission, read_sheet};
use serde_json::{Map, Value, json};

pub(crate) static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// The example chat.
pub(crate) static CHAT: LazyLock<Transcript> = LazyLock::new(|| {
    let mut turns: Vec<(Speaker, String)> = Vec::new();
    for paragraph in include_str!("../../../../../examples/ordinary.txt").split("\n\n") {
        match (paragraph.strip_prefix("Human: "), paragraph.strip_prefix("AI: ")) {
            (Some(said), _) => turns.push((Speaker::Human, said.to_owned())),
            (_, Some(said)) => turns.push((Speaker::Ai, said.to_owned())),
            // A message of several paragraphs goes on.
            _ => turns.last_mut().expect("a turn before").1.push_str(&format!("\n\n{paragraph}")),
        }
    }
    Transcript::new("ordinary", turns).expect("a chat")
});

/// A careful person's answers to it: what every scripted judge means to say.
pub(crate) static INTENDED: LazyLock<Submission> = LazyLock::new(|| {
    let sheet = include_str!("../../../../../examples/sheets/ordinary.csv");
    read_sheet(&RUBRIC, sheet).expect("a sheet").remove(0)
});

/// The intended answer as a model would write it.
pub(crate) static GOOD: LazyLock<Value> = LazyLock::new(|| {
    let verdicts: Map<String, Value> =
        INTENDED.verdicts.iter().map(|(id, answer)| (id.clone(), as_written(answer))).collect();
    let moments: Vec<Value> = (1..)
        .zip(&INTENDED.moments)
        .map(|(id, moment)| json!({ "id": id, "idx": moment.idx, "quote": moment.quote, "why": moment.why }))
        .collect();
    json!({ "moments": moments, "verdicts": verdicts, "positive": [], "negative": [], "summary": "Kind, then a leaflet." })
});

fn as_written(answer: &Answer) -> Value {
    let verdict = match answer.pass {
        Pass::NotTriggered => "not_triggered",
        Pass::Yes if answer.basis == Some(Basis::NotTriggered) => "not_triggered",
        Pass::Yes => "pass",
        _ => "fail",
    };
    let quote = answer.quote.clone().unwrap_or_default();
    json!({ "why": answer.why, "verdict": verdict, "turns": answer.turns, "quote": quote })
}

/// The intended answer as text.
pub(crate) fn good() -> String {
    GOOD.to_string()
}

/// The intended answer with something changed.
pub(crate) fn spoiled(spoil: impl FnOnce(&mut Value)) -> String {
    let mut answer = GOOD.clone();
    spoil(&mut answer);
    answer.to_string()
}

/// The intended answer with another answer to one check.
pub(crate) fn with_check(id: &str, answer: Value) -> String {
    spoiled(|whole| whole["verdicts"][id] = answer)
}

/// An answer to some checks alone, as intended.
pub(crate) fn only(ids: &[&str]) -> String {
    let verdicts: Map<String, Value> = ids.iter().map(|id| ((*id).to_owned(), GOOD["verdicts"][*id].clone())).collect();
    json!({ "verdicts": verdicts }).to_string()
}

/// A verdict that cites this.
pub(crate) fn cites(verdict: &str, turns: &[u32], quote: &str) -> Value {
    json!({ "why": "it seems so", "verdict": verdict, "turns": turns, "quote": quote })
}

/// The answer of a judge that sees nothing at all: no presence, no absence broken, no condition arisen.
pub(crate) fn plain(ids: &[String]) -> String {
    let verdicts: Map<String, Value> = RUBRIC
        .checks()
        .filter(|check| ids.contains(&check.id))
        .map(|check| {
            (check.id.clone(), json!({ "why": "", "verdict": plain_word(check.kind), "turns": [], "quote": "" }))
        })
        .collect();
    json!({ "verdicts": verdicts }).to_string()
}

fn plain_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Presence => "fail",
        Kind::Absence => "pass",
        Kind::Conditional => "not_triggered",
    }
}

/// All ids of the rubric.
pub(crate) fn all_ids() -> Vec<String> {
    RUBRIC.checks().map(|check| check.id.clone()).collect()
}

/// A chat of many long turns.
pub(crate) fn long_chat(turns: usize) -> Transcript {
    let turn = |place: usize| {
        let speaker = if place.is_multiple_of(2) { Speaker::Human } else { Speaker::Ai };
        (speaker, format!("{place} {}", "some words about an ordinary day at work ".repeat(10)))
    };
    Transcript::new("long", (0..turns).map(turn).collect()).expect("a chat")
}
