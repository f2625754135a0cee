//! Labels at the start of a line: `User: hi`, `[10:32] User: hi`, `Human (10:32): hi`, `User said:`.

use super::super::chat_export::stamp::after_stamp;

/// No label is longer, so that a line of any length is looked at for its first characters only.
const LONGEST_LABEL: usize = 60;

/// A label found at the start of a line.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Found<'a> {
    /// The label without time stamps and signs around it.
    pub(in super::super) label: &'a str,
    /// Where in the line the text behind it starts.
    pub(in super::super) body: usize,
    /// Whether it is written so that even an unknown word may be a label: a colon with space or nothing behind it.
    pub(in super::super) is_plain: bool,
}

/// The lines of a text, each with the place it starts at.
pub(in super::super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line)
    })
}

/// Characters that only steer how a line is shown.
pub(in super::super) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// A label followed by a colon, or directly by `>`.
pub(in super::super) fn colon_label(line: &str) -> Option<Found<'_>> {
    let start = after_time_stamp(line, indent(line)?);
    let rest = line.get(start..)?;
    let mut end = None;
    let mut characters = rest.char_indices().take(LONGEST_LABEL);
    let separator = loop {
        let (at, character) = characters.next()?;
        match character {
            ':' | '：' | '>' => break (at, character),
            // What stands in brackets behind the name is not part of it; the separator must follow.
            '(' | '[' if end.is_none() => {
                end = Some(at);
                let closing = if character == '(' { ')' } else { ']' };
                characters.find(|&(_, inner)| inner == closing)?;
            }
            _ if end.is_some() && character != ' ' => return None,
            ',' | ';' | '!' | '?' | '"' | '“' | '”' | '/' | '\\' | '*' | '#' | '<' | '|' | '{' | '}' | '=' | '@' => {
                return None;
            }
            _ => {}
        }
    };
    let (at, sign) = separator;
    let behind = &rest[at + sign.len_utf8()..];
    if behind.starts_with("//") {
        return None;
    }
    let label = tidy(&rest[..end.unwrap_or(at)]);
    let is_spaced = sign == '：' || behind.chars().next().is_none_or(char::is_whitespace);
    let is_plain = sign != '>' && is_spaced && !is_number(behind);
    let is_label = label.chars().any(|character| !character.is_ascii_digit() && !character.is_whitespace());
    // "10:30" and "->" are no labels, and "User > hi" is prose about users.
    (is_label && (sign != '>' || (is_spaced && rest[..at].ends_with(char::is_alphanumeric)))).then_some(Found {
        label,
        body: start + at + sign.len_utf8(),
        is_plain,
    })
}

/// A label followed by a dash with space on both sides.
pub(in super::super) fn dash_label(line: &str) -> Option<Found<'_>> {
    let start = after_time_stamp(line, indent(line)?);
    let rest = line.get(start..)?;
    let limit = rest.char_indices().nth(LONGEST_LABEL).map_or(rest.len(), |(at, _)| at);
    let (at, dash) = [" - ", " – ", " — "]
        .iter()
        .filter_map(|dash| rest[..limit].find(dash).map(|at| (at, dash)))
        .min_by_key(|(at, _)| *at)?;
    Some(Found { label: tidy(&rest[..at]), body: start + at + dash.len(), is_plain: true })
}

/// A line that is nothing but a label.
pub(in super::super) fn bare_label(line: &str) -> Option<Found<'_>> {
    let label = tidy(line);
    (!label.is_empty() && label.len() <= LONGEST_LABEL).then_some(Found { label, body: line.len(), is_plain: false })
}

/// A phone number or another figure: "Samaritans: 116 123" is no message.
fn is_number(text: &str) -> bool {
    let text = text.get(..LONGEST_LABEL).unwrap_or(text);
    text.chars().filter(char::is_ascii_digit).count() > 2 && !text.contains(char::is_alphabetic)
}

fn tidy(label: &str) -> &str {
    label.trim_matches(|character: char| character.is_whitespace() || is_invisible(character))
}

/// Where the line's first sign stands; nothing when it is further in than any label.
fn indent(line: &str) -> Option<usize> {
    let is_skipped = |character: char| character == ' ' || character == '\t' || is_invisible(character);
    line.char_indices().take(9).find(|&(_, character)| !is_skipped(character)).map(|(at, _)| at)
}

/// Behind `[10:32] `, `(2024-03-12 10:32) `, `2024-03-12 10:32:05 ` or `10:32 - `, where one stands at this place.
fn after_time_stamp(line: &str, start: usize) -> usize {
    let rest = &line[start..];
    let closing = match rest.chars().next() {
        Some('[') => ']',
        Some('(') => ')',
        Some('0'..='9') => return after_bare_stamp(rest).map_or(start, |behind| line.len() - behind.len()),
        _ => return start,
    };
    let Some((end, _)) = rest.char_indices().take(40).find(|&(_, character)| character == closing) else {
        return start;
    };
    let stamp = &rest[1..end];
    if !stamp.contains(':') || !stamp.starts_with(|character: char| character.is_ascii_digit()) {
        return start;
    }
    let behind = &rest[end + 1..];
    start + end + 1 + (behind.len() - behind.trim_start_matches([' ', '\t']).len())
}

/// What follows a date, a time or both that stand in no brackets.
fn after_bare_stamp(text: &str) -> Option<&str> {
    let behind = after_stamp(text)?;
    let rest = behind.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(['-', '–', '|']).unwrap_or(rest).trim_start_matches([' ', '\t']);
    (rest.len() < behind.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{bare_label, colon_label, dash_label};

    fn label(line: &str) -> Option<(&str, &str)> {
        colon_label(line).map(|found| (found.label, &line[found.body..]))
    }

    #[test]
    fn labels_are_found_in_all_their_spellings() {
        assert_eq!(label("User: hi: there"), Some(("User", " hi: there")));
        assert_eq!(label("  User:hi"), Some(("User", "hi")));
        assert_eq!(label("Human (10:32): hi"), Some(("Human", " hi")));
        assert_eq!(label("AI [12:01] : hi"), Some(("AI", " hi")));
        assert_eq!(label("[10:32] User: hi"), Some(("User", " hi")));
        assert_eq!(label("(2024-03-12 10:32:05) User: hi"), Some(("User", " hi")));
        for stamp in
            ["2024-03-12 09:14:22", "2024-03-12T09:14:22Z", "12/03/2024, 9:14 PM", "09:14", "09:14:22 |", "09:14 -"]
        {
            assert_eq!(label(&format!("{stamp} Patient: hi")), Some(("Patient", " hi")), "{stamp}");
        }
        assert_eq!(label("用户：你好"), Some(("用户", "你好")));
        assert_eq!(label("\u{200F}المستخدم: مرحبا"), Some(("المستخدم", " مرحبا")));
        assert_eq!(label("User> hi"), Some(("User", " hi")));
        assert_eq!(label("User said:"), Some(("User said", "")));
        assert_eq!(label("GPT-3.5:"), Some(("GPT-3.5", "")));
    }

    #[test]
    fn what_only_looks_like_a_label_is_none() {
        for line in [
            "",
            "10:30 is fine",
            "https://example.org",
            "hi, you: hello",
            "> User: quoted",
            "a -> b",
            "(see: this",
            "(a) b c:",
        ] {
            assert_eq!(label(line), None, "{line}");
        }
        assert_eq!(label(&format!("{}: hi", "x".repeat(100))), None);
        assert_eq!(label("User > hi"), None);
    }

    #[test]
    fn a_word_before_a_colon_without_space_is_not_plain() {
        assert!(!colon_label("std:vec").unwrap().is_plain);
        assert!(colon_label("Anna: hi").unwrap().is_plain);
    }

    #[test]
    fn dashes_and_bare_lines_are_read_too() {
        assert_eq!(dash_label("User - I feel - low").map(|found| (found.label, found.body)), Some(("User", 7)));
        assert_eq!(dash_label("User-friendly"), None);
        assert_eq!(bare_label(" Assistant ").map(|found| found.label), Some("Assistant"));
        assert_eq!(bare_label("  "), None);
    }
}
