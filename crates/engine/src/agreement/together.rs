//! All raters at once.

use carelock_core::rubric::Rubric;
use carelock_statistics::Bootstrap;
use carelock_statistics::agreement::{Agreement, Ratings};
use carelock_statistics::scores::{ScoreAgreement, Scores};
use serde::Serialize;

use super::checks::{class, number};
use crate::ratings::{Rater, Rating, match_chats};

/// Agreement of more than two raters, over the chats of the reference.
#[derive(Debug, Serialize)]
pub(super) struct Together {
    pub(super) checks: Agreement,
    pub(super) overall: ScoreAgreement,
}

impl Together {
    pub(super) fn new(rubric: &Rubric, raters: &[Rater], bootstrap: &Bootstrap) -> Self {
        // More raters than a figure can count are more than anyone names on a command line.
        let number_of = u8::try_from(raters.len()).unwrap_or(u8::MAX);
        let chats = by_chat(raters);
        let mut labels = Ratings::new(number_of, 2);
        let mut scores = Scores::new(number_of);
        for chat in &chats {
            let of_check = |check: usize| -> Vec<Option<u8>> {
                chat.iter().map(|rating| rating.and_then(|rating| class(rating.outcomes[check]))).collect()
            };
            let all: Vec<Vec<Option<u8>>> = (0..rubric.checks().len()).map(of_check).collect();
            labels.add_chat(all.iter().map(Vec::as_slice));
            let overall: Vec<Option<f64>> =
                chat.iter().map(|rating| rating.and_then(|rating| number(rating.overall))).collect();
            scores.add_chat([overall.as_slice()]);
        }
        Self { checks: labels.agreement(bootstrap), overall: scores.agreement(bootstrap) }
    }
}

/// For each chat of the first rater, what every rater said.
fn by_chat(raters: &[Rater]) -> Vec<Vec<Option<&Rating>>> {
    let Some((first, rest)) = raters.split_first() else { return Vec::new() };
    let mut chats: Vec<Vec<Option<&Rating>>> = first.ratings.iter().map(|rating| vec![Some(rating)]).collect();
    for rater in rest {
        chats.iter_mut().for_each(|chat| chat.push(None));
        for (place, other) in match_chats(&first.ratings, &rater.ratings).pairs {
            if let Some(slot) = chats[place].last_mut() {
                *slot = Some(&rater.ratings[other]);
            }
        }
    }
    chats
}
