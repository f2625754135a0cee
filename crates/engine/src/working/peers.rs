//! Other workers on a run: what one has that is gone is taken over, and waiting for one is said with its end.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use carelock_store::{Lease, RunKey, Store, StoreError};

use super::identity::{Identity, Work};
use crate::event::{Event, Events};
use crate::runs::now;

/// Sees the leases of other workers on a run.
pub(super) struct Peers {
    run: RunKey,
    /// The name of the worker that looks.
    own: String,
    /// The lease of a worker whose name does not tell it.
    lease: Duration,
    events: Events,
    /// The end of each worker's leases, and when it was first seen there.
    seen: HashMap<String, (i64, Instant)>,
    announced: HashSet<String>,
}

impl Peers {
    pub(super) fn new(run: RunKey, own: &Identity, events: Events) -> Self {
        let (own, lease) = (own.name(), own.lease);
        Self { run, own, lease, events, seen: HashMap::new(), announced: HashSet::new() }
    }

    /// Takes back what workers have that are gone, or that gave no sign of life for as long as their lease lasts, whatever
    /// the clocks say. While nothing else is to be done, those that are waited for are named.
    pub(super) async fn look(&mut self, store: &Store, waits: bool) -> Result<Vec<Lease>, StoreError> {
        let mut others = Vec::new();
        for lease in store.leases(self.run).await? {
            if lease.worker == self.own {
                continue;
            }
            let identity = Identity::parse(&lease.worker);
            if identity.as_ref().is_some_and(Identity::is_gone) {
                self.take_over(store, &lease, i64::MAX, identity.as_ref()).await?;
                continue;
            }
            let length = identity.as_ref().map_or(self.lease, |identity| identity.lease);
            let seen = self.seen.entry(lease.worker.clone()).or_insert_with(|| (lease.until, Instant::now()));
            if seen.0 != lease.until {
                *seen = (lease.until, Instant::now());
            }
            let silent = seen.1.elapsed();
            if silent > length {
                self.take_over(store, &lease, lease.until, identity.as_ref()).await?;
                continue;
            }
            if waits && self.announced.insert(lease.worker.clone()) {
                let left = i64::try_from((length - silent).as_millis()).unwrap_or(i64::MAX / 2);
                let process = identity.filter(Identity::is_here).map(|identity| identity.process);
                let (tasks, until) = (lease.tasks, lease.until.min(now() + left));
                self.events.tell(&Event::WaitsForWorker { tasks, process, until });
            }
            others.push(lease);
        }
        Ok(others)
    }

    async fn take_over(
        &mut self,
        store: &Store,
        lease: &Lease,
        until: i64,
        identity: Option<&Identity>,
    ) -> Result<(), StoreError> {
        let tasks = store.take_back(self.run, &lease.worker, until).await?;
        self.seen.remove(&lease.worker);
        if tasks > 0 || lease.batches > 0 {
            let process = identity.filter(|identity| identity.is_here()).map(|identity| identity.process);
            self.events.tell(&Event::TookOver { tasks, batches: lease.batches, process });
        }
        Ok(())
    }
}

/// Whether a worker has claimed tasks to send the questions of the judge at a place in batches.
pub(super) fn prepares_batches(lease: &Lease, place: u32) -> bool {
    lease.tasks > 0 && Identity::parse(&lease.worker).is_some_and(|identity| identity.work == Work::Batch(place))
}

/// Takes back what workers of this machine had claimed in a run and left, because they are gone.
pub async fn take_back_from_gone(store: &Store, run: RunKey) -> Result<(), StoreError> {
    for lease in store.leases(run).await? {
        if Identity::parse(&lease.worker).is_some_and(|identity| identity.is_gone()) {
            store.take_back(run, &lease.worker, i64::MAX).await?;
        }
    }
    Ok(())
}
