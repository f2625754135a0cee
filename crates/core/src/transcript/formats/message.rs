//! One message of any JSON format, read in a single pass whatever its keys are called.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::content::Content;
use super::loose::{Loose, deserialize_with, others};

/// The keys of a message that are looked at; all others are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
pub(super) enum MessageKey {
    /// OpenAI, Anthropic.
    Role,
    /// ShareGPT.
    From,
    /// Care-Lock and many data sets.
    Speaker,
    /// Messenger and ticket exports.
    Author,
    /// Claude's data export.
    Sender,
    /// OpenAI, Anthropic.
    Content,
    /// ShareGPT.
    Value,
    /// Care-Lock, Claude's data export.
    Text,
    /// Dialogue data sets.
    Utterance,
    /// Messenger exports.
    #[serde(alias = "body")]
    Message,
    /// The number of a turn, where the format has one.
    #[serde(alias = "turn", alias = "turn_id", alias = "turn_idx", alias = "turn_index")]
    #[serde(alias = "order", alias = "position", alias = "message_index", alias = "utterance_idx")]
    Idx,
    /// What kind of entry it is, where there is no role.
    Type,
    /// OpenAI: the assistant calls tools.
    #[serde(alias = "function_call")]
    ToolCalls,
    /// OpenAI: the assistant declines.
    Refusal,
    /// Claude's data export.
    Attachments,
    /// Claude's data export.
    Files,
    /// Which conversation a message stands in, where every message is a row of its own.
    #[serde(alias = "conv_id", alias = "dialogue_id", alias = "dialog_id", alias = "chat_id")]
    #[serde(alias = "session_id", alias = "thread_id", alias = "conversation")]
    ConversationId,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// One message with the keys it used.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    /// Who speaks, as the data calls them, and under which key.
    pub(super) label: Option<(MessageKey, Cow<'a, str>)>,
    /// The content and the key it stood under.
    pub(super) content: Content<'a>,
    /// The key of `content`.
    pub(super) content_key: Option<MessageKey>,
    /// The number the data gives the message.
    pub(super) idx: Option<i64>,
    /// What few messages have, kept apart so that the many others stay small: moving them is most of the work.
    pub(super) rare: Option<Box<Rare<'a>>>,
}

/// What only few messages have.
#[derive(Debug, Default)]
pub(super) struct Rare<'a> {
    /// The content of `text`, where another key gave the content.
    pub(super) plain: Content<'a>,
    /// The `type` of the message.
    pub(super) kind: Option<Cow<'a, str>>,
    /// How many tools it calls.
    pub(super) tool_calls: usize,
    /// The words of a refusal that stands beside the content.
    pub(super) refusal: Option<String>,
    /// How many attachments and files hang on it.
    pub(super) attachments: usize,
    /// The conversation it belongs to, where messages are rows.
    pub(super) conversation: Option<Cow<'a, str>>,
}

/// One entry of a list of messages.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// An object.
    Message(Message<'a>),
    /// A bare string.
    Text(String),
    /// Anything else; its name for messages.
    Other(&'static str),
}

/// What stands where a list of messages is expected.
#[derive(Debug)]
pub(super) enum List<'a> {
    /// A list.
    Items(Vec<Item<'a>>),
    /// A string, perhaps with JSON or a plain-text chat inside.
    Encoded(String),
    /// Anything else.
    Other,
}

impl<'a> Message<'a> {
    /// Whether this is a message at all: it names a speaker and says or does something.
    pub(super) fn is_message(&self) -> bool {
        let calls = self.rare.as_ref().is_some_and(|rare| rare.tool_calls > 0);
        self.label.is_some() && (self.content_key.is_some() || calls)
    }

    /// The conversation the message belongs to, where messages are rows.
    pub(super) fn conversation(&self) -> Option<&str> {
        self.rare.as_ref().and_then(|rare| rare.conversation.as_deref())
    }

    fn rare(&mut self) -> &mut Rare<'a> {
        self.rare.get_or_insert_default()
    }
}

impl<'a> Message<'a> {
    /// Keeps what stands under one key.
    fn take<A: MapAccess<'a>>(&mut self, key: MessageKey, map: &mut A) -> Result<(), A::Error> {
        use MessageKey as K;
        match key {
            K::Role | K::From | K::Speaker | K::Author | K::Sender => {
                let label = map.next_value::<Loose<'a>>()?.into_label();
                // `role` is the most telling key: a `name` or `author` beside it is only decoration.
                if self.label.as_ref().is_none_or(|(had, _)| *had != K::Role) {
                    self.label = label.map(|label| (key, label)).or(self.label.take());
                }
            }
            K::Content | K::Value | K::Utterance | K::Message | K::Text => {
                let content = map.next_value()?;
                self.take_content(key, content);
            }
            K::Idx => {
                if let Loose::Whole(number) = map.next_value()? {
                    self.idx = Some(number);
                }
            }
            K::Type => self.rare().kind = map.next_value::<Loose<'a>>()?.into_label(),
            K::ToolCalls | K::Attachments | K::Files => {
                let count = map.next_value::<Loose<'a>>()?.count();
                match (count, key) {
                    (0, _) => {}
                    (_, K::ToolCalls) => self.rare().tool_calls += count,
                    _ => self.rare().attachments += count,
                }
            }
            K::Refusal => {
                if let Content::Text(text) = map.next_value()? {
                    self.rare().refusal = Some(text);
                }
            }
            K::ConversationId => {
                self.rare().conversation = map.next_value::<Loose<'a>>()?.into_label();
            }
            K::Other => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    /// Keeps a content: `content` before any other key, and `text` beside it as a second choice.
    fn take_content(&mut self, key: MessageKey, content: Content<'a>) {
        let free = self.content_key.is_none() || self.content_key == Some(key) || self.content == Content::Missing;
        if free {
            self.content = content;
            self.content_key = Some(key);
        } else if self.content_key == Some(MessageKey::Text) {
            if content != Content::Missing {
                self.rare().plain = std::mem::replace(&mut self.content, content);
                self.content_key = Some(key);
            }
        } else if key == MessageKey::Text {
            self.rare().plain = content;
        } else if key == MessageKey::Content {
            self.content = content;
            self.content_key = Some(key);
        }
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    others!(Item::Other);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Item::Other("null"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Item::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Item::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut message = Message::default();
        while let Some(key) = map.next_key::<MessageKey>()? {
            message.take(key, &mut map)?;
        }
        Ok(Item::Message(message))
    }
}

deserialize_with!(Item, ItemVisitor);

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    others!(|_| List::Other);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(List::Other)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(List::Encoded(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::with_capacity(16);
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(List::Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(List::Other)
    }
}

deserialize_with!(List, ListVisitor);
