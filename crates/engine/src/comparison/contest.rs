//! One run or group against another, chat by chat where they have the same chats.

use carelock_core::rubric::Rubric;
use carelock_statistics::{Comparison as Compared, Estimate, Procedure, Tested, WhyNot};
use serde::Serialize;

use super::Settings;
use super::change::{Changes, Flip};
use super::leaderboard::LeaderboardRow;
use super::sides::{OVERALL, Sides, called};
use crate::agreement::{Matched, Side};
use crate::figures::{apart, hundredths};
use crate::ratings::{Rater, match_chats};

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
    /// What people call it.
    #[serde(skip)]
    pub(super) title: String,
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
    pub(super) fn new((name, title): (String, String), compared: Compared) -> Self {
        let Compared { chats, first, second, difference, test } = compared;
        Self { name, title, chats, first, second, difference, test, shown: false }
    }

    /// Of nothing.
    fn none() -> Self {
        let (first, why_not) = (Estimate::undefined(WhyNot::NoData), Some(WhyNot::NoData));
        let test = Tested { p_value: None, adjusted: None, procedure: Procedure::SignFlipExact, why_not };
        Self::new(called(OVERALL), Compared { chats: (0, 0), first, second: first, difference: first, test })
    }

    /// Says whether a difference is shown, once p-values are corrected.
    pub(super) fn settle(&mut self, level: f64) {
        // What is 0.00 to the reader is no difference, however sure it is.
        let is_seen = self.rounded().is_none_or(|difference| difference != 0.0);
        self.shown = is_seen && self.test.adjusted.is_some_and(|p_value| p_value < level);
    }

    /// The difference of both figures as they are shown, so that it is what a reader gets who subtracts them.
    fn rounded(&self) -> Option<f64> {
        let (first, second) = self.first.value.zip(self.second.value)?;
        Some(hundredths(hundredths(second) - hundredths(first)))
    }

    /// The difference with its interval, for people.
    pub(super) fn apart(&self) -> String {
        apart(&Estimate { value: self.rounded().or(self.difference.value), ..self.difference })
    }
}

impl Contest {
    /// `standings` are the two on their own.
    pub(super) fn new(
        rubric: &Rubric,
        (first, second): (&Rater, &Rater),
        standings: (&LeaderboardRow, &LeaderboardRow),
        settings: &Settings,
    ) -> Self {
        let (ours, theirs) = (&first.ratings, &second.ratings);
        let matching = match_chats(ours, theirs);
        let smaller = ours.len().min(theirs.len());
        // A few chats in common would speak for none of the others.
        let paired = !matching.pairs.is_empty() && 2 * matching.pairs.len() >= smaller;
        let sides = Sides { rubric, first: ours, second: theirs, matching: &matching };
        let (mut scores, [wins, ties, losses]) = if paired {
            sides.paired(&settings.bootstrap)
        } else {
            (sides.apart(standings, &settings.bootstrap), [0; 3])
        };
        let gates =
            if paired { sides.paired_gates(&settings.bootstrap) } else { sides.gates_apart(&settings.bootstrap) };
        let metrics = scores.split_off(1.min(scores.len()));
        let overall = scores.pop().unwrap_or_else(Difference::none);
        Self {
            first: Side::new(first),
            second: Side::new(second),
            matched: Matched::new(&matching, ours, theirs),
            paired,
            overall,
            wins,
            ties,
            losses,
            gates,
            metrics,
            flips: Flip::all(rubric, ours, theirs, &matching),
            changes: Changes::new(rubric, ours, theirs, &matching, settings.changes),
        }
    }

    /// Whether any difference has an interval.
    pub(super) fn has_intervals(&self) -> bool {
        let all = [&self.overall, &self.gates].into_iter().chain(&self.metrics);
        all.into_iter().any(|one| one.difference.interval.is_some())
    }

    /// Whether any difference is shown.
    pub(super) fn shows_any(&self) -> bool {
        self.overall.shown || self.gates.shown || self.metrics.iter().any(|metric| metric.shown)
    }
}
