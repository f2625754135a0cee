//! Chats from files, folders, patterns and standard input, in order and a batch at a time.

mod batches;
mod lines;
mod paths;

pub(crate) use batches::{Batches, Unread};
pub(crate) use paths::{NO_NAME, read_text, text_name};

use carelock_core::transcript::formats::{Format, ReadOptions, Reading};

use crate::cli::{ReadingArguments, TextFormat};

/// A conversation and where it came from.
pub(crate) struct Chat {
    /// The file and, where it holds several, the place in it.
    pub(crate) origin: String,
    /// The name it goes by where the data carries no id.
    pub(crate) fallback_id: String,
    /// The file's format.
    pub(crate) format: Option<Format>,
    /// What was noticed about the file as a whole.
    pub(crate) file_notes: Vec<String>,
    /// What was understood.
    pub(crate) reading: Reading,
}

impl Chat {
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
    ReadOptions { human: arguments.human.clone(), ai: arguments.ai.clone(), from }
}
