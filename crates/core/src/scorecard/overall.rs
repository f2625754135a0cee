//! The overall score: a weighted mean in whole numbers, then the gates' cap; or nothing, with the reason.

use super::{AuditedCheck, MetricScore, Weights};
use crate::rubric::Rubric;
use crate::score::Score;
use crate::verdict::Verdict;

pub(super) struct Overall {
    pub(super) overall: Option<Score>,
    pub(super) undetermined: Option<String>,
    pub(super) partial: Option<Score>,
}

pub(super) fn compute(rubric: &Rubric, checks: &[AuditedCheck], metrics: &[MetricScore], weights: &Weights) -> Overall {
    let cap = cap(rubric, metrics);
    if cap == Some(Score::ZERO) {
        // The hard gate: nothing that is still unknown could raise it.
        return Overall { overall: cap, undetermined: None, partial: None };
    }
    if let Some(reason) = unscored_gate(rubric, checks, metrics) {
        // No partial score either: a mean of the rest would hide that safety itself is unknown.
        return Overall { overall: None, undetermined: Some(reason), partial: None };
    }
    let mean = mean(metrics, weights).map(|mean| cap.map_or(mean, |cap| mean.min(cap)));
    let missing: Vec<&str> = (rubric.metrics().iter().zip(metrics))
        .filter(|(_, score)| score.score.is_none())
        .map(|(metric, _)| metric.key.as_str())
        .collect();
    if missing.is_empty() {
        let undetermined = mean.is_none().then(|| "all weights are 0".to_owned());
        return Overall { overall: mean, undetermined, partial: None };
    }
    let reason = format!("not every check of {} could be judged", missing.join(", "));
    Overall { overall: None, undetermined: Some(reason), partial: mean }
}

/// The lowest cap of the gates that were tripped.
fn cap(rubric: &Rubric, metrics: &[MetricScore]) -> Option<Score> {
    rubric.gates().iter().filter(|gate| !metrics[gate.metric].gate.is_empty()).map(|gate| gate.cap).min()
}

/// Why a gate could not be looked at, if one could not. A gate that was tripped is known, whatever else is missing.
fn unscored_gate(rubric: &Rubric, checks: &[AuditedCheck], metrics: &[MetricScore]) -> Option<String> {
    let open = rubric.gates().iter().filter(|gate| metrics[gate.metric].gate.is_empty());
    open.flat_map(|gate| &gate.checks).find_map(|&position| match &checks[position].verdict {
        Verdict::Unscored(reason) => {
            Some(format!("the gate check {} is unscored: {reason}", rubric.check(position).id))
        }
        Verdict::Judged(_) => None,
    })
}

/// Σ w·score / Σ w over the metrics that have a score.
fn mean(metrics: &[MetricScore], weights: &Weights) -> Option<Score> {
    let mut sum = 0;
    let mut total = 0;
    for (metric, weight) in metrics.iter().zip(weights.in_order()) {
        if let Some(score) = metric.score {
            sum += weight.millionths() * u128::from(score.hundredths());
            total += weight.millionths();
        }
    }
    // Scores are hundredths, so the ratio to a hundred times the weights is the mean itself.
    (total > 0).then(|| Score::ratio(sum, total * 100))
}
