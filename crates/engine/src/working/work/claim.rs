//! Claiming chats, as many as there is room for, and handing them to their judges.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use carelock_store::{ChatKey, Claim, StoredChat};

use super::{InHand, Worker};
use crate::runs::now;
use crate::working::progress::ProgressObserver;
use crate::working::quick::{Judged, unbroken};
use crate::working::ready::Ready;
use crate::working::reconnect::reconnecting;

/// Text of chats that quick judges have before them at a time; enough to keep all cores busy.
const IN_HAND_BYTES: usize = 8 << 20;
/// The most chats that quick judges have before them.
const IN_HAND: usize = 512;

impl<A: ProgressObserver> Worker<'_, A> {
    /// How many more chats there is room for.
    fn room(&self) -> usize {
        match self.shared.panel.models() {
            Some(judging) => judging.at_once().saturating_sub(self.in_hand.len()),
            None => {
                let most = (IN_HAND_BYTES / self.usual_bytes.max(1)).clamp(16, IN_HAND);
                // Claimed by halves: one is judged while the other is fetched.
                if self.in_hand.len() * 2 <= most { most / 2 } else { 0 }
            }
        }
    }

    pub(super) async fn claim(&mut self) -> Result<()> {
        let room = self.room();
        if room == 0 {
            return Ok(());
        }
        // After a time in which nothing could be done, its own tasks must not look like those of a dead worker.
        if self.renewed.elapsed() > self.lease / 3 {
            self.renew().await?;
        }
        let tasks = u32::try_from(room * self.shared.panel.judges()).unwrap_or(u32::MAX);
        let (worker, until) = (self.name.clone(), self.until());
        let claim = Claim { run: self.run.key, place: None, worker, tasks, now: now(), until };
        let in_hand: Vec<ChatKey> = self.in_hand.keys().copied().collect();
        let (store, key) = (self.store, self.run.key);
        let claimed = reconnecting(&self.shared.events, async |attempt| {
            if attempt > 0 {
                // The claim before this one may have been heard.
                store.release_all_but(key, &claim.worker, &in_hand).await?;
            }
            store.claim(&claim).await
        });
        let claimed = claimed.await?;
        self.claimed_nothing = claimed.is_empty();
        if claimed.len() < usize::try_from(tasks).unwrap_or(usize::MAX) {
            // Others have the rest, or nobody has; a task whose worker died comes back with its lease.
            self.claim_at = Instant::now() + self.pause();
        }
        let mut places: HashMap<ChatKey, Vec<u32>> = HashMap::new();
        for task in &claimed {
            let is_in_hand = self.in_hand.get(&task.chat).is_some_and(|chat| chat.waiting.contains(&task.place));
            if !is_in_hand {
                places.entry(task.chat).or_default().push(task.place);
            }
        }
        let mut keys: Vec<ChatKey> = places.keys().copied().collect();
        keys.sort();
        let chats = reconnecting(&self.shared.events, async |_| store.chats(&keys).await).await?;
        let bytes: usize = chats.iter().flat_map(|chat| &chat.chat.turns).map(|turn| turn.text.len()).sum();
        self.usual_bytes = bytes.checked_div(chats.len()).map_or(self.usual_bytes, |usual| usual.max(1024));
        for chat in chats {
            let places = places.remove(&chat.key).unwrap_or_default();
            self.begin(chat, places);
        }
        Ok(())
    }

    /// Hands a chat to its judges: quick ones to the other threads, models to the network.
    fn begin(&mut self, chat: StoredChat, places: Vec<u32>) {
        let key = chat.key;
        let in_hand = self.in_hand.entry(key).or_insert_with(|| InHand { waiting: Vec::new(), parts: None });
        in_hand.waiting.extend(&places);
        let ready = match Ready::new(chat) {
            Ok(ready) => Arc::new(ready),
            Err(error) => {
                let failed = places.iter().map(|place| (*place, format!("{error:#}"))).collect();
                let judged = Judged { chat: key, settled: places, answers: Vec::new(), results: None, failed };
                // The other end is ours.
                let _ = self.sender.send(judged);
                return;
            }
        };
        let (quick, slow): (Vec<u32>, Vec<u32>) = places.iter().partition(|place| self.shared.panel.is_quick(**place));
        let at_once = quick.len() == self.shared.panel.judges();
        if !at_once && in_hand.parts.is_none() {
            in_hand.parts = Some((ready.source.clone(), Vec::new()));
        }
        if !slow.is_empty() {
            let subject = Arc::new(ready.subject(&self.shared.panel, &self.shared.scoring.rubric, &slow));
            for place in slow {
                let (shared, subject) = (Arc::clone(&self.shared), Arc::clone(&subject));
                self.asking.push(Box::pin(async move {
                    let asked = shared.panel.ask(&shared.scoring.rubric, &subject, place).await;
                    (key, place, asked)
                }));
            }
        }
        if !quick.is_empty() {
            let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
            rayon::spawn(move || {
                let judged = unbroken(key, &quick, || shared.judge(&ready, &quick, at_once));
                // Nobody waits any more where the worker has ended.
                let _ = sender.send(judged);
            });
        }
    }
}
