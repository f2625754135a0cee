//! What was computed for pages and is kept for as long as nothing changes.

use std::collections::HashMap;
use std::sync::Mutex;

use carelock_core::rubric::Rubric;
use carelock_engine::comparison::{Comparison, GroupStanding};
use carelock_engine::runs::Overview;
use carelock_store::{Distributions, TierCount};

use super::rating::comparison;

/// Everything about a run that takes a look at all its results.
pub(crate) struct Figures {
    pub(crate) overview: Overview,
    pub(crate) tiers: Vec<TierCount>,
    pub(crate) spread: Distributions,
    /// Its groups with intervals, the best first; empty where there are not two.
    pub(crate) groups: Vec<GroupStanding>,
    /// How many chats filters let through, as far as it was asked.
    pub(crate) counts: Mutex<HashMap<String, u64>>,
}

/// A run in the list of all.
pub(crate) struct ListedRun {
    pub(crate) overview: Overview,
}

/// A comparison, and the rubric its checks are of.
pub(crate) struct Compared {
    pub(crate) comparison: Comparison,
    pub(crate) rubric: Rubric,
}

/// How far a rater agrees with everybody else, over all chats of a run that the rater is done with.
pub(crate) struct Agreed {
    pub(crate) figures: Vec<comparison::Figures>,
    pub(crate) finished: usize,
}
