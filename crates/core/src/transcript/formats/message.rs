//! One message of any JSON format, read in a single pass whatever its keys are called.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::loose::Loose;

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
    #[serde(
        alias = "turn",
        alias = "turn_id",
        alias = "turn_idx",
        alias = "turn_index"
    )]
    #[serde(
        alias = "order",
        alias = "position",
        alias = "message_index",
        alias = "utterance_idx"
    )]
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
    #[serde(
        alias = "conv_id",
        alias = "dialogue_id",
        alias = "dialog_id",
        alias = "chat_id"
    )]
    #[serde(alias = "session_id", alias = "thread_id", alias = "conversation")]
    ConversationId,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// What a message says, before it is known which parts of it are text.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Content<'a> {
    /// There is no such key, or it is `null`.
    #[default]
    Missing,
    /// A plain string.
    Text(String),
    /// Parts or blocks: some text, some not.
    Parts(Vec<Part<'a>>),
    /// Something that cannot be text; its name for messages.
    Other(&'static str),
}

/// One part of a message made of several.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part<'a> {
    /// Its `type` (or `content_type`).
    pub(super) kind: Option<Cow<'a, str>>,
    /// Its text, where it has any.
    pub(super) text: Option<String>,
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
        self.rare
            .as_ref()
            .and_then(|rare| rare.conversation.as_deref())
    }

    fn rare(&mut self) -> &mut Rare<'a> {
        self.rare.get_or_insert_default()
    }
}

/// Visitor methods for the simple kinds of value a caller has no use for.
macro_rules! others {
    ($wrap:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($wrap("a boolean"))
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
    };
}

/// `Deserialize` by a visitor that accepts any value.
macro_rules! deserialize_with {
    ($type:ident, $visitor:expr) => {
        impl<'de: 'a, 'a> Deserialize<'de> for $type<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a list of parts")
    }

    others!(Content::Other);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::Missing)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(Content::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(Content::Parts(vec![PartVisitor.visit_map(map)?]))
    }
}

deserialize_with!(Content, ContentVisitor);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum PartKey {
    #[serde(alias = "content_type")]
    Type,
    #[serde(alias = "refusal")]
    Text,
    Value,
    #[serde(other)]
    Other,
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part of a message")
    }

    others!(|name| Part {
        kind: Some(Cow::Borrowed(name)),
        text: None
    });

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Part {
            kind: Some(Cow::Borrowed("empty")),
            text: None,
        })
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Part {
            kind: None,
            text: Some(value.to_owned()),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Part {
            kind: Some(Cow::Borrowed("list")),
            text: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut part = Part::default();
        while let Some(key) = map.next_key::<PartKey>()? {
            match key {
                PartKey::Type => part.kind = map.next_value::<Loose<'de>>()?.into_label(),
                // The text of a part may itself be an object: {"text": {"value": "..."}}.
                PartKey::Text | PartKey::Value => match map.next_value::<Content<'de>>()? {
                    Content::Text(text) => part.text = Some(text),
                    Content::Parts(inner) => {
                        part.text = inner.into_iter().find_map(|inner| inner.text);
                    }
                    Content::Missing | Content::Other(_) => {}
                },
                PartKey::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(part)
    }
}

deserialize_with!(Part, PartVisitor);

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
        let free = self.content_key.is_none()
            || self.content_key == Some(key)
            || self.content == Content::Missing;
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
