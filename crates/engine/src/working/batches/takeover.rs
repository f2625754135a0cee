//! Batches of other workers: waited for while they live, taken over where they are gone.

use carelock_judge::batch::{EarlierBatch, PartKey};

use super::super::peers::prepares_batches;
use super::super::reconnect::reconnecting;
use super::{Batch, BatchItem, Batches, ChatKey, CustomId, Duration, HashMap, RemoteId, Result, UNIX_EPOCH, name, now};

impl Batches<'_> {
    /// Whether other workers have sent batches for this judge, or are about to. What they sent is paid for, so it is
    /// waited for, and taken over where they are gone.
    pub(super) fn is_waiting_for_others(&mut self) -> Result<bool> {
        let (run, store) = (self.batch_run.run.key, self.batch_run.database.store());
        let others = {
            let (events, peers, waits) = (self.batch_run.shared.events.clone(), &mut self.peers, self.sent.is_empty());
            self.batch_run.database.wait(reconnecting(&events, async |_| peers.look(store, waits).await))?
        };
        let open = self.stored(async |store| store.open_batches(run).await)?;
        let has_open = open.iter().any(|batch| batch.place == self.place && !self.looks_after(batch));
        // Whoever keeps chats for direct calls waits for no other that may do the same.
        Ok(has_open || self.direct.is_empty() && others.iter().any(|lease| prepares_batches(lease, self.place)))
    }

    fn looks_after(&self, batch: &Batch) -> bool {
        self.sent.iter().any(|sent| sent.row.key == batch.key)
    }

    /// Takes over what earlier workers have sent, or were about to send.
    pub(super) fn take_over(&mut self) -> Result<()> {
        let run = self.batch_run.run.key;
        let open = self.stored(async |store| store.open_batches(run).await)?;
        self.parts = open.iter().map(|batch| batch.part + 1).max().unwrap_or_default().max(self.parts);
        let names = open.iter().filter_map(|batch| Some(name(batch, batch.remote.as_deref()?, RemoteId::parse)));
        self.job.knows(names.collect::<Result<Vec<RemoteId>>>()?);
        let place = self.place;
        let foreign: Vec<Batch> = open.into_iter().filter(|row| row.place == place && !self.looks_after(row)).collect();
        for row in foreign {
            let items = self.stored(async |store| store.batch_items(row.key).await)?;
            let one = |item: &BatchItem| Ok((name(&row, &item.custom_id, CustomId::parse)?, item.chat));
            let chats: HashMap<CustomId, ChatKey> = items.iter().map(one).collect::<Result<_>>()?;
            let (worker, until) = (&self.worker, self.until());
            if !self.stored(async |store| store.lease_batch(row.key, worker, now(), until).await)? {
                continue;
            }
            self.stored(async |store| store.lease_batch_tasks(row.key, worker, until).await)?;
            match self.found(&row, &chats)? {
                Some(remote) => self.look_after(row, remote, chats)?,
                None => self.give_up(row, &chats)?,
            }
        }
        Ok(())
    }

    /// The batch of a part that may or may not have been sent.
    fn found(&self, row: &Batch, chats: &HashMap<CustomId, ChatKey>) -> Result<Option<RemoteId>> {
        if let Some(remote) = row.remote.as_deref() {
            return name(row, remote, RemoteId::parse).map(Some);
        }
        // The key is written down before anything is sent.
        let Some(key) = row.detail.as_deref() else { return Ok(None) };
        let key = name(row, key, PartKey::parse)?;
        let ids: Vec<CustomId> = chats.keys().cloned().collect();
        let begun = UNIX_EPOCH + Duration::from_millis(u64::try_from(row.created).unwrap_or_default());
        Ok(match self.alive(self.job.recover(&key, &ids, begun))?? {
            EarlierBatch::Sent(remote) | EarlierBatch::Perhaps(remote) => Some(remote),
            EarlierBatch::No => None,
        })
    }
}
