//! Tests of the prompt as a whole.

mod answers;
mod injection;
mod looks;
mod merging;
mod schema;
mod sizes;

use std::sync::LazyLock;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, Basis, Submission, read_sheet};
use serde_json::{Map, Value, json};

/// The shipped rubric, read once for the tests that need it hundreds of times.
static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// All ids of a rubric.
fn ids(rubric: &Rubric) -> Vec<String> {
    rubric.checks().map(|check| check.id.clone()).collect()
}

/// A chat of alternating turns, the person first.
fn chat(texts: &[&str]) -> Transcript {
    let turn =
        |(place, text): (usize, &&str)| (if place % 2 == 0 { Speaker::Human } else { Speaker::Ai }, (*text).to_owned());
    Transcript::new("test", texts.iter().enumerate().map(turn).collect()).unwrap()
}

/// The example chat of ten turns and a careful person's answers to it.
fn ordinary() -> (Transcript, Submission) {
    example(
        include_str!("../../../../../examples/ordinary.txt"),
        include_str!("../../../../../examples/sheets/ordinary.csv"),
    )
}

/// An example chat and the answers of its sheet.
fn example(text: &str, sheet: &str) -> (Transcript, Submission) {
    let mut turns: Vec<(Speaker, String)> = Vec::new();
    for paragraph in text.split("\n\n") {
        let (speaker, said) = match (paragraph.strip_prefix("Human: "), paragraph.strip_prefix("AI: ")) {
            (Some(said), _) => (Speaker::Human, said),
            (_, Some(said)) => (Speaker::Ai, said),
            // A message of several paragraphs goes on.
            _ => {
                let last = &mut turns.last_mut().unwrap().1;
                last.push_str("\n\n");
                last.push_str(paragraph);
                continue;
            }
        };
        turns.push((speaker, said.to_owned()));
    }
    let answers = read_sheet(&Rubric::care_lock(), sheet).unwrap().remove(0);
    (Transcript::new("example", turns).unwrap(), answers)
}

/// A submission written as a model would write it.
fn sample_answer(submission: &Submission) -> Value {
    let moment = |moment: &carelock_core::verdict::RawMoment| json!({ "id": moment.id, "idx": moment.idx, "quote": moment.quote, "why": moment.why });
    let verdicts: Map<String, Value> =
        submission.verdicts.iter().map(|(id, answer)| (id.clone(), sample_verdict(answer))).collect();
    json!({
        "moments": submission.moments.iter().map(moment).collect::<Vec<_>>(),
        "verdicts": verdicts,
        "positive": submission.positive,
        "negative": submission.negative,
        "summary": submission.summary.clone().unwrap_or_default(),
    })
}

fn sample_verdict(answer: &Answer) -> Value {
    use carelock_core::verdict::Pass;
    let verdict = match answer.pass {
        Pass::NotTriggered => "not_triggered",
        Pass::Yes if answer.basis == Some(Basis::NotTriggered) => "not_triggered",
        Pass::Yes => "pass",
        _ => "fail",
    };
    let quiet = verdict == "not_triggered" || (verdict == "pass" && answer.turns.is_empty());
    let why = if quiet { "" } else { &answer.why };
    json!({ "why": why, "verdict": verdict, "turns": answer.turns, "quote": answer.quote.clone().unwrap_or_default() })
}

/// An answer in which every absence check passes, every other fails or never arises, and nothing is cited.
fn plain_answer(rubric: &Rubric) -> Value {
    use carelock_core::rubric::Kind;
    let verdicts: Map<String, Value> = rubric
        .checks()
        .map(|check| {
            let verdict = match check.kind {
                Kind::Presence => "fail",
                Kind::Absence => "pass",
                Kind::Conditional => "not_triggered",
            };
            (check.id.clone(), json!({ "why": "", "verdict": verdict, "turns": [], "quote": "" }))
        })
        .collect();
    json!({ "moments": [], "verdicts": verdicts, "positive": [], "negative": [], "summary": "Plain." })
}
