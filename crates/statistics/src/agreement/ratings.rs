//! The labels of all raters, added chat by chat and kept as sums.

use super::layout::{
    AGREEING, COMPLETE, COMPLETE_AGREEMENT, DISAGREEMENT, LABELLED, Layout, PAIRS, SHARED, SHARED_AGREEMENT,
};
use crate::sums::ClusterSums;

/// The labels that raters gave to items, chat by chat.
///
/// A label is the number of its class, from 0. Labels themselves are not kept, so a million items take no more room than
/// their chats.
#[derive(Clone, Debug)]
pub struct Ratings {
    pub(super) layout: Layout,
    pub(super) sums: ClusterSums,
    pub(super) chats: usize,
    pub(super) items: u64,
    /// Two raters' classes against each other; the last row and column are for missing labels.
    pub(super) table: Vec<u64>,
}

impl Ratings {
    /// No labels yet. `classes` are those a rater could have chosen, whether or not any did: AC1 depends on their number.
    pub fn new(raters: u8, classes: u8) -> Self {
        let layout = Layout { raters, classes };
        let side = if raters == 2 { usize::from(classes) + 1 } else { 0 };
        Self { layout, sums: ClusterSums::new(layout.width()), chats: 0, items: 0, table: vec![0; side * side] }
    }

    /// Adds a chat: for each of its items the labels of all raters, in the order of the raters.
    ///
    /// Where two are compared against each other as judge and reference, the reference is the first. A label that is no
    /// class counts as missing, and so does one that a short list does not have.
    pub fn add_chat<'a>(&mut self, items: impl IntoIterator<Item = &'a [Option<u8>]>) {
        let layout = self.layout;
        let row = self.sums.add_chat();
        let mut labels = vec![None; usize::from(layout.raters)];
        for item in items {
            for (rater, label) in labels.iter_mut().enumerate() {
                *label = item.get(rater).copied().flatten().filter(|&class| class < layout.classes).map(usize::from);
            }
            if let [first, second] = labels[..] {
                let (classes, missing) = (usize::from(layout.classes), usize::from(layout.classes));
                self.table[first.unwrap_or(missing) * (classes + 1) + second.unwrap_or(missing)] += 1;
            }
            add_item(layout, row, &labels);
        }
        self.items += row[SHARED] as u64;
        self.chats += usize::from(row[SHARED] > 0.0);
    }
}

fn add_item(layout: Layout, row: &mut [f64], labels: &[Option<usize>]) {
    let answers = labels.iter().flatten().count() as f64;
    if answers == 0.0 {
        return;
    }
    let mut counts = vec![0.0; usize::from(layout.classes)];
    for class in labels.iter().flatten() {
        counts[*class] += 1.0;
    }
    row[LABELLED] += 1.0;
    add(row, layout.class_shares().start, counts.iter().map(|count| count / answers));
    if answers < 2.0 {
        return;
    }
    let pairs = answers * (answers - 1.0);
    let agreeing = counts.iter().map(|count| count * (count - 1.0)).sum::<f64>();
    row[AGREEING] += agreeing;
    row[PAIRS] += pairs;
    row[SHARED] += 1.0;
    row[SHARED_AGREEMENT] += agreeing / pairs;
    row[DISAGREEMENT] += (pairs - agreeing) / (answers - 1.0);
    add(row, layout.shared_labels().start, counts.iter().copied());
    if labels.iter().all(Option::is_some) {
        row[COMPLETE] += 1.0;
        row[COMPLETE_AGREEMENT] += agreeing / pairs;
        add(row, layout.complete_labels().start, counts.iter().copied());
    }
    if let [Some(first), Some(second)] = labels {
        row[layout.table().start + first * usize::from(layout.classes) + second] += 1.0;
    }
}

fn add(row: &mut [f64], start: usize, values: impl Iterator<Item = f64>) {
    for (cell, value) in row.iter_mut().skip(start).zip(values) {
        *cell += value;
    }
}
