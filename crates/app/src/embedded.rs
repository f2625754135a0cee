//! The embedded judge in a run: made when the first chat needs it, shared by all threads.

use std::sync::OnceLock;

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;

/// The embedded judge, or the place for it: reading its weights takes a moment that a run without it need not spend.
#[derive(Default)]
pub(crate) struct Embedded(OnceLock<Judge>);

/// What the embedded judge makes of a chat, for the seats it takes part in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Screening {
    /// Its answers to all checks.
    pub(crate) submission: Submission,
    /// Whether anything in the chat hints at risk.
    pub(crate) sees_risk: bool,
}

impl Embedded {
    /// The judge itself.
    pub(crate) fn judge(&self) -> &Judge {
        self.0.get_or_init(Judge::embedded)
    }

    /// Its answers alone.
    pub(crate) fn answers(&self, rubric: &Rubric, transcript: &Transcript) -> Submission {
        self.judge().judge(rubric, transcript)
    }

    /// Its answers, and whether it sees risk.
    pub(crate) fn screen(&self, rubric: &Rubric, transcript: &Transcript) -> Screening {
        let sees_risk = self.judge().sees_risk(transcript);
        Screening { submission: self.answers(rubric, transcript), sees_risk }
    }
}
