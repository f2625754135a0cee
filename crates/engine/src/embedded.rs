//! The embedded judge in a run: made when the first chat needs it, shared by all threads.

use std::sync::OnceLock;

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;

/// The embedded judge, or the place for it: reading its weights takes a moment that a run without it need not spend.
#[derive(Default)]
pub struct Embedded(OnceLock<Judge>);

impl Embedded {
    /// The judge itself.
    pub fn judge(&self) -> &Judge {
        self.0.get_or_init(Judge::embedded)
    }

    /// Its answers to all checks.
    pub fn answers(&self, rubric: &Rubric, transcript: &Transcript) -> Submission {
        self.judge().judge(rubric, transcript)
    }
}
