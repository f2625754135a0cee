//! JSON values one after another: a chat a line, a message a line, or whole documents in a row.

use serde_json::value::RawValue;

use super::json::{Found, parse, read_value, syntax_error};
use super::message::Item;
use super::record::Record;
use super::{Format, ReadError, ReadOptions, huggingface, trace};

/// The lines that are not blank, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.split('\n')).map(|(number, line)| (number, line.trim())).filter(|(_, line)| !line.is_empty())
}

/// Whether text that is not one JSON value is JSONL: its first value ends with its line and another follows, or,
/// where the first line is broken, every line starts alike and another one is whole.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = lines(text);
    let Some((_, first)) = lines.next() else {
        return false;
    };
    let opening = first.as_bytes().first();
    if serde_json::from_str::<&RawValue>(first).is_ok() {
        return lines.next().is_some_and(|(_, second)| second.starts_with(['{', '[']));
    }
    let mut whole = 0;
    for (_, line) in lines {
        if line.as_bytes().first() != opening {
            return false;
        }
        whole += usize::from(serde_json::from_str::<&RawValue>(line).is_ok());
    }
    whole > 0
}

/// Whether a line is one message and not a whole conversation.
pub(super) fn is_message(line: &str) -> bool {
    line.starts_with('{') && serde_json::from_str::<Record<'_>>(line).is_ok_and(|record| record.is_message())
}

/// Reads all lines; a bad line does not hide the others, unless the lines are the messages of one chat.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<(Found, &'static str), ReadError> {
    if lines(text)
        .find(|(_, line)| serde_json::from_str::<&RawValue>(line).is_ok())
        .is_some_and(|(_, line)| is_message(line))
    {
        return Ok((read_messages(text, options)?, "one message a line"));
    }
    if lines(text)
        .find(|(_, line)| serde_json::from_str::<&RawValue>(line).is_ok())
        .is_some_and(|(_, line)| trace::is_trace(line))
    {
        let records = lines(text)
            .map(|(number, line)| (format!("line {number}"), parse::<&RawValue>(line, number).map(RawValue::get)));
        return Ok((trace::read(records, options)?, "one record of a trace a line"));
    }
    let mut found = Found { format: Format::HuggingFace, readings: Vec::new() };
    let mut known = false;
    for (number, line) in lines(text) {
        match read_line(line, number, options) {
            Ok(inner) => {
                if !known {
                    (found.format, known) = (inner.format, true);
                }
                found.readings.extend(inner.readings);
            }
            Err(error) => found.readings.push(Err(error)),
        }
    }
    Ok((found, "one chat a line"))
}

/// Reads one line that is not blank.
pub(super) fn read_line(line: &str, number: usize, options: &ReadOptions) -> Result<Found, ReadError> {
    let at = format!("line {number}");
    if line.starts_with(['{', '[']) {
        return read_value(line, &at, number, options);
    }
    let start: String = line.chars().take(20).collect();
    Err(ReadError::new(at, format!("expected a JSON object, found {start:?}"), "every line must be one JSON object"))
}

/// A file in which every line is one message. A broken line would be a hole in the chat, so it fails the whole.
fn read_messages(text: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (number, line) in lines(text) {
        if !is_message(line) {
            parse::<&RawValue>(line, number)?;
            let at = format!("line {number}");
            return Err(ReadError::new(at, "expected one message, like the lines before, found something else", ""));
        }
        items.push(parse(line, number)?);
    }
    huggingface::read_rows(items, "", options)
}

/// Reads whole documents that follow each other without regard to lines.
pub(super) fn read_stream(text: &str, options: &ReadOptions) -> Found {
    let first = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>().next();
    if first.is_some_and(|first| first.is_ok_and(|first| trace::is_trace(first.get()))) {
        let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let records = (1..).zip(values).map(|(number, value)| {
            (format!("record {number}"), value.map(RawValue::get).map_err(|error| syntax_error(&error, 0)))
        });
        return trace::read(records, options)
            .unwrap_or_else(|error| Found { format: Format::OpenTelemetry, readings: vec![Err(error)] });
    }
    let mut found = Found { format: Format::HuggingFace, readings: Vec::new() };
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    for (number, value) in (1..).zip(values) {
        let inner = match value {
            Ok(value) => read_value(value.get(), &format!("document {number}"), 0, options),
            Err(error) => Err(syntax_error(&error, 0)),
        };
        match inner {
            Ok(inner) => {
                found.format = inner.format;
                found.readings.extend(inner.readings);
            }
            Err(error) => found.readings.push(Err(error)),
        }
    }
    found
}

/// How much of an input is looked at to tell JSONL.
const WINDOW: usize = 64 * 1024;

/// Whether an input that starts like this can be read line by line, each line a chat.
///
/// A first line longer than the window counts if it starts an object and does not break: pretty-printed JSON has a
/// line break right after its first brace.
pub(super) fn starts_like(start: &[u8]) -> bool {
    let goes_beyond = start.len() >= WINDOW;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The window may end inside a character; anything else is not UTF-8.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or(""),
        Err(_) => return false,
    };
    let text = text.trim_start();
    if !text.starts_with('{') {
        return false;
    }
    // The calls of one chat stand on several lines.
    if trace::starts_like(text.split('\n').next().unwrap_or(text)) {
        return false;
    }
    let Some((first, rest)) = text.split_once('\n') else {
        let second = text[1..].trim_start().as_bytes().first().copied();
        return goes_beyond && second == Some(b'"') && serde_json::from_str::<&RawValue>(text).is_err();
    };
    let whole = serde_json::from_str::<&RawValue>(first).is_ok() && !is_message(first);
    let rest = rest.trim_start();
    let goes_on = rest.starts_with('{') || (rest.is_empty() && goes_beyond);
    whole && goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#;

    fn all(text: &str) -> (Found, &'static str) {
        read(text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_bad_line_does_not_hide_the_others() {
        let text = format!("{CHAT}\n\n{{\"messages\": [}}\r\nnot json\n{CHAT}\r\n");
        assert!(looks_like(&text));
        let (found, note) = all(&text);
        assert_eq!((found.format, note), (Format::OpenAi, "one chat a line"));
        let places = found.readings.iter().map(|reading| match reading {
            Ok(reading) => reading.at.as_str(),
            Err(error) => error.at.as_str(),
        });
        let places: Vec<_> = places.collect();
        assert_eq!(places, ["line 1", "line 3, column 15", "line 4", "line 5"]);
    }

    #[test]
    fn a_broken_first_line_is_still_jsonl_but_cut_json_is_not() {
        assert!(looks_like(&format!("{{\"messages\": \n{CHAT}\n{CHAT}")));
        assert!(!looks_like("[\n  {\"role\":\"user\",\"content\":\"x\"},\n  {\"role\":\"user\",\"content\":\"x\"}\n"));
        assert!(!looks_like("{\n \"messages\": [\n"));
    }

    #[test]
    fn a_message_a_line_is_one_chat() {
        let turns = "{\"idx\":1,\"speaker\":\"HUMAN\",\"text\":\"a\"}\n{\"idx\":2,\"speaker\":\"AI\",\"text\":\"b\"}\n";
        let (found, note) = all(turns);
        assert_eq!((found.format, note), (Format::CareLock, "one message a line"));
        assert_eq!(found.readings[0].as_ref().unwrap().turns.len(), 2);
        let error = read(&format!("{turns}{{\"idx\":\n"), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 3, column 7");
        let error = read(&format!("{turns}{CHAT}\n"), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 3");
    }

    #[test]
    fn documents_in_a_row_are_read() {
        let pretty = "{\n\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]\n}\n";
        let found = read_stream(&format!("{pretty}{pretty}{{\"mess"), &ReadOptions::default());
        assert_eq!(found.readings.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn only_chats_a_line_can_be_streamed() {
        assert!(starts_like(format!("{CHAT}\n{CHAT}\n").as_bytes()));
        assert!(starts_like(format!("\u{feff}\n{CHAT}\r\n\n{CHAT}").as_bytes()));
        assert!(!starts_like(CHAT.as_bytes()));
        assert!(!starts_like(format!("{CHAT}\n").as_bytes()));
        assert!(!starts_like(b"{\n  \"messages\": []\n}\n{\n}"));
        assert!(!starts_like(
            b"{\"idx\":1,\"speaker\":\"AI\",\"text\":\"a\"}\n{\"idx\":2,\"speaker\":\"AI\",\"text\":\"b\"}\n"
        ));
        assert!(!starts_like(b"\xff\xfe{\0"));
        assert!(!starts_like(b"HUMAN: hi\n{"));
        let long = format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"{}é", "x".repeat(WINDOW));
        assert!(starts_like(&long.as_bytes()[..long.len() - 1]));
        assert!(!starts_like(b""));
    }
}
