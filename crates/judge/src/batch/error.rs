//! How the business with a batch can fail, and what to do then.

use carelock_core::problem::{Problem, Setting};
use carelock_core::remedy;

use super::{PartKey, RemoteId};
use crate::http::CallStats;
use crate::outcome::Outcome;

/// Why something about a batch could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The provider takes no batches, as far as the table knows.
    NotOffered {
        /// The provider's name.
        provider: String,
    },
    /// The user stopped it. What was sent stays where it is.
    Stopped,
    /// The provider could not be reached or could not serve.
    Unavailable {
        /// What happened.
        what: String,
    },
    /// Key, account or request are wrong.
    Misconfigured {
        /// What is wrong, and what to do about it.
        what: String,
    },
    /// The provider does not have the batch or its files any more.
    Gone {
        /// The batch.
        id: RemoteId,
    },
    /// The provider lists more batches than are looked through, and ours was not among them so far.
    Unclear {
        /// The part.
        key: PartKey,
    },
    /// The batch is not done yet.
    NotOver {
        /// The batch.
        id: RemoteId,
    },
    /// The provider's words make no sense.
    Invalid {
        /// What is wrong with them.
        what: String,
    },
}

impl BatchError {
    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self {
            Self::NotOffered { provider } => Problem::new(format!("{provider} takes no batches")).with(remedy![
                "leave out ",
                Setting::Batch,
                ", or state batch_requests and batch_bytes of the provider"
            ]),
            Self::Stopped => Problem::new("stopped; batches that were sent go on at the provider").with(remedy![
                "carry on with ",
                Setting::Resume,
                ", which collects them; they are charged unless they are cancelled"
            ]),
            Self::Unavailable { what } => {
                Problem::new(format!("batch: {what}")).advice("try again later; what was sent is found again")
            }
            Self::Misconfigured { what } => Problem::new(format!("batch: {what}"))
                .with(remedy!["mend that and try again, or leave out ", Setting::Batch]),
            Self::Gone { id } => {
                Problem::new(format!("the provider does not have the batch {id} or its answers any more"))
                    .advice("ask its chats directly")
            }
            Self::Unclear { key } => Problem::new(format!(
                "batch: cannot tell whether the part {key} was sent: the provider lists too many batches since then"
            ))
            .advice(
                "look there for a batch of this name or time; if there is none, start a new run, else cancel it first",
            ),
            Self::NotOver { id } => Problem::new(format!("the batch {id} is not done yet")).advice("wait for it first"),
            Self::Invalid { what } => Problem::new(format!("batch: {what}")).advice("ask its chats directly"),
        }
    }
}

carelock_core::shown_as_problem!(BatchError);

impl BatchError {
    /// What a request that brought nothing came to; `id` is the batch it was about.
    pub(super) fn new(outcome: Outcome, stats: &CallStats, id: Option<&RemoteId>) -> Self {
        if stats.cancelled {
            return Self::Stopped;
        }
        if let Some(id) = id.filter(|_| matches!(stats.status, Some(404 | 410))) {
            return Self::Gone { id: id.clone() };
        }
        match outcome {
            Outcome::Unavailable { what, .. } => Self::Unavailable { what },
            Outcome::Misconfigured { what } => Self::Misconfigured { what },
            Outcome::TooLong { what, .. } => {
                let what = format!("{what}; the part is too large: state smaller batch_bytes of the provider");
                Self::Misconfigured { what }
            }
            Outcome::Invalid { what } => Self::Invalid { what },
            Outcome::Filtered { stage, .. } => {
                Self::Invalid { what: format!("the provider's content filter stopped the {stage}") }
            }
            Outcome::Answered(_) | Outcome::Refused { .. } | Outcome::Truncated | Outcome::Empty => {
                Self::Invalid { what: "the provider's reply makes no sense".to_owned() }
            }
        }
    }
}
