//! Krippendorff's alpha for labels: disagreement against what shuffling all labels would bring.

use super::layout::{DISAGREEMENT, Layout};
use crate::estimate::{Figure, WhyNot};

/// `1 - (n - 1) Do / (n^2 - sum of squared class counts)` over the `n` labels of items that have two or more; `Do` adds
/// up each item's disagreeing ordered pairs over its labels less one.
pub(super) fn alpha(layout: Layout, sums: &[f64]) -> Figure {
    if layout.raters < 2 {
        return Err(WhyNot::OtherRaters);
    }
    let counts = &sums[layout.shared_labels()];
    let labels = counts.iter().sum::<f64>();
    if labels == 0.0 {
        return Err(WhyNot::NoData);
    }
    let mixed = labels * labels - counts.iter().map(|count| count * count).sum::<f64>();
    if mixed <= 0.0 { Err(WhyNot::OneClass) } else { Ok(1.0 - (labels - 1.0) * sums[DISAGREEMENT] / mixed) }
}
