//! Agreement on checks and on overall scores, over all of them and in parts.

use std::collections::BTreeSet;

use carelock_core::report::names::check_name;
use carelock_core::rubric::Metric;
use carelock_core::score::Score;
use carelock_statistics::Bootstrap;
use carelock_statistics::agreement::{Agreement, Confusion, Failures, Ratings};
use carelock_statistics::scores::{ScoreAgreement, Scores};
use serde::Serialize;

use super::{By, Two};
use crate::ratings::{Outcome, Rating};

/// The class of a pass; what was not triggered passes.
const PASS: u8 = 0;
/// The class of a failure.
pub(super) const FAIL: u8 = 1;

/// The figures of some checks or some chats.
#[derive(Debug, Serialize)]
pub(super) struct Slice {
    /// The check, metric or source.
    pub(super) name: String,
    /// What people call it.
    #[serde(skip)]
    pub(super) title: String,
    pub(super) agreement: Agreement,
    pub(super) failures: Failures,
}

/// Pass or fail as the number of a class.
pub(super) fn class(outcome: Option<Outcome>) -> Option<u8> {
    outcome.map(|outcome| if outcome.passes() { PASS } else { FAIL })
}

/// The labels of both raters, of those checks and those chats that are wanted.
///
/// A check that the reference did not label is no item: where labels are on one check a chat, what a judge says of the 49
/// others tells nothing about the two.
pub(super) fn labels(
    two: &Two<'_>,
    checks: impl Fn(usize) -> bool,
    chats: impl Fn(&Rating, &Rating) -> bool,
) -> Ratings {
    let wanted: Vec<usize> = (0..two.rubric.checks().len()).filter(|&check| checks(check)).collect();
    let mut ratings = Ratings::new(2, 2);
    for (reference, judge) in two.chats().filter(|(reference, judge)| chats(reference, judge)) {
        let labelled = wanted.iter().filter(|&&check| reference.outcomes[check].is_some());
        let labels: Vec<[Option<u8>; 2]> =
            labelled.map(|&check| [class(reference.outcomes[check]), class(judge.outcomes[check])]).collect();
        ratings.add_chat(labels.iter().map(<[_; 2]>::as_slice));
    }
    ratings
}

/// The figures part by part.
pub(super) fn slices(two: &Two<'_>, by: By, bootstrap: &Bootstrap) -> Vec<Slice> {
    let rubric = two.rubric;
    let slice = |name: &str, title: &str, labels: &Ratings| Slice {
        name: name.to_owned(),
        title: title.to_owned(),
        agreement: labels.agreement(bootstrap),
        failures: labels.failures(FAIL, bootstrap),
    };
    match by {
        By::Check => (0..rubric.checks().len())
            .map(|check| {
                let id = &rubric.check(check).id;
                slice(id, &check_name(rubric, id), &labels(two, |other| other == check, |_, _| true))
            })
            .collect(),
        By::Metric => (0..rubric.metrics().len())
            .map(|metric| {
                let range = rubric.checks_of(metric);
                let Metric { key, title, .. } = &rubric.metrics()[metric];
                slice(key, title, &labels(two, |check| range.contains(&check), |_, _| true))
            })
            .collect(),
        By::Source => {
            let sources: BTreeSet<&str> = two.chats().map(|(reference, judge)| source(reference, judge)).collect();
            let of = |name: &str| labels(two, |_| true, |one, other| source(one, other) == name);
            sources.into_iter().map(|name| slice(name, name, &of(name))).collect()
        }
    }
}

/// Where a chat comes from, as either rater says.
fn source<'a>(reference: &'a Rating, judge: &'a Rating) -> &'a str {
    reference.group.as_deref().or(judge.group.as_deref()).unwrap_or("no source")
}

/// Pass, not triggered and fail against each other.
pub(super) fn confusion(two: &Two<'_>) -> Option<Confusion> {
    let class = |outcome: Option<Outcome>| {
        outcome.map(|outcome| match outcome {
            Outcome::Pass => 0,
            Outcome::NotTriggered => 1,
            Outcome::Fail => 2,
        })
    };
    let mut ratings = Ratings::new(2, 3);
    for (reference, judge) in two.chats() {
        let pairs = reference.outcomes.iter().zip(&judge.outcomes);
        let labels: Vec<[Option<u8>; 2]> = pairs.map(|(one, other)| [class(*one), class(*other)]).collect();
        ratings.add_chat(labels.iter().map(<[_; 2]>::as_slice));
    }
    ratings.confusion()
}

/// Agreement on the overall score.
pub(super) fn overall(two: &Two<'_>, bootstrap: &Bootstrap) -> ScoreAgreement {
    let mut scores = Scores::new(2);
    for (reference, judge) in two.chats() {
        let both = [number(reference.overall), number(judge.overall)];
        scores.add_chat([both.as_slice()]);
    }
    scores.agreement(bootstrap)
}

/// A score as a number to compute with.
pub(super) fn number(score: Option<Score>) -> Option<f64> {
    score.map(|score| f64::from(score.hundredths()) / 100.0)
}

impl Two<'_> {
    /// The chats that both rated.
    pub(super) fn chats(&self) -> impl Iterator<Item = (&Rating, &Rating)> {
        let pairs = self.matching.pairs.iter();
        pairs.map(|&(first, second)| (&self.reference.ratings[first], &self.judge.ratings[second]))
    }
}
