//! Two groups of different chats: how far their means or rates differ, and whether that could be chance.

use crate::comparison::Comparison;
use crate::distribution::{log_choose, student_beyond};
use crate::estimate::{Estimate, OfSums, WhyNot, usable};
use crate::interval::{Bootstrap, proportion};
use crate::mean::{mean, sums_of};
use crate::tested::{Procedure, Tested};

/// Only the differences of many metrics, from one resampling, with Welch's tests as they are: for one value after the
/// other, all chats of the first group and all of the second.
pub fn differences(
    first: &[Vec<Option<f64>>],
    second: &[Vec<Option<f64>>],
    bootstrap: &Bootstrap,
) -> Vec<(Estimate, Tested)> {
    let width = 2 * first.len();
    let sums = [sums_of(first), sums_of(second)];
    let one = |at: usize| move |sums: &[f64]| Ok(mean(&sums[width + 2 * at..])? - mean(&sums[2 * at..])?);
    let figures: Vec<_> = (0..first.len().min(second.len())).map(one).collect();
    let figures: Vec<OfSums<'_>> = figures.iter().map(|figure| figure as OfSums<'_>).collect();
    let estimates = bootstrap.all(&[&sums[0], &sums[1]], &figures);
    let values = |column: &Vec<Option<f64>>| -> Vec<f64> { column.iter().filter_map(|&value| usable(value)).collect() };
    let test = |(first, second)| Tested::new(Procedure::Welch, welch(&values(first), &values(second)));
    estimates.into_iter().zip(first.iter().zip(second).map(test)).collect()
}

/// Compares how often an event happens in two groups: rates with Wilson's interval, and Fisher's exact test.
pub fn compare_events(first: &[Option<bool>], second: &[Option<bool>], bootstrap: &Bootstrap) -> Comparison {
    let [first, second]: [Vec<bool>; 2] = [first, second].map(|group| group.iter().flatten().copied().collect());
    let hits = |group: &Vec<bool>| group.iter().filter(|&&event| event).count() as u64;
    let sums = [&first, &second].map(|group| sums_of(&[group.iter().map(|&event| Some(f64::from(event))).collect()]));
    let apart = |sums: &[f64]| Ok(mean(&sums[2..])? - mean(&sums[..2])?);
    let [difference] = bootstrap.estimates(&[&sums[0], &sums[1]], [&apart]);
    let (first_cases, second_cases) = (first.len() as u64, second.len() as u64);
    Comparison {
        chats: (first.len(), second.len()),
        first: proportion(hits(&first), first_cases, bootstrap),
        second: proportion(hits(&second), second_cases, bootstrap),
        difference,
        test: fisher(hits(&first), first_cases, hits(&second), second_cases),
    }
}

/// The p-value of Welch's test: means apart over the root of both squared standard errors, against Student's t with the
/// degrees of freedom of Welch and Satterthwaite.
fn welch(first: &[f64], second: &[f64]) -> Result<f64, WhyNot> {
    let (first_mean, first_error) = mean_and_error(first)?;
    let (second_mean, second_error) = mean_and_error(second)?;
    let error = first_error + second_error;
    let apart = second_mean - first_mean;
    // What is left of equal values is rounding, not variation.
    if error.sqrt() <= 1e-13 * first_mean.abs().max(second_mean.abs()) {
        return Err(WhyNot::NoVariation);
    }
    let freedom = error * error
        / (first_error * first_error / (first.len() - 1) as f64
            + second_error * second_error / (second.len() - 1) as f64);
    if freedom.is_finite() { Ok(student_beyond(apart / error.sqrt(), freedom)) } else { Err(WhyNot::TooLarge) }
}

/// The mean of a group and its squared standard error.
fn mean_and_error(values: &[f64]) -> Result<(f64, f64), WhyNot> {
    let count = values.len() as f64;
    match values.len() {
        0 => return Err(WhyNot::NoData),
        1 => return Err(WhyNot::OneChat),
        _ => {}
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    Ok((mean, squares / (count - 1.0) / count))
}

/// Fisher's exact test of two rates: all tables with the same totals that are no more likely than the one seen.
fn fisher(first_hits: u64, first_cases: u64, second_hits: u64, second_cases: u64) -> Tested {
    if first_cases == 0 || second_cases == 0 {
        return Tested::new(Procedure::FisherExact, Err(WhyNot::NoData));
    }
    let hits = first_hits.saturating_add(second_hits);
    let (first, second) = (first_cases as f64, second_cases as f64);
    let all = log_choose(first + second, hits as f64);
    let log_probability =
        |in_first: u64| log_choose(first, in_first as f64) + log_choose(second, (hits - in_first) as f64) - all;
    // Tables that are equally likely differ in their last digits.
    let seen = log_probability(first_hits) + 1e-7;
    let range = hits.saturating_sub(second_cases)..=hits.min(first_cases);
    let p_value = range.map(log_probability).filter(|&other| other <= seen).map(f64::exp).sum::<f64>();
    Tested::new(Procedure::FisherExact, Ok(p_value.min(1.0)))
}
