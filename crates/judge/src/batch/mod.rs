//! Batches: questions sent together for half the price, answered within a day, and matched by name.
//!
//! A [`Job`] is the business with one judge's provider. It has no memory of its own that matters: the caller stores the
//! [`PartKey`] of a [`Part`] before it is sent and the [`RemoteId`] after, and carries on from these after a restart.
//!
//! 1. [`Judge::first_questions`](crate::ask::Judge::first_questions) and [`entries`] give the requests of a chat,
//!    [`Job::parts`] cuts them into parts.
//! 2. [`Job::submit`] sends a part; after a restart, [`Job::recover`] first looks whether it was sent.
//! 3. [`Job::wait`] or [`Job::poll`] says how far it is.
//! 4. [`Job::collect`] brings what became of each request, into the chat's [`Prepared`].
//! 5. [`Judge::judge_with`](crate::ask::Judge::judge_with) reads the answers as direct ones, and asks directly what has
//!    none and whatever follows (asking again, the second look).
//! 6. [`Job::clean`] deletes at the provider what a batch leaves behind, once the answers are stored.

mod collect;
mod error;
mod find;
mod id;
mod item;
mod part;
mod prepared;
mod progress;
mod requests;
mod submit;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

pub use collect::Collected;
pub use error::BatchError;
pub use find::EarlierBatch;
pub use id::{CustomId, Entry, PartKey, RemoteId, entries};
pub use item::{Asking, Fate, Item, Unanswered};
pub use part::{LeftOut, Part, Parts};
pub use prepared::Prepared;
pub use progress::{Progress, State};

use crate::http::{Caller, Client, Lane};
use crate::provider::{BatchTerms, Resolved};
use collect::Collector;

/// How patiently a batch is waited for.
#[derive(Clone, Copy, Debug)]
pub struct WaitOptions {
    /// The pause after the first look; each one is half as long again.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// When waiting ends even if the batch has not. Providers end batches after a day.
    pub give_up: Duration,
}

impl Default for WaitOptions {
    fn default() -> Self {
        Self {
            first_pause: Duration::from_secs(10),
            longest_pause: Duration::from_secs(300),
            give_up: Duration::from_secs(48 * 3600),
        }
    }
}

/// The business with the batches of one judge.
pub struct Job {
    resolved: Resolved,
    terms: BatchTerms,
    lane: Lane,
    caller: Arc<Caller<Client>>,
    options: WaitOptions,
    clock: fn() -> SystemTime,
    /// Batches that are known to belong to other parts.
    known: Mutex<HashSet<RemoteId>>,
}

impl Job {
    /// Puts a job together. The lane should be one of its own: a batch that is gone must not stop direct calls.
    pub fn new(
        resolved: Resolved,
        lane: Lane,
        caller: Arc<Caller<Client>>,
        options: WaitOptions,
        clock: fn() -> SystemTime,
    ) -> Result<Self, BatchError> {
        let Some(terms) = resolved.provider.batch.clone() else {
            return Err(BatchError::NotOffered { provider: resolved.provider.title.clone() });
        };
        Ok(Self { resolved, terms, lane, caller, options, clock, known: Mutex::default() })
    }

    /// What the provider keeps of a batch beyond what it keeps of direct calls: to be said before anything is sent.
    pub fn retention(&self) -> &str {
        &self.terms.retention
    }

    /// Cuts the requests of chats into parts within the provider's limits. A chat's requests stay together; a chat that
    /// fits no part is left out and asked directly. The same chats in the same order give the same parts.
    pub fn parts<I: IntoIterator<Item = Vec<Entry>>>(&self, chats: I) -> Parts<'_, I::IntoIter> {
        Parts::new(&self.resolved, &self.terms, chats.into_iter())
    }

    /// Says which batches belong to other parts, so that none of them is mistaken for the one looked for. Those that
    /// this job sends are known anyway.
    pub fn knows(&self, ids: impl IntoIterator<Item = RemoteId>) {
        self.known_ids().extend(ids);
    }

    fn known_ids(&self) -> std::sync::MutexGuard<'_, HashSet<RemoteId>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// How far a batch is.
    pub async fn poll(&self, id: &RemoteId) -> Result<Progress, BatchError> {
        self.progress(self.batch_url(id), id).await
    }

    /// Waits until a batch is over, however it ends. A provider that is down for a while is waited for, too. When the
    /// user stops, the batch goes on at the provider.
    pub async fn wait(&self, id: &RemoteId, mut seen: impl FnMut(&Progress) + Send) -> Result<Progress, BatchError> {
        let end = Instant::now() + self.options.give_up;
        let mut pause = self.options.first_pause;
        loop {
            match self.poll(id).await {
                Ok(progress) => {
                    seen(&progress);
                    if progress.state.is_over() {
                        return Ok(progress);
                    }
                }
                Err(BatchError::Unavailable { .. }) if self.lane.closed().is_none() => {}
                Err(error) => return Err(error),
            }
            if Instant::now() + pause >= end {
                let what = format!("the batch {id} is not done although its time is long up");
                return Err(BatchError::Unavailable { what });
            }
            self.pause(pause).await?;
            pause = pause.mul_f64(1.5).min(self.options.longest_pause);
        }
    }

    async fn pause(&self, pause: Duration) -> Result<(), BatchError> {
        tokio::select! {
            biased;
            () = self.caller.cancel().cancelled() => Err(BatchError::Stopped),
            () = sleep(pause) => Ok(()),
        }
    }

    /// Brings what became of each expected request, in the order the provider gives it, then those without a line. Each
    /// is handed over exactly once. The results are read line by line and may be collected again until they are cleaned.
    pub async fn collect(
        &self,
        id: &RemoteId,
        expected: &[CustomId],
        mut take: impl FnMut(Item) + Send,
    ) -> Result<Collected, BatchError> {
        let progress = self.poll(id).await?;
        if !progress.state.is_over() {
            return Err(BatchError::NotOver { id: id.clone() });
        }
        let mut collector = Collector::new(self.asked(), (self.clock)(), expected, &mut take);
        for url in self.result_urls(&progress) {
            self.read_lines(url, id, &mut collector).await?;
        }
        let reason = Unanswered::without_a_line(progress.state, progress.problem.as_deref());
        Ok(collector.finish(expected, &reason))
    }

    /// Asks the provider to stop a batch. What is answered by then is charged and can be collected once it is over.
    pub async fn cancel(&self, id: &RemoteId) -> Result<Progress, BatchError> {
        match self.post_cancel(id).await {
            // One that is over already cannot be cancelled, which is as good.
            Err(BatchError::Misconfigured { .. } | BatchError::Unavailable { .. } | BatchError::Invalid { .. }) => {
                self.poll(id).await
            }
            other => other,
        }
    }

    /// Deletes what a batch that is over left at the provider: the chats sent and the answers. How many things were
    /// deleted; what is gone already does not count. Call it when the answers are stored, and never for results that
    /// are foreign ([`Collected::is_foreign`]).
    pub async fn clean(&self, id: &RemoteId) -> Result<u32, BatchError> {
        let progress = match self.poll(id).await {
            Ok(progress) => progress,
            Err(BatchError::Gone { .. }) => return Ok(0),
            Err(error) => return Err(error),
        };
        if !progress.state.is_over() {
            return Err(BatchError::NotOver { id: id.clone() });
        }
        let mut deleted = 0;
        for url in self.leftover_urls(&progress)? {
            deleted += u32::from(self.delete(url).await?);
        }
        Ok(deleted)
    }
}
