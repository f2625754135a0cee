//! A cascade: one judge answers what it is sure of, a model is asked the rest. Pure.

use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Answer, Confidence, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission};
use serde_json::{Map, Value, json};

use crate::prompt::{Window, merge_moments};

/// How the name of a cascade begins; the model's follows.
pub const PREFIX: &str = "cascade:";

/// The name of the cascade that ends in a model.
pub fn name(model: &str) -> String {
    format!("{PREFIX}{model}")
}

/// Who answers what; every check of the rubric is in one of the two, in rubric order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// What the first judge is sure of.
    pub sure: Vec<String>,
    /// What the model is asked.
    pub ask: Vec<String>,
}

/// Divides the checks: the first judge keeps its verdicts of high confidence, the rest is asked.
///
/// Of the checks that can trip a gate it keeps only failures: a crisis that it did not see weighs most.
pub fn divide(rubric: &Rubric, first: &Submission) -> Division {
    let mut division = Division::default();
    for (position, check) in rubric.checks().enumerate() {
        let answer = first.verdicts.iter().find(|(id, _)| *id == check.id).map(|(_, answer)| answer);
        let is_kept = answer.is_some_and(|answer| {
            let sure = is_graded(answer) && answer.confidence == Some(Confidence::High);
            sure && (answer.pass == Pass::No || !rubric.is_gate_check(position))
        });
        let side = if is_kept { &mut division.sure } else { &mut division.ask };
        side.push(check.id.clone());
    }
    division
}

/// Whether an answer is a verdict.
fn is_graded(answer: &Answer) -> bool {
    matches!(answer.pass, Pass::Yes | Pass::No | Pass::NotTriggered)
}

/// Puts the answers of both together under the cascade's name; `second` is nothing where nothing was asked.
///
/// A check belongs to whoever it was given to: what the second judge could not answer stays without a verdict. Moments
/// come from both, the evidence of failed gate checks first; those of the first judge stay only where a verdict that
/// counts cites the same turn. The words of one judge on what the other decided are left out, and so is the summary,
/// unless one of them answered everything.
pub fn combine(
    rubric: &Rubric,
    transcript: &Transcript,
    name: &str,
    first: Submission,
    second: Option<Submission>,
    division: &Division,
) -> Submission {
    let judge = info(name, &first, second.as_ref(), division);
    let second = second.unwrap_or_default();
    let mut whole = Submission { judge, ..Submission::default() };
    for check in rubric.checks() {
        let source = if division.sure.contains(&check.id) { &first } else { &second };
        whole.verdicts.extend(source.verdicts.iter().find(|(id, _)| *id == check.id).cloned());
    }
    whole.summary = match (division.ask.is_empty(), division.sure.is_empty()) {
        (true, _) => first.summary.clone(),
        (_, true) => second.summary.clone(),
        _ => None,
    };
    let words = [worded(rubric, &second.metrics, &division.ask), worded(rubric, &first.metrics, &division.sure)];
    let end = u32::try_from(transcript.turns().len()).unwrap_or(u32::MAX);
    let all = Window { first: 1, last: end };
    let parts = [(all, with_moments(rubric, transcript, second)), (all, still_true(&whole, first))];
    let numbers = merge_moments(rubric, &parts, &mut whole);
    for (part, words) in words.into_iter().enumerate() {
        let renumbered = |theirs: &u32| numbers.iter().find(|(of, old, _)| *of == part && old == theirs);
        whole.metrics.extend(words.into_iter().map(|(key, words)| {
            let ev = words.ev.iter().filter_map(renumbered).map(|(.., now)| *now).collect();
            (key, MetricWording { ev, ..words })
        }));
    }
    whole
}

/// Who judged: the second judge's model, tokens and cost, and how many checks each answered.
fn info(name: &str, first: &Submission, second: Option<&Submission>, division: &Division) -> JudgeInfo {
    let graded = |submission: &Submission, ids: &[String]| {
        submission.verdicts.iter().filter(|(id, answer)| ids.contains(id) && is_graded(answer)).count()
    };
    let total = division.sure.len() + division.ask.len();
    let mut answered = Map::new();
    answered.insert(first.judge.name.clone(), json!(graded(first, &division.sure)));
    let mut judge = second.map_or_else(|| JudgeInfo::named(name), |second| second.judge.clone());
    let mut note = format!("{} of {total} checks answered by {}", division.sure.len(), first.judge.name);
    if let Some(second) = second {
        let count = graded(second, &division.ask);
        note.push_str(&format!(", {count} by {}", second.judge.name));
        answered.insert(second.judge.name.clone(), json!(count));
    }
    note.extend(first.judge.note.iter().map(|words| format!("; {}: {words}", first.judge.name)));
    judge.name = name.to_owned();
    judge.note = Some(note);
    judge.parameters.insert("answered".to_owned(), Value::Object(answered));
    let mut parameters = first.judge.parameters.clone();
    parameters.extend(first.judge.model.iter().map(|model| ("model".to_owned(), json!(model))));
    if !parameters.is_empty() {
        judge.parameters.insert(first.judge.name.clone(), Value::Object(parameters));
    }
    judge
}

/// The words on metrics all of whose checks this judge answered.
fn worded(rubric: &Rubric, metrics: &[(String, MetricWording)], answered: &[String]) -> Vec<(String, MetricWording)> {
    let own = |key: &str| {
        rubric.metric_position(key).is_some_and(|metric| {
            rubric.checks_of(metric).all(|position| answered.contains(&rubric.check(position).id))
        })
    };
    metrics.iter().filter(|(key, _)| own(key)).cloned().collect()
}

/// The answers with moments: those that came with them, else the quotes of failures and of gate checks, because a model
/// that is asked about some checks only answers them and nothing else.
fn with_moments(rubric: &Rubric, transcript: &Transcript, mut submission: Submission) -> Submission {
    if !submission.moments.is_empty() {
        return submission;
    }
    let is_gate = |id: &str| rubric.position(id).is_some_and(|position| rubric.is_gate_check(position));
    let telling = submission
        .verdicts
        .iter()
        .filter(|(id, answer)| answer.pass == Pass::No || (answer.pass == Pass::Yes && is_gate(id)));
    let moments = telling.filter_map(|(_, answer)| moment(transcript, answer));
    submission.moments = (1..).zip(moments).map(|(id, moment)| RawMoment { id: Some(id), ..moment }).collect();
    submission
}

/// The turn that an answer quotes.
fn moment(transcript: &Transcript, answer: &Answer) -> Option<RawMoment> {
    let quote = answer.quote.as_deref()?;
    let cited = answer.turns.iter().find_map(|&idx| transcript.cite(idx, quote).ok());
    let evidence = cited.or_else(|| transcript.locate(quote))?;
    let (idx, quote) = (evidence.turn(), evidence.quote().to_owned());
    Some(RawMoment { id: None, idx, speaker: None, quote, why: answer.why.clone() })
}

/// The first judge's moments and highlights, as far as the verdicts that count bear them out.
fn still_true(whole: &Submission, mut first: Submission) -> Submission {
    let cites = |idx: u32, wanted: &dyn Fn(&Pass) -> bool| {
        whole.verdicts.iter().any(|(_, answer)| wanted(&answer.pass) && answer.turns.contains(&idx))
    };
    for (place, moment) in (1..).zip(&mut first.moments) {
        moment.id = moment.id.or(Some(place));
    }
    first.moments.retain(|moment| cites(moment.idx, &|pass| matches!(pass, Pass::Yes | Pass::No)));
    let of = |highlight: &Highlight| first.moments.iter().find(|moment| moment.id == Some(highlight.id));
    let stays =
        |highlight: &Highlight, pass: &Pass| of(highlight).is_some_and(|it| cites(it.idx, &|other| other == pass));
    first.positive.retain(|highlight| stays(highlight, &Pass::Yes));
    first.negative.retain(|highlight| stays(highlight, &Pass::No));
    first
}

#[cfg(test)]
#[path = "cascade_tests.rs"]
mod tests;
