//! Chats that go on: begun, told turn by turn, watched, and forgotten. They live in memory alone.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use carelock_core::transcript::Speaker;
use carelock_guard::sessions::{Entry, Summary};
use carelock_store::Role;
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use super::table::{Gives, Method, Operation, Pace, Takes};
use super::{body, pretty};
use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;

/// How many chats a list shows.
const LISTED: usize = 200;

/// The longest id of a chat, in characters.
const LONGEST_ID: usize = 200;

/// How often a quiet stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(10);

pub(super) const BEGIN: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    takes: Takes::Json("SessionRequest"),
    status: 201,
    gives: Gives::Json("Session"),
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/sessions",
        "begin_session",
        "Begins a chat that is judged while it goes on. It is kept in memory, and forgotten when it was idle for an hour.",
    )
};

pub(super) const LIST: Operation = Operation {
    gives: Gives::Json("SessionList"),
    ..Operation::reading("/api/v1/sessions", "sessions", "Chats that go on: those with something to see first.")
};

pub(super) const SHOW: Operation = Operation {
    gives: Gives::Json("Session"),
    ..Operation::reading(
        "/api/v1/sessions/{session}",
        "session",
        "How a chat stands: gates, what is due, the last cue.",
    )
};

pub(super) const TURN: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    pace: Pace::Slow,
    takes: Takes::Json("TurnRequest"),
    gives: Gives::Json("SessionChanges"),
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/sessions/{session}/turns",
        "add_turn",
        "Adds a turn and says what it changes: a crisis cue, what is now due, a gate, a check that failed; with quotes.",
    )
};

pub(super) const EVENTS: Operation = Operation {
    gives: Gives::Events,
    pace: Pace::Slow,
    ..Operation::reading(
        "/api/v1/sessions/{session}/events",
        "session_events",
        "What changes in a chat, as server-sent events named after the kind of change.",
    )
};

pub(super) const REPORT: Operation = Operation {
    gives: Gives::Json("Report"),
    refusals: &[422],
    ..Operation::reading(
        "/api/v1/sessions/{session}/report",
        "session_report",
        "The report on a chat so far, as `carelock eval --format json` writes it for the same turns.",
    )
};

pub(super) const DELETE: Operation = Operation {
    method: Method::Delete,
    role: Role::Judge,
    ..Operation::reading("/api/v1/sessions/{session}", "forget_session", "Forgets a chat at once.")
};

/// A chat that begins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionRequest {
    /// What the chat goes by in the report.
    id: Option<String>,
}

/// One turn, as OpenAI writes a message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnRequest {
    role: TurnRole,
    content: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TurnRole {
    User,
    Assistant,
}

fn find(server: &Shared, session: &str) -> ApiResult<Arc<Entry>> {
    server.live.find(session).ok_or_else(|| ApiError::missing("There is no such chat; it may have been forgotten."))
}

fn shown(session: &str, summary: &Summary) -> serde_json::Value {
    json!({ "schema": "carelock/session/1", "session": session, "standing": summary })
}

async fn asked<T: serde::de::DeserializeOwned>(server: &Shared, request: Request) -> ApiResult<T> {
    if body::kind(request.headers())? != body::Kind::Json {
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body is no JSON.",
            "send JSON (curl --json)",
        ));
    }
    body::parse(&body::text(server, request.into_body()).await?)
}

/// Begins a chat.
pub(super) async fn begin(State(server): State<Shared>, request: Request) -> ApiResult<Response> {
    let asked: SessionRequest = asked(&server, request).await?;
    if asked.id.as_ref().is_some_and(|id| id.is_empty() || id.chars().count() > LONGEST_ID) {
        return Err(ApiError::bad("The id is empty or too long.", format!("use 1 to {LONGEST_ID} characters")));
    }
    let begun = server.live.begin(asked.id, "api").map_err(|error| ApiError::failed(&error))?;
    let Some((session, entry)) = begun else {
        let what = "As many chats go on as the server keeps.";
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, what, "try again in a moment"));
    };
    let mut response = pretty(&shown(&session, &entry.summary()))?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// All chats.
pub(super) async fn list(State(server): State<Shared>) -> ApiResult<Response> {
    server.live.forget_idle();
    let sessions: Vec<_> = server.live.list(LISTED).iter().map(|(session, summary)| shown(session, summary)).collect();
    pretty(&json!({ "schema": "carelock/sessions/1", "count": server.live.count(), "sessions": sessions }))
}

/// How a chat stands.
pub(super) async fn show(State(server): State<Shared>, Path(session): Path<String>) -> ApiResult<Response> {
    let entry = find(&server, &session)?;
    pretty(&shown(&session, &entry.summary()))
}

/// Adds a turn.
pub(super) async fn turn(
    State(server): State<Shared>,
    Path(session): Path<String>,
    request: Request,
) -> ApiResult<Response> {
    let entry = find(&server, &session)?;
    let _inside = server.work.enter()?;
    let TurnRequest { role, content } = asked(&server, request).await?;
    let speaker = match role {
        TurnRole::User => Speaker::Human,
        TurnRole::Assistant => Speaker::Ai,
    };
    let mut chat = Arc::clone(&entry.session).lock_owned().await;
    let (live, number) = (Arc::clone(&server.live), session.clone());
    let told = Arc::clone(&entry);
    let work = move || {
        let changes = chat.push(speaker, &content);
        live.note(&number, &told, &chat, &changes, None);
        changes
    };
    let changes = server.work.on_a_core(work).await?;
    let mut answer = shown(&session, &entry.summary());
    answer["changes"] = json!(changes);
    pretty(&answer)
}

/// What changes, as it happens.
pub(super) async fn events(State(server): State<Shared>, Path(session): Path<String>) -> ApiResult<Response> {
    let changes = find(&server, &session)?.listen();
    let told = stream::unfold((changes, Vec::new()), |(mut changes, mut left)| async move {
        loop {
            if let Some(change) = left.pop() {
                let change: carelock_engine::session::Change = change;
                let event = Event::default().event(change.kind.name()).data(json!(change).to_string());
                return Some((Ok::<_, Infallible>(event), (changes, left)));
            }
            match changes.recv().await {
                Ok(new) => left = new.iter().rev().cloned().collect(),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    let mut response = Sse::new(told).keep_alive(KeepAlive::new().interval(ALIVE).text("alive")).into_response();
    let (name, value) = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.headers_mut().insert(name, value);
    Ok(response)
}

/// The report so far.
pub(super) async fn report(State(server): State<Shared>, Path(session): Path<String>) -> ApiResult<Response> {
    let entry = find(&server, &session)?;
    let mut chat = Arc::clone(&entry.session).lock_owned().await;
    let report = server.work.on_a_core(move || chat.report()).await?;
    pretty(&report.map_err(|error| ApiError::of_input(&error))?)
}

/// Forgets a chat.
pub(super) async fn delete(State(server): State<Shared>, Path(session): Path<String>) -> ApiResult<Response> {
    find(&server, &session)?;
    pretty(&json!({ "session": session, "forgotten": server.live.forget(&session) }))
}
