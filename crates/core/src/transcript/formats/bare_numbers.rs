//! `NaN` and `Infinity`, which Python writes into JSON and JSON does not have.

use std::borrow::Cow;

use memchr::memmem;

/// The words, the longest first.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// The same text with `null` in place of such numbers; words inside strings stay.
pub(super) fn as_null(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memmem::find(bytes, b"NaN").is_none() && memmem::find(bytes, b"Infinity").is_none() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::new();
    let (mut at, mut kept) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = after_string(bytes, at + 1),
            b'N' | b'I' | b'-' => {
                let word = WORDS.iter().find(|word| bytes[at..].starts_with(word.as_bytes()));
                if let Some(word) = word {
                    clean.push_str(text.get(kept..at).unwrap_or_default());
                    clean.push_str("null");
                    at += word.len();
                    kept = at;
                } else {
                    at += 1;
                }
            }
            _ => at += 1,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(clean)
}

/// The place behind the end of a string that begins here. A string never goes beyond its line, even a broken one.
fn after_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_words_become_null() {
        assert_eq!(
            as_null(r#"{"a":NaN,"b":[-Infinity, Infinity],"c":"NaN \" NaN"}"#),
            r#"{"a":null,"b":[null, null],"c":"NaN \" NaN"}"#
        );
        assert!(matches!(as_null(r#"{"a":"NaN"}"#), Cow::Borrowed(_)));
        assert!(matches!(as_null("é"), Cow::Borrowed(_)));
        assert_eq!(as_null("{\"é\":NaN}\n\"\\"), "{\"é\":null}\n\"\\");
    }
}
