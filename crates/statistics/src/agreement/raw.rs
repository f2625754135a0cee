//! Raw agreement: the share of pairs of labels that are the same.

use super::layout::{AGREEING, PAIRS};
use crate::estimate::{Figure, WhyNot, share};

/// Agreeing pairs over all pairs of labels of the same item.
pub(super) fn raw(sums: &[f64]) -> Figure {
    share(sums[AGREEING], sums[PAIRS], WhyNot::NoData)
}
