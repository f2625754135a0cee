//! The sentence classifier: whole numbers only up to a last fixed step, so that every machine answers the same.
//!
//! A sentence's word pieces look up rows of tables, a window at a time; the strongest and the mean value of every channel,
//! together with what its turn and the two turns before it say, go through two layers to the odds of every head.

use carelock_core::transcript::Speaker;

use crate::cursor::Cursor;
use crate::reading::Reading;

/// Sizes of the summaries of the turn before, of the own turn, and of the turn before that.
const CONTEXT: [usize; 3] = [64, 64, 32];

/// Who speaks, whether the sentence opens its turn, whether it closes it.
const EXTRA: usize = 3;

/// One unit between layers is 1/64.
const STEP: f32 = 64.0;

/// The largest value between layers.
const TOP: f32 = 2047.0;

/// Odds come in 1/256.
const ODDS: f32 = 256.0;

/// Odds beyond this say nothing more.
const MOST_ODDS: f32 = 8000.0;

/// The classifiers whose answers are averaged, with the names of what they recognise.
#[derive(Debug)]
pub struct Network {
    heads: Vec<(String, Speaker)>,
    parts: Vec<Part>,
}

/// One classifier.
#[derive(Debug)]
struct Part {
    window: usize,
    channels: usize,
    pieces: usize,
    /// A row of channels, signed, for every place in the window and every piece.
    tables: &'static [u8],
    bias: Vec<i16>,
    context: [Dense; 3],
    hidden: Dense,
    heads: Dense,
}

/// A layer: rows of weights, what a unit of each row's sum means, and what is added.
#[derive(Debug)]
struct Dense {
    inputs: usize,
    weights: Vec<i16>,
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl Dense {
    fn read(cursor: &mut Cursor, outputs: usize, inputs: usize) -> Self {
        let weights = cursor.numbers(outputs * inputs, i16::from_le_bytes);
        let scale = cursor.numbers(outputs, f32::from_le_bytes);
        let bias = cursor.numbers(outputs, f32::from_le_bytes);
        Self { inputs, weights, scale, bias }
    }

    /// A row's sum over the inputs that begin at a place.
    fn sum(&self, row: usize, place: usize, inputs: &[i16]) -> i32 {
        let start = row * self.inputs + place;
        dot(&self.weights[start..start + inputs.len()], inputs)
    }

    /// A row's sum, brought back to its meaning.
    fn meaning(&self, row: usize, sum: i32) -> f32 {
        sum as f32 * self.scale[row] + self.bias[row]
    }

    /// All rows' sums, what is negative cut off, in units of the next layer.
    fn cut_off(&self, sums: impl Iterator<Item = i32>, out: &mut Vec<i16>) {
        let cut = |(row, sum)| (self.meaning(row, sum).max(0.0) * STEP + 0.5).min(TOP) as i16;
        out.extend(sums.enumerate().map(cut));
    }
}

/// The sum of products. In pieces of a fixed size, from which compilers make the instruction that multiplies and adds pairs of
/// short numbers.
fn dot(left: &[i16], right: &[i16]) -> i32 {
    let (lefts, left) = left.as_chunks::<32>();
    let (rights, right) = right.as_chunks::<32>();
    let product = |(&left, &right): (&i16, &i16)| i32::from(left) * i32::from(right);
    let whole = lefts.iter().zip(rights).map(|(left, right)| left.iter().zip(right).map(product).sum::<i32>());
    whole.sum::<i32>() + left.iter().zip(right).map(product).sum::<i32>()
}

impl Network {
    /// The classifiers that come with this version.
    pub fn embedded() -> Self {
        Self::read(include_bytes!("../data/weights.bin"))
    }

    fn read(file: &'static [u8]) -> Self {
        let mut cursor = Cursor::new(file, b"carelock");
        let (pieces, parts, ai, human) = (cursor.size(), cursor.size(), cursor.size(), cursor.size());
        let length = cursor.size();
        let names = String::from_utf8_lossy(cursor.bytes(length));
        let speaker = |place| if (ai..ai + human).contains(&place) { Speaker::Human } else { Speaker::Ai };
        let heads: Vec<_> = names.lines().enumerate().map(|(place, name)| (name.to_owned(), speaker(place))).collect();
        let shapes: Vec<[usize; 3]> = (0..parts).map(|_| [cursor.size(), cursor.size(), cursor.size()]).collect();
        let parts = shapes.iter().map(|&shape| Part::read(&mut cursor, pieces, shape, heads.len())).collect();
        Self { heads, parts }
    }

    /// What it recognises, with whose sentences each is about.
    pub fn heads(&self) -> &[(String, Speaker)] {
        &self.heads
    }

    /// The log-odds (1/256) of every head in every sentence; even odds where a head is about the other speaker.
    pub fn odds(&self, reading: &Reading<'_>) -> Vec<i16> {
        let mut sums = vec![0.0_f32; reading.sentences.len() * self.heads.len()];
        for part in &self.parts {
            part.add_odds(reading, &self.heads, &mut sums);
        }
        let share = ODDS / self.parts.len() as f32;
        sums.iter().map(|sum| (sum * share).clamp(-MOST_ODDS, MOST_ODDS) as i16).collect()
    }
}

impl Part {
    fn read(cursor: &mut Cursor, pieces: usize, [window, channels, hidden]: [usize; 3], heads: usize) -> Self {
        let tables = cursor.bytes(window * pieces * channels);
        let bias = cursor.numbers(channels, i16::from_le_bytes);
        let context = CONTEXT.map(|size| Dense::read(cursor, size, channels));
        let inputs = 2 * channels + CONTEXT.iter().sum::<usize>() + EXTRA;
        let hidden = Dense::read(cursor, hidden, inputs);
        let heads = Dense::read(cursor, heads, hidden.bias.len());
        Self { window, channels, pieces, tables, bias, context, hidden, heads }
    }

    /// The strongest and the mean value of every channel over a sentence.
    fn sentence(&self, pieces: &[u32], strongest: &mut [i16], mean: &mut [i16]) {
        let mut sums = vec![0_i32; self.channels];
        // A bias and a window of bytes fit 16 bits, and twice as many of those are added at a time.
        let mut value = vec![0_i16; self.channels];
        let half = self.window / 2;
        for place in 0..pieces.len() {
            value.copy_from_slice(&self.bias);
            for offset in 0..self.window {
                let Some(&piece) = (place + offset).checked_sub(half).and_then(|place| pieces.get(place)) else {
                    continue;
                };
                let row = (offset * self.pieces + piece as usize) * self.channels;
                for (value, &entry) in value.iter_mut().zip(&self.tables[row..row + self.channels]) {
                    *value = value.saturating_add(i16::from(entry as i8));
                }
            }
            for ((value, sum), strongest) in value.iter().zip(&mut sums).zip(strongest.iter_mut()) {
                let value = (*value).max(0);
                *sum += i32::from(value);
                *strongest = (*strongest).max(value);
            }
        }
        let count = pieces.len() as i32;
        for (mean, sum) in mean.iter_mut().zip(&sums) {
            *mean = ((sum + count / 2) / count) as i16;
        }
    }

    fn add_odds(&self, reading: &Reading<'_>, heads: &[(String, Speaker)], sums: &mut [f32]) {
        let (channels, count) = (self.channels, reading.sentences.len());
        let mut strongest = vec![0_i16; count * channels];
        let mut mean = vec![0_i16; count * channels];
        let mut turns = vec![0_i16; reading.turns.len() * channels];
        for (place, sentence) in reading.sentences.iter().enumerate() {
            let range = place * channels..(place + 1) * channels;
            self.sentence(&sentence.pieces, &mut strongest[range.clone()], &mut mean[range.clone()]);
            let turn = &mut turns[sentence.turn * channels..(sentence.turn + 1) * channels];
            for (turn, &value) in turn.iter_mut().zip(&strongest[range]) {
                *turn = (*turn).max(value);
            }
        }
        let nothing = vec![0_i16; channels];
        let turn_at =
            |place: Option<usize>| place.map_or(&nothing[..], |at| &turns[at * channels..(at + 1) * channels]);
        let rows = self.hidden.bias.len();
        let mut inputs = Vec::with_capacity(2 * channels);
        let mut hidden = Vec::with_capacity(rows);
        for (place, turn) in reading.turns.iter().enumerate() {
            let mut context = Vec::with_capacity(CONTEXT.iter().sum::<usize>() + 1);
            let places = [place.checked_sub(1), Some(place), place.checked_sub(2)];
            for (layer, place) in self.context.iter().zip(places) {
                let said = turn_at(place);
                layer.cut_off((0..layer.bias.len()).map(|row| layer.sum(row, 0, said)), &mut context);
            }
            context.push(i16::from(turn.speaker == Speaker::Ai));
            // The same for all sentences of the turn, so it is summed once.
            let around: Vec<i32> = (0..rows).map(|row| self.hidden.sum(row, 2 * channels, &context)).collect();
            for sentence in turn.sentences.clone() {
                let range = sentence * channels..(sentence + 1) * channels;
                inputs.clear();
                inputs.extend_from_slice(&strongest[range.clone()]);
                inputs.extend_from_slice(&mean[range]);
                let ends = [sentence == turn.sentences.start, sentence + 1 == turn.sentences.end].map(i16::from);
                let last = 2 * channels + context.len();
                let sum = |row| self.hidden.sum(row, 0, &inputs) + around[row] + self.hidden.sum(row, last, &ends);
                hidden.clear();
                self.hidden.cut_off((0..rows).map(sum), &mut hidden);
                let sums = &mut sums[sentence * heads.len()..(sentence + 1) * heads.len()];
                for (head, (sum, (_, speaker))) in sums.iter_mut().zip(heads).enumerate() {
                    if *speaker == turn.speaker {
                        *sum += self.heads.meaning(head, self.heads.sum(head, 0, &hidden));
                    }
                }
            }
        }
    }
}
