//! Chats from files, folders, patterns and standard input, in order and a batch at a time.

mod batches;
mod lines;
mod litter;
mod paths;

pub(crate) use batches::title_in;
pub use batches::{Batches, Named, Skipped, Unread, read_bytes, read_files};
pub use paths::{NO_NAME, is_same_file, read_text, text_name};

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::{Problem, Speakers};
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::{Format, Reading};
use serde_json::value::RawValue;

use crate::figures::shell_word;
use crate::options::ReadingOptions;

/// A conversation and where it came from.
pub struct Chat {
    /// The file it came from.
    pub source: Arc<Named>,
    /// The file and, where it holds several, the place in it.
    pub origin: String,
    /// The name it goes by where the data carries no id.
    pub fallback_id: String,
    /// The file's format; none where it holds a chat a line, each in a format of its own.
    pub format: Option<Format>,
    /// What was noticed about the file as a whole.
    pub file_notes: Vec<String>,
    /// What may be wrong with the file's text; said with its first chat.
    pub warnings: Vec<String>,
    /// What was understood.
    pub reading: Reading,
}

/// A chat to be evaluated, and what is known of it beside its turns.
#[derive(Clone)]
pub struct ChatInput {
    /// The chat.
    pub transcript: Transcript,
    /// What the conversation is called in its data.
    pub title: Option<String>,
    /// What was in it but is not a turn, counted.
    pub dropped: BTreeMap<String, usize>,
    /// The labels of its speakers, which redaction replaces.
    pub labels: Vec<String>,
    /// The answers in its own record.
    pub own: Option<Box<RawValue>>,
    /// What it is called by its file.
    pub file: String,
}

impl From<Transcript> for ChatInput {
    fn from(transcript: Transcript) -> Self {
        let file = transcript.id().to_owned();
        Self { transcript, title: None, dropped: BTreeMap::new(), labels: Vec::new(), own: None, file }
    }
}

impl TryFrom<Chat> for ChatInput {
    type Error = anyhow::Error;

    fn try_from(chat: Chat) -> Result<Self> {
        Self::new(chat.reading, &chat.fallback_id)
    }
}

impl ChatInput {
    /// A chat that was read. It goes by its own id, else by this one.
    pub fn new(reading: Reading, fallback_id: &str) -> Result<Self> {
        let Reading { id, title, turns, dropped, speakers, verdicts, .. } = reading;
        let transcript = Transcript::new(id.unwrap_or_else(|| fallback_id.to_owned()), turns).map_err(|error| {
            let parts: Vec<String> = dropped.iter().map(|(what, count)| format!("{count} × {what}")).collect();
            let left_out = if parts.is_empty() { String::new() } else { format!(" (left out: {})", parts.join(", ")) };
            anyhow!(Problem::new(format!("{error}{left_out}")).with(Speakers::BothSides.into()))
        })?;
        let labels = speakers.into_iter().map(|note| note.label).collect();
        Ok(Self { transcript, title, dropped, labels, own: verdicts, file: fallback_id.to_owned() })
    }
}

impl Chat {
    /// The name the chat goes by.
    pub fn id(&self) -> &str {
        self.reading.id.as_deref().unwrap_or(&self.fallback_id)
    }
}

/// One chat of a file: the only one, or the one of this id; `what` is for one only.
pub fn one_chat(path: &String, id: Option<&str>, reading: &ReadingOptions, what: &str) -> Result<Chat> {
    let options = reading.reader()?;
    let mut batches = Batches::new(std::slice::from_ref(path), reading.max_size())?;
    let (mut count, mut found) = (0, None);
    while let Some(batch) = batches.read_next(&options) {
        for read in batch {
            // What cannot be read beside the chat that is asked for is nobody's concern here.
            let chat = match read {
                Err(_) if id.is_some() => continue,
                read => read.map_err(Unread::told)?,
            };
            count += 1;
            if found.is_none() && id.is_none_or(|id| chat.id() == id) {
                found = Some(chat);
            }
        }
    }
    match (found, id) {
        (Some(chat), Some(_)) => Ok(chat),
        (Some(chat), None) if count == 1 => Ok(chat),
        (None, Some(id)) => bail!(
            Problem::new(format!("{path}: has no chat {id:?}"))
                .advice(format!("`carelock turns {}` lists its chats", shell_word(path)))
        ),
        (_, None) => bail!(
            Problem::new(format!("{path}: holds {count} chats, {what} is for one"))
                .advice("name a file with one chat, or the id of the chat you mean")
        ),
    }
}

/// The transcript of one chat of a file, as [`one_chat`] finds it.
pub fn one_transcript(path: &String, id: Option<&str>, reading: &ReadingOptions, what: &str) -> Result<Transcript> {
    let chat = one_chat(path, id, reading, what)?;
    let origin = chat.origin.clone();
    let input = ChatInput::try_from(chat).map_err(|error| error.context(origin))?;
    Ok(input.transcript)
}
