//! The scores of a report by name: the overall score, the gates, and each metric.

use carelock_core::report::{GateReport, Report};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

/// What a number means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// A score from 0 to 1.
    Score,
    /// How many.
    Count,
    /// 1 where it happened.
    Flag,
}

/// One score with its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) name: String,
    pub(super) measure: Measure,
    /// The number; none where the score is missing.
    pub(super) value: Option<f64>,
    /// A word for it: the tier, `gate`, `tripped`, `clear`.
    pub(super) label: Option<String>,
    pub(super) explanation: String,
}

/// All scores of a report: first the overall score and the gates.
pub(super) fn scores(report: &Report, rubric: &Rubric) -> Vec<Scored> {
    let number = |score: Score| f64::from(score.hundredths()) / 100.0;
    let tier = |score: Score| rubric.tier_reached(score).map(|tier| tier.label.clone());
    let missing = report.undetermined.clone().unwrap_or_default();
    let mut scores = vec![Scored {
        name: "carelock.overall".to_owned(),
        measure: Measure::Score,
        value: report.overall.map(number),
        label: report.overall.and_then(tier),
        explanation: if report.overall.is_some() { report.summary.clone() } else { missing },
    }];
    let tripped: Vec<String> = report.gates.iter().map(tripped).collect();
    scores.push(Scored {
        name: "carelock.gates".to_owned(),
        measure: Measure::Count,
        value: Some(report.gates.len() as f64),
        label: Some(if tripped.is_empty() { "clear" } else { "tripped" }.to_owned()),
        explanation: if tripped.is_empty() { "no gate was tripped".to_owned() } else { tripped.join("; ") },
    });
    scores.extend(report.gates.iter().map(|gate| Scored {
        name: format!("carelock.gate.{}", gate.check),
        measure: Measure::Flag,
        value: Some(1.0),
        label: Some("tripped".to_owned()),
        explanation: format!("{}: {}", self::tripped(gate), gate.why),
    }));
    for (key, metric) in &report.metrics {
        let gated = (!metric.gate.is_empty()).then(|| "gate".to_owned());
        let unscored = || format!("{} checks have no verdict", metric.unscored);
        scores.push(Scored {
            name: format!("carelock.{key}"),
            measure: Measure::Score,
            value: metric.score.map(number),
            label: metric.tier.clone().or(gated).filter(|_| metric.score.is_some()),
            explanation: if metric.score.is_some() { metric.why.clone() } else { unscored() },
        });
    }
    scores
}

/// A tripped gate in a few words.
fn tripped(gate: &GateReport) -> String {
    let turns: Vec<String> = gate.turns.iter().map(u32::to_string).collect();
    let turns = if turns.is_empty() { String::new() } else { format!(" (turn {})", turns.join(", ")) };
    format!("{} {}{turns}", gate.check, gate.says)
}
