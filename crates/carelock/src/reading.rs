//! Chats from files and from text.

use std::path::Path;

use carelock_core::problem::Problem;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::ReadOptions;
use carelock_engine::error::problem;
use carelock_engine::input::{Batches, Chat, ChatInput, Unread, one_transcript, read_bytes};
use carelock_engine::options::{MAX_SIZE, ReadingOptions};

use crate::Result;

/// The chat in a file, in any format that Care-Lock knows: text with the speakers' names, JSON, CSV, exports of chat
/// programs. The format is found by looking at the content.
///
/// ```
/// # let chat_txt = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/diagnosis.txt");
/// let chat = carelock::read(chat_txt)?;
/// assert_eq!(chat.id(), "diagnosis");
/// assert!(chat.turns().len() > 2);
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Transcript> {
    let path = path.as_ref().display().to_string();
    one_transcript(&path, None, &ReadingOptions::default(), "this").map_err(|error| problem(&error))
}

/// All chats in a file, in a folder, or in the files that match a pattern, in order.
///
/// ```
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let chats = carelock::read_all(&format!("{folder}/*.txt"))?;
/// assert!(chats.len() > 1);
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn read_all(path: impl AsRef<Path>) -> Result<Vec<Transcript>> {
    let paths = [path.as_ref().display().to_string()];
    let mut batches = Batches::new(&paths, MAX_SIZE).map_err(|error| problem(&error))?;
    let (options, mut chats) = (ReadOptions::default(), Vec::new());
    while let Some(batch) = batches.read_next(&options) {
        for read in batch {
            match read {
                Err(unread) if unread.skipped.is_some() => {}
                read => chats.push(transcript(read)?),
            }
        }
    }
    Ok(chats)
}

/// The chat in a text, in any format that [`read`] knows.
///
/// ```
/// let chat = carelock::parse("Human: I feel low.\nAI: I'm sorry to hear that. What happened?")?;
/// assert_eq!(chat.turns().len(), 2);
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Transcript> {
    let mut chats = read_bytes("chat", text.as_bytes().to_vec(), &ReadOptions::default());
    match (chats.pop(), chats.len()) {
        (Some(chat), 0) => transcript(chat),
        (_, more) => {
            let what = format!("there are {} chats in this text", more + 1);
            Err(Problem::new(what).advice("give one chat; read_all takes files with several"))
        }
    }
}

fn transcript(read: std::result::Result<Chat, Unread>) -> Result<Transcript> {
    let chat = read.map_err(|unread| unread.problem.within(&unread.origin))?;
    let origin = chat.origin.clone();
    let input = ChatInput::try_from(chat).map_err(|error| problem(&error).within(&origin))?;
    Ok(input.transcript)
}
