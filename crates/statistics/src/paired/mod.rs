//! Two runs over the same chats: how far they differ, and whether that could be chance.

mod sign_flip;

pub use sign_flip::sign_flip;

use crate::comparison::Comparison;
use crate::distribution::fair_coin_at_most;
use crate::estimate::{Estimate, Figure, OfSums, WhyNot, share, usable};
use crate::interval::{Bootstrap, proportion};
use crate::sums::ClusterSums;
use crate::tested::{Procedure, Tested, correct};

/// A chat's value in the first run and in the second; nothing where a run has none.
pub type Pair = (Option<f64>, Option<f64>);

/// Two runs on the chats that both have a value for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedComparison {
    /// The means, and the sign-flip test of the mean difference.
    pub means: Comparison,
    /// Chats in which the second run has more.
    pub higher: usize,
    /// Chats in which both have the same.
    pub same: usize,
    /// Chats in which the second run has less.
    pub lower: usize,
}

/// Chats, sums of both runs, and the sum of differences.
const WIDTH: usize = 4;

/// Compares two runs in many metrics, with p-values corrected for their number. One resampling gives all intervals.
pub fn compare_many(metrics: &[Vec<Pair>], bootstrap: &Bootstrap) -> Vec<PairedComparison> {
    let mut sums = ClusterSums::new(WIDTH * metrics.len());
    let chats = metrics.iter().map(Vec::len).max().unwrap_or_default();
    for chat in 0..chats {
        for (cells, pairs) in sums.add_chat().chunks_mut(WIDTH).zip(metrics) {
            if let Some((first, second)) = both(pairs.get(chat).copied().unwrap_or_default()) {
                cells.copy_from_slice(&[1.0, first, second, second - first]);
            }
        }
    }
    let columns: Vec<_> = (0..metrics.len()).flat_map(|metric| [1, 2, 3].map(|at| column(metric, at))).collect();
    let figures: Vec<OfSums<'_>> = columns.iter().map(|figure| figure as OfSums<'_>).collect();
    let means = bootstrap.all(&[&sums], &figures);
    let triples = means.as_chunks::<3>().0.iter().zip(metrics);
    let mut comparisons: Vec<PairedComparison> =
        triples.map(|(means, pairs)| PairedComparison::new(pairs, *means, bootstrap)).collect();
    correct(comparisons.iter_mut().map(|comparison| &mut comparison.means.test));
    comparisons
}

fn both((first, second): Pair) -> Option<(f64, f64)> {
    usable(first).zip(usable(second))
}

fn column(metric: usize, at: usize) -> impl Fn(&[f64]) -> Figure {
    move |sums| share(sums[WIDTH * metric + at], sums[WIDTH * metric], WhyNot::NoData)
}

impl PairedComparison {
    fn new(pairs: &[Pair], [first, second, difference]: [Estimate; 3], bootstrap: &Bootstrap) -> Self {
        let found = pairs.iter().filter_map(|pair| both(*pair));
        let differences: Vec<f64> = found.map(|(first, second)| second - first).collect();
        let chats = (differences.len(), differences.len());
        let higher = differences.iter().filter(|&&difference| difference > 0.0).count();
        let lower = differences.iter().filter(|&&difference| difference < 0.0).count();
        let test = sign_flip(&differences, bootstrap);
        let means = Comparison { chats, first, second, difference, test };
        Self { means, higher, same: differences.len() - higher - lower, lower }
    }
}

/// Compares how often an event happens in the chats that both runs have an answer for: rates with Wilson's interval, and
/// McNemar's exact test.
pub fn compare_events(pairs: &[(Option<bool>, Option<bool>)], bootstrap: &Bootstrap) -> Comparison {
    let mut counts = [[0_u64; 2]; 2];
    let mut sums = ClusterSums::new(2);
    for pair in pairs {
        if let &(Some(first), Some(second)) = pair {
            counts[usize::from(first)][usize::from(second)] += 1;
            sums.add_chat().copy_from_slice(&[1.0, f64::from(second) - f64::from(first)]);
        }
    }
    let [[neither, only_second], [only_first, both]] = counts;
    let matched = neither + only_second + only_first + both;
    Comparison {
        chats: (matched as usize, matched as usize),
        first: proportion(both + only_first, matched, bootstrap),
        second: proportion(both + only_second, matched, bootstrap),
        difference: bootstrap.estimate(&sums, &|sums| share(sums[1], sums[0], WhyNot::NoData)),
        test: Tested::new(Procedure::McNemarExact, mcnemar(only_first, only_second, matched)),
    }
}

/// Tests whether an event is as frequent in both runs, from the chats in which only one of them has it.
///
/// Under "no difference" each of those is a fair coin: `p = 2 P(at most the smaller count)`, at most 1. Where there are
/// none, p is 1.
fn mcnemar(only_first: u64, only_second: u64, matched: u64) -> Result<f64, WhyNot> {
    if matched == 0 {
        return Err(WhyNot::NoData);
    }
    Ok((2.0 * fair_coin_at_most(only_first.min(only_second), only_first + only_second)).min(1.0))
}
