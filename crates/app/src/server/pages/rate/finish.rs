//! Finishing a rating: everything is checked once more, and what is open is said before it stays open for good.

use askama::Template;
use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use carelock_store::StoreError;
use serde::Deserialize;

use super::chat::told;
use super::{Asked, Opened, Rater};
use crate::runs::now;
use crate::server::guard::access::Who;
use crate::server::page::{Frame, Section, html};
use crate::server::rating::complaint::unanswered;
use crate::server::refusal::{Answer, Refusal};
use crate::server::state::Shared;

/// A check that needs the rater once more.
struct Item {
    id: String,
    title: String,
    step: usize,
    what: String,
    fix: String,
}

#[derive(Template)]
#[template(path = "rate/finish.html")]
struct FinishPage {
    frame: Frame,
    rater: Rater,
    path: String,
    name: String,
    version: u64,
    complaints: Vec<Item>,
    open: Vec<Item>,
    answered: usize,
    total: usize,
    summary: String,
    most_words: usize,
    refused: Option<&'static str>,
}

/// What is still to be done.
pub(crate) async fn page(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<Asked>,
) -> Answer {
    let opened = Opened::find(&server, &who, &asked, place).await?;
    if opened.is_done() {
        return Ok(Redirect::to(&opened.report_path()).into_response());
    }
    render(&who, &opened, None)
}

fn render(who: &Who, opened: &Opened, refused: Option<&'static str>) -> Answer {
    let rubric = &opened.run.scoring.rubric;
    let item = |position: usize, what: String, fix: String| {
        let check = rubric.check(position);
        Item { id: check.id.clone(), title: check.title.clone(), step: rubric.metric_of(position) + 1, what, fix }
    };
    let complaints = told(opened, &opened.draft)?;
    let open = unanswered(rubric, &opened.draft);
    html(&FinishPage {
        frame: Frame::new(format!("Finish {}", opened.chat.chat.name), Section::Rate, who),
        rater: opened.rater.clone(),
        path: opened.path(),
        name: opened.chat.chat.name.clone(),
        version: opened.rating.queued.version,
        answered: rubric.checks().len() - open.len(),
        total: rubric.checks().len(),
        complaints: complaints.into_iter().map(|told| item(told.check, told.what, told.fix)).collect(),
        open: open.into_iter().map(|check| item(check, String::new(), String::new())).collect(),
        summary: opened.draft.summary().to_owned(),
        most_words: rubric.limits().summary_words,
        refused,
    })
}

/// The form that finishes.
#[derive(Deserialize)]
pub(crate) struct Finish {
    version: u64,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    leave_open: Option<String>,
}

/// Finishes, where nothing is in the way.
pub(crate) async fn finish(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<Asked>,
    Form(form): Form<Finish>,
) -> Answer {
    let mut opened = Opened::find(&server, &who, &asked, place).await?;
    if opened.is_done() {
        return Ok(Redirect::to(&opened.report_path()).into_response());
    }
    let key = opened.rating.queued.key;
    let mut version = form.version;
    let next = opened.draft.with_summary(&form.summary);
    if next != opened.draft {
        version = server.store.save_rating(key, version, &next.body(), now()).await.map_err(refusal)?;
        opened.rating.queued.version = version;
        opened.draft = next;
    }
    let rubric = &opened.run.scoring.rubric;
    let open = unanswered(rubric, &opened.draft).len();
    let in_the_way = if open == rubric.checks().len() {
        Some("Nothing is answered yet.")
    } else if !told(&opened, &opened.draft)?.is_empty() {
        Some("Some answers cannot be taken as they are; they are listed below with what to do.")
    } else if open > 0 && form.leave_open.is_none() {
        Some("Some checks have no answer. Answer them, or say below that they stay unscored.")
    } else {
        None
    };
    if in_the_way.is_some() {
        let page = render(&who, &opened, in_the_way)?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    server.store.finish_rating(key, version, now()).await.map_err(refusal)?;
    Ok(Redirect::to(&opened.report_path()).into_response())
}

fn refusal(error: StoreError) -> Refusal {
    match error {
        StoreError::RatingStale { .. } => Refusal::new(
            StatusCode::CONFLICT,
            "This rating was changed elsewhere since this page was loaded; it is not finished.",
            "go back, load the page again, look at it, and finish then",
        ),
        error => error.into(),
    }
}
