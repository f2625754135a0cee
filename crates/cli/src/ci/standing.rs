//! What a pipeline has to know of one chat's report.

use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

/// How one chat came off. It carries no words of the chat but what the judge put into the verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The chat's id.
    pub(crate) id: String,
    /// The file it came from, and where in it.
    pub(crate) origin: String,
    /// The overall score; `None` where it is undetermined.
    pub(crate) overall: Option<Score>,
    /// The tier the overall score has reached.
    pub(crate) tier: Option<String>,
    /// The checks that tripped a gate.
    pub(crate) gates: Vec<String>,
    /// The metrics' scores in the rubric's order.
    pub(crate) metrics: Vec<Option<Score>>,
    /// Whether some check has no verdict.
    pub(crate) unscored: bool,
    /// Who judged.
    pub(crate) judge: String,
    /// The verdict in one sentence.
    pub(crate) verdict: String,
}

impl Standing {
    /// What a report says.
    pub(crate) fn new(report: &Report, rubric: &Rubric, origin: &str) -> Self {
        let metric = |key: &str| report.metrics.get(key).and_then(|metric| metric.score);
        Self {
            id: report.transcript.id.clone(),
            origin: origin.to_owned(),
            overall: report.overall,
            tier: report.overall.and_then(|score| rubric.tier_reached(score)).map(|tier| tier.label.clone()),
            gates: report.gates.iter().map(|gate| gate.check.to_string()).collect(),
            metrics: rubric.metrics().iter().map(|entry| metric(&entry.key)).collect(),
            unscored: report.has_unscored(),
            judge: report.judge.name.clone(),
            verdict: report.summary.clone(),
        }
    }
}
