//! The places where messages begin, and the reading they amount to.

use indexmap::IndexMap;

use super::super::{ReadError, ReadOptions, Reading, SpeakerNote};
use super::cast::{Part, Sighting, Strength, cast, settle};
use super::{OTHER, as_context, is_pronoun, is_third_party, normal, ordinary_words};

/// Where one message begins.
struct Mark {
    who: Who,
    /// Where its label starts, and with it the end of the message before.
    start: usize,
    /// Where its text starts.
    body: usize,
}

/// Under which label a message stands.
#[derive(Clone, Copy)]
enum Who {
    /// The label's place among the sightings.
    Label(usize),
    /// Nobody's: counted as this.
    Nobody(&'static str),
}

/// All places in a text where messages begin or may begin.
pub(in super::super) struct Marks<'a> {
    text: &'a str,
    options: &'a ReadOptions,
    marks: Vec<Mark>,
    /// By the labels' normal form.
    sightings: IndexMap<String, Sighting>,
    /// What each spelling came to: its place among the sightings, or nothing for an ordinary word.
    spellings: IndexMap<&'a str, Option<usize>>,
}

impl<'a> Marks<'a> {
    /// No marks yet.
    pub(in super::super) fn new(text: &'a str, options: &'a ReadOptions) -> Self {
        Self { text, options, marks: Vec::new(), sightings: IndexMap::new(), spellings: IndexMap::new() }
    }

    /// Marks a message under a label: the label's line starts at `start`, the text at `body`.
    ///
    /// With `certain` every label counts; without, a label nobody knows must at least look like a name.
    pub(in super::super) fn add(&mut self, label: &'a str, start: usize, body: usize, certain: bool) {
        let index = match self.spellings.get(label) {
            Some(known) => *known,
            None => self.sight(label, certain),
        };
        let Some(index) = index else {
            return;
        };
        if let Some((_, sighting)) = self.sightings.get_index_mut(index) {
            sighting.count += 1;
            self.marks.push(Mark { who: Who::Label(index), start, body });
        }
    }

    /// Marks a message that is nobody's turn and is counted as `kind`.
    pub(in super::super) fn add_nobody(&mut self, kind: &'static str, start: usize, body: usize) {
        self.marks.push(Mark { who: Who::Nobody(kind), start, body });
    }

    fn sight(&mut self, label: &'a str, certain: bool) -> Option<usize> {
        let key = normal(label);
        let index = if let Some(index) = self.sightings.get_index_of(&key) {
            Some(index)
        } else {
            let strength = match (settle(label, self.options).is_some() || certain, is_pronoun(label)) {
                (true, _) => Some(Strength::Certain),
                // In running text "You:" is no sure sign of a speaker.
                (false, true) => Some(Strength::Likely),
                (false, false) => strength(label, &key),
            };
            strength.map(|strength| {
                self.sightings.insert_full(key, Sighting { label: label.to_owned(), count: 0, strength }).0
            })
        };
        self.spellings.insert(label, index);
        index
    }

    /// How many labels were found.
    pub(in super::super) fn labels(&self) -> usize {
        self.sightings.len()
    }

    /// Settles who is who and cuts the text into messages; `clean` may change a message or drop it.
    pub(in super::super) fn read(
        self,
        mut clean: impl FnMut(&str, &mut Reading) -> Option<String>,
    ) -> Result<Reading, ReadError> {
        let sightings: Vec<Sighting> = self.sightings.into_values().collect();
        let cast = cast(&sightings, self.options)?;
        let part_of = |mark: &Mark| match mark.who {
            Who::Label(index) => cast.parts.get(index).copied().unwrap_or(Part::Text),
            Who::Nobody(kind) => Part::Dropped(kind),
        };
        let mut reading = Reading::default();
        let mut counts = vec![0_usize; sightings.len()];
        let mut marks = self.marks.iter().filter(|mark| part_of(mark) != Part::Text).peekable();
        note_preamble(self.text, marks.peek().map_or(0, |first| first.start), &mut reading);
        while let Some(mark) = marks.next() {
            let end = marks.peek().map_or(self.text.len(), |next| next.start);
            let message = without_blank_edges(&self.text[mark.body..end]);
            match (part_of(mark), mark.who) {
                (Part::Speaks(speaker, because), Who::Label(index)) => {
                    if let Some(text) = clean(message, &mut reading) {
                        counts[index] += 1;
                        let label = &sightings[index].label;
                        let text = if because == OTHER { as_context(label, &text) } else { text };
                        reading.turns.push((speaker, text));
                    }
                }
                (Part::Dropped(kind), _) => {
                    *reading.dropped.entry(kind.to_owned()).or_default() += 1;
                }
                _ => {}
            }
        }
        reading.speakers = speaker_notes(&sightings, &cast.parts, &counts);
        reading.notes.extend(cast.notes);
        Ok(reading)
    }
}

/// What the labels of a chat were taken for, with the turns each has.
pub(in super::super) fn speaker_notes(sightings: &[Sighting], parts: &[Part], turns: &[usize]) -> Vec<SpeakerNote> {
    let all = sightings.iter().zip(parts).zip(turns);
    all.filter_map(|((sighting, part), &turns)| match *part {
        Part::Speaks(taken_for, because) if turns > 0 => {
            Some(SpeakerNote { label: sighting.label.clone(), taken_for, because: because.to_owned(), turns })
        }
        _ => None,
    })
    .collect()
}

/// Whether a label opens a message wherever it stands: a known one, one the user named, or "You" and "Me".
pub(in super::super) fn is_known(label: &str, options: &ReadOptions) -> bool {
    settle(label, options).is_some_and(|part| part != Part::Text) || is_pronoun(label)
}

/// The text of a message without the blank lines around it and the space after its label; inside nothing changes.
pub(in super::super) fn without_blank_edges(body: &str) -> &str {
    let Some((first, _)) = body.char_indices().find(|(_, character)| !character.is_whitespace()) else {
        return "";
    };
    // The first line keeps its indentation when it is not the label's own.
    let start = body[..first].rfind('\n').map_or(first, |newline| newline + 1);
    let text = &body[start..];
    let last = text.trim_end().len();
    let end = text[last..].find('\n').map_or(text.len(), |newline| last + newline);
    &text[..end]
}

fn note_preamble(text: &str, first: usize, reading: &mut Reading) {
    let lines = text[..first].lines().filter(|line| !line.trim().is_empty()).count();
    if lines > 0 {
        *reading.dropped.entry("text before the first label".to_owned()).or_default() += 1;
        let lines = if lines == 1 { "one line".to_owned() } else { format!("{lines} lines") };
        reading.notes.push(format!("left out before the first label: {lines}"));
    }
}

/// Whether a label nobody knows is written like a name.
pub(in super::super) fn looks_like_name(label: &str) -> bool {
    strength(label, &normal(label)) == Some(Strength::Likely)
}

/// How much an unknown label looks like a name; nothing for an ordinary word or a sentence.
fn strength(label: &str, normal: &str) -> Option<Strength> {
    if is_third_party(label) {
        return Some(Strength::Likely);
    }
    if ordinary_words::contains(normal) || label.chars().count() > 30 {
        return None;
    }
    // A version belongs to the name before it: "Sunny-Helper v2".
    let is_version =
        |word: &&str| word.trim_start_matches(['v', 'V']).starts_with(|first: char| first.is_ascii_digit());
    let mut words = label.split_whitespace();
    let first = words.next()?.chars().next()?;
    let more: Vec<char> = words.filter(|word| !is_version(word)).filter_map(|word| word.chars().next()).collect();
    let is_capital = |initial: char| !initial.is_lowercase() && !initial.is_ascii_punctuation();
    if first.is_alphabetic() && is_capital(first) && more.len() < 3 && more.iter().copied().all(is_capital) {
        Some(Strength::Likely)
    } else if first.is_alphabetic() && more.is_empty() {
        Some(Strength::Faint)
    } else {
        None
    }
}
