//! Text from a chat made safe to show: one line, no control characters, no hidden direction marks.

use std::fmt::Write as _;

/// The text on one line, with nothing in it that could steer a terminal, a spreadsheet or an XML reader.
///
/// White space of any kind becomes single spaces. Control characters are shown as what they are, so that a report does
/// not hide that they were there. Marks that only reorder what is shown are left out: they could make a quote read
/// differently from what was said.
///
/// ```
/// use carelock_core::report::safe_text::one_line;
/// assert_eq!(one_line(" I am\n  fine.\u{1b}[2J"), r"I am fine.\u{1b}[2J");
/// ```
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() {
            gap = true;
            continue;
        }
        if is_invisible(character) {
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        if character.is_control() {
            let _ = write!(out, "{}", character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// The text with its own lines and spaces, and otherwise as safe to show as [`one_line`] makes it.
///
/// ```
/// use carelock_core::report::safe_text::as_said;
/// assert_eq!(as_said("I am\n  fine.\u{1b}[2J"), "I am\n  fine.\\u{1b}[2J");
/// ```
pub fn as_said(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{b}' | '\u{c}' => out.push(' '),
            _ if is_invisible(character) => {}
            _ if character.is_control() => {
                let _ = write!(out, "{}", character.escape_unicode());
            }
            _ => out.push(character),
        }
    }
    out
}

/// Direction overrides and isolates, the byte order mark, and the two code points that no XML document may contain.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// At most so many characters of a text on one line; what was cut is marked with `…`.
///
/// The cut is made between words where one is near.
pub fn excerpt(text: &str, most: usize) -> String {
    let line = one_line(text);
    let Some((end, _)) = line.char_indices().nth(most) else { return line };
    let cut = &line[..end];
    let whole_words = cut.rfind(' ').filter(|&space| 2 * space > end).map_or(cut, |space| &cut[..space]);
    let ends_open = |character: char| character == '\u{200d}' || character == ' ' || character == ',';
    format!("{}…", whole_words.trim_end_matches(ends_open))
}

/// The first characters of a digest, enough to compare by eye: `blake3:1f0c9d3a…` becomes `1f0c9d3a4b5e`.
pub fn short_digest(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or(digest);
    one_line(hex).chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_any_kind_becomes_single_spaces() {
        assert_eq!(one_line("\t a\r\n\r\nb\u{a0}\u{2028}c \u{3000}"), "a b c");
    }

    #[test]
    fn control_characters_are_shown_and_never_passed_on() {
        let nasty = "\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\0";
        assert_eq!(one_line(nasty), r"\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\u{0}");
    }

    #[test]
    fn marks_that_reorder_text_are_left_out_and_right_to_left_letters_stay() {
        assert_eq!(one_line("\u{202e}abc\u{202c} \u{2067}שלום\u{2069}"), "abc שלום");
    }

    #[test]
    fn what_was_said_keeps_its_lines_and_loses_what_could_steer() {
        assert_eq!(as_said("a\r\n\tb  c\rd\u{85}e\u{c}f"), "a\n\tb  c\nd\ne f");
        assert_eq!(as_said("\u{202e}abc\u{202c}\0\u{1b}[2J\u{ffff}"), r"abc\u{0}\u{1b}[2J");
    }

    #[test]
    fn an_excerpt_ends_between_words_and_says_that_it_was_cut() {
        assert_eq!(excerpt("one two three", 13), "one two three");
        assert_eq!(excerpt("one two, three", 10), "one two…");
        assert_eq!(excerpt("abcdefghij", 4), "abcd…");
        assert_eq!(excerpt("心心心心", 2), "心心…");
    }

    #[test]
    fn a_short_digest_drops_the_algorithm() {
        assert_eq!(short_digest("blake3:0123456789abcdef"), "0123456789ab");
        assert_eq!(short_digest(""), "");
    }
}
