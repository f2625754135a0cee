//! Readers: from bytes in any of the formats people have to conversations.
//!
//! One file per format. A reader never guesses silently: what it took for whom, and what it dropped, is in its [`Reading`].

mod anthropic;
#[cfg(feature = "zip")]
mod archive;
mod assemble;
mod bare_numbers;
mod carelock;
mod chat_export;
mod chat_template;
mod chatgpt_export;
mod claude_export;
mod content;
mod delimited;
mod detect;
mod encoding;
mod envelope;
mod field;
mod huggingface;
mod json;
mod jsonl;
mod labels;
mod loose;
mod markdown;
mod message;
mod openai;
#[cfg(feature = "parquet")]
mod parquet;
mod plain_text;
mod record;
mod sharegpt;
mod spiral_bench;
mod trace;

pub use detect::{Document, Format, looks_like_jsonl, read, read_json_line};
pub use trace::TraceOrigin;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{Speaker, Transcript, TranscriptError};
use crate::problem::{Problem, Remedy};

/// What a reader understood of one conversation.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The conversation's own id, where the data carries one.
    pub id: Option<String>,
    /// What the conversation is called in the data, such as the title ChatGPT gives it.
    pub title: Option<String>,
    /// Where in the input it stands ("line 3", "conversation 2"); empty when it is the whole input.
    pub at: String,
    /// The messages in order.
    pub turns: Vec<(Speaker, String)>,
    /// Which labels were taken for whom, and why.
    pub speakers: Vec<SpeakerNote>,
    /// Messages and parts that are not turns, counted by what they were ("system message", "tool call", …).
    pub dropped: BTreeMap<String, usize>,
    /// Anything else worth saying about how the input was understood.
    pub notes: Vec<String>,
    /// The field that was asked for, where it stands beside the conversation.
    pub field: Option<String>,
    /// A judge's answers that came in the same record, exactly as written.
    pub verdicts: Option<Box<RawValue>>,
    /// Where in a tracing tool it came from, where it did.
    pub trace: Option<Box<TraceOrigin>>,
}

/// One label found in the data and who was meant by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakerNote {
    /// The label as it stands in the data ("user", "Therapist").
    pub label: String,
    /// Who it was taken for.
    pub taken_for: Speaker,
    /// Why ("role name", "known label", "--human").
    pub because: String,
    /// How many turns carry it.
    pub turns: usize,
}

/// What the user said about how to read the input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Labels that mean HUMAN, beside the known ones (`--human`).
    pub human: Vec<String>,
    /// Labels that mean AI, beside the known ones (`--ai`).
    pub ai: Vec<String>,
    /// Labels that mean neither: what they say is left out and counted (`--ignore-speaker`).
    pub neither: Vec<String>,
    /// Labels of third parties: what they say is kept on the person's side, opened by the label (`--other`).
    pub other: Vec<String>,
    /// Words before a colon that are nobody's label: their lines belong to the message they stand in (`--not-a-speaker`).
    pub text: Vec<String>,
    /// The text format the input is in, where it is detected wrongly (`--from`); formats that are not text have their own marks.
    pub from: Option<Format>,
    /// A field beside the conversation that is wanted as well, such as `model`: a key, also inside `metadata`, a path with
    /// dots, or a column.
    pub field: Option<String>,
    /// The most bytes an archive or a Parquet table may unpack to, where that is to be less than the usual two gibibytes.
    pub unpacked_limit: Option<u64>,
}

/// Why an input could not be read: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError {
    /// Where in the input ("line 3, column 14", "message 2"); may be empty.
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What can be done about it.
    pub remedy: Option<Box<Remedy>>,
    labels: Vec<String>,
}

crate::shown_as_problem!(ReadError);

impl ReadError {
    /// An error at a place, with what can be done about it.
    pub fn new(at: impl Into<String>, what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        let remedy = Some(remedy.into()).filter(|remedy| *remedy != Remedy::Advice(String::new())).map(Box::new);
        Self { at: at.into(), what: what.into(), remedy, labels: Vec::new() }
    }

    /// The error as front ends show it.
    pub fn problem(&self) -> Problem {
        Problem { at: self.at.clone(), what: self.what.clone(), remedy: self.remedy.clone() }
    }

    /// The same error, with the labels found of which it is not clear who is meant.
    pub(in crate::transcript) fn with_labels(self, labels: Vec<String>) -> Self {
        Self { labels, ..self }
    }

    /// The labels found, where it is not clear who is meant by them: whoever shows the error can ask.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }
}

impl Reading {
    /// The transcript this reading amounts to, under its own id or the one given.
    pub fn into_transcript(self, fallback_id: &str) -> Result<Transcript, TranscriptError> {
        let id = self.id.unwrap_or_else(|| fallback_id.to_owned());
        Transcript::new(id, self.turns)
    }
}
