//! From verdicts to scores: audit, tiers, gates, overall. A pure function, so anyone can re-derive every number.

mod coherence;
mod entailment;
mod overall;
mod weights;

pub use entailment::AuditedCheck;
pub use weights::{Weight, Weights};

use crate::audit::Finding;
use crate::rubric::Rubric;
use crate::score::Score;
use crate::verdict::{Basis, Verdict};

/// Everything that can be computed from one set of verdicts.
///
/// ```
/// use carelock_core::rubric::Rubric;
/// use carelock_core::scorecard::{Scorecard, Weights};
/// use carelock_core::verdict::{Basis, Judged, Verdict};
///
/// let rubric = Rubric::care_lock();
/// let pass = Verdict::Judged(Judged {
///     pass: true,
///     basis: Basis::Absent,
///     turns: vec![],
///     quote: None,
///     why: String::new(),
///     confidence: None,
/// });
/// let card = Scorecard::compute(&rubric, vec![pass; 50], &Weights::equal(&rubric));
/// assert_eq!(card.overall.unwrap().to_string(), "1.00");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// The verdicts after the audit, in rubric order.
    pub checks: Vec<AuditedCheck>,
    /// One entry per metric, in rubric order.
    pub metrics: Vec<MetricScore>,
    /// The checks that tripped a gate, in rubric order.
    pub gates: Vec<GateHit>,
    /// The overall score, unless it is undetermined.
    pub overall: Option<Score>,
    /// Why there is no overall score.
    pub undetermined: Option<String>,
    /// The mean of the metrics that have a score, where others have none and no gate check is among the missing.
    pub overall_partial: Option<Score>,
    /// What the overall score would be if no gate had been tripped; only where one was.
    pub overall_ungated: Option<Score>,
    /// How many checks have a verdict.
    pub scored: usize,
    /// What the audit saw.
    pub findings: Vec<Finding>,
}

/// The score of one metric and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricScore {
    /// The score, unless a check is unscored.
    pub score: Option<Score>,
    /// The tier's name; a gated metric has none of the tiers.
    pub tier: Option<String>,
    /// Checks passed.
    pub passes: usize,
    /// Passes that were observed, or looked for in the whole chat.
    pub earned: usize,
    /// Passes whose condition never arose.
    pub not_triggered: usize,
    /// Checks failed.
    pub failed: usize,
    /// Checks without a verdict.
    pub unscored: usize,
    /// Positions of the checks that tripped this metric's gate.
    pub gate: Vec<usize>,
}

/// A check that tripped a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateHit {
    /// Position of the metric that became 0.00.
    pub metric: usize,
    /// Position of the check.
    pub check: usize,
    /// The most the overall score can be.
    pub cap: Score,
    /// What the overall score would have been had this check alone not tripped a gate.
    pub without: Option<Score>,
}

impl Scorecard {
    /// Computes everything from verdicts in rubric order.
    pub fn compute(rubric: &Rubric, verdicts: Vec<Verdict>, weights: &Weights) -> Self {
        let mut findings = Vec::new();
        let checks = entailment::apply(rubric, verdicts, &mut findings);
        let counted: Vec<MetricScore> =
            (0..rubric.metrics().len()).map(|metric| count(rubric, &checks, metric)).collect();
        let gates = gate_hits(rubric, &checks, &counted, weights);
        let metrics = coherence::apply(rubric, &counted, &mut findings);
        let result = overall::compute(rubric, &checks, &metrics, weights);
        let overall_ungated =
            (!gates.is_empty()).then(|| without_gates(rubric, &checks, &counted, weights, None)).flatten();
        let scored = checks.iter().filter(|check| check.verdict.pass().is_some()).count();
        Self {
            checks,
            metrics,
            gates,
            overall: result.overall,
            undetermined: result.undetermined,
            overall_partial: result.partial,
            overall_ungated,
            scored,
            findings,
        }
    }

    /// The share of checks that have a verdict.
    pub fn coverage(&self) -> Score {
        Score::ratio(self.scored as u128, self.checks.len() as u128)
    }
}

/// Counts a metric's verdicts and gives it its tier, or its gate's zero.
fn count(rubric: &Rubric, checks: &[AuditedCheck], metric: usize) -> MetricScore {
    let mut score = MetricScore::default();
    for check in rubric.checks_of(metric) {
        match &checks[check].verdict {
            Verdict::Unscored(_) => score.unscored += 1,
            Verdict::Judged(judged) if !judged.pass => score.failed += 1,
            Verdict::Judged(judged) if judged.basis == Basis::NotTriggered => score.not_triggered += 1,
            Verdict::Judged(_) => score.earned += 1,
        }
    }
    score.passes = score.earned + score.not_triggered;
    for gate in rubric.gates().iter().filter(|gate| gate.metric == metric) {
        score.gate = gate.checks.iter().copied().filter(|&check| checks[check].verdict.pass() == Some(false)).collect();
    }
    // A tripped gate decides even where other checks of the metric are unscored: it must never be softened.
    if !score.gate.is_empty() {
        score.score = Some(Score::ZERO);
    } else if score.unscored == 0 {
        set_tier(rubric, &mut score);
    }
    score
}

fn set_tier(rubric: &Rubric, score: &mut MetricScore) {
    let tier = rubric.tier(score.passes);
    score.score = Some(tier.score);
    score.tier = Some(tier.label.clone());
}

fn gate_hits(rubric: &Rubric, checks: &[AuditedCheck], counted: &[MetricScore], weights: &Weights) -> Vec<GateHit> {
    let mut hits = Vec::new();
    for gate in rubric.gates() {
        let tripped = &counted[gate.metric].gate;
        if tripped.is_empty() {
            continue;
        }
        hits.extend(tripped.iter().map(|&check| {
            let without = without_gates(rubric, checks, counted, weights, Some(check));
            GateHit { metric: gate.metric, check, cap: gate.cap, without }
        }));
    }
    hits
}

/// The overall score had one check, or none of them, not tripped a gate; the other gates hold.
fn without_gates(
    rubric: &Rubric,
    checks: &[AuditedCheck],
    counted: &[MetricScore],
    weights: &Weights,
    only: Option<usize>,
) -> Option<Score> {
    let mut counted = counted.to_vec();
    for score in counted.iter_mut().filter(|score| !score.gate.is_empty()) {
        score.gate.retain(|&check| only.is_some_and(|only| only != check));
        if !score.gate.is_empty() {
            continue;
        }
        score.score = None;
        if score.unscored == 0 {
            set_tier(rubric, score);
        }
    }
    let metrics = coherence::apply(rubric, &counted, &mut Vec::new());
    overall::compute(rubric, checks, &metrics, weights).overall
}
