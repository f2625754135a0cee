//! Messages to the person: on standard error, and never able to steer the terminal.

use std::fmt::Display;

/// Says something on standard error. What came from a file may be in it, so control characters are shown, not sent.
pub(crate) fn say(message: impl Display) {
    anstream::eprintln!("carelock: {}", harmless(&message.to_string()));
}

/// Says that something is wrong.
pub(crate) fn say_error(message: impl Display) {
    say(format_args!("error: {message}"));
}

/// Text whose control characters are written out; line breaks and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_line_breaks_kept() {
        assert_eq!(harmless("a\n\tb\u{1b}[2J\u{7}"), "a\n\tb\\u{1b}[2J\\u{7}");
    }
}
