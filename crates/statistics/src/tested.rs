//! What a test of a difference says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::WhyNot;

/// The outcome of a two-sided test of "there is no difference".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tested {
    /// How often a difference at least as large would be seen if there were none.
    pub p_value: Option<f64>,
    /// The same, corrected by Holm's method for the number of tests made together; as `p_value` for a single test.
    pub adjusted: Option<f64>,
    /// How it was computed.
    pub procedure: Procedure,
    /// Why there is no p-value.
    pub why_not: Option<WhyNot>,
}

/// The tests used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Procedure {
    /// Sign-flip permutation test, every assignment of signs.
    SignFlipExact,
    /// Sign-flip permutation test, 9,999 seeded random assignments.
    SignFlipSampled,
    /// Sign-flip permutation test, normal limit of its distribution.
    SignFlipNormal,
    /// McNemar's exact test of paired events.
    McNemarExact,
    /// Welch's test of two means.
    Welch,
    /// Fisher's exact test of two rates.
    FisherExact,
}

impl Tested {
    pub(crate) fn new(procedure: Procedure, p_value: Result<f64, WhyNot>) -> Self {
        let p_value = crate::estimate::finite(p_value).map(|p_value| p_value.clamp(0.0, 1.0));
        Self { p_value: p_value.ok(), adjusted: p_value.ok(), procedure, why_not: p_value.err() }
    }
}

/// Corrects tests made together, in place.
pub fn correct<'a>(tests: impl IntoIterator<Item = &'a mut Tested>) {
    let mut tests: Vec<&mut Tested> = tests.into_iter().collect();
    let p_values: Vec<Option<f64>> = tests.iter().map(|test| test.p_value).collect();
    for (test, adjusted) in tests.iter_mut().zip(holm(&p_values)) {
        test.adjusted = adjusted;
    }
}

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
