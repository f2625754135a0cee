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
    /// A row of channels for every place in the window and every piece.
    tables: &'static [i8],
    bias: Vec<i32>,
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

    /// A row's sum, brought back to its meaning.
    fn row(&self, row: usize, inputs: &[i16]) -> f32 {
        let weights = &self.weights[row * self.inputs..(row + 1) * self.inputs];
        let sum: i32 = weights.iter().zip(inputs).map(|(&weight, &input)| i32::from(weight) * i32::from(input)).sum();
        sum as f32 * self.scale[row] + self.bias[row]
    }

    /// All rows, what is negative cut off, in units of the next layer.
    fn cut_off(&self, inputs: &[i16], out: &mut Vec<i16>) {
        out.extend((0..self.bias.len()).map(|row| (self.row(row, inputs).max(0.0) * STEP + 0.5).min(TOP) as i16));
    }
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

    /// The log-odds (1/256) of every head in every sentence.
    pub fn odds(&self, reading: &Reading<'_>) -> Vec<i16> {
        let mut sums = vec![0.0_f32; reading.sentences.len() * self.heads.len()];
        for part in &self.parts {
            part.add_odds(reading, &mut sums);
        }
        let share = ODDS / self.parts.len() as f32;
        sums.iter().map(|sum| (sum * share).clamp(-MOST_ODDS, MOST_ODDS) as i16).collect()
    }
}

impl Part {
    fn read(cursor: &mut Cursor, pieces: usize, [window, channels, hidden]: [usize; 3], heads: usize) -> Self {
        let bytes = cursor.bytes(window * pieces * channels);
        let tables = signed(bytes);
        let bias = cursor.numbers(channels, i16::from_le_bytes).into_iter().map(i32::from).collect();
        let context = CONTEXT.map(|size| Dense::read(cursor, size, channels));
        let inputs = 2 * channels + CONTEXT.iter().sum::<usize>() + EXTRA;
        let hidden = Dense::read(cursor, hidden, inputs);
        let heads = Dense::read(cursor, heads, hidden.bias.len());
        Self { window, channels, pieces, tables, bias, context, hidden, heads }
    }

    /// The strongest and the mean value of every channel over a sentence.
    fn sentence(&self, pieces: &[u32], strongest: &mut [i16], mean: &mut [i16]) {
        let mut sums = vec![0_i32; self.channels];
        let mut value = vec![0_i32; self.channels];
        let half = self.window / 2;
        for place in 0..pieces.len() {
            value.copy_from_slice(&self.bias);
            for offset in 0..self.window {
                let Some(&piece) = (place + offset).checked_sub(half).and_then(|place| pieces.get(place)) else {
                    continue;
                };
                let row = (offset * self.pieces + piece as usize) * self.channels;
                for (value, &entry) in value.iter_mut().zip(&self.tables[row..row + self.channels]) {
                    *value += i32::from(entry);
                }
            }
            for ((value, sum), strongest) in value.iter().zip(&mut sums).zip(strongest.iter_mut()) {
                let value = (*value).max(0);
                *sum += value;
                *strongest = (*strongest).max(value as i16);
            }
        }
        let count = pieces.len() as i32;
        for (mean, sum) in mean.iter_mut().zip(&sums) {
            *mean = ((sum + count / 2) / count) as i16;
        }
    }

    fn add_odds(&self, reading: &Reading<'_>, sums: &mut [f32]) {
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
        let heads = self.heads.bias.len();
        let mut inputs = Vec::with_capacity(self.hidden.inputs);
        let mut hidden = Vec::with_capacity(self.hidden.bias.len());
        for (place, turn) in reading.turns.iter().enumerate() {
            let mut context = Vec::with_capacity(CONTEXT.iter().sum());
            let places = [place.checked_sub(1), Some(place), place.checked_sub(2)];
            for (layer, place) in self.context.iter().zip(places) {
                layer.cut_off(turn_at(place), &mut context);
            }
            for sentence in turn.sentences.clone() {
                let range = sentence * channels..(sentence + 1) * channels;
                inputs.clear();
                inputs.extend_from_slice(&strongest[range.clone()]);
                inputs.extend_from_slice(&mean[range]);
                inputs.extend_from_slice(&context);
                inputs.push(i16::from(turn.speaker == Speaker::Ai));
                inputs.push(i16::from(sentence == turn.sentences.start));
                inputs.push(i16::from(sentence + 1 == turn.sentences.end));
                hidden.clear();
                self.hidden.cut_off(&inputs, &mut hidden);
                for (head, sum) in sums[sentence * heads..(sentence + 1) * heads].iter_mut().enumerate() {
                    *sum += self.heads.row(head, &hidden);
                }
            }
        }
    }
}

/// Bytes as signed numbers, copied once at the start: the compiler allows no other way without `unsafe`.
fn signed(bytes: &'static [u8]) -> &'static [i8] {
    Vec::leak(bytes.iter().map(|&byte| byte as i8).collect())
}
