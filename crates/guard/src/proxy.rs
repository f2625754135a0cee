//! Passing requests through: everything goes on as it came, and replies of chats are looked at.

use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use carelock_judge::http::UpstreamResponse;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::answer::{HEADER, Verdict, could_not_judge, instead, json_response, refuse};
use crate::chat::{said, turns};
use crate::policy::{Fail, Mode};
use crate::reply::Exchange;
use crate::state::Guard;
use crate::stream::{HeldStream, PendingExchange, observe};

/// The header by which a client names its chat, for clients that share a key.
const SESSION: &str = "x-carelock-session";

/// Headers that belong to one connection, not to the message.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Addresses at which models answer too, and whose replies are not looked at.
const UNWATCHED: [&str; 3] = ["/responses", "/completions", "/messages"];

/// How many pieces may wait for a slow client.
const AHEAD: usize = 32;

/// Passes a request to the upstream.
pub(crate) async fn pass(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let Some(upstream) = guard.policy.upstream.clone() else {
        return refuse(StatusCode::NOT_FOUND, "no_upstream", "This guard has no upstream; start it with --upstream.");
    };
    let Ok(place) = Arc::clone(&guard.places).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "busy", "The guard serves as many requests as it can.");
    };
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, guard.policy.max_body_mib << 20).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "The request is larger than the guard takes.");
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let is_chat = parts.method == Method::POST && parts.uri.path().trim_end_matches('/').ends_with("/chat/completions");
    let unwatched = UNWATCHED.into_iter().find(|end| parts.uri.path().trim_end_matches('/').ends_with(end));
    let unwatched = unwatched.filter(|_| parts.method == Method::POST && !is_chat);
    if unwatched.is_some() && guard.policy.holds() && guard.policy.fail == Fail::Closed {
        return could_not_judge("unwatched: the guard does not look at replies of this address");
    }
    let mut headers = passed_on(&parts.headers);
    headers.remove(header::HOST);
    headers.remove(header::CONTENT_LENGTH);
    let begun = if is_chat { begin(&guard, &parts.headers, &body) } else { None };
    if is_chat {
        // What is compressed cannot be looked at.
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    let patience = Duration::from_secs(guard.policy.upstream_seconds);
    let sent = guard.client.pass(parts.method, &join(&upstream, path), headers, body, patience).await;
    match sent {
        Ok(passed) => {
            let mut response = answer(&guard, passed, begun, place).await;
            if let Some(address) = unwatched {
                say_unwatched(&guard, address);
                response.headers_mut().insert(HEADER, HeaderValue::from_static("not-watched"));
            }
            response
        }
        Err(error) => refuse(StatusCode::BAD_GATEWAY, "upstream", &format!("The upstream did not answer: {error}.")),
    }
}

/// Says once that replies of an address are not looked at.
fn say_unwatched(guard: &Guard, address: &'static str) {
    if guard.unwatched.lock().unwrap_or_else(PoisonError::into_inner).insert(address) {
        guard
            .alerts
            .say(&format!("replies of …{address} are passed on unwatched: only …/chat/completions is looked at"));
    }
}

/// The address of a path at the upstream, whose own `/v1` is not said twice.
fn join(upstream: &str, path: &str) -> String {
    let upstream = upstream.trim_end_matches('/');
    match upstream.strip_suffix("/v1") {
        Some(base) if path.starts_with("/v1/") => format!("{base}{path}"),
        _ => format!("{upstream}{path}"),
    }
}

/// The headers that go on with a message.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(|name| name.trim().to_ascii_lowercase()))
        .collect();
    let is_passed =
        |name: &HeaderName| !HOP_BY_HOP.contains(&name.as_str()) && !named.iter().any(|own| own == name.as_str());
    headers.iter().filter(|(name, _)| is_passed(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Begins to take in the chat of a request, beside everything else.
fn begin(guard: &Arc<Guard>, headers: &HeaderMap, body: &Bytes) -> Option<PendingExchange> {
    let request: Value = serde_json::from_slice(body).ok()?;
    let turns = turns(&request["messages"]).filter(|turns| !turns.is_empty());
    let owner: Vec<u8> = [header::AUTHORIZATION.as_str(), SESSION]
        .iter()
        .flat_map(|name| headers.get(*name).map_or(&[][..], HeaderValue::as_bytes).iter().chain(b"\n"))
        .copied()
        .collect();
    let guard = Arc::clone(guard);
    Some(tokio::spawn(async move {
        let turns = turns.ok_or("unclear: the request holds no messages of a chat")?;
        Exchange::begin(&guard, "proxy", &owner, turns).await
    }))
}

async fn answer(
    guard: &Arc<Guard>,
    passed: UpstreamResponse,
    begun: Option<PendingExchange>,
    place: tokio::sync::OwnedSemaphorePermit,
) -> Response {
    let status = StatusCode::from_u16(passed.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = passed_on(passed.headers());
    let is = |name: HeaderName, part: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains(part))
    };
    let is_stream = is(header::CONTENT_TYPE, "text/event-stream");
    let is_packed = headers.contains_key(header::CONTENT_ENCODING) && !is(header::CONTENT_ENCODING, "identity");
    let watched = begun.filter(|_| status.is_success());
    let mode = guard.policy.mode;
    let (out, pieces) = mpsc::channel(AHEAD);
    match watched {
        None => {
            tokio::spawn(async move { plain(passed, out, place).await });
        }
        Some(_) if is_packed && guard.policy.holds() && guard.policy.fail == Fail::Closed => {
            return could_not_judge("unclear: the reply is compressed");
        }
        Some(begun) if is_stream && (mode == Mode::Observe || is_packed) => {
            tokio::spawn(async move {
                observe(passed, begun, out).await;
                drop(place);
            });
        }
        Some(begun) if is_stream => {
            let held = HeldStream::new(guard.policy.clone(), begun, out);
            tokio::spawn(async move {
                held.run(passed).await;
                drop(place);
            });
            let mut headers = headers;
            headers.remove(header::CONTENT_LENGTH);
            return respond(status, headers, pieces);
        }
        Some(begun) if mode == Mode::Observe || is_packed => {
            tokio::spawn(async move { beside(passed, begun, out, place).await });
        }
        Some(begun) => return whole(guard, passed, begun, headers).await,
    }
    respond(status, headers, pieces)
}

fn respond(status: StatusCode, headers: HeaderMap, pieces: mpsc::Receiver<io::Result<Bytes>>) -> Response {
    let stream = futures_util::stream::unfold(pieces, |mut pieces| async move {
        let piece = pieces.recv().await?;
        Some((piece, pieces))
    });
    let mut response = Response::new(Body::from_stream(stream));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Passes a body on; what it was, where it is not too large.
async fn copied(mut passed: UpstreamResponse, out: mpsc::Sender<io::Result<Bytes>>, most: usize) -> Option<Vec<u8>> {
    let mut kept = Some(Vec::new());
    loop {
        let chunk = tokio::select! {
            chunk = passed.chunk() => chunk,
            () = out.closed() => return None,
        };
        match chunk {
            Ok(None) => return kept,
            Ok(Some(bytes)) => {
                if let Some(all) = kept.as_mut().filter(|all| all.len() + bytes.len() <= most) {
                    all.extend_from_slice(&bytes);
                } else {
                    kept = None;
                }
                out.send(Ok(bytes)).await.ok()?;
            }
            Err(error) => {
                let _ = out.send(Err(io::Error::other(error.to_string()))).await;
                return None;
            }
        }
    }
}

async fn plain(
    passed: UpstreamResponse,
    out: mpsc::Sender<io::Result<Bytes>>,
    place: tokio::sync::OwnedSemaphorePermit,
) {
    copied(passed, out, 0).await;
    drop(place);
}

/// Passes an answer on as it comes, and looks at it when it is through.
async fn beside(
    passed: UpstreamResponse,
    begun: PendingExchange,
    out: mpsc::Sender<io::Result<Bytes>>,
    place: tokio::sync::OwnedSemaphorePermit,
) {
    let body = copied(passed, out, 8 << 20).await;
    drop(place);
    let Ok(Ok(exchange)) = begun.await else { return };
    match body.as_deref().and_then(read) {
        Some((text, id)) => {
            exchange.sent(text, id.as_deref()).await;
        }
        None => {
            exchange.outcome(&Verdict::CouldNotJudge("unclear: the reply is no chat".to_owned()), "passed_on", None);
        }
    }
}

/// The first choice of an answer, and the answer's id.
fn read(body: &[u8]) -> Option<(String, Option<String>)> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let said = said(&value, "message")?;
    let text = said.texts.into_iter().find(|(number, _)| *number == 0)?.1;
    Some((text, said.id))
}

/// Looks at a whole answer before it goes on.
async fn whole(
    guard: &Arc<Guard>,
    mut passed: UpstreamResponse,
    begun: PendingExchange,
    mut headers: HeaderMap,
) -> Response {
    let status = StatusCode::from_u16(passed.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut body = Vec::new();
    loop {
        match passed.chunk().await {
            Ok(Some(bytes)) if body.len() + bytes.len() <= guard.policy.max_body_mib << 20 => {
                body.extend_from_slice(&bytes);
            }
            Ok(None) => break,
            Ok(Some(_)) => {
                return refuse(StatusCode::BAD_GATEWAY, "upstream", "The answer is larger than the guard takes.");
            }
            Err(error) => {
                return refuse(StatusCode::BAD_GATEWAY, "upstream", &format!("The upstream broke off: {error}."));
            }
        }
    }
    let exchange = begun.await.unwrap_or_else(|_| Err("broken: the chat could not be taken in".to_owned()));
    let value: Option<Value> = serde_json::from_slice(&body).ok();
    let said = value.as_ref().and_then(|value| said(value, "message"));
    let id = said.as_ref().and_then(|said| said.id.clone());
    let verdict = match (&exchange, &said) {
        (Err(reason), _) => Verdict::CouldNotJudge(reason.clone()),
        (_, None) => Verdict::CouldNotJudge("unclear: the reply is no chat".to_owned()),
        (Ok(exchange), Some(said)) => {
            let mut verdict = Verdict::UpstreamResponse;
            for (_, text) in &said.texts {
                if verdict == Verdict::UpstreamResponse {
                    verdict = exchange.check(text.clone(), true).await;
                }
            }
            verdict
        }
    };
    let holds = guard.policy.holds();
    let (action, text) = match &verdict {
        Verdict::Gate(_) if holds => {
            let text = guard.policy.replacement.clone().filter(|_| guard.policy.mode == Mode::Replace);
            (if text.is_some() { "replaced" } else { "blocked" }, text)
        }
        Verdict::CouldNotJudge(reason) if holds && guard.policy.fail == Fail::Closed => {
            if let Ok(exchange) = &exchange {
                exchange.outcome(&verdict, "refused", id.as_deref());
            }
            return could_not_judge(reason);
        }
        _ => ("passed_on", said.and_then(|said| said.texts.into_iter().next()).map(|(_, text)| text)),
    };
    if let Ok(exchange) = exchange {
        exchange.outcome(&verdict, action, id.as_deref());
        if let Some(text) = text.clone().filter(|text| !text.trim().is_empty()) {
            tokio::spawn(async move { exchange.commit(text, id.as_deref()).await });
        }
    }
    let mut response = if action == "passed_on" {
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        headers.remove(header::TRANSFER_ENCODING);
        *response.headers_mut() = headers;
        response
    } else {
        json_response(StatusCode::OK, &instead(&value.unwrap_or_default(), text.as_deref(), &verdict))
    };
    response.headers_mut().insert(HEADER, verdict.header());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_joined_without_saying_the_version_twice() {
        assert_eq!(join("http://a/v1", "/v1/chat/completions?x=1"), "http://a/v1/chat/completions?x=1");
        assert_eq!(join("http://a/", "/v1/models"), "http://a/v1/models");
        assert_eq!(join("http://a/api/v1/", "/models"), "http://a/api/v1/models");
    }

    #[test]
    fn headers_of_the_connection_stay_and_all_others_go_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [("connection", "close, X-Own"), ("x-own", "1"), ("x-other", "2"), ("te", "trailers")] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let passed = passed_on(&headers);
        assert_eq!(passed.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["x-other"]);
    }
}
