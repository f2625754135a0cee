//! How a run stands, for whoever looks: told by the job where this server works on it, else by the database.

use std::sync::Arc;
use std::time::Duration;

use carelock_engine::runs::now;
use carelock_engine::working::cost_of;
use carelock_judge::provider::Cost;
use carelock_store::{Run, RunKey, RunState};
use serde::Serialize;

use crate::api_error::ApiResult;
use crate::blind;
use crate::middleware::access::Who;
use crate::queue::Counted;
use crate::queue::job::{JobState, Phase};
use crate::state::Shared;

/// How long what the database was asked about a run may be shown.
const STALE: Duration = Duration::from_secs(1);
/// The same for a run that is done, in milliseconds.
const MILLIS: i64 = 1_000;

/// How a run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct View {
    /// `filling`, `waiting`, `working`, `stopped`, `incomplete` (through, but something failed) or `done`.
    pub(crate) state: &'static str,
    /// Chats of the run.
    pub(crate) chats: u64,
    /// Chats that all judges are through with, or about as many.
    pub(crate) done: u64,
    /// Answers there are to be.
    pub(crate) total: u64,
    /// Those that are there.
    pub(crate) answered: u64,
    /// Those that failed.
    pub(crate) failed: u64,
    /// Chats in which a gate is tripped; nothing for who has yet to rate some of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gated: Option<u64>,
    /// What was spent.
    pub(crate) cost: String,
    /// Why the work ended before it was through.
    pub(crate) said: Option<String>,
}

impl View {
    /// Whether somebody is at it, or will be.
    pub(crate) fn is_under_way(&self) -> bool {
        matches!(self.state, "filling" | "waiting" | "working")
    }

    /// How much is through, of a hundred.
    pub(crate) fn percent(&self) -> u64 {
        ((self.answered + self.failed) * 100).checked_div(self.total).unwrap_or(0)
    }
}

/// How a run stands now, as far as somebody may know it.
pub(crate) async fn view(server: &Shared, run: RunKey, who: &Who) -> ApiResult<View> {
    let whole = told(server, run).await?;
    let is_blind = blind::is_blind_in(server, who, run).await?;
    Ok(View { gated: whole.gated.filter(|_| !is_blind), ..whole })
}

async fn told(server: &Shared, run: RunKey) -> ApiResult<View> {
    let told = server.jobs.job_on(run).map(|job| job.told());
    let found = server.store.run_numbered(run).await?;
    if let Some(JobState { phase: Phase::Working, standing }) = told
        && standing.total > 0
    {
        return Ok(View {
            state: "working",
            chats: found.chats,
            done: standing.through / u64::from(found.judges.max(1)),
            total: standing.total,
            answered: standing.through.saturating_sub(standing.failed),
            failed: standing.failed,
            gated: Some(standing.gated),
            cost: shown(standing.spent),
            said: None,
        });
    }
    stored(server, &found, told.map(|told| told.phase)).await
}

/// By what the numbers of a run are kept.
pub(super) fn key(run: RunKey) -> String {
    run.0.to_string()
}

/// The numbers of a run, at most a moment old; all who look at it share them.
async fn counted(server: &Shared, run: &Run) -> ApiResult<Arc<Counted>> {
    let (store, key, moment) = (server.store.clone(), run.key, now());
    let make = || async move {
        let progress = store.progress_at(key, moment).await?;
        let summaries = store.summaries(key, None).await?;
        let spent = store.spent(key).await?;
        Ok(Counted {
            progress,
            results: summaries.iter().map(|row| row.results).sum(),
            gated: summaries.iter().map(|row| row.gated).sum(),
            spent: spent.iter().map(|spent| spent.cost_nanos).sum(),
        })
    };
    // What was counted before a run was done is out of date at once.
    let stale = if run.state == RunState::Done { Duration::ZERO } else { STALE };
    let stamp = if run.state == RunState::Done { format!("done {}", moment / MILLIS) } else { moment.to_string() };
    server.jobs.counted.get(&self::key(key), &stamp, stale, make).await
}

async fn stored(server: &Shared, run: &Run, phase: Option<Phase>) -> ApiResult<View> {
    let counted = counted(server, run).await?;
    let progress = &counted.progress;
    let is_through = progress.open == 0 && progress.leased == 0;
    let state = match (run.state, &phase) {
        (RunState::Done, _) => "done",
        (_, Some(Phase::Waiting)) => "waiting",
        (_, Some(Phase::Working)) => "working",
        (RunState::Filling, _) => "filling",
        (RunState::Open, _) if is_through && progress.failed > 0 => "incomplete",
        // Another process is at it; where it died, its leases run out.
        (RunState::Open, _) if progress.leased > 0 => "working",
        (RunState::Open, _) => "stopped",
    };
    let said = match phase {
        Some(Phase::Over(said)) if state != "done" => said,
        _ => None,
    };
    Ok(View {
        state,
        chats: run.chats,
        done: counted.results,
        total: progress.total(),
        answered: progress.answered,
        failed: progress.failed,
        gated: Some(counted.gated),
        cost: shown(cost_of(counted.spent)),
        said,
    })
}

fn shown(cost: Cost) -> String {
    if cost == Cost::default() { "nothing".to_owned() } else { cost.to_string() }
}
