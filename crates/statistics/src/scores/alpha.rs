//! Krippendorff's alpha for interval data.

use crate::estimate::{Figure, WhyNot};

/// How many sums there are: disagreement, scores, their sum, the sum of their squares.
pub(super) const WIDTH: usize = 4;

/// Adds the scores of one item; one score alone cannot disagree and is left out.
pub(super) fn add(row: &mut [f64], scores: &[f64]) {
    if scores.len() < 2 {
        return;
    }
    let count = scores.len() as f64;
    let sum = scores.iter().sum::<f64>();
    let squares = scores.iter().map(|score| score * score).sum::<f64>();
    let mean = sum / count;
    let apart = scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>();
    // Squared differences over all ordered pairs of scores, over the scores less one.
    row[0] += 2.0 * count * apart / (count - 1.0);
    row[1] += count;
    row[2] += sum;
    row[3] += squares;
}

/// `1 - (n - 1) Do / (2 (n sum of squares - square of sum))` over the `n` scores of items with two or more.
pub(super) fn alpha(raters: u8, sums: &[f64]) -> Figure {
    if raters < 2 {
        return Err(WhyNot::OtherRaters);
    }
    let [observed, count, sum, squares] = sums[..] else { return Err(WhyNot::NoData) };
    if count == 0.0 {
        return Err(WhyNot::NoData);
    }
    let expected = 2.0 * (count * squares - sum * sum);
    // What is left of equal scores is rounding, not variation.
    if expected <= 1e-12 * count * squares {
        return Err(WhyNot::NoVariation);
    }
    Ok(1.0 - (count - 1.0) * observed / expected)
}
