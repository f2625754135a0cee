//! Rating by hand: queues, one metric at a time beside the chat, and agreement once a chat is done.

mod agreement;
mod assign;
mod chat;
mod finish;
mod progress;
mod queues;
pub(crate) mod report;
mod save;
mod settle;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::{get, post};
use carelock_core::transcript::Transcript;
use carelock_engine::runs::{OpenRun, source_of};
use carelock_store::{Rating, RatingState, StoredChat};
use serde::Deserialize;

use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::rating::draft::Draft;
use crate::state::Shared;
use crate::stored;

/// The longest name of a rater.
const LONGEST: usize = 100;
/// The largest form, in bytes.
const FORM: usize = 256 << 10;

/// What rates.
pub(crate) fn rating() -> Router<Shared> {
    Router::new()
        .route("/rate", get(queues::mine).post(queues::begin))
        .route("/rate/mark", get(save::csrf_token))
        .route("/rate/{run}", get(queues::of_run))
        .route("/rate/{run}/next", get(queues::next))
        .route("/rate/{run}/disputed", post(agreement::take_on))
        .route("/rate/{run}/{chat}", get(chat::page).post(save::save))
        .route("/rate/{run}/{chat}/undo", post(save::undo))
        .route("/rate/{run}/{chat}/finish", get(finish::page).post(finish::finish))
        .route("/rate/{run}/{chat}/report", get(report::page))
        .route("/rate/{run}/{chat}/report/{file}", get(report::file))
        .layer(DefaultBodyLimit::max(FORM))
}

/// What decides between raters: it shows their answers, and so is closed to those who only rate.
pub(crate) fn judging() -> Router<Shared> {
    Router::new()
        .route("/rate/{run}/{chat}/settle", get(settle::page).post(settle::settle))
        .layer(DefaultBodyLimit::max(FORM))
}

/// What only looks on.
pub(crate) fn reading() -> Router<Shared> {
    Router::new()
        .route("/rate/{run}/progress", get(progress::page))
        .route("/rate/{run}/agreement", get(agreement::page))
}

/// What changes ratings of others.
pub(crate) fn administering() -> Router<Shared> {
    Router::new()
        .route("/rate/{run}/assign", post(assign::assign))
        .route("/rate/{run}/progress/reopen", post(progress::reopen))
        .route("/rate/{run}/progress/delete", post(progress::delete))
}

/// What the addresses of these pages may ask for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct RateQuery {
    /// Who rates, where nobody needs a token.
    rater: Option<String>,
    /// The run a queue is wanted for.
    run: Option<i64>,
    /// The chat of it that is to be rated.
    chat: Option<i64>,
    /// The metric, from 1.
    metric: Option<usize>,
    /// The check whose change was taken back last.
    undone: Option<String>,
}

/// Who rates: whoever the token belongs to; on one's own machine whoever the address names.
#[derive(Clone, Debug)]
pub(crate) struct Rater {
    /// The name.
    name: String,
    /// What stands behind an address without a question.
    first: String,
    /// What stands behind an address that asks something already.
    and: String,
}

impl Rater {
    /// None where a name is still to be given.
    fn find(who: &Who, asked: &RateQuery) -> ApiResult<Option<Self>> {
        if who.name.as_deref().or(asked.rater.as_deref()).map(str::trim) == Some(settle::SETTLED) {
            let fix = "use another name, or a token of another name";
            return Err(ApiError::bad("Under this name stands what was settled between raters.", fix));
        }
        if let Some(name) = &who.name {
            return Ok(Some(Self { name: name.clone(), first: String::new(), and: String::new() }));
        }
        let Some(name) = asked.rater.as_deref().map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
        if name.len() > LONGEST || name.chars().any(char::is_control) {
            let fix = format!("use up to {LONGEST} letters, digits and signs");
            return Err(ApiError::bad("This cannot be a rater's name.", fix));
        }
        let pair = format!("rater={}", encoded(name));
        Ok(Some(Self { name: name.to_owned(), first: format!("?{pair}"), and: format!("&{pair}") }))
    }

    fn known(who: &Who, asked: &RateQuery) -> ApiResult<Self> {
        let missing = || ApiError::bad("It is not known who rates.", "begin at /rate, and say your name there");
        Self::find(who, asked)?.ok_or_else(missing)
    }
}

/// A chat in the rater's queue, with what was answered so far.
struct Opened {
    rater: Rater,
    run: Arc<OpenRun>,
    chat: StoredChat,
    transcript: Transcript,
    rating: Rating,
    draft: Draft,
}

impl Opened {
    async fn find(server: &Shared, who: &Who, asked: &RateQuery, (run, chat): (i64, i64)) -> ApiResult<Self> {
        let rater = Rater::known(who, asked)?;
        let run = Arc::new(stored::run(server, run).await?);
        let chat = stored::chat(server, &run, chat).await?;
        let rating = server.store.rating(chat.key, &rater.name).await?.ok_or_else(|| {
            let fix = "begin a queue for this run at /rate";
            ApiError::new(StatusCode::NOT_FOUND, "This chat is not in your queue.", fix)
        })?;
        let read = move || -> anyhow::Result<Self> {
            let transcript = source_of(chat.chat.clone())?.transcript;
            let draft = Draft::open(rating.body.as_deref(), &rater.name, &transcript)?;
            Ok(Self { rater, run, chat, transcript, rating, draft })
        };
        Ok(blocking(read).await??)
    }

    fn is_done(&self) -> bool {
        self.rating.queued.state == RatingState::Done
    }

    /// The address of this chat's rating, without a question.
    fn path(&self) -> String {
        format!("/rate/{}/{}", self.run.run.key.0, self.chat.key.0)
    }

    /// The address of a metric, from 1.
    fn metric_path(&self, number: usize) -> String {
        format!("{}?metric={number}{}", self.path(), self.rater.and)
    }

    fn report_path(&self) -> String {
        format!("{}/report{}", self.path(), self.rater.first)
    }
}
