//! One group of chats that is resampled on its own.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::sums::{ClusterSums, add_times};

/// Above this many chats they are put at random into this many groups, and groups are resampled.
///
/// The spread is then known to about 1.6 %, which is no worse than what 2,000 resamples leave open anyway, and the time
/// taken no longer grows with the number of chats.
const MOST_UNITS: usize = 2048;
/// Sums that are added up side by side; one alone would wait for the sum before.
const LANES: usize = 8;

/// The sums of chats, or of groups of them, column by column.
pub(super) struct Stratum {
    columns: Vec<Vec<f64>>,
    /// How many units there are to draw from.
    pub(super) count: usize,
}

impl Stratum {
    pub(super) fn new(sums: &ClusterSums, random: &mut ChaCha8Rng) -> Self {
        let mut rows: Vec<&[f64]> = sums.rows().collect();
        let count = rows.len().min(MOST_UNITS);
        if rows.len() > MOST_UNITS {
            for last in (1..rows.len()).rev() {
                rows.swap(last, scaled(random.next_u32(), last + 1));
            }
        }
        let mut columns = vec![Vec::with_capacity(count); sums.width()];
        let mut unit = vec![0.0; sums.width()];
        for group in 0..count {
            unit.fill(0.0);
            for row in rows.iter().skip(group).step_by(count) {
                add_times(&mut unit, row, 1.0);
            }
            for (column, &cell) in columns.iter_mut().zip(&unit) {
                column.push(cell);
            }
        }
        Self { columns, count }
    }

    /// How many sums a unit has.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The sums over as many units as there are, drawn with replacement.
    pub(super) fn resample(&self, totals: &mut [f64], draws: &mut Draws, random: &mut ChaCha8Rng) {
        draws.renew(self.count, random);
        for (total, column) in totals.iter_mut().zip(&self.columns) {
            *total = draws.sum(column);
        }
    }
}

/// How often each unit was drawn; kept to be used again by the next resample.
#[derive(Default)]
pub(super) struct Draws {
    bytes: Vec<u8>,
    counts: Vec<f64>,
}

impl Draws {
    fn renew(&mut self, units: usize, random: &mut ChaCha8Rng) {
        self.bytes.resize(4 * units, 0);
        self.counts.clear();
        self.counts.resize(units, 0.0);
        random.fill_bytes(&mut self.bytes);
        for bytes in self.bytes.as_chunks::<4>().0 {
            self.counts[scaled(u32::from_le_bytes(*bytes), units)] += 1.0;
        }
    }

    /// The sum of a column, each cell as often as its unit was drawn.
    fn sum(&self, column: &[f64]) -> f64 {
        let (counts, last_counts) = self.counts.as_chunks::<LANES>();
        let (cells, last_cells) = column.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for (counts, cells) in counts.iter().zip(cells) {
            for lane in 0..LANES {
                lanes[lane] += counts[lane] * cells[lane];
            }
        }
        let rest = last_counts.iter().zip(last_cells).map(|(count, cell)| count * cell).sum::<f64>();
        lanes.iter().sum::<f64>() + rest
    }
}

/// A random number scaled to a bound; the bias of so small a bound against 32 bits cannot be seen.
fn scaled(number: u32, bound: usize) -> usize {
    ((u64::from(number) * bound as u64) >> 32) as usize
}
