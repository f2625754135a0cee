//! Why there are no answers. None of these is ever turned into a verdict.

use carelock_core::problem::Problem;

use super::budget::Spent;
use crate::outcome::Outcome;

/// What asking a judge ended in, where it did not end in answers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The model declined.
    #[error("refused: {0}")]
    Refused(String),
    /// A content filter stopped the question or the answer.
    #[error("filtered: {0}")]
    Filtered(String),
    /// The answer was cut off, also with twice the room.
    #[error("truncated: the answer was cut off at its length limit, also with twice the room")]
    Truncated,
    /// The model said nothing, also when asked again.
    #[error("empty: the model said nothing, also when asked again")]
    Empty,
    /// The answer cannot be used, also when asked again.
    #[error("invalid: {0}")]
    Invalid(String),
    /// The chat does not fit the model.
    #[error("too long: {what}")]
    TooLong {
        /// What the server said, or what we found.
        what: String,
        /// The most tokens it takes, where that is known.
        limit: Option<u64>,
    },
    /// The provider could not serve the call.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// Key, model or request are wrong, or the money is spent.
    #[error("misconfigured: {0}")]
    Misconfigured(String),
    /// The cap on the cost was reached before the call.
    #[error("not asked: the cap on the cost is reached ({0})")]
    CostCap(String),
    /// A failure, and what was spent before it.
    #[error("{failure}")]
    After {
        /// What went wrong.
        failure: Box<Failure>,
        /// What it took until then.
        spent: Spent,
    },
}

impl Failure {
    /// The same failure with what was spent before it.
    pub(super) fn with_spent(self, spent: Spent) -> Self {
        Self::After { failure: Box::new(self), spent }
    }

    /// The failure itself.
    pub fn kind(&self) -> &Self {
        match self {
            Self::After { failure, .. } => failure.kind(),
            other => other,
        }
    }

    /// What was spent before it.
    pub fn spent(&self) -> Spent {
        match self {
            Self::After { spent, .. } => *spent,
            _ => Spent::default(),
        }
    }

    /// Whether another judge should be asked instead: the model declined, or a filter stopped it.
    pub fn wants_fallback(&self) -> bool {
        matches!(self.kind(), Self::Refused(_) | Self::Filtered(_))
    }

    /// Whether no chat can be judged as things are.
    pub fn stops_everything(&self) -> bool {
        matches!(self.kind(), Self::Misconfigured(_))
    }

    /// The failure an outcome stands for; nothing for an answer.
    pub(super) fn new(outcome: Outcome) -> Option<Self> {
        Some(match outcome {
            Outcome::Answered(_) => return None,
            Outcome::Refused { reason } => Self::Refused(reason),
            Outcome::Filtered { stage, category } => {
                let category = category.map(|category| format!(" ({category})")).unwrap_or_default();
                Self::Filtered(format!("the provider's content filter stopped the {stage}{category}"))
            }
            Outcome::Truncated => Self::Truncated,
            Outcome::TooLong { what, limit, .. } => Self::TooLong { what, limit },
            Outcome::Empty => Self::Empty,
            Outcome::Invalid { what } => Self::Invalid(what),
            Outcome::Unavailable { what, .. } => Self::Unavailable(what),
            Outcome::Misconfigured { what } => Self::Misconfigured(what),
        })
    }
}

impl From<Problem> for Failure {
    fn from(error: Problem) -> Self {
        Self::TooLong { what: error.to_string(), limit: None }
    }
}
