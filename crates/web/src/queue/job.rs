//! One job: how it stands, and the wish that it should stop.

use carelock_store::RunKey;
use tokio::sync::watch;

use carelock_engine::working::Standing;

/// Where a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Others come first.
    Waiting,
    /// It is worked on.
    Working,
    /// It has ended, and perhaps said why before it was through.
    Over(Option<String>),
}

/// What is known of a job at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobState {
    pub(crate) phase: Phase,
    pub(crate) standing: Standing,
}

/// A run that this server works on, or has worked on.
pub(crate) struct Job {
    pub(crate) run: RunKey,
    stop: watch::Sender<bool>,
    told: watch::Sender<JobState>,
}

impl Job {
    pub(crate) fn new(run: RunKey) -> Self {
        let told = JobState { phase: Phase::Waiting, standing: Standing::default() };
        Self { run, stop: watch::Sender::new(false), told: watch::Sender::new(told) }
    }

    /// Asks it to stop.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Whether it was asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Waits until it is asked to stop.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as the job, so this ends with the wish only.
        let _ = self.stop.subscribe().wait_for(|stop| *stop).await;
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.told.borrow().phase, Phase::Over(_))
    }

    pub(crate) fn told(&self) -> JobState {
        self.told.borrow().clone()
    }

    /// Tells how the work stands.
    pub(crate) fn tell(&self, standing: Standing) {
        self.told.send_if_modified(|told| {
            let next = JobState { phase: Phase::Working, standing };
            let is_news = *told != next;
            *told = next;
            is_news
        });
    }

    /// Says that it has ended.
    pub(crate) fn end(&self, said: Option<String>) {
        self.told.send_modify(|told| told.phase = Phase::Over(said));
    }
}
