//! Runs: listed, shown, deleted.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use carelock_store::{Filter, Role, RunKey, Sort};
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_text;
use super::table::{Gives, Method, Operation, Pace, Parameter};
use crate::runs::{Overview, RunShown, Told, overview_json, run_json, tell};
use crate::server::refusal::{Answer, Refusal};
use crate::server::state::Shared;
use crate::server::stored;

/// The most runs, and chats of a run, in one answer.
const MOST: u32 = 500;

pub(super) const RUNS: Operation = Operation {
    query: &[
        Parameter { name: "after", schema: "Number", about: "Only runs older than the one with this number." },
        Parameter { name: "limit", schema: "Limit", about: "How many; 100 unless given." },
    ],
    gives: Gives::Json("RunList"),
    ..Operation::reading("/api/v1/runs", "runs", "The runs, the newest first, as `carelock runs --format json` prints them.")
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
    ..Operation::reading("/api/v1/runs/{run}", "delete_run", "Deletes a run with everything that was stored about it.")
};

/// Which runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    after: Option<i64>,
    limit: Option<u32>,
}

/// How many chats.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    limit: Option<u32>,
}

/// A limit that was asked for, where it is one.
pub(super) fn limit(asked: Option<u32>, usual: u32) -> Answer<u32> {
    match asked.unwrap_or(usual) {
        limit @ 1..=MOST => Ok(limit),
        _ => Err(Refusal::bad("The limit is out of range.", format!("ask for 1 to {MOST}"))),
    }
}

/// The runs.
pub(super) async fn list(State(server): State<Shared>, Query(which): Query<Which>) -> Answer<Response> {
    let limit = limit(which.limit, 100)? as usize;
    let mut runs = server.store.runs().await?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.key));
    runs.retain(|run| which.after.is_none_or(|after| run.key.0 < after));
    let is_more = runs.len() > limit;
    runs.truncate(limit);
    let mut objects: Vec<Value> = Vec::with_capacity(runs.len());
    let next = runs.last().filter(|_| is_more).map(|run| run.key.0);
    for run in runs {
        objects.push(overview_json(&Overview::read(&server.store, run).await?));
    }
    let mut all = json!({ "schema": "carelock/runs/1", "runs": objects });
    if let Some(next) = next {
        all["next"] = json!(next);
    }
    Ok(json_text(format!("{all:#}\n")))
}

/// A run.
pub(super) async fn show(
    State(server): State<Shared>,
    Path(run): Path<i64>,
    Query(listed): Query<Listed>,
) -> Answer<Response> {
    let limit = limit(listed.limit, 20)?;
    let open = stored::run(&server, run).await?;
    let overview = Overview::read(&server.store, open.run.clone()).await?;
    let tiers = server.store.tiers(open.run.key, None).await?;
    let filter = Filter { sort: Sort::Overall, ..Filter::of(open.run.key) };
    let matching = server.store.count(&filter).await?;
    let mut found = server.store.list(&Filter { gated: Some(true), ..filter.clone() }, limit).await?.results;
    let room = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(limit));
    if room > 0 {
        found.extend(server.store.list(&Filter { gated: Some(false), ..filter }, room).await?.results);
    }
    let keys: Vec<_> = found.iter().map(|result| result.chat).collect();
    let chats = server.store.chats(&keys).await?;
    let answers = server.store.answers(&keys).await?;
    let text = server.work.on_a_core(move || -> anyhow::Result<String> {
        let listed: Vec<Told> = tell(&open, found, &chats, &answers)?;
        let shown = RunShown { open: &open, overview: &overview, tiers: &tiers, listed: &listed, matching };
        Ok(format!("{:#}\n", run_json(&shown)))
    });
    Ok(json_text(text.await??))
}

/// Deletes a run.
pub(super) async fn delete(State(server): State<Shared>, Path(run): Path<i64>) -> Answer<Response> {
    // To the end, even where the client has gone: half of it would leave traces.
    let deleting = tokio::spawn(async move { server.store.delete_run(RunKey(run)).await });
    let deleted = deleting.await.map_err(|error| Refusal::failed(&error.into()))??;
    Ok(deleted_json(deleted))
}

/// What became of it.
pub(super) fn deleted_json(deleted: carelock_store::Deleted) -> Response {
    json_text(format!("{:#}\n", json!({ "chats": deleted.chats, "cleared": deleted.cleared })))
}
