//! How a run stands, for whoever looks: told by the job where this server works on it, else by the database.

use carelock_judge::provider::Cost;
use carelock_store::{Run, RunKey, RunState};
use serde::Serialize;

use super::job::{Phase, Told};
use crate::server::guard::access::Who;
use crate::server::pages::report::blind;
use crate::server::refusal::Answer;
use crate::server::state::Shared;
use crate::working::cost_of;

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
pub(crate) async fn view(server: &Shared, run: RunKey, who: &Who) -> Answer<View> {
    let whole = told(server, run).await?;
    let is_blind = blind::is_blind_in(server, who, run).await?;
    Ok(View { gated: whole.gated.filter(|_| !is_blind), ..whole })
}

async fn told(server: &Shared, run: RunKey) -> Answer<View> {
    let told = server.jobs.of(run).map(|job| job.told());
    let found = server.store.run_numbered(run).await?;
    if let Some(Told { phase: Phase::Working, standing }) = told
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

async fn stored(server: &Shared, run: &Run, phase: Option<Phase>) -> Answer<View> {
    let progress = server.store.progress(run.key).await?;
    let summaries = server.store.summaries(run.key, None).await?;
    let spent = server.store.spent(run.key).await?;
    let is_through = progress.open == 0 && progress.leased == 0;
    let state = match (run.state, &phase) {
        (RunState::Done, _) => "done",
        (_, Some(Phase::Waiting)) => "waiting",
        (_, Some(Phase::Working)) => "working",
        (RunState::Filling, _) => "filling",
        (RunState::Open, _) if is_through && progress.failed > 0 => "incomplete",
        // Another process is at it, or was when it died.
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
        done: summaries.iter().map(|row| row.results).sum(),
        total: progress.total(),
        answered: progress.answered,
        failed: progress.failed,
        gated: Some(summaries.iter().map(|row| row.gated).sum()),
        cost: shown(cost_of(spent.iter().map(|spent| spent.cost_nanos).sum())),
        said,
    })
}

fn shown(cost: Cost) -> String {
    if cost == Cost::default() { "nothing".to_owned() } else { cost.to_string() }
}
