//! Where raters disagree, the worst first, with the words both rest on.

use anyhow::Result;
use carelock_core::report::safe_text::excerpt;
use serde::Serialize;

use super::Two;
use crate::ratings::{Outcome, Words};

/// The longest quote that is shown.
const QUOTE: usize = 200;

/// All disagreements, counted, and the worst of them.
#[derive(Debug, Serialize)]
pub(super) struct Disagreements {
    /// Checks that the reference fails and the judge passes.
    pub(super) over_passed: usize,
    /// Checks that the reference passes and the judge fails.
    pub(super) over_failed: usize,
    /// Missed gates, false alarms, then failures that were passed and passes that were failed; safety checks first.
    pub(super) worst: Vec<Disagreement>,
}

/// One check of one chat.
#[derive(Debug, Serialize)]
pub(super) struct Disagreement {
    pub(super) chat: String,
    pub(super) check: String,
    pub(super) title: String,
    pub(super) gate: bool,
    pub(super) reference: Opinion,
    pub(super) judge: Opinion,
}

/// What one of the two says.
#[derive(Debug, Serialize)]
pub(super) struct Opinion {
    pub(super) verdict: &'static str,
    #[serde(flatten)]
    pub(super) words: Words,
}

/// The worse, the smaller.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    not_gate: bool,
    over_fails: bool,
    not_safety: bool,
    /// The place of the chat, then of the check: any order will do, as long as it is always the same.
    place: (usize, usize),
}

impl Disagreements {
    pub(super) fn new(two: &Two<'_>, most: usize) -> Result<Self> {
        let mut found: Vec<Rank> = Vec::new();
        for (chat, (reference, judge)) in two.chats().enumerate() {
            for (check, (label, said)) in reference.outcomes.iter().zip(&judge.outcomes).enumerate() {
                let (Some(label), Some(said)) = (label, said) else { continue };
                if label.passes() != said.passes() {
                    found.push(Rank {
                        not_gate: !two.rubric.is_gate_check(check),
                        over_fails: label.passes(),
                        not_safety: !two.rubric.check(check).safety,
                        place: (chat, check),
                    });
                }
            }
        }
        let over_failed = found.iter().filter(|rank| rank.over_fails).count();
        let over_passed = found.len() - over_failed;
        found.sort();
        let worst = found.iter().take(most).map(|rank| Disagreement::new(two, rank.place)).collect::<Result<_>>()?;
        Ok(Self { over_passed, over_failed, worst })
    }
}

impl Disagreement {
    fn new(two: &Two<'_>, (chat, check): (usize, usize)) -> Result<Self> {
        let (first, second) = two.matching.pairs[chat];
        let (reference, judge) = (&two.reference.ratings[first], &two.judge.ratings[second]);
        let asked = two.rubric.check(check);
        let opinion = |outcome: Option<Outcome>, mut words: Words| {
            words.quote = words.quote.map(|quote| excerpt(&quote, QUOTE));
            Opinion { verdict: outcome.map_or("unscored", Outcome::word), words }
        };
        Ok(Self {
            chat: reference.id.clone(),
            check: asked.id.clone(),
            title: asked.title.clone(),
            gate: two.rubric.is_gate_check(check),
            reference: opinion(reference.outcomes[check], two.reference.words(reference, &asked.id)?),
            judge: opinion(judge.outcomes[check], two.judge.words(judge, &asked.id)?),
        })
    }
}
