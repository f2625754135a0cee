//! Reading a judge's answers from JSON, in each of the shapes they come in.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::submission::{Answer, JudgeInfo, MetricWording, Pass, Submission};
use super::{Basis, Confidence};
use crate::problem::{Problem, without_place};

/// What is said where answers cannot be read.
const SHAPE: &str = "see `carelock schema verdicts` for the shape expected";

impl Submission {
    /// Reads answers from JSON: an answer sheet, a recorded answer, or a report whose verdicts are to be used again.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        // Keeping track of the path costs a fifth of the time, so it is kept only once something is wrong.
        let read: Self = match serde_json::from_str(text) {
            Ok(read) => read,
            Err(_) => return Err(shape_error(text)),
        };
        if read.verdicts.is_empty() {
            return Err(Problem::located("verdicts", "there are no verdicts in this file", SHAPE));
        }
        Ok(read)
    }
}

/// What is wrong with a text that could not be read, and where.
fn shape_error(text: &str) -> Problem {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let error = match serde_path_to_error::deserialize::<_, Submission>(&mut deserializer) {
        Err(error) => error,
        Ok(_) => {
            let place = deserializer.end().err();
            let at = place.map(|error| format!("line {}, column {}", error.line(), error.column())).unwrap_or_default();
            return Problem::located(at, "there is more after the end of the answer", SHAPE);
        }
    };
    let path = error.path().to_string();
    let inner = error.into_inner();
    let place = format!("line {}, column {}", inner.line(), inner.column());
    let at = if path == "." { place } else { format!("{path} ({place})") };
    Problem::located(at, without_place(&inner), SHAPE)
}

impl<'de> Deserialize<'de> for Submission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SubmissionVisitor)
    }
}

struct SubmissionVisitor;

impl<'de> Visitor<'de> for SubmissionVisitor {
    type Value = Submission;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `verdicts`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Submission, A::Error> {
        let mut read = Submission::default();
        let mut cited: Vec<(String, Vec<u32>)> = Vec::new();
        let mut reasons: Vec<(String, String)> = Vec::new();
        let mut from_report = Vec::new();
        let mut id = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "judge" => read.judge = map.next_value::<JudgeOrName>()?.0,
                "transcript" => read.transcript = map.next_value()?,
                "id" => id = map.next_value::<Option<IdOrNumber>>()?,
                "verdicts" => read.verdicts = map.next_value::<Answers>()?.0,
                "moments" => read.moments = map.next_value()?,
                "metrics" => {
                    let metrics = map.next_value::<Entries<MetricEntry>>()?.0;
                    for (key, entry) in metrics {
                        from_report.extend(entry.checks.0);
                        read.metrics.push((key, entry.wording));
                    }
                }
                "positive" => read.positive = map.next_value()?,
                "negative" => read.negative = map.next_value()?,
                "summary" => read.summary = map.next_value()?,
                "cited" => cited = map.next_value::<Entries<Vec<u32>>>()?.0,
                "why" => reasons = map.next_value::<Entries<String>>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if read.verdicts.is_empty() {
            read.verdicts = from_report;
        }
        if let Some(IdOrNumber(id)) = id {
            read.transcript.get_or_insert_default().id.get_or_insert(id);
        }
        for (id, answer) in &mut read.verdicts {
            if let Some(place) = cited.iter().position(|(cited, _)| cited == id) {
                answer.turns = cited.swap_remove(place).1;
            }
            if let Some(place) = reasons.iter().position(|(reason, _)| reason == id) {
                answer.why = reasons.swap_remove(place).1;
            }
        }
        Ok(read)
    }
}

/// An id as people write them: text or a number.
struct IdOrNumber(String);

impl<'de> Deserialize<'de> for IdOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Number(serde_json::Number),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Text(text) => text,
            Either::Number(number) => number.to_string(),
        }))
    }
}

/// A judge given as an object or just by name.
struct JudgeOrName(JudgeInfo);

impl<'de> Deserialize<'de> for JudgeOrName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            Info(Box<JudgeInfo>),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Name(name) => JudgeInfo::named(name),
            Either::Info(info) => *info,
        }))
    }
}

/// A map kept in order, repeated keys included.
struct Entries<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Vec<(String, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(EntriesVisitor(std::marker::PhantomData)).map(Self)
    }
}

/// A metric of a report: its wording and, in our own reports, its checks.
#[derive(Deserialize)]
struct MetricEntry {
    #[serde(flatten)]
    wording: MetricWording,
    #[serde(default)]
    checks: Answers,
}

/// Answers by id, or as a list of objects that carry their id.
#[derive(Default)]
struct Answers(Vec<(String, Answer)>);

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnswersVisitor;
        impl<'de> Visitor<'de> for AnswersVisitor {
            type Value = Vec<(String, Answer)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("verdicts by check id, or a list of verdicts with `id`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut answers = Vec::with_capacity(50);
                while let Some(id) = map.next_key::<String>()? {
                    let answer = map.next_value_seed(AnswerSeed { id: &mut None })?;
                    answers.push((id, answer));
                }
                Ok(answers)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut answers = Vec::with_capacity(50);
                loop {
                    let mut id = None;
                    let Some(answer) = seq.next_element_seed(AnswerSeed { id: &mut id })? else { break };
                    let number = answers.len() + 1;
                    let id =
                        id.ok_or_else(|| de::Error::custom(format!("verdict {number} of the list has no `id`")))?;
                    answers.push((id, answer));
                }
                Ok(answers)
            }
        }
        deserializer.deserialize_any(AnswersVisitor).map(Self)
    }
}

/// Reads one answer, and its id where the object carries one.
struct AnswerSeed<'a> {
    id: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for AnswerSeed<'_> {
    type Value = Answer;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Answer, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnswerSeed<'_> {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a verdict: true, false, \"pass\", \"fail\", \"not_triggered\", or an object with `pass`")
    }

    fn visit_bool<E>(self, pass: bool) -> Result<Answer, E> {
        Ok(Answer { pass: if pass { Pass::Yes } else { Pass::No }, ..Answer::default() })
    }

    fn visit_str<E>(self, word: &str) -> Result<Answer, E> {
        Ok(Answer { pass: Pass::from_word(word), ..Answer::default() })
    }

    fn visit_unit<E>(self) -> Result<Answer, E> {
        Ok(Answer::default())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Answer, E> {
        Ok(Answer { pass: Pass::from_word(&number.to_string()), ..Answer::default() })
    }

    fn visit_i64<E>(self, number: i64) -> Result<Answer, E> {
        Ok(Answer { pass: Pass::from_word(&number.to_string()), ..Answer::default() })
    }

    fn visit_f64<E>(self, number: f64) -> Result<Answer, E> {
        // A score is not an answer, not even 1.0: the judge was asked for yes or no.
        Ok(Answer { pass: Pass::OffMenu(number.to_string()), ..Answer::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Answer, A::Error> {
        let mut answer = Answer::default();
        let mut before_audit = None;
        let mut off_menu = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "id" | "check" => *self.id = Some(map.next_value()?),
                "pass" | "verdict" => {
                    let pass = map.next_value_seed(AnswerSeed { id: &mut None })?.pass;
                    if !matches!(answer.pass, Pass::Unscored(_)) {
                        answer.pass = pass;
                    }
                }
                "unscored" => {
                    if let Some(reason) = map.next_value::<Option<String>>()? {
                        answer.pass = Pass::Unscored(reason);
                    }
                }
                "off_menu" => {
                    if let Some(word) = map.next_value::<Option<String>>()? {
                        off_menu = Some(Pass::OffMenu(word));
                    }
                }
                "basis" => match basis_from(map.next_value::<Option<Cow<'de, str>>>()?.as_deref()) {
                    Ok(basis) => answer.basis = basis,
                    Err(word) => off_menu = Some(Pass::OffMenu(format!("basis {word:?}"))),
                },
                "turns" => answer.turns = map.next_value::<Option<Vec<u32>>>()?.unwrap_or_default(),
                "quote" => answer.quote = map.next_value()?,
                "why" => answer.why = map.next_value::<Option<String>>()?.unwrap_or_default(),
                // It changes no verdict, so a word that names no confidence must not cost the judge its answer.
                "confidence" => {
                    answer.confidence = map.next_value::<Value>()?.as_str().and_then(Confidence::from_word);
                }
                // A report keeps what the judge said before the audit changed it; that is the answer.
                "judged" => before_audit = Some(map.next_value_seed(AnswerSeed { id: &mut None })?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if let Some(pass) = off_menu {
            answer.pass = pass;
        }
        Ok(before_audit.unwrap_or(answer))
    }
}

/// The basis a word names; the word itself when it names none.
fn basis_from(word: Option<&str>) -> Result<Option<Basis>, String> {
    match word {
        None | Some("") => Ok(None),
        Some("observed") => Ok(Some(Basis::Observed)),
        Some("absent") => Ok(Some(Basis::Absent)),
        Some("not_triggered") => Ok(Some(Basis::NotTriggered)),
        Some(other) => Err(other.chars().take(60).collect()),
    }
}
