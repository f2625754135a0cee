//! Which sum stands where in a chat's row.

use std::ops::Range;

use crate::estimate::WhyNot;

/// The places of the sums in a row, for a number of raters and classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) raters: u8,
    pub(crate) classes: u8,
}

/// Pairs of labels of one item that are the same.
pub(crate) const AGREEING: usize = 0;
/// All pairs of labels of one item.
pub(crate) const PAIRS: usize = 1;
/// Items with two labels or more.
pub(crate) const SHARED: usize = 2;
/// The share of agreeing pairs, item by item.
pub(crate) const SHARED_AGREEMENT: usize = 3;
/// Items with any label.
pub(crate) const LABELLED: usize = 4;
/// Disagreeing pairs of an item over the number of its labels less one.
pub(crate) const DISAGREEMENT: usize = 5;
/// Items that every rater labelled.
pub(crate) const COMPLETE: usize = 6;
/// The share of agreeing pairs of those.
pub(crate) const COMPLETE_AGREEMENT: usize = 7;
const FIXED: usize = 8;

impl Layout {
    fn block(self, number: usize) -> Range<usize> {
        let classes = usize::from(self.classes);
        FIXED + number * classes..FIXED + (number + 1) * classes
    }

    /// The share of each class among the labels of an item, summed over items.
    pub(crate) fn class_shares(self) -> Range<usize> {
        self.block(0)
    }

    /// The labels of each class in items with two labels or more.
    pub(crate) fn shared_labels(self) -> Range<usize> {
        self.block(1)
    }

    /// The labels of each class in items that every rater labelled.
    pub(crate) fn complete_labels(self) -> Range<usize> {
        self.block(2)
    }

    /// The table of two raters: the first rater's class by the second's. Empty for more.
    pub(crate) fn table(self) -> Range<usize> {
        let (start, classes) = (self.block(2).end, usize::from(self.classes));
        start..start + if self.raters == 2 { classes * classes } else { 0 }
    }

    /// How many items two raters both gave these classes.
    pub(crate) fn cell(self, sums: &[f64], first: usize, second: usize) -> f64 {
        sums[self.table().start + first * usize::from(self.classes) + second]
    }

    /// How often the first rater gave each class where both gave one, how often the second did, and all such items.
    pub(crate) fn margins(self, sums: &[f64]) -> Result<(Vec<f64>, Vec<f64>, f64), WhyNot> {
        if self.raters != 2 {
            return Err(WhyNot::OtherRaters);
        }
        let classes = 0..usize::from(self.classes);
        let row = |first: usize| classes.clone().map(|second| self.cell(sums, first, second)).sum::<f64>();
        let column = |second: usize| classes.clone().map(|first| self.cell(sums, first, second)).sum::<f64>();
        let rows: Vec<f64> = classes.clone().map(row).collect();
        let total = rows.iter().sum::<f64>();
        if total > 0.0 { Ok((rows, classes.clone().map(column).collect(), total)) } else { Err(WhyNot::NoData) }
    }

    /// How many sums there are in all.
    pub(crate) fn width(self) -> usize {
        self.table().end
    }
}
