//! The page on which a chat is rated: the chat beside one metric.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_core::rubric::Rubric;

use super::view::{ShownCheck, ShownTurn, Step, in_words, turns};
use super::{Opened, RateQuery, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::rating::complaint::{Complaint, complaints};
use crate::rating::draft::{Draft, LETTERS};
use crate::state::Shared;

#[derive(Template)]
#[template(path = "rate/chat.html")]
struct RatePage {
    frame: Frame,
    rater: Rater,
    path: String,
    run: i64,
    run_name: String,
    name: String,
    version: u64,
    step: usize,
    metric: String,
    about: String,
    note: String,
    note_words: usize,
    steps: Vec<Step>,
    checks: Vec<ShownCheck>,
    turns: Vec<ShownTurn>,
    words: Vec<(String, String)>,
    answered: usize,
    total: usize,
    undone: Option<String>,
    /// The most letters of a field.
    letters: usize,
    /// Whether the form holds what could not be saved, because it was changed elsewhere.
    conflict: bool,
    /// The note that was saved elsewhere, where the form has another.
    note_elsewhere: Option<String>,
    /// Why the form could not be saved otherwise, and what to do.
    refused: Option<(String, &'static str)>,
}

/// What is shown besides the draft.
#[derive(Default)]
pub(super) struct Shown {
    /// The metric, from 0.
    pub(super) metric: usize,
    /// What the form says, where it is not what is saved.
    pub(super) unsaved: Option<Draft>,
    /// The check whose change was taken back.
    pub(super) undone: Option<String>,
    /// The checks that were changed elsewhere too, each in another way; none where nothing is to be decided.
    pub(super) both: Option<Vec<usize>>,
    /// The note that was saved elsewhere, where the form has another.
    pub(super) note: Option<String>,
    /// Why the form could not be saved, where nothing was changed elsewhere.
    pub(super) refused: Option<(String, &'static str)>,
}

/// The chat beside one metric; the first that is not answered yet where none is asked for.
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
    let rubric = &opened.run.scoring.rubric;
    let metric = match asked.metric {
        Some(number) => metric_numbered(rubric, number)?,
        None => first_open(rubric, &opened.draft),
    };
    let shown = Shown { metric, undone: asked.undone, ..Shown::default() };
    blocking(move || render(&who, &opened, shown)).await?
}

/// The metric with this number, from 1.
pub(super) fn metric_numbered(rubric: &Rubric, number: usize) -> ApiResult<usize> {
    let found = number.checked_sub(1).filter(|metric| *metric < rubric.metrics().len());
    found.ok_or_else(|| ApiError::missing("There is no such metric."))
}

fn first_open(rubric: &Rubric, draft: &Draft) -> usize {
    let is_open = |check: &usize| !draft.is_answered(&rubric.check(*check).id);
    let first = (0..rubric.checks().len()).find(is_open);
    first.map(|check| rubric.metric_of(check)).unwrap_or_default()
}

/// What is wrong with a draft; that the answers fit the rubric is sure, because this server wrote them.
pub(super) fn told(opened: &Opened, draft: &Draft) -> ApiResult<Vec<Complaint>> {
    let found = complaints(&opened.run.scoring.rubric, &opened.transcript, draft);
    found.map_err(|error| ApiError::failed(&error.into()))
}

/// The page.
pub(super) fn render(who: &Who, opened: &Opened, shown: Shown) -> ApiResult {
    let rubric = &opened.run.scoring.rubric;
    let draft = shown.unsaved.as_ref().unwrap_or(&opened.draft);
    let complaints = told(opened, draft)?;
    let steps = Step::all(rubric, draft, &complaints);
    let metric = &rubric.metrics()[shown.metric];
    let mut checks: Vec<ShownCheck> = (1..)
        .zip(rubric.checks_of(shown.metric))
        .map(|(number, check)| ShownCheck::new(rubric, check, number, draft, &complaints))
        .collect();
    for &position in shown.both.iter().flatten() {
        let id = &rubric.check(position).id;
        if let Some(check) = checks.iter_mut().find(|check| check.id == *id) {
            check.elsewhere = Some(in_words(opened.draft.answer(id)));
        }
    }
    html(&RatePage {
        frame: Frame::new(format!("Rate {} · {}", opened.chat.chat.name, metric.title), Section::Rate, who),
        rater: opened.rater.clone(),
        path: opened.path(),
        run: opened.run.run.key.0,
        run_name: opened.run.run.name.clone(),
        name: opened.chat.chat.name.clone(),
        version: opened.rating.queued.version,
        step: shown.metric + 1,
        metric: metric.title.clone(),
        about: metric.about.clone(),
        note: draft.note(&metric.key).to_owned(),
        note_words: rubric.limits().why_words,
        answered: steps.iter().map(|step| step.answered).sum(),
        total: rubric.checks().len(),
        steps,
        checks,
        turns: turns(&opened.transcript),
        words: rubric.file().words.iter().map(|(word, meaning)| (word.clone(), meaning.clone())).collect(),
        undone: shown.undone.filter(|id| id == "nothing" || id == "note" || rubric.position(id).is_some()),
        letters: LETTERS,
        conflict: shown.both.is_some(),
        note_elsewhere: shown.note,
        refused: shown.refused,
    })
}
