//! Fleiss' kappa: agreement of three or more raters beyond chance, with one set of class shares for all.

use super::beyond_chance;
use super::layout::{COMPLETE, COMPLETE_AGREEMENT, Layout};
use crate::estimate::{Figure, WhyNot};

/// `(pa - pe) / (1 - pe)` over the items that every rater labelled, as the figure was defined for those alone. What is
/// done with the others: they are left out here; alpha and AC1 use them.
pub(super) fn kappa(layout: Layout, sums: &[f64]) -> Figure {
    if layout.raters < 3 {
        return Err(WhyNot::OtherRaters);
    }
    if sums[COMPLETE] == 0.0 {
        return Err(WhyNot::NoData);
    }
    let labels = sums[COMPLETE] * f64::from(layout.raters);
    let expected = sums[layout.complete_labels()].iter().map(|count| (count / labels).powi(2)).sum::<f64>();
    beyond_chance(sums[COMPLETE_AGREEMENT] / sums[COMPLETE], expected)
}
