//! The top level of a JSON record: the messages parsed at once, everything else only borrowed.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::loose::Loose;
use super::message::{Item, List};

/// The keys of a record that are looked at; all others are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
pub(super) enum Key {
    // Lists of messages, the most telling first: the order is the one in which they are preferred.
    Turns,
    Messages,
    Conversations,
    ChatMessages,
    Conversation,
    Dialogue,
    Dialog,
    Chat,
    Utterances,
    Interaction,
    // Names of the conversation.
    Id,
    ConversationId,
    ConvId,
    DialogueId,
    DialogId,
    ChatId,
    Uuid,
    ConversationHash,
    TranscriptId,
    // Which time it was tried: together with its target, only a sample of Inspect has this.
    Epoch,
    Target,
    // What it is called.
    Title,
    Name,
    // What stands beside the messages.
    Mapping,
    Transcript,
    System,
    Request,
    Response,
    Choices,
    Speakers,
    Roles,
    #[serde(alias = "chats", alias = "rows", alias = "samples", alias = "spans", alias = "observations")]
    Data,
    // A judge's answers.
    Verdicts,
    Cited,
    Why,
    Judge,
    Moments,
    Metrics,
    Positive,
    Negative,
    Summary,
    // Keys that only a single message has.
    #[serde(alias = "from", alias = "speaker", alias = "author", alias = "sender")]
    Role,
    #[serde(
        alias = "value",
        alias = "text",
        alias = "utterance",
        alias = "message",
        alias = "body",
        alias = "tool_calls"
    )]
    Content,
    #[serde(other)]
    Other,
}

/// The first that is there counts. A transcript of Scout has the id of the sample beside its own, which several transcripts share.
const ID_KEYS: [Key; 9] = [
    Key::TranscriptId,
    Key::Id,
    Key::ConversationId,
    Key::ConvId,
    Key::DialogueId,
    Key::DialogId,
    Key::ChatId,
    Key::Uuid,
    Key::ConversationHash,
];

/// The id of a sample that was tried so many times: the first try has the id itself.
pub(super) fn later_try(id: &str, epoch: u32) -> String {
    let suffix = format!(":epoch-{epoch}");
    if epoch > 1 && !id.ends_with(&suffix) { format!("{id}{suffix}") } else { id.to_owned() }
}

/// The keys of a judge's answers, with their names, in the order in which they are handed on.
const ANSWER_KEYS: [(Key, &str); 9] = [
    (Key::Verdicts, "verdicts"),
    (Key::Cited, "cited"),
    (Key::Why, "why"),
    (Key::Judge, "judge"),
    (Key::Moments, "moments"),
    (Key::Metrics, "metrics"),
    (Key::Positive, "positive"),
    (Key::Negative, "negative"),
    (Key::Summary, "summary"),
];

/// One JSON object that may hold a conversation.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    /// What stands under the keys of message lists.
    pub(super) lists: Vec<(Key, List<'a>)>,
    raw: Vec<(Key, &'a RawValue)>,
    names_speaker: bool,
    says: bool,
}

impl<'a> Record<'a> {
    /// The value under a key, as written; of duplicate keys the last, as JSON parsers commonly have it.
    pub(super) fn raw(&self, key: Key) -> Option<&'a RawValue> {
        self.raw.iter().rev().find(|(had, _)| *had == key).map(|(_, raw)| *raw)
    }

    /// Whether the object is a message and not a conversation.
    pub(super) fn is_message(&self) -> bool {
        let holds_chat = self.lists.iter().any(|(_, list)| matches!(list, List::Items(_)));
        self.names_speaker && self.says && !holds_chat
    }

    /// The list of messages with its key, and the keys of other such lists that are passed over.
    pub(super) fn take_list(&mut self) -> (Option<(Key, List<'a>)>, Vec<Key>) {
        let rank = |(key, list): &(Key, List<'a>)| match list {
            List::Items(items) if !items.is_empty() => (0, *key as usize),
            List::Items(_) => (1, *key as usize),
            List::Encoded(_) => (2, *key as usize),
            List::Other => (3, *key as usize),
        };
        let best = self.lists.iter().enumerate().min_by_key(|(_, entry)| rank(entry)).map(|(position, _)| position);
        let Some(best) = best else {
            return (None, Vec::new());
        };
        let chosen = self.lists.swap_remove(best);
        let is_list =
            |list: &List<'_>| matches!(list, List::Items(items) if matches!(items.first(), Some(Item::Message(_))));
        let others = self.lists.iter().filter(|(_, list)| is_list(list)).map(|(key, _)| *key).collect();
        match chosen {
            (_, List::Other) => (None, others),
            chosen => (Some(chosen), others),
        }
    }

    /// The conversation's own id; a report keeps it with its transcript.
    pub(super) fn id(&self) -> Option<String> {
        let text = |raw: &'a RawValue| serde_json::from_str::<Loose<'_>>(raw.get()).ok().and_then(Loose::into_label);
        let own = ID_KEYS.iter().find_map(|key| self.raw(*key).and_then(text));
        let id = own.or_else(|| {
            let transcript = self.raw(Key::Transcript).filter(|raw| raw.get().starts_with('{'))?;
            text(transcript)
        });
        let id = id.filter(|id| !id.is_empty()).map(std::borrow::Cow::into_owned)?;
        // A transcript has an id of its own for every try.
        let epoch = self.epoch().filter(|_| self.raw(Key::TranscriptId).is_none());
        Some(match epoch {
            Some(epoch) => later_try(&id, epoch),
            None => id,
        })
    }

    /// Which time a sample of Inspect was tried.
    fn epoch(&self) -> Option<u32> {
        self.raw(Key::Target)?;
        serde_json::from_str(self.raw(Key::Epoch)?.get()).ok()
    }

    /// What the conversation is called under one of these keys.
    pub(super) fn title(&self, keys: &[Key]) -> Option<String> {
        let text = |raw: &'a RawValue| serde_json::from_str::<String>(raw.get()).ok();
        let title = keys.iter().find_map(|key| self.raw(*key).and_then(text));
        title.filter(|title| !title.trim().is_empty())
    }

    /// The judge's answers in the record, exactly as written, where it has `verdicts`.
    pub(super) fn verdicts(&self) -> Option<Box<RawValue>> {
        self.raw(Key::Verdicts).filter(|raw| raw.get() != "null")?;
        let mut object = String::from("{");
        for (key, name) in ANSWER_KEYS {
            if let Some(raw) = self.raw(key) {
                if object.len() > 1 {
                    object.push(',');
                }
                object.push('"');
                object.push_str(name);
                object.push_str("\":");
                object.push_str(raw.get());
            }
        }
        object.push('}');
        RawValue::from_string(object).ok()
    }

    fn set_list(&mut self, key: Key, list: List<'a>) {
        match self.lists.iter_mut().find(|(had, _)| *had == key) {
            Some(entry) => entry.1 = list,
            None => self.lists.push((key, list)),
        }
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a conversation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut record = Record::default();
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Turns
                | Key::Messages
                | Key::Conversations
                | Key::ChatMessages
                | Key::Conversation
                | Key::Dialogue
                | Key::Dialog
                | Key::Chat
                | Key::Utterances
                | Key::Interaction => {
                    let list = map.next_value()?;
                    record.set_list(key, list);
                }
                Key::Role | Key::Content | Key::Other => {
                    record.names_speaker |= key == Key::Role;
                    record.says |= key == Key::Content;
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    let raw = map.next_value()?;
                    record.raw.push((key, raw));
                }
            }
        }
        Ok(record)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &str) -> Record<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn duplicate_keys_take_the_last_value() {
        let mut twice = record(r#"{"id":"a","messages":[],"messages":[{"role":"user","content":"x"}],"id":"b"}"#);
        assert_eq!(twice.id().as_deref(), Some("b"));
        assert!(matches!(twice.take_list().0, Some((Key::Messages, List::Items(items))) if items.len() == 1));
    }

    #[test]
    fn a_sample_that_is_tried_again_and_a_transcript_have_ids_of_their_own() {
        let id = |json: &str| record(json).id().unwrap();
        assert_eq!(id(r#"{"id":7,"epoch":1,"target":""}"#), "7");
        assert_eq!(id(r#"{"id":7,"epoch":2,"target":""}"#), "7:epoch-2");
        assert_eq!(id(r#"{"id":"a","epoch":1790000000}"#), "a", "this is a time");
        assert_eq!(id(r#"{"id":"a","transcript_id":"t","epoch":2,"target":""}"#), "t");
    }

    #[test]
    fn a_count_called_turns_does_not_hide_the_messages() {
        let mut lmsys = record(r#"{"turns":3,"conversation":[{"role":"user","content":"x"}]}"#);
        assert!(matches!(lmsys.take_list().0, Some((Key::Conversation, List::Items(_)))));
    }

    #[test]
    fn the_answers_of_a_judge_are_kept_exactly_as_written() {
        let judged = record(r#"{"turns":[],"why":{"E1": "x" },"verdicts": {"E1":true },"cited":[2],"other":1}"#);
        assert_eq!(judged.verdicts().unwrap().get(), r#"{"verdicts":{"E1":true },"cited":[2],"why":{"E1": "x" }}"#);
        assert!(record(r#"{"turns":[],"metrics":{},"moments":[]}"#).verdicts().is_none());
    }

    #[test]
    fn messages_and_conversations_are_told_apart() {
        assert!(record(r#"{"role":"user","content":"x"}"#).is_message());
        assert!(record(r#"{"conversation":"c1","speaker":"user","text":"x"}"#).is_message());
        assert!(!record(r#"{"messages":[],"role":"user","content":"x"}"#).is_message());
        assert!(!record(r#"{"role":"user"}"#).is_message());
    }

    #[test]
    fn a_report_keeps_its_id_with_the_transcript() {
        assert_eq!(record(r#"{"transcript":{"id":"r1","hash":"x"}}"#).id().as_deref(), Some("r1"));
        assert_eq!(record(r#"{"chat_id":17}"#).id().as_deref(), Some("17"));
    }
}
