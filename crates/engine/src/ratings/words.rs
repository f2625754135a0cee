//! The words behind a verdict: reason, quote and the turns it cites, looked up when they are shown.

use anyhow::Result;
use carelock_core::report::Report;
use carelock_core::verdict::{Answer, Submission};
use serde::Serialize;

use super::record::Outline;
use super::{Rater, Rating, RatingFile, Source};

/// What a rater wrote about one check of one chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Words {
    /// The reason.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Words of the chat; where the rater quotes none, the beginning of the first turn cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turns cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
}

impl Rater {
    /// The words behind a verdict; empty where the rater gave none.
    pub fn words(&self, rating: &Rating, check: &str) -> Result<Words> {
        let (file, text) = match rating.source {
            Source::None => return Ok(Words::default()),
            Source::Run(chat) => {
                let report = self.run.as_ref().map(|run| run.report(chat)).transpose()?.flatten();
                return Ok(report.map(|report| of_report(&report, check)).unwrap_or_default());
            }
            Source::Sheet { file, chat } => {
                let Some(RatingFile::Sheet { answers, .. }) = self.files.get(file) else { return Ok(Words::default()) };
                return Ok(answers.get(chat).map(|answer| of_answers(&answer.verdicts, check)).unwrap_or_default());
            }
            Source::Record { file, place } => match self.files.get(file) {
                Some(held) => (held, held.text(place)?),
                None => return Ok(Words::default()),
            },
        };
        // It was read before, so what cannot be read now has changed meanwhile.
        let changed = |error: anyhow::Error| error.context(format!("{}: has changed while it was read", file.name()));
        of_record(&text, check).map_err(changed)
    }
}

fn of_record(text: &str, check: &str) -> Result<Words> {
    let outline = Outline::new(text)?;
    if outline.is_report() {
        return Ok(of_report(&serde_json::from_str(text)?, check));
    }
    let mut words = match outline.single() {
        Some((_, answer)) => of_answer(&answer),
        None => of_answers(&Submission::from_json(text)?.verdicts, check),
    };
    if words.quote.is_none() {
        let cited = words.turns.first().and_then(|&turn| usize::try_from(turn).ok()?.checked_sub(1));
        words.quote = cited.and_then(|place| outline.said().into_iter().nth(place)).map(|(_, text)| text);
    }
    Ok(words)
}

fn of_report(report: &Report, check: &str) -> Words {
    let Some((_, _, found)) = report.checks().find(|(_, id, _)| *id == check) else { return Words::default() };
    let turn = found.turns.first().and_then(|turn| report.turns.iter().find(|said| said.idx == *turn));
    let quote = found.quote.clone().or_else(|| turn.map(|turn| turn.text.clone()));
    Words { why: found.why.clone(), quote, turns: found.turns.clone() }
}

fn of_answers(answers: &[(String, Answer)], check: &str) -> Words {
    let found = answers.iter().find(|(id, _)| id == check);
    found.map(|(_, answer)| of_answer(answer)).unwrap_or_default()
}

fn of_answer(answer: &Answer) -> Words {
    Words { why: answer.why.clone(), quote: answer.quote.clone(), turns: answer.turns.clone() }
}
