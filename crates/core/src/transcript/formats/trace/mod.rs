//! Traces: the calls to a model that tracing tools record, put together into the chats they are parts of.
//!
//! Whatever the tool, a record becomes [`Call`]s, and the calls of one conversation become one chat.

mod attributes;
mod calls;
mod chat;
mod flat;
mod genai;
mod langfuse;
mod langsmith;
mod message;
mod otlp;
mod shape;
mod time;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) use shape::{is_trace, starts_like};

use super::assemble::place;
use super::json::{Found, parse};
use super::{Format, ReadError, ReadOptions};
use calls::Calls;
use message::Message;
use shape::Shape;

/// Where in a tracing tool a chat came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceOrigin {
    /// The conversation or session, where the trace names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The trace of the chat's last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// The span of the chat's last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<String>,
    /// How many traces the chat is made of.
    pub traces: usize,
}

/// What a recorded call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// A question to a model.
    Model,
    /// A step around such questions, such as an agent or a whole request.
    Step,
    /// Something that holds no chat, such as a tool or a search.
    Other,
}

/// One recorded call.
#[derive(Debug)]
pub(super) struct Call {
    kind: CallKind,
    session: Option<String>,
    title: Option<String>,
    trace: Option<String>,
    span: Option<String>,
    parent: Option<String>,
    /// When it began, in nanoseconds since 1970.
    start: Option<i128>,
    input: Vec<Message>,
    output: Vec<Message>,
}

/// What is done where spans carry no text.
const NO_TEXT: &str = "most tools record the text of messages only on request: switch that on (for OpenTelemetry, \
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT) and export again";

/// Reads records one after the other, each with its place in the input.
pub(super) fn read<'a>(
    records: impl Iterator<Item = (String, Result<&'a str, ReadError>)>,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let (mut calls, mut failed, mut format, mut first) = (Calls::default(), Vec::new(), None, None);
    for (at, record) in records {
        let taken = record.and_then(|text| take(text, &at, &mut calls));
        match taken {
            Ok(found) => {
                format.get_or_insert(found);
            }
            Err(error) => failed.push(Err(error)),
        }
        first.get_or_insert(at);
    }
    let Some(format) = format else {
        let nothing = || ReadError::new(first.unwrap_or_default(), "there is no span in it", NO_TEXT);
        return Err(failed.into_iter().find_map(Result::err).unwrap_or_else(nothing));
    };
    let number = calls.number;
    let mut readings = chat::read(calls, options);
    if readings.is_empty() && failed.is_empty() {
        let what = format!("none of the {number} spans holds a message of a chat");
        return Err(ReadError::new("", what, NO_TEXT));
    }
    readings.extend(failed);
    Ok(Found { format, readings })
}

/// Reads one record that stands alone.
pub(super) fn read_one(text: &str, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    read(std::iter::once((at.to_owned(), Ok(text))), options)
}

/// Reads the records of a list.
pub(super) fn read_list(elements: &[&RawValue], at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    let numbered = (1..).zip(elements);
    read(numbered.map(|(number, raw)| (place(at, &format!("record {number}")), Ok(raw.get()))), options)
}

/// Takes the calls of one record in, and says which format it is in.
fn take(text: &str, at: &str, calls: &mut Calls) -> Result<Format, ReadError> {
    let record: Value = parse(text, 0).map_err(|mut error| {
        error.at = place(at, &error.at);
        error
    })?;
    let Some(shape) = Shape::of_value(&record) else {
        let what = "expected a span or a trace, like the records before, found something else";
        return Err(ReadError::new(at, what, "give traces and chats in files of their own"));
    };
    Ok(match shape {
        Shape::Otlp => otlp::take_export(&record, calls),
        Shape::Span => otlp::take_span(&record, calls),
        Shape::Columns => otlp::take_columns(record, calls),
        Shape::LangSmith => langsmith::take(&record, calls),
        Shape::Langfuse => langfuse::take(&record, calls),
    })
}

#[cfg(test)]
mod tests;
