//! What a server said, made fit to be shown: one line, short, no control characters, no keys.

/// The most characters of a message that are kept: enough to understand it, too few to leak a chat that it echoes.
const LONGEST: usize = 240;

/// Beginnings that keys of known services have.
const KEY_BEGINNINGS: [&str; 8] = ["sk-", "sk_", "gsk_", "xai-", "ghp_", "AIza", "eyJ", "hf_"];

/// A text from outside as one short line without control characters and without anything that looks like a key.
///
/// Some providers quote the key they refuse, so their words are never passed on as they are.
pub fn redact_keys(text: &str) -> String {
    let mut line = String::new();
    let mut after_bearer = false;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&if after_bearer { "[key]".to_owned() } else { masked(word) });
        after_bearer = word.trim_end_matches(':').to_ascii_lowercase().ends_with("bearer");
        if line.chars().count() > LONGEST {
            let cut: String = line.chars().take(LONGEST).collect();
            return format!("{}…", cut.trim_end());
        }
    }
    line
}

fn masked(word: &str) -> String {
    let clean: String = word.chars().filter(|letter| !is_invisible(*letter)).collect();
    let boundary = |letter: char| !(letter.is_alphanumeric() || "-_*.…".contains(letter));
    let mut shown = String::new();
    for part in clean.split_inclusive(boundary) {
        let core = part.trim_end_matches(boundary);
        let end = &part[core.len()..];
        let hidden = looks_like_a_key(core) || looks_random(core);
        shown.push_str(if hidden { "[key]" } else { core });
        shown.push_str(end);
    }
    shown
}

/// Control characters, and marks that change the direction in which text is shown.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a word begins as keys of known services do, and is long enough to be one.
pub(crate) fn looks_like_a_key(word: &str) -> bool {
    word.chars().count() >= 12 && KEY_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

/// Long words of mixed letters and digits are no words.
fn looks_random(word: &str) -> bool {
    word.len() >= 32
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_one_short_line() {
        assert_eq!(redact_keys("  two\n\tlines \u{1b}[31mred\u{202e} "), "two lines [31mred");
        assert!(redact_keys(&"word ".repeat(500)).chars().count() <= LONGEST + 1);
        assert!(redact_keys(&"w".repeat(5000)).chars().count() <= LONGEST + 1);
        assert_eq!(redact_keys(""), "");
    }

    #[test]
    fn keys_are_hidden_in_every_shape_they_are_quoted_in() {
        for text in [
            "Incorrect API key provided: sk-proj-PLANTED0123456789.",
            "Incorrect API key provided: sk-PLANT****************************ED99. You can find",
            "key=sk_live_PLANTED0123456789&x=1",
            "{\"authorization\":\"Bearer PLANTED\"}",
            "Authorization: Bearer PLANTED",
            "(sk-ant-api03-PLANTED0123456789)",
            "token PLANTEDabcdefABCDEF0123456789abcdefABCDEF",
        ] {
            let shown = redact_keys(text);
            assert!(!shown.contains("PLANT"), "{shown}");
        }
    }

    #[test]
    fn ordinary_words_and_model_names_stay() {
        for text in [
            "The model `Llama-4-Maverick-17B-128E-Instruct-FP8` does not exist",
            "maximum context length is 8192 tokens (sk-1)",
            "risk-averse task-specific words",
        ] {
            assert_eq!(redact_keys(text), text);
        }
    }
}
