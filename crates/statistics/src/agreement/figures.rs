//! The figures of agreement on labels, each a function of the sums over items.

use super::layout::{
    AGREEING, COMPLETE, COMPLETE_AGREEMENT, DISAGREEMENT, LABELLED, Layout, PAIRS, SHARED, SHARED_AGREEMENT,
};
use crate::estimate::{Figure, WhyNot, share};

/// Raw agreement: the share of pairs of labels that are the same.
///
/// Agreeing pairs over all pairs of labels of the same item.
pub(super) fn raw(sums: &[f64]) -> Figure {
    share(sums[AGREEING], sums[PAIRS], WhyNot::NoData)
}

/// What always guessing one label would reach.
///
/// The share of the reference's commonest label among the items that both raters labelled.
pub(super) fn baseline(layout: Layout, sums: &[f64]) -> Figure {
    let (reference, _, total) = layout.margins(sums)?;
    share(reference.iter().copied().fold(0.0, f64::max), total, WhyNot::NoData)
}

/// Cohen's kappa: agreement of two raters beyond what their own habits would bring by chance.
///
/// `(po - pe) / (1 - pe)`, where `pe` sums the products of both raters' shares of each class.
pub(super) fn cohen_kappa(layout: Layout, sums: &[f64]) -> Figure {
    let (first, second, total) = layout.margins(sums)?;
    let same = (0..first.len()).map(|class| layout.cell(sums, class, class)).sum::<f64>();
    let expected = first.iter().zip(&second).map(|(first, second)| (first / total) * (second / total)).sum::<f64>();
    beyond_chance(same / total, expected)
}

/// Gwet's AC1: agreement beyond chance that stays steady where one class is rare.
///
/// `(pa - pe) / (1 - pe)`: `pa` is the mean share of agreeing pairs over items with two labels or more; `pe` sums
/// `share (1 - share)` of each class over all labelled items, divided by the number of classes less one.
pub(super) fn gwet_ac1(layout: Layout, sums: &[f64]) -> Figure {
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

/// Krippendorff's alpha for labels: disagreement against what shuffling all labels would bring.
///
/// `1 - (n - 1) Do / (n^2 - sum of squared class counts)` over the `n` labels of items that have two or more; `Do` adds
/// up each item's disagreeing ordered pairs over its labels less one.
pub(super) fn krippendorff_alpha(layout: Layout, sums: &[f64]) -> Figure {
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

/// Fleiss' kappa: agreement of three or more raters beyond chance, with one set of class shares for all.
///
/// `(pa - pe) / (1 - pe)` over the items that every rater labelled, as the figure was defined for those alone. What is
/// done with the others: they are left out here; alpha and AC1 use them.
pub(super) fn fleiss_kappa(layout: Layout, sums: &[f64]) -> Figure {
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

/// Agreement beyond chance, as a share of what chance leaves.
fn beyond_chance(observed: f64, expected: f64) -> Figure {
    let left = 1.0 - expected;
    // Shares that add up to one do so only to their last digits.
    if left <= 1e-12 { Err(WhyNot::OneClass) } else { Ok((observed - expected) / left) }
}
