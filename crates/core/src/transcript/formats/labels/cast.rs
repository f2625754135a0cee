//! Who is who in one chat: every label settled, or an error that names the labels found.

use super::super::{ReadError, ReadOptions, Speaker};
use super::{LEFT_OUT, dropped_as, is_left_out, is_pronoun, is_said_to_be_text, normal, speaker_for};
use crate::problem::Speakers;

/// One label found in a chat, and how often.
#[derive(Clone, Debug)]
pub(in super::super) struct Sighting {
    /// The label as it was first written.
    pub(in super::super) label: String,
    /// How many messages or lines it opens.
    pub(in super::super) count: usize,
    /// How sure it is that this is a label at all.
    pub(in super::super) strength: Strength,
}

/// How sure it is that what was found is a speaker's label and not a word before a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Strength {
    /// The format leaves no doubt.
    Certain,
    /// It is written like a name.
    Likely,
    /// It is a word in lower case.
    Faint,
}

/// What the messages under one label are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Part {
    /// Turns of this speaker, and why.
    Speaks(Speaker, &'static str),
    /// No turns; counted as this.
    Dropped(&'static str),
    /// No label at all: part of the message it stands in.
    Text,
}

/// The labels of a chat settled, in the order of the sightings.
#[derive(Debug)]
pub(in super::super) struct Cast {
    /// One part for each sighting.
    pub(in super::super) parts: Vec<Part>,
    /// What is worth saying about how they were settled.
    pub(in super::super) notes: Vec<String>,
}

/// What a label means by itself, without looking at the others.
pub(in super::super) fn settle(label: &str, options: &ReadOptions) -> Option<Part> {
    if is_said_to_be_text(label, options) {
        return Some(Part::Text);
    }
    if is_left_out(label, options) {
        return Some(Part::Dropped(LEFT_OUT));
    }
    match speaker_for(label, options) {
        Some((who, because)) => Some(Part::Speaks(who, because)),
        None => dropped_as(label).map(Part::Dropped),
    }
}

/// Settles all labels of a chat, or says why that would be a guess.
pub(in super::super) fn cast(sightings: &[Sighting], options: &ReadOptions) -> Result<Cast, ReadError> {
    refuse_two_sided_names(sightings, options)?;
    let mut table =
        Table { sightings, parts: sightings.iter().map(|sighting| settle(&sighting.label, options)).collect() };
    table.settle_pronoun();
    table.settle_only_other(options);
    let suspects = table.suspects();
    if !suspects.is_empty() || table.is_one_sided() {
        return Err(table.unclear(&suspects));
    }
    Ok(table.finish())
}

fn refuse_two_sided_names(sightings: &[Sighting], options: &ReadOptions) -> Result<(), ReadError> {
    let named = |names: &[String], label: &str| names.iter().any(|name| normal(name) == normal(label));
    let both = |sighting: &&Sighting| named(&options.human, &sighting.label) && named(&options.ai, &sighting.label);
    match sightings.iter().find(both) {
        None => Ok(()),
        Some(sighting) => Err(ReadError::new(
            "",
            format!("\"{}\" is named for the person and for the AI", sighting.label),
            "name each label on one side only",
        )),
    }
}

/// The sightings with what is known of them so far.
struct Table<'a> {
    sightings: &'a [Sighting],
    parts: Vec<Option<Part>>,
}

impl Table<'_> {
    fn speaking(&self, who: Speaker) -> impl Iterator<Item = (&Sighting, &'static str)> {
        self.sightings.iter().zip(&self.parts).filter_map(move |(sighting, part)| match part {
            Some(Part::Speaks(speaker, because)) if *speaker == who => Some((sighting, *because)),
            _ => None,
        })
    }

    fn has(&self, who: Speaker) -> bool {
        self.speaking(who).next().is_some()
    }

    fn open(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().enumerate().filter(|(_, part)| part.is_none()).map(|(index, _)| index)
    }

    /// "You" or "Me" is the person where the other side is known to be the AI and nobody else is the person.
    fn settle_pronoun(&mut self) {
        let pronouns: Vec<usize> = self.open().filter(|&index| is_pronoun(&self.sightings[index].label)).collect();
        if let [only] = pronouns[..]
            && self.has(Speaker::Ai)
            && !self.has(Speaker::Human)
        {
            self.parts[only] = Some(Part::Speaks(Speaker::Human, "written by the person, opposite a known AI label"));
        }
    }

    /// With one side named by the user and one label beside it, that label is the other side.
    fn settle_only_other(&mut self, options: &ReadOptions) {
        let (given, other) = match (options.human.is_empty(), options.ai.is_empty()) {
            (false, true) => (Speaker::Human, Speaker::Ai),
            (true, false) => (Speaker::Ai, Speaker::Human),
            _ => return,
        };
        let named = self.speaking(given).filter(|(_, because)| because.starts_with("--")).count();
        if named == 0 || self.speaking(given).count() != named || self.has(other) {
            return;
        }
        let is_likely = |index: &usize| {
            let sighting = &self.sightings[*index];
            sighting.strength == Strength::Certain || (sighting.strength == Strength::Likely && sighting.count > 1)
        };
        let mut candidates: Vec<usize> = self.open().filter(is_likely).collect();
        if candidates.is_empty() {
            candidates = self.open().collect();
        }
        if let [only] = candidates[..] {
            self.parts[only] = Some(Part::Speaks(other, "the only other label"));
        }
    }

    /// Open labels that may be speakers, so that reading on would be a guess.
    fn suspects(&self) -> Vec<usize> {
        let is_covered = self.has(Speaker::Human) && self.has(Speaker::Ai);
        let known = || [Speaker::Human, Speaker::Ai].into_iter().flat_map(|who| self.speaking(who));
        let is_lower_case = known().all(|(sighting, _)| sighting.label.starts_with(char::is_lowercase));
        let is_suspect = |index: &usize| {
            let Sighting { count, strength, .. } = self.sightings[*index];
            match strength {
                Strength::Certain => true,
                // One word before a colon in a text without any label is prose, not a speaker.
                _ if known().next().is_none() => count > 1,
                // Whatever is not asked about stands in the message before: a third party's words in the AI's mouth.
                Strength::Likely => true,
                // Where the known labels are in lower case, so may the others be.
                Strength::Faint if is_covered => is_lower_case,
                Strength::Faint => count > 1,
            }
        };
        self.open().filter(is_suspect).collect()
    }

    /// Two labels or more, and all of them on the same side.
    fn is_one_sided(&self) -> bool {
        let humans = self.speaking(Speaker::Human).count();
        let ais = self.speaking(Speaker::Ai).count();
        (humans > 1 && ais == 0) || (ais > 1 && humans == 0)
    }

    fn unclear(&self, suspects: &[usize]) -> ReadError {
        const SHOWN: usize = 12;
        let (mut named, mut labels) = (Vec::new(), Vec::new());
        for (index, (sighting, part)) in self.sightings.iter().zip(&self.parts).enumerate() {
            let known = match part {
                Some(Part::Speaks(who, because)) if because.starts_with("--") => format!("{who}, as you said"),
                Some(Part::Speaks(who, because)) => format!("{who}: {because}"),
                None if suspects.binary_search(&index).is_ok() => "unknown".to_owned(),
                // Whoever is asked about the others may know about these too.
                None if sighting.strength != Strength::Faint => {
                    labels.push(sighting.label.clone());
                    continue;
                }
                _ => continue,
            };
            labels.push(sighting.label.clone());
            named.push(format!("\"{}\" ({}, {known})", sighting.label, times(sighting.count)));
        }
        let more = named.len().saturating_sub(SHOWN);
        named.truncate(SHOWN);
        let mut list = named.join(", ");
        if more > 0 {
            list.push_str(&format!(" and {more} more"));
        }
        let what = format!("it is not clear who is who: the labels found are {list}");
        ReadError::new("", what, self.advice(suspects)).with_labels(labels)
    }

    fn advice(&self, suspects: &[usize]) -> Speakers {
        let first = |who| self.speaking(who).next().map(|(sighting, _)| sighting.label.clone());
        match suspects {
            [only] => {
                let label = self.sightings[*only].label.clone();
                Speakers::Unclear { label, human: first(Speaker::Human), ai: first(Speaker::Ai) }
            }
            _ => Speakers::FromList,
        }
    }

    /// Says which words that came back were not taken for labels.
    fn kept_as_text(&self) -> Option<String> {
        const SHOWN: usize = 6;
        let kept = || self.open().map(|index| &self.sightings[index]).filter(|sighting| sighting.count > 1);
        let named: Vec<String> =
            kept().take(SHOWN).map(|sighting| format!("\"{}:\" ({})", sighting.label, times(sighting.count))).collect();
        let more = match kept().count().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let list = named.join(", ");
        (!named.is_empty()).then(|| format!("line starts kept as part of the message: {list}{more}"))
    }

    fn finish(self) -> Cast {
        let mut notes = Vec::new();
        for who in [Speaker::Human, Speaker::Ai] {
            let labels: Vec<String> = self
                .speaking(who)
                .map(|(sighting, _)| format!("\"{}\" ({})", sighting.label, times(sighting.count)))
                .collect();
            if labels.len() > 1 {
                notes.push(format!("{} labels were taken for {who}: {}", labels.len(), labels.join(", ")));
            }
        }
        notes.extend(self.kept_as_text());
        Cast { parts: self.parts.into_iter().map(|part| part.unwrap_or(Part::Text)).collect(), notes }
    }
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
