//! Verifying a report.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use carelock_engine::verification::verify;
use carelock_store::Role;
use serde::de::IgnoredAny;

use super::table::{Gives, Method, Operation, Pace, Takes};
use super::{body, json_text};
use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;

pub(super) const VERIFY: Operation = Operation {
    method: Method::Post,
    role: Role::Read,
    pace: Pace::Slow,
    takes: Takes::Json("AnyReport"),
    gives: Gives::Json("Verification"),
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/verify",
        "verify",
        "Derives every number of a report again and looks every quote up, as `carelock verify --json` does.",
    )
};

/// What became of the claims of a report.
pub(super) async fn post(State(server): State<Shared>, request: Request) -> ApiResult<Response> {
    if body::kind(request.headers())? != body::Kind::Json {
        let fix = "send the report as application/json";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "A report is JSON.", fix));
    }
    let _inside = server.work.enter()?;
    let text = body::text(&server, request.into_body()).await?;
    let (rubric, judge) = (Arc::clone(&server.rubric), Arc::clone(&server.embedded));
    let verified = server.work.on_a_core(move || {
        let verified = verify(&text, &rubric, Some(&judge));
        let is_json = || serde_json::from_str::<IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok();
        verified.map(|verification| serde_json::to_string(&verification)).map_err(|problem| (problem, is_json()))
    });
    let written = verified.await?.map_err(|(problem, is_json)| {
        let refusal = ApiError::of_input(&problem.into());
        ApiError { status: if is_json { refusal.status } else { StatusCode::BAD_REQUEST }, ..refusal }
    })?;
    let mut text = written.map_err(|error| ApiError::failed(&error.into()))?;
    text.push('\n');
    Ok(json_text(text))
}
