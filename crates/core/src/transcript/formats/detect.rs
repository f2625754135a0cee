//! Which format an input is in, judged by its content alone.

use std::fmt;

use serde_json::value::RawValue;

use super::json::{Found, parse, read_value};
use super::{ReadError, ReadOptions, Reading};
use super::{bare_numbers, chat_export, chat_template, delimited, encoding, jsonl, markdown, plain_text};

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Plain text with speaker labels.
    PlainText,
    /// Markdown with headings or bold labels for the speakers.
    Markdown,
    /// A messenger export with time stamps.
    ChatExport,
    /// ChatML and other templates that models are given chats in.
    ChatTemplate,
    /// CSV or TSV, a row per message.
    Delimited,
    /// Care-Lock's own turns.
    CareLock,
    /// OpenAI messages.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// ShareGPT conversations.
    ShareGpt,
    /// ChatGPT's data export.
    ChatGptExport,
    /// Claude's data export.
    ClaudeExport,
    /// Messages under other names, as data sets have them.
    HuggingFace,
    /// A Parquet table.
    Parquet,
    /// Spans and events by the GenAI conventions of OpenTelemetry.
    OpenTelemetry,
    /// Spans by the conventions of OpenInference, which Phoenix uses.
    OpenInference,
    /// Observations, traces and sessions of Langfuse.
    Langfuse,
    /// Runs of LangSmith.
    LangSmith,
    /// Turns of a session of Phoenix.
    Phoenix,
    /// Results of Spiral-Bench.
    SpiralBench,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PlainText => "plain text with speaker labels",
            Self::Markdown => "Markdown",
            Self::ChatExport => "messenger export",
            Self::ChatTemplate => "chat template (ChatML and the like)",
            Self::Delimited => "CSV table",
            Self::CareLock => "Care-Lock turns",
            Self::OpenAi => "OpenAI messages",
            Self::Anthropic => "Anthropic messages",
            Self::ShareGpt => "ShareGPT conversations",
            Self::ChatGptExport => "ChatGPT data export",
            Self::ClaudeExport => "Claude data export",
            Self::HuggingFace => "Hugging Face style messages",
            Self::Parquet => "Parquet table",
            Self::OpenTelemetry => "OpenTelemetry traces",
            Self::OpenInference => "OpenInference spans",
            Self::Langfuse => "Langfuse observations",
            Self::LangSmith => "LangSmith runs",
            Self::Phoenix => "Phoenix session",
            Self::SpiralBench => "Spiral-Bench results",
        })
    }
}

/// A whole input, understood.
#[derive(Debug)]
pub struct Document {
    /// The format found.
    pub format: Format,
    /// How the input as a whole was understood ("one chat a line").
    pub notes: Vec<String>,
    /// What may be wrong with the text itself: an encoding that had to be guessed, traces of a wrong code page.
    pub warnings: Vec<String>,
    /// One entry a conversation, in order; a conversation that cannot be read does not hide the others.
    pub readings: Vec<Result<Reading, ReadError>>,
}

impl Document {
    fn new(found: Found, notes: Vec<String>) -> Self {
        Self { format: found.format, notes, warnings: Vec::new(), readings: found.readings }
    }
}

/// Reads a whole input in any supported format.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return read_archive(bytes, options);
    }
    read_document(bytes, options)
}

/// Reads a whole input that is no archive.
fn read_document(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    if bytes.starts_with(b"PAR1") {
        return read_parquet(bytes, options);
    }
    let decoded = encoding::decode(bytes)?;
    let mut document = read_text(&decoded.text, options)?;
    document.warnings.extend(decoded.notes);
    Ok(document)
}

/// Reads one line of a JSONL file; `number` is its line number, for messages. A blank line holds no conversation.
pub fn read_json_line(line: &[u8], number: usize, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let at = format!("line {number}, byte {}", error.valid_up_to() + 1);
        ReadError::new(at, "not valid UTF-8", "save the file as UTF-8")
    })?;
    // Only the first line can have a byte order mark, but whoever splits the lines need not know.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    jsonl::read_line(&bare_numbers::as_null(text), number, options)?.readings.into_iter().collect()
}

/// Whether an input that starts like this is JSONL with a chat on each line and can be read line by line.
///
/// Give the first 64 KiB, or all of a shorter input.
pub fn looks_like_jsonl(start: &[u8]) -> bool {
    jsonl::starts_like(start)
}

#[cfg(feature = "zip")]
fn read_archive(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    let limit = options.unpacked_limit.unwrap_or(u64::MAX).min(super::archive::UNPACKED_LIMIT);
    let mut archive = super::archive::Archive::open(bytes, limit)?;
    let (names, is_export) = (archive.names(), archive.chosen.is_export);
    let mut whole =
        Document { format: Format::PlainText, notes: Vec::new(), warnings: Vec::new(), readings: Vec::new() };
    let left_out = &archive.chosen.left_out;
    if !left_out.is_empty() {
        whole.warnings.push(format!("not read, because they do not look like chats: {}", left_out.join(", ")));
    }
    for (place, name) in names.iter().enumerate() {
        let file = archive.unpack(place)?;
        let document = match read_document(&file, options) {
            Ok(document) => document,
            Err(mut error) => {
                error.at = super::assemble::place(name, &error.at);
                if is_export || names.len() == 1 {
                    return Err(error);
                }
                whole.readings.push(Err(error));
                continue;
            }
        };
        if whole.readings.iter().all(Result::is_err) {
            whole.format = document.format;
        }
        if !archive.chosen.is_log || place == 0 {
            let note = if archive.chosen.is_log {
                "a log of Inspect".to_owned()
            } else {
                format!("{name} in the zip archive")
            };
            whole.notes.push(note);
            whole.notes.extend(document.notes);
        }
        whole.warnings.extend(document.warnings);
        let several = document.readings.len() > 1;
        let inside = (1..).zip(document.readings).map(|(number, reading)| match reading {
            Ok(reading) if !is_export => Ok(super::archive::within(name, several.then_some(number), reading)),
            reading => reading,
        });
        whole.readings.extend(inside);
    }
    Ok(whole)
}

#[cfg(not(feature = "zip"))]
fn read_archive(_: &[u8], _: &ReadOptions) -> Result<Document, ReadError> {
    Err(ReadError::new("", "this build cannot read zip archives", "unpack the archive and give the files in it"))
}

#[cfg(feature = "parquet")]
fn read_parquet(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    Ok(Document::new(super::parquet::read(bytes, options)?, Vec::new()))
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &[u8], _: &ReadOptions) -> Result<Document, ReadError> {
    Err(ReadError::new(
        "",
        "this build cannot read Parquet files",
        "convert the table to JSONL, or use a build with `parquet`",
    ))
}

/// Reads decoded text.
fn read_text(text: &str, options: &ReadOptions) -> Result<Document, ReadError> {
    if text.trim().is_empty() {
        return Err(ReadError::new("", "the input is empty", "give a chat with at least one message of each side"));
    }
    if options.from.is_none() && looks_like_json(text) {
        return read_json(&bare_numbers::as_null(text), options);
    }
    type Looks = fn(&str, &ReadOptions) -> bool;
    type Read = fn(&str, &ReadOptions) -> Result<Vec<Reading>, ReadError>;
    // From the most telling marks to the least: a table or a time stamp is never an accident, a colon may be.
    let readers: [(Format, Looks, Read); 5] = [
        (Format::ChatTemplate, chat_template::looks_like, chat_template::read),
        (Format::Delimited, delimited::looks_like, delimited::read),
        (Format::ChatExport, chat_export::looks_like, chat_export::read),
        (Format::Markdown, markdown::looks_like, markdown::read),
        (Format::PlainText, plain_text::looks_like, plain_text::read),
    ];
    let found = readers.into_iter().find(|&(format, looks_like, _)| match options.from {
        Some(wanted) => wanted == format,
        None => looks_like(text, options),
    });
    // Plain text is also the last resort: its reader knows best which labels are missing or unknown.
    let (format, _, read) = found.unwrap_or(readers[4]);
    let readings = read(text, options)?.into_iter().map(Ok).collect();
    Ok(Document { format, notes: Vec::new(), warnings: Vec::new(), readings })
}

/// Whether text means to be JSON, broken or not. A time stamp in brackets (`[12/03/2024, 10:15] Ana: hi`) does not.
fn looks_like_json(text: &str) -> bool {
    let mut marks = text.chars().filter(|mark| !mark.is_whitespace());
    match (marks.next(), marks.next()) {
        (Some('{'), second) => matches!(second, Some('"' | '}') | None),
        (Some('['), second) => matches!(second, Some('{' | '[' | '"' | ']') | None),
        _ => false,
    }
}

fn read_json(text: &str, options: &ReadOptions) -> Result<Document, ReadError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = values.next();
    let rest = text.get(values.byte_offset()..).unwrap_or("").trim_start();
    match first {
        Some(Ok(value)) if rest.is_empty() => {
            return Ok(Document::new(read_value(value.get(), "", 0, options)?, Vec::new()));
        }
        _ if jsonl::looks_like(text) => {
            let (found, note) = jsonl::read(text, options)?;
            return Ok(Document::new(found, vec![note.to_owned()]));
        }
        Some(Ok(_)) if looks_like_json(rest) => {
            return Ok(Document::new(jsonl::read_stream(text, options), vec!["one document after another".to_owned()]));
        }
        _ => {}
    }
    // The parser of the whole says best what is wrong and where.
    parse::<&RawValue>(text, 0)?;
    Err(ReadError::new("", "text after the end of the JSON", "give one JSON document, or one chat a line"))
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
