//! The work on a job: the same as of `carelock run`, with the page for an observer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use carelock_core::problem::Problem;
use carelock_engine::options::JudgeOptions;
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::StoredConfig;
use carelock_engine::working::{
    Ending, Progress, ProgressObserver, Shared, Standing, StopMode, Worker, settle_state, settle_the_rest,
};

use crate::metrics::Metrics;
use crate::queue::job::Job;
use crate::state::Server;

/// How long chats stay with a server that gives no sign of life.
const LEASE: Duration = Duration::from_secs(20);

/// Tells the job, and with it whoever looks, how the work stands.
struct Teller {
    job: Arc<Job>,
    metrics: Arc<Metrics>,
    counted: Standing,
}

impl ProgressObserver for Teller {
    fn stop_mode(&self) -> StopMode {
        if self.job.is_stopped() { StopMode::Stop } else { StopMode::Continue }
    }

    fn show(&mut self, standing: &Standing) {
        let failed = standing.failed.saturating_sub(self.counted.failed);
        let through = standing.own.saturating_sub(self.counted.own);
        // What has failed is noticed before it is through.
        if through >= failed && through > 0 {
            self.metrics.judged(through - failed, failed);
            self.counted = *standing;
        }
        self.job.tell(*standing);
    }

    fn waits_for(&self, _answers: usize) {}

    fn end(&mut self, standing: &Standing) {
        self.show(standing);
    }
}

/// Works on a run until it is through or stopped; why it ended before that, where there is something to say.
pub(super) async fn work(server: &Server, job: &Arc<Job>) -> Result<Option<String>> {
    let store = &server.store;
    let run = store.run_numbered(job.run).await?;
    let stored = StoredConfig::load(store, run.key).await?;
    let scoring = stored.scoring()?;
    let (options, events) = (JudgeOptions { no_cache: true, ..JudgeOptions::default() }, server.messages.events());
    let panel = JudgePanel::stored(&stored, &options, &server.config, &scoring.rubric, &events)?;
    // All that is kept of a chat is in the database, so that deleting it there leaves nothing anywhere.
    let panel = panel.sharing(Arc::clone(&server.embedded)).without_record();
    let progress = Progress::before(store, run.key, &panel).await?;
    let only = run.chats == 1;
    let shared = Arc::new(Shared { scoring, panel, events, only, stopping: AtomicBool::new(false) });
    let teller = Teller { job: Arc::clone(job), metrics: Arc::clone(&server.metrics), counted: Standing::default() };
    let worked = Worker::new(store, &run, Arc::clone(&shared), LEASE, progress, teller).work().await;
    shared.panel.stop();
    let ending = worked?;
    let unsettled = settle_the_rest(store, run.key, &shared.scoring, &shared.events).await?;
    settle_state(store, &run, unsettled).await?;
    Ok(match ending {
        Ending::Capped(why) => Some(why),
        Ending::InBatches => Some(
            Problem::new("the rest of this run is in batches at the provider")
                .advice("carry on with it by `carelock run --resume`")
                .to_string(),
        ),
        Ending::Done | Ending::Interrupted => None,
    })
}
