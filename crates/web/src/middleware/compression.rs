//! Pages and files sent smaller to browsers that ask for it, but for what holds a secret.

use std::io::Write as _;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::access::Who;
use crate::blocking::blocking;

/// What is smaller is sent as it is.
const SMALLEST: u64 = 1 << 10;
/// What is larger is sent as it is made, and not held for this.
const LARGEST: u64 = 16 << 20;

/// Compresses an answer where that is wanted and safe: how small a page becomes tells something of what is in it, so a page
/// that holds the mark of forms beside what somebody has sent stays as it is.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let is_wanted = request.method() == Method::GET && takes_gzip(request.headers());
    let mark = request.extensions().get::<Who>().map(|who| who.csrf_token.clone());
    let response = next.run(request).await;
    if !is_wanted || !is_text(response.headers()) {
        return response;
    }
    let Some(size) = response.body().size_hint().exact() else { return response };
    if !(SMALLEST..=LARGEST).contains(&size) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = to_bytes(body, usize::try_from(LARGEST).unwrap_or(usize::MAX)).await else {
        return Response::from_parts(parts, Body::empty());
    };
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let holds = |mark: &String| plain.windows(mark.len().max(1)).any(|part| part == mark.as_bytes());
    if mark.as_ref().is_some_and(holds) {
        return Response::from_parts(parts, Body::from(plain));
    }
    let source = plain.clone();
    match blocking(move || gzip(&source)).await.ok().flatten() {
        Some(small) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(small))
        }
        None => Response::from_parts(parts, Body::from(plain)),
    }
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    named.split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// Whether the answer is text that is not encoded yet; events are sent as they happen.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("text/") || ["application/json", "application/xml", "image/svg+xml"].contains(&kind);
    is_text && !kind.starts_with("text/event-stream") && !headers.contains_key(header::CONTENT_ENCODING)
}

fn gzip(plain: &Bytes) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_only_where_it_is_asked_for() {
        let asked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a header"));
            takes_gzip(&headers)
        };
        assert!(asked("gzip") && asked("br, GZIP;q=0.5, deflate"));
        assert!(!asked("br") && !asked("gzip;q=0") && !asked("") && !takes_gzip(&HeaderMap::new()));
    }
}
