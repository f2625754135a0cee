//! Intraclass correlations of single scores, from the two-way layout of items by raters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::fisher_quantile;
use crate::estimate::{Estimate, Figure, Interval, WhyNot};
use crate::interval::Bootstrap;

/// What counts as agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The same scores: ICC(A,1), also ICC(2,1).
    Agreement,
    /// The same order and distances, whatever a rater's level: ICC(C,1), also ICC(3,1).
    Consistency,
}

/// The mean squares of items by raters, over the items that every rater scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variances {
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
    pub fn correlation(&self, form: Form) -> Figure {
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

    /// The correlation with the interval of the F distribution, at the confidence of the settings.
    ///
    /// It supposes that items are independent, such as one overall score for each chat, and roughly normal.
    pub fn analytic(&self, form: Form, bootstrap: &Bootstrap) -> Estimate {
        let value = self.correlation(form);
        let share = 0.5 + bootstrap.confidence() / 2.0;
        let interval = value.and_then(|value| match form {
            _ if self.residual <= 1e-12 * self.scale => Err(WhyNot::NoVariation),
            Form::Consistency => self.consistency_interval(share),
            Form::Agreement => self.agreement_interval(value, share),
        });
        Estimate::new(value, interval)
    }

    fn consistency_interval(&self, share: f64) -> Result<Interval, WhyNot> {
        let (upper, lower) = (self.items - 1.0, (self.items - 1.0) * (self.raters - 1.0));
        let ratio = self.between_items / self.residual;
        let bound = |ratio: f64| (ratio - 1.0) / (ratio + self.raters - 1.0);
        let low = ratio / fisher_quantile(share, upper, lower);
        Interval::between(bound(low), bound(ratio * fisher_quantile(share, lower, upper)))
    }

    fn agreement_interval(&self, value: f64, share: f64) -> Result<Interval, WhyNot> {
        let (items, raters) = (self.items, self.raters);
        // Satterthwaite's degrees of freedom of the raters' and the residual mean square together.
        let raters_part = raters * value * self.between_raters;
        let residual_part = (items * (1.0 + (raters - 1.0) * value) - raters * value) * self.residual;
        let parts = raters_part * raters_part / (raters - 1.0)
            + residual_part * residual_part / ((items - 1.0) * (raters - 1.0));
        let freedom = (raters_part + residual_part) * (raters_part + residual_part) / parts;
        if !freedom.is_finite() || freedom <= 0.0 {
            return Err(WhyNot::NoVariation);
        }
        let rest = raters * self.between_raters + (raters * items - raters - items) * self.residual;
        let low = fisher_quantile(share, items - 1.0, freedom);
        let high = fisher_quantile(share, freedom, items - 1.0);
        Interval::between(
            items * (self.between_items - low * self.residual) / (low * rest + items * self.between_items),
            items * (high * self.between_items - self.residual) / (rest + items * high * self.between_items),
        )
    }
}
