//! Reading a model's answer: found, repaired where need be, and held to the checks that were asked.

use carelock_core::rubric::{Kind, Rubric};
use carelock_core::verdict::{Answer, Confidence, Highlight, Pass, RawMoment, Submission};
use serde_json::Value;

use super::answer_error::{AnswerError, CheckProblems, harmless};
use super::cut;
use super::raw::{RawAnswer, number, text};

/// An answer that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadAnswer {
    /// The answers, moments and wording. Who judged is for the caller to fill in: a model is not asked who it is.
    pub submission: Submission,
    /// Whether the JSON had to be repaired.
    pub repaired: bool,
}

/// Reads an answer to the wanted checks from what a model wrote.
///
/// Plain JSON, fenced JSON and JSON with prose around it are read alike; slips in a complete object are repaired and
/// marked. Every wanted check must be answered exactly once, with a word on its menu, and no other. Whether turns and
/// quotes stand is another question, answered by [`doubtful`](super::doubtful).
pub fn read_answer(answer: &str, rubric: &Rubric, wanted: &[impl AsRef<str>]) -> Result<ReadAnswer, AnswerError> {
    let (object, repaired) = cut::object(answer)?;
    let raw = parse(&object)?;
    let Some(verdicts) = raw.verdicts.filter(|verdicts| !verdicts.0.is_empty()) else {
        return Err(AnswerError::NoVerdicts);
    };
    let (mut submission, mut problems) = take_verdicts(rubric, wanted, verdicts.0)?;
    submission.moments = each("moments", raw.moments, moment)?;
    submission.positive = each("positive", raw.positive, highlight)?;
    submission.negative = each("negative", raw.negative, highlight)?;
    submission.summary = raw.summary.map(|summary| summary.split_whitespace().collect::<Vec<_>>().join(" "));
    submission.summary = submission.summary.filter(|summary| !summary.is_empty());
    let read = ReadAnswer { submission, repaired };
    if !problems.is_empty() {
        let clear = problems.unknown.is_empty() && problems.twice.is_empty();
        problems.answer = (clear && !read.submission.verdicts.is_empty()).then(|| Box::new(read));
        return Err(AnswerError::Checks(Box::new(problems)));
    }
    let words = read.submission.summary.as_deref().map_or(0, word_count);
    let most = rubric.limits().summary_words;
    if words > most {
        return Err(AnswerError::SummaryTooLong { words, most, answer: Box::new(read) });
    }
    Ok(read)
}

fn parse(object: &str) -> Result<RawAnswer, AnswerError> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let at = match error.path().to_string() {
            path if path == "." => "the answer".to_owned(),
            path => harmless(&path),
        };
        // The parser's message quotes values it does not like, and those may be anything.
        AnswerError::Shape { at, what: harmless_message(&error.into_inner().to_string()) }
    })
}

/// A parser's message without the values it quotes.
fn harmless_message(message: &str) -> String {
    let what = message.rsplit_once(" at line ").map_or(message, |(what, _)| what);
    match what.split_once("expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None => harmless(what).trim_matches('"').to_owned(),
    }
}

/// Answers to the wanted checks in their order, and everything that is wrong with them.
fn take_verdicts(
    rubric: &Rubric,
    wanted: &[impl AsRef<str>],
    given: Vec<(String, Value)>,
) -> Result<(Submission, CheckProblems), AnswerError> {
    let mut problems = CheckProblems::default();
    let mut answers: Vec<Option<Answer>> = vec![None; wanted.len()];
    for (id, value) in given {
        let Some(place) = wanted.iter().position(|wanted| wanted.as_ref() == id) else {
            problems.unknown.push(harmless(&id));
            continue;
        };
        let answer = one_answer(&id, &value)?;
        let kind = rubric.position(&id).map(|position| rubric.check(position).kind);
        if let Some(said) = off_menu(&answer.pass, kind) {
            problems.off_menu.push((id.clone(), said));
        }
        if answers[place].replace(answer).is_some() && !problems.twice.contains(&id) {
            problems.twice.push(id);
        }
    }
    let mut submission = Submission::default();
    for (id, answer) in wanted.iter().map(AsRef::as_ref).zip(answers) {
        match answer {
            Some(answer) => submission.verdicts.push((id.to_owned(), answer)),
            None => problems.missing.push(id.to_owned()),
        }
    }
    Ok((submission, problems))
}

/// What to tell the model about an answer that is not on the menu.
fn off_menu(pass: &Pass, kind: Option<Kind>) -> Option<String> {
    match pass {
        Pass::Yes | Pass::No => None,
        Pass::NotTriggered if kind == Some(Kind::Conditional) => None,
        Pass::NotTriggered => Some("not_triggered is for checks of kind C only".to_owned()),
        Pass::OffMenu(word) => Some(format!("{} is neither pass nor fail", harmless(word))),
        Pass::Missing | Pass::Unscored(_) => Some("there is no verdict; say pass or fail".to_owned()),
    }
}

fn one_answer(id: &str, value: &Value) -> Result<Answer, AnswerError> {
    let Value::Object(fields) = value else {
        return Ok(Answer { pass: word(value), ..Answer::default() });
    };
    let said = fields.get("verdict").or_else(|| fields.get("pass"));
    let mut pass = said.map(word).unwrap_or_default();
    // Some models fill in the longer form of the report.
    if pass == Pass::Yes && fields.get("basis").and_then(Value::as_str) == Some("not_triggered") {
        pass = Pass::NotTriggered;
    }
    let turns = match fields.get("turns") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(turns)) => turns.iter().map(number).collect(),
        Some(other) => number(other).map(|turn| vec![turn]),
    };
    let turns = turns.ok_or_else(|| AnswerError::Shape {
        at: format!("verdicts.{id}.turns"),
        what: "expected a list of turn numbers".to_owned(),
    })?;
    let (quote, why) = (text(fields.get("quote")), text(fields.get("why")).unwrap_or_default());
    let confidence = fields.get("confidence").and_then(Value::as_str).and_then(Confidence::from_word);
    Ok(Answer { pass, basis: None, turns, quote, why, confidence })
}

/// The verdict a value stands for. A number stands for none: it may be a score, on any scale.
fn word(value: &Value) -> Pass {
    match value {
        Value::Bool(true) => Pass::Yes,
        Value::Bool(false) => Pass::No,
        Value::String(word) if !word.trim().is_empty() && word.trim().bytes().all(|byte| byte.is_ascii_digit()) => {
            Pass::OffMenu(word.trim().to_owned())
        }
        Value::String(word) => Pass::from_word(word),
        Value::Null => Pass::Missing,
        other => Pass::OffMenu(other.to_string().chars().take(60).collect()),
    }
}

/// Reads every entry of a list.
fn each<T>(
    name: &str,
    entries: Option<Vec<Value>>,
    read: impl Fn(&serde_json::Map<String, Value>) -> Option<T>,
) -> Result<Vec<T>, AnswerError> {
    let entries = entries.unwrap_or_default();
    let one = |(place, entry): (usize, &Value)| {
        entry.as_object().and_then(&read).ok_or_else(|| AnswerError::Shape {
            at: format!("{name}[{place}]"),
            what: "expected an object with its number and texts".to_owned(),
        })
    };
    entries.iter().enumerate().map(one).collect()
}

fn moment(fields: &serde_json::Map<String, Value>) -> Option<RawMoment> {
    let idx = number(fields.get("idx")?)?;
    let id = fields.get("id").and_then(number);
    let quote = text(fields.get("quote")).unwrap_or_default();
    Some(RawMoment { id, idx, speaker: None, quote, why: text(fields.get("why")).unwrap_or_default() })
}

fn highlight(fields: &serde_json::Map<String, Value>) -> Option<Highlight> {
    let id = number(fields.get("id")?)?;
    Some(Highlight { id, why: text(fields.get("why")).unwrap_or_default(), better: text(fields.get("better")) })
}

/// The number of words, counted as the engine counts them.
fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}
