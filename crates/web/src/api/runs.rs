//! Runs: listed, shown, deleted.

use std::collections::HashSet;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use carelock_engine::runs::{Database, runs_json};
use carelock_engine::show::{Shown, json as run_json};
use carelock_store::{Filter, Role, RunKey};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::json_text;
use super::table::{Gives, Method, Operation, Pace, Parameter};
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::blocking::blocking;
use crate::deletion::deleting;
use crate::middleware::access::Who;
use crate::pages::runs::figures;
use crate::state::Shared;
use crate::stored;

/// What a list tells of the verdicts in a run.
const FIGURES: [&str; 3] = ["mean_overall", "gated", "unscored"];
/// The most runs, and chats of a run, in one answer.
const MOST: u32 = 500;

pub(super) const RUNS: Operation = Operation {
    query: &[
        Parameter { name: "after", schema: "Number", about: "Only runs older than the one with this number." },
        Parameter { name: "limit", schema: "Limit", about: "How many; 100 unless given." },
    ],
    gives: Gives::Json("RunList"),
    ..Operation::reading(
        "/api/v1/runs",
        "runs",
        "The runs, the newest first, as `carelock runs --format json` prints them.",
    )
};

pub(super) const RUN: Operation = Operation {
    query: &[Parameter { name: "limit", schema: "Limit", about: "How many chats are listed; 20 unless given." }],
    gives: Gives::Json("Run"),
    ..Operation::reading(
        "/api/v1/runs/{run}",
        "run",
        "A run in numbers with the chats to look at first, as `carelock show RUN --format json` prints it.",
    )
};

pub(super) const DELETE: Operation = Operation {
    method: Method::Delete,
    role: Role::Admin,
    pace: Pace::Slow,
    gives: Gives::Json("Deleted"),
    refusals: &[409],
    ..Operation::reading("/api/v1/runs/{run}", "delete_run", "Deletes a run with everything that was stored about it.")
};

/// Which runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunQuery {
    after: Option<i64>,
    limit: Option<u32>,
}

/// How many chats.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListLimit {
    limit: Option<u32>,
}

/// A limit that was asked for, where it is one.
pub(super) fn limit(asked: Option<u32>, usual: u32) -> ApiResult<u32> {
    match asked.unwrap_or(usual) {
        limit @ 1..=MOST => Ok(limit),
        _ => Err(ApiError::bad("The limit is out of range.", format!("ask for 1 to {MOST}"))),
    }
}

/// The runs.
pub(super) async fn list(State(server): State<Shared>, who: Who, Query(which): Query<RunQuery>) -> ApiResult<Response> {
    let limit = limit(which.limit, 100)?;
    if which.after.is_some_and(|after| after < 1) {
        return Err(ApiError::bad("after is no number of a run.", "send the `next` of the page before"));
    }
    // One more than asked for tells whether there are more.
    let mut runs = server.store.runs_after(which.after.map(RunKey), limit + 1).await?;
    let has_more = runs.len() > limit as usize;
    runs.truncate(limit as usize);
    let next = runs.last().map(|run| run.key.0).filter(|_| has_more);
    let mut rows = Vec::with_capacity(runs.len());
    for run in runs {
        rows.push(figures::listed(&server, run).await?);
    }
    let mut all = runs_json(rows.iter().map(|row| &row.overview));
    let blind = blind::runs(&server, &who).await?;
    without_figures(&mut all, &blind);
    if let Some(next) = next {
        all["next"] = json!(next);
    }
    Ok(json_text(format!("{all:#}\n")))
}

/// What is known of these runs as a whole is left out.
fn without_figures(all: &mut Value, blind: &HashSet<RunKey>) {
    for run in all["runs"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if run.get("number").and_then(Value::as_i64).is_some_and(|number| blind.contains(&RunKey(number))) {
            FIGURES.iter().for_each(|figure| drop(run.shift_remove(*figure)));
        }
    }
}

/// A run.
pub(super) async fn show(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Query(listed): Query<ListLimit>,
) -> ApiResult<Response> {
    let limit = limit(listed.limit, 20)?;
    let open = stored::run(&server, run).await?;
    blind::check_run(&server, &who, open.run.key).await?;
    let database = Database::of_server(server.store.clone(), Handle::current());
    let text = blocking(move || -> anyhow::Result<String> {
        let filter = Filter::for_run(open.run.key);
        let shown = Shown::load(&database, open, &filter, limit)?;
        Ok(format!("{:#}\n", run_json::object(&shown)))
    });
    Ok(json_text(text.await??))
}

/// Deletes a run.
pub(super) async fn delete(State(server): State<Shared>, Path(run): Path<i64>) -> ApiResult<Response> {
    let store = server.store.clone();
    let task = deleting(&server, RunKey(run), async move { store.delete_run(RunKey(run)).await })?;
    let deleted = task.await.map_err(|error| ApiError::failed(&error.into()))??;
    Ok(deleted_json(deleted))
}

/// What became of it.
pub(super) fn deleted_json(deleted: carelock_store::Deleted) -> Response {
    json_text(format!("{:#}\n", json!({ "chats": deleted.chats, "cleared": deleted.cleared })))
}
