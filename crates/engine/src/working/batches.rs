//! Questions sent in batches: written down, sent, waited for, collected, and carried on with after a restart.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_judge::batch::{
    BatchError, CustomId, Entry, Item, Job, LeftOut, Part, Prepared, RemoteId, State, WaitOptions, entries,
};
use carelock_store::{Batch, BatchItem, ChatKey, Claim, FailedTask, NewBatch, Run, Store, StoreError};

use super::identity::{Identity, Work};
use super::peers::Peers;
use super::reconnect::reconnecting;
use super::{Commit, Ending, Ready, Shared};
use crate::event::Event;
use crate::judging::{Judging, Subject};
use crate::runs::{Database, now};

mod collect;
mod takeover;

/// Chats that are put into parts at a time; their questions are held until they are sent.
const CLAIMED: u32 = 1_000;
/// Chats that are held at a time.
const PAGE: usize = 64;

/// What all batches of a run are worked on with.
#[derive(Clone, Copy)]
pub struct BatchRun<'a> {
    /// The database.
    pub database: &'a Database,
    /// The run.
    pub run: &'a Run,
    /// Judges, scoring, and where events go.
    pub shared: &'a Arc<Shared>,
    /// How long chats stay with a worker that gives no sign of life.
    pub lease: Duration,
    /// The pause before the first look at a batch.
    pub pause: Duration,
    /// Whether the user has asked to stop.
    pub is_stopped: fn() -> bool,
}

/// A batch that this worker looks after.
struct Sent {
    row: Batch,
    remote: RemoteId,
    chats: HashMap<CustomId, ChatKey>,
}

/// The batches of one judge.
struct Batches<'a> {
    batch_run: BatchRun<'a>,
    judging: &'a Judging,
    judge: usize,
    place: u32,
    job: Job,
    worker: String,
    peers: Peers,
    commit: Commit<'a>,
    sent: Vec<Sent>,
    /// Chats that cannot go into a batch, or did not come out of one.
    direct: Vec<ChatKey>,
    parts: u32,
}

/// What the providers of a run's judges keep of batches, to be agreed to before anything is sent.
pub fn retention(judging: &Judging, models: usize) -> Result<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    for judge in 0..models {
        let text = judging.job(judge, WaitOptions::default())?.retention().to_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts)
}

/// Sends what can be sent in batches, and waits for it; what is left is for direct calls.
pub fn work_in_batches(batch_run: BatchRun<'_>) -> Result<Option<Ending>> {
    let Some(judging) = batch_run.shared.panel.models() else { return Ok(None) };
    let judges = u32::try_from(batch_run.shared.panel.judges())?;
    for place in 0..judges {
        let Some(judge) = batch_run.shared.panel.model(place) else { continue };
        let options = WaitOptions { first_pause: batch_run.pause, ..WaitOptions::default() };
        let job = judging.job(judge, options)?;
        let identity = Identity::new(Work::Batch(place), batch_run.lease);
        let worker = identity.name();
        let peers = Peers::new(batch_run.run.key, &identity, batch_run.shared.events.clone());
        let commit = Commit::new(
            batch_run.database.store(),
            worker.clone(),
            batch_run.shared.panel.judges(),
            batch_run.shared.events.clone(),
        );
        let (sent, direct) = (Vec::new(), Vec::new());
        let mut batches =
            Batches { batch_run, judging, judge, place, job, worker, peers, commit, sent, direct, parts: 0 };
        let worked = batches.work();
        batch_run.shared.events.tell(&Event::BatchesLeft);
        let ended = batches.end();
        if let Some(ending) = worked? {
            return Ok(Some(ending));
        }
        ended?;
    }
    Ok(None)
}

impl Batches<'_> {
    fn work(&mut self) -> Result<Option<Ending>> {
        loop {
            let is_waiting = self.is_waiting_for_others()?;
            self.take_over()?;
            if let Some(ending) = self.send()? {
                return Ok(Some(ending));
            }
            if self.sent.is_empty() {
                if !is_waiting {
                    return Ok(None);
                }
                if self.rest((self.batch_run.lease / 4).min(Duration::from_secs(1)))? {
                    return Ok(Some(Ending::Interrupted));
                }
                continue;
            }
            if let Some(ending) = self.collect_next()? {
                return Ok(Some(ending));
            }
        }
    }

    fn tell(&self, event: &Event) {
        self.batch_run.shared.events.tell(event);
    }

    /// Asks the database, and again where the connection to it was lost.
    fn stored<T>(&self, mut ask: impl AsyncFnMut(&Store) -> Result<T, StoreError>) -> Result<T> {
        let store = self.batch_run.database.store();
        let asked = reconnecting(&self.batch_run.shared.events, async |_| ask(store).await);
        Ok(self.batch_run.database.wait(asked)?)
    }

    /// Gives back everything, so that direct calls or the next worker can go on at once.
    fn end(&mut self) -> Result<()> {
        self.reopen(&self.direct)?;
        self.stored(async |store| store.take_back(self.batch_run.run.key, &self.worker, i64::MAX).await)?;
        Ok(())
    }

    fn until(&self) -> i64 {
        now() + i64::try_from(self.batch_run.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }

    /// Waits for something while the leases are renewed; Ctrl-C ends calls that are under way.
    fn alive<T>(&self, asked: impl Future<Output = T>) -> Result<T> {
        let (store, events) = (self.batch_run.database.store(), &self.batch_run.shared.events);
        let renew = async |_| {
            store.renew(self.batch_run.run.key, &self.worker, self.until()).await?;
            for sent in &self.sent {
                store.lease_batch(sent.row.key, &self.worker, now(), self.until()).await?;
            }
            Ok(())
        };
        self.batch_run.database.wait(async {
            let mut asked = std::pin::pin!(asked);
            let mut beat = tokio::time::interval(self.batch_run.lease / 3);
            let mut tick = tokio::time::interval(Duration::from_millis(50));
            loop {
                tokio::select! {
                    done = &mut asked => return Ok(done),
                    _ = beat.tick() => reconnecting(events, renew).await?,
                    _ = tick.tick() => if (self.batch_run.is_stopped)() { self.judging.stop() },
                }
            }
        })
    }

    fn look_after(&mut self, mut row: Batch, remote: RemoteId, chats: HashMap<CustomId, ChatKey>) -> Result<()> {
        row.remote = Some(remote.as_str().to_owned());
        "sent".clone_into(&mut row.state);
        self.stored(async |store| store.update_batch(&row, false).await)?;
        self.sent.push(Sent { row, remote, chats });
        Ok(())
    }

    /// Closes a batch that nobody waits for any more; its chats can be sent again.
    fn give_up(&self, mut row: Batch, chats: &HashMap<CustomId, ChatKey>) -> Result<()> {
        "given up".clone_into(&mut row.state);
        self.stored(async |store| store.update_batch(&row, true).await)?;
        self.reopen(&unique(chats.values().copied()))
    }

    fn reopen(&self, chats: &[ChatKey]) -> Result<()> {
        let place = self.place;
        let task = |&chat: &ChatKey| FailedTask { chat, place, error: String::new(), again: true };
        let tasks: Vec<FailedTask> = chats.iter().map(task).collect();
        self.stored(async |store| store.fail(&self.worker, &tasks).await)
    }

    /// Sends everything that waits for this judge, part by part.
    fn send(&mut self) -> Result<Option<Ending>> {
        loop {
            let claim = Claim {
                run: self.batch_run.run.key,
                place: Some(self.place),
                worker: self.worker.clone(),
                tasks: CLAIMED,
                now: now(),
                until: self.until(),
            };
            let claimed = self.stored(async |store| store.claim(&claim).await)?;
            if claimed.is_empty() {
                return Ok(None);
            }
            let keys: Vec<ChatKey> = claimed.iter().map(|task| task.chat).collect();
            if let Some(ending) = self.send_chats(&keys)? {
                return Ok(Some(ending));
            }
        }
    }

    fn send_chats(&mut self, keys: &[ChatKey]) -> Result<Option<Ending>> {
        let mut rounds = Vec::new();
        let mut chats = HashMap::new();
        for (key, entries) in self.questions(keys)? {
            if entries.is_empty() {
                self.direct.push(key);
            }
            chats.extend(entries.iter().map(|entry| (entry.id().clone(), key)));
            rounds.push(entries);
        }
        let parts: Vec<Result<Part, LeftOut>> = self.job.parts(rounds).collect();
        for part in parts {
            let part = match part {
                Ok(part) => part,
                Err(LeftOut { ids, .. }) => {
                    self.direct.extend(unique(ids.iter().filter_map(|id| chats.get(id).copied())));
                    continue;
                }
            };
            if let Err(why) = self.judging.allows(part.estimate()) {
                return Ok(Some(Ending::Capped(format!("not sent: the cap on the cost is reached ({why})"))));
            }
            let own = part.ids().iter().filter_map(|id| Some((id.clone(), *chats.get(id)?))).collect();
            if let Some(ending) = self.send_part(&part, own)? {
                return Ok(Some(ending));
            }
        }
        Ok(None)
    }

    /// The questions about some chats, each under the name its answer is matched by.
    fn questions(&self, keys: &[ChatKey]) -> Result<Vec<(ChatKey, Vec<Entry>)>> {
        let (run, (judge, _)) = (self.batch_run.run.key.0.to_string(), self.judging.names(self.judge)?);
        let mut all = Vec::with_capacity(keys.len());
        for page in keys.chunks(PAGE) {
            for chat in self.alive(self.batch_run.database.store().chats(page))?? {
                let key = chat.key;
                // Among those that are asked directly, a chat that cannot be judged fails alone, with its reason.
                let Ok(ready) = Ready::new(chat) else {
                    all.push((key, Vec::new()));
                    continue;
                };
                let subject = self.subject(&ready);
                let questions = self.judging.questions(&self.batch_run.shared.scoring.rubric, &subject, self.judge)?;
                all.push((key, entries(&run, &key.0.to_string(), &judge, questions)));
            }
        }
        Ok(all)
    }

    fn subject(&self, chat: &Ready) -> Subject {
        chat.subject(&self.batch_run.shared.panel, &self.batch_run.shared.scoring.rubric, &[self.place])
    }

    /// Sends a part: written down before, and with the provider's name for it after.
    fn send_part(&mut self, part: &Part, chats: HashMap<CustomId, ChatKey>) -> Result<Option<Ending>> {
        let provider = self.judging.names(self.judge)?.1;
        let item = |id: &CustomId| Some(BatchItem { custom_id: id.as_str().to_owned(), chat: chats.get(id).copied()? });
        let new = NewBatch {
            run: self.batch_run.run.key,
            place: self.place,
            part: self.parts,
            provider: provider.clone(),
            created: now(),
            detail: Some(part.key().as_str().to_owned()),
            worker: self.worker.clone(),
            until: self.until(),
            items: part.ids().iter().filter_map(item).collect(),
        };
        // Not tried again: written down twice, it would be looked for at the provider twice.
        let key = self.batch_run.database.wait(self.batch_run.database.store().insert_batch(&new))?;
        self.parts += 1;
        let row = Batch {
            key,
            run: new.run,
            place: new.place,
            part: new.part,
            provider,
            remote: None,
            state: "new".to_owned(),
            created: new.created,
            detail: new.detail,
        };
        let (number, size) = (new.part + 1, part.ids().len());
        match self.alive(self.job.submit(part))? {
            Ok(remote) => {
                let name = remote.to_string();
                self.tell(&Event::BatchSent { number, questions: size, name });
                self.look_after(row, remote, chats)?;
                Ok(None)
            }
            Err(BatchError::Stopped) => Ok(Some(Ending::Interrupted)),
            Err(error) => Err(error.into()),
        }
    }
}

/// A name as it was stored. To pass over one that cannot be read would mean to send its questions, and to pay for them,
/// a second time.
fn name<T>(batch: &Batch, text: &str, parse: impl Fn(&str) -> Result<T, Problem>) -> Result<T> {
    parse(text).map_err(|_| {
        anyhow!(
            Problem::new(format!(
                "batch {} of judge {}: the name {text:?} in the database is damaged; nothing was sent again",
                batch.part + 1,
                batch.place + 1
            ))
            .advice("restore a copy of the database, or start a new run")
        )
    })
}

fn unique(chats: impl Iterator<Item = ChatKey>) -> Vec<ChatKey> {
    let mut chats: Vec<ChatKey> = chats.collect();
    chats.sort();
    chats.dedup();
    chats
}
