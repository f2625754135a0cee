//! Errors of requests: status, what is wrong and what to do, the same for pages and for the HTTP API.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use carelock_core::problem::Problem;
use carelock_engine::error::problem;
use carelock_store::StoreError;
use serde_json::json;
use tokio::task::JoinError;

use crate::words::ApiWords;

/// Why a request is refused or failed, and what to do about it.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    /// The status.
    pub(crate) status: StatusCode,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do.
    pub(crate) fix: String,
    /// What the log says; never anything that came with the request.
    pub(crate) logged: Option<String>,
}

/// What a handler returns.
pub(crate) type ApiResult<T = Response> = Result<T, ApiError>;

impl ApiError {
    /// An error with its status.
    pub(crate) fn new(status: StatusCode, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status, what: what.into(), fix: fix.into(), logged: None }
    }

    /// What was sent cannot be used.
    pub(crate) fn bad(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, what, fix)
    }

    /// There is no such thing.
    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what, "look at the address; it may have been deleted")
    }

    /// The input is wrong, as an error of the engine says it.
    pub(crate) fn of_input(error: &anyhow::Error) -> Self {
        Self::of_problem(&problem(error))
    }

    /// The input is wrong, with what can be done about it in the words of the API.
    pub(crate) fn of_problem(problem: &Problem) -> Self {
        match &problem.remedy {
            Some(remedy) => Self::bad(problem.what(), remedy.worded(&ApiWords)),
            None => Self::bad(problem.what(), "correct it and send it again"),
        }
    }

    /// Something of ours failed.
    pub(crate) fn failed(error: &anyhow::Error) -> Self {
        let logged = format!("{error:#}");
        let what = "Something failed on the server; nothing was lost.";
        let fix = "try again; whoever runs the server finds the reason in its messages";
        Self { logged: Some(logged), ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, what, fix) }
    }

    /// Work of ours broke off. What a panic says may quote a chat, so only that there was one is logged.
    pub(crate) fn broken(error: &JoinError) -> Self {
        let why = if error.is_panic() { "it panicked" } else { "the server is ending" };
        Self::failed(&anyhow::anyhow!("a piece of work broke off: {why}"))
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<StoreError>() {
            Ok(error) => error.into(),
            Err(error) => Self::failed(&error),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun { .. } => Self::missing("There is no such run."),
            StoreError::NoSuchRating { .. } => {
                let fix = "go back to your queue; it may have been deleted with its chat";
                Self::new(StatusCode::NOT_FOUND, "There is no such rating any more.", fix)
            }
            error => Self::failed(&error.into()),
        }
    }
}

/// Has refusals of the framework look like our own. What it says may repeat what was sent, so it is left out.
pub(crate) async fn alike(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let status = response.status();
    let is_refused = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !is_refused || response.extensions().get::<ApiError>().is_some() || kind.starts_with("text/html") {
        return response;
    }
    let (what, fix) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ("The request is too large.", "send less, or start the server with --max-body")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ("The body is of a kind that is not read here.", "send what the form sends")
        }
        StatusCode::NOT_FOUND => ("There is nothing at this address.", "look at the address"),
        _ => ("The request cannot be understood.", "look at the address, its parameters and what is sent"),
    };
    let mut alike = ApiError::new(status, what, fix).into_response();
    let allowed = response.headers_mut().remove(header::ALLOW);
    allowed.and_then(|allowed| alike.headers_mut().insert(header::ALLOW, allowed));
    alike.extensions_mut().extend(std::mem::take(response.extensions_mut()));
    alike
}

impl IntoResponse for ApiError {
    /// As JSON; a page shows it in its own way, from what is attached.
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Refused");
        let body = json!({
            "title": title, "status": self.status.as_u16(), "detail": self.what, "fix": self.fix,
        });
        let mut response = (self.status, Json(body)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if self.status == StatusCode::SERVICE_UNAVAILABLE || self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_deleted_meanwhile_is_missing_and_no_failure_of_ours() {
        let database = || "runs.db".to_owned();
        let gone = [
            StoreError::NoSuchRating { database: database() },
            StoreError::NoSuchRun { database: database(), run: "7".to_owned() },
        ];
        for error in gone {
            let refusal = ApiError::from(error);
            assert_eq!((refusal.status, refusal.logged), (StatusCode::NOT_FOUND, None));
        }
    }
}
