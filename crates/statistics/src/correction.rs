//! Correction for many tests made together.

pub use crate::tested::correct;

/// Holm's adjusted p-values, in the order given; missing ones, and what is no probability, are left out and stay missing.
///
/// With `m` p-values in rising order, the `i`-th (from 0) becomes the largest of `(m - j) p_j` over `j <= i`, at most 1.
pub fn holm(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut ordered: Vec<(usize, f64)> = p_values
        .iter()
        .enumerate()
        .filter_map(|(position, p_value)| p_value.map(|p_value| (position, p_value)))
        .filter(|(_, p_value)| (0.0..=1.0).contains(p_value))
        .collect();
    ordered.sort_by(|first, second| first.1.total_cmp(&second.1));
    let mut adjusted = vec![None; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, (position, p_value)) in ordered.iter().enumerate() {
        largest = largest.max((ordered.len() - rank) as f64 * p_value).min(1.0);
        adjusted[*position] = Some(largest);
    }
    adjusted
}
