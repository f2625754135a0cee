//! Where requests about batches are written: addresses in both providers' words, and what comes back.

use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::collect::Collector;
use super::progress::{AnthropicBatch, OpenAiBatch};
use super::{BatchError, Job, Progress, RemoteId};
use crate::http::{CallStats, HttpRequest, Method};
use crate::outcome::{Outcome, Reply};
use crate::provider::Wire;
use crate::wire::{self, CallTarget, Response};

/// How long fetching a file may take as long as it keeps coming.
const DOWNLOAD: Duration = Duration::from_secs(3600);

/// A page of a list in either provider's words.
#[derive(Deserialize)]
pub(super) struct Page<V> {
    pub(super) data: Vec<V>,
    #[serde(default)]
    pub(super) has_more: bool,
    #[serde(default)]
    pub(super) last_id: Option<String>,
}

impl Job {
    pub(super) fn wire(&self) -> Wire {
        self.resolved.provider.wire
    }

    pub(super) fn asked(&self) -> CallTarget<'_> {
        CallTarget::from(&self.resolved)
    }

    /// Where batches are.
    pub(super) fn batches_url(&self) -> String {
        let (place, _) = wire::batch_place(&self.asked());
        match self.wire() {
            Wire::OpenAiChat => format!("{place}/batches"),
            Wire::AnthropicMessages => place,
        }
    }

    pub(super) fn batch_url(&self, id: &RemoteId) -> String {
        format!("{}/{id}", self.batches_url())
    }

    /// Where files are, at OpenAI.
    pub(super) fn files_url(&self) -> String {
        format!("{}/files", wire::batch_place(&self.asked()).0)
    }

    pub(super) fn file_url(&self, file: &RemoteId) -> String {
        format!("{}/{file}", self.files_url())
    }

    /// Where the results are. The address a provider states for them is not used: the key goes only where the user's
    /// configuration points.
    pub(super) fn result_urls(&self, progress: &Progress) -> Vec<String> {
        match self.wire() {
            Wire::OpenAiChat => {
                let files = [&progress.files.output, &progress.files.errors];
                files.into_iter().flatten().map(|file| format!("{}/content", self.file_url(file))).collect()
            }
            Wire::AnthropicMessages => vec![format!("{}/results", self.batch_url(&progress.id))],
        }
    }

    /// What is to be deleted when the answers are stored.
    pub(super) fn leftover_urls(&self, progress: &Progress) -> Result<Vec<String>, BatchError> {
        if self.wire() == Wire::AnthropicMessages {
            return Ok(vec![self.batch_url(&progress.id)]);
        }
        if progress.key.is_none() {
            let what = format!("the batch {} was not sent by Care-Lock, so its files are left alone", progress.id);
            return Err(BatchError::Invalid { what });
        }
        let files = [&progress.files.input, &progress.files.output, &progress.files.errors];
        Ok(files.into_iter().flatten().map(|file| self.file_url(file)).collect())
    }

    pub(super) fn request(&self, method: Method, url: String) -> HttpRequest {
        let (_, headers) = wire::batch_place(&self.asked());
        HttpRequest { method, url, headers, body: Bytes::new(), patience: Duration::ZERO, repeatable: true }
    }

    /// Makes a request whose response is JSON; `id` is the batch it is about.
    pub(super) async fn json<V: DeserializeOwned>(
        &self,
        request: &HttpRequest,
        id: Option<&RemoteId>,
    ) -> Result<(V, CallStats), BatchError> {
        let brought = Mutex::new(None);
        let classify = |response: &Response| match self.read(response) {
            Ok(value) => {
                *brought.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(value);
                Outcome::Answered(Reply::default())
            }
            Err(outcome) => outcome,
        };
        let (outcome, stats) = self.caller.request(&self.lane, request, classify).await;
        let brought = brought.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(value) = brought.filter(|_| matches!(outcome, Outcome::Answered(_))) else {
            return Err(BatchError::new(outcome, &stats, id));
        };
        let strange = |_| BatchError::Invalid { what: "the provider's reply is not what its API promises".to_owned() };
        Ok((serde_json::from_value(value).map_err(strange)?, stats))
    }

    /// What is missing is no reason to close the lane: it is about one batch or file.
    fn read(&self, response: &Response) -> Result<Value, Outcome> {
        if matches!(response.status, 404 | 410) {
            return Err(Outcome::Invalid { what: "the provider does not have what was asked for".to_owned() });
        }
        wire::to_json(response, &self.asked(), (self.clock)())
    }

    /// What is said of a batch at this address.
    pub(super) async fn progress(&self, url: String, id: &RemoteId) -> Result<Progress, BatchError> {
        self.batch(&self.request(Method::GET, url), Some(id)).await
    }

    /// Makes a request whose response describes a batch.
    pub(super) async fn batch(&self, request: &HttpRequest, id: Option<&RemoteId>) -> Result<Progress, BatchError> {
        match self.wire() {
            Wire::OpenAiChat => self.json::<OpenAiBatch>(request, id).await?.0.progress(),
            Wire::AnthropicMessages => self.json::<AnthropicBatch>(request, id).await?.0.progress(),
        }
    }

    pub(super) async fn post_cancel(&self, id: &RemoteId) -> Result<Progress, BatchError> {
        self.batch(&self.request(Method::POST, format!("{}/cancel", self.batch_url(id))), Some(id)).await
    }

    /// Deletes something; false if it was gone already.
    pub(super) async fn delete(&self, url: String) -> Result<bool, BatchError> {
        // Any name does: what is gone is no error here.
        let nobody = RemoteId::parse("gone").ok();
        match self.json::<Value>(&self.request(Method::DELETE, url), nobody.as_ref()).await {
            Ok(_) => Ok(true),
            Err(BatchError::Gone { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads a file of results. One that in itself ends in the middle of a line is read as far as it goes; one that
    /// cannot be fetched is an error, so that nobody pays for answers that are there.
    pub(super) async fn read_lines(
        &self,
        url: String,
        id: &RemoteId,
        collector: &mut Collector<'_>,
    ) -> Result<(), BatchError> {
        let request = HttpRequest { patience: DOWNLOAD, ..self.request(Method::GET, url) };
        let classify = |response: &Response| {
            if (200..300).contains(&response.status) {
                return Outcome::Answered(Reply::default());
            }
            self.read(response).err().unwrap_or(Outcome::Empty)
        };
        let (outcome, stats) = self.caller.lines(&self.lane, &request, collector, classify).await;
        let fetched = matches!(outcome, Outcome::Answered(_));
        if fetched || (collector.cut_off && !stats.cancelled) {
            collector.file_done();
            return Ok(());
        }
        Err(BatchError::new(outcome, &stats, Some(id)))
    }
}
