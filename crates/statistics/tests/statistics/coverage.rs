//! How often 95 % intervals hold the true value, over simulated runs; slow, so only run when asked for.
//!
//!     cargo test --release -p carelock-statistics -- --ignored --nocapture

use carelock_statistics::agreement::Ratings;
use carelock_statistics::{Bootstrap, Estimate, mean, paired, proportion};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const SIMULATIONS: usize = 2000;
const CHATS: [usize; 3] = [60, 100, 200];

/// The mean of one value for each chat.
fn of_chats(values: Vec<Option<f64>>, settings: &Bootstrap) -> Estimate {
    mean::of_many(&[values], settings)[0]
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

fn happens(random: &mut ChaCha8Rng, probability: f64) -> bool {
    uniform(random) < probability
}

/// The share of simulations whose interval holds the truth; one without an interval does not hold it.
fn coverage(truth: f64, mut simulate: impl FnMut(&mut ChaCha8Rng) -> Estimate) -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    // Shares such as 6 of 60 must not miss 0.1 by their last digit.
    let (below, above) = (truth - 1e-12, truth + 1e-12);
    let holds = |estimate: Estimate| estimate.interval.is_some_and(|ends| ends.low <= above && ends.high >= below);
    (0..SIMULATIONS).filter(|_| holds(simulate(&mut random))).count() as f64 / SIMULATIONS as f64
}

#[expect(clippy::print_stdout, reason = "the figures are what a simulation is run for")]
fn seen(name: &str, coverage: f64) {
    println!("{name}: {:.1} %", 100.0 * coverage);
}

fn within(name: &str, coverage: f64) {
    seen(name, coverage);
    assert!((0.93..=0.97).contains(&coverage), "{name}: {coverage}");
}

/// A chat with 5 to 50 checks, whose chance to pass is its own: Beta(8, 2), the second largest of nine uniform numbers.
fn checks(random: &mut ChaCha8Rng) -> Vec<Option<f64>> {
    let mut numbers: Vec<f64> = (0..9).map(|_| uniform(random)).collect();
    numbers.sort_by(f64::total_cmp);
    let count = 5 + (uniform(random) * 46.0) as usize;
    (0..count).map(|_| Some(f64::from(happens(random, numbers[7])))).collect()
}

#[test]
#[ignore = "slow: a simulation"]
fn slow_intervals_of_clustered_means_hold_the_truth() {
    for chats in CHATS {
        let figure = coverage(0.8, |random| {
            let run: Vec<Vec<Option<f64>>> = (0..chats).map(|_| checks(random)).collect();
            mean::of_clusters(run.iter().map(Vec::as_slice), &Bootstrap::default())
        });
        within(&format!("share of checks passed, {chats} chats"), figure);
    }
}

/// A chat's scores in two runs of which the second passes one check in fifty more: each check is worth 2.
fn scores(random: &mut ChaCha8Rng) -> (f64, f64) {
    let first = 40.0 + 50.0 * uniform(random);
    let change = |random: &mut ChaCha8Rng| match uniform(random) {
        draw if draw < 0.06 => 2.0,
        draw if draw < 0.10 => -2.0,
        _ => 0.0,
    };
    (first, first + (0..50).map(|_| change(random)).sum::<f64>())
}

fn compared(random: &mut ChaCha8Rng, chats: usize, gate: f64) -> Estimate {
    let pair = |random: &mut ChaCha8Rng| {
        let (first, second) = scores(random);
        (Some(first), Some(if happens(random, gate) { second - 30.0 } else { second }))
    };
    let pairs: Vec<paired::Pair> = (0..chats).map(|_| pair(random)).collect();
    paired::compare_many(&[pairs], &Bootstrap::default())[0].means.difference
}

#[test]
#[ignore = "slow: a simulation"]
fn slow_intervals_of_paired_differences_hold_the_truth() {
    for chats in CHATS {
        let figure = coverage(2.0, |random| compared(random, chats, 0.0));
        within(&format!("paired difference, {chats} chats"), figure);
        // A gate that one chat in twenty loses 30 points by: skewed, and in small runs seen a few times only.
        let figure = coverage(0.5, |random| compared(random, chats, 0.05));
        within(&format!("paired difference with a rare gate, {chats} chats"), figure);
    }
}

/// The coverage of Wilson's interval needs no simulation: the probabilities of all counts whose interval holds the rate.
fn wilson_coverage(rate: f64, chats: usize) -> f64 {
    let mut probability = (1.0 - rate).powf(chats as f64);
    let mut covered = 0.0;
    for hits in 0..=chats {
        let ends = proportion(hits as u64, chats as u64, &Bootstrap::default()).interval.expect("an interval");
        covered += if ends.contains(rate) { probability } else { 0.0 };
        probability *= (chats - hits) as f64 / (hits + 1) as f64 * rate / (1.0 - rate);
    }
    covered
}

#[test]
#[ignore = "slow: a simulation"]
fn slow_intervals_of_gate_rates_hold_the_truth() {
    for chats in CHATS {
        for rate in [0.1, 0.2, 0.3] {
            let fired = |random: &mut ChaCha8Rng| (0..chats).map(|_| happens(random, rate)).collect::<Vec<bool>>();
            let settings = Bootstrap::default();
            within(&format!("gate rate {rate}, {chats} chats, Wilson"), wilson_coverage(rate, chats));
            let values = |random: &mut ChaCha8Rng| -> Vec<Option<f64>> {
                fired(random).into_iter().map(|event| Some(f64::from(event))).collect()
            };
            let bootstrap = coverage(rate, |random| of_chats(values(random), &settings));
            within(&format!("gate rate {rate}, {chats} chats, bootstrap"), bootstrap);
        }
    }
}

/// A run with ten checks a chat; in half of the chats failures are rare. The judge is wrong in 15 of 100 answers.
fn judged(random: &mut ChaCha8Rng, chats: usize) -> Ratings {
    let mut ratings = Ratings::new(2, 2);
    for _ in 0..chats {
        let failing = if happens(random, 0.5) { 0.05 } else { 0.4 };
        let item = |random: &mut ChaCha8Rng| {
            let (reference, wrong) = (!happens(random, failing), happens(random, 0.15));
            [Some(u8::from(reference)), Some(u8::from(reference != wrong))]
        };
        let items: Vec<[Option<u8>; 2]> = (0..10).map(|_| item(random)).collect();
        ratings.add_chat(items.iter().map(<[_; 2]>::as_slice));
    }
    ratings
}

#[test]
#[ignore = "slow: a simulation"]
fn slow_intervals_of_agreement_hold_the_truth() {
    let (failing, named) = (0.225, 0.225 * 0.85 + 0.775 * 0.15);
    let by_chance = failing * named + (1.0 - failing) * (1.0 - named);
    let kappa = (0.85 - by_chance) / (1.0 - by_chance);
    let figure = coverage(kappa, |random| judged(random, 100).agreement(&Bootstrap::default()).cohen_kappa);
    within("Cohen's kappa, 100 chats", figure);
    let figure = coverage(0.85, |random| judged(random, 100).failures(0, &Bootstrap::default()).recall);
    within("recall of failures, 100 chats", figure);
}

#[test]
#[ignore = "slow: a simulation"]
fn slow_intervals_over_groups_of_chats_hold_the_truth() {
    // More chats than units: they are put into groups, and groups are resampled.
    let settings = Bootstrap::default().with_resamples(500).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let simulations = 600;
    let held = (0..simulations).filter(|_| {
        let values: Vec<Option<f64>> = (0..5000).map(|_| Some(uniform(&mut random).powi(3))).collect();
        of_chats(values, &settings).interval.is_some_and(|ends| ends.contains(0.25))
    });
    within("mean of 5000 chats", held.count() as f64 / f64::from(simulations));
}
