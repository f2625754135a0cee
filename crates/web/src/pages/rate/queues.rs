//! Queues: what a rater has to do in which run, and beginning one.

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_engine::runs::moment_for_people;
use carelock_store::{ChatKey, QueuedRating, RaterProgress, RatingState, Run, RunKey};
use serde::Deserialize;

use super::{RateQuery, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::rating::order::draw;
use crate::state::Shared;
use crate::stored;

/// Chats that are listed one by one.
const LISTED: u32 = 500;

#[derive(Template)]
#[template(path = "rate/name.html")]
struct NamePage {
    frame: Frame,
    /// What is wanted once the name is known.
    run: Option<i64>,
    chat: Option<i64>,
}

#[derive(Template)]
#[template(path = "rate/queues.html")]
struct QueuesPage {
    frame: Frame,
    rater: Rater,
    queues: Vec<Queue>,
    runs: Vec<Run>,
    /// The run that is chosen already.
    run: i64,
    /// A chat of it that can be put into the queue, with its name.
    chat: Option<(i64, String)>,
}

/// A run in which somebody rates.
struct Queue {
    run: Run,
    progress: RaterProgress,
}

impl Queue {
    fn left(&self) -> u64 {
        self.progress.total() - self.progress.done
    }
}

/// The runs I rate in, and a form to begin with another one.
pub(crate) async fn mine(State(server): State<Shared>, who: Who, Query(asked): Query<RateQuery>) -> ApiResult {
    let Some(rater) = Rater::find(&who, &asked)? else {
        let frame = Frame::new("Rate", Section::Rate, &who);
        return html(&NamePage { frame, run: asked.run, chat: asked.chat });
    };
    if let Some(known) = known_place(&server, &rater, &asked).await? {
        return Ok(Redirect::to(&known).into_response());
    }
    let mut runs = server.store.runs().await?;
    let mut queues = Vec::new();
    for (key, progress) in server.store.queues(&rater.name).await? {
        if let Some(place) = runs.iter().position(|run| run.key == key) {
            queues.push(Queue { run: runs[place].clone(), progress });
        }
    }
    runs.retain(|run| run.chats > 0);
    runs.sort_by_key(|run| std::cmp::Reverse(run.created));
    let chat = match (asked.run, asked.chat) {
        (Some(run), Some(chat)) => {
            let run = stored::run(&server, run).await?;
            let chat = stored::chat(&server, &run, chat).await?;
            Some((chat.key.0, chat.chat.name))
        }
        _ => None,
    };
    let run = asked.run.unwrap_or_default();
    html(&QueuesPage { frame: Frame::new("Rate", Section::Rate, &who), rater, queues, runs, run, chat })
}

/// Where the rating of the chat, or the queue of the run, that is asked for stands already.
async fn known_place(server: &Shared, rater: &Rater, asked: &RateQuery) -> ApiResult<Option<String>> {
    let Some(run) = asked.run else { return Ok(None) };
    if let Some(chat) = asked.chat {
        let rating = server.store.rating(ChatKey(chat), &rater.name).await?;
        let here = rating.filter(|rating| rating.queued.run == RunKey(run));
        return Ok(here.map(|_| format!("/rate/{run}/{chat}{}", rater.first)));
    }
    let queued = server.store.ratings_of_run(RunKey(run), Some(&rater.name), None, 1).await?;
    Ok((!queued.is_empty()).then(|| format!("/rate/{run}{}", rater.first)))
}

/// The form that begins a queue.
#[derive(Deserialize)]
pub(crate) struct Begin {
    run: i64,
    #[serde(default)]
    how: String,
    #[serde(default)]
    number: String,
    #[serde(default)]
    seed: String,
    #[serde(default)]
    chat: Option<i64>,
}

/// A number in a field.
pub(super) fn whole_number(text: &str, what: &str) -> ApiResult<u64> {
    let fix = "write a whole number in digits";
    text.trim().parse::<u64>().map_err(|_| ApiError::bad(format!("The {what} is no number."), fix))
}

/// Begins a queue, or puts more chats at its end.
pub(crate) async fn begin(
    State(server): State<Shared>,
    who: Who,
    Query(asked): Query<RateQuery>,
    Form(form): Form<Begin>,
) -> ApiResult {
    let rater = Rater::known(&who, &asked)?;
    let run = server.store.run_numbered(RunKey(form.run)).await?;
    if let Some(chat) = form.chat {
        server.store.queue_ratings(run.key, &rater.name, &[ChatKey(chat)]).await?;
        return Ok(Redirect::to(&format!("/rate/{}/{chat}{}", run.key.0, rater.first)).into_response());
    }
    let most = match form.how.as_str() {
        "sample" => Some(whole_number(&form.number, "number of chats")?),
        _ => None,
    };
    if most == Some(0) {
        return Err(ApiError::bad("A queue of no chats is none.", "ask for at least one chat"));
    }
    let seed = if form.seed.trim().is_empty() { 0 } else { whole_number(&form.seed, "seed")? };
    let chats = server.store.chat_keys(run.key).await?;
    let most = most.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    server.store.queue_ratings(run.key, &rater.name, &draw(&chats, most, seed, &rater.name)).await?;
    Ok(Redirect::to(&format!("/rate/{}{}", run.key.0, rater.first)).into_response())
}

#[derive(Template)]
#[template(path = "rate/queue.html")]
struct QueuePage {
    frame: Frame,
    rater: Rater,
    run: Run,
    progress: RaterProgress,
    chats: Vec<QueueRow>,
}

/// A chat in a queue.
struct QueueRow {
    number: usize,
    queued: QueuedRating,
}

impl QueueRow {
    fn state(&self) -> &'static str {
        match self.queued.state {
            RatingState::Waiting => "waiting",
            RatingState::Open => "begun",
            RatingState::Done => "done",
        }
    }

    fn href(&self) -> String {
        let (run, chat) = (self.queued.run.0, self.queued.chat.0);
        match self.queued.state {
            RatingState::Done => format!("/rate/{run}/{chat}/report"),
            RatingState::Waiting | RatingState::Open => format!("/rate/{run}/{chat}"),
        }
    }

    fn when(&self) -> String {
        self.queued.finished.or(self.queued.changed).map(moment_for_people).unwrap_or_default()
    }
}

/// My queue in a run.
pub(crate) async fn of_run(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Query(asked): Query<RateQuery>,
) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?;
    let Some(rater) = Rater::find(&who, &asked)? else { return Ok(Redirect::to("/rate").into_response()) };
    let raters = server.store.raters(run.key).await?;
    let progress = raters.into_iter().find(|progress| progress.rater == rater.name).unwrap_or_default();
    let queued = server.store.ratings_of_run(run.key, Some(&rater.name), None, LISTED).await?;
    let chats = (1..).zip(queued).map(|(number, queued)| QueueRow { number, queued }).collect();
    let frame = Frame::new(format!("Rate {}", run.name), Section::Rate, &who);
    html(&QueuePage { frame, rater, run, progress, chats })
}

/// Goes on with what was begun, else with what waits; to the queue where nothing is left.
pub(crate) async fn next(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Query(asked): Query<RateQuery>,
) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?;
    let rater = Rater::known(&who, &asked)?;
    let next = server.store.next_rating(run.key, &rater.name).await?;
    let behind = next.map(|rating| format!("/{}", rating.queued.chat.0)).unwrap_or_default();
    Ok(Redirect::to(&format!("/rate/{}{behind}{}", run.key.0, rater.first)).into_response())
}
