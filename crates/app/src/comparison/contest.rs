//! One run or group against another, chat by chat where they have the same chats.

use carelock_core::rubric::Rubric;
use carelock_statistics::paired::{self, Pair};
use carelock_statistics::{Bootstrap, Estimate, Tested, unpaired};
use rayon::prelude::*;
use serde::Serialize;

use super::change::{Changes, Flip};
use super::{Settings, number};
use crate::agreement::{Matched, Side};
use crate::ratings::{Matching, Rater, Rating, match_chats};

/// The second against the first.
#[derive(Debug, Serialize)]
pub(super) struct Contest {
    pub(super) first: Side,
    pub(super) second: Side,
    pub(super) matched: Matched,
    /// Whether the tests are over chats that both have; otherwise they are over two groups of different chats.
    pub(super) paired: bool,
    pub(super) overall: Difference,
    /// Chats in which the second has the higher overall score, the same, and the lower one.
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    /// The share of chats in which a gate fires.
    pub(super) gates: Difference,
    pub(super) metrics: Vec<Difference>,
    /// Checks whose verdict changed, gate checks first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) flips: Vec<Flip>,
    pub(super) changes: Changes,
}

/// A mean or rate in both, and how far they are apart.
#[derive(Debug, Serialize)]
pub(super) struct Difference {
    pub(super) name: String,
    /// How many chats both have a value for, or each group where they differ.
    pub(super) chats: (usize, usize),
    pub(super) first: Estimate,
    pub(super) second: Estimate,
    /// Second less first.
    pub(super) difference: Estimate,
    pub(super) test: Tested,
    /// Whether a difference is shown: chance alone would bring one as large too rarely.
    pub(super) shown: bool,
}

impl Difference {
    /// Says whether a difference is shown, once p-values are corrected.
    pub(super) fn settle(&mut self, level: f64) {
        self.shown = self.test.adjusted.is_some_and(|p_value| p_value < level);
    }
}

/// The chats of both, side by side or apart.
struct Sides<'a> {
    first: &'a [Rating],
    second: &'a [Rating],
    matching: &'a Matching,
    paired: bool,
    bootstrap: &'a Bootstrap,
}

impl Contest {
    pub(super) fn of(rubric: &Rubric, first: &Rater, second: &Rater, settings: &Settings) -> Self {
        let matching = match_chats(&first.ratings, &second.ratings);
        let smaller = first.ratings.len().min(second.ratings.len());
        // A few chats in common would speak for none of the others.
        let paired = !matching.pairs.is_empty() && 2 * matching.pairs.len() >= smaller;
        let (ours, theirs, bootstrap) = (&first.ratings, &second.ratings, &settings.bootstrap);
        let sides = Sides { first: ours, second: theirs, matching: &matching, paired, bootstrap };
        let (overall, [wins, ties, losses]) = sides.scores("overall", &|rating| number(rating.overall));
        let metric =
            |place: usize| sides.scores(&rubric.metrics()[place].key, &|rating| number(rating.metrics[place])).0;
        let changes = Changes::of(rubric, ours, theirs, &matching, settings.changes);
        Self {
            first: Side::of(first),
            second: Side::of(second),
            matched: Matched::of(&matching, ours, theirs),
            paired,
            overall,
            wins,
            ties,
            losses,
            gates: sides.gates(rubric),
            metrics: (0..rubric.metrics().len()).into_par_iter().map(metric).collect(),
            flips: Flip::all(rubric, ours, theirs, &matching),
            changes,
        }
    }

    /// Whether any difference is shown.
    pub(super) fn shows_any(&self) -> bool {
        self.overall.shown || self.gates.shown || self.metrics.iter().any(|metric| metric.shown)
    }
}

impl Sides<'_> {
    /// A score in both, and in how many chats the second has more, the same and less.
    fn scores(&self, name: &str, of: &(dyn Fn(&Rating) -> Option<f64> + Sync)) -> (Difference, [usize; 3]) {
        let pairs = self.matching.pairs.iter();
        let pairs: Vec<Pair> = pairs.map(|&(one, two)| (of(&self.first[one]), of(&self.second[two]))).collect();
        if self.paired {
            let found = paired::compare(&pairs, 0.0, self.bootstrap);
            let difference = Difference {
                name: name.to_owned(),
                chats: (found.pairs, found.pairs),
                first: found.first_mean,
                second: found.second_mean,
                difference: found.difference,
                test: found.test,
                shown: false,
            };
            return (difference, [found.higher, found.same, found.lower]);
        }
        let all = |ratings: &[Rating]| -> Vec<Option<f64>> { ratings.iter().map(of).collect() };
        let found = unpaired::compare(&all(self.first), &all(self.second), self.bootstrap);
        (Difference::apart(name, &found), [0; 3])
    }

    fn gates(&self, rubric: &Rubric) -> Difference {
        let name = "gate rate";
        let fires = |rating: &Rating| Some(rating.gates(rubric).next().is_some());
        if !self.paired {
            let all = |ratings: &[Rating]| -> Vec<Option<bool>> { ratings.iter().map(fires).collect() };
            let found = unpaired::compare_events(&all(self.first), &all(self.second), self.bootstrap);
            return Difference::apart(name, &found);
        }
        let pairs = self.matching.pairs.iter();
        let pairs: Vec<_> = pairs.map(|&(one, two)| (fires(&self.first[one]), fires(&self.second[two]))).collect();
        let found = paired::compare_events(&pairs, self.bootstrap);
        Difference {
            name: name.to_owned(),
            chats: (pairs.len(), pairs.len()),
            first: found.first_rate,
            second: found.second_rate,
            difference: found.difference,
            test: found.test,
            shown: false,
        }
    }
}

impl Difference {
    fn apart(name: &str, found: &unpaired::GroupComparison) -> Self {
        Self {
            name: name.to_owned(),
            chats: (found.first_chats, found.second_chats),
            first: found.first,
            second: found.second,
            difference: found.difference,
            test: found.test,
            shown: false,
        }
    }
}
