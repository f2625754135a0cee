//! What programs ask for: a chat, or several, and how they are to be judged.

use std::collections::HashMap;

use carelock_core::panel::GatePolicy;
use carelock_core::transcript::formats::ReadOptions;
use carelock_engine::input::read_bytes;
use carelock_engine::options::{JudgeOptions, ReadingOptions, Redact};
use carelock_engine::working::ReadChat;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::body;
use crate::api_error::{ApiError, ApiResult};
use crate::evaluation::{ChatUpload, Terms, check_redaction};
use crate::jobs::Order;
use crate::judges;
use crate::state::Shared;

/// The longest id of a chat, in characters.
const LONGEST_ID: usize = 200;

/// A chat to be judged. Either `messages` or `transcript` is given.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
// The title that the published document has always had.
#[schemars(rename = "Asked")]
pub(super) struct EvaluateRequest {
    /// The chat as OpenAI writes it: objects with `role` and `content`.
    #[schemars(with = "Option<Vec<serde_json::Map<String, serde_json::Value>>>", length(min = 1))]
    messages: Option<Box<RawValue>>,
    /// The chat in any other form: text with the speakers' names, or JSON of any chat format that `carelock eval` reads.
    #[schemars(with = "Option<Transcript>")]
    transcript: Option<Box<RawValue>>,
    /// What the chat goes by in the report; where it is not given, the id in the chat's own record, or else `stdin`.
    #[schemars(length(min = 1, max = 200))]
    id: Option<String>,
    /// Labels that stand for the person.
    human: Vec<String>,
    /// Labels that stand for the AI.
    ai: Vec<String>,
    /// Labels of third parties, whose words are kept as context on the person's side.
    other: Vec<String>,
    /// Labels whose messages are left out.
    ignore_speaker: Vec<String>,
    /// Words before a colon that are nobody's label.
    not_a_speaker: Vec<String>,
    /// Who judges: `builtin`, and models that the server knows; `builtin` where nobody is named.
    #[schemars(length(max = 8))]
    judges: Vec<String>,
    /// When several judges trip a gate: one with proof is enough, or the majority decides.
    gate_policy: GatePolicy,
    /// Whether names, numbers and addresses are replaced before anything is sent to a model.
    redact: bool,
}

/// A chat in a form of its own.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used: what was sent is handed to the reader as it is")]
enum Transcript {
    Text(String),
    Object(serde_json::Map<String, serde_json::Value>),
    List(Vec<serde_json::Value>),
}

impl EvaluateRequest {
    /// What was asked for with a body of JSON.
    pub(super) fn from_json(text: &str) -> ApiResult<Self> {
        body::parse::<Self>(text)?.checked()
    }

    fn checked(self) -> ApiResult<Self> {
        if self.id.as_ref().is_some_and(|id| id.is_empty() || id.chars().count() > LONGEST_ID) {
            return Err(ApiError::bad("The id is empty or too long.", format!("use 1 to {LONGEST_ID} characters")));
        }
        Ok(self)
    }

    /// A transcript by itself.
    pub(super) fn from_text(text: String, id: Option<String>) -> ApiResult<(ChatUpload, Self)> {
        let asked = Self { id, ..Self::default() };
        Ok((ChatUpload { text, id: asked.id.clone(), options: ReadOptions::default() }, asked.checked()?))
    }

    /// The chat.
    pub(super) fn sent(&self) -> ApiResult<ChatUpload> {
        let text = match (&self.messages, &self.transcript) {
            (Some(messages), None) => openai(messages)?,
            (None, Some(transcript)) => other(transcript)?,
            _ => {
                let fix = "send the chat as messages, such as {\"messages\":[{\"role\":\"user\",\"content\":\"…\"},…]}, or \
                           in any other form as transcript";
                return Err(ApiError::bad("Exactly one of messages and transcript is needed.", fix));
            }
        };
        let options = ReadOptions {
            human: self.human.clone(),
            ai: self.ai.clone(),
            other: self.other.clone(),
            neither: self.ignore_speaker.clone(),
            text: self.not_a_speaker.clone(),
            ..ReadOptions::default()
        };
        Ok(ChatUpload { text, id: self.id.clone(), options })
    }

    /// How it is to be judged.
    pub(super) fn terms(&self, server: &Shared) -> ApiResult<Terms> {
        Ok(Terms {
            kinds: judges::kinds(&server.config, &self.judges)?,
            is_default: self.judges.is_empty(),
            policy: self.gate_policy,
            redact: self.redact,
        })
    }
}

fn openai(messages: &RawValue) -> ApiResult<String> {
    let objects: Vec<HashMap<String, IgnoredAny>> = body::parse(messages.get()).map_err(|_| {
        let fix = "send [{\"role\":\"user\",\"content\":\"…\"},{\"role\":\"assistant\",\"content\":\"…\"}]";
        ApiError::bad("messages is not a list of objects.", fix)
    })?;
    if objects.is_empty() {
        return Err(ApiError::bad("messages is empty.", "send the messages of both sides"));
    }
    Ok(format!("{{\"messages\":{}}}", messages.get()))
}

fn other(transcript: &RawValue) -> ApiResult<String> {
    match transcript.get().as_bytes().first() {
        Some(b'"') => body::parse(transcript.get()),
        Some(b'{' | b'[') => Ok(transcript.get().to_owned()),
        _ => Err(ApiError::bad("transcript is neither text nor an object nor a list.", "send the chat itself")),
    }
}

/// Chats to be judged in the background. Exactly one of `chats`, `messages` and `transcript` is given.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "AskedJob")]
pub(super) struct JobRequest {
    /// Several chats, each as text or in any JSON chat format that `carelock run` reads, such as
    /// `{"id": "a", "messages": [...]}`.
    #[schemars(with = "Option<Vec<Transcript>>", length(min = 1))]
    chats: Option<Vec<Box<RawValue>>>,
    /// One chat as OpenAI writes it.
    #[schemars(with = "Option<Vec<serde_json::Map<String, serde_json::Value>>>", length(min = 1))]
    messages: Option<Box<RawValue>>,
    /// Chats in any other form, as text or JSON.
    #[schemars(with = "Option<Transcript>")]
    transcript: Option<Box<RawValue>>,
    /// What the run is to be called; else it goes by the day.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// Labels that stand for the person.
    human: Vec<String>,
    /// Labels that stand for the AI.
    ai: Vec<String>,
    /// Labels of third parties, whose words are kept as context on the person's side.
    other: Vec<String>,
    /// Labels whose messages are left out.
    ignore_speaker: Vec<String>,
    /// Words before a colon that are nobody's label.
    not_a_speaker: Vec<String>,
    /// Who judges: `builtin`, and models that the server knows; `builtin` where nobody is named.
    #[schemars(length(max = 8))]
    judges: Vec<String>,
    /// When several judges trip a gate: one with proof is enough, or the majority decides.
    gate_policy: GatePolicy,
    /// Whether names, numbers and addresses are replaced before anything is sent to a model.
    redact: bool,
    #[serde(skip)]
    text: Option<String>,
}

impl JobRequest {
    /// What was asked for with a body of JSON.
    pub(super) fn from_json(text: &str) -> ApiResult<Self> {
        let asked: Self = body::parse(text)?;
        if asked.title.as_ref().is_some_and(|title| title.is_empty() || title.chars().count() > LONGEST_ID) {
            return Err(ApiError::bad("The title is empty or too long.", format!("use 1 to {LONGEST_ID} characters")));
        }
        Ok(asked)
    }

    /// Transcripts by themselves.
    pub(super) fn from_text(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }

    /// How they are to be judged.
    pub(super) fn order(&self, server: &Shared) -> ApiResult<Order> {
        let kinds = judges::kinds(&server.config, &self.judges)?;
        check_redaction(self.redact, &kinds)?;
        Ok(Order {
            title: self.title.clone(),
            judges: kinds.iter().map(ToString::to_string).collect(),
            gate_policy: self.gate_policy,
            judging: JudgeOptions { redact: self.redact.then_some(Redact::On), ..JudgeOptions::default() },
            reading: self.reading(),
        })
    }

    fn reading(&self) -> ReadingOptions {
        ReadingOptions {
            human: self.human.clone(),
            ai: self.ai.clone(),
            other: self.other.clone(),
            ignore_speaker: self.ignore_speaker.clone(),
            not_a_speaker: self.not_a_speaker.clone(),
            ..ReadingOptions::default()
        }
    }

    /// The chats, unpacked to so many bytes at most; where one cannot be read, none.
    pub(super) fn chats(&self, most_unpacked: u64) -> ApiResult<Vec<ReadChat>> {
        let reader = self.reading().reader().map_err(|error| ApiError::of_input(&error))?;
        let options = ReadOptions { unpacked_limit: Some(most_unpacked), ..reader };
        let mut found = Vec::new();
        for (name, text) in self.texts()? {
            for read in read_bytes(&name, text.into_bytes(), &options) {
                let chat = read.map_err(|unread| ApiError::of_problem(&unread.told()))?;
                let (origin, name) = (chat.origin.clone(), chat.fallback_id.clone());
                let read = ReadChat::new(chat, None, &name, false);
                found.push(read.map_err(|error| ApiError::of_input(&error.context(origin)))?);
            }
        }
        Ok(found)
    }

    fn texts(&self) -> ApiResult<Vec<(String, String)>> {
        match (&self.text, &self.chats, &self.messages, &self.transcript) {
            (Some(text), None, None, None) => Ok(vec![("chat".to_owned(), text.clone())]),
            (None, Some(chats), None, None) => {
                let numbered = (1..).zip(chats);
                numbered.map(|(number, chat)| Ok((format!("chat-{number}"), other(chat)?))).collect()
            }
            (None, None, Some(messages), None) => Ok(vec![("chat".to_owned(), openai(messages)?)]),
            (None, None, None, Some(transcript)) => Ok(vec![("chat".to_owned(), other(transcript)?)]),
            _ => {
                let fix = "send chats, or one chat as messages or transcript";
                Err(ApiError::bad("Exactly one of chats, messages and transcript is needed.", fix))
            }
        }
    }
}
