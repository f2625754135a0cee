//! McNemar's exact test of paired events.

use crate::distribution::fair_coin_at_most;
use crate::tested::{Procedure, Tested};

/// Tests whether an event is as frequent in both runs, from the chats in which only one of them has it.
///
/// Under "no difference" each of those is a fair coin: `p = 2 P(at most the smaller count)`, at most 1. Where there are
/// none, p is 1.
pub(super) fn mcnemar(only_first: u64, only_second: u64) -> Tested {
    let trials = only_first + only_second;
    let p_value = (2.0 * fair_coin_at_most(only_first.min(only_second), trials)).min(1.0);
    Tested::new(Procedure::McNemarExact, Ok(p_value))
}
