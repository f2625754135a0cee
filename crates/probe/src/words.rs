//! Whether something was said at all.

/// Whether a text has letters or digits in it.
pub(crate) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
