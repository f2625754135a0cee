//! The reader: a small transformer that sees every sentence within its turn and next to the turn before.
//!
//! A chat is cut into segments (`segments`); their tokens go through layers (`layer`), in which they see each other
//! (`attention`); what the tokens of a sentence become gives the odds of every head (`pooling`). Products with weights
//! are sums of whole numbers (`product`), everything else is plain arithmetic in a fixed order (`arithmetic`), so that
//! every machine, with any number of threads, answers the same to the last bit.

mod arithmetic;
mod attention;
mod layer;
mod pooling;
mod product;
mod segments;
#[cfg(test)]
mod tests;
mod vectors;
mod weights;

use std::fmt;
use std::ops::Range;

use carelock_core::transcript::Speaker;

use crate::reading::Reading;
use arithmetic::normalise;
use layer::{Layer, Memories, Room};
use pooling::{POOLED, Pooling, Through};
use product::Multiplier;
use segments::Segment;
use vectors::{Work, widest};
use weights::{Dense, Norm};

/// Values of a token.
const WIDTH: usize = 384;

/// Heads of attention, and the values of each.
const ATTENTION: usize = 12;
const HEAD: usize = WIDTH / ATTENTION;

/// Values of a token between the two dense steps of a layer.
const INNER: usize = 4 * WIDTH;

/// Places in a segment.
const PLACES: usize = segments::MOST_PIECES + 2;

/// So many tokens are read at once, in whole segments: enough to keep the processor busy, and few enough for its
/// caches.
const GROUP: usize = 512;

/// The weights, with the names of what they recognise.
pub struct Reader {
    names: Vec<(String, Speaker)>,
    /// A row of signed bytes for every word piece, and for the marks that open and close a segment.
    words: &'static [u8],
    word_steps: Vec<f32>,
    places: Vec<f32>,
    speakers: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    hidden: Dense,
    heads: Dense,
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").field("heads", &self.names.len()).finish_non_exhaustive()
    }
}

impl Reader {
    /// The reader that comes with this version.
    pub fn embedded() -> Self {
        Self::read(include_bytes!("../../data/reader.bin"))
    }

    /// What it recognises, with whose sentences each is about.
    pub fn heads(&self) -> &[(String, Speaker)] {
        &self.names
    }

    /// The log-odds (1/256) of every head in every sentence; even odds where a head is about the other speaker.
    pub fn odds(&self, reading: &Reading<'_>) -> Vec<i16> {
        self.odds_in_groups(reading, 0, GROUP, &mut Warm::default()).0
    }

    /// The same for the sentences from one on, which must be the first of its turn or of a part that is read at once;
    /// and the first sentence of the last such part. What the sentences before it left is taken from `warm`, or computed
    /// again as far as it is seen.
    pub(crate) fn odds_from(&self, reading: &Reading<'_>, first: usize, warm: &mut Warm) -> (Vec<i16>, usize) {
        self.odds_in_groups(reading, first, GROUP, warm)
    }

    fn odds_in_groups(&self, reading: &Reading<'_>, first: usize, most: usize, warm: &mut Warm) -> (Vec<i16>, usize) {
        let segments = segments::cut(reading);
        let start = segments.partition_point(|segment| segment.sentences.start < first);
        let mut reading_on = ReadingOn {
            multiplier: Multiplier::new(),
            memories: std::mem::take(&mut warm.0),
            tokens: Vec::new(),
            room: Room::default(),
        };
        if !reading_on.has_all_seen_from(&segments, start) {
            reading_on.memories = self.layers.iter().map(|_| Memories::new()).collect();
            self.recall(reading, &segments, start, &mut reading_on);
        }
        let ReadingOn { multiplier, memories, tokens, room } = &mut reading_on;
        let mut odds = Vec::with_capacity((reading.sentences.len() - first) * self.names.len());
        for group in segments::groups(&segments[start..], most) {
            let places: Vec<usize> = group.map(|place| start + place).collect();
            tokens.clear();
            for &place in &places {
                self.embed(reading, &segments[place], tokens);
            }
            for (layer, memories) in self.layers.iter().zip(memories.iter_mut()) {
                layer.run(multiplier, &segments, &places, memories, tokens, room);
            }
            if let (Some(&from), Some(&to)) = (places.first(), places.last()) {
                self.add_odds(reading, &segments[from..=to], tokens, &mut odds);
            }
        }
        warm.0 = reading_on.memories;
        (odds, segments.last().map_or(first, |segment| segment.sentences.start))
    }

    /// Computes what segments from `start` on see of those before it. A segment that is seen through so many others is
    /// needed in so many layers less.
    fn recall(&self, reading: &Reading<'_>, segments: &[Segment], start: usize, on: &mut ReadingOn) {
        let depths = segments::depths(segments, start, self.layers.len());
        let mut places: Vec<usize> = (0..start).filter(|&place| depths[place] <= self.layers.len()).collect();
        on.tokens.clear();
        for &place in &places {
            self.embed(reading, &segments[place], &mut on.tokens);
        }
        for (number, (layer, memories)) in self.layers.iter().zip(&mut on.memories).enumerate() {
            let needed = self.layers.len() - number;
            let mut from = 0;
            let mut kept = Vec::with_capacity(on.tokens.len());
            places.retain(|&place| {
                let own = from..from + segments[place].tokens * WIDTH;
                from = own.end;
                let is_needed = depths[place] <= needed;
                kept.extend_from_slice(&on.tokens[if is_needed { own } else { 0..0 }]);
                is_needed
            });
            on.tokens = kept;
            layer.run(&mut on.multiplier, segments, &places, memories, &mut on.tokens, &mut on.room);
        }
    }

    /// Adds the tokens of a segment: what its pieces mean, where they stand, and who speaks.
    fn embed(&self, reading: &Reading<'_>, segment: &Segment, tokens: &mut Vec<f32>) {
        let marks = self.word_steps.len().saturating_sub(2);
        let sentences = reading.sentences[segment.sentences.clone()].iter();
        let pieces = sentences.flat_map(|sentence| segments::pieces(&sentence.pieces));
        // A piece without a row is an unknown one.
        let pieces = pieces.map(|&piece| if (piece as usize) < marks { piece as usize } else { 0 });
        let speaker = usize::from(segment.speaker == Speaker::Ai);
        let speaker = &self.speakers[speaker * WIDTH..][..WIDTH];
        let start = tokens.len();
        let rows = [marks].into_iter().chain(pieces).chain([marks + 1]);
        for (row, place) in rows.zip(self.places.chunks_exact(WIDTH)) {
            let (word, step) = (&self.words[row * WIDTH..][..WIDTH], self.word_steps[row]);
            let values = word.iter().zip(place).zip(speaker);
            tokens.extend(values.map(|((&word, place), speaker)| f32::from(word as i8) * step + place + speaker));
        }
        widest(Normalising { rows: &mut tokens[start..], norm: &self.norm });
    }

    /// Adds the odds of the sentences of some segments.
    fn add_odds(&self, reading: &Reading<'_>, segments: &[Segment], tokens: &[f32], odds: &mut Vec<i16>) {
        let sentences = sentences_of(segments);
        let mut pooled = vec![0.0; sentences.len() * POOLED];
        let mut rest = tokens;
        let mut out = pooled.chunks_exact_mut(POOLED);
        for segment in segments {
            let (own, later) = rest.split_at(segment.tokens * WIDTH);
            let (mark, mut own) = own.split_at(WIDTH);
            for (place, out) in segment.sentences.clone().zip(&mut out) {
                let size = segments::pieces(&reading.sentences[place].pieces).len();
                let (tokens, next) = own.split_at(size * WIDTH);
                widest(Pooling { tokens, mark, out });
                own = next;
            }
            rest = later;
        }
        let mut hidden = vec![0.0; sentences.len() * self.hidden.outputs];
        let mut sums = vec![0.0; sentences.len() * self.names.len()];
        widest(Through { layer: &self.hidden, rows: &pooled, cut_off: true, out: &mut hidden });
        widest(Through { layer: &self.heads, rows: &hidden, cut_off: false, out: &mut sums });
        for (place, sums) in sentences.zip(sums.chunks_exact(self.names.len())) {
            let speaker = reading.turns[reading.sentences[place].turn].speaker;
            let about = self.names.iter().map(|(_, about)| *about == speaker);
            odds.extend(sums.iter().zip(about).map(|(&sum, about)| if about { pooling::whole(sum) } else { 0 }));
        }
    }
}

/// What is carried from one group of segments to the next.
struct ReadingOn {
    multiplier: Multiplier,
    memories: Vec<Memories>,
    tokens: Vec<f32>,
    room: Room,
}

impl ReadingOn {
    /// Whether everything is there that the segments from one on see of those before it, and nothing of their own.
    fn has_all_seen_from(&mut self, segments: &[Segment], start: usize) -> bool {
        for memories in &mut self.memories {
            memories.retain(|(place, _)| *place < start);
        }
        let seen = segments[start..].iter().flat_map(|segment| [segment.before, segment.other]);
        let mut seen = seen.flatten().filter(|&seen| seen < start);
        let has = |place: usize| self.memories.iter().all(|own| own.iter().any(|(known, _)| *known == place));
        !self.memories.is_empty() && seen.all(has)
    }
}

/// What the last sentences of a chat left for those that follow, so that it need not be computed again. It takes megabytes,
/// and can be thrown away at any time.
#[derive(Default)]
pub(crate) struct Warm(Vec<Memories>);

impl Warm {
    /// Keeps the very last part alone, which is all that a new turn sees.
    pub(crate) fn keep_last(&mut self) {
        for memories in &mut self.0 {
            let last = memories.iter().map(|(place, _)| *place).max();
            memories.retain(|(place, _)| Some(*place) == last);
        }
    }

    /// How many bytes this takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().flatten().map(|(_, memory)| memory.bytes()).sum()
    }
}

impl fmt::Debug for Warm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Warm").field("bytes", &self.bytes()).finish()
    }
}

/// The sentences of segments that follow each other.
fn sentences_of(segments: &[Segment]) -> Range<usize> {
    let start = segments.first().map_or(0, |segment| segment.sentences.start);
    start..segments.last().map_or(start, |segment| segment.sentences.end)
}

/// Tokens that are normalised before the first layer.
struct Normalising<'a> {
    rows: &'a mut [f32],
    norm: &'a Norm,
}

impl Work for Normalising<'_> {
    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact_mut(WIDTH) {
            normalise(row, &self.norm.weight, &self.norm.bias);
        }
    }
}
