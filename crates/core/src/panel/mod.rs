//! Several judges on one chat: the majority's verdict, gates that one proven violation trips, and how far they agree.

mod agreement;
mod vote;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use agreement::{Agreement, Estimate};

use crate::report::{Report, Source};
use crate::rubric::Rubric;
use crate::scorecard::Weights;
use crate::transcript::Transcript;
use crate::verdict::Verdicts;

/// When a panel trips a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatePolicy {
    /// One judge that sees the violation, with evidence that verifies, trips the gate.
    #[default]
    Any,
    /// The majority decides, as for every other check; a tie fails.
    Majority,
}

/// What a panel's report keeps of its judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PanelInfo {
    /// When a gate is tripped.
    pub gate_policy: GatePolicy,
    /// How far the judges agree.
    pub agreement: Agreement,
    /// Every judge's own report.
    pub reports: Vec<Report>,
}

impl Verdicts {
    /// The panel's verdicts: the majority's on every check, a tie fails, and the policy's on gate checks.
    pub fn panel(rubric: &Rubric, members: &[Self], policy: GatePolicy) -> Self {
        vote::panel(rubric, members, policy)
    }
}

impl Report {
    /// The report of a panel; it goes through the same phases as any judge's, and keeps every judge's own report.
    pub fn assemble_panel(
        rubric: &Rubric,
        source: impl Into<Source>,
        members: Vec<Verdicts>,
        policy: GatePolicy,
        weights: &Weights,
    ) -> Self {
        let source = source.into();
        let together = Verdicts::panel(rubric, &members, policy);
        let agreement = Agreement::between(rubric, &members);
        let reports =
            members.into_iter().map(|member| Self::assemble(rubric, source.clone(), member, weights)).collect();
        let mut report = Self::assemble(rubric, source, together, weights);
        report.panel = Some(Box::new(PanelInfo { gate_policy: policy, agreement, reports }));
        report
    }

    /// The transcript a report is about, taken from its turns.
    pub fn to_transcript(&self) -> Result<Transcript, crate::transcript::TranscriptError> {
        let turns = self.turns.iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
        Transcript::new(self.transcript.id.clone(), turns)
    }
}
