//! From tokens to the odds of every head in every sentence.

use super::WIDTH;
use super::arithmetic::{LANES, TOGETHER, add_products, larger, rounded};
use super::vectors::Work;
use super::weights::Dense;

/// A sentence as the heads see it: the mean of its tokens, the most of every value, and the mark that opens its
/// segment.
pub(super) const POOLED: usize = 3 * WIDTH;

/// Odds come in 1/256.
const ODDS: f32 = 256.0;

/// Odds beyond this say nothing more.
const MOST_ODDS: f32 = 8000.0;

/// A sentence's tokens, to be seen as one.
pub(super) struct Pooling<'a> {
    pub(super) tokens: &'a [f32],
    pub(super) mark: &'a [f32],
    pub(super) out: &'a mut [f32],
}

impl Work for Pooling<'_> {
    #[inline(always)]
    fn run(self) {
        let (mean, rest) = self.out.split_at_mut(WIDTH);
        let (most, mark) = rest.split_at_mut(WIDTH);
        mean.fill(0.0);
        most.fill(-1e4);
        mark.copy_from_slice(self.mark);
        for row in self.tokens.chunks_exact(WIDTH) {
            for ((mean, most), &x) in mean.iter_mut().zip(most.iter_mut()).zip(row) {
                *mean += x;
                *most = larger(x, *most);
            }
        }
        let count = larger((self.tokens.len() / WIDTH) as f32, 1.0);
        for mean in mean {
            *mean /= count;
        }
    }
}

/// Rows that go through a dense layer; what is negative is cut off behind it, if asked for.
pub(super) struct Through<'a> {
    pub(super) layer: &'a Dense,
    pub(super) rows: &'a [f32],
    pub(super) cut_off: bool,
    pub(super) out: &'a mut [f32],
}

impl Work for Through<'_> {
    #[inline(always)]
    fn run(self) {
        let Dense { inputs, outputs, panels, bias } = self.layer;
        for (rows, out) in self.rows.chunks(TOGETHER * inputs).zip(self.out.chunks_mut(TOGETHER * outputs)) {
            // Where fewer rows are left, the last stands in for the missing ones.
            let last = rows.len() / inputs - 1;
            let rows = std::array::from_fn(|row| &rows[row.min(last) * inputs..][..*inputs]);
            for ((place, panel), bias) in panels.chunks_exact(*inputs).enumerate().zip(bias.chunks(LANES)) {
                let mut sums = [[0.0; LANES]; TOGETHER];
                add_products(rows, panel, &mut sums);
                for (out, sums) in out.chunks_exact_mut(*outputs).zip(&sums) {
                    for ((out, sum), bias) in out[place * LANES..].iter_mut().zip(sums).zip(bias) {
                        let sum = sum + bias;
                        *out = if self.cut_off { larger(sum, 0.0) } else { sum };
                    }
                }
            }
        }
    }
}

/// Log-odds in 1/256.
pub(super) fn whole(odds: f32) -> i16 {
    rounded((odds * ODDS).clamp(-MOST_ODDS, MOST_ODDS)) as i16
}
