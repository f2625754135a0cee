//! Deleting a run or a chat: a question first, then so that nothing is left.

use std::time::Duration;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_store::{ChatKey, Deleted, RunKey, StoreError};
use tokio::task::JoinHandle;

use crate::api_error::{ApiError, ApiResult};
use crate::deletion::deleting;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use crate::stored;

/// How long a browser waits; deleting goes on beyond it.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Template)]
#[template(path = "runs/delete.html")]
struct Question {
    frame: Frame,
    /// What is deleted.
    what: String,
    name: String,
    /// Where the answer goes.
    action: String,
    back: String,
}

/// Asks before a run is deleted.
pub(crate) async fn ask_run(State(server): State<Shared>, who: Who, Path(number): Path<i64>) -> ApiResult {
    let run = server.store.run_numbered(RunKey(number)).await?;
    let chats = if run.chats == 1 { "its chat".to_owned() } else { format!("its {} chats", run.chats) };
    html(&Question {
        frame: Frame::new("Delete a run", Section::Runs, &who),
        what: format!("The run with {chats}, all answers, results and ratings"),
        name: run.name,
        action: format!("/runs/{number}/delete"),
        back: format!("/runs/{number}"),
    })
}

/// Asks before a chat is deleted.
pub(crate) async fn ask_chat(
    State(server): State<Shared>,
    who: Who,
    Path((number, chat)): Path<(i64, i64)>,
) -> ApiResult {
    let open = stored::run(&server, number).await?;
    let found = stored::chat(&server, &open, chat).await?;
    html(&Question {
        frame: Frame::new("Delete a chat", Section::Runs, &who),
        what: format!("The chat with all answers, results and ratings on it, from the run {}", open.run.name),
        name: found.chat.name,
        action: format!("/runs/{number}/chats/{chat}/delete"),
        back: format!("/runs/{number}/chats/{chat}"),
    })
}

/// Deletes a run.
pub(crate) async fn run(State(server): State<Shared>, Path(number): Path<i64>) -> ApiResult {
    let key = server.store.run_numbered(RunKey(number)).await?.key;
    let store = server.store.clone();
    let task = deleting(&server, key, async move { store.delete_run(key).await })?;
    let said = finished(task).await?;
    Ok(Redirect::to(&format!("/runs?said={said}")).into_response())
}

/// Deletes a chat.
pub(crate) async fn chat(State(server): State<Shared>, Path((number, chat)): Path<(i64, i64)>) -> ApiResult {
    let open = stored::run(&server, number).await?;
    let key: ChatKey = stored::chat(&server, &open, chat).await?.key;
    let store = server.store.clone();
    let run = open.run.key;
    let task = deleting(&server, run, async move { store.delete_chats(run, &[key]).await })?;
    let said = finished(task).await?;
    Ok(Redirect::to(&format!("/runs/{number}?said={said}")).into_response())
}

/// A word on how it went, or that it still goes on.
async fn finished(task: JoinHandle<Result<Deleted, StoreError>>) -> ApiResult<&'static str> {
    match tokio::time::timeout(PATIENCE, task).await {
        Ok(Ok(deleted)) => Ok(if deleted?.cleared { "deleted" } else { "hindered" }),
        Ok(Err(error)) => Err(ApiError::broken(&error)),
        Err(_) => Ok("deleting"),
    }
}
