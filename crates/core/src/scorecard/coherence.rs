//! The audit's second step: metrics that describe one quality from two sides and lie far apart.

use serde_json::json;

use super::MetricScore;
use crate::audit::{Finding, Outcome, Step};
use crate::rubric::Rubric;

/// Flags wide gaps and lowers the higher score by one tier where the gap is wider still.
///
/// All pairs are looked at on the scores as they come in, and a score is lowered at most once.
pub(super) fn apply(rubric: &Rubric, before: &[MetricScore], findings: &mut Vec<Finding>) -> Vec<MetricScore> {
    let mut after = before.to_vec();
    let Some(rule) = &rubric.file().audit.incoherent else { return after };
    for &(left, right) in rubric.pairs() {
        if !before[left].gate.is_empty() || !before[right].gate.is_empty() {
            continue;
        }
        let (Some(left_score), Some(right_score)) = (before[left].score, before[right].score) else { continue };
        let gap = left_score.gap(right_score);
        if gap < rule.flag_gap {
            continue;
        }
        let (higher, score) = if left_score > right_score { (left, left_score) } else { (right, right_score) };
        let lower = gap >= rule.lower_gap;
        if lower {
            let tier = rubric.tier_below(score);
            after[higher].score = Some(tier.score);
            after[higher].tier = Some(tier.label.clone());
        }
        let key = |position: usize| &rubric.metrics()[position].key;
        findings.push(Finding {
            step: Step::Incoherent,
            rule: format!("{}–{}", key(left), key(right)),
            outcome: if lower { Outcome::Lowered } else { Outcome::Flagged },
            about: key(higher).clone(),
            saw: format!("{} is {left_score}, {} is {right_score}: a gap of {gap}", key(left), key(right)),
            before: json!(score),
            after: json!(after[higher].score.filter(|_| lower).unwrap_or(score)),
        });
    }
    after
}
