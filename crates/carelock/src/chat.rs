//! Chats as they were read, one or many, with everything a report says about the reading.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::Path;

use carelock_core::problem::Problem;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::{ReadOptions, read_json_line};
use carelock_engine::error::problem;
use carelock_engine::evaluate::ChatInput;
use carelock_engine::input::{Batches, Chat as Read, Unread, read_bytes};
use carelock_engine::options::ReadingOptions;

use crate::Result;

/// A chat that was read: its turns, and what was in it but is no turn.
#[derive(Clone)]
pub struct Chat {
    pub(crate) input: ChatInput,
    origin: String,
}

impl Chat {
    /// All chats in bytes, in any format that [`read`](crate::read) knows. They go by their own ids, else by this name.
    ///
    /// ```
    /// let text = b"Human: I feel low.\nAI: I'm sorry to hear that. What happened?";
    /// let chats = carelock::Chat::parse("monday", text.to_vec(), &carelock::ReadingOptions::default())?;
    /// assert_eq!(chats[0].as_ref().unwrap().transcript().id(), "monday");
    /// # Ok::<(), carelock::Error>(())
    /// ```
    pub fn parse(name: &str, bytes: Vec<u8>, options: &ReadingOptions) -> Result<Vec<Result<Self>>> {
        let options = options.reader().map_err(|error| problem(&error))?;
        Ok(read_bytes(name, bytes, &options).into_iter().map(Self::take).collect())
    }

    /// The one chat in a JSON object, as on a line of a JSONL file. It goes by its own id, else by this name.
    pub fn from_json(name: &str, json: &[u8], options: &ReadingOptions) -> Result<Self> {
        let options = options.reader().map_err(|error| problem(&error))?;
        let mut readings = read_json_line(json, 1, &options).map_err(|error| Problem::from(error).within(name))?;
        let Some(reading) = readings.pop().filter(|_| readings.is_empty()) else {
            let what = format!("there are {} chats in it", readings.len());
            return Err(Problem::new(what).within(name).advice("give one chat at a time"));
        };
        let input = ChatInput::new(reading, name).map_err(|error| problem(&error).within(name))?;
        Ok(Self { input: ChatInput { own: None, ..input }, origin: name.to_owned() })
    }

    fn take(read: std::result::Result<Read, Unread>) -> Result<Self> {
        let read = read.map_err(Unread::told)?;
        let origin = read.origin.clone();
        let input = ChatInput::try_from(read).map_err(|error| problem(&error).within(&origin))?;
        Ok(Self { input: ChatInput { own: None, ..input }, origin })
    }

    /// The turns and the id.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.input.transcript
    }

    /// What was in it but is not a turn, counted.
    #[must_use]
    pub fn dropped(&self) -> &BTreeMap<String, usize> {
        &self.input.dropped
    }

    /// The file it came from, and where in it.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The same chat under another id.
    pub fn with_id(mut self, id: impl Into<String>) -> Result<Self> {
        let turns = self.input.transcript.into_turns().into_iter().map(|turn| (turn.speaker, turn.text)).collect();
        let renamed = Transcript::new(id, turns);
        self.input.transcript = renamed.map_err(|error| Problem::new(error.to_string()).within(&self.origin))?;
        Ok(self)
    }
}

impl From<Transcript> for Chat {
    fn from(transcript: Transcript) -> Self {
        let origin = transcript.id().to_owned();
        Self { input: transcript.into(), origin }
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chat").field("transcript", self.transcript()).field("origin", &self.origin).finish()
    }
}

/// The chats in files, folders or patterns, read a little at a time and in order. Files in a folder that hold no chat are
/// left out.
///
/// ```
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let chats = carelock::Chats::open([format!("{folder}/*.txt")], &carelock::ReadingOptions::default())?;
/// assert!(chats.filter_map(Result::ok).count() > 1);
/// # Ok::<(), carelock::Error>(())
/// ```
pub struct Chats {
    batches: Batches,
    options: ReadOptions,
    ready: VecDeque<Result<Chat>>,
}

impl Chats {
    /// Finds the files; nothing is read yet.
    pub fn open(paths: impl IntoIterator<Item = impl AsRef<Path>>, options: &ReadingOptions) -> Result<Self> {
        let paths: Vec<String> = paths.into_iter().map(|path| path.as_ref().display().to_string()).collect();
        let told = |error: anyhow::Error| problem(&error);
        let batches = Batches::new(&paths, options.max_size()).map_err(told)?;
        let batches = batches.skipping_unreadable(options.skip_unreadable);
        Ok(Self { batches, options: options.reader().map_err(told)?, ready: VecDeque::new() })
    }

    /// Whether the next chat is read already.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }
}

impl Iterator for Chats {
    type Item = Result<Chat>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            let read = self.batches.read_next(&self.options)?;
            let chats = read.into_iter().filter(|read| !matches!(read, Err(unread) if unread.skipped.is_some()));
            self.ready.extend(chats.map(Chat::take));
        }
        self.ready.pop_front()
    }
}
