//! Chats that are judged in the background, as a run: begun, watched, stopped.

use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use carelock_store::{Role, RunKey};
use serde_json::{Value, json};

use super::requests::JobRequest;
use super::table::{Gives, Method, Operation, Pace, Takes};
use super::{body, json_text};
use crate::api_error::{ApiError, ApiResult};
use crate::jobs::{self, view};
use crate::middleware::access::Who;
use crate::state::Shared;

pub(super) const BEGIN: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    pace: Pace::Slow,
    takes: Takes::JsonOrText("JobRequest"),
    status: 202,
    gives: Gives::Json("JobBegun"),
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/jobs",
        "begin_job",
        "Has one chat or several judged as a run, and answers at once with its number. Where one chat cannot be read, \
         nothing is stored.",
    )
};

pub(super) const JOB: Operation = Operation {
    gives: Gives::Json("Job"),
    ..Operation::reading(
        "/api/v1/jobs/{run}",
        "job",
        "How a run stands: how much is answered, what failed, what was spent.",
    )
};

pub(super) const EVENTS: Operation = Operation {
    gives: Gives::Events,
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/jobs/{run}/events",
        "job_events",
        "How a run stands, as server-sent events: `progress` whenever something has changed, `done` at the end.",
    )
};

pub(super) const CANCEL: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    gives: Gives::Json("Job"),
    refusals: &[409],
    ..Operation::reading(
        "/api/v1/jobs/{run}/cancel",
        "cancel_job",
        "Stops the work on a run; what is answered stays. 409 where this server does not work on it.",
    )
};

pub(super) const DELETE: Operation = Operation {
    method: Method::Delete,
    role: Role::Judge,
    gives: Gives::Json("Job"),
    refusals: &[409],
    ..Operation::reading("/api/v1/jobs/{run}", "stop_job", "The same as cancel: the run and what is answered stay.")
};

/// Begins a job.
pub(super) async fn begin(State(server): State<Shared>, request: Request) -> ApiResult<Response> {
    let kind = body::kind(request.headers())?;
    let _inside = server.work.enter()?;
    let text = body::text(&server, request.into_body()).await?;
    let asked = match kind {
        body::Kind::Json => JobRequest::from_json(&text)?,
        body::Kind::Text => JobRequest::from_text(text),
    };
    let order = asked.order(&server)?;
    let most_unpacked = server.most_unpacked();
    let chats = server.work.on_a_core(move || asked.chats(most_unpacked)).await??;
    let run = jobs::begin(&server, order, chats).await?.0;
    let job = format!("/api/v1/jobs/{run}");
    let begun = json!({
        "run": run,
        "job": job,
        "events": format!("{job}/events"),
        "report": format!("/api/v1/runs/{run}"),
        "page": format!("/runs/{run}"),
    });
    let mut response = json_text(format!("{begun:#}\n"));
    *response.status_mut() = StatusCode::ACCEPTED;
    let place = HeaderValue::from_str(&job).map_err(|error| ApiError::failed(&error.into()))?;
    response.headers_mut().insert(header::LOCATION, place);
    Ok(response)
}

/// How a job stands.
pub(super) async fn show(State(server): State<Shared>, who: Who, Path(run): Path<i64>) -> ApiResult<Response> {
    shown(&server, RunKey(run), &who).await
}

/// Stops a job.
pub(super) async fn cancel(State(server): State<Shared>, who: Who, Path(run): Path<i64>) -> ApiResult<Response> {
    let run = server.store.run_numbered(RunKey(run)).await?.key;
    if !server.jobs.cancel(run) {
        let what = "This server does not work on that run.";
        return Err(ApiError::new(StatusCode::CONFLICT, what, "look at how it stands; it may be done already"));
    }
    shown(&server, run, &who).await
}

async fn shown(server: &Shared, run: RunKey, who: &Who) -> ApiResult<Response> {
    let view = view(server, run, who).await?;
    let mut all = json!({ "schema": "carelock/job/1", "run": run.0 });
    if let (Value::Object(all), Value::Object(view)) = (&mut all, json!(view)) {
        all.extend(view);
    }
    Ok(json_text(format!("{all:#}\n")))
}
