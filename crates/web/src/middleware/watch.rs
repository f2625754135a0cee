//! Counting, timing and ending requests, and saying which were refused: never with anything that came in them.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::api_error::ApiError;
use crate::options::RequestLog;
use crate::state::Shared;

/// The route a request matched, known once the router has seen it.
#[derive(Clone)]
struct Route(String);

/// Notes which route a request matched, for those who look at the answer.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| Route(path.as_str().to_owned()));
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// Counts requests, and says what has to be said about them.
pub(crate) async fn watch(State(server): State<Shared>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = shown(request.method());
    let response = next.run(request).await;
    let status = response.status();
    let route = response.extensions().get::<Route>().map_or("(none)", |route| route.0.as_str());
    let took = begun.elapsed();
    server.metrics.answered(method, route, status.as_u16(), took);
    let refused = status.is_client_error() || status.is_server_error();
    if server.log == RequestLog::All || (refused && server.log == RequestLog::Refused) {
        let (code, took) = (status.as_u16(), took.as_millis());
        let why = response.extensions().get::<ApiError>().and_then(|refusal| refusal.logged.as_deref());
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        (server.messages.say)(&format!("{method} {route} {code} {took} ms{why}"));
    }
    response
}

/// Only the usual methods are named: what else a client sends is its own text.
fn shown(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => "OTHER",
    }
}

/// Ends requests that take too long, which is also what ends a body that is sent too slowly.
pub(crate) async fn within(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    let Ok(response) = tokio::time::timeout(limit, next.run(request)).await else {
        let what = format!("This took longer than {} s.", limit.as_secs());
        let fix = "send it again, in smaller parts where it is large";
        return ApiError::new(StatusCode::REQUEST_TIMEOUT, what, fix).into_response();
    };
    response
}
