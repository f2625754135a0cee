//! The frame that all pages have: head, navigation, and who is asking.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use carelock_store::Role;

use super::api_error::{ApiError, ApiResult};
use super::assets::EDITION;
use super::middleware::access::{Who, is_for_programs};
use super::state::Shared;

/// The part of the web app a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Judging a chat.
    Judge,
    /// Runs, reports and comparisons.
    Runs,
    /// Rating by hand.
    Rate,
    /// Chats that go on.
    Live,
    /// None of them.
    Other,
}

/// What the layout needs to know.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) section: Section,
    pub(crate) who: Who,
    pub(crate) edition: &'static str,
}

impl Frame {
    /// The frame of a page.
    pub(crate) fn new(title: impl Into<String>, section: Section, who: &Who) -> Self {
        Self { title: title.into(), section, who: who.clone(), edition: &EDITION }
    }

    /// Whether this is the part of the web app the page belongs to.
    pub(crate) fn is(&self, section: &str) -> bool {
        let own = match self.section {
            Section::Judge => "judge",
            Section::Runs => "runs",
            Section::Rate => "rate",
            Section::Live => "live",
            Section::Other => "other",
        };
        own == section
    }

    /// Whether whoever is asking may do what this role may.
    pub(crate) fn may(&self, role: &str) -> bool {
        role.parse::<Role>().is_ok_and(|role| self.who.may(role))
    }

    /// What stands behind the address of a form that changes something.
    pub(crate) fn csrf_query(&self) -> String {
        format!("?mark={}", self.who.csrf_token)
    }
}

/// The page of a template.
pub(crate) fn html(page: &impl Template) -> ApiResult {
    let text = page.render().map_err(|error| ApiError::failed(&anyhow::Error::new(error)))?;
    Ok(Html(text).into_response())
}

#[derive(Template)]
#[template(path = "refusal.html")]
struct RefusalPage {
    frame: Frame,
    status: u16,
    what: String,
    fix: String,
}

/// Shows refusals as pages where a page was asked for.
pub(crate) async fn show_refusals(State(_server): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_for_programs = is_for_programs(path);
    let wants_json = request.headers().get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    let who = request.extensions().get::<Who>().cloned();
    let response = next.run(request).await;
    let refusal = response.extensions().get::<ApiError>().cloned();
    let (Some(refusal), Some(who)) = (refusal.filter(|_| !is_for_programs && !wants_json), who) else {
        return response;
    };
    let title = match refusal.status.as_u16() {
        403 => "This is not open to you",
        404 | 410 => "There is nothing here",
        409 => "It was changed meanwhile",
        413 => "This is too large",
        429 | 503 => "The server is busy",
        500.. => "Something failed here",
        _ => "This cannot be done as it was asked",
    };
    let frame = Frame::new(title, Section::Other, &who);
    let page =
        RefusalPage { frame, status: refusal.status.as_u16(), what: refusal.what.clone(), fix: refusal.fix.clone() };
    match html(&page) {
        Ok(page) => {
            let (mut parts, _) = response.into_parts();
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/html; charset=utf-8"));
            Response::from_parts(parts, page.into_body())
        }
        Err(_) => response,
    }
}
