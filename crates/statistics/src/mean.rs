//! Means and rates over chats.

use crate::estimate::{Estimate, Figure, OfSums, WhyNot, share, usable};
use crate::interval::Bootstrap;
use crate::sums::ClusterSums;

/// The means of many values for each chat, with their intervals from one resampling: a list of all chats for each value.
pub fn of_many(columns: &[Vec<Option<f64>>], bootstrap: &Bootstrap) -> Vec<Estimate> {
    let sums = sums_of(columns);
    let figures: Vec<_> = (0..columns.len()).map(|at| move |sums: &[f64]| mean(&sums[2 * at..])).collect();
    bootstrap.all(&[&sums], &figures.iter().map(|figure| figure as OfSums<'_>).collect::<Vec<_>>())
}

/// A count and a sum for each value, chat by chat.
pub(crate) fn sums_of(columns: &[Vec<Option<f64>>]) -> ClusterSums {
    let mut sums = ClusterSums::new(2 * columns.len());
    let chats = columns.iter().map(Vec::len).max().unwrap_or_default();
    for chat in 0..chats {
        let row = sums.add_chat();
        for (cells, column) in row.as_chunks_mut::<2>().0.iter_mut().zip(columns) {
            if let Some(value) = column.get(chat).and_then(|&value| usable(value)) {
                *cells = [1.0, value];
            }
        }
    }
    sums
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
