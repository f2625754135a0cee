//! A worker: claims chats, has them judged, commits every answer as it arrives, and claims the next.

mod claim;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Result;
use carelock_core::report::Source;
use carelock_core::verdict::{Submission, Verdicts};
use carelock_store::{ChatKey, Run, Store};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::commit::Commit;
use super::identity::{Identity, Work};
use super::peers::Peers;
use super::progress::{Progress, ProgressObserver, StopMode};
use super::quick::{Judged, Shared};
use super::ready::{Answered, results};
use super::reconnect::reconnecting;
use crate::judging::Stop;
use crate::runs::now;

/// How often the user's wishes and the clock are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How often other workers' progress is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// How a worker came to its end.
#[derive(Debug)]
pub enum Ending {
    /// Nothing is left to do.
    Done,
    /// The user asked to stop.
    Interrupted,
    /// The money is spent.
    Capped(String),
    /// All that is left to ask is in batches at a provider, which another process has sent.
    InBatches,
}

/// A chat this worker has claimed.
struct InHand {
    /// The judges that have not answered yet.
    waiting: Vec<u32>,
    /// The chat and the verdicts so far, where its judges answer one by one.
    parts: Option<(Source, Vec<(u32, Verdicts)>)>,
}

type Asking = Pin<Box<dyn Future<Output = (ChatKey, u32, Result<Submission, Stop>)>>>;

/// One worker on one run.
pub struct Worker<'a, A> {
    store: &'a Store,
    run: &'a Run,
    shared: Arc<Shared>,
    name: String,
    lease: Duration,
    peers: Peers,
    commit: Commit<'a>,
    progress: Progress,
    observer: A,
    in_hand: HashMap<ChatKey, InHand>,
    asking: FuturesUnordered<Asking>,
    /// When the leases were last renewed.
    renewed: Instant,
    /// When there may be something to claim again.
    claim_at: Instant,
    /// Whether there was nothing to claim the last time.
    claimed_nothing: bool,
    /// When other workers are looked at again.
    peers_at: Instant,
    /// The text of a chat, on average of those claimed last.
    usual_bytes: usize,
    ending: Option<Ending>,
    /// Whether nothing is waited for any more.
    is_at_once: bool,
    sender: UnboundedSender<Judged>,
    arrivals: UnboundedReceiver<Judged>,
}

impl<'a, A: ProgressObserver> Worker<'a, A> {
    /// A worker that begins where a run stands.
    pub fn new(
        store: &'a Store,
        run: &'a Run,
        shared: Arc<Shared>,
        lease: Duration,
        progress: Progress,
        observer: A,
    ) -> Self {
        let identity = Identity::new(Work::Direct, lease);
        let name = identity.name();
        let peers = Peers::new(run.key, &identity, shared.events.clone());
        let commit = Commit::new(store, name.clone(), shared.panel.judges(), shared.events.clone());
        let (sender, arrivals) = unbounded_channel();
        Self {
            store,
            run,
            shared,
            name,
            lease,
            peers,
            commit,
            progress,
            observer,
            in_hand: HashMap::new(),
            asking: FuturesUnordered::new(),
            renewed: Instant::now(),
            claim_at: Instant::now(),
            claimed_nothing: false,
            peers_at: Instant::now(),
            usual_bytes: 16 << 10,
            ending: None,
            is_at_once: false,
            sender,
            arrivals,
        }
    }

    /// Works until nothing is left, or until it is stopped.
    pub async fn work(&mut self) -> Result<Ending> {
        let worked = self.take_turns().await;
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Calls that are under way end with this; what was claimed and not answered goes back to the others.
        self.asking.clear();
        let kept = self.flush().await;
        let (store, key, name) = (self.store, self.run.key, self.name.clone());
        let released = reconnecting(&self.shared.events, async |_| store.release(key, &name).await).await;
        self.observer.end(&self.progress.standing(self.shared.panel.spent()));
        worked?;
        kept?;
        released?;
        Ok(self.ending.take().unwrap_or(Ending::Done))
    }

    async fn take_turns(&mut self) -> Result<()> {
        let mut tick = tokio::time::interval(TICK);
        let mut beat = tokio::time::interval(self.lease / 3);
        let mut look = tokio::time::interval(LOOK);
        for timer in [&mut tick, &mut beat, &mut look] {
            timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        }
        look.tick().await;
        self.look_at_peers(false).await?;
        loop {
            if self.ending.is_none() && self.claim_at <= Instant::now() {
                self.claim().await?;
            }
            if self.in_hand.is_empty() && self.is_over().await? {
                return Ok(());
            }
            tokio::select! {
                Some(judged) = self.arrivals.recv() => self.take(judged)?,
                Some(asked) = self.asking.next() => self.take_asked(asked)?,
                _ = beat.tick() => self.renew().await?,
                _ = look.tick() => self.look().await?,
                _ = tick.tick() => self.attend(),
            }
            if self.is_at_once {
                return Ok(());
            }
            while let Ok(judged) = self.arrivals.try_recv() {
                self.take(judged)?;
            }
            if self.commit.is_due() || self.in_hand.is_empty() {
                self.flush().await?;
            }
        }
    }

    /// Whether nothing is left to do for anybody, or this worker was stopped.
    async fn is_over(&mut self) -> Result<bool> {
        if self.ending.is_some() {
            return Ok(true);
        }
        if self.claim_at <= Instant::now() {
            return Ok(false);
        }
        if self.peers_at > Instant::now() {
            return Ok(false);
        }
        self.peers_at = Instant::now() + self.pause();
        self.look_at_peers(true).await?;
        let progress = self.stored_progress().await?;
        if progress.open > 0 {
            let (store, key) = (self.store, self.run.key);
            let batches = reconnecting(&self.shared.events, async |_| store.open_batches(key).await).await?;
            if self.claimed_nothing && !batches.is_empty() {
                self.ending = Some(Ending::InBatches);
                return Ok(true);
            }
            self.claim_at = Instant::now();
        }
        Ok(progress.open == 0 && progress.leased == 0)
    }

    async fn stored_progress(&self) -> Result<carelock_store::Progress> {
        let (store, key) = (self.store, self.run.key);
        Ok(reconnecting(&self.shared.events, async |_| store.progress(key).await).await?)
    }

    /// Takes over what workers have that are gone.
    async fn look_at_peers(&mut self, waits: bool) -> Result<()> {
        let (store, peers, events) = (self.store, &mut self.peers, self.shared.events.clone());
        reconnecting(&events, async |_| peers.look(store, waits).await).await?;
        Ok(())
    }

    /// How long to wait before others are looked at again.
    fn pause(&self) -> Duration {
        (self.lease / 4).min(Duration::from_secs(1))
    }

    async fn renew(&mut self) -> Result<()> {
        let (store, key) = (self.store, self.run.key);
        reconnecting(&self.shared.events, async |_| store.renew(key, &self.name, self.until()).await).await?;
        self.renewed = Instant::now();
        Ok(())
    }

    fn until(&self) -> i64 {
        now() + i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }

    fn take(&mut self, judged: Judged) -> Result<()> {
        let Some(chat) = self.in_hand.get_mut(&judged.chat) else { return Ok(()) };
        chat.waiting.retain(|place| !judged.settled.contains(place));
        self.progress.failed += judged.failed.len() as u64;
        let mut results = judged.results;
        let mut answers = Vec::with_capacity(judged.answers.len());
        for Answered { answer, verdicts } in judged.answers {
            if let Some((_, members)) = &mut chat.parts {
                members.push((answer.place, verdicts));
            }
            answers.push(answer);
        }
        let is_last = chat.waiting.is_empty();
        if is_last {
            let chat = self.in_hand.remove(&judged.chat);
            if let Some((source, members)) = chat.and_then(|chat| chat.parts)
                && members.len() == self.shared.panel.judges()
            {
                results = Some(self::results(&self.shared.scoring, judged.chat, source, members)?);
            }
        }
        self.commit.add(judged.chat, answers, results, judged.failed, is_last);
        Ok(())
    }

    fn take_asked(&mut self, (chat, place, asked): (ChatKey, u32, Result<Submission, Stop>)) -> Result<()> {
        let mut judged = Judged { chat, settled: vec![place], answers: Vec::new(), results: None, failed: Vec::new() };
        let source = self.in_hand.get(&chat).and_then(|chat| chat.parts.as_ref()).map(|(source, _)| source);
        match (asked, source) {
            (Ok(submission), Some(source)) => {
                // The judge saw these very turns; under which name is the record's business.
                let submission = Submission { transcript: None, ..submission };
                match Answered::new(&self.shared.scoring, source, chat, place, submission) {
                    Ok(answered) => judged.answers.push(answered),
                    Err(error) => judged.failed.push((place, format!("{error:#}"))),
                }
            }
            (Ok(_), None) => {}
            (Err(Stop::ThisChat(error)), _) => judged.failed.push((place, format!("{error:#}"))),
            // Given back with the rest at the end, so that it is asked again when there is money.
            (Err(Stop::CostCap(error)), _) => self.ending = Some(Ending::Capped(format!("{error:#}"))),
            (Err(Stop::Everything(error)), _) => return Err(error),
        }
        self.commit.hurry();
        self.take(judged)
    }

    /// Commits what has come in.
    async fn flush(&mut self) -> Result<()> {
        let committed = self.commit.flush(&self.shared.scoring).await?;
        self.progress.add(committed.answers);
        self.progress.gated += committed.gated;
        self.progress.unscored += committed.unscored;
        Ok(())
    }

    fn show(&mut self) {
        self.observer.show(&self.progress.standing(self.shared.panel.spent()));
    }

    /// Shows how it stands and listens to whoever wants it.
    fn attend(&mut self) {
        self.show();
        let mode = self.observer.stop_mode();
        self.is_at_once = mode == StopMode::Stop;
        if mode != StopMode::Continue && self.ending.is_none() {
            self.ending = Some(Ending::Interrupted);
            self.shared.stopping.store(true, Ordering::SeqCst);
            if !self.asking.is_empty() && !self.is_at_once {
                self.observer.waits_for(self.asking.len());
            }
        }
    }

    async fn look(&mut self) -> Result<()> {
        let progress = self.stored_progress().await?;
        self.progress.set_through(progress.answered + progress.failed);
        Ok(())
    }
}
