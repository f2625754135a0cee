//! Counts and means over chats.

use std::collections::BTreeMap;

use carelock_core::score::Score;

use super::Standing;

/// What the chats come to together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// How many chats.
    pub(crate) chats: usize,
    /// How many have a gate tripped.
    pub(crate) gated: usize,
    /// How many are below the threshold.
    pub(crate) below: usize,
    /// How many have a check without a verdict.
    pub(crate) unscored: usize,
    /// The overall scores.
    pub(crate) overall: Mean,
    /// The metrics' scores in the rubric's order.
    pub(crate) metrics: Vec<Mean>,
    /// Chats by the tier their overall score has reached.
    pub(crate) tiers: BTreeMap<String, usize>,
}

/// Scores added up, in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mean {
    number: u64,
    hundredths: u64,
}

impl Mean {
    /// Adds a score, where there is one.
    pub(crate) fn add(&mut self, score: Option<Score>) {
        if let Some(score) = score {
            self.number += 1;
            self.hundredths += u64::from(score.hundredths());
        }
    }

    /// The mean to three decimals; a dash of nothing.
    pub(crate) fn shown(self) -> String {
        if self.number == 0 {
            return "–".to_owned();
        }
        format!("{:.3}", self.hundredths as f64 / (100.0 * self.number as f64))
    }
}

impl Figures {
    /// Nothing so far, of a rubric with so many metrics.
    pub(crate) fn new(metrics: usize) -> Self {
        Self { metrics: vec![Mean::default(); metrics], ..Self::default() }
    }

    /// Adds a chat.
    pub(crate) fn add(&mut self, standing: &Standing, is_below: bool) {
        self.chats += 1;
        self.gated += usize::from(!standing.gates.is_empty());
        self.below += usize::from(is_below);
        self.unscored += usize::from(standing.unscored);
        self.overall.add(standing.overall);
        for (mean, score) in self.metrics.iter_mut().zip(&standing.metrics) {
            mean.add(*score);
        }
        if let Some(tier) = &standing.tier {
            *self.tiers.entry(tier.clone()).or_default() += 1;
        }
    }
}
