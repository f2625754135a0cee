//! Plain text with speaker labels at the start of lines.

use indexmap::IndexMap;

use super::labels::cast::{Part, settle};
use super::labels::is_third_party;
use super::labels::line::{Found, bare_label, colon_label, dash_label, lines};
use super::labels::marks::{Marks, is_known, looks_like_name};
use super::{ReadError, ReadOptions, Reading, Speaker};
use crate::problem::Speakers;

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
        reading = match questions_and_answers(text, options)? {
            Some(reading) => reading,
            None => named_once(text, options)?.ok_or_else(|| no_labels(text, options))?,
        };
    }
    match style {
        Style::Colon => {}
        Style::Dash => reading.notes.push("labels are followed by a dash".to_owned()),
        Style::Bare => reading.notes.push("labels stand alone on their lines".to_owned()),
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

fn known_labels<'a>(text: &'a str, options: &'a ReadOptions, style: Style) -> impl Iterator<Item = &'a str> {
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
            && (found.is_plain || is_known(found.label, options) || is_third_party(found.label))
        {
            marks.add(found.label, start, start + found.body, false);
        }
    }
    marks
}

/// A text whose only labels ask and answer, such as a single `Q:` with its `A:`. Who is who must be said.
fn questions_and_answers(text: &str, options: &ReadOptions) -> Result<Option<Reading>, ReadError> {
    let labels = || lines(text).filter_map(|(start, line)| Some((start, colon_label(line)?)));
    let has = |wanted: &str| labels().any(|(_, found)| found.label.eq_ignore_ascii_case(wanted));
    if !has("q") || !has("a") {
        return Ok(None);
    }
    let mut marks = Marks::new(text, options);
    for (start, found) in labels().filter(|(_, found)| matches!(found.label, "Q" | "A" | "q" | "a")) {
        marks.add(found.label, start, start + found.body, true);
    }
    let reading = marks.read(|message, _| Some(message.to_owned()))?;
    Ok(Some(reading).filter(|reading| !reading.turns.is_empty()))
}

/// A text that opens with a name and has another one further on, each perhaps once: `Sam: …`, `Sunny-Helper v2: …`. Who is who
/// must be said.
fn named_once(text: &str, options: &ReadOptions) -> Result<Option<Reading>, ReadError> {
    let mut marks = Marks::new(text, options);
    let mut spoken = lines(text).filter(|(_, line)| !line.trim().is_empty()).peekable();
    let opens = spoken.peek().is_some_and(|(_, line)| colon_label(line).is_some_and(|found| is_name(&found)));
    for (start, line) in spoken {
        if let Some(found) = colon_label(line).filter(is_name) {
            marks.add(found.label, start, start + found.body, true);
        }
    }
    if !opens || marks.labels() < 2 {
        return Ok(None);
    }
    let reading = marks.read(|message, _| Some(message.to_owned()))?;
    Ok(Some(reading).filter(|reading| !reading.turns.is_empty()))
}

/// Whether a label is written like the name of somebody who speaks.
fn is_name(found: &Found<'_>) -> bool {
    found.is_plain && looks_like_name(found.label)
}

/// What to say of a text in which no label was found.
pub(super) fn no_labels(text: &str, options: &ReadOptions) -> ReadError {
    const SHOWN: usize = 60;
    let Some(first) = text.lines().map(str::trim).find(|line| !line.is_empty()) else {
        let fix = "give a chat with at least one message of each side";
        return ReadError::new("", "the input is empty", fix);
    };
    let mut shown: String = first.chars().take(SHOWN).collect();
    if first.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    let given = options.human.iter().chain(&options.ai);
    let given: Vec<String> = given.map(|name| format!("\"{name}\"")).collect();
    let what = if given.is_empty() {
        "no speaker label found at the start of any line".to_owned()
    } else {
        format!("no line starts with {} or a known speaker label", given.join(", "))
    };
    ReadError::new(
        "",
        format!("{what}; the first line is \"{shown}\"{}", words_before_colons(text)),
        Speakers::LabelOrName,
    )
}

/// The words that stand before a colon more than once, because one of them may be meant as a label.
fn words_before_colons(text: &str) -> String {
    const SHOWN: usize = 6;
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    let labels = lines(text).filter_map(|(_, line)| colon_label(line)).filter(|found| found.is_plain);
    for found in labels {
        *counts.entry(found.label).or_default() += 1;
    }
    let repeated = counts.iter().filter(|&(_, &count)| count > 1).take(SHOWN);
    let words: Vec<String> = repeated.map(|(word, count)| format!("\"{word}:\" ({count} times)")).collect();
    if words.is_empty() { String::new() } else { format!(", and lines start with {}", words.join(", ")) }
}
