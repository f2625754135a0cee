//! The first page.

use askama::Template;
use axum::Extension;

use crate::server::guard::access::Who;
use crate::server::page::{Frame, Section, html};
use crate::server::refusal::Answer;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
}

/// The first page.
pub(crate) async fn page(Extension(who): Extension<Who>) -> Answer {
    html(&Home { frame: Frame::new("Care-Lock", Section::Judge, &who) })
}
