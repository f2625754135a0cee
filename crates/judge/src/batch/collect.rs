//! Results as they come in: each request's first line counts, and every other line is counted.

use std::collections::HashSet;
use std::time::SystemTime;

use super::item::{self, Unanswered};
use super::{CustomId, Fate, Item};
use crate::http::{Line, LineReader};
use crate::provider::Cost;
use crate::wire::CallTarget;

/// What was found in the results of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Requests the model was asked.
    pub asked: u64,
    /// Requests that ended without an answer, with the provider's reason.
    pub unanswered: u64,
    /// Requests that the results say nothing about.
    pub missing: u64,
    /// Lines about requests that were not expected.
    pub unknown: u64,
    /// Second lines about a request; the first one counts.
    pub duplicates: u64,
    /// Lines that name no request or are no JSON.
    pub broken: u64,
    /// What it cost at the price of batches, as far as that is known.
    pub cost: Cost,
}

impl Collected {
    /// Whether these are the results of somebody else's batch: there are lines, and none is about an expected request.
    pub fn is_foreign(&self) -> bool {
        self.unknown > 0 && self.asked + self.unanswered == 0
    }
}

/// Reads lines and hands items over.
pub(super) struct Collector<'job> {
    asked: CallTarget<'job>,
    now: SystemTime,
    expected: HashSet<&'job CustomId>,
    /// Requests that were handed over already.
    done: HashSet<CustomId>,
    /// Requests seen in files that were read to their end.
    before: HashSet<CustomId>,
    /// Requests seen in the file being read, which may have to be read again.
    seen: HashSet<CustomId>,
    finished: Collected,
    counted: Collected,
    /// Whether the file, in itself, ended in the middle of a line.
    pub(super) cut_off: bool,
    take: &'job mut (dyn FnMut(Item) + Send),
}

impl<'job> Collector<'job> {
    pub(super) fn new(
        asked: CallTarget<'job>,
        now: SystemTime,
        expected: &'job [CustomId],
        take: &'job mut (dyn FnMut(Item) + Send),
    ) -> Self {
        Self {
            asked,
            now,
            expected: expected.iter().collect(),
            done: HashSet::new(),
            before: HashSet::new(),
            seen: HashSet::new(),
            finished: Collected::default(),
            counted: Collected::default(),
            cut_off: false,
            take,
        }
    }

    fn hand_over(&mut self, item: Item) {
        if !self.expected.contains(&item.id) {
            self.counted.unknown += 1;
            return;
        }
        if self.before.contains(&item.id) || !self.seen.insert(item.id.clone()) {
            self.counted.duplicates += 1;
            return;
        }
        if !self.done.insert(item.id.clone()) {
            // The same file is read again, because it broke off after this line.
            return;
        }
        match &item.fate {
            Fate::Asked(asking) => {
                self.finished.asked += 1;
                self.finished.cost = self.finished.cost + asking.cost.unwrap_or_default();
            }
            Fate::Unanswered(_) => self.finished.unanswered += 1,
        }
        (self.take)(item);
    }

    /// The file has been read as far as it can be.
    pub(super) fn file_done(&mut self) {
        self.before.extend(self.seen.drain());
        let counted = std::mem::take(&mut self.counted);
        self.finished.unknown += counted.unknown;
        self.finished.duplicates += counted.duplicates;
        self.finished.broken += counted.broken;
    }

    /// All files have been read: what has no line is handed over with the reason.
    pub(super) fn finish(mut self, expected: &[CustomId], reason: &Unanswered) -> Collected {
        for id in expected {
            if self.done.insert(id.clone()) {
                self.finished.missing += 1;
                (self.take)(Item { id: id.clone(), fate: Fate::Unanswered(reason.clone()) });
            }
        }
        self.finished
    }
}

impl LineReader for Collector<'_> {
    fn begin(&mut self) {
        self.seen.clear();
        self.counted = Collected::default();
        self.cut_off = false;
    }

    fn line(&mut self, line: Line<'_>) -> bool {
        let (bytes, last) = match line {
            Line::Whole(bytes) => (bytes, false),
            Line::Last(bytes) => (bytes, true),
            Line::TooLong => (&b"?"[..], false),
        };
        if bytes.trim_ascii().is_empty() {
            return true;
        }
        let read = item::read(bytes, &self.asked, self.now);
        let understood = read.is_some();
        match read {
            Some(item) => self.hand_over(item),
            None => self.counted.broken += 1,
        }
        self.cut_off = last && !understood;
        understood
    }
}
