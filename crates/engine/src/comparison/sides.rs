//! The scores of two runs, side by side where they have the same chats, else as two groups.

use carelock_core::rubric::Rubric;
use carelock_statistics::paired::{self, Pair};
use carelock_statistics::unpaired;
use carelock_statistics::{Bootstrap, Comparison};

use super::contest::Difference;
use super::leaderboard::{LeaderboardRow, columns};
use crate::ratings::{Matching, Rating};

/// What the overall score is called in tables.
pub(super) const OVERALL: &str = "overall";
/// What the rate of gates is called in tables.
const GATES: &str = "gate rate";

/// What has one name for everybody.
pub(super) fn called(name: &str) -> (String, String) {
    (name.to_owned(), name.to_owned())
}

/// The chats of both.
pub(super) struct Sides<'a> {
    pub(super) rubric: &'a Rubric,
    pub(super) first: &'a [Rating],
    pub(super) second: &'a [Rating],
    pub(super) matching: &'a Matching,
}

impl Sides<'_> {
    /// The overall score and the metrics, by name and as people call them.
    fn names(&self) -> impl Iterator<Item = (String, String)> {
        let metrics = self.rubric.metrics().iter().map(|metric| (metric.key.clone(), metric.title.clone()));
        std::iter::once(called(OVERALL)).chain(metrics)
    }

    /// The overall score and the metrics over the chats both have, and in how many of them the second has the higher
    /// overall score, the same and the lower one.
    pub(super) fn paired(&self, bootstrap: &Bootstrap) -> (Vec<Difference>, [usize; 3]) {
        let pairs = &self.matching.pairs;
        let (first, second): (Vec<&Rating>, Vec<&Rating>) =
            pairs.iter().map(|&(one, two)| (&self.first[one], &self.second[two])).unzip();
        let (first, second) = (columns(self.rubric, &first), columns(self.rubric, &second));
        let both =
            |(one, two): (Vec<Option<f64>>, Vec<Option<f64>>)| -> Vec<Pair> { one.into_iter().zip(two).collect() };
        let pairs: Vec<Vec<Pair>> = first.into_iter().zip(second).map(both).collect();
        let found = paired::compare_many(&pairs, bootstrap);
        let tally = found.first().map(|overall| [overall.higher, overall.same, overall.lower]).unwrap_or_default();
        (self.names().zip(found).map(|(name, found)| Difference::new(name, found.means)).collect(), tally)
    }

    /// The overall score and the metrics of two groups of different chats.
    pub(super) fn apart(
        &self,
        standings: (&LeaderboardRow, &LeaderboardRow),
        bootstrap: &Bootstrap,
    ) -> Vec<Difference> {
        let all = |ratings: &[Rating]| columns(self.rubric, &ratings.iter().collect::<Vec<_>>());
        let (first, second) = (all(self.first), all(self.second));
        let found = unpaired::differences(&first, &second, bootstrap);
        let known = |column: &[Option<f64>]| column.iter().flatten().count();
        let chats = first.iter().zip(&second).map(|(one, two)| (known(one), known(two)));
        let means = standings.0.means().zip(standings.1.means());
        let all = self.names().zip(found).zip(chats).zip(means);
        all.map(|(((name, (difference, test)), chats), (first, second))| {
            Difference::new(name, Comparison { chats, first, second, difference, test })
        })
        .collect()
    }

    /// How often a gate fires in the chats both have.
    pub(super) fn paired_gates(&self, bootstrap: &Bootstrap) -> Difference {
        let fires = |rating: &Rating| Some(rating.is_gated(self.rubric));
        let pairs = self.matching.pairs.iter();
        let pairs: Vec<_> = pairs.map(|&(one, two)| (fires(&self.first[one]), fires(&self.second[two]))).collect();
        Difference::new(called(GATES), paired::compare_events(&pairs, bootstrap))
    }

    /// How often a gate fires in two groups of different chats.
    pub(super) fn gates_apart(&self, bootstrap: &Bootstrap) -> Difference {
        let all = |ratings: &[Rating]| -> Vec<Option<bool>> {
            ratings.iter().map(|rating| Some(rating.is_gated(self.rubric))).collect()
        };
        Difference::new(called(GATES), unpaired::compare_events(&all(self.first), &all(self.second), bootstrap))
    }
}
