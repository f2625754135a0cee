//! How far a batch is, read from what the provider says of it.

use serde::{Deserialize, Deserializer};

use super::{BatchError, RemoteId};
use crate::provider::rfc3339;
use crate::wire::redact_keys;

/// Where a batch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits or is being worked on.
    Running,
    /// It is being cancelled.
    Cancelling,
    /// It is done; each request has its own end.
    Finished,
    /// It was cancelled; what was answered before can be had.
    Cancelled,
    /// Its time was up; what was answered before can be had.
    Expired,
    /// The provider did not take it. Nothing was answered, and nothing is charged.
    Failed,
}

impl State {
    /// Whether nothing more will happen to it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Running | Self::Cancelling)
    }
}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Its name at the provider.
    pub id: RemoteId,
    /// Where it stands.
    pub state: State,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that ended without an answer.
    pub failed: u64,
    /// All its requests, as the provider counts them.
    pub total: u64,
    /// What the provider says is wrong with the batch as a whole.
    pub problem: Option<String>,
    /// Whether it failed only because too much waits in line already, so that it can be sent again later.
    pub queue_full: bool,
    pub(super) key: Option<String>,
    pub(super) created: f64,
    pub(super) files: Files,
}

/// OpenAI's files of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    pub(super) input: Option<RemoteId>,
    pub(super) output: Option<RemoteId>,
    pub(super) errors: Option<RemoteId>,
}

/// A batch in OpenAI's words.
#[derive(Deserialize)]
pub(super) struct OpenAiBatch {
    id: String,
    status: String,
    #[serde(default)]
    created_at: Option<f64>,
    #[serde(default)]
    input_file_id: Option<String>,
    #[serde(default)]
    output_file_id: Option<String>,
    #[serde(default)]
    error_file_id: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    request_counts: OpenAiCounts,
    #[serde(default, deserialize_with = "or_default")]
    metadata: Metadata,
    #[serde(default, deserialize_with = "or_default")]
    errors: Problems,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OpenAiCounts {
    total: u64,
    completed: u64,
    failed: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    carelock: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problems {
    data: Vec<Problem>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    #[serde(deserialize_with = "or_default")]
    code: String,
    #[serde(deserialize_with = "or_default")]
    message: String,
}

/// Null is as good as nothing.
fn or_default<'de, D: Deserializer<'de>, V: Default + Deserialize<'de>>(deserializer: D) -> Result<V, D::Error> {
    Option::<V>::deserialize(deserializer).map(Option::unwrap_or_default)
}

fn remote(text: &str) -> Result<RemoteId, BatchError> {
    RemoteId::parse(text)
        .map_err(|_| BatchError::Invalid { what: "the provider gave a name that cannot be used".to_owned() })
}

fn file(id: Option<&String>) -> Result<Option<RemoteId>, BatchError> {
    id.filter(|id| !id.is_empty()).map(|id| remote(id)).transpose()
}

impl OpenAiBatch {
    pub(super) fn progress(&self) -> Result<Progress, BatchError> {
        let state = match self.status.as_str() {
            "completed" => State::Finished,
            "failed" => State::Failed,
            "expired" => State::Expired,
            "cancelling" => State::Cancelling,
            "cancelled" => State::Cancelled,
            // Also for states that are not known yet: waiting ends at its limit at the latest.
            _ => State::Running,
        };
        let first = self.errors.data.first();
        let more = self.errors.data.len().saturating_sub(1);
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        Ok(Progress {
            id: remote(&self.id)?,
            state,
            answered: self.request_counts.completed,
            failed: self.request_counts.failed,
            total: self.request_counts.total,
            problem: first
                .map(|problem| format!("{}{more}", redact_keys(&format!("{}: {}", problem.code, problem.message)))),
            queue_full: state == State::Failed && first.is_some_and(|problem| problem.code == "token_limit_exceeded"),
            key: self.metadata.carelock.clone(),
            created: self.created_at.unwrap_or_default(),
            files: Files {
                input: file(self.input_file_id.as_ref())?,
                output: file(self.output_file_id.as_ref())?,
                errors: file(self.error_file_id.as_ref())?,
            },
        })
    }
}

/// A batch in Anthropic's words.
#[derive(Deserialize)]
pub(super) struct AnthropicBatch {
    id: String,
    processing_status: String,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    request_counts: AnthropicCounts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AnthropicCounts {
    processing: u64,
    succeeded: u64,
    errored: u64,
    canceled: u64,
    expired: u64,
}

impl AnthropicBatch {
    pub(super) fn progress(&self) -> Result<Progress, BatchError> {
        let counts = &self.request_counts;
        let failed = [counts.errored, counts.canceled, counts.expired].into_iter().fold(0, u64::saturating_add);
        Ok(Progress {
            id: remote(&self.id)?,
            state: match self.processing_status.as_str() {
                "ended" => State::Finished,
                "canceling" => State::Cancelling,
                _ => State::Running,
            },
            answered: counts.succeeded,
            failed,
            total: counts.processing.saturating_add(counts.succeeded).saturating_add(failed),
            problem: None,
            queue_full: false,
            key: None,
            created: self.created_at.as_deref().and_then(rfc3339).unwrap_or_default(),
            files: Files::default(),
        })
    }
}
