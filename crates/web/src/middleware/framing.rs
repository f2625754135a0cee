//! Requests whose end could be understood in two ways are refused: behind a proxy, what one takes for a body the other
//! could take for the next request.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::request_head::Ambiguous;
use crate::api_error::ApiError;
use crate::state::Shared;

/// Refuses what is ambiguous, and ends the connection after every request that came in chunks:
/// then nothing can follow it that was hidden in it.
pub(crate) async fn check(request: Request, next: Next) -> Response {
    let in_chunks = request.headers().contains_key(header::TRANSFER_ENCODING);
    let is_ambiguous = request.extensions().get::<Ambiguous>().is_some();
    // The parser leaves out what it has decided about, so that headers alone do not tell.
    let mut response = if is_ambiguous || self::is_ambiguous(request.headers()) {
        let what = "It is not clear where the body of this request ends.";
        let fix = "send either Content-Length or Transfer-Encoding: chunked";
        ApiError::new(StatusCode::BAD_REQUEST, what, fix).into_response()
    } else {
        next.run(request).await
    };
    let is_unread = matches!(response.status(), StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE);
    if in_chunks || is_unread {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Refuses what is announced as too large, before anything of it is read.
pub(crate) async fn check_size(State(server): State<Shared>, request: Request, next: Next) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    let most = server.most_bytes;
    if length.is_none_or(|length| usize::try_from(length).is_ok_and(|length| length <= most)) {
        return next.run(request).await;
    }
    let what = format!("This is larger than the {} MiB that the server takes.", most >> 20);
    let fix = "send less, judge it with `carelock run`, or start the server with --max-body";
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, what, fix).into_response()
}

fn is_ambiguous(headers: &HeaderMap) -> bool {
    let lengths = headers.get_all(header::CONTENT_LENGTH).iter().count();
    let mut encodings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let Some(encoding) = encodings.next() else { return lengths > 1 };
    lengths > 0 || encodings.next().is_some() || !encoding.as_bytes().eq_ignore_ascii_case(b"chunked")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_in_one_way_or_the_request_is_refused() {
        let of = |pairs: &[(header::HeaderName, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(name, HeaderValue::from_static(value));
            }
            is_ambiguous(&headers)
        };
        let (length, encoding) = (header::CONTENT_LENGTH, header::TRANSFER_ENCODING);
        assert!(!of(&[]));
        assert!(!of(&[(length.clone(), "3")]));
        assert!(!of(&[(encoding.clone(), "Chunked")]));
        assert!(of(&[(length.clone(), "3"), (encoding.clone(), "chunked")]));
        assert!(of(&[(length.clone(), "3"), (length, "3")]));
        assert!(of(&[(encoding.clone(), "chunked"), (encoding.clone(), "chunked")]));
        assert!(of(&[(encoding, "gzip, chunked")]));
    }
}
