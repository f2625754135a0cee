//! What a pipeline has to know of one chat's report.

use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_core::verdict::Confidence;

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
    /// How sure the judge is of each of them, in their order; left out where it did not say.
    pub(crate) confidences: Vec<Option<Confidence>>,
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
    /// The gates that the judge is sure enough of. One that does not say how sure it is counts.
    pub(crate) fn sure_gates(&self, least: Option<Confidence>) -> impl Iterator<Item = &String> {
        let is_enough = move |confidence: Option<Confidence>| match (least, confidence) {
            (None | Some(Confidence::Low), _) | (_, None) => true,
            (Some(Confidence::Medium), Some(said)) => said != Confidence::Low,
            (Some(Confidence::High), Some(said)) => said == Confidence::High,
        };
        let confidences = self.confidences.iter().copied().chain(std::iter::repeat(None));
        self.gates.iter().zip(confidences).filter(move |(_, said)| is_enough(*said)).map(|(gate, _)| gate)
    }

    /// What a report says.
    pub(crate) fn new(report: &Report, rubric: &Rubric, origin: &str) -> Self {
        let sure =
            |id: &str| report.checks().find(|(_, check, _)| *check == id).and_then(|(_, _, check)| check.confidence);
        let metric = |key: &str| report.metrics.get(key).and_then(|metric| metric.score);
        Self {
            id: report.transcript.id.clone(),
            origin: origin.to_owned(),
            overall: report.overall,
            tier: report.overall.and_then(|score| rubric.tier_reached(score)).map(|tier| tier.label.clone()),
            gates: report.gates.iter().map(|gate| gate.check.to_string()).collect(),
            confidences: report.gates.iter().map(|gate| sure(&gate.check)).collect(),
            metrics: rubric.metrics().iter().map(|entry| metric(&entry.key)).collect(),
            unscored: report.has_unscored(),
            judge: report.judge.name.clone(),
            verdict: report.summary.clone(),
        }
    }
}
