//! Agreement of two or more raters on scores.

mod alpha;
mod icc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::{Estimate, usable};
use crate::interval::Bootstrap;
use crate::sums::ClusterSums;

use icc::{Form, Variances};

/// The scores that raters gave to items, chat by chat; kept as sums.
#[derive(Clone, Debug)]
pub struct Scores {
    raters: u8,
    sums: ClusterSums,
    /// The first score seen; all are kept as their distance from it, because large equal parts would eat digits.
    origin: Option<f64>,
}

/// How far raters agree on scores, each figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreAgreement {
    /// How many raters there are.
    pub raters: u8,
    /// How many items every rater scored; the intraclass correlations are over these.
    pub complete: u64,
    /// Intraclass correlation of single scores, absolute agreement: ICC(A,1), also ICC(2,1).
    pub icc_agreement: Estimate,
    /// Intraclass correlation of single scores, consistency: ICC(C,1), also ICC(3,1).
    pub icc_consistency: Estimate,
    /// Krippendorff's alpha for interval data, over all items with two scores or more.
    pub krippendorff_alpha: Estimate,
}

impl Scores {
    /// No scores yet.
    pub fn new(raters: u8) -> Self {
        Self { raters, sums: ClusterSums::new(icc::width(raters) + alpha::WIDTH), origin: None }
    }

    /// Adds a chat: for each of its items the scores of all raters, in the order of the raters. What a short list does
    /// not have is missing.
    pub fn add_chat<'a>(&mut self, items: impl IntoIterator<Item = &'a [Option<f64>]>) {
        let row = self.sums.add_chat();
        let (correlation, alpha) = row.split_at_mut(icc::width(self.raters));
        for item in items {
            let scores = (0..usize::from(self.raters)).map(|rater| usable(item.get(rater).copied().flatten()));
            let scores: Vec<Option<f64>> = scores.collect();
            let Some(origin) = self.origin.or(scores.iter().flatten().next().copied()) else { continue };
            self.origin = Some(origin);
            let moved: Vec<f64> = scores.iter().flatten().map(|score| score - origin).collect();
            alpha::add(alpha, &moved);
            if moved.len() == usize::from(self.raters) {
                icc::add(correlation, &moved);
            }
        }
    }

    /// All figures of agreement, with bootstrap intervals over chats.
    pub fn agreement(&self, bootstrap: &Bootstrap) -> ScoreAgreement {
        let (raters, width) = (self.raters, icc::width(self.raters));
        let correlation = |form: Form| move |sums: &[f64]| Variances::new(raters, sums)?.correlation(form);
        let [icc_agreement, icc_consistency, krippendorff_alpha] = bootstrap.estimates(
            &[&self.sums],
            [&correlation(Form::Agreement), &correlation(Form::Consistency), &|sums| {
                alpha::alpha(raters, &sums[width..])
            }],
        );
        ScoreAgreement {
            raters,
            complete: self.sums.totals().first().map_or(0, |&complete| complete as u64),
            icc_agreement,
            icc_consistency,
            krippendorff_alpha,
        }
    }
}
