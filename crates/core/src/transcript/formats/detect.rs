//! Which format an input is in, judged by its content alone.

use super::{ReadError, ReadOptions, Reading};

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plain text with speaker labels.
    PlainText,
}

/// A whole input, understood.
#[derive(Debug)]
pub struct Document {
    /// The format found.
    pub format: Format,
    /// What was noticed about the input as a whole (encoding, guessed columns).
    pub notes: Vec<String>,
    /// One entry a conversation, in order; a conversation that cannot be read does not hide the others.
    pub readings: Vec<Result<Reading, ReadError>>,
}

/// Reads a whole input in any supported format.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document, ReadError> {
    let _ = (bytes, options);
    Err(ReadError::new("", "unwritten", ""))
}

/// Reads one line of a JSONL file; `number` is its line number, for messages.
pub fn read_json_line(line: &[u8], number: usize, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let _ = (line, number, options);
    Err(ReadError::new("", "unwritten", ""))
}

/// Whether an input that starts like this is JSONL and can be read line by line.
pub fn looks_like_jsonl(start: &[u8]) -> bool {
    let _ = start;
    false
}
