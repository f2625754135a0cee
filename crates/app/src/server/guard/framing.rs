//! Requests whose end could be understood in two ways are refused: behind a proxy, what one takes for a body the other
//! could take for the next request.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::server::refusal::Refusal;

/// Refuses what is ambiguous, and ends the connection after every request that came in chunks: then nothing can follow
/// it that was hidden in it.
pub(crate) async fn check(request: Request, next: Next) -> Response {
    let in_chunks = request.headers().contains_key(header::TRANSFER_ENCODING);
    let mut response = if is_ambiguous(request.headers()) {
        let what = "It is not clear where the body of this request ends.";
        Refusal::new(StatusCode::BAD_REQUEST, what, "send either Content-Length or Transfer-Encoding: chunked")
            .into_response()
    } else {
        next.run(request).await
    };
    if in_chunks || response.status() == StatusCode::BAD_REQUEST {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
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
