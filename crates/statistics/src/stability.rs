//! The same judge asked several times about the same chats: what changes, and by how much.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::{Estimate, WhyNot, share, usable};
use crate::interval::{Bootstrap, proportion};
use crate::mean;
use crate::sums::ClusterSums;

/// How often answers change from one repeat to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flips {
    /// How many chats were answered at least twice.
    pub chats: u64,
    /// The share of pairs of answers to the same chat that differ.
    pub flip_rate: Estimate,
    /// The share of chats whose answers are not all the same, with Wilson's interval.
    pub unsteady: Estimate,
}

/// How often an event, such as a fired gate, happens over repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Firing {
    /// Each chat's probability of the event, with Wilson's interval over its repeats.
    pub by_chat: Vec<Estimate>,
    /// The probability over all chats and repeats; its interval resamples chats.
    pub overall: Estimate,
}

/// How far scores spread over repeats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// How many chats were scored at least twice.
    pub chats: u64,
    /// The standard deviation of a chat's score over repeats, pooled over chats.
    pub deviation: Estimate,
    /// The mean distance between a chat's lowest and highest score.
    pub mean_range: Estimate,
    /// The largest such distance.
    pub largest_range: Option<f64>,
}

/// Flips of one check: for each chat its answers over the repeats, as numbers of classes. Missing ones are left out.
pub fn flips<'a>(chats: impl IntoIterator<Item = &'a [Option<u8>]>, bootstrap: &Bootstrap) -> Flips {
    let mut sums = ClusterSums::new(2);
    let (mut answered, mut unsteady) = (0, 0);
    for chat in chats {
        let mut counts = [0_u64; 256];
        for class in chat.iter().flatten() {
            counts[usize::from(*class)] += 1;
        }
        let answers = counts.iter().sum::<u64>();
        if answers < 2 {
            continue;
        }
        let same = counts.iter().map(|count| (count * count) as f64).sum::<f64>() - answers as f64;
        let pairs = (answers * (answers - 1)) as f64;
        sums.add_chat().copy_from_slice(&[pairs, pairs - same]);
        answered += 1;
        unsteady += u64::from(same < pairs);
    }
    Flips {
        chats: answered,
        flip_rate: bootstrap.estimate(&sums, &mean::mean),
        unsteady: proportion(unsteady, answered, bootstrap),
    }
}

/// How likely an event is: for each chat whether it happened in each repeat. Missing answers are left out.
pub fn firing<'a>(chats: impl IntoIterator<Item = &'a [Option<bool>]>, bootstrap: &Bootstrap) -> Firing {
    let mut sums = ClusterSums::new(2);
    let mut by_chat = Vec::new();
    for chat in chats {
        let (cases, hits) = (chat.iter().flatten().count(), chat.iter().flatten().filter(|&&event| event).count());
        sums.add_chat().copy_from_slice(&[cases as f64, hits as f64]);
        by_chat.push(proportion(hits as u64, cases as u64, bootstrap));
    }
    Firing { by_chat, overall: bootstrap.estimate(&sums, &mean::mean) }
}

/// The spread of a score: for each chat its scores over the repeats. Missing ones are left out.
pub fn spread<'a>(chats: impl IntoIterator<Item = &'a [Option<f64>]>, bootstrap: &Bootstrap) -> Spread {
    // Chats, degrees of freedom, squared distances from the chat's mean, range.
    let mut sums = ClusterSums::new(4);
    let (mut scored, mut largest) = (0, None::<f64>);
    for chat in chats {
        let scores: Vec<f64> = chat.iter().filter_map(|&score| usable(score)).collect();
        if scores.len() < 2 {
            continue;
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let (low, high) =
            scores.iter().fold((f64::MAX, f64::MIN), |(low, high), &score| (low.min(score), high.max(score)));
        // The mean of equal scores may differ from them in its last digits, which is no spread.
        let squares = scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>();
        let squares = if low < high { squares } else { 0.0 };
        sums.add_chat().copy_from_slice(&[1.0, (scores.len() - 1) as f64, squares, high - low]);
        scored += 1;
        largest = Some(largest.map_or(high - low, |largest| largest.max(high - low)));
    }
    let deviation = |sums: &[f64]| share(sums[2], sums[1], WhyNot::NoData).map(f64::sqrt);
    let range = |sums: &[f64]| share(sums[3], sums[0], WhyNot::NoData);
    let [deviation, mean_range] = bootstrap.estimates(&[&sums], [&deviation, &range]);
    Spread { chats: scored, deviation, mean_range, largest_range: usable(largest) }
}
