//! The HTTP API: the same JSON as on the command line.

mod body;
mod chats;
mod evaluate;
mod jobs;
mod openapi;
mod promptfoo;
mod requests;
mod rubric;
mod runs;
mod sessions;
mod table;
mod verify;

use axum::http::header;
use axum::response::{IntoResponse as _, Response};

pub(super) use table::Table;

use crate::api_error::{ApiError, ApiResult};

/// All addresses of the API.
pub(super) fn table() -> Table {
    Table::default()
        .add(evaluate::EVALUATE, evaluate::post)
        .add(promptfoo::PROMPTFOO, promptfoo::post)
        .add(verify::VERIFY, verify::post)
        .add(jobs::BEGIN, jobs::begin)
        .add(jobs::JOB, jobs::show)
        .add(jobs::EVENTS, crate::jobs::events)
        .add(jobs::CANCEL, jobs::cancel)
        .add(jobs::DELETE, jobs::cancel)
        .add(runs::RUNS, runs::list)
        .add(runs::RUN, runs::show)
        .add(runs::DELETE, runs::delete)
        .add(chats::CHATS, chats::list)
        .add(chats::REPORT, chats::report)
        .add(chats::DELETE, chats::delete)
        .add(sessions::BEGIN, sessions::begin)
        .add(sessions::LIST, sessions::list)
        .add(sessions::SHOW, sessions::show)
        .add(sessions::TURN, sessions::turn)
        .add(sessions::EVENTS, sessions::events)
        .add(sessions::REPORT, sessions::report)
        .add(sessions::DELETE, sessions::delete)
        .add(rubric::RUBRIC, rubric::rubric)
        .add(rubric::SCHEMAS, rubric::schemas)
        .add(rubric::SCHEMA, rubric::schema)
        .add(rubric::JUDGES, rubric::judges)
        .add(openapi::DOCUMENT, openapi::read)
}

/// An answer of JSON for people and programs.
fn pretty(value: &impl serde::Serialize) -> ApiResult<Response> {
    let text = serde_json::to_string_pretty(value).map_err(|error| ApiError::failed(&error.into()))?;
    Ok(json_text(text + "\n"))
}

/// An answer of JSON that is written already.
fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
