//! Messenger exports with time stamps: WhatsApp, Slack, Discord, Telegram.

mod header;
mod notice;
pub(super) mod stamp;

#[cfg(test)]
mod tests;

use super::labels::line::{colon_label, is_invisible, lines};
use super::labels::marks::{Marks, is_known, without_blank_edges};
use super::{ReadError, ReadOptions, Reading};
use header::{Name, STYLES, Style};
use notice::notice;

/// How many lines are looked at to tell the style.
const LOOKED_AT: usize = 400;

/// How far in the first message may stand: behind a title or what the exporter says of itself.
const LONGEST_PREAMBLE: usize = 12;

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    style(text, options).is_some()
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let Some(style) = style(text, options) else {
        return Err(ReadError::new("", "no message with a time stamp was found", "export the chat as text again"));
    };
    let mut marks = Marks::new(text, options);
    let mut last = None;
    for (start, line) in lines(text) {
        if style == Style::BracketBlock && is_postamble(text, start, line) {
            marks.add_nobody("exporter's remark", start, start + line.len());
            break;
        }
        let Some(header) = style.header(line) else {
            continue;
        };
        let body = start + header.body;
        match (header.name, last) {
            (Name::Person(name), _) => {
                last = Some(name);
                marks.add(name, start, body, true);
            }
            (Name::Same, Some(name)) => marks.add(name, start, body, true),
            (Name::Same, None) => {}
            (Name::Messenger, _) => marks.add_nobody("messenger's notice", start, body),
        }
    }
    let mut reading = marks.read(|message, reading| clean(message, style, reading))?;
    reading.notes.push(format!("read as an export of {}", style.name()));
    Ok(vec![reading])
}

/// The style in which the text opens its messages, if it is a messenger's export at all.
fn style(text: &str, options: &ReadOptions) -> Option<Style> {
    let all = lines(text).map(|(_, line)| line);
    let start: Vec<&str> = all.filter(|line| !line.trim().is_empty()).take(LOOKED_AT).collect();
    let names_somebody =
        |style: Style, line: &str| style.header(line).is_some_and(|header| matches!(header.name, Name::Person(_)));
    let count = |style: Style| start.iter().filter(|line| names_somebody(style, line)).count();
    let best = STYLES.into_iter().filter(|&style| count(style) > 0).max_by_key(|&style| count(style))?;
    // A bracket with a name and a colon behind it also is a bracket with a long name.
    let is_inline = best == Style::BracketBlock && count(Style::Bracket) * 2 > count(best);
    let best = if is_inline { Style::Bracket } else { best };
    // Prose may hold a line like a header, and a labelled message a whole export: an export starts with its headers.
    let first = start.iter().position(|line| best.header(line).is_some())?;
    let is_label = |line: &&str| colon_label(line).is_some_and(|found| is_known(found.label, options));
    let is_early = first <= LONGEST_PREAMBLE && count(best) > 1 && !start[..first].iter().any(is_label);
    // Where most labels have no time stamp, the few that have one are plain text's.
    let unstamped = start.iter().filter(|line| best.header(line).is_none()).filter(|line| is_label(line)).count();
    let is_mixed = unstamped * 4 > count(best);
    ((first == 0 || is_early) && !is_mixed).then_some(best)
}

/// Whether DiscordChatExporter's closing lines begin here.
fn is_postamble(text: &str, start: usize, line: &str) -> bool {
    let is_bar = line.len() > 40 && line.bytes().all(|byte| byte == b'=');
    is_bar && text[start + line.len()..].starts_with("\nExported ")
}

/// The message without what the messenger put in; nothing when that is all there is.
fn clean(message: &str, style: Style, reading: &mut Reading) -> Option<String> {
    const EDITED: &str = "<This message was edited>";
    let bare = message.trim_matches(|character: char| character.is_whitespace() || is_invisible(character));
    if let Some(kind) = notice(bare) {
        *reading.dropped.entry(kind.to_owned()).or_default() += 1;
        return None;
    }
    let mut text = message;
    if let Some(said) = bare.strip_suffix(EDITED) {
        *reading.dropped.entry("mark of an edited message".to_owned()).or_default() += 1;
        let said = said.trim_end_matches(|character: char| character.is_whitespace() || is_invisible(character));
        text = said;
    }
    for section in ["\n{Attachments}\n", "\n{Embed}\n", "\n{Reactions}\n", "\n{Stickers}\n"] {
        if style == Style::BracketBlock
            && let Some(at) = text.find(section)
        {
            *reading.dropped.entry("attachment or reaction".to_owned()).or_default() += 1;
            text = &text[..at];
        }
    }
    Some(without_blank_edges(text).to_owned())
}
