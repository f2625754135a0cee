//! Reading what a program sends: bounded in size and time, and refused by its kind before it is read.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;

/// What a body says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// JSON.
    Json,
    /// Text.
    Text,
}

/// What the body says it is; anything else but JSON and text is refused.
pub(super) fn kind(headers: &HeaderMap) -> ApiResult<Kind> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut parts = given.split(';').map(|part| part.trim().to_ascii_lowercase());
    let kind = match parts.next().as_deref() {
        Some("application/json") => Kind::Json,
        Some("text/plain") => Kind::Text,
        _ => return Err(unsupported("The body is of a kind that is not read here.")),
    };
    let other = parts.filter_map(|part| part.strip_prefix("charset=").map(|set| set.trim_matches('"').to_owned()));
    if other.into_iter().any(|set| set != "utf-8" && set != "us-ascii") {
        return Err(unsupported("The body is in a character set that is not read here."));
    }
    Ok(kind)
}

fn unsupported(what: &str) -> ApiError {
    let fix = "send JSON as application/json (curl --json) or a transcript as text/plain, in UTF-8";
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what, fix)
}

/// The whole body as text.
pub(super) async fn text(server: &Shared, body: Body) -> ApiResult<String> {
    let bytes = bytes(body, server.most_bytes, server.limits.body).await?;
    String::from_utf8(Vec::from(bytes)).map_err(|error| {
        let what = format!("Byte {} of the body is not UTF-8.", error.utf8_error().valid_up_to() + 1);
        ApiError::new(StatusCode::BAD_REQUEST, what, "send it in UTF-8")
    })
}

async fn bytes(body: Body, most: usize, patience: Duration) -> ApiResult<Bytes> {
    let Ok(read) = tokio::time::timeout(patience, Limited::new(body, most).collect()).await else {
        let what = format!("The body has not arrived within {} s.", patience.as_secs());
        return Err(ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            what,
            "send it again, in smaller parts where it is large",
        ));
    };
    match read {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let what = format!("The body is larger than {} MiB.", most >> 20);
            Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, what, "send less, or start the server with --max-body"))
        }
        Err(_) => {
            Err(ApiError::new(StatusCode::BAD_REQUEST, "The body ended too early or is malformed.", "send it again"))
        }
    }
}

/// What JSON text says.
pub(super) fn parse<'a, T: serde::Deserialize<'a>>(text: &'a str) -> ApiResult<T> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if error.is_data() {
            return ApiError::bad(format!("{error}."), "GET /api/v1/openapi.json describes what can be sent");
        }
        let what = format!("Line {line}, column {column}: this is not JSON.");
        ApiError::new(StatusCode::BAD_REQUEST, what, "send JSON; in a shell, put it between single quotes")
    })
}
