//! How a run goes: shown on its page while it is worked on, with buttons to stop it and to carry on.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_core::problem::Problem;
use carelock_engine::runs::StoredConfig;
use carelock_store::{Role, RunKey, StoredFailure};

use crate::api_error::{ApiError, ApiResult};
use crate::jobs::{self, View, address, view};
use crate::middleware::access::Who;
use crate::state::Shared;
use crate::words::PageWords;

/// Failures that are listed.
const LISTED: u32 = 20;

/// The part of a page that shows how a run goes.
#[derive(Template)]
#[template(path = "progress.html")]
struct Progress {
    run: i64,
    csrf_query: String,
    view: View,
    /// Whether this server works on it, so that it can be stopped here.
    is_own: bool,
    may_judge: bool,
    failures: Vec<Failure>,
    open: String,
}

/// A chat that could not be judged.
struct Failure {
    chat: i64,
    name: String,
    judge: String,
    what: String,
    fix: String,
}

/// How a run goes, as HTML that is safe to put into a page, and whether somebody works on it; none where it is done and
/// nothing is left to say.
pub(crate) async fn fragment(server: &Shared, run: RunKey, who: &Who) -> ApiResult<Option<(String, bool)>> {
    let view = view(server, run, who).await?;
    if view.state == "done" {
        return Ok(None);
    }
    let failures = if view.failed > 0 { failures(server, run).await? } else { Vec::new() };
    let open = address(server, run, &view).await?;
    let is_under_way = view.is_under_way();
    let part = Progress {
        run: run.0,
        csrf_query: format!("?mark={}", who.csrf_token),
        is_own: server.jobs.is_at(run),
        may_judge: who.may(Role::Judge),
        view,
        failures,
        open,
    };
    let text = part.render().map_err(|error| ApiError::failed(&anyhow::Error::new(error)))?;
    Ok(Some((text, is_under_way)))
}

async fn failures(server: &Shared, run: RunKey) -> ApiResult<Vec<Failure>> {
    let judges = StoredConfig::load(&server.store, run).await?.judges;
    let one = |failure: StoredFailure| {
        let judge = usize::try_from(failure.place).ok().and_then(|place| judges.get(place));
        let problem = Problem::from_stored(&failure.error);
        Failure {
            chat: failure.chat.0,
            name: failure.name,
            judge: judge.cloned().unwrap_or_default(),
            what: problem.what(),
            fix: problem.fix(&PageWords),
        }
    };
    Ok(server.store.failures(run, LISTED).await?.into_iter().map(one).collect())
}

/// Stops the work on a run; what is answered stays.
pub(crate) async fn cancel(State(server): State<Shared>, Path(run): Path<i64>) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?.key;
    server.jobs.cancel(run);
    Ok(Redirect::to(&format!("/runs/{}", run.0)).into_response())
}

/// Carries on with a run.
pub(crate) async fn resume(State(server): State<Shared>, Path(run): Path<i64>) -> ApiResult {
    jobs::resume(&server, RunKey(run)).await?;
    Ok(Redirect::to(&format!("/runs/{run}")).into_response())
}
