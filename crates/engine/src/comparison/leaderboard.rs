//! Every run or group on its own: mean scores and the rate of gates.

use carelock_core::rubric::{Metric, Rubric};
use carelock_statistics::{Bootstrap, Estimate, WhyNot, mean as means, proportion};
use rayon::prelude::*;
use serde::Serialize;

use super::number;
use crate::agreement::Side;
use crate::ratings::{Rater, Rating};

/// One run or group.
#[derive(Debug, Serialize)]
pub struct LeaderboardRow {
    #[serde(flatten)]
    /// Whose standing it is.
    pub side: Side,
    /// Chats that have an overall score.
    pub scored: usize,
    /// The mean overall score.
    pub overall: Estimate,
    /// Chats in which a gate fired.
    pub gated: u64,
    /// Their share, with Wilson's interval.
    pub gate_rate: Estimate,
    /// Chats with a check that has no verdict.
    pub not_fully_judged: usize,
    /// The mean of each metric, in the rubric's order.
    pub metrics: Vec<MetricMean>,
}

/// A metric's mean.
#[derive(Debug, Serialize)]
pub struct MetricMean {
    /// Its key.
    pub metric: String,
    /// What people call it.
    #[serde(skip)]
    pub title: String,
    /// The mean of the chats that have a score.
    pub mean: Estimate,
}

/// Each of them, in the order given.
pub fn standings(rubric: &Rubric, sides: &[Rater], bootstrap: &Bootstrap) -> Vec<LeaderboardRow> {
    let sides: Vec<(Side, &[Rating])> = sides.iter().map(|side| (Side::new(side), side.ratings.as_slice())).collect();
    sides.into_par_iter().map(|(side, ratings)| LeaderboardRow::new(rubric, side, ratings, bootstrap)).collect()
}

/// The best overall score first; those without one last.
pub(super) fn ranked(mut board: Vec<LeaderboardRow>) -> Vec<LeaderboardRow> {
    let value = |standing: &LeaderboardRow| standing.overall.value.unwrap_or(-1.0);
    board.sort_by(|one, other| value(other).total_cmp(&value(one)));
    board
}

/// The mean overall score alone; below zero where there is none.
pub(super) fn mean(side: &Rater) -> f64 {
    let scores: Vec<f64> = side.ratings.iter().filter_map(|rating| number(rating.overall)).collect();
    if scores.is_empty() { -1.0 } else { scores.iter().sum::<f64>() / scores.len() as f64 }
}

impl LeaderboardRow {
    fn new(rubric: &Rubric, side: Side, ratings: &[Rating], bootstrap: &Bootstrap) -> Self {
        let gated = ratings.iter().filter(|rating| rating.is_gated(rubric)).count() as u64;
        let mut means = means::of_many(&columns(rubric, &ratings.iter().collect::<Vec<_>>()), bootstrap).into_iter();
        let overall = means.next().unwrap_or(Estimate::undefined(WhyNot::NoData));
        let metric = |(mean, metric): (Estimate, &Metric)| {
            let Metric { key, title, .. } = metric;
            MetricMean { metric: key.clone(), title: title.clone(), mean }
        };
        Self {
            side,
            scored: ratings.iter().filter(|rating| rating.overall.is_some()).count(),
            overall,
            gated,
            gate_rate: proportion(gated, ratings.len() as u64, bootstrap),
            not_fully_judged: ratings.iter().filter(|rating| !rating.is_complete()).count(),
            metrics: means.zip(rubric.metrics()).map(metric).collect(),
        }
    }
}

impl LeaderboardRow {
    /// The mean overall score, then those of the metrics.
    pub(super) fn means(&self) -> impl Iterator<Item = Estimate> {
        std::iter::once(self.overall).chain(self.metrics.iter().map(|metric| metric.mean))
    }
}

/// The overall scores of chats, then those of each metric.
pub(super) fn columns(rubric: &Rubric, chats: &[&Rating]) -> Vec<Vec<Option<f64>>> {
    let overall = chats.iter().map(|rating| number(rating.overall)).collect();
    let metric = |place: usize| chats.iter().map(|rating| number(rating.metrics[place])).collect();
    std::iter::once(overall).chain((0..rubric.metrics().len()).map(metric)).collect()
}
