//! Jobs: runs of the database that this server works on. A job's number is its run's.

mod events;
mod order;
mod view;
mod work;

use std::sync::Arc;

use carelock_engine::panel::RECORDED;
use carelock_engine::runs::StoredConfig;
use carelock_store::{RunKey, RunState};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

use super::api_error::{ApiError, ApiResult};
use super::queue::being_deleted;
use super::state::Shared;
pub(crate) use events::{address, events};
pub(crate) use order::{Order, begin, discard_unfinished, panel_of};
pub(crate) use view::{View, view};

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
    if server.jobs.is_closed(run) {
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
