//! Markdown with headings or bold labels for the speakers.

mod line;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::labels::cast::{Part, settle};
use super::labels::line::{colon_label, lines};
use super::labels::marks::{Marks, is_known};
use super::labels::{is_pronoun, is_third_party, normal};
use super::{ReadError, ReadOptions, Reading, Speaker, plain_text};

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    let marked = Tally::of(lines(text).filter_map(|(_, line)| line::label(line)).map(|found| found.label), options);
    let plain = Tally::of(lines(text).filter_map(|(_, line)| colon_label(line)).map(|found| found.label), options);
    if marked.all() > 0 {
        let shows_more = (marked.human > 0 && plain.human == 0) || (marked.ai > 0 && plain.ai == 0);
        return marked.all() >= plain.all() || shows_more;
    }
    plain.all() == 0 && names_that_come_back(text, options) > 1
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let labels = || lines(text).filter_map(|(_, line)| line::label(line));
    let is_complete = Tally::of(labels().map(|found| found.label), options).is_complete();
    let mut known = labels().filter(|found| is_known(found.label, options));
    let is_quoted = known.all(|found| found.is_quoted);
    let marks = marks(text, options, is_complete);
    let mut reading = marks.read(|message, _| Some(if is_quoted { unquoted(message) } else { message.to_owned() }))?;
    if reading.turns.is_empty() && reading.dropped.is_empty() {
        return Err(plain_text::no_labels(text, options));
    }
    if is_quoted {
        reading.notes.push("all messages stand in block quotes; their \">\" marks were taken off".to_owned());
    }
    Ok(vec![reading])
}

/// The labels with markup; where that shows one side only, the other may be written without it.
fn marks<'a>(text: &'a str, options: &'a ReadOptions, is_complete: bool) -> Marks<'a> {
    let mut marks = Marks::new(text, options);
    let counts = unknown_names(text, options);
    for (start, line) in lines(text) {
        let marked = line::label(line).map(|found| (found.label, found.body, found.is_plain));
        let found = match marked {
            None if !is_complete => colon_label(line).map(|found| (found.label, found.body, found.is_plain)),
            marked => marked,
        };
        if let Some((label, body, is_plain)) = found
            && (is_known(label, options) || (is_plain && may_be_a_name(label, &counts)))
        {
            marks.add(label, start, start + body, false);
        }
    }
    marks
}

/// How many known labels of each kind a text has.
#[derive(Default)]
struct Tally {
    human: usize,
    ai: usize,
    pronoun: usize,
    dropped: usize,
}

impl Tally {
    fn of<'a>(labels: impl Iterator<Item = &'a str>, options: &ReadOptions) -> Self {
        let mut tally = Self::default();
        for label in labels {
            match settle(label, options) {
                Some(Part::Speaks(Speaker::Human, _)) => tally.human += 1,
                Some(Part::Speaks(Speaker::Ai, _)) => tally.ai += 1,
                Some(Part::Dropped(_)) => tally.dropped += 1,
                Some(Part::Text) => {}
                None => tally.pronoun += usize::from(is_pronoun(label)),
            }
        }
        tally
    }

    fn all(&self) -> usize {
        self.human + self.ai + self.dropped
    }

    fn is_complete(&self) -> bool {
        self.ai > 0 && (self.human > 0 || self.pronoun > 0)
    }
}

/// Several emphasised words that stand there once are a heading inside a message: "**Deep Breathing:**".
fn may_be_a_name(label: &str, counts: &BTreeMap<String, usize>) -> bool {
    let is_one_word = label.split_whitespace().count() == 1;
    is_one_word || is_third_party(label) || counts.get(&normal(label)).is_none_or(|&count| count > 1)
}

/// How many unknown emphasised names stand before a colon more than once.
fn names_that_come_back(text: &str, options: &ReadOptions) -> usize {
    unknown_names(text, options).values().filter(|&&count| count > 1).count()
}

/// How often each unknown emphasised name stands before a colon.
fn unknown_names(text: &str, options: &ReadOptions) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, line) in lines(text) {
        if let Some(found) = line::label(line)
            && found.is_plain
            && !is_known(found.label, options)
        {
            *counts.entry(normal(found.label)).or_default() += 1;
        }
    }
    counts
}

/// The message without one level of block quote.
fn unquoted(message: &str) -> String {
    let plain = |line: &str| {
        let bare = line.trim_start_matches(' ');
        bare.strip_prefix("> ").or_else(|| bare.strip_prefix('>')).unwrap_or(line).to_owned()
    };
    let lines: Vec<String> = message.split('\n').map(plain).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
