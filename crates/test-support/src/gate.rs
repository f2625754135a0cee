//! A gate that holds a scripted server's answers back until the test lets them through.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::LIMIT;

/// Shut at first; everything that comes waits.
#[derive(Default)]
pub struct Gate {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Default)]
struct Counts {
    came: usize,
    allowed: usize,
}

impl Gate {
    /// Waits to be let through.
    pub fn pass(&self) {
        let mut counts = self.counts();
        counts.came += 1;
        self.changed.notify_all();
        counts = self.wait(counts, |counts| counts.allowed > 0, "let through");
        counts.allowed -= 1;
    }

    /// Lets so many more through.
    pub fn release(&self, count: usize) {
        let mut counts = self.counts();
        counts.allowed = counts.allowed.saturating_add(count);
        self.changed.notify_all();
    }

    /// Waits until so many have come since the start.
    #[track_caller]
    pub fn wait_for(&self, count: usize) {
        drop(self.wait(self.counts(), |counts| counts.came >= count, "come"));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn wait<'a>(
        &'a self,
        mut counts: MutexGuard<'a, Counts>,
        is_so: impl Fn(&Counts) -> bool,
        what: &str,
    ) -> MutexGuard<'a, Counts> {
        let end = Instant::now() + LIMIT;
        while !is_so(&counts) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "not enough have {what} at the gate: {} came", counts.came);
            counts = self.changed.wait_timeout(counts, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        counts
    }
}
