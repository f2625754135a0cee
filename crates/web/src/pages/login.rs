//! Showing a token, and leaving again.

use askama::Template;
use axum::extract::{Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse as _, Redirect};
use serde::Deserialize;

use crate::api_error::ApiResult;
use crate::middleware::access::{Who, host};
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use crate::visitors::{secret, sessions};

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    frame: Frame,
    wrong: bool,
    /// The page that was asked for.
    next: String,
}

/// What the address of the form says.
#[derive(Default, Deserialize)]
pub(crate) struct LoginQuery {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(crate) struct LoginForm {
    token: String,
    #[serde(default)]
    next: String,
}

/// A page of this server; the first one where another is named, so that nobody is led elsewhere.
fn own_page(next: &str) -> &str {
    let is_own = next.starts_with('/') && !next.starts_with("//") && !next.contains('\\');
    let is_own = is_own && next.bytes().all(|byte| byte.is_ascii_graphic());
    if is_own { next } else { "/" }
}

/// The form.
pub(crate) async fn form(who: Who, Query(asked): Query<LoginQuery>) -> ApiResult {
    let next = own_page(&asked.next).to_owned();
    html(&Login { frame: Frame::new("Sign in", Section::Other, &who), wrong: false, next })
}

/// Takes a token; from then on the browser is known.
pub(crate) async fn enter(
    State(server): State<Shared>,
    who: Who,
    headers: HeaderMap,
    Form(shown): Form<LoginForm>,
) -> ApiResult {
    let digest = secret::digest(shown.token.trim());
    if server.store.token_with_hash(&digest).await?.is_none() {
        server.attempts.slow_down().await?;
        let next = own_page(&shown.next).to_owned();
        let page = html(&Login { frame: Frame::new("Sign in", Section::Other, &who), wrong: true, next })?;
        return Ok((StatusCode::FORBIDDEN, page).into_response());
    }
    let secure = server.origins.is_secure(host(&headers));
    let cookie = sessions::set_cookie(&server.sessions.begin(&digest)?, secure);
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), Redirect::to(own_page(&shown.next))).into_response())
}

/// Forgets the browser.
pub(crate) async fn leave(State(server): State<Shared>, headers: HeaderMap) -> ApiResult {
    let secure = server.origins.is_secure(host(&headers));
    if let Some(cookie) = sessions::cookie(&headers, secure) {
        server.sessions.end(&cookie);
    }
    Ok((AppendHeaders([(SET_COOKIE, sessions::set_cookie("", secure))]), Redirect::to("/")).into_response())
}
