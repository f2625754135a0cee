//! Gwet's AC1: agreement beyond chance that stays steady where one class is rare.

use super::beyond_chance;
use super::layout::{LABELLED, Layout, SHARED, SHARED_AGREEMENT};
use crate::estimate::{Figure, WhyNot};

/// `(pa - pe) / (1 - pe)`: `pa` is the mean share of agreeing pairs over items with two labels or more; `pe` sums
/// `share (1 - share)` of each class over all labelled items, divided by the number of classes less one.
pub(super) fn ac1(layout: Layout, sums: &[f64]) -> Figure {
    if layout.raters < 2 {
        return Err(WhyNot::OtherRaters);
    }
    if sums[SHARED] == 0.0 {
        return Err(WhyNot::NoData);
    }
    if layout.classes < 2 {
        return Err(WhyNot::OneClass);
    }
    let spread = sums[layout.class_shares()].iter().map(|sum| sum / sums[LABELLED]).map(|share| share * (1.0 - share));
    let expected = spread.sum::<f64>() / f64::from(layout.classes - 1);
    beyond_chance(sums[SHARED_AGREEMENT] / sums[SHARED], expected)
}
