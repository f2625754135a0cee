//! Two runs over the same chats: how far they differ, and whether that could be chance.

mod events;
mod mcnemar;
mod sign_flip;

pub use events::{EventComparison, compare_events};
pub use sign_flip::sign_flip;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::correction::correct;
use crate::estimate::{Estimate, WhyNot, share, usable};
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

/// Compares two runs. Values no further apart than `margin` count as the same in win, tie and loss; nothing else uses
/// it. A margin below zero, or none at all, is zero.
pub fn compare(pairs: &[Pair], margin: f64, bootstrap: &Bootstrap) -> PairedComparison {
    let mut sums = ClusterSums::new(4);
    let mut differences = Vec::with_capacity(pairs.len());
    for &(first, second) in pairs {
        if let (Some(first), Some(second)) = (usable(first), usable(second)) {
            let difference = second - first;
            sums.add_chat().copy_from_slice(&[1.0, first, second, difference]);
            differences.push(difference);
        }
    }
    let column = |column: usize| move |sums: &[f64]| share(sums[column], sums[0], WhyNot::NoData);
    let [first_mean, second_mean, difference] = bootstrap.estimates(&[&sums], [&column(1), &column(2), &column(3)]);
    let margin = margin.max(0.0);
    let higher = differences.iter().filter(|&&difference| difference > margin).count();
    let lower = differences.iter().filter(|&&difference| difference < -margin).count();
    PairedComparison {
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

/// Compares two runs in many metrics, with p-values corrected for their number.
pub fn compare_many(metrics: &[Vec<Pair>], margin: f64, bootstrap: &Bootstrap) -> Vec<PairedComparison> {
    let mut comparisons: Vec<PairedComparison> =
        metrics.iter().map(|pairs| compare(pairs, margin, bootstrap)).collect();
    correct(comparisons.iter_mut().map(|comparison| &mut comparison.test));
    comparisons
}
