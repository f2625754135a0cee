//! What always guessing one label would reach.

use super::layout::Layout;
use crate::estimate::{Figure, WhyNot, share};

/// The share of the reference's commonest label among the items that both raters labelled.
pub(super) fn baseline(layout: Layout, sums: &[f64]) -> Figure {
    let (reference, _, total) = layout.margins(sums)?;
    share(reference.iter().copied().fold(0.0, f64::max), total, WhyNot::NoData)
}
