//! Bytes to text: byte order marks, UTF-16, and text that went through the wrong code page.

use std::borrow::Cow;

use super::ReadError;

/// Text with what was noticed on the way to it.
pub(super) struct Decoded<'a> {
    /// The text, without byte order mark.
    pub(super) text: Cow<'a, str>,
    /// What was noticed ("UTF-16 little endian", "looks like Windows-1252 read as UTF-8").
    pub(super) notes: Vec<String>,
}

/// Decodes a whole input.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, ReadError> {
    let _ = bytes;
    Err(ReadError::new("", "unwritten", ""))
}
