//! Waiting for batches, and judging chats with the answers they bring.

use futures_util::StreamExt as _;

use super::super::reconnect::reconnecting;
use super::super::{Answered, results};
use super::{
    Arc, BatchError, Batches, ChatKey, CustomId, Duration, Ending, HashMap, Instant, Item, PAGE, PoisonError, Prepared,
    Ready, Result, Sent, State, Subject, entries, unique,
};
use crate::event::Event;
use crate::judging::Stop;

/// The longest pause between two looks at the batches.
const LONGEST: Duration = Duration::from_secs(300);

impl Batches<'_> {
    /// Waits until one of the batches is over, and uses what it brings.
    pub(super) fn collect_next(&mut self) -> Result<Option<Ending>> {
        let mut pause = self.batch_run.pause;
        loop {
            let (mut answered, mut total) = (0, 0);
            for place in 0..self.sent.len() {
                let progress = match self.alive(self.job.poll(&self.sent[place].remote))? {
                    Ok(progress) => progress,
                    // A provider that is down for a while is waited for.
                    Err(BatchError::Unavailable { .. }) => continue,
                    Err(BatchError::Stopped) => return Ok(Some(Ending::Interrupted)),
                    Err(BatchError::Gone { .. }) => return self.without_answers(place, "is gone"),
                    Err(error) => return Err(error.into()),
                };
                answered += progress.answered;
                total += progress.total;
                if progress.queue_full {
                    if self.rest(pause)? {
                        return Ok(Some(Ending::Interrupted));
                    }
                    let sent = self.sent.swap_remove(place);
                    return self.give_up(sent.row, &sent.chats).map(|()| None);
                }
                if progress.state == State::Failed {
                    let why = progress.problem.unwrap_or_else(|| "was not taken".to_owned());
                    return self.without_answers(place, &why);
                }
                if progress.state.is_over() {
                    return self.collect(place);
                }
            }
            let batches = self.sent.len();
            self.tell(&Event::BatchProgress { answered, total, batches });
            if self.rest(pause)? {
                return Ok(Some(Ending::Interrupted));
            }
            pause = pause.mul_f64(1.5).min(LONGEST);
        }
    }

    /// Waits a while; true where the user stopped it.
    pub(super) fn rest(&self, pause: Duration) -> Result<bool> {
        let end = Instant::now() + pause;
        while Instant::now() < end && !(self.batch_run.is_stopped)() {
            // A timer is made where it runs.
            self.alive(async { tokio::time::sleep(Duration::from_millis(50).min(pause)).await })?;
        }
        Ok((self.batch_run.is_stopped)())
    }

    /// A batch that brings nothing: its chats are asked directly.
    fn without_answers(&mut self, place: usize, why: &str) -> Result<Option<Ending>> {
        let mut sent = self.sent.swap_remove(place);
        self.tell(&Event::BatchWithoutAnswers { name: sent.remote.to_string(), why: why.to_owned() });
        self.direct.extend(unique(sent.chats.values().copied()));
        "failed".clone_into(&mut sent.row.state);
        self.stored(async |store| store.update_batch(&sent.row, true).await)?;
        Ok(None)
    }

    fn collect(&mut self, place: usize) -> Result<Option<Ending>> {
        let mut items: HashMap<CustomId, Item> = HashMap::new();
        let Sent { remote, chats, .. } = &self.sent[place];
        let expected: Vec<CustomId> = chats.keys().cloned().collect();
        let collected = self.job.collect(remote, &expected, |item| drop(items.insert(item.id.clone(), item)));
        let collected = match self.alive(collected)? {
            Ok(collected) => collected,
            Err(BatchError::Stopped) => return Ok(Some(Ending::Interrupted)),
            Err(BatchError::Gone { .. }) => return self.without_answers(place, "is gone"),
            Err(error) => return Err(error.into()),
        };
        if collected.is_foreign() {
            // It only looked like ours; the part was never sent.
            let sent = self.sent.swap_remove(place);
            return self.give_up(sent.row, &sent.chats).map(|()| None);
        }
        let keys = unique(self.sent[place].chats.values().copied());
        for page in keys.chunks(PAGE) {
            if let Some(ending) = self.judge(page, &mut items)? {
                return Ok(Some(ending));
            }
        }
        let mut sent = self.sent.swap_remove(place);
        "collected".clone_into(&mut sent.row.state);
        self.stored(async |store| store.update_batch(&sent.row, true).await)?;
        if let Err(error) = self.alive(self.job.clean(&sent.remote))? {
            let (name, why) = (sent.remote.to_string(), error.to_string());
            self.tell(&Event::BatchNotDeleted { name, why });
        }
        Ok(None)
    }

    /// Judges some chats with the answers there are, and commits what comes of it.
    fn judge(&mut self, keys: &[ChatKey], items: &mut HashMap<CustomId, Item>) -> Result<Option<Ending>> {
        let (store, events) = (self.batch_run.database.store(), &self.batch_run.shared.events);
        let known = self.alive(reconnecting(events, async |_| store.answers(keys).await))??;
        let is_open = |key: &ChatKey| !known.iter().any(|answer| answer.chat == *key && answer.place == self.place);
        let open: Vec<ChatKey> = keys.iter().copied().filter(is_open).collect();
        let mut subjects = Vec::new();
        for chat in self.alive(reconnecting(events, async |_| store.chats(&open).await))?? {
            let key = chat.key;
            let ready = match Ready::new(chat) {
                Ok(ready) => ready,
                Err(error) => {
                    self.fail(key, &error);
                    continue;
                }
            };
            let subject = self.subject(&ready);
            *subject.prepared.lock().unwrap_or_else(PoisonError::into_inner) =
                self.prepared(&ready, &subject, items)?;
            subjects.push((ready, subject));
        }
        let (shared, place) = (Arc::clone(self.batch_run.shared), self.place);
        let ask = |(ready, subject): (Ready, Subject)| {
            let shared = Arc::clone(&shared);
            async move {
                let asked = shared.panel.ask(&shared.scoring.rubric, &subject, place).await;
                (ready, asked)
            }
        };
        let asked = futures_util::stream::iter(subjects).map(ask).buffer_unordered(self.judging.at_once());
        let asked: Vec<(Ready, Result<_, Stop>)> = self.alive(asked.collect())?;
        let mut ending = None;
        for (ready, outcome) in asked {
            match outcome {
                Ok(submission) => self.keep(ready, submission),
                Err(Stop::ThisChat(error)) => self.fail(ready.key, &error),
                Err(Stop::CostCap(error)) => ending = Some(Ending::Capped(format!("{error:#}"))),
                Err(Stop::Everything(error)) => return Err(error),
            }
        }
        self.batch_run.database.wait(self.commit.flush(&self.batch_run.shared.scoring))?;
        if (self.batch_run.is_stopped)() {
            ending = Some(Ending::Interrupted);
        }
        Ok(ending)
    }

    /// The answers of a batch to the questions about a chat.
    fn prepared(&self, ready: &Ready, subject: &Subject, items: &mut HashMap<CustomId, Item>) -> Result<Prepared> {
        let (run, (judge, _)) = (self.batch_run.run.key.0.to_string(), self.judging.names(self.judge)?);
        let questions = self.judging.questions(&self.batch_run.shared.scoring.rubric, subject, self.judge)?;
        let entries = entries(&run, &ready.key.0.to_string(), &judge, questions);
        let mut prepared = Prepared::awaiting(&entries);
        for item in entries.iter().filter_map(|entry| items.remove(entry.id())) {
            prepared.put(item);
        }
        Ok(prepared)
    }

    fn keep(&mut self, ready: Ready, submission: carelock_core::verdict::Submission) {
        let scoring = &self.batch_run.shared.scoring;
        let submission = carelock_core::verdict::Submission { transcript: None, ..submission };
        let key = ready.key;
        let kept = Answered::new(scoring, &ready.source, key, self.place, submission).and_then(|answered| {
            let alone = self.batch_run.shared.panel.judges() == 1;
            let members = vec![(self.place, answered.verdicts)];
            let rows = alone.then(|| results(scoring, key, ready.source, members)).transpose()?;
            Ok((answered.answer, rows))
        });
        match kept {
            Ok((answer, rows)) => self.commit.add(key, vec![answer], rows, Vec::new(), true),
            Err(error) => self.fail(key, &error),
        }
    }

    fn fail(&mut self, chat: ChatKey, error: &anyhow::Error) {
        self.commit.add(chat, Vec::new(), None, vec![(self.place, format!("{error:#}"))], true);
    }
}
