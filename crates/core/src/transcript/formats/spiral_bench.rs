//! Spiral-Bench: a file of results, in which chats lie by run, file of prompts and prompt.

use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::assemble::place;
use super::json::{Found, read_messages};
use super::message::{Item, List};
use super::record::{Key, Record};
use super::{Format, ReadOptions};

/// How deep chats may lie.
const DEEPEST: usize = 5;

/// Reads the chats of a file of results, if it is one.
pub(super) fn read(text: &str, at: &str, options: &ReadOptions) -> Option<Found> {
    let mut found = Found { format: Format::SpiralBench, readings: Vec::new() };
    walk(text, &mut Vec::new(), at, options, &mut found);
    (!found.readings.is_empty()).then_some(found)
}

/// Objects are gone through by their keys, lists by their numbers, until one has a `transcript`.
fn walk(text: &str, path: &mut Vec<String>, at: &str, options: &ReadOptions, found: &mut Found) {
    if path.len() > DEEPEST {
        return;
    }
    if text.starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        // Of a single try the number says nothing.
        let several = elements.len() > 1;
        for (number, element) in (1..).zip(&elements).filter(|(_, element)| element.get().starts_with('{')) {
            let depth = path.len();
            path.extend(several.then(|| format!("{number}")));
            walk(element.get(), path, at, options, found);
            path.truncate(depth);
        }
        return;
    }
    if !path.is_empty() && take(text, path, at, options, found) {
        return;
    }
    let Ok(entries) = serde_json::from_str::<IndexMap<String, &RawValue>>(text) else { return };
    for (key, value) in entries.iter().filter(|(_, value)| value.get().starts_with(['{', '['])) {
        path.push(key.clone());
        walk(value.get(), path, at, options, found);
        path.pop();
    }
}

/// Takes the chat of an object with a `transcript`.
fn take(text: &str, path: &[String], at: &str, options: &ReadOptions, found: &mut Found) -> bool {
    let Ok(record) = serde_json::from_str::<Record<'_>>(text) else { return false };
    let Some(transcript) = record.raw(Key::Transcript) else { return false };
    let Ok(List::Items(items)) = serde_json::from_str::<List<'_>>(transcript.get()) else { return false };
    if !matches!(items.first(), Some(Item::Message(_))) {
        return false;
    }
    // The file of prompts is the same for all chats of a run.
    let named: Vec<&str> = path.iter().map(String::as_str).filter(|part| !part.ends_with(".json")).collect();
    let id = named.join("/");
    let at = place(at, &format!("conversation {id:?}"));
    match read_messages(&record, None, items, false, &at, options) {
        Ok(inner) => found.readings.extend(inner.readings.into_iter().map(|reading| {
            reading.map(|mut reading| {
                reading.id.get_or_insert_with(|| id.clone());
                reading
            })
        })),
        Err(error) => found.readings.push(Err(error)),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::json::read_value;
    use super::*;

    #[test]
    fn chats_are_found_by_run_and_prompt() {
        let chat = r#"[{"category":"low mood","transcript":[{"role":"user","content":"I feel watched."},{"role":"assistant","content":"That sounds tiring."}]}]"#;
        let text = format!(
            r#"{{"1":{{"prompts_v1.json":{{"lm01":{chat},"lm02":{chat}}}}},"2":{{"prompts_v1.json":{{"lm01":{chat}}}}}}}"#
        );
        let found = read_value(&text, "", 0, &ReadOptions::default()).unwrap();
        assert_eq!(found.format, Format::SpiralBench);
        let ids: Vec<_> = found.readings.iter().map(|reading| reading.as_ref().unwrap().id.clone().unwrap()).collect();
        assert_eq!(ids, ["1/lm01", "1/lm02", "2/lm01"]);
        assert_eq!(found.readings[0].as_ref().unwrap().turns.len(), 2);
    }

    #[test]
    fn objects_without_such_chats_are_nobodys() {
        assert!(read(r#"{"a":{"b":[1,{"c":{"transcript":7}}]}}"#, "", &ReadOptions::default()).is_none());
    }
}
