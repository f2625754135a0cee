//! Saving what a form says, and taking changes back.

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Json, Redirect};
use carelock_engine::runs::now;
use carelock_store::StoreError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::{Shown, metric_numbered, render, told};
use super::view::Step;
use super::{Asked, Opened, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::guard::access::Who;
use crate::rating::draft::{Draft, Fields, too_much};
use crate::state::Shared;
use crate::stored::blocking;

/// Saves one metric: for a script as JSON, for a form by going on to the page it asks for.
pub(crate) async fn save(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> ApiResult {
    let is_script = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    let opened = Opened::find(&server, &who, &asked, place).await?;
    if opened.is_done() {
        return Err(done());
    }
    let number = |name: &str| fields.get(name).and_then(|text| text.parse::<u64>().ok());
    let version = number("version").ok_or_else(incomplete)?;
    let metric = number("metric").and_then(|number| usize::try_from(number).ok()).ok_or_else(incomplete)?;
    let metric = metric_numbered(&opened.run.scoring.rubric, metric)?;
    let read = move || {
        let rubric = &opened.run.scoring.rubric;
        let wrong = too_much(rubric, metric, &opened.transcript, &fields);
        let next = opened.draft.with(rubric, metric, &opened.transcript, &fields);
        (opened, fields, next, wrong)
    };
    let (mut opened, fields, next, wrong) = blocking(read).await?;
    if let Some((what, fix)) = wrong {
        if is_script {
            return Err(ApiError::bad(what, fix));
        }
        // What the form rests on stays what it was, so that the next try does not overwrite a change made elsewhere.
        opened.rating.queued.version = version;
        return refused(who, opened, metric, next, (what, fix)).await;
    }
    if next != opened.draft {
        match server.store.save_rating(opened.rating.queued.key, version, &next.body(), now()).await {
            Ok(version) => opened.rating.queued.version = version,
            Err(StoreError::RatingStale { .. }) => {
                let opened = Opened::find(&server, &who, &asked, place).await?;
                return conflict(who, opened, metric, next, is_script).await;
            }
            Err(StoreError::RatingDone { .. }) => return Err(done()),
            Err(error) => return Err(error.into()),
        }
        opened.draft = next;
    }
    if is_script {
        return Ok(Json(blocking(move || saved(&opened, metric)).await??).into_response());
    }
    let steps = opened.run.scoring.rubric.metrics().len();
    let go = fields.get("go").map_or("", String::as_str);
    let target = match go.parse::<usize>() {
        Ok(number) if (1..=steps).contains(&number) => opened.metric_path(number),
        _ if go == "finish" => format!("{}/finish{}", opened.path(), opened.rater.first),
        _ => opened.metric_path(metric + 1),
    };
    Ok(Redirect::to(&target).into_response())
}

fn done() -> ApiError {
    let fix = "look at your report; a finished rating stays as it is";
    ApiError::new(StatusCode::CONFLICT, "This rating is finished.", fix)
}

fn incomplete() -> ApiError {
    ApiError::bad("The form is incomplete.", "load the page again, and repeat the last change")
}

/// Nothing is lost: the page shows what the form says, beside what was saved elsewhere.
async fn conflict(who: Who, opened: Opened, metric: usize, next: Draft, is_script: bool) -> ApiResult {
    if is_script {
        let what = "This rating was changed elsewhere since this page was loaded; your last change is not saved.";
        let fix = "load the page again to see it, or save yours in its place";
        let status = StatusCode::CONFLICT;
        let version = opened.rating.queued.version;
        let body = json!({ "status": status.as_u16(), "detail": what, "fix": fix, "version": version });
        let mut response = (status, Json(body)).into_response();
        response.extensions_mut().insert(ApiError::new(status, what, fix));
        return Ok(response);
    }
    let shown = Shown { metric, unsaved: Some(next), ..Shown::default() };
    let page = blocking(move || render(&who, &opened, shown)).await??;
    Ok((StatusCode::CONFLICT, page).into_response())
}

/// Too much to be saved: the page shows what the form says, so that it can be shortened.
async fn refused(who: Who, opened: Opened, metric: usize, next: Draft, wrong: (String, &'static str)) -> ApiResult {
    let shown = Shown { metric, unsaved: Some(next), refused: Some(wrong), ..Shown::default() };
    let page = blocking(move || render(&who, &opened, shown)).await??;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// The CSRF token that forms must carry from now on, for a page that was loaded before its reader signed in again.
pub(crate) async fn csrf_token(Extension(who): Extension<Who>, Query(asked): Query<Asked>) -> ApiResult {
    let rater = Rater::known(&who, &asked)?;
    Ok(Json(json!({ "mark": who.csrf_token, "rater": rater.name })).into_response())
}

/// What a script needs to know after saving.
fn saved(opened: &Opened, metric: usize) -> ApiResult<Value> {
    let rubric = &opened.run.scoring.rubric;
    let complaints = told(opened, &opened.draft)?;
    let steps: Vec<Value> = Step::all(rubric, &opened.draft, &complaints)
        .iter()
        .map(|step| json!({ "number": step.number, "answered": step.answered, "troubled": step.troubled }))
        .collect();
    let here = rubric.checks_of(metric);
    let evidence: Vec<Value> = here
        .clone()
        .filter_map(|check| {
            let id = &rubric.check(check).id;
            let answer = opened.draft.answer(id)?;
            Some(json!({ "id": id, "turn": answer.turns.first(), "quote": answer.quote }))
        })
        .collect();
    let complaints: Vec<_> = complaints.iter().filter(|complaint| here.contains(&complaint.check)).collect();
    let version = opened.rating.queued.version;
    Ok(json!({ "version": version, "complaints": complaints, "evidence": evidence, "steps": steps }))
}

/// What an undo rests on.
#[derive(Deserialize)]
pub(crate) struct Undo {
    version: u64,
    metric: usize,
}

/// Takes the last change back, and goes to where it was made.
pub(crate) async fn undo(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<Asked>,
    Form(undo): Form<Undo>,
) -> ApiResult {
    let opened = Opened::find(&server, &who, &asked, place).await?;
    let rubric = &opened.run.scoring.rubric;
    let here = metric_numbered(rubric, undo.metric)?;
    let undone = match server.store.undo_rating(opened.rating.queued.key, undo.version, now()).await {
        Ok(undone) => undone,
        Err(StoreError::RatingStale { .. }) => {
            let what = "This rating was changed elsewhere since this page was loaded; nothing was taken back.";
            return Err(ApiError::new(
                StatusCode::CONFLICT,
                what,
                "go back, load the page again, and look at it first",
            ));
        }
        Err(StoreError::RatingDone { .. }) => return Err(done()),
        Err(error) => return Err(error.into()),
    };
    let Some(rating) = undone else {
        return Ok(Redirect::to(&format!("{}&undone=nothing", opened.metric_path(here + 1))).into_response());
    };
    let before = Draft::open(rating.body.as_deref(), &opened.rater.name, &opened.transcript)?;
    let target = match before.differs(&opened.draft, rubric).first() {
        Some(&check) => {
            let metric = rubric.metric_of(check) + 1;
            format!("{}&undone={}#check-{}", opened.metric_path(metric), rubric.check(check).id, rubric.check(check).id)
        }
        None => format!("{}&undone=note", opened.metric_path(here + 1)),
    };
    Ok(Redirect::to(&target).into_response())
}
