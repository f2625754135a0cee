//! The file of weights, as `training/export.py` writes it.

use carelock_core::transcript::Speaker;

use super::arithmetic::{LANES, Lanes};
use super::layer::Layer;
use super::product::Product;
use super::{ATTENTION, INNER, PLACES, Reader, WIDTH};
use crate::cursor::Cursor;

/// What a normalised row is multiplied with, and what is added.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// A dense layer without rounding.
pub(super) struct Dense {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// For every 16 outputs: their weights for every input, filled up with zeros.
    pub(super) panels: Vec<Lanes>,
    pub(super) bias: Vec<f32>,
}

impl Norm {
    fn read(cursor: &mut Cursor) -> Self {
        Self { weight: floats(cursor, WIDTH), bias: floats(cursor, WIDTH) }
    }
}

impl Dense {
    fn read(cursor: &mut Cursor, outputs: usize, inputs: usize) -> Self {
        let weights = floats(cursor, outputs * inputs);
        let mut panels = vec![[0.0; LANES]; outputs.div_ceil(LANES) * inputs];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            for (lanes, &weight) in panels[output / LANES * inputs..].iter_mut().zip(row) {
                lanes[output % LANES] = weight;
            }
        }
        Self { inputs, outputs, panels, bias: floats(cursor, outputs) }
    }
}

impl Layer {
    fn read(cursor: &mut Cursor) -> Self {
        Self {
            asked: Product::read(cursor, 3, WIDTH, WIDTH),
            out: Product::read(cursor, 1, WIDTH, WIDTH),
            norm1: Norm::read(cursor),
            up: Product::read(cursor, 1, INNER, WIDTH),
            down: Product::read(cursor, 1, WIDTH, INNER),
            norm2: Norm::read(cursor),
            look: floats(cursor, ATTENTION * 3).as_chunks::<3>().0.to_vec(),
        }
    }
}

impl Reader {
    /// Reads the file.
    pub(super) fn read(file: &'static [u8]) -> Self {
        let mut cursor = Cursor::new(file, b"careread");
        let (rows, width, attention, depth) = (cursor.size(), cursor.size(), cursor.size(), cursor.size());
        let (inner, places, hidden, heads) = (cursor.size(), cursor.size(), cursor.size(), cursor.size());
        let sizes = [width, attention, inner, places];
        assert_eq!(sizes, [WIDTH, ATTENTION, INNER, PLACES], "the embedded weights are of another reader");
        let length = cursor.size();
        let names = head_names(&String::from_utf8_lossy(cursor.bytes(length)));
        assert_eq!(names.len(), heads, "the embedded weights name other heads than they have");
        Self {
            names,
            words: cursor.bytes(rows * WIDTH),
            word_steps: floats(&mut cursor, rows),
            places: floats(&mut cursor, PLACES * WIDTH),
            speakers: floats(&mut cursor, 2 * WIDTH),
            norm: Norm::read(&mut cursor),
            layers: (0..depth).map(|_| Layer::read(&mut cursor)).collect(),
            hidden: Dense::read(&mut cursor, hidden, 3 * WIDTH),
            heads: Dense::read(&mut cursor, heads, hidden),
        }
    }
}

/// Heads with whose turns they are about.
fn head_names(lines: &str) -> Vec<(String, Speaker)> {
    let head = |line: &str| match line.split_once(' ') {
        Some(("human", name)) => (name.to_owned(), Speaker::Human),
        Some((_, name)) => (name.to_owned(), Speaker::Ai),
        None => (line.to_owned(), Speaker::Ai),
    };
    lines.lines().map(head).collect()
}

fn floats(cursor: &mut Cursor, count: usize) -> Vec<f32> {
    cursor.numbers(count, f32::from_le_bytes)
}
