//! Means and rates over chats.

use crate::estimate::{Estimate, Figure, WhyNot, share, usable};
use crate::interval::Bootstrap;
use crate::sums::ClusterSums;

/// The mean of one value for each chat; missing ones are left out.
pub fn of_chats(values: &[Option<f64>], bootstrap: &Bootstrap) -> Estimate {
    of_clusters(values.iter().map(std::slice::from_ref), bootstrap)
}

/// The mean over all values of all chats, each value counting the same; its interval resamples chats.
pub fn of_clusters<'a>(chats: impl IntoIterator<Item = &'a [Option<f64>]>, bootstrap: &Bootstrap) -> Estimate {
    let mut sums = ClusterSums::new(2);
    for chat in chats {
        let row = sums.add_chat();
        for value in chat.iter().filter_map(|&value| usable(value)) {
            row[0] += 1.0;
            row[1] += value;
        }
    }
    bootstrap.estimate(&sums, &mean)
}

/// The mean, from a count and a sum.
pub(crate) fn mean(sums: &[f64]) -> Figure {
    share(sums[1], sums[0], WhyNot::NoData)
}
