//! Plain text with speaker labels at the start of lines.

use super::{ReadError, ReadOptions, Reading};

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    let _ = (text, options);
    false
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let _ = (text, options);
    Err(ReadError::new("", "unwritten", ""))
}
