//! Where the ends of a bootstrap interval lie among the sorted resampled values.

use crate::distribution::{normal_below, student_quantile};

/// The shares below both ends of a percentile interval, moved outwards.
///
/// Resampling shows a spread that is too small by the root of (n - 1) / n, and says nothing of how uncertain the spread
/// itself is. Both are put right as Student's t does for a mean.
pub(super) fn widened(beyond: f64, freedom: f64) -> (f64, f64) {
    // Beyond this many chats the correction is in the fifth digit.
    if freedom > 10_000.0 {
        return (beyond, 1.0 - beyond);
    }
    let deviate = student_quantile(1.0 - beyond, freedom) * ((freedom + 1.0) / freedom).sqrt();
    (normal_below(-deviate), normal_below(deviate))
}

/// The value below which a share of the sorted values lies, between two of them in proportion.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = (share * (sorted.len() + 1) as f64 - 1.0).clamp(0.0, last as f64);
    let below = position.floor() as usize;
    let part = position - below as f64;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    // Not `low + part * (high - low)`, whose difference can overflow; rounding must not lead out of the two.
    (low * (1.0 - part) + high * part).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_is_that_of_student_over_the_root_of_n_less_one() {
        // t(0.975, 9) = 2.262157; times the root of 10 / 9 it is 2.384518.
        let (low, high) = widened(0.025, 9.0);
        assert!(
            (crate::distribution::normal_quantile(high) - 2.384_518).abs() < 1e-5 && (low + high - 1.0).abs() < 1e-12
        );
        assert_eq!(widened(0.025, 20_000.0), (0.025, 0.975));
    }

    #[test]
    fn quantiles_lie_between_the_sorted_values() {
        let sorted = [1.0, 2.0, 3.0];
        assert_eq!(quantile(&sorted, 0.5), 2.0);
        assert_eq!((quantile(&sorted, 0.0), quantile(&sorted, 1.0)), (1.0, 3.0));
        assert!(quantile(&[-f64::MAX, f64::MAX], 0.5).is_finite());
    }
}
