//! Products of rows with weights in whole numbers, which every processor sums to the same bits.
//!
//! Inputs are bytes around 128, weights lie within ±63: two products fit 16 bits, so that no processor cuts a sum off.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

use super::INNER;
use super::arithmetic::{LANES, Lanes, gelu, round_row};
use super::vectors::{Work, widest};
use crate::cursor::Cursor;

/// So many rows are multiplied at once, with so many outputs. Both are as much as the library does in one go, so that
/// it never hands a part to another thread: chats are read side by side, and none waits for another. Both are multiples of
/// the lanes.
pub(super) const ROWS: usize = 64;
const OUTPUTS: usize = 128;

/// What multiplies whole numbers, with room for these. It belongs to one thread.
pub(super) struct Multiplier {
    gemm: GemmExecutor<u8, i8, i32>,
    bytes: Vec<u8>,
    steps: [f32; ROWS],
    sums: Vec<i32>,
}

impl Multiplier {
    pub(super) fn new() -> Self {
        let (bytes, sums) = (vec![0; ROWS * INNER], vec![0; ROWS * OUTPUTS]);
        Self { gemm: GemmExecutor::new(), bytes, steps: [0.0; ROWS], sums }
    }
}

/// The value of a byte that means 0.
const ZERO: i32 = 128;

/// A dense layer.
pub(super) struct Product {
    inputs: usize,
    outputs: Vec<Outputs>,
}

/// Some outputs of a layer: their weights, what a unit of each sum means, what is added, and what the zero of the
/// inputs adds.
struct Outputs {
    weights: PackedBMatrix<i8>,
    steps: Vec<f32>,
    bias: Vec<f32>,
    zeros: Vec<i32>,
}

impl Product {
    /// Products of the same inputs as one: that many, one behind the other in the file.
    pub(super) fn read(cursor: &mut Cursor, count: usize, outputs: usize, inputs: usize) -> Self {
        let gemm = GemmExecutor::<u8, i8, i32>::new();
        let mut blocks = Vec::new();
        for _ in 0..count {
            let weights = cursor.numbers(outputs * inputs, i8::from_le_bytes);
            let steps = cursor.numbers(outputs, f32::from_le_bytes);
            let bias = cursor.numbers(outputs, f32::from_le_bytes);
            let rows = weights.chunks(OUTPUTS * inputs).zip(steps.chunks(OUTPUTS)).zip(bias.chunks(OUTPUTS));
            for ((weights, steps), bias) in rows {
                let zeros = weights.chunks(inputs).map(|row| row.iter().map(|&w| i32::from(w)).sum::<i32>() * ZERO);
                let zeros = zeros.collect();
                let matrix = NdTensorView::from_data([steps.len(), inputs], weights).transposed();
                let weights = gemm.prepack_b(matrix);
                blocks.push(Outputs { weights, steps: steps.to_vec(), bias: bias.to_vec(), zeros });
            }
        }
        Self { inputs, outputs: blocks }
    }

    /// How many values come out of a row.
    fn width(&self) -> usize {
        self.outputs.iter().map(|outputs| outputs.steps.len()).sum()
    }

    /// The rows of outputs for rows of inputs.
    pub(super) fn of(&self, multiplier: &mut Multiplier, rows: &[f32], out: &mut [f32]) {
        self.multiply::<false>(multiplier, rows, out);
    }

    /// The same with the smooth step behind it.
    pub(super) fn bent(&self, multiplier: &mut Multiplier, rows: &[f32], out: &mut [f32]) {
        self.multiply::<true>(multiplier, rows, out);
    }

    fn multiply<const BENT: bool>(&self, multiplier: &mut Multiplier, rows: &[f32], out: &mut [f32]) {
        let width = self.width();
        let Multiplier { gemm, bytes, steps, sums } = multiplier;
        for (rows, out) in rows.chunks(ROWS * self.inputs).zip(out.chunks_mut(ROWS * width)) {
            let count = rows.len() / self.inputs;
            let (bytes, steps) = (&mut bytes[..rows.len()], &mut steps[..count]);
            widest(Rounding { rows, width: self.inputs, bytes, steps });
            let packed = gemm.prepack_a(NdTensorView::from_data([count, self.inputs], &*bytes));
            let mut start = 0;
            for outputs in &self.outputs {
                let sums = &mut sums[..count * outputs.steps.len()];
                let (rows, weights) = (GemmInputA::Packed(&packed), GemmInputB::Packed(&outputs.weights));
                let done = gemm.gemm(sums, rows, weights, GemmOptions::default());
                done.expect("rows are as long as the weights ask for");
                widest(Meaning::<BENT> { outputs, sums, steps, out: &mut out[start..], width });
                start += outputs.steps.len();
            }
        }
    }
}

/// Rows to be rounded.
struct Rounding<'a> {
    rows: &'a [f32],
    width: usize,
    bytes: &'a mut [u8],
    steps: &'a mut [f32],
}

impl Work for Rounding<'_> {
    #[inline(always)]
    fn run(self) {
        let rows = self.rows.chunks_exact(self.width).zip(self.bytes.chunks_exact_mut(self.width));
        for ((row, bytes), step) in rows.zip(self.steps) {
            *step = round_row(row, bytes);
        }
    }
}

/// Sums to be brought back to their meaning.
struct Meaning<'a, const BENT: bool> {
    outputs: &'a Outputs,
    sums: &'a [i32],
    steps: &'a [f32],
    out: &'a mut [f32],
    width: usize,
}

impl<const BENT: bool> Work for Meaning<'_, BENT> {
    #[inline(always)]
    fn run(self) {
        let Outputs { steps, bias, zeros, .. } = self.outputs;
        let rows = self.sums.chunks_exact(steps.len()).zip(self.out.chunks_mut(self.width));
        let (steps, bias, zeros) = (steps.as_chunks().0, bias.as_chunks().0, zeros.as_chunks().0);
        for ((sums, out), row_step) in rows.zip(self.steps) {
            let (sums, outs) = (sums.as_chunks().0, out.as_chunks_mut().0);
            for ((((out, sums), steps), bias), zeros) in outs.iter_mut().zip(sums).zip(steps).zip(bias).zip(zeros) {
                *out = mean::<BENT>(sums, zeros, *row_step, steps, bias);
            }
        }
    }
}

/// What some sums mean, side by side: in loops over arrays, which become vectors.
#[inline(always)]
fn mean<const BENT: bool>(
    sums: &[i32; LANES],
    zeros: &[i32; LANES],
    row_step: f32,
    steps: &Lanes,
    bias: &Lanes,
) -> Lanes {
    let mut values = [0.0; LANES];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = (sums[lane] - zeros[lane]) as f32 * (row_step * steps[lane]) + bias[lane];
    }
    if BENT {
        for value in &mut values {
            *value = gelu(*value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one product: weights that take turns between both ends of their range and values inside it.
    fn file(outputs: usize, inputs: usize) -> &'static [u8] {
        let weight = |place: usize| if place.is_multiple_of(3) { 63 } else { (place * 7919 % 127) as i8 - 63 };
        let mut file: Vec<u8> = (0..outputs * inputs).map(|place| weight(place) as u8).collect();
        file.extend((0..outputs).flat_map(|_| 1.0_f32.to_le_bytes()));
        file.extend((0..outputs).flat_map(|output| (output as f32).to_le_bytes()));
        file.leak()
    }

    #[test]
    fn sums_are_those_of_single_products_even_at_the_ends_of_the_range() {
        for (rows, outputs, inputs) in [(1, 384, 384), (7, 384, 1536), (64, 1536, 384), (150, 384, 384)] {
            let file = file(outputs, inputs);
            let product = Product::read(&mut Cursor::new(file, b""), 1, outputs, inputs);
            let value = |place: usize| if place % 5 < 3 { 127.0 } else { (place * 104_729 % 255) as f32 - 127.0 };
            let input: Vec<f32> = (0..rows * inputs).map(value).collect();
            let mut out = vec![0.0; rows * outputs];
            product.of(&mut Multiplier::new(), &input, &mut out);
            for (row, out) in input.chunks(inputs).zip(out.chunks(outputs)) {
                for (output, (out, weights)) in out.iter().zip(file.chunks(inputs)).enumerate() {
                    let sum = row.iter().zip(weights).map(|(x, w)| *x as i32 * i32::from(*w as i8)).sum::<i32>();
                    assert_eq!(*out, sum as f32 + output as f32, "{rows} rows, output {output}");
                }
            }
        }
    }
}
