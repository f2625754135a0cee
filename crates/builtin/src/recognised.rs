//! What was recognised in a chat so far, in a few bytes a sentence, so that a new turn costs that turn.

use carelock_core::transcript::Speaker;

use crate::Judge;
use crate::lexicon::Lexicon;
use crate::nibbles::Nibbles;
use crate::reader::Warm;
use crate::reading::Reading;
use crate::signs::Signs;

/// What was recognised in the sentences of a chat so far. It belongs to one chat whose turns are only ever added to.
#[derive(Debug, Default)]
pub struct Recognised {
    /// The log-odds of every sentence, of the heads about its speaker alone.
    learned: Nibbles,
    /// Which word signs stand in every sentence, a bit each, in whole bytes a sentence.
    words: Vec<u8>,
    /// The turns that are complete.
    done: Mark,
    /// The same with the first sentences of a reply that is still being written.
    open: Mark,
    /// What the reader computed for the last sentences.
    warm: Warm,
    /// What was read last of a reply that is still being written: where nothing was added, it is not read again.
    last: Option<LastRead>,
}

/// The last part of a reply as it was read.
#[derive(Debug)]
struct LastRead {
    start: usize,
    turn: usize,
    pieces: Vec<Vec<u32>>,
    odds: Vec<i16>,
}

impl LastRead {
    fn new(reading: &Reading<'_>, start: usize, odds: &[i16]) -> Option<Self> {
        let sentences = reading.sentences.get(start..)?;
        let turn = sentences.first()?.turn;
        let pieces = sentences.iter().map(|sentence| sentence.pieces.clone()).collect();
        Some(Self { start, turn, pieces, odds: odds.to_vec() })
    }

    /// Whether this is what there is to read from a sentence on.
    fn fits(&self, reading: &Reading<'_>, first: usize) -> bool {
        self.start == first
            && reading.turns.get(self.turn).is_some_and(|turn| turn.speaker == Speaker::Ai)
            && reading.sentences.get(first..).is_some_and(|sentences| {
                sentences.len() == self.pieces.len()
                    && sentences
                        .iter()
                        .zip(&self.pieces)
                        .all(|(own, pieces)| own.turn == self.turn && own.pieces == *pieces)
            })
    }
}

/// How far something is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    turns: usize,
    sentences: usize,
    learned: usize,
    /// Where the last of the sentences ends in its turn.
    end: usize,
    /// The conditions that the person named, a bit each.
    brought_up: u64,
}

impl Recognised {
    /// Throws away what only saves time: the next turn takes longer, and this takes megabytes less.
    pub fn cool(&mut self) {
        self.warm = Warm::default();
        self.last = None;
    }

    /// How many bytes would be thrown away.
    pub fn warm_bytes(&self) -> usize {
        self.warm.bytes()
    }

    /// How many bytes this takes without what can be thrown away.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.learned.bytes() + self.words.capacity()
    }

    /// Forgets what does not fit a reading: a reply that goes on otherwise, or another chat.
    fn fit(&mut self, reading: &Reading<'_>, bytes: usize) {
        let fits = |mark: &Mark| {
            let last = mark.sentences.checked_sub(1).and_then(|last| reading.sentences.get(last));
            last.map_or(mark.sentences == 0, |last| last.range.end == mark.end)
                && mark.turns <= reading.turns.len()
                && reading.turns[..mark.turns].last().is_none_or(|turn| turn.sentences.end <= mark.sentences)
        };
        if !fits(&self.open) {
            self.open = self.done;
            self.cool();
        }
        if !fits(&self.done) {
            (self.done, self.open) = (Mark::default(), Mark::default());
            self.last = None;
        }
        self.keep(self.open, bytes);
    }

    fn keep(&mut self, mark: Mark, bytes: usize) {
        self.learned.truncate(mark.learned);
        self.words.truncate(mark.sentences * bytes);
    }
}

impl Judge {
    /// What is recognised in a chat, with what is known of it already; the rest is read and kept. The last turn is kept as far
    /// as it is settled where it `is_open`, that is, still being written.
    pub(crate) fn signs(&self, reading: &Reading<'_>, known: &mut Recognised, is_open: bool) -> Signs {
        let heads = self.reader.heads();
        let bytes = (self.heads.len() - heads.len()).div_ceil(8);
        known.fit(reading, bytes);
        let first = known.open.sentences;
        let last = known.last.take().filter(|last| last.fits(reading, first));
        let (odds, last_part) = match last {
            Some(last) => (last.odds, first),
            None => self.reader.odds_from(reading, first, &mut known.warm),
        };
        if is_open && let Some(own) = odds.get(last_part.saturating_sub(first) * heads.len()..) {
            known.last = LastRead::new(reading, last_part, own);
        }
        let mut brought_up = known.open.brought_up;
        let words = self.lexicon.find_from(reading, first, &mut brought_up);
        let mut ends = Vec::with_capacity(words.len());
        for ((sentence, odds), found) in (first..).zip(odds.chunks_exact(heads.len().max(1))).zip(&words) {
            let speaker = reading.turns[reading.sentences[sentence].turn].speaker;
            let own = heads.iter().zip(odds).filter(|((_, about), _)| *about == speaker);
            own.for_each(|(_, odds)| known.learned.push(*odds));
            let bits = |byte: &[bool]| byte.iter().rev().fold(0, |bits: u8, &bit| bits << 1 | u8::from(bit));
            known.words.extend(found.chunks(8).map(bits));
            ends.push(known.learned.len());
        }
        let signs = Signs::new(reading, self.heads.len(), self.rows(reading, known, bytes));
        let mark = |turns: usize, sentences: usize| Mark {
            turns,
            sentences,
            learned: sentences.checked_sub(first + 1).map_or(known.open.learned, |place| ends[place]),
            end: sentences.checked_sub(1).map_or(0, |last| reading.sentences[last].range.end),
            brought_up,
        };
        let (turns, all) = (reading.turns.len(), reading.sentences.len());
        let last = reading.turns.last();
        (known.done, known.open) = match last {
            Some(turn) if is_open && turn.speaker == Speaker::Ai => {
                let done = mark(turns - 1, turn.sentences.start);
                // Nothing new stands before what was known.
                let done = if turn.sentences.start <= first { Mark { brought_up, ..known.done } } else { done };
                (
                    done,
                    if last_part > first.max(done.sentences) {
                        mark(turns - 1, last_part)
                    } else {
                        known.open.max(done)
                    },
                )
            }
            Some(_) if is_open => (known.done, known.done),
            _ => (mark(turns, all), mark(turns, all)),
        };
        known.keep(known.open, bytes);
        if !is_open {
            known.warm.keep_last();
            known.learned.shrink();
            known.words.shrink_to_fit();
        }
        signs
    }

    /// Everything that is known, a row of all heads a sentence.
    fn rows(&self, reading: &Reading<'_>, known: &Recognised, bytes: usize) -> Vec<i16> {
        let heads = self.reader.heads();
        let word_count = self.heads.len() - heads.len();
        let mut all = Vec::with_capacity(reading.sentences.len() * self.heads.len());
        let mut learned = known.learned.iter();
        for (place, sentence) in reading.sentences.iter().enumerate() {
            let speaker = reading.turns[sentence.turn].speaker;
            all.extend(heads.iter().map(|(_, about)| if *about == speaker { learned.next().unwrap_or(0) } else { 0 }));
            let bits = &known.words[place * bytes..(place + 1) * bytes];
            all.extend((0..word_count).map(|word| Lexicon::sign(bits[word / 8] >> (word % 8) & 1 == 1)));
        }
        all
    }
}

impl Mark {
    /// The one that is further.
    fn max(self, other: Self) -> Self {
        if self.sentences > other.sentences { self } else { other }
    }
}
