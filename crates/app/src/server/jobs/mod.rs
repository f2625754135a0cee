//! Jobs: runs of the database that this server works on. A job's number is its run's.

mod events;
mod job;
mod order;
mod view;
mod work;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use carelock_store::{RunKey, RunState};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::refusal::{Answer, Refusal};
use super::state::Shared;
use crate::runs::StoredConfig;
use crate::working::READY;
pub(crate) use events::events;
use job::Job;
pub(crate) use order::{Order, begin, seat};
pub(crate) use view::{View, view};

/// Runs that are worked on at once.
const AT_ONCE: usize = 2;
/// Runs that may wait for their turn.
const WAITING: usize = 100;
/// Jobs that are remembered, for what they said when they ended.
const REMEMBERED: usize = 1_000;
/// Browsers that may listen to progress at once.
const LISTENERS: usize = 64;

/// All jobs of the server.
pub(crate) struct Jobs {
    known: Mutex<Known>,
    room: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
    ending: watch::Sender<bool>,
}

/// Under one lock, so that no job begins on what is being deleted, nor the other way round.
#[derive(Default)]
struct Known {
    jobs: HashMap<RunKey, Arc<Job>>,
    /// Runs of which something is being deleted.
    closed: HashSet<RunKey>,
}

impl Known {
    fn is_at(&self, run: RunKey) -> bool {
        self.jobs.get(&run).is_some_and(|job| !job.is_over())
    }

    fn busy(&self) -> usize {
        self.jobs.values().filter(|job| !job.is_over()).count()
    }
}

impl Default for Jobs {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            room: Arc::new(Semaphore::new(AT_ONCE)),
            listeners: Arc::new(Semaphore::new(LISTENERS)),
            ending: watch::Sender::new(false),
        }
    }
}

impl Jobs {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job on a run, if this server has one, be it over or not.
    fn of(&self, run: RunKey) -> Option<Arc<Job>> {
        self.known().jobs.get(&run).map(Arc::clone)
    }

    /// Whether this server works on a run, or will.
    pub(crate) fn is_at(&self, run: RunKey) -> bool {
        self.known().is_at(run)
    }

    /// Lets no job begin on a run, because something of it is to be deleted; an error where that goes on already, or
    /// where one is at it.
    pub(super) fn close_run(&self, run: RunKey) -> Answer<()> {
        let mut known = self.known();
        if known.is_at(run) {
            let what = "The server works on this run.";
            return Err(Refusal::new(StatusCode::CONFLICT, what, "stop the job first, then delete"));
        }
        if known.closed.insert(run) { Ok(()) } else { Err(being_deleted()) }
    }

    /// Lets jobs begin on a run again.
    pub(super) fn open_run(&self, run: RunKey) {
        self.known().closed.remove(&run);
    }

    /// Has a job stopped; whether there was one.
    pub(crate) fn cancel(&self, run: RunKey) -> bool {
        let job = self.of(run).filter(|job| !job.is_over());
        job.is_some_and(|job| {
            job.stop();
            true
        })
    }

    /// Has all jobs stopped and takes no others; they can be carried on with.
    pub(crate) fn close(&self) {
        self.ending.send_replace(true);
        self.known().jobs.values().for_each(|job| job.stop());
    }

    /// Waits until all jobs have ended, for a while.
    pub(crate) async fn ended(&self, patience: Duration) {
        let end = tokio::time::Instant::now() + patience;
        while self.known().busy() > 0 && tokio::time::Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// An error where no further run is taken.
    fn check_room(&self) -> Answer<()> {
        self.is_free(&self.known()).then_some(()).ok_or_else(full)
    }

    fn is_free(&self, known: &Known) -> bool {
        !*self.ending.borrow() && known.busy() < WAITING
    }

    /// A new job on a run; none where one is at it.
    fn enter(&self, run: RunKey) -> Answer<Option<Arc<Job>>> {
        let mut known = self.known();
        if known.is_at(run) {
            return Ok(None);
        }
        if known.closed.contains(&run) {
            return Err(being_deleted());
        }
        if !self.is_free(&known) {
            return Err(full());
        }
        if known.jobs.len() >= REMEMBERED {
            known.jobs.retain(|_, job| !job.is_over());
        }
        let job = Arc::new(Job::new(run));
        known.jobs.insert(run, Arc::clone(&job));
        Ok(Some(job))
    }
}

fn being_deleted() -> Refusal {
    Refusal::new(StatusCode::CONFLICT, "Something of this run is being deleted.", "try again in a moment")
}

fn full() -> Refusal {
    busy("The server has as many runs before it as it takes.")
}

fn busy(what: &str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what, "try again in a moment")
}

/// Works on a run as soon as there is room; one that is worked on already is left alone.
fn start(server: &Shared, run: RunKey) -> Answer<()> {
    let Some(job) = server.jobs.enter(run)? else { return Ok(()) };
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let room = Arc::clone(&server.jobs.room);
        let room = tokio::select! {
            room = room.acquire_owned() => room.ok(),
            () = job.stopped() => None,
        };
        let said = match room {
            None => None,
            Some(_room) => {
                server.metrics.working(1);
                let (server, at) = (Arc::clone(&server), Arc::clone(&job));
                let metrics = Arc::clone(&server.metrics);
                // What asks the judges cannot change threads, so it has one of its own.
                let worked = tokio::task::spawn_blocking(move || Handle::current().block_on(work::work(&server, &at)));
                let worked = worked.await;
                metrics.working(-1);
                match worked {
                    Ok(Ok(said)) => said,
                    Ok(Err(error)) => Some(format!("{error:#}")),
                    Err(_) => Some("the work broke off".to_owned()),
                }
            }
        };
        job.end(said);
    });
    Ok(())
}

/// Carries on with a run: what is answered stays, what failed is tried again.
pub(crate) async fn resume(server: &Shared, run: RunKey) -> Answer<()> {
    if server.jobs.is_at(run) {
        return Ok(());
    }
    // Nothing of a run that is being deleted is to be changed; whether it still is, is asked again when work begins.
    if server.jobs.known().closed.contains(&run) {
        return Err(being_deleted());
    }
    let found = server.store.run_numbered(run).await?;
    let stored = StoredConfig::load(&server.store, run).await?;
    let in_folder = format!("carry on with `carelock run --resume {}` in the folder it was started in", found.name);
    if found.state == RunState::Filling {
        return Err(Refusal::bad("This run was stopped before all its chats were stored.", in_folder));
    }
    // A server reads no files of its machine for a request.
    if stored.judging.batch || stored.judges.iter().any(|judge| judge.starts_with(READY)) {
        let what = "This run takes answers from files or from a provider's batches, which a server does not do.";
        return Err(Refusal::bad(what, in_folder));
    }
    let reopened = server.store.reopen_failed(run).await?;
    if reopened > 0 && found.state == RunState::Done {
        server.store.set_state(run, RunState::Open).await?;
    }
    start(server, run)
}
