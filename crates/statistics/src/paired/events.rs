//! Events such as a fired gate or a failed check in two runs over the same chats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mcnemar::mcnemar;
use crate::estimate::{Estimate, WhyNot, share};
use crate::interval::{Bootstrap, proportion};
use crate::sums::ClusterSums;
use crate::tested::{Procedure, Tested};

/// An event in two runs, over the chats that both runs have an answer for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventComparison {
    /// How many chats were left out because a run has no answer.
    pub unmatched: u64,
    /// Chats with the event in both runs.
    pub both: u64,
    /// Chats with the event in the first run only.
    pub only_first: u64,
    /// Chats with the event in the second run only.
    pub only_second: u64,
    /// Chats without it in either.
    pub neither: u64,
    /// The rate in the first run, with Wilson's interval.
    pub first_rate: Estimate,
    /// The rate in the second run, with Wilson's interval.
    pub second_rate: Estimate,
    /// Second rate less first, with a bootstrap interval.
    pub difference: Estimate,
    /// McNemar's exact test.
    pub test: Tested,
}

/// Compares how often an event happens; one pair for each chat, nothing where a run has no answer.
pub fn compare_events(pairs: &[(Option<bool>, Option<bool>)], bootstrap: &Bootstrap) -> EventComparison {
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
    let test = match matched {
        0 => Tested::new(Procedure::McNemarExact, Err(WhyNot::NoData)),
        _ => mcnemar(only_first, only_second),
    };
    EventComparison {
        unmatched: pairs.len() as u64 - matched,
        both,
        only_first,
        only_second,
        neither,
        first_rate: proportion(both + only_first, matched, bootstrap),
        second_rate: proportion(both + only_second, matched, bootstrap),
        difference: bootstrap.estimate(&sums, &|sums| share(sums[1], sums[0], WhyNot::NoData)),
        test,
    }
}
