//! Answers on their way into the database: a model's at once, those of quick judges together with others.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Result;
use carelock_store::{ChatKey, FailedTask, NewAnswer, NewResult, Progress, Run, RunKey, RunState, Store};

use super::reconnect::reconnecting;
use crate::event::{Event, Events};
use crate::runs::{Scoring, report_of, results_of};

/// Answers that are worth a commit of their own.
const TOGETHER: usize = 64;
/// The longest an answer waits for others.
const PATIENCE: Duration = Duration::from_millis(100);
/// Chats that are looked at together.
const AT_ONCE: u32 = 256;

/// What a commit came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    pub answers: u64,
    pub gated: u64,
    pub unscored: u64,
}

/// What waits to be committed.
pub struct Commit<'a> {
    store: &'a Store,
    worker: String,
    judges: usize,
    events: Events,
    answers: Vec<NewAnswer>,
    results: Vec<NewResult>,
    failed: Vec<FailedTask>,
    /// Chats this worker is through with, but whose other judges answered elsewhere or earlier.
    shared: Vec<ChatKey>,
    since: Option<Instant>,
    hurried: bool,
}

impl<'a> Commit<'a> {
    /// Nothing waits yet.
    pub fn new(store: &'a Store, worker: String, judges: usize, events: Events) -> Self {
        Self {
            store,
            worker,
            judges,
            events,
            answers: Vec::new(),
            results: Vec::new(),
            failed: Vec::new(),
            shared: Vec::new(),
            since: None,
            hurried: false,
        }
    }

    /// Takes in what judges made of a chat.
    pub fn add(
        &mut self,
        chat: ChatKey,
        answers: Vec<NewAnswer>,
        results: Option<Vec<NewResult>>,
        failed: Vec<(u32, String)>,
        is_last: bool,
    ) {
        if answers.is_empty() && failed.is_empty() {
            return;
        }
        if is_last && results.is_none() && self.judges > 1 {
            self.shared.push(chat);
        }
        self.answers.extend(answers);
        self.results.extend(results.into_iter().flatten());
        let failed = failed.into_iter().map(|(place, error)| FailedTask { chat, place, error, again: false });
        self.failed.extend(failed);
        self.since.get_or_insert_with(Instant::now);
    }

    /// Says that the next commit should not wait: what came cost money.
    pub fn hurry(&mut self) {
        self.hurried = true;
    }

    /// Whether it is time to commit.
    pub fn is_due(&self) -> bool {
        let waited = self.since.is_some_and(|since| since.elapsed() >= PATIENCE);
        self.since.is_some() && (self.hurried || waited || self.answers.len() >= TOGETHER)
    }

    /// Commits everything: when this returns, it is safe.
    pub async fn flush(&mut self, scoring: &Scoring) -> Result<Committed> {
        (self.since, self.hurried) = (None, false);
        let mut committed = Committed::default();
        let (answers, results) = (std::mem::take(&mut self.answers), std::mem::take(&mut self.results));
        if !answers.is_empty() || !results.is_empty() {
            let recorded = reconnecting(&self.events, async |_| self.store.record(&answers, &results).await).await?;
            committed.answers = recorded.kept as u64;
            let refused: HashSet<ChatKey> = recorded.refused.iter().map(|(chat, _)| *chat).collect();
            let whole = results.iter().filter(|row| row.place.is_none() && !refused.contains(&row.chat));
            for row in whole {
                committed.gated += u64::from(!row.scores.gates.is_empty());
                committed.unscored += u64::from(row.scores.unscored > 0);
            }
        }
        let failed = std::mem::take(&mut self.failed);
        if !failed.is_empty() {
            reconnecting(&self.events, async |_| self.store.fail(&self.worker, &failed).await).await?;
            committed.answers += failed.len() as u64;
        }
        let shared = std::mem::take(&mut self.shared);
        if !shared.is_empty() {
            settle(self.store, scoring, &shared, Some(self.judges), &self.events).await?;
        }
        Ok(committed)
    }
}

/// Computes the results of chats from their stored answers; with a number of judges, only where all have answered. Says
/// how many could not be computed.
async fn settle(
    store: &Store,
    scoring: &Scoring,
    keys: &[ChatKey],
    judges: Option<usize>,
    events: &Events,
) -> Result<u64> {
    let answers = reconnecting(events, async |_| store.answers(keys).await).await?;
    let mut results = Vec::new();
    let mut unsettled = 0;
    for chat in reconnecting(events, async |_| store.chats(keys).await).await? {
        let start = answers.partition_point(|answer| answer.chat < chat.key);
        let end = answers.partition_point(|answer| answer.chat <= chat.key);
        let own = &answers[start..end];
        if judges.is_some_and(|judges| own.len() < judges) {
            continue;
        }
        let places: Vec<u32> = own.iter().map(|answer| answer.place).collect();
        match report_of(&chat, own, scoring) {
            Ok(report) => results.extend(results_of(&scoring.rubric, chat.key, &places, &report)),
            Err(error) => {
                events.tell(&Event::NoReport(format!("{error:#}")));
                unsettled += 1;
            }
        }
    }
    reconnecting(events, async |_| store.put_results(&results).await).await?;
    Ok(unsettled)
}

/// Computes the results that are still missing: of chats whose judges several workers shared, and of those that some
/// judges have failed on. Says how many chats stay without one.
pub async fn settle_the_rest(store: &Store, run: RunKey, scoring: &Scoring, events: &Events) -> Result<u64> {
    let (mut behind, mut unsettled) = (None, 0);
    loop {
        let keys = reconnecting(events, async |_| store.without_result(run, behind, AT_ONCE).await).await?;
        let Some(last) = keys.last() else { return Ok(unsettled) };
        behind = Some(*last);
        unsettled += settle(store, scoring, &keys, None, events).await?;
    }
}

/// Looks at the whole run, and marks it as done where it is.
pub async fn settle_state(store: &Store, run: &Run, unsettled: u64) -> Result<Progress> {
    let progress = store.progress(run.key).await?;
    let is_done = progress.answered == progress.total() && unsettled == 0;
    if is_done && run.state != RunState::Done {
        store.set_state(run.key, RunState::Done).await?;
    } else if unsettled > 0 && run.state == RunState::Done {
        store.set_state(run.key, RunState::Open).await?;
    }
    Ok(progress)
}
