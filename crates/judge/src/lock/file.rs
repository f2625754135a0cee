//! The lock file: entries one per line, in an order of their own, so that a change of one answer is a change of one line.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;

use carelock_core::problem::Problem;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::key::{Asked, Key};
use super::line::LineError;

/// The name of the file format this version reads and writes.
pub const LOCK_FORMAT: &str = "carelock/lock/1";

const NOTE: &str = "Answers of judges, kept by Care-Lock. Made by a program: do not edit. It quotes the chats.";

/// Answers of judges by what was asked, in the order of the file: chat, judge, key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    entries: BTreeMap<(String, String, Key), Entry>,
}

/// Why a lock file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// The file is something else.
    NotALock {
        /// What is there instead.
        what: String,
    },
    /// The file is newer than this program.
    Newer {
        /// The format it names.
        found: String,
    },
    /// A merge was left half done.
    Conflict {
        /// The line of the marker.
        line: usize,
    },
    /// A line is damaged.
    Corrupt {
        /// The line.
        line: usize,
        /// What is wrong with it.
        what: LineError,
    },
    /// Two lines answer the same question.
    Duplicate {
        /// The later line.
        line: usize,
        /// The earlier line.
        first: usize,
    },
}

impl LockError {
    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self {
            Self::NotALock { what } => Problem::new(format!("line 1: this is not a Care-Lock lock file ({what})"))
                .advice("check the path, or delete the file and run again"),
            Self::Newer { found } => {
                Problem::new(format!("line 1: the lock has the format {found}, this Care-Lock reads {LOCK_FORMAT}"))
                    .advice("update Care-Lock")
            }
            Self::Conflict { line } => Problem::new(format!("line {line}: an unresolved git conflict")).advice(
                "keep the lines of both sides, delete the marker lines, and of two lines with the same key keep one",
            ),
            Self::Corrupt { line, what } => Problem::new(format!("line {line}: {what}"))
                .advice("restore the line from version control, or delete it to have the chat judged again"),
            Self::Duplicate { line, first } => {
                Problem::new(format!("line {line}: the same key as line {first}: it cannot be known which one counts"))
                    .advice("delete one of them")
            }
        }
    }
}

carelock_core::shown_as_problem!(LockError);

/// Two locks that had different answers to the same question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The chat's name.
    pub chat: String,
    /// The judge.
    pub judge: String,
    /// Whether the answers of the other lock were taken.
    pub took_other: bool,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    #[serde(default)]
    note: String,
}

impl Lock {
    /// Reads a lock file's text; an empty one is an empty lock.
    pub fn from_text(text: &str) -> Result<Self, LockError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(line) = (1..).zip(text.lines()).find(|(_, line)| is_conflict_marker(line)).map(|(line, _)| line) {
            return Err(LockError::Conflict { line });
        }
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut lock = Self::default();
        let Some((_, header)) = lines.next() else { return Ok(lock) };
        read_header(header)?;
        let mut seen = BTreeMap::new();
        for (line, text) in lines {
            let entry = Entry::from_line(text).map_err(|what| LockError::Corrupt { line, what })?;
            if let Some(first) = seen.insert(entry.key(), line) {
                return Err(LockError::Duplicate { line, first });
            }
            lock.insert(entry);
        }
        Ok(lock)
    }

    /// The file's text: the same entries always give the same bytes, whatever order they came in.
    pub fn to_text(&self) -> String {
        let header = Header { format: LOCK_FORMAT.to_owned(), note: NOTE.to_owned() };
        // Two texts in a struct always become JSON.
        let mut text = serde_json::to_string(&header).unwrap_or_default();
        text.push('\n');
        for entry in self.entries() {
            text.push_str(&entry.to_line());
            text.push('\n');
        }
        text
    }

    /// Puts an entry in; the one that had its place comes back.
    pub fn insert(&mut self, entry: Entry) -> Option<Entry> {
        self.entries.insert(place(entry.asked()), entry)
    }

    /// The entry that answers what is asked.
    pub fn get(&self, asked: &Asked) -> Option<&Entry> {
        self.entries.get(&place(asked))
    }

    /// Takes the entry that answers what is asked out.
    pub fn remove(&mut self, asked: &Asked) -> Option<Entry> {
        self.entries.remove(&place(asked))
    }

    /// Keeps only the entries that are still wanted, such as those of chats that still exist.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Entry) -> bool) {
        self.entries.retain(|_, entry| wanted(entry));
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.values()
    }

    /// Takes the entries of another lock in.
    ///
    /// Where both answer the same question differently, the answers given later (`created`) are kept, and among those
    /// of the same age the ones whose line sorts last: the result does not depend on which lock takes which in.
    pub fn merge(&mut self, other: Self) -> Vec<Disagreement> {
        let mut disagreements = Vec::new();
        for (key, theirs) in other.entries {
            match self.entries.entry(key) {
                Place::Vacant(place) => {
                    place.insert(theirs);
                }
                Place::Occupied(mut place) if *place.get() != theirs => {
                    let rank = |entry: &Entry| (entry.circumstances().created.clone(), entry.to_line());
                    let took_other = rank(&theirs) > rank(place.get());
                    let (chat, judge) = (theirs.asked().chat.clone(), theirs.asked().judge.clone());
                    disagreements.push(Disagreement { chat, judge, took_other });
                    if took_other {
                        place.insert(theirs);
                    }
                }
                Place::Occupied(_) => {}
            }
        }
        disagreements
    }
}

fn place(asked: &Asked) -> (String, String, Key) {
    (asked.transcript.clone(), asked.judge.clone(), asked.key())
}

/// The lines git leaves around the two sides of a conflict.
fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||", "======="].iter().any(|marker| line.starts_with(marker))
}

fn read_header(line: &str) -> Result<(), LockError> {
    let header: Header = serde_json::from_str(line).map_err(|error| LockError::NotALock { what: error.to_string() })?;
    if header.format == LOCK_FORMAT {
        return Ok(());
    }
    match header.format.strip_prefix("carelock/lock/").map(str::parse::<u32>) {
        Some(Ok(_)) => Err(LockError::Newer { found: header.format }),
        _ => Err(LockError::NotALock { what: format!("its format is {:?}", header.format) }),
    }
}
