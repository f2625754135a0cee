//! Who is asking, and what they may do.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use carelock_store::Role;

use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;
use crate::visitors::{secret, sessions};

/// Who is asking.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    /// The name, where a token was shown; on one's own machine none is needed.
    pub(crate) name: Option<String>,
    /// What they may do; nothing where a token is needed and none was shown.
    pub(crate) role: Option<Role>,
    /// The CSRF token that forms sent by this browser must carry.
    pub(crate) csrf_token: String,
}

impl Who {
    /// Whether they may do what this role may. Who only rates reads no reports, so that ratings stay blind.
    pub(crate) fn may(&self, role: Role) -> bool {
        self.role.is_some_and(|own| own >= role && !(own == Role::Rate && role == Role::Read))
    }
}

impl<S: Sync> FromRequestParts<S> for Who {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let who = parts.extensions.get().cloned();
        who.ok_or_else(|| ApiError::failed(&anyhow::anyhow!("nobody asked who this is")))
    }
}

/// Whether an address is for programs: it knows tokens only, no cookies, and is answered in JSON or plain text.
pub(crate) fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/") || path == "/metrics"
}

/// The host a request is for, with its port where it has one.
pub(crate) fn host(headers: &HeaderMap) -> &str {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Refuses requests for any other host than this one.
pub(crate) async fn check_host(State(server): State<Shared>, request: Request, next: Next) -> Response {
    if request.headers().get_all(header::HOST).iter().count() != 1 {
        let what = "The request does not say which host it is for, or says it twice.";
        return ApiError::new(StatusCode::BAD_REQUEST, what, "send one Host header").into_response();
    }
    // A whole URL in the first line counts for more than the header; what differs is somebody's trick.
    let named = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let is_own = |host: &str| server.origins.has_host(host);
    if !is_own(host(request.headers())) || named.is_some_and(|named| !is_own(named)) {
        return ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "This server does not answer to that name.",
            "use the address it said when it was started, or start it with --origin",
        )
        .into_response();
    }
    next.run(request).await
}

/// Finds out who is asking: a token in the header, or a browser that has shown one.
pub(crate) async fn identify(State(server): State<Shared>, mut request: Request, next: Next) -> ApiResult {
    let headers = request.headers();
    let secure = server.origins.is_secure(host(headers));
    let bearer = bearer(headers)?;
    let known = sessions::cookie(headers, secure);
    let (cookie, fresh) = match known {
        Some(cookie) => (cookie, false),
        None => (secret::fresh()?, true),
    };
    let csrf_token = secret::csrf_token(&cookie);
    let is_api = is_for_programs(request.uri().path());
    let digest = match bearer {
        Some(token) => Some(secret::digest(&token)),
        // A browser's cookie never speaks for the API, so that no other page can use it through the browser.
        None if is_api => None,
        None => server.sessions.token(&cookie),
    };
    let token = match &digest {
        Some(digest) => server.store.token_with_hash(digest).await?,
        None => None,
    };
    if digest.is_some() && token.is_none() && is_api {
        server.attempts.slow_down().await?;
        return Err(unknown_token());
    }
    let who = match token {
        Some(token) => Who { name: Some(token.name), role: Some(token.role), csrf_token },
        None => Who { name: None, role: (!server.needs_token).then_some(Role::Admin), csrf_token },
    };
    let is_page = !is_api && !request.uri().path().starts_with("/assets/");
    request.extensions_mut().insert(who);
    let mut response = next.run(request).await;
    if fresh && is_page && !response.headers().contains_key(header::SET_COOKIE) {
        let set = sessions::set_cookie(&cookie, secure);
        if let Ok(value) = HeaderValue::from_str(&set) {
            response.headers_mut().insert(header::SET_COOKIE, value);
        }
    }
    Ok(response)
}

fn bearer(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| text.split_once(' '));
    match token {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim().to_owned())),
        _ => Err(unknown_token()),
    }
}

fn unknown_token() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "The token is not known.",
        "send `Authorization: Bearer TOKEN` with one that `carelock token create` made and nobody revoked",
    )
}

/// Lets through whoever has any role.
pub(crate) async fn require_any(request: Request, next: Next) -> Response {
    match request.extensions().get::<Who>().and_then(|who| who.role) {
        Some(_) => next.run(request).await,
        None => sign_in(&request),
    }
}

/// Lets through only who may do what this role may.
pub(crate) async fn require(State(role): State<Role>, request: Request, next: Next) -> Response {
    let who = request.extensions().get::<Who>();
    if who.is_some_and(|who| who.may(role)) {
        return next.run(request).await;
    }
    let has_role = who.is_some_and(|who| who.role.is_some());
    let is_api = is_for_programs(request.uri().path());
    if has_role {
        let what = format!("This needs the role {role}.");
        let fix = "ask whoever runs the server for a token with that role";
        return ApiError::new(StatusCode::FORBIDDEN, what, fix).into_response();
    }
    if is_api {
        let fix = "send `Authorization: Bearer TOKEN` with one that `carelock token create` made";
        return ApiError::new(StatusCode::UNAUTHORIZED, "This needs a token.", fix).into_response();
    }
    // A script cannot do anything with the form it would be led to.
    if request.headers().get(header::ACCEPT).is_some_and(|accept| accept == "application/json") {
        let fix = "sign in in another tab, then save again";
        return ApiError::new(StatusCode::UNAUTHORIZED, "You are no longer signed in.", fix).into_response();
    }
    sign_in(&request)
}

/// To the form that takes a token, and from there back to the page that was asked for.
fn sign_in(request: &Request) -> Response {
    let asked = request.uri().path_and_query().map_or("/", |asked| asked.as_str());
    let is_page = request.method() == axum::http::Method::GET && asked != "/";
    let next = if is_page { format!("/login?next={}", encoded(asked)) } else { "/login".to_owned() };
    Redirect::to(&next).into_response()
}
