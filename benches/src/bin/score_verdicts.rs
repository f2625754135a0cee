//! Scores one set of verdicts as often as it is told; `benches/instructions` counts the instructions of one time.

use carelock_core::rubric::Rubric;
use carelock_core::scorecard::{Scorecard, Weights};
use carelock_core::verdict::{Basis, Judged, Verdict};

fn main() {
    let times: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let rubric = Rubric::care_lock();
    let weights = Weights::equal(&rubric);
    let verdict = |position: usize| {
        let quote = Some("That sounds exhausting".to_owned());
        Verdict::Judged(Judged {
            pass: !position.is_multiple_of(7),
            basis: Basis::Observed,
            turns: vec![2, 4],
            quote,
            why: "Said in so many words, and meant for this person.".to_owned(),
            confidence: None,
        })
    };
    let verdicts: Vec<Verdict> = (0..rubric.checks().len()).map(verdict).collect();
    let mut total = 0_usize;
    for _ in 0..times {
        let card = Scorecard::compute(&rubric, std::hint::black_box(verdicts.clone()), &weights);
        total += card.scored;
    }
    std::hint::black_box(total);
}
