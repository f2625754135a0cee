//! Whether the server is alive, whether it can work, and what it has counted.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::api_error::{ApiError, ApiResult};
use super::state::Shared;

/// The server answers.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// The server can work: its database answers.
pub(crate) async fn ready(State(server): State<Shared>) -> ApiResult {
    match server.store.has_tokens().await {
        Ok(_) => Ok("ready\n".into_response()),
        Err(error) => {
            let refused = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "The database does not answer.", "try again");
            Err(ApiError { logged: Some(error.to_string()), ..refused })
        }
    }
}

/// The counters, for Prometheus.
pub(crate) async fn metrics(State(server): State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.text()).into_response()
}
