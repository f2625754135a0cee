//! Agreement of two or more raters on labels, with missing ones.
//!
//! Everything is a function of sums over items, kept by chat (see [`Ratings`]), so that one resampling of chats gives the
//! intervals of all figures.

mod confusion;
mod failures;
mod figures;
mod layout;
mod ratings;

pub use confusion::Confusion;
pub use failures::Failures;
pub use ratings::Ratings;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::interval::Bootstrap;

/// How far raters agree, each figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// How many raters there are.
    pub raters: u8,
    /// How many chats have an item that at least two raters labelled.
    pub chats: usize,
    /// How many items at least two raters labelled.
    pub items: u64,
    /// The share of pairs of labels of the same item that are the same.
    pub raw: Estimate,
    /// The raw agreement of always guessing the commonest label of the first rater, the reference; two raters.
    pub baseline: Estimate,
    /// Cohen's kappa; two raters.
    pub cohen_kappa: Estimate,
    /// Gwet's AC1; two raters and more.
    pub gwet_ac1: Estimate,
    /// Krippendorff's alpha for nominal labels; two raters and more.
    pub krippendorff_alpha: Estimate,
    /// Fleiss' kappa over the items that every rater labelled; three raters and more.
    pub fleiss_kappa: Estimate,
}

impl Ratings {
    /// All figures of agreement.
    pub fn agreement(&self, bootstrap: &Bootstrap) -> Agreement {
        let layout = self.layout;
        let [raw, baseline, cohen_kappa, gwet_ac1, krippendorff_alpha, fleiss_kappa] = bootstrap.estimates(
            &[&self.sums],
            [
                &figures::raw,
                &|sums| figures::baseline(layout, sums),
                &|sums| figures::cohen_kappa(layout, sums),
                &|sums| figures::gwet_ac1(layout, sums),
                &|sums| figures::krippendorff_alpha(layout, sums),
                &|sums| figures::fleiss_kappa(layout, sums),
            ],
        );
        Agreement {
            raters: layout.raters,
            chats: self.chats,
            items: self.items,
            raw,
            baseline,
            cohen_kappa,
            gwet_ac1,
            krippendorff_alpha,
            fleiss_kappa,
        }
    }
}
