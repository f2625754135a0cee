//! Cohen's kappa: agreement of two raters beyond what their own habits would bring by chance.

use super::beyond_chance;
use super::layout::Layout;
use crate::estimate::Figure;

/// `(po - pe) / (1 - pe)`, where `pe` sums the products of both raters' shares of each class.
pub(super) fn kappa(layout: Layout, sums: &[f64]) -> Figure {
    let (first, second, total) = layout.margins(sums)?;
    let same = (0..first.len()).map(|class| layout.cell(sums, class, class)).sum::<f64>();
    let expected = first.iter().zip(&second).map(|(first, second)| (first / total) * (second / total)).sum::<f64>();
    beyond_chance(same / total, expected)
}
