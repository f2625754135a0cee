//! Judging a chat while the client waits.

use axum::extract::{Query, Request, State};
use axum::response::Response;
use carelock_store::Role;
use serde::Deserialize;

use super::requests::EvaluateRequest;
use super::table::{Gives, Method, Operation, Pace, Parameter, Takes};
use super::{body, pretty};
use crate::api_error::{ApiError, ApiResult};
use crate::evaluation::evaluate;
use crate::state::Shared;

pub(super) const EVALUATE: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    pace: Pace::Slow,
    query: &[Parameter {
        name: "id",
        schema: "ChatId",
        about: "With text/plain: what the chat goes by in the report.",
    }],
    takes: Takes::JsonOrText("EvaluateRequest"),
    gives: Gives::Json("Report"),
    refusals: &[502, 503, 504],
    ..Operation::reading(
        "/api/v1/evaluate",
        "evaluate",
        "Judges a chat and answers with its report, as `carelock eval --format json` writes it. Nothing is stored. A judge \
         that fails (502) or takes too long (504) has given no verdict, and there is no report.",
    )
};

/// What stands behind the address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    id: Option<String>,
}

/// The report on a chat.
pub(super) async fn post(
    State(server): State<Shared>,
    Query(named): Query<Named>,
    request: Request,
) -> ApiResult<Response> {
    let kind = body::kind(request.headers())?;
    let _inside = server.work.enter()?;
    let text = body::text(&server, request.into_body()).await?;
    let (sent, asked) = match kind {
        body::Kind::Json => {
            if named.id.is_some() {
                return Err(ApiError::bad("An id stands behind the address.", "put the id into the JSON"));
            }
            let asked = EvaluateRequest::from_json(&text)?;
            (asked.sent()?, asked)
        }
        body::Kind::Text => EvaluateRequest::from_text(text, named.id)?,
    };
    let terms = asked.terms(&server)?;
    let report = evaluate(&server, sent, terms, server.limits.judges).await?;
    server.metrics.judged(1, 0);
    pretty(&report)
}
