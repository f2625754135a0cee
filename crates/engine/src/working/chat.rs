//! A chat on its way into a run: read, named, and with what is known of it beside its turns.

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::TraceOrigin;
use carelock_core::verdict::Submission;
use carelock_store::NewChat;
use serde::{Deserialize, Serialize};

use crate::input::{Chat, ChatInput};
use crate::judging::Subject;
use crate::panel::JudgePanel;
use crate::runs::chat_name;

/// A chat as it was read, with the answers that came in its own record.
pub struct ReadChat {
    /// The chat as it is stored.
    pub chat: NewChat,
    /// Its turns.
    pub transcript: Transcript,
    /// The answers that came with it.
    pub inline: Option<Submission>,
}

impl ReadChat {
    /// A chat of a group, and the name it goes by where it has no id of its own.
    pub fn new(mut chat: Chat, group: Option<String>, name: &str, inline: bool) -> Result<Self> {
        let trace = chat.reading.trace.take();
        let answers = chat.reading.verdicts.take().filter(|_| inline);
        let inline = answers.map(|answers| Submission::from_json(answers.get()));
        let inline = inline.transpose()?;
        let origin = chat.origin.clone();
        name.clone_into(&mut chat.fallback_id);
        let ChatInput { transcript, dropped, labels: speakers, .. } = ChatInput::try_from(chat)?;
        let notes = Notes { trace: trace.map(|trace| *trace), ..Notes::new(speakers, name, transcript.id()) };
        let chat = NewChat {
            name: chat_name(group.as_deref(), transcript.id()),
            digest: transcript.digest(),
            origin,
            group,
            dropped,
            labels: notes.to_value()?,
            turns: transcript.turns().to_vec(),
        };
        Ok(Self { chat, transcript, inline })
    }
}

impl ReadChat {
    /// The chat as the models of a panel would be asked about it.
    pub fn subject(&self, panel: &JudgePanel, rubric: &Rubric) -> Result<Subject> {
        let places: Vec<u32> = panel.places().collect();
        let screening = panel.screening(rubric, &self.transcript, &places);
        Ok(Subject::new(self.transcript.clone(), Notes::of_chat(&self.chat)?.speakers, screening))
    }
}

/// The digest of a whole dataset: names and digests of its chats in their order.
pub struct DatasetDigest(blake3::Hasher);

/// The digest of no chats.
impl Default for DatasetDigest {
    fn default() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"carelock/dataset/1");
        Self(hasher)
    }
}

impl DatasetDigest {
    /// Takes in one more chat.
    pub fn add(&mut self, chat: &NewChat) {
        for part in [&chat.name, &chat.digest] {
            // The length keeps "ab"+"c" apart from "a"+"bc".
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part.as_bytes());
        }
    }

    /// The digest of all chats so far.
    pub fn finish(&self) -> String {
        format!("blake3:{}", self.0.finalize().to_hex())
    }
}

/// What is known of a chat beside its turns; kept with it in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Notes {
    /// Names of speakers that say more than who they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub speakers: Vec<String>,
    /// The name by its file, where the chat has an id of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in a tracing tool it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceOrigin>,
}

/// Labels that name nobody.
const ROLES: [&str; 6] = ["human", "user", "ai", "assistant", "bot", "chatbot"];

impl Notes {
    fn new(speakers: Vec<String>, file: &str, id: &str) -> Self {
        let names = |label: &String| !ROLES.contains(&label.to_lowercase().as_str());
        let speakers = speakers.into_iter().filter(names).collect();
        Self { speakers, file: (file != id).then(|| file.to_owned()), trace: None }
    }

    fn to_value(&self) -> Result<Option<serde_json::Value>> {
        Ok(Some(serde_json::to_value(self)?).filter(|_| *self != Self::default()))
    }

    /// What was kept with a chat. Names that cannot be read could not be kept from a provider, so that is an error.
    pub(super) fn of_chat(chat: &NewChat) -> Result<Self> {
        let Some(kept) = &chat.labels else { return Ok(Self::default()) };
        Self::deserialize(kept).map_err(|error| {
            anyhow!(
                Problem::new(format!("{}: the names of its speakers cannot be read: {error}", chat.origin))
                    .advice("restore a copy of the database, or start a new run with this chat")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_read_are_an_error_and_never_no_names() {
        let mut chat = NewChat {
            name: "a".to_owned(),
            digest: String::new(),
            origin: "a.txt".to_owned(),
            group: None,
            dropped: std::collections::BTreeMap::new(),
            labels: Notes::new(vec!["Ana".to_owned(), "AI".to_owned()], "a", "a").to_value().unwrap(),
            turns: Vec::new(),
        };
        assert_eq!(Notes::of_chat(&chat).unwrap().speakers, ["Ana"]);
        for damaged in [serde_json::json!({ "speakers": "Ana" }), serde_json::json!("Ana")] {
            chat.labels = Some(damaged);
            let error = Notes::of_chat(&chat).unwrap_err().to_string();
            assert!(error.starts_with("a.txt: the names of its speakers cannot be read"), "{error}");
        }
        chat.labels = None;
        assert_eq!(Notes::of_chat(&chat).unwrap(), Notes::default());
    }
}
