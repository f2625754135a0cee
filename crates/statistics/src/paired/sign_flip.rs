//! The sign-flip permutation test: if runs do not differ, each difference could as well have had the other sign.

use rand_chacha::rand_core::Rng;

use crate::distribution::normal_below;
use crate::estimate::WhyNot;
use crate::interval::Bootstrap;
use crate::tested::{Procedure, Tested};

/// Up to this many differences every assignment of signs is tried.
const MOST_EXACT: usize = 20;
/// Up to this many, assignments are drawn; beyond, their distribution is normal for all that can be seen.
const MOST_SAMPLED: usize = 10_000;
const DRAWS: usize = 9_999;
/// Differences whose subsets fit one table; a random byte picks one.
const CHUNK: usize = 8;
/// Sums that differ by less than this share of all differences are the same sum, added up in another order.
const SAME: f64 = 1e-10;

/// Tests whether the mean of paired differences is zero. Differences of zero have no sign to flip.
pub fn sign_flip(differences: &[f64], bootstrap: &Bootstrap) -> Tested {
    let largest = differences.iter().fold(0.0_f64, |largest, difference| largest.max(difference.abs()));
    if differences.is_empty() {
        return Tested::new(Procedure::SignFlipExact, Err(WhyNot::NoData));
    }
    if differences.iter().any(|difference| !difference.is_finite()) {
        return Tested::new(Procedure::SignFlipExact, Err(WhyNot::TooLarge));
    }
    if largest == 0.0 {
        return Tested::new(Procedure::SignFlipExact, Ok(1.0));
    }
    let scaled: Vec<f64> =
        differences.iter().filter(|&&difference| difference != 0.0).map(|difference| difference / largest).collect();
    if scaled.len() <= MOST_EXACT {
        Tested::new(Procedure::SignFlipExact, Ok(exact(&scaled)))
    } else if scaled.len() <= MOST_SAMPLED {
        Tested::new(Procedure::SignFlipSampled, Ok(sampled(&scaled, bootstrap)))
    } else {
        Tested::new(Procedure::SignFlipNormal, Ok(normal(&scaled)))
    }
}

/// Says of the sum of the differences that keep their sign whether the flipped total is as far from zero as the true one.
fn as_far(differences: &[f64]) -> impl Fn(f64) -> bool {
    let total = differences.iter().sum::<f64>();
    let least = total.abs() - SAME * differences.iter().map(|difference| difference.abs()).sum::<f64>();
    move |kept: f64| (2.0 * kept - total).abs() >= least
}

fn exact(differences: &[f64]) -> f64 {
    let as_far = as_far(differences);
    let (first, second) = differences.split_at(differences.len() / 2);
    let (first, second) = (subset_sums(first), subset_sums(second));
    let far = first.iter().map(|kept| second.iter().filter(|other| as_far(kept + **other)).count()).sum::<usize>();
    far as f64 / (first.len() * second.len()) as f64
}

fn sampled(differences: &[f64], bootstrap: &Bootstrap) -> f64 {
    let as_far = as_far(differences);
    let tables: Vec<Vec<f64>> = differences.chunks(CHUNK).map(subset_sums).collect();
    let mut random = bootstrap.random(1);
    let mut choices = vec![0_u8; tables.len()];
    let mut far = 0_usize;
    for _ in 0..DRAWS {
        random.fill_bytes(&mut choices);
        // A last, shorter table repeats in the higher bits of the byte.
        let kept = tables.iter().zip(&choices).map(|(table, &choice)| table[usize::from(choice) % table.len()]);
        far += usize::from(as_far(kept.sum()));
    }
    // The true assignment is one of those possible, so that p is never 0.
    (far + 1) as f64 / (DRAWS + 1) as f64
}

fn normal(differences: &[f64]) -> f64 {
    let squares = differences.iter().map(|difference| difference * difference).sum::<f64>();
    2.0 * normal_below(-(differences.iter().sum::<f64>() / squares.sqrt()).abs())
}

/// The sums of all subsets.
fn subset_sums(values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        for position in 0..sums.len() {
            sums.push(sums[position] + value);
        }
    }
    sums
}
