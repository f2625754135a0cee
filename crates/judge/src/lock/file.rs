//! The lock file: entries one per line, in an order of their own, so that a change of one answer is a change of one line.

use std::collections::BTreeMap;

use carelock_core::problem::Problem;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::key::{Key, LockQuestion};

/// The name of the file format this version reads and writes.
pub const LOCK_FORMAT: &str = "carelock/lock/1";

const NOTE: &str = "Answers of judges, kept by Care-Lock. Made by a program: do not edit. It quotes the chats.";

/// Answers of judges by what was asked, in the order of the file: chat, judge, key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    entries: BTreeMap<(String, String, Key), Entry>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    #[serde(default)]
    note: String,
}

impl Lock {
    /// Reads a lock file's text; an empty one is an empty lock.
    pub fn from_text(text: &str) -> Result<Self, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(line) = (1..).zip(text.lines()).find(|(_, line)| is_conflict_marker(line)).map(|(line, _)| line) {
            let fix =
                "keep the lines of both sides, delete the marker lines, and of two lines with the same key keep one";
            return Err(Problem::located(format!("line {line}"), "an unresolved git conflict", fix));
        }
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut lock = Self::default();
        let Some((_, header)) = lines.next() else { return Ok(lock) };
        read_header(header)?;
        let mut seen = BTreeMap::new();
        for (line, text) in lines {
            let at = format!("line {line}");
            let entry = Entry::from_line(text).map_err(|error| {
                let fix = "restore the line from version control, or delete it to have the chat judged again";
                Problem::located(&at, error.to_string(), fix)
            })?;
            if let Some(first) = seen.insert(entry.key(), line) {
                let what = format!("the same key as line {first}: it cannot be known which one counts");
                return Err(Problem::located(at, what, "delete one of them"));
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
    pub fn get(&self, asked: &LockQuestion) -> Option<&Entry> {
        self.entries.get(&place(asked))
    }

    /// Keeps only the entries that are still wanted, such as those of chats that still exist.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Entry) -> bool) {
        self.entries.retain(|_, entry| wanted(entry));
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.values()
    }
}

fn place(asked: &LockQuestion) -> (String, String, Key) {
    (asked.transcript.clone(), asked.judge.clone(), asked.key())
}

/// The lines git leaves around the two sides of a conflict.
fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||", "======="].iter().any(|marker| line.starts_with(marker))
}

fn read_header(line: &str) -> Result<(), Problem> {
    let wrong = |what: &str| {
        let what = format!("this is not a Care-Lock lock file ({what})");
        Problem::located("line 1", what, "check the path, or delete the file and run again")
    };
    let header: Header = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
    if header.format == LOCK_FORMAT {
        return Ok(());
    }
    match header.format.strip_prefix("carelock/lock/").map(str::parse::<u32>) {
        Some(Ok(_)) => {
            let what = format!("the lock has the format {}, this Care-Lock reads {LOCK_FORMAT}", header.format);
            Err(Problem::located("line 1", what, "update Care-Lock"))
        }
        _ => Err(wrong(&format!("its format is {:?}", header.format))),
    }
}
