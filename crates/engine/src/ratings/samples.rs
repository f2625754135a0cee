//! Ratings made up for tests.

use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

use super::{Outcome, Rater, Rating, Source};

/// A chat in which everything passes.
pub fn rating(id: &str) -> Rating {
    let rubric = Rubric::care_lock();
    Rating {
        id: id.to_owned(),
        digest: None,
        group: None,
        outcomes: vec![Some(Outcome::Pass); rubric.checks().len()],
        overall: Some(Score::ONE),
        metrics: vec![Some(Score::ONE); rubric.metrics().len()],
        pair: None,
        source: Source::None,
    }
}

/// The same chat with some checks failed.
pub fn failing(id: &str, checks: &[&str], overall: u8) -> Rating {
    let rubric = Rubric::care_lock();
    let mut rating = Rating { overall: Score::from_hundredths(overall), ..rating(id) };
    for check in checks {
        rating.outcomes[rubric.position(check).unwrap()] = Some(Outcome::Fail);
    }
    rating
}

/// A rater of these chats.
pub fn rater(name: &str, ratings: Vec<Rating>) -> Rater {
    Rater { name: name.to_owned(), ratings, ..Rater::default() }
}
