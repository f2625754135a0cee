//! Chats from files, folders, patterns and standard input, in order and a batch at a time.

mod batches;
mod lines;
mod paths;

#[cfg(feature = "web")]
pub(crate) use batches::read_bytes;
pub(crate) use batches::{Batches, Named, Unread};
pub(crate) use paths::{NO_NAME, is_same_file, read_text, text_name};

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::{Format, ReadOptions, Reading};

use crate::cli::{ReadingArguments, TextFormat};

/// A conversation and where it came from.
pub(crate) struct Chat {
    /// The file it came from.
    pub(crate) source: Arc<Named>,
    /// The file and, where it holds several, the place in it.
    pub(crate) origin: String,
    /// The name it goes by where the data carries no id.
    pub(crate) fallback_id: String,
    /// The file's format; none where it holds a chat a line, each in a format of its own.
    pub(crate) format: Option<Format>,
    /// What was noticed about the file as a whole.
    pub(crate) file_notes: Vec<String>,
    /// What may be wrong with the file's text; said with its first chat.
    pub(crate) warnings: Vec<String>,
    /// What was understood.
    pub(crate) reading: Reading,
}

/// What was in a chat but is not a turn, counted.
type Dropped = BTreeMap<String, usize>;

impl Chat {
    /// The transcript, and what was left out of it.
    pub(crate) fn into_transcript(mut self) -> Result<(Transcript, Dropped)> {
        let dropped = std::mem::take(&mut self.reading.dropped);
        let transcript = self.reading.into_transcript(&self.fallback_id).map_err(|error| {
            let parts: Vec<String> = dropped.iter().map(|(what, count)| format!("{count} × {what}")).collect();
            let left_out = if parts.is_empty() { String::new() } else { format!(" (left out: {})", parts.join(", ")) };
            anyhow!(
                "{error}{left_out}\n  fix: give a chat with messages of both sides; \
                 where a speaker was taken for the wrong one, say who is who with --human NAME --ai NAME"
            )
        })?;
        Ok((transcript, dropped))
    }

    /// The name the chat goes by.
    pub(crate) fn id(&self) -> &str {
        self.reading.id.as_deref().unwrap_or(&self.fallback_id)
    }
}

/// The reader's options, from the command line's.
pub(crate) fn read_options(arguments: &ReadingArguments) -> ReadOptions {
    let from = arguments.from.map(|from| match from {
        TextFormat::Text => Format::PlainText,
        TextFormat::Markdown => Format::Markdown,
        TextFormat::Messenger => Format::ChatExport,
        TextFormat::Table => Format::Delimited,
    });
    let (human, ai) = (arguments.human.clone(), arguments.ai.clone());
    ReadOptions { human, ai, from, ..ReadOptions::default() }
}

/// The transcript of a file that must hold exactly one chat; `what` is for one only.
pub(crate) fn one_transcript(path: &String, reading: &ReadingArguments, what: &str) -> Result<Transcript> {
    let options = read_options(reading);
    let mut batches = Batches::new(std::slice::from_ref(path), reading.max_size)?;
    let mut chats = Vec::new();
    while let Some(batch) = batches.next() {
        for read in batch.read(&options) {
            chats.push(read.map_err(|unread| anyhow!("{}: {}", unread.origin, unread.message))?);
        }
    }
    let count = chats.len();
    let Some(chat) = chats.pop().filter(|_| count == 1) else {
        bail!("{path}: holds {count} chats, {what} is for one\n  fix: name a file with one chat");
    };
    let origin = chat.origin.clone();
    let (transcript, _) = chat.into_transcript().map_err(|error| anyhow!("{origin}: {error}"))?;
    Ok(transcript)
}
