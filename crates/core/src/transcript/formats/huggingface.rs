//! Hugging Face style data: message columns under many names, lists of strings, and one message a row.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::assemble::{Assembly, Role, place};
use super::json::{Found, add_items, format_of};
use super::loose::Loose;
use super::message::Item;
use super::{Format, ReadError, ReadOptions, Reading};
use crate::problem::Speakers;

/// Reads messages that stand in no record of their own: a bare list, or a table with a row for each message.
///
/// Rows that name their conversation are grouped by it, in the order in which the conversations first appear.
pub(super) fn read_rows(items: Vec<Item<'_>>, at: &str, options: &ReadOptions) -> Result<Found, ReadError> {
    let named = |item: &Item<'_>| conversation(item).is_some();
    if !items.iter().any(named) {
        let (format, reading) = read_chat(items, at, options)?;
        return Ok(Found::one(format, reading));
    }
    let mut groups: IndexMap<String, Vec<Item<'_>>> = IndexMap::new();
    for (number, item) in (1..).zip(items) {
        let Some(id) = conversation(&item).map(str::to_owned) else {
            let place = place(at, &format!("message {number}"));
            let what = "the message does not say which conversation it belongs to";
            return Err(ReadError::new(place, what, ""));
        };
        groups.entry(id).or_default().push(item);
    }
    let mut found = Found { format: Format::HuggingFace, readings: Vec::with_capacity(groups.len()) };
    for (id, group) in groups {
        let at = place(at, &format!("conversation {id:?}"));
        found.readings.push(read_group(id, group, &at, options));
    }
    Ok(found)
}

fn conversation<'i>(item: &'i Item<'_>) -> Option<&'i str> {
    match item {
        Item::Message(message) => message.conversation(),
        Item::Text(_) | Item::Other(_) => None,
    }
}

/// One bare list of messages.
fn read_chat(items: Vec<Item<'_>>, at: &str, options: &ReadOptions) -> Result<(Format, Reading), ReadError> {
    let mut assembly = Assembly::new(at, options);
    let format = format_of(None, &items, false);
    if matches!(items.first(), Some(Item::Text(_))) {
        add_strings(&mut assembly, items, None, at)?;
    } else {
        add_items(&mut assembly, format, items)?;
    }
    Ok((format, assembly.finish()?))
}

/// One conversation of a table, put into the order its rows are numbered in.
fn read_group(id: String, mut items: Vec<Item<'_>>, at: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let number = |item: &Item<'_>| match item {
        Item::Message(message) => message.idx,
        _ => None,
    };
    let numbered = items.iter().all(|item| number(item).is_some());
    let moved = numbered && !items.is_sorted_by_key(number);
    if moved {
        // Stable: rows with the same number (a question and its answer) stay as they stand.
        items.sort_by_key(number);
    }
    let mut assembly = Assembly::new(at, options);
    items.into_iter().try_for_each(|item| assembly.item(item))?;
    let mut reading = assembly.finish()?;
    if moved {
        reading.notes.push("the rows were put in the order of their numbers".to_owned());
    }
    reading.id = Some(id);
    Ok(reading)
}

/// Adds a list of plain strings, which is a chat only where a list beside it says who speaks.
pub(super) fn add_strings(
    assembly: &mut Assembly<'_>,
    items: Vec<Item<'_>>,
    speakers: Option<&RawValue>,
    at: &str,
) -> Result<(), ReadError> {
    let labels = speakers.and_then(|raw| serde_json::from_str::<Vec<Loose<'_>>>(raw.get()).ok());
    let Some(labels) = labels else {
        return Err(nobody_named(&items, at));
    };
    if labels.len() != items.len() {
        let what = format!("{} messages but {} speakers beside them", items.len(), labels.len());
        return Err(ReadError::new(at, what, "the list of speakers must name one for each message"));
    }
    for (item, label) in items.into_iter().zip(labels) {
        let Item::Text(text) = item else {
            assembly.item(item)?;
            continue;
        };
        let label = label.into_label().unwrap_or(Cow::Borrowed(""));
        match assembly.role(&label) {
            Role::Turn(speaker, _) => assembly.turn(&label, speaker, text),
            Role::Dropped(what) => assembly.drop(what, 1),
            Role::Unknown => {}
        }
    }
    Ok(())
}

fn nobody_named(items: &[Item<'_>], at: &str) -> ReadError {
    let what =
        format!("a list of {} plain strings: nothing says which are the person's and which the AI's", items.len());
    ReadError::new(at, what, Speakers::NoLabels)
}

#[cfg(test)]
mod tests {
    use super::super::json::read_value;
    use super::super::json::tests::{one, one_error};
    use super::*;
    use crate::transcript::Speaker;

    #[test]
    fn columns_and_keys_of_many_names_are_known() {
        for (column, speaker, text) in [
            ("dialog", "role", "content"),
            ("dialogue", "speaker", "text"),
            ("conversation", "from", "value"),
            ("chat", "speaker", "utterance"),
            ("utterances", "author", "message"),
            ("turns", "sender", "body"),
        ] {
            let row = format!(
                r#"{{"dialogue_id":7,"{column}":[{{"{speaker}":"user","{text}":"hi"}},{{"{speaker}":"assistant","{text}":"hello"}}]}}"#
            );
            let (_, reading) = one(&row);
            assert_eq!(reading.id.as_deref(), Some("7"), "{row}");
            assert_eq!(reading.turns, [(Speaker::Human, "hi".to_owned()), (Speaker::Ai, "hello".to_owned())], "{row}");
        }
    }

    #[test]
    fn an_author_object_and_json_inside_a_string_are_read() {
        let (_, reading) = one(r#"{"messages":[{"author":{"role":"user"},"text":"x"}]}"#);
        assert_eq!(reading.turns[0].0, Speaker::Human);
        let (_, reading) = one(r#"{"id":"e","messages":"[{\"role\":\"user\",\"content\":\"a\\nb\"}]"}"#);
        assert_eq!((reading.id.as_deref(), reading.turns[0].1.as_str()), (Some("e"), "a\nb"));
        let (_, reading) = one(r#"{"chat":"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"}"#);
        assert_eq!(reading.turns.len(), 1);
    }

    #[test]
    fn plain_strings_need_speakers_beside_them() {
        let error = one_error(r#"{"dialog":["hi","hello","fine"]}"#);
        assert!(
            error.what.contains("3 plain strings") && error.remedy == Some(Box::new(Speakers::NoLabels.into())),
            "{error}"
        );
        assert!(one_error(r#"["hi","hello"]"#).what.contains("2 plain strings"));
        let (_, reading) = one(r#"{"dialog":["s","hi","hello"],"speakers":["system","user","assistant"]}"#);
        assert_eq!(reading.turns, [(Speaker::Human, "hi".to_owned()), (Speaker::Ai, "hello".to_owned())]);
        assert_eq!(reading.dropped["system message"], 1);
        let error = one_error(r#"{"dialog":["hi","hello"],"roles":["user"]}"#);
        assert!(error.what.contains("2 messages but 1 speakers"), "{error}");
    }

    #[test]
    fn numbers_as_speakers_need_the_users_word() {
        let row = r#"{"utterances":[{"speaker":0,"text":"hi"},{"speaker":1,"text":"hello"}]}"#;
        assert!(one_error(row).what.contains("\"0\" (1 message)"));
        let options = ReadOptions { human: vec!["0".into()], ai: vec!["1".into()], ..ReadOptions::default() };
        assert!(read_value(row, "", 0, &options).unwrap().readings[0].is_ok());
    }

    #[test]
    fn rows_are_grouped_by_conversation_and_put_in_order() {
        let rows = r#"[{"conversation_id":"b","role":"assistant","content":"2","turn":2},{"conversation_id":"a","role":"user","content":"x"},
            {"conversation_id":"b","role":"user","content":"1","turn":1}]"#;
        let found = read_value(rows, "", 0, &ReadOptions::default()).unwrap();
        let readings: Vec<_> = found.readings.into_iter().map(Result::unwrap).collect();
        assert_eq!(readings.iter().map(|chat| chat.id.as_deref().unwrap()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(readings[0].turns[0].1, "1");
        assert_eq!(readings[0].notes.len(), 1);
        let error = one_error(r#"[{"chat_id":1,"role":"user","content":"x"},{"role":"user","content":"y"}]"#);
        assert_eq!(error.at, "message 2");
    }
}
