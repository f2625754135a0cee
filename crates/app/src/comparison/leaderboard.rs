//! Every run or group on its own: mean scores and the rate of gates.

use carelock_core::rubric::Rubric;
use carelock_statistics::{Bootstrap, Estimate, mean as means, proportion};
use rayon::prelude::*;
use serde::Serialize;

use super::number;
use crate::agreement::Side;
use crate::ratings::{Rater, Rating};

/// One run or group.
#[derive(Debug, Serialize)]
pub(super) struct Standing {
    #[serde(flatten)]
    pub(super) side: Side,
    /// Chats that have an overall score.
    pub(super) scored: usize,
    /// The mean overall score.
    pub(super) overall: Estimate,
    /// Chats in which a gate fired.
    pub(super) gated: u64,
    /// Their share, with Wilson's interval.
    pub(super) gate_rate: Estimate,
    /// Chats with a check that has no verdict.
    pub(super) not_fully_judged: usize,
    /// The mean of each metric, in the rubric's order.
    pub(super) metrics: Vec<MetricMean>,
}

/// A metric's mean.
#[derive(Debug, Serialize)]
pub(super) struct MetricMean {
    pub(super) metric: String,
    pub(super) mean: Estimate,
}

/// All of them, the best overall score first; those without one last.
pub(super) fn of(rubric: &Rubric, sides: &[Rater], bootstrap: &Bootstrap) -> Vec<Standing> {
    let mut board: Vec<Standing> = sides.iter().map(|side| Standing::of(rubric, side, bootstrap)).collect();
    let value = |standing: &Standing| standing.overall.value.unwrap_or(-1.0);
    board.sort_by(|one, other| value(other).total_cmp(&value(one)));
    board
}

/// The mean overall score alone; below zero where there is none.
pub(super) fn mean(side: &Rater) -> f64 {
    let scores: Vec<f64> = side.ratings.iter().filter_map(|rating| number(rating.overall)).collect();
    if scores.is_empty() { -1.0 } else { scores.iter().sum::<f64>() / scores.len() as f64 }
}

impl Standing {
    fn of(rubric: &Rubric, side: &Rater, bootstrap: &Bootstrap) -> Self {
        let ratings = &side.ratings;
        let overall: Vec<Option<f64>> = ratings.iter().map(|rating| number(rating.overall)).collect();
        let gated = ratings.par_iter().filter(|rating| rating.gates(rubric).next().is_some()).count() as u64;
        let metric = |place: usize| {
            let scores: Vec<Option<f64>> = ratings.iter().map(|rating| number(rating.metrics[place])).collect();
            let metric = rubric.metrics()[place].key.clone();
            MetricMean { metric, mean: means::of_chats(&scores, bootstrap) }
        };
        let metrics = (0..rubric.metrics().len()).into_par_iter().map(metric).collect();
        Self {
            side: Side::of(side),
            scored: overall.iter().flatten().count(),
            overall: means::of_chats(&overall, bootstrap),
            gated,
            gate_rate: proportion(gated, ratings.len() as u64, bootstrap),
            not_fully_judged: ratings.iter().filter(|rating| !Rating::is_complete(rating)).count(),
            metrics,
        }
    }
}
