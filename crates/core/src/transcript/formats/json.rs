//! Which of the JSON formats a value is in, and the way from there to conversations.

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::assemble::{Assembly, place};
use super::message::{Item, List};
use super::record::{Key, Record};
use super::{Format, ReadError, ReadOptions, Reading};
use super::{anthropic, carelock, chatgpt_export, envelope, field, huggingface, openai, sharegpt, trace};

/// The conversations found in a value and the format they are in.
#[derive(Debug)]
pub(super) struct Found {
    /// The format, as far as it could be told.
    pub(super) format: Format,
    /// One entry a conversation.
    pub(super) readings: Vec<Result<Reading, ReadError>>,
}

impl Found {
    /// A single conversation.
    pub(super) fn one(format: Format, reading: Reading) -> Self {
        Self { format, readings: vec![Ok(reading)] }
    }
}

/// Parses text; `line` is the number of the line it stands on, or 0 when it is the whole input.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str, line: usize) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| syntax_error(&error, line))
}

/// A JSON error with its line and column, in words.
pub(super) fn syntax_error(error: &serde_json::Error, line: usize) -> ReadError {
    let at = match (line, error.line()) {
        (0, 0) => String::new(),
        (0, inner) => format!("line {inner}, column {}", error.column()),
        // Line and column are counted inside the line that was given.
        (line, _) => format!("line {line}, column {}", error.column()),
    };
    let said = crate::problem::without_place(error);
    match error.classify() {
        Category::Eof => {
            let inside = said.strip_prefix("EOF while parsing ").unwrap_or(&said);
            ReadError::new(at, format!("the JSON is cut short inside {inside}"), "check that the file is complete")
        }
        _ => ReadError::new(at, format!("not valid JSON: {said}"), ""),
    }
}

/// Reads one complete JSON value, an object or a list.
pub(super) fn read_value(text: &str, at: &str, line: usize, options: &ReadOptions) -> Result<Found, ReadError> {
    if text.starts_with('[') {
        let elements: Vec<&RawValue> = parse(text, line)?;
        return read_array(text, &elements, at, options);
    }
    let record: Record<'_> = parse(text, line)?;
    read_record(record, text, at, options)
}

/// Reads a list: of messages, of conversations, or of lists of messages.
pub(super) fn read_array(
    text: &str,
    elements: &[&RawValue],
    at: &str,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let Some(first) = elements.first() else {
        return Err(ReadError::new(at, "the list is empty: there is no conversation in it", ""));
    };
    let holds_messages = match first.get().as_bytes().first() {
        Some(b'{') => parse::<Record<'_>>(first.get(), 0).is_ok_and(|record| record.is_message()),
        Some(b'[') => false,
        _ => true,
    };
    if holds_messages {
        let items = parse::<Vec<Item<'_>>>(text, 0)?;
        return huggingface::read_rows(items, at, options);
    }
    if trace::is_trace(first.get()) {
        return trace::read_list(elements, at, options);
    }
    let mut found = Found { format: Format::HuggingFace, readings: Vec::with_capacity(elements.len()) };
    let mut known = false;
    for (number, element) in (1..).zip(elements) {
        let at = place(at, &format!("conversation {number}"));
        match read_element(element.get(), &at, options) {
            Ok(inner) => {
                if !known {
                    (found.format, known) = (inner.format, true);
                }
                found.readings.extend(inner.readings);
            }
            Err(error) => found.readings.push(Err(error)),
        }
    }
    Ok(found)
}

/// Reads one conversation of a list: an object, or a list of messages.
fn read_element(text: &str, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    match text.as_bytes().first() {
        Some(b'{') => {
            let record: Record<'_> = parse(text, 0)?;
            read_record(record, text, at, options)
        }
        Some(b'[') => huggingface::read_rows(parse(text, 0)?, at, options),
        _ => Err(ReadError::new(at, "expected a conversation, found neither an object nor a list", "")),
    }
}

/// Reads one object, with the field that is wanted beside its conversations.
fn read_record(record: Record<'_>, text: &str, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    let mut found = read_object(record, text, at, options)?;
    if let Some(wanted) = &options.field {
        let value = field::of_object(text, wanted);
        for reading in found.readings.iter_mut().flatten().filter(|reading| reading.field.is_none()) {
            reading.field.clone_from(&value);
        }
    }
    Ok(found)
}

fn read_object(mut record: Record<'_>, text: &str, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    if record.raw(Key::Mapping).is_some() {
        let mut reading = chatgpt_export::read(text, at, options)?;
        reading.verdicts = record.verdicts();
        return Ok(Found::one(Format::ChatGptExport, reading));
    }
    if record.is_message() {
        let what = "a single message where a whole conversation is expected";
        return Err(ReadError::new(at, what, "put the messages of a chat into one list"));
    }
    let (list, others) = record.take_list();
    let Some((key, list)) = list else {
        return envelope::read_without_list(&record, text, at, options);
    };
    let items = match list {
        List::Items(items) => items,
        List::Encoded(inner) => return envelope::read_encoded(&record, &inner, at, options),
        List::Other => Vec::new(),
    };
    if key == Key::Conversations && envelope::is_wrapper(&items) {
        return envelope::read_wrapper(text, at, options);
    }
    let mut found = read_messages(&record, Some(key), items, false, at, options)?;
    for (reading, other) in found.readings.iter_mut().flatten().zip(others) {
        reading.notes.push(format!("`{}` was read; `{}` also holds messages", name(key), name(other)));
    }
    Ok(found)
}

/// The name of a list's key, for notes.
fn name(key: Key) -> String {
    let mut name = String::new();
    for letter in format!("{key:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Reads the messages of one conversation with what stands beside them in its record.
///
/// `system_above` says that a system prompt stood beside them before they were taken out of a request.
pub(super) fn read_messages(
    record: &Record<'_>,
    key: Option<Key>,
    items: Vec<Item<'_>>,
    system_above: bool,
    at: &str,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let mut assembly = Assembly::new(at, options);
    let has_system = system_above || openai::has_system(record.raw(Key::System));
    let format = format_of(key, &items, has_system);
    assembly.drop("system message", usize::from(has_system));
    if matches!(items.first(), Some(Item::Text(_))) {
        let speakers = record.raw(Key::Speakers).or(record.raw(Key::Roles));
        huggingface::add_strings(&mut assembly, items, speakers, at)?;
    } else {
        add_items(&mut assembly, format, items)?;
    }
    openai::add_answer(&mut assembly, record.raw(Key::Choices), record.raw(Key::Response))?;
    let mut reading = assembly.finish()?;
    reading.id = record.id();
    // Only Claude calls a conversation's title its name; elsewhere that may be a person's.
    let called: &[Key] = if format == Format::ClaudeExport { &[Key::Title, Key::Name] } else { &[Key::Title] };
    reading.title = record.title(called);
    reading.verdicts = record.verdicts();
    Ok(Found::one(format, reading))
}

/// Adds messages in order, with the checks their format allows.
pub(super) fn add_items(assembly: &mut Assembly<'_>, format: Format, items: Vec<Item<'_>>) -> Result<(), ReadError> {
    if format == Format::CareLock {
        carelock::check_order(&items, &assembly.reading.at)?;
    }
    assembly.reading.turns.reserve(items.len());
    items.into_iter().try_for_each(|item| assembly.item(item))
}

/// The format of a list of messages, told by its key and by the keys of its first message.
pub(super) fn format_of(key: Option<Key>, items: &[Item<'_>], has_system: bool) -> Format {
    let Some(Item::Message(first)) = items.iter().find(|item| matches!(item, Item::Message(_))) else {
        return if key == Some(Key::ChatMessages) { Format::ClaudeExport } else { Format::HuggingFace };
    };
    match key {
        Some(Key::ChatMessages) => Format::ClaudeExport,
        Some(Key::Turns) | None if carelock::is_shape(first, key.is_some()) => Format::CareLock,
        _ if sharegpt::is_shape(first) => Format::ShareGpt,
        Some(Key::Messages) | None if openai::is_shape(first) => {
            if has_system || anthropic::has_own_blocks(items) {
                Format::Anthropic
            } else {
                Format::OpenAi
            }
        }
        _ => Format::HuggingFace,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The only conversation in a value.
    pub(in super::super) fn one(text: &str) -> (Format, Reading) {
        let mut found = read_value(text, "", 0, &ReadOptions::default()).unwrap();
        assert_eq!(found.readings.len(), 1);
        (found.format, found.readings.remove(0).unwrap())
    }

    /// The error of a value that cannot be read, or of its only conversation.
    pub(in super::super) fn one_error(text: &str) -> ReadError {
        match read_value(text, "", 0, &ReadOptions::default()) {
            Err(error) => error,
            Ok(mut found) => found.readings.remove(0).unwrap_err(),
        }
    }

    #[test]
    fn a_list_of_conversations_is_read_one_by_one() {
        let chat = r#"{"id":"a","messages":[{"role":"user","content":"x"}]}"#;
        let found =
            read_value(&format!("[{chat},{{\"nothing\":1}},7,{chat}]"), "", 0, &ReadOptions::default()).unwrap();
        assert_eq!(found.format, Format::OpenAi);
        assert_eq!(found.readings.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false, true]);
        let error = found.readings[1].as_ref().unwrap_err();
        assert_eq!(error.at, "conversation 2");
        assert!(error.what.contains("its keys are nothing"), "{error}");
    }

    #[test]
    fn syntax_errors_tell_line_and_column() {
        let error = read_value("{\"messages\": [\n  {\"role\": user}]}", "", 0, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 2, column 12");
        let error = read_value("{\"messages\": [{\"role\": \"us", "line 7", 7, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 7, column 26");
        assert_eq!(error.what, "the JSON is cut short inside a string");
    }

    #[test]
    fn a_second_list_of_messages_is_said_in_the_notes() {
        let messages = r#"[{"role":"user","content":"x"}]"#;
        let (_, reading) = one(&format!(r#"{{"dialog":{messages},"messages":{messages}}}"#));
        assert_eq!(reading.notes, ["`messages` was read; `dialog` also holds messages"]);
    }
}
