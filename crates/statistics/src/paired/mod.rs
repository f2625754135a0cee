//! Two runs over the same chats: how far they differ, and whether that could be chance.

mod events;
mod mcnemar;
mod sign_flip;

pub use events::{EventComparison, compare_events};
pub use sign_flip::sign_flip;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::correction::correct;
use crate::estimate::{Estimate, Figure, OfSums, WhyNot, share, usable};
use crate::interval::Bootstrap;
use crate::sums::ClusterSums;
use crate::tested::Tested;

/// A chat's value in the first run and in the second; nothing where a run has none.
pub type Pair = (Option<f64>, Option<f64>);

/// Two runs on the chats that both have a value for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedComparison {
    /// How many chats both runs have a value for.
    pub pairs: usize,
    /// How many chats were left out because a run has no value.
    pub unmatched: usize,
    /// The mean of the first run over the pairs.
    pub first_mean: Estimate,
    /// The mean of the second run over the pairs.
    pub second_mean: Estimate,
    /// The mean of second less first.
    pub difference: Estimate,
    /// The sign-flip test of the mean difference.
    pub test: Tested,
    /// Chats in which the second run has more.
    pub higher: usize,
    /// Chats in which both have the same, within the margin.
    pub same: usize,
    /// Chats in which the second run has less.
    pub lower: usize,
}

/// Chats, sums of both runs, and the sum of differences.
const WIDTH: usize = 4;

/// Compares two runs. Values no further apart than `margin` count as the same in win, tie and loss; nothing else uses
/// it. A margin below zero, or none at all, is zero.
pub fn compare(pairs: &[Pair], margin: f64, bootstrap: &Bootstrap) -> PairedComparison {
    let mut sums = ClusterSums::new(WIDTH);
    for pair in pairs {
        add(sums.add_chat(), *pair);
    }
    let means = bootstrap.estimates(&[&sums], [&column(0, 1), &column(0, 2), &column(0, 3)]);
    PairedComparison::new(pairs, means, margin, bootstrap)
}

/// Compares two runs in many metrics, with p-values corrected for their number. One resampling gives all intervals.
pub fn compare_many(metrics: &[Vec<Pair>], margin: f64, bootstrap: &Bootstrap) -> Vec<PairedComparison> {
    let mut sums = ClusterSums::new(WIDTH * metrics.len());
    let chats = metrics.iter().map(Vec::len).max().unwrap_or_default();
    for chat in 0..chats {
        for (cells, pairs) in sums.add_chat().chunks_mut(WIDTH).zip(metrics) {
            add(cells, pairs.get(chat).copied().unwrap_or_default());
        }
    }
    let columns: Vec<_> = (0..metrics.len()).flat_map(|metric| [1, 2, 3].map(|at| column(metric, at))).collect();
    let figures: Vec<OfSums<'_>> = columns.iter().map(|figure| figure as OfSums<'_>).collect();
    let means = bootstrap.all(&[&sums], &figures);
    let triples = means.as_chunks::<3>().0.iter().zip(metrics);
    let mut comparisons: Vec<PairedComparison> =
        triples.map(|(means, pairs)| PairedComparison::new(pairs, *means, margin, bootstrap)).collect();
    correct(comparisons.iter_mut().map(|comparison| &mut comparison.test));
    comparisons
}

/// A pair, where both runs have a value.
fn both((first, second): Pair) -> Option<(f64, f64)> {
    usable(first).zip(usable(second))
}

fn add(cells: &mut [f64], pair: Pair) {
    if let Some((first, second)) = both(pair) {
        cells.copy_from_slice(&[1.0, first, second, second - first]);
    }
}

/// The mean of one column of a metric.
fn column(metric: usize, at: usize) -> impl Fn(&[f64]) -> Figure {
    move |sums| share(sums[WIDTH * metric + at], sums[WIDTH * metric], WhyNot::NoData)
}

impl PairedComparison {
    fn new(pairs: &[Pair], means: [Estimate; 3], margin: f64, bootstrap: &Bootstrap) -> Self {
        let found = pairs.iter().filter_map(|pair| both(*pair));
        let differences: Vec<f64> = found.map(|(first, second)| second - first).collect();
        let margin = margin.max(0.0);
        let higher = differences.iter().filter(|&&difference| difference > margin).count();
        let lower = differences.iter().filter(|&&difference| difference < -margin).count();
        let [first_mean, second_mean, difference] = means;
        Self {
            pairs: differences.len(),
            unmatched: pairs.len() - differences.len(),
            first_mean,
            second_mean,
            difference,
            test: sign_flip(&differences, bootstrap),
            higher,
            same: differences.len() - higher - lower,
            lower,
        }
    }
}
