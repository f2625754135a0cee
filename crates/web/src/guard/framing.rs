//! Requests whose end could be understood in two ways are refused: behind a proxy, what one takes for a body the other
//! could take for the next request.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::api_error::ApiError;
use crate::state::Shared;

/// Refuses what is ambiguous or announced as too large, and ends the connection after every request that came in chunks:
/// then nothing can follow it that was hidden in it.
pub(crate) async fn check(State(server): State<Shared>, request: Request, next: Next) -> Response {
    let in_chunks = request.headers().contains_key(header::TRANSFER_ENCODING);
    let mut response = match refusal(request.headers(), server.most_bytes) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    let is_unread = matches!(response.status(), StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE);
    if in_chunks || is_unread {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn refusal(headers: &HeaderMap, most: usize) -> Option<ApiError> {
    if is_ambiguous(headers) {
        let what = "It is not clear where the body of this request ends.";
        let fix = "send either Content-Length or Transfer-Encoding: chunked";
        return Some(ApiError::new(StatusCode::BAD_REQUEST, what, fix));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    let is_too_large = length.is_some_and(|length| usize::try_from(length).is_ok_and(|length| length > most));
    is_too_large.then(|| {
        let what = format!("The body is larger than {} MiB.", most >> 20);
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, what, "send less, or start the server with --max-body")
    })
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
