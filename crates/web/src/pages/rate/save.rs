//! Saving what a form says, and taking changes back.

use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Json, Redirect};
use carelock_engine::runs::now;
use carelock_store::StoreError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::{Shown, metric_numbered, render, told};
use super::view::{ShownCheck, Step, in_words};
use super::{Opened, RateQuery, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::rating::draft::{Draft, Fields, Merged, too_much};
use crate::state::Shared;

/// How often a save is tried that others come in between of.
const TRIES: usize = 5;

/// What a form says of one metric, against what is saved.
struct Taken {
    opened: Opened,
    merged: Merged,
    /// What is too much in it, and what to do.
    wrong: Option<(String, &'static str)>,
}

/// Saves one metric: for a script as JSON, for a form by going on to the page it asks for.
pub(crate) async fn save(
    State(server): State<Shared>,
    who: Who,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<RateQuery>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> ApiResult {
    let is_script = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    let number = |name: &str| fields.get(name).and_then(|text| text.parse::<u64>().ok());
    let version = number("version").ok_or_else(incomplete)?;
    let metric = number("metric").and_then(|number| usize::try_from(number).ok()).ok_or_else(incomplete)?;
    for _ in 0..TRIES {
        let opened = Opened::find(&server, &who, &asked, place).await?;
        if opened.is_done() {
            return Err(done());
        }
        let metric = metric_numbered(&opened.run.scoring.rubric, metric)?;
        let Taken { mut opened, merged, wrong } = take(&server, opened, version, metric, &fields).await?;
        if let Some((what, fix)) = wrong {
            if is_script {
                return Err(ApiError::bad(what, fix));
            }
            // What the form rests on stays what it was, so that the next try does not overwrite a change made elsewhere.
            opened.rating.queued.version = version;
            return refused(who, opened, metric, merged.draft, (what, fix)).await;
        }
        if !merged.is_settled() {
            return conflict(who, opened, metric, merged, is_script).await;
        }
        let current = opened.rating.queued.version;
        if merged.draft != opened.draft {
            match server.store.save_rating(opened.rating.queued.key, current, &merged.draft.body(), now()).await {
                Ok(version) => opened.rating.queued.version = version,
                Err(StoreError::RatingStale { .. }) => continue,
                Err(StoreError::RatingDone { .. }) => return Err(done()),
                Err(error) => return Err(error.into()),
            }
            opened.draft = merged.draft;
        }
        if is_script {
            let is_merged = current != version;
            return Ok(Json(blocking(move || saved(&opened, metric, is_merged)).await??).into_response());
        }
        return Ok(Redirect::to(&next_page(&opened, metric, &fields)).into_response());
    }
    let fix = "wait until the other page has saved, then save again";
    Err(ApiError::new(StatusCode::CONFLICT, "This rating is being changed elsewhere all the time.", fix))
}

/// Puts what a form says together with what is saved, where that was changed since the form was loaded.
async fn take(server: &Shared, opened: Opened, version: u64, metric: usize, fields: &Fields) -> ApiResult<Taken> {
    let (key, current) = (opened.rating.queued.key, opened.rating.queued.version);
    let before = if version == current { None } else { server.store.rating_at(key, version).await? };
    let fields = fields.clone();
    let taking = move || -> anyhow::Result<Taken> {
        let (rubric, transcript) = (&opened.run.scoring.rubric, &opened.transcript);
        let wrong = too_much(rubric, metric, transcript, &fields);
        let form = opened.draft.with(rubric, metric, transcript, &fields);
        let merged = if version == current {
            Merged { draft: form, both: Vec::new(), note: None }
        } else {
            let base = before.map(|body| Draft::open(body.as_deref(), &opened.rater.name, transcript)).transpose()?;
            opened.draft.merged(rubric, metric, base.as_ref(), &form)
        };
        Ok(Taken { opened, merged, wrong })
    };
    Ok(blocking(taking).await??)
}

/// The page a form asks for; the same one where it asks for none.
fn next_page(opened: &Opened, metric: usize, fields: &Fields) -> String {
    let steps = opened.run.scoring.rubric.metrics().len();
    let go = fields.get("go").map_or("", String::as_str);
    match go.parse::<usize>() {
        Ok(number) if (1..=steps).contains(&number) => opened.metric_path(number),
        _ if go == "finish" => format!("{}/finish{}", opened.path(), opened.rater.first),
        _ => opened.metric_path(metric + 1),
    }
}

fn done() -> ApiError {
    let fix = "look at your report; a finished rating stays as it is";
    ApiError::new(StatusCode::CONFLICT, "This rating is finished.", fix)
}

fn incomplete() -> ApiError {
    ApiError::bad("The form is incomplete.", "load the page again, and repeat the last change")
}

/// Nothing is lost: the page shows what both say of what both have changed, and the rest put together.
async fn conflict(who: Who, opened: Opened, metric: usize, merged: Merged, is_script: bool) -> ApiResult {
    if is_script {
        let what = "Something was answered in another way elsewhere since this page was loaded; both are shown below.";
        let fix = "save yours in its place, or load the page again to take what is stored";
        let status = StatusCode::CONFLICT;
        let rubric = &opened.run.scoring.rubric;
        let both = merged.both.iter().map(|&check| {
            let id = &rubric.check(check).id;
            json!({ "id": id, "elsewhere": in_words(opened.draft.answer(id)) })
        });
        let body = json!({
            "status": status.as_u16(), "detail": what, "fix": fix, "version": opened.rating.queued.version,
            "both": both.collect::<Vec<Value>>(), "note_elsewhere": merged.note,
            "answers": answers(&opened, &merged.draft, metric),
        });
        let mut response = (status, Json(body)).into_response();
        response.extensions_mut().insert(ApiError::new(status, what, fix));
        return Ok(response);
    }
    let Merged { draft, both, note } = merged;
    let shown = Shown { metric, unsaved: Some(draft), both: Some(both), note, ..Shown::default() };
    let page = blocking(move || render(&who, &opened, shown)).await??;
    Ok((StatusCode::CONFLICT, page).into_response())
}

/// The fields of a metric's checks, for a script that shows what was put together.
fn answers(opened: &Opened, draft: &Draft, metric: usize) -> Vec<Value> {
    let rubric = &opened.run.scoring.rubric;
    let one = |check: usize| {
        let shown = ShownCheck::new(rubric, check, 0, draft, &[]);
        let turn = if shown.turn == 0 { String::new() } else { shown.turn.to_string() };
        json!({
            "id": shown.id, "answer": shown.answer, "turn": turn, "also": shown.also, "quote": shown.quote,
            "why": shown.why,
        })
    };
    rubric.checks_of(metric).map(one).collect()
}

/// Too much to be saved: the page shows what the form says, so that it can be shortened.
async fn refused(who: Who, opened: Opened, metric: usize, next: Draft, wrong: (String, &'static str)) -> ApiResult {
    let shown = Shown { metric, unsaved: Some(next), refused: Some(wrong), ..Shown::default() };
    let page = blocking(move || render(&who, &opened, shown)).await??;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// The CSRF token that forms must carry from now on, for a page that was loaded before its reader signed in again.
pub(crate) async fn csrf_token(who: Who, Query(asked): Query<RateQuery>) -> ApiResult {
    let rater = Rater::known(&who, &asked)?;
    Ok(Json(json!({ "mark": who.csrf_token, "rater": rater.name })).into_response())
}

/// What a script needs to know after saving.
fn saved(opened: &Opened, metric: usize, is_merged: bool) -> ApiResult<Value> {
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
    let mut told = json!({ "version": version, "complaints": complaints, "evidence": evidence, "steps": steps });
    if is_merged {
        told["answers"] = Value::Array(answers(opened, &opened.draft, metric));
        told["note"] = json!(opened.draft.note(&rubric.metrics()[metric].key));
    }
    Ok(told)
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
    who: Who,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<RateQuery>,
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
