//! The line that opens a message in a messenger's export: who and when.

use super::super::labels::line::is_invisible;
use super::stamp::{after_date, after_stamp, after_time, is_space, is_stamp};

/// How a messenger writes who said something and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `12/03/2024, 10:15 - Ana: hi`
    WhatsAppDash,
    /// `[12/03/24, 10:15:32 PM] Ana: hi`, also Slack's `[10:15 AM] Ana: hi`
    Bracket,
    /// `[12/03/2024 10:15 AM] ana`, the text beneath
    BracketBlock,
    /// `Ana  10:15 AM`, the text beneath
    Slack,
    /// `Ana — Today at 10:15 AM`, the text beneath
    Discord,
    /// `Ana, [12.03.2024 10:15]`, the text beneath
    Telegram,
}

/// All styles, the strictest first.
pub(super) const STYLES: [Style; 6] =
    [Style::WhatsAppDash, Style::Bracket, Style::BracketBlock, Style::Telegram, Style::Discord, Style::Slack];

/// What a message's opening line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// Who; nothing in a line by the messenger itself, or where the person before goes on.
    pub(super) name: Name<'a>,
    /// Where in the line the text starts.
    pub(super) body: usize,
}

/// Who stands in a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    /// This person.
    Person(&'a str),
    /// Nobody: the messenger speaks.
    Messenger,
    /// The same as before.
    Same,
}

/// No name is longer, in characters.
const LONGEST_NAME: usize = 60;

impl Style {
    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::WhatsAppDash => "WhatsApp",
            Self::Bracket => "messages with the time in brackets (WhatsApp, Slack)",
            Self::BracketBlock => "DiscordChatExporter",
            Self::Slack => "Slack",
            Self::Discord => "Discord",
            Self::Telegram => "Telegram",
        }
    }

    /// The header in this line, if it opens a message in this style.
    pub(super) fn header(self, line: &str) -> Option<Header<'_>> {
        let rest = line.trim_start_matches(is_invisible);
        match self {
            Self::WhatsAppDash => {
                // Without a date it may be a diary: "10:15 - Mood: low".
                after_date(rest)?;
                let rest = after_stamp(rest)?.trim_start_matches(is_space);
                let rest = rest.strip_prefix(['-', '–'])?.strip_prefix(' ')?;
                Some(inline(line, rest))
            }
            Self::Bracket => Some(inline(line, after_bracket(rest)?)),
            Self::BracketBlock => {
                let name = after_bracket(rest)?.trim();
                block(line, name.strip_suffix("(pinned)").unwrap_or(name))
            }
            Self::Slack => slack(line, rest),
            Self::Discord => {
                let (name, when) = short(rest)?.split_once(" — ")?;
                is_stamp(when.trim()).then(|| block(line, name))?
            }
            Self::Telegram => {
                let (name, when) = short(rest)?.split_once(", [")?;
                is_stamp(when.trim_end().trim_end_matches(':').strip_suffix(']')?).then(|| block(line, name))?
            }
        }
    }
}

/// `Ana: hi`, or a line by the messenger itself where nobody is named.
fn inline<'a>(line: &'a str, rest: &'a str) -> Header<'a> {
    let named = rest.char_indices().take(LONGEST_NAME).find(|&(_, character)| character == ':');
    let name = named.map_or("", |(at, _)| tidy(&rest[..at]));
    match named {
        Some((at, _))
            if !name.is_empty()
                && rest[at + 1..].chars().next().is_none_or(|next| is_space(next) || is_invisible(next)) =>
        {
            Header { name: Name::Person(name), body: line.len() - rest.len() + at + 1 }
        }
        _ => Header { name: Name::Messenger, body: line.len() - rest.len() },
    }
}

/// A name alone, the text beneath.
fn block<'a>(line: &str, name: &'a str) -> Option<Header<'a>> {
    let name = tidy(name);
    let is_name = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
    is_name.then_some(Header { name: Name::Person(name), body: line.len() })
}

/// `Ana  10:15 AM`, `Ana [10:15 AM]`, or the time alone where the same person goes on.
fn slack<'a>(line: &'a str, rest: &'a str) -> Option<Header<'a>> {
    let rest = short(rest)?.trim_end();
    let is_time = |text: &str| after_time(text).is_some_and(|behind| behind.trim().is_empty());
    let bare = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(rest);
    if is_time(bare.trim()) {
        return Some(Header { name: Name::Same, body: line.len() });
    }
    let (name, when) = match rest.strip_suffix(']') {
        Some(rest) => rest.rsplit_once(" [")?,
        None => {
            let at = ["  ", "\t", "\u{A0}"].iter().filter_map(|gap| rest.find(gap)).min()?;
            (&rest[..at], rest[at..].trim())
        }
    };
    let name = name.trim_end();
    is_time(when).then(|| block(line, name.strip_suffix(" APP").unwrap_or(name)))?
}

/// What follows `[12/03/24, 10:15] `.
fn after_bracket(text: &str) -> Option<&str> {
    let rest = after_stamp(text.strip_prefix('[')?)?.trim_start_matches(is_space).strip_prefix(']')?;
    Some(rest.trim_start_matches(|character: char| is_space(character) || is_invisible(character)))
}

/// The line, if it is short enough to be nothing but a name and a time.
fn short(line: &str) -> Option<&str> {
    (line.len() <= 4 * LONGEST_NAME + 60).then_some(line)
}

fn tidy(name: &str) -> &str {
    name.trim_matches(|character: char| character.is_whitespace() || is_invisible(character) || character == '~')
}

#[cfg(test)]
mod tests {
    use super::{Name, Style};

    fn header(style: Style, line: &str) -> Option<(Name<'_>, &str)> {
        style.header(line).map(|header| (header.name, line[header.body..].trim()))
    }

    #[test]
    fn each_messenger_is_understood() {
        let ana = |text| Some((Name::Person("Ana"), text));
        assert_eq!(header(Style::WhatsAppDash, "12/03/2024, 10:15 - Ana: hi: you"), ana("hi: you"));
        assert_eq!(header(Style::WhatsAppDash, "12/03/24, 9:05\u{202F}PM - Ana: hi"), ana("hi"));
        assert_eq!(header(Style::Bracket, "\u{200E}[12/03/24, 10:15:32 PM] Ana: hi"), ana("hi"));
        assert_eq!(header(Style::Bracket, "[10:15 AM] ~ Ana: hi"), ana("hi"));
        assert_eq!(header(Style::BracketBlock, "[12/03/2024 10:15 AM] Ana (pinned)"), ana(""));
        assert_eq!(header(Style::Slack, "Ana  10:15 AM"), ana(""));
        assert_eq!(header(Style::Slack, "Ana APP  10:15 AM"), ana(""));
        assert_eq!(header(Style::Slack, "Ana [10:15 AM]"), ana(""));
        assert_eq!(header(Style::Discord, "Ana — Today at 10:15 AM"), ana(""));
        assert_eq!(header(Style::Discord, "Ana — 12/03/2024 10:15"), ana(""));
        assert_eq!(header(Style::Telegram, "Ana, [12.03.2024 10:15]"), ana(""));
    }

    #[test]
    fn lines_by_the_messenger_and_times_alone_name_nobody() {
        let notice = "12/03/2024, 10:15 - Messages are end-to-end encrypted.";
        assert!(matches!(header(Style::WhatsAppDash, notice), Some((Name::Messenger, _))));
        assert_eq!(header(Style::Slack, "10:16 AM"), Some((Name::Same, "")));
    }

    #[test]
    fn ordinary_lines_are_no_headers() {
        for line in [
            "",
            "See you at 10:15 AM",
            "10:15 - maybe",
            "[1] a note: here",
            "Ana - Today",
            "I left — at 10:15",
            "a, [b]",
        ] {
            for style in super::STYLES {
                assert_eq!(style.header(line), None, "{style:?} {line}");
            }
        }
    }
}
