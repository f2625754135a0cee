//! Whether a whole turn of the person is a crisis or a risk: what is only hinted at is often spread over a message.
//!
//! Two linear models over the word pieces, pairs and triples of a turn and over what its words mean on average and at
//! their strongest.

use carelock_core::transcript::Speaker;

use crate::cursor::Cursor;
use crate::reading::Reading;

/// The names of the two, in the order of the file.
const NAMES: [&str; 2] = ["crisis_turn", "risk_turn"];

/// The log-odds (1/256) in turns of the AI, which neither is about.
const NOT_ABOUT: i16 = -1024;

/// Beyond these log-odds nothing more is said.
const MOST: f32 = 12.0;

/// Both models and the table of meanings they share.
#[derive(Debug)]
pub struct TurnModels {
    width: usize,
    table: &'static [u8],
    models: Vec<Model>,
}

#[derive(Debug)]
struct Model {
    bias: f32,
    /// Pieces, pairs and triples as numbers, in order, and what each weighs in thousandths.
    keys: Vec<u64>,
    weights: Vec<i16>,
    /// Weights of the mean and of the maximum of every dimension.
    slope: Vec<f32>,
}

impl TurnModels {
    /// The models that come with this version.
    pub fn embedded() -> Self {
        let mut cursor = Cursor::new(include_bytes!("../data/turns.bin"), b"care-trn");
        let (rows, width) = (cursor.size(), cursor.size());
        let table = cursor.bytes(rows * width);
        let models = NAMES
            .iter()
            .map(|_| {
                let count = cursor.size();
                let bias = cursor.numbers(1, f32::from_le_bytes)[0];
                let keys = cursor.numbers(count, u64::from_le_bytes);
                let weights = cursor.numbers(count, i16::from_le_bytes);
                let slope = cursor.numbers(2 * width, f32::from_le_bytes);
                Model { bias, keys, weights, slope }
            })
            .collect();
        Self { width, table, models }
    }

    /// The names of what the models recognise.
    pub fn names(&self) -> impl Iterator<Item = (String, Speaker)> {
        NAMES.iter().map(|name| ((*name).to_owned(), Speaker::Human))
    }

    /// The log-odds (1/256) of both for a turn.
    pub fn odds(&self, reading: &Reading<'_>, turn: usize) -> [i16; 2] {
        if reading.turns[turn].speaker == Speaker::Ai {
            return [NOT_ABOUT; 2];
        }
        let keys = keys(reading, turn);
        let meaning = self.meaning(reading, turn);
        let mut out = [0; 2];
        for (out, model) in out.iter_mut().zip(&self.models) {
            let words: i32 = keys
                .iter()
                .filter_map(|key| model.keys.binary_search(key).ok())
                .map(|place| i32::from(model.weights[place]))
                .sum();
            let mut odds = model.bias + words as f32 / 1000.0;
            for (slope, value) in model.slope.iter().zip(&meaning) {
                odds += slope * value;
            }
            *out = (odds.clamp(-MOST, MOST) * 256.0) as i16;
        }
        out
    }

    /// The mean and the maximum of every dimension over the turn's pieces.
    fn meaning(&self, reading: &Reading<'_>, turn: usize) -> Vec<f32> {
        let mut sums = vec![0_i32; self.width];
        let mut most = vec![i8::MIN; self.width];
        let mut count = 0;
        for sentence in &reading.sentences[reading.turns[turn].sentences.clone()] {
            for &piece in &sentence.pieces {
                let row = piece as usize * self.width;
                count += 1;
                for ((sum, most), &byte) in sums.iter_mut().zip(&mut most).zip(&self.table[row..row + self.width]) {
                    let value = byte as i8;
                    *sum += i32::from(value);
                    *most = value.max(*most);
                }
            }
        }
        let means = sums.iter().map(|&sum| sum as f32 / count.max(1) as f32);
        means.chain(most.iter().map(|&value| f32::from(value))).collect()
    }
}

/// Single pieces, neighbours, three in a row, and two with one between, each once.
fn keys(reading: &Reading<'_>, turn: usize) -> Vec<u64> {
    let mut keys = Vec::new();
    for sentence in &reading.sentences[reading.turns[turn].sentences.clone()] {
        let pieces: Vec<u64> = sentence.pieces.iter().map(|&piece| u64::from(piece)).collect();
        keys.extend_from_slice(&pieces);
        keys.extend(pieces.windows(2).map(|two| (1 << 60) | (two[0] << 40) | (two[1] << 20)));
        keys.extend(pieces.windows(3).map(|three| (2 << 60) | (three[0] << 40) | (three[1] << 20) | three[2]));
        keys.extend(pieces.windows(3).map(|three| (3 << 60) | (three[0] << 40) | (three[2] << 20)));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}
