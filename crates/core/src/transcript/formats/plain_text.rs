//! Plain text with speaker labels at the start of lines.

use super::labels::cast::{Part, settle};
use super::labels::line::{Found, bare_label, colon_label, dash_label, lines};
use super::labels::marks::{Marks, is_known};
use super::{ReadError, ReadOptions, Reading, Speaker};

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

/// How the labels of a text are written; a text keeps to one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `User: hi`
    Colon,
    /// `User - hi`
    Dash,
    /// `User` alone, the text beneath.
    Bare,
}

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    style(text, options).is_some()
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    // Without any known label the colons may still show names worth asking about.
    let style = style(text, options).unwrap_or(Style::Colon);
    let mut reading = marks(text, options, style).read(|message, _| Some(message.to_owned()))?;
    if reading.turns.is_empty() && reading.dropped.is_empty() {
        return Err(no_labels(text, options));
    }
    match style {
        Style::Colon => {}
        Style::Dash => reading
            .notes
            .push("labels are followed by a dash".to_owned()),
        Style::Bare => reading
            .notes
            .push("labels stand alone on their lines".to_owned()),
    }
    Ok(vec![reading])
}

/// The first way of writing labels that the text uses; the looser ones only where they show both sides.
fn style(text: &str, options: &ReadOptions) -> Option<Style> {
    if known_labels(text, options, Style::Colon).next().is_some() {
        return Some(Style::Colon);
    }
    [Style::Dash, Style::Bare].into_iter().find(|&style| {
        let (mut human, mut ai) = (false, false);
        known_labels(text, options, style).any(|label| {
            match settle(label, options) {
                Some(Part::Speaks(Speaker::Human, _)) => human = true,
                Some(Part::Speaks(Speaker::Ai, _)) => ai = true,
                _ => {}
            }
            human && ai
        })
    })
}

fn known_labels<'a>(
    text: &'a str,
    options: &'a ReadOptions,
    style: Style,
) -> impl Iterator<Item = &'a str> {
    lines(text)
        .filter_map(move |(_, line)| found(line, style))
        .map(|found| found.label)
        .filter(|label| is_known(label, options))
}

fn found(line: &str, style: Style) -> Option<Found<'_>> {
    match style {
        Style::Colon => colon_label(line),
        Style::Dash => dash_label(line),
        Style::Bare => bare_label(line),
    }
}

fn marks<'a>(text: &'a str, options: &'a ReadOptions, style: Style) -> Marks<'a> {
    let mut marks = Marks::new(text, options);
    for (start, line) in lines(text) {
        if let Some(found) = found(line, style)
            && (found.is_plain || is_known(found.label, options))
        {
            marks.add(found.label, start, start + found.body, false);
        }
    }
    marks
}

/// What to say of a text in which no label was found.
pub(super) fn no_labels(text: &str, options: &ReadOptions) -> ReadError {
    const SHOWN: usize = 60;
    let first = text.lines().find(|line| !line.trim().is_empty());
    let Some(first) = first else {
        return ReadError::new(
            "",
            "the input is empty",
            "give a chat with at least one message of each side",
        );
    };
    let mut shown: String = first.trim().chars().take(SHOWN).collect();
    if first.trim().chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    let given: Vec<String> = options
        .human
        .iter()
        .chain(&options.ai)
        .map(|name| format!("\"{name}\""))
        .collect();
    let what = if given.is_empty() {
        format!("no speaker label found at the start of any line; the first line is \"{shown}\"")
    } else {
        format!(
            "no line starts with {} or a known speaker label; the first line is \"{shown}\"",
            given.join(", ")
        )
    };
    ReadError::new(
        "",
        what,
        "start each message on a new line with its speaker, like \"User: …\" and \"Assistant: …\", \
         or name the labels used with --human NAME --ai NAME; a table needs a header with a speaker and a text column",
    )
}
