//! The runs this server has before it: which are worked on, which wait, and who listens.

pub(crate) mod job;
mod listeners;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use carelock_store::{Progress, RunKey};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::api_error::{ApiError, ApiResult};
use super::cache::Cache;
use job::Job;
pub(crate) use listeners::{ListenerPermit, Listeners};

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
    /// Room for runs that are worked on at once.
    pub(crate) room: Arc<Semaphore>,
    /// Browsers that listen to progress.
    pub(crate) listeners: Listeners,
    /// What the database was asked about runs, shared by all who look.
    pub(crate) counted: Cache<Counted>,
    /// Told when the server ends.
    pub(crate) ending: watch::Sender<bool>,
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
    pub(crate) fn job_on(&self, run: RunKey) -> Option<Arc<Job>> {
        self.known().jobs.get(&run).map(Arc::clone)
    }

    /// Whether this server works on a run, or will.
    pub(crate) fn is_at(&self, run: RunKey) -> bool {
        self.known().is_at(run)
    }

    /// Lets no job begin on a run, because something of it is to be deleted; an error where that goes on already, or
    /// where one is at it.
    pub(crate) fn close_run(&self, run: RunKey) -> ApiResult<()> {
        let mut known = self.known();
        if known.is_at(run) {
            let what = "The server works on this run.";
            return Err(ApiError::new(StatusCode::CONFLICT, what, "stop the job first, then delete"));
        }
        if known.closed.insert(run) { Ok(()) } else { Err(being_deleted()) }
    }

    /// Whether something of a run is being deleted.
    pub(crate) fn is_closed(&self, run: RunKey) -> bool {
        self.known().closed.contains(&run)
    }

    /// Lets jobs begin on a run again.
    pub(crate) fn open_run(&self, run: RunKey) {
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
    pub(crate) fn reserve(&self) -> ApiResult<OwnedSemaphorePermit> {
        if *self.ending.borrow() {
            return Err(full());
        }
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| full())
    }

    /// A new job on a run; none where one is at it, or the server is ending and the run has to be carried on with later.
    pub(crate) fn enter(&self, run: RunKey) -> ApiResult<Option<Arc<Job>>> {
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

/// Why nobody may begin on a run.
pub(crate) fn being_deleted() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "Something of this run is being deleted.", "try again in a moment")
}

fn full() -> ApiError {
    busy("The server has as many runs before it as it takes.")
}

/// Why somebody has to come again.
pub(crate) fn busy(what: &str) -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, what, "try again in a moment")
}

/// What a look at all tasks and results of a run comes to.
pub(crate) struct Counted {
    pub(crate) progress: Progress,
    pub(crate) results: u64,
    pub(crate) gated: u64,
    pub(crate) spent: u64,
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
