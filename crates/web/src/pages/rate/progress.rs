//! How far the raters of a run have come, and nothing of what they said; who administers can reopen and delete ratings.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_engine::runs::now;
use carelock_store::{ChatKey, QueuedRating, RaterProgress, RatingState, Role, Run, RunKey};
use serde::Deserialize;

use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

/// Ratings of a rater that are listed.
const MOST: u32 = 1_000;

#[derive(Template)]
#[template(path = "rate/progress.html")]
struct ProgressPage {
    frame: Frame,
    run: Run,
    raters: Vec<RaterProgress>,
    /// A rater whose ratings are listed, for who may change them.
    listed: Option<(String, Vec<QueuedRating>)>,
    said: &'static str,
}

impl ProgressPage {
    fn state(&self, rating: &QueuedRating) -> &'static str {
        match rating.state {
            RatingState::Waiting => "waiting",
            RatingState::Open => "begun",
            RatingState::Done => "done",
        }
    }

    fn in_address(&self, name: &str) -> String {
        encoded(name)
    }
}

/// Whose ratings are looked at, and what was done before.
#[derive(Debug, Deserialize)]
pub(crate) struct Looked {
    of: Option<String>,
    #[serde(default)]
    said: String,
}

/// The rating that is meant.
#[derive(Debug, Deserialize)]
pub(crate) struct Meant {
    chat: i64,
    rater: String,
}

/// Who has done how many.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Query(looked): Query<Looked>,
) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?;
    let raters = server.store.raters(run.key).await?;
    let listed = match looked.of.filter(|_| who.may(Role::Admin)) {
        Some(rater) => {
            let ratings = server.store.ratings_of_run(run.key, Some(&rater), None, MOST).await?;
            Some((rater, ratings))
        }
        None => None,
    };
    let said = match looked.said.as_str() {
        "assigned" => "The chats are in the queues of their raters.",
        "reopened" => "The rating is open again.",
        "deleted" => "The rating is deleted, and nothing of it is left in the database.",
        "hindered" => {
            "The rating is deleted. Another process uses the database, so traces of it may still be in its files: when \
             that has ended, run “carelock delete --clear”."
        }
        _ => "",
    };
    let frame = Frame::new(format!("Raters of {}", run.name), Section::Rate, &who);
    html(&ProgressPage { frame, run, raters, listed, said })
}

async fn found(server: &Shared, run: i64, meant: &Meant) -> ApiResult<QueuedRating> {
    let rating = server.store.rating(ChatKey(meant.chat), &meant.rater).await?;
    let rating = rating.map(|rating| rating.queued).filter(|rating| rating.run == RunKey(run));
    rating.ok_or_else(|| ApiError::missing("There is no such rating."))
}

fn back(run: i64, rater: &str, said: &str) -> ApiResult {
    Ok(Redirect::to(&format!("/rate/{run}/progress?of={}&said={said}", encoded(rater))).into_response())
}

/// Opens a finished rating again.
pub(crate) async fn reopen(State(server): State<Shared>, Path(run): Path<i64>, Form(meant): Form<Meant>) -> ApiResult {
    let rating = found(&server, run, &meant).await?;
    server.store.reopen_rating(rating.key, rating.version, now()).await?;
    back(run, &meant.rater, "reopened")
}

/// Deletes a rating with all its traces.
pub(crate) async fn delete(State(server): State<Shared>, Path(run): Path<i64>, Form(meant): Form<Meant>) -> ApiResult {
    let rating = found(&server, run, &meant).await?;
    let shared = Arc::clone(&server);
    // To the end, even where the browser has gone: half of it would leave traces.
    let deleting = tokio::spawn(async move {
        shared.store.delete_rating(rating.chat, &rating.rater).await?;
        shared.store.clear_traces().await
    });
    let cleared = deleting.await.map_err(|error| ApiError::failed(&error.into()))??;
    back(run, &meant.rater, if cleared { "deleted" } else { "hindered" })
}
