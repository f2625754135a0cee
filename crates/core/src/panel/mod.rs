//! Several judges on one chat: the majority's verdict, gates that one proven violation trips, and how far they agree.

mod agreement;
mod vote;

pub use crate::report::{Agreement, Estimate, GatePolicy, PanelInfo, TiePolicy};

use crate::report::{Report, Source};
use crate::rubric::Rubric;
use crate::scorecard::Weights;
use crate::transcript::Transcript;
use crate::verdict::Verdicts;

/// How a panel comes to its verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelRules {
    /// When a gate is tripped.
    pub gate_policy: GatePolicy,
    /// How a tie is decided.
    pub tie: TiePolicy,
}

impl From<GatePolicy> for PanelRules {
    fn from(gate_policy: GatePolicy) -> Self {
        Self { gate_policy, ..Self::default() }
    }
}

impl Verdicts {
    /// The panel's verdicts: the majority's on every check, and on ties and gate checks as the rules say.
    pub fn panel(rubric: &Rubric, members: &[Self], rules: PanelRules) -> Self {
        vote::panel(rubric, members, rules)
    }
}

impl Report {
    /// The report of a panel; it goes through the same phases as any judge's, and keeps every judge's own report.
    pub fn assemble_panel(
        rubric: &Rubric,
        source: impl Into<Source>,
        members: Vec<Verdicts>,
        rules: impl Into<PanelRules>,
        weights: &Weights,
    ) -> Self {
        let (source, rules) = (source.into(), rules.into());
        let together = Verdicts::panel(rubric, &members, rules);
        let agreement = Agreement::between(rubric, &members);
        let reports =
            members.into_iter().map(|member| Self::assemble(rubric, source.clone(), member, weights)).collect();
        let mut report = Self::assemble(rubric, source, together, weights);
        report.panel = Some(Box::new(PanelInfo { gate_policy: rules.gate_policy, tie: rules.tie, agreement, reports }));
        report
    }

    /// The transcript a report is about, taken from its turns.
    pub fn to_transcript(&self) -> Result<Transcript, crate::transcript::TranscriptError> {
        let turns = self.turns.iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
        Transcript::new(self.transcript.id.clone(), turns)
    }
}
