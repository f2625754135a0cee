//! How far the raters of a run have come; nothing of what they said.

use askama::Template;
use axum::Extension;
use axum::extract::{Path, State};
use carelock_store::{RaterProgress, Run, RunKey};

use crate::server::guard::access::Who;
use crate::server::page::{Frame, Section, html};
use crate::server::refusal::Answer;
use crate::server::state::Shared;

#[derive(Template)]
#[template(path = "rate/progress.html")]
struct ProgressPage {
    frame: Frame,
    run: Run,
    raters: Vec<RaterProgress>,
}

/// Who has done how many.
pub(crate) async fn page(State(server): State<Shared>, Extension(who): Extension<Who>, Path(run): Path<i64>) -> Answer {
    let run = server.store.run_numbered(RunKey(run)).await?;
    let raters = server.store.raters(run.key).await?;
    let frame = Frame::new(format!("Raters of {}", run.name), Section::Rate, &who);
    html(&ProgressPage { frame, run, raters })
}
