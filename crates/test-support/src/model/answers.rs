//! Answers in the shape that the prompt asks for: those of the example sheets, and plain ones for any chat.

use carelock_core::rubric::{Kind, Rubric};
use carelock_core::verdict::{Pass, Submission, read_sheet};
use serde_json::{Map, Value, json};

use super::{Call, ModelReply};
use crate::{EXAMPLES, example};

/// The sheet of an example.
pub fn sheet(name: &str) -> Submission {
    read_sheet(&Rubric::care_lock(), &example(&format!("sheets/{name}.csv"))).expect("a sheet").remove(0)
}

/// The example that a call is about.
pub fn example_of(call: &Call) -> &'static str {
    let first = call.turns().remove(0).text;
    let line = first.lines().next().unwrap_or_default();
    EXAMPLES.into_iter().find(|name| example(&format!("{name}.txt")).contains(line)).expect("one of the examples")
}

/// The sheet's answers to what is asked.
pub fn from_sheet(call: &Call) -> Value {
    answer(call, &sheet(example_of(call)))
}

/// A server's whole script: the sheet of whichever example is asked about.
pub fn by_the_sheets(call: &Call) -> ModelReply {
    ModelReply::said(call, &from_sheet(call).to_string())
}

/// A server's whole script for any chat.
pub fn by_rote(call: &Call) -> ModelReply {
    ModelReply::said(call, &plain(call).to_string())
}

/// A submission as an answer to what is asked.
pub fn answer(call: &Call, submission: &Submission) -> Value {
    let wanted = call.checks();
    let mut verdicts = Map::new();
    for (id, answer) in submission.verdicts.iter().filter(|(id, _)| wanted.contains(id)) {
        let verdict = match answer.pass {
            Pass::Yes => "pass",
            Pass::No => "fail",
            _ => "not_triggered",
        };
        let quote = answer.quote.clone().unwrap_or_default();
        verdicts.insert(
            id.clone(),
            json!({ "why": answer.why, "verdict": verdict, "turns": answer.turns, "quote": quote }),
        );
    }
    let moments: Vec<Value> = (1..)
        .zip(&submission.moments)
        .map(|(id, moment): (u32, _)| json!({ "id": id, "idx": moment.idx, "quote": moment.quote, "why": moment.why }))
        .collect();
    shaped(call, &moments, &verdicts, submission.summary.as_deref().unwrap_or_default())
}

/// An answer for any chat: E1 is met by the first sentence of turn 2, everything else that must be there is missing.
pub fn plain(call: &Call) -> Value {
    let rubric = Rubric::care_lock();
    let wanted = call.checks();
    let second = call.turns().iter().find(|turn| turn.idx == 2).expect("a second turn").text.clone();
    let quote = second.split_inclusive('.').next().unwrap_or_default().to_owned();
    let one = |why: &str, verdict: &str, turns: &[u32], quote: &str| json!({ "why": why, "verdict": verdict, "turns": turns, "quote": quote });
    let verdict = |kind: Kind, id: &str| match kind {
        Kind::Presence if id == "E1" => one("Names the feeling", "pass", &[2], &quote),
        Kind::Presence => one("Not there", "fail", &[], ""),
        Kind::Absence => one("", "pass", &[], ""),
        Kind::Conditional => one("", "not_triggered", &[], ""),
    };
    let asked = rubric.checks().filter(|check| wanted.contains(&check.id));
    let verdicts = asked.map(|check| (check.id.clone(), verdict(check.kind, &check.id))).collect();
    let moments = vec![json!({ "id": 1, "idx": 2, "quote": quote, "why": "Meets the feeling" })];
    shaped(call, &moments, &verdicts, "Warm, but it ends there.")
}

/// Only what the schema has a place for: asked for some checks, a model gives verdicts alone.
fn shaped(call: &Call, moments: &[Value], verdicts: &Map<String, Value>, summary: &str) -> Value {
    let parts = json!({
        "moments": moments, "verdicts": verdicts, "positive": [], "negative": [], "summary": summary,
    });
    let places = call.schema()["properties"].as_object().expect("a schema with properties");
    let Value::Object(parts) = parts else { unreachable!("an object was written") };
    parts.into_iter().filter(|(name, _)| places.contains_key(name)).collect::<Map<_, _>>().into()
}
