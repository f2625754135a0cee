//! Finding a part again that may have been sent before the process died.

use std::time::{SystemTime, UNIX_EPOCH};

use super::collect::Collector;
use super::progress::{AnthropicBatch, OpenAiBatch};
use super::requests::Page;
use super::submit::MOST_PAGES;
use super::{BatchError, CustomId, Job, PartKey, Progress, RemoteId, State};
use crate::http::Method;
use crate::provider::Wire;

/// How far the clocks of both sides may be apart, in seconds.
const CLOCKS: f64 = 600.0;

/// Whether a part was sent before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarlierBatch {
    /// This is its batch.
    Sent(RemoteId),
    /// This may be its batch: it was sent at that time, has as many requests and nobody else's name on it. Only its
    /// results will tell; wait for it, and send the part only if they are foreign
    /// ([`Collected::is_foreign`](super::Collected::is_foreign)).
    Perhaps(RemoteId),
    /// It was not sent.
    No,
}

impl EarlierBatch {
    /// The batch, certain or not.
    pub fn id(&self) -> Option<&RemoteId> {
        match self {
            Self::Sent(id) | Self::Perhaps(id) => Some(id),
            Self::No => None,
        }
    }
}

impl Job {
    /// Looks whether a part was sent by a process that died before it could store the batch's name. `begun` is when that
    /// process stored the part's key. Uploads of the part that no batch uses are deleted on the way.
    ///
    /// OpenAI keeps our key with a batch, so the answer is certain. Anthropic keeps nothing of ours but the names of the
    /// requests, and shows these only in results: a batch that still runs is told by its time and its size.
    pub async fn recover(
        &self,
        key: &PartKey,
        ids: &[CustomId],
        begun: SystemTime,
    ) -> Result<EarlierBatch, BatchError> {
        let found = self.look(key, ids, begun).await?;
        if self.wire() == Wire::OpenAiChat {
            let keep = match found.id() {
                Some(id) => self.poll(id).await?.files.input,
                None => None,
            };
            self.sweep(key, keep.as_ref()).await?;
        }
        if let Some(id) = found.id() {
            self.knows([id.clone()]);
        }
        Ok(found)
    }

    pub(super) async fn look(
        &self,
        key: &PartKey,
        ids: &[CustomId],
        begun: SystemTime,
    ) -> Result<EarlierBatch, BatchError> {
        let begun = begun.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() - CLOCKS;
        let mut perhaps = EarlierBatch::No;
        let mut after = None;
        for _ in 0..MOST_PAGES {
            let page = self.list(after.as_ref()).await?;
            for batch in &page.data {
                match self.compare(batch, key, ids, begun).await? {
                    EarlierBatch::Sent(id) => return Ok(EarlierBatch::Sent(id)),
                    // The oldest one is kept: ours was sent right after its key was stored.
                    EarlierBatch::Perhaps(id) => perhaps = EarlierBatch::Perhaps(id),
                    EarlierBatch::No => {}
                }
            }
            let past = page.data.last().is_none_or(|batch| is_older(batch, begun));
            let last = page.last_id.as_deref().and_then(|id| RemoteId::parse(id).ok());
            after = last.or_else(|| page.data.last().map(|batch| batch.id.clone()));
            if past || !page.has_more || after.is_none() {
                return Ok(perhaps);
            }
        }
        // What was not looked at may be ours: to send the part again could mean to pay for it twice.
        Err(BatchError::Unclear { key: key.clone() })
    }

    /// A page of batches, the latest first.
    async fn list(&self, after: Option<&RemoteId>) -> Result<Page<Progress>, BatchError> {
        let (openai, name) = match self.wire() {
            Wire::OpenAiChat => (true, "after"),
            Wire::AnthropicMessages => (false, "after_id"),
        };
        let after = after.map(|id| format!("&{name}={id}")).unwrap_or_default();
        let request = self.request(Method::GET, format!("{}?limit=100{after}", self.batches_url()));
        let (data, has_more, last_id) = if openai {
            let (page, _) = self.json::<Page<OpenAiBatch>>(&request, None).await?;
            (page.data.iter().map(OpenAiBatch::progress).collect::<Result<_, _>>()?, page.has_more, page.last_id)
        } else {
            let (page, _) = self.json::<Page<AnthropicBatch>>(&request, None).await?;
            (page.data.iter().map(AnthropicBatch::progress).collect::<Result<_, _>>()?, page.has_more, page.last_id)
        };
        Ok(Page { data, has_more, last_id })
    }

    async fn compare(
        &self,
        batch: &Progress,
        key: &PartKey,
        ids: &[CustomId],
        begun: f64,
    ) -> Result<EarlierBatch, BatchError> {
        if self.wire() == Wire::OpenAiChat {
            // One that was not taken was not charged either, and never will be answered.
            let ours = batch.key.as_deref() == Some(key.as_str()) && batch.state != State::Failed;
            return Ok(if ours { EarlierBatch::Sent(batch.id.clone()) } else { EarlierBatch::No });
        }
        let known = self.known_ids().contains(&batch.id);
        if known || is_older(batch, begun) || batch.total != ids.len() as u64 {
            return Ok(EarlierBatch::No);
        }
        if !batch.state.is_over() {
            return Ok(EarlierBatch::Perhaps(batch.id.clone()));
        }
        match self.holds_one_of(batch, ids).await {
            Ok(true) => Ok(EarlierBatch::Sent(batch.id.clone())),
            Ok(false) | Err(BatchError::Gone { .. }) => Ok(EarlierBatch::No),
            Err(error) => Err(error),
        }
    }

    /// Whether the results of a batch are about any of these requests.
    async fn holds_one_of(&self, batch: &Progress, ids: &[CustomId]) -> Result<bool, BatchError> {
        let mut found = false;
        let mut take = |_| found = true;
        let mut collector = Collector::new(self.asked(), (self.clock)(), ids, &mut take);
        for url in self.result_urls(batch) {
            self.read_lines(url, &batch.id, &mut collector).await?;
        }
        drop(collector);
        Ok(found)
    }
}

fn is_older(batch: &Progress, begun: f64) -> bool {
    batch.created > 0.0 && batch.created < begun
}
