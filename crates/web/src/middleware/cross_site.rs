//! Pages of other sites cannot make a browser change anything here.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::access::{Who, host};
use crate::api_error::ApiError;
use crate::state::Shared;
use crate::visitors::secret;

/// The parameter of the address that carries the CSRF token of our own forms. In the address and not among the fields, so
/// that it is checked before anything of the body is read, whatever its kind.
const PARAMETER: &str = "mark";
/// The header in which browsers say whose page a request comes from.
const SITE: &str = "sec-fetch-site";

/// Refuses state changes that another site may have caused.
pub(crate) async fn check(State(server): State<Shared>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let headers = request.headers();
    if [header::ORIGIN.as_str(), SITE].iter().any(|name| !is_clear(headers, name)) {
        return refused();
    }
    let origin = text_of(headers, header::ORIGIN.as_str());
    let is_foreign = origin.is_some_and(|origin| origin != "null" && !server.origins.is_own(origin, host(headers)));
    let is_from_elsewhere = text_of(headers, SITE).is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_foreign || is_from_elsewhere {
        return refused();
    }
    let is_api = request.uri().path().starts_with("/api/");
    let is_fine = if is_api {
        // A browser says where a page comes from with every request that could change something; whoever hides it is refused.
        origin != Some("null") || text_of(headers, SITE) == Some("same-origin")
    } else {
        let who = request.extensions().get::<Who>();
        let token = csrf_token(request.uri().query().unwrap_or_default());
        who.zip(token).is_some_and(|(who, token)| secret::is_same(&who.csrf_token, token))
    };
    if is_fine { next.run(request).await } else { refused() }
}

/// Whether a header stands there at most once, as text. Browsers send it so; anything else is meant to be misread.
fn is_clear(headers: &HeaderMap, name: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    values.next().is_none_or(|value| value.to_str().is_ok()) && values.next().is_none()
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn csrf_token(query: &str) -> Option<&str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == PARAMETER)
        .map(|(_, token)| token)
}

fn refused() -> Response {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "This did not come from a page of this server, or from one that is too old.",
        "open the page again and repeat it there; cookies must be allowed for this server",
    )
    .into_response()
}
