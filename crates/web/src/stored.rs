//! Runs and reports as requests ask for them: by number, with what does not change kept at hand.

use std::sync::Arc;

use carelock_core::report::Report;
use carelock_engine::runs::{Database, OpenRun, StoredConfig, report_of};
use carelock_store::{ChatKey, RunKey, StoredChat};
use tokio::runtime::Handle;

use super::api_error::{ApiError, ApiResult};
use super::blocking::blocking;
use super::state::Shared;

/// The run with this number, and what its reports are computed with.
pub(crate) async fn run(server: &Shared, number: i64) -> ApiResult<OpenRun> {
    let run = server.store.run_numbered(RunKey(number)).await?;
    let config = StoredConfig::load(&server.store, run.key).await?;
    let scoring = config.scoring()?;
    Ok(OpenRun { run, config, scoring })
}

/// A chat of a run, as it is stored.
pub(crate) async fn chat(server: &Shared, run: &OpenRun, number: i64) -> ApiResult<StoredChat> {
    let found = server.store.chats(&[ChatKey(number)]).await?.pop();
    found.filter(|chat| chat.run == run.run.key).ok_or_else(|| ApiError::missing("There is no such chat in this run."))
}

/// The report on a chat, made again from what is stored; none where no judge has answered yet.
pub(crate) async fn report(server: &Shared, run: Arc<OpenRun>, chat: StoredChat) -> ApiResult<Option<Report>> {
    let answers = server.store.answers(&[chat.key]).await?;
    if answers.is_empty() {
        return Ok(None);
    }
    let made = blocking(move || report_of(&chat, &answers, &run.scoring)).await?;
    Ok(Some(made?))
}

/// Asks the database the way commands do, where it does not keep other requests waiting.
pub(crate) async fn with_database<T: Send + 'static>(
    server: &Shared,
    work: impl FnOnce(&Database) -> anyhow::Result<T> + Send + 'static,
) -> ApiResult<T> {
    let (store, handle) = (server.store.clone(), Handle::current());
    Ok(blocking(move || work(&Database::of_server(store, handle))).await??)
}
