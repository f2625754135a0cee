//! How well one rater finds the failures that the reference names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ratings;
use super::layout::Layout;
use crate::estimate::{Estimate, Figure, WhyNot, share};
use crate::interval::Bootstrap;

/// Failures found, missed and made up, over the items that both raters labelled; the first rater is the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failures {
    /// How many failures the reference names.
    pub reference: u64,
    /// How many failures the other rater names.
    pub named: u64,
    /// How many they both name.
    pub found: u64,
    /// The share of named failures that the reference names too.
    pub precision: Estimate,
    /// The share of the reference's failures that were named.
    pub recall: Estimate,
    /// Their harmonic mean.
    pub f1: Estimate,
    /// The share of the reference's failures that were passed.
    pub over_passing: Estimate,
    /// The share of what the reference passes that was failed.
    pub over_failing: Estimate,
}

/// The sums behind the figures of one class.
struct Counts {
    reference: f64,
    named: f64,
    found: f64,
    total: f64,
}

impl Counts {
    fn new(layout: Layout, class: u8, sums: &[f64]) -> Result<Self, WhyNot> {
        let (reference, named, total) = layout.margins(sums)?;
        let class = usize::from(class);
        match (reference.get(class), named.get(class)) {
            (Some(&reference), Some(&named)) => {
                Ok(Self { reference, named, found: layout.cell(sums, class, class), total })
            }
            _ => Err(WhyNot::NoCases),
        }
    }
}

impl Ratings {
    /// The figures of failures, where `failure` is the class that means one.
    pub fn failures(&self, failure: u8, bootstrap: &Bootstrap) -> Failures {
        let counts = |sums: &[f64]| Counts::new(self.layout, failure, sums);
        let of = |figure: fn(&Counts) -> Figure| move |sums: &[f64]| counts(sums).and_then(|counts| figure(&counts));
        let [precision, recall, f1, over_passing, over_failing] = bootstrap.estimates(
            &[&self.sums],
            [
                &of(|counts| share(counts.found, counts.named, WhyNot::NoCases)),
                &of(|counts| share(counts.found, counts.reference, WhyNot::NoCases)),
                &of(|counts| share(2.0 * counts.found, counts.reference + counts.named, WhyNot::NoCases)),
                &of(|counts| share(counts.reference - counts.found, counts.reference, WhyNot::NoCases)),
                &of(|counts| share(counts.named - counts.found, counts.total - counts.reference, WhyNot::NoCases)),
            ],
        );
        let whole = counts(&self.sums.totals()).ok();
        let count = |of: fn(&Counts) -> f64| whole.as_ref().map_or(0, |counts| of(counts) as u64);
        Failures {
            reference: count(|counts| counts.reference),
            named: count(|counts| counts.named),
            found: count(|counts| counts.found),
            precision,
            recall,
            f1,
            over_passing,
            over_failing,
        }
    }
}
