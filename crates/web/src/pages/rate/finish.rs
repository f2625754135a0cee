//! Finishing a rating: everything is checked once more, and what is open is said before it stays open for good.

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use carelock_engine::runs::now;
use carelock_store::StoreError;
use serde::Deserialize;

use super::chat::told;
use super::{Opened, RateQuery, Rater};
use crate::api_error::ApiResult;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::rating::complaint::unanswered;
use crate::rating::draft::{LETTERS, is_too_long};
use crate::state::Shared;

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
    letters: usize,
    refused: Option<&'static str>,
}

/// What is still to be done.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<RateQuery>,
) -> ApiResult {
    let opened = Opened::find(&server, &who, &asked, place).await?;
    if opened.is_done() {
        return Ok(Redirect::to(&opened.report_path()).into_response());
    }
    blocking(move || render(&who, &opened, None)).await?
}

fn render(who: &Who, opened: &Opened, refused: Option<&'static str>) -> ApiResult {
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
        letters: LETTERS,
        refused,
    })
}

/// What is said of a rating by somebody who knew the verdicts.
const NOT_BLIND: &str = "given after the verdicts on this chat were seen";

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
    who: Who,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<RateQuery>,
    Form(form): Form<Finish>,
) -> ApiResult {
    let mut opened = Opened::find(&server, &who, &asked, place).await?;
    if opened.is_done() {
        return Ok(Redirect::to(&opened.report_path()).into_response());
    }
    let mut next = opened.draft.with_summary(&form.summary);
    if server.store.has_seen(&opened.rater.name, opened.chat.key).await? {
        next = next.with_remark(NOT_BLIND);
    }
    if is_too_long(&form.summary) {
        opened.draft = next;
        return again(who, opened, StatusCode::UNPROCESSABLE_ENTITY, "The sentence is too long: shorten it.").await;
    }
    let (key, mut version) = (opened.rating.queued.key, form.version);
    if next != opened.draft {
        match server.store.save_rating(key, version, &next.body(), now()).await {
            Ok(newer) => version = newer,
            Err(error) => return hindered(&server, who, &asked, place, &form.summary, error).await,
        }
        opened.rating.queued.version = version;
        opened.draft = next;
    }
    let leaves_open = form.leave_open.is_some();
    let (opened, in_the_way) = blocking(move || {
        let in_the_way = in_the_way(&opened, leaves_open);
        in_the_way.map(|in_the_way| (opened, in_the_way))
    })
    .await??;
    if let Some(in_the_way) = in_the_way {
        return again(who, opened, StatusCode::UNPROCESSABLE_ENTITY, in_the_way).await;
    }
    match server.store.finish_rating(key, version, now()).await {
        Ok(_) => Ok(Redirect::to(&opened.report_path()).into_response()),
        Err(error) => hindered(&server, who, &asked, place, &form.summary, error).await,
    }
}

/// Why a rating cannot be finished as it is.
fn in_the_way(opened: &Opened, leaves_open: bool) -> ApiResult<Option<&'static str>> {
    let rubric = &opened.run.scoring.rubric;
    let open = unanswered(rubric, &opened.draft).len();
    Ok(if open == rubric.checks().len() {
        Some("Nothing is answered yet.")
    } else if !told(opened, &opened.draft)?.is_empty() {
        Some("Some answers cannot be taken as they are; they are listed below with what to do.")
    } else if open > 0 && !leaves_open {
        Some("Some checks have no answer. Answer them, or say below that they stay unscored.")
    } else {
        None
    })
}

/// The form once more, with what was typed into it.
async fn again(who: Who, opened: Opened, status: StatusCode, why: &'static str) -> ApiResult {
    let page = blocking(move || render(&who, &opened, Some(why))).await??;
    Ok((status, page).into_response())
}

/// What the store did not take: finished meanwhile is finished, and what was changed meanwhile is shown first.
async fn hindered(
    server: &Shared,
    who: Who,
    asked: &RateQuery,
    place: (i64, i64),
    summary: &str,
    error: StoreError,
) -> ApiResult {
    if !matches!(error, StoreError::RatingStale { .. } | StoreError::RatingDone { .. }) {
        return Err(error.into());
    }
    let mut opened = Opened::find(server, &who, asked, place).await?;
    if opened.is_done() {
        return Ok(Redirect::to(&opened.report_path()).into_response());
    }
    opened.draft = opened.draft.with_summary(summary);
    let why = "This rating was changed elsewhere since this page was loaded, so it is not finished. Below is how it \
               stands now, with your sentence; look at it, and finish then.";
    again(who, opened, StatusCode::CONFLICT, why).await
}
