//! Intraclass correlations of single scores, from the two-way layout of items by raters.

use crate::estimate::{Figure, WhyNot};

/// What counts as agreement.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// The same scores: ICC(A,1), also ICC(2,1).
    Agreement,
    /// The same order and distances, whatever a rater's level: ICC(C,1), also ICC(3,1).
    Consistency,
}

/// The mean squares of items by raters, over the items that every rater scored.
pub(super) struct Variances {
    items: f64,
    raters: f64,
    between_items: f64,
    between_raters: f64,
    residual: f64,
    scale: f64,
}

/// How many sums there are: items, squares, squared item sums over raters, and each rater's sum.
pub(super) fn width(raters: u8) -> usize {
    3 + usize::from(raters)
}

/// Adds the scores of one item, one of each rater.
pub(super) fn add(row: &mut [f64], scores: &[f64]) {
    let sum = scores.iter().sum::<f64>();
    row[0] += 1.0;
    row[1] += scores.iter().map(|score| score * score).sum::<f64>();
    row[2] += sum * sum / scores.len() as f64;
    for (cell, score) in row[3..].iter_mut().zip(scores) {
        *cell += score;
    }
}

impl Variances {
    pub(super) fn new(raters: u8, sums: &[f64]) -> Result<Self, WhyNot> {
        if raters < 2 {
            return Err(WhyNot::OtherRaters);
        }
        let (items, count) = (sums[0], f64::from(raters));
        if items == 0.0 {
            return Err(WhyNot::NoData);
        }
        if items < 2.0 {
            return Err(WhyNot::TooFewCases);
        }
        let columns = &sums[3..width(raters)];
        let grand = columns.iter().sum::<f64>();
        let correction = grand * grand / (items * count);
        let rows = (sums[2] - correction).max(0.0);
        let raters = (columns.iter().map(|sum| sum * sum).sum::<f64>() / items - correction).max(0.0);
        let residual = (sums[1] - correction - rows - raters).max(0.0);
        Ok(Self {
            items,
            raters: count,
            between_items: rows / (items - 1.0),
            between_raters: raters / (count - 1.0),
            residual: residual / ((items - 1.0) * (count - 1.0)),
            scale: sums[1] / (items * count),
        })
    }

    /// The correlation: the items' share of all variance.
    pub(super) fn correlation(&self, form: Form) -> Figure {
        let within = self.between_items + (self.raters - 1.0) * self.residual;
        let whole = match form {
            Form::Consistency => within,
            Form::Agreement => within + self.raters * (self.between_raters - self.residual) / self.items,
        };
        // What is left of equal scores is rounding, not variation.
        if whole <= 1e-12 * self.scale {
            return Err(WhyNot::NoVariation);
        }
        crate::estimate::finite(Ok((self.between_items - self.residual) / whole))
    }
}
