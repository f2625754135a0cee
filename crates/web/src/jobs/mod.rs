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
use carelock_engine::panel::RECORDED;
use carelock_engine::runs::StoredConfig;
use carelock_store::{RunKey, RunState};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::api_error::{ApiError, ApiResult};
use super::cache::Cache;
use super::state::Shared;
use events::Listeners;
pub(crate) use events::events;
use job::Job;
pub(crate) use order::{Order, begin, discard_unfinished, panel_of};
use view::Counted;
pub(crate) use view::{View, view};

/// Runs that are worked on at once.
const AT_ONCE: usize = 2;
/// Runs that are worked on or may wait for their turn.
const PLACES: usize = 100;
/// Jobs that are remembered, for what they said when they ended.
const REMEMBERED: usize = 1_000;
/// Browsers that may listen to progress at once.
const LISTENERS: usize = 64;
/// Those of them that may have shown the same token.
const LISTENERS_EACH: usize = 16;

/// All jobs of the server.
pub(crate) struct Jobs {
    known: Mutex<Known>,
    /// Places before the server: whoever has one can be sure that the run will be worked on.
    places: Arc<Semaphore>,
    room: Arc<Semaphore>,
    listeners: Listeners,
    /// What the database was asked about runs, shared by all who look.
    counted: Cache<Counted>,
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
            places: Arc::new(Semaphore::new(PLACES)),
            room: Arc::new(Semaphore::new(AT_ONCE)),
            listeners: Listeners::new(LISTENERS, LISTENERS_EACH),
            counted: Cache::default(),
            ending: watch::Sender::new(false),
        }
    }
}

impl Jobs {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job on a run, if this server has one, be it over or not.
    fn job_on(&self, run: RunKey) -> Option<Arc<Job>> {
        self.known().jobs.get(&run).map(Arc::clone)
    }

    /// Whether this server works on a run, or will.
    pub(crate) fn is_at(&self, run: RunKey) -> bool {
        self.known().is_at(run)
    }

    /// Lets no job begin on a run, because something of it is to be deleted; an error where that goes on already, or
    /// where one is at it.
    pub(super) fn close_run(&self, run: RunKey) -> ApiResult<()> {
        let mut known = self.known();
        if known.is_at(run) {
            let what = "The server works on this run.";
            return Err(ApiError::new(StatusCode::CONFLICT, what, "stop the job first, then delete"));
        }
        if known.closed.insert(run) { Ok(()) } else { Err(being_deleted()) }
    }

    /// Lets jobs begin on a run again.
    pub(super) fn open_run(&self, run: RunKey) {
        self.known().closed.remove(&run);
    }

    /// Has a job stopped; whether there was one.
    pub(crate) fn cancel(&self, run: RunKey) -> bool {
        let job = self.job_on(run).filter(|job| !job.is_over());
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

    /// A place for a run, to be taken before anything of it is stored; an error where no further run is taken.
    fn reserve(&self) -> ApiResult<OwnedSemaphorePermit> {
        if *self.ending.borrow() {
            return Err(full());
        }
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| full())
    }

    /// A new job on a run; none where one is at it, or the server is ending and the run has to be carried on with later.
    fn enter(&self, run: RunKey) -> ApiResult<Option<Arc<Job>>> {
        let mut known = self.known();
        if *self.ending.borrow() || known.is_at(run) {
            return Ok(None);
        }
        if known.closed.contains(&run) {
            return Err(being_deleted());
        }
        if known.jobs.len() >= REMEMBERED {
            known.jobs.retain(|_, job| !job.is_over());
        }
        let job = Arc::new(Job::new(run));
        known.jobs.insert(run, Arc::clone(&job));
        Ok(Some(job))
    }
}

fn being_deleted() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "Something of this run is being deleted.", "try again in a moment")
}

fn full() -> ApiError {
    busy("The server has as many runs before it as it takes.")
}

fn busy(what: &str) -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, what, "try again in a moment")
}

/// Works on a run as soon as there is room; one that is worked on already is left alone.
fn start(server: &Shared, run: RunKey, place: OwnedSemaphorePermit) -> ApiResult<()> {
    let Some(job) = server.jobs.enter(run)? else { return Ok(()) };
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let _place = place;
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
        // What was counted while it was under way must not pass for how it ended.
        server.jobs.counted.forget(&view::key(run));
        server.figures.forget(&run.0.to_string());
        server.listed.forget(&run.0.to_string());
        job.end(said);
    });
    Ok(())
}

/// Carries on with a run: what is answered stays, what failed is tried again.
pub(crate) async fn resume(server: &Shared, run: RunKey) -> ApiResult<()> {
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
        return Err(ApiError::bad("This run was stopped before all its chats were stored.", in_folder));
    }
    // A server reads no files of its machine for a request.
    if stored.judging.batch || stored.judges.iter().any(|judge| judge.starts_with(RECORDED)) {
        let what = "This run takes answers from files or from a provider's batches, which a server does not do.";
        return Err(ApiError::bad(what, in_folder));
    }
    let place = server.jobs.reserve()?;
    let reopened = server.store.reopen_failed(run).await?;
    if reopened > 0 && found.state == RunState::Done {
        server.store.set_state(run, RunState::Open).await?;
    }
    start(server, run, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_its_run_is_over_or_was_never_made() {
        let jobs = Jobs::default();
        let taken: Vec<_> = (0..PLACES).map(|_| jobs.reserve().expect("a place")).collect();
        assert_eq!(jobs.reserve().expect_err("no place").status, StatusCode::SERVICE_UNAVAILABLE);
        drop(taken);
        assert!(jobs.reserve().is_ok());
    }

    #[test]
    fn a_server_that_is_ending_takes_no_run() {
        let jobs = Jobs::default();
        jobs.close();
        assert!(jobs.reserve().is_err());
        assert!(jobs.enter(RunKey(1)).is_ok_and(|job| job.is_none()));
    }
}
