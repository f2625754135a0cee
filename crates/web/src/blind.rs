//! Who is to rate a chat does not learn what others say of it before, whatever else they may do.

use std::collections::HashSet;

use axum::http::StatusCode;
use carelock_engine::runs::now;
use carelock_store::{ChatKey, Role, RunKey};

use crate::api_error::{ApiError, ApiResult};
use crate::middleware::access::Who;
use crate::state::Shared;

/// Whether they have yet to rate this chat; where not, they are shown what judges say of it, which is noted.
pub(crate) async fn is_blind_else_noted(server: &Shared, who: &Who, chat: ChatKey) -> ApiResult<bool> {
    let Some(name) = &who.name else { return Ok(false) };
    if server.store.is_unfinished(chat, name).await? {
        return Ok(true);
    }
    if who.may(Role::Rate) {
        server.store.note_seen(name, chat, now()).await?;
    }
    Ok(false)
}

/// Refuses what tells of the verdicts on a chat they have yet to rate.
pub(crate) async fn check_chat(server: &Shared, who: &Who, chat: ChatKey) -> ApiResult<()> {
    if !is_blind_else_noted(server, who, chat).await? {
        return Ok(());
    }
    let what = "You are to rate this chat yourself first.";
    Err(ApiError::new(StatusCode::FORBIDDEN, what, "finish your rating under Rate, then come back"))
}

/// The chats of a run they have yet to rate, here or in another run.
pub(crate) async fn chats(server: &Shared, who: &Who, run: RunKey) -> ApiResult<HashSet<ChatKey>> {
    let Some(name) = &who.name else { return Ok(HashSet::new()) };
    Ok(server.store.unfinished_chats(run, name).await?.into_iter().collect())
}

/// The runs in which they have yet to rate something.
pub(crate) async fn runs(server: &Shared, who: &Who) -> ApiResult<HashSet<RunKey>> {
    let Some(name) = &who.name else { return Ok(HashSet::new()) };
    Ok(server.store.unfinished_runs(name).await?.into_iter().collect())
}

/// Whether they have yet to rate something in a run, and must not learn anything about it as a whole.
pub(crate) async fn is_blind_in(server: &Shared, who: &Who, run: RunKey) -> ApiResult<bool> {
    Ok(!chats(server, who, run).await?.is_empty())
}

/// Refuses what tells of a whole run, as long as they have something to rate in it.
pub(crate) async fn check_run(server: &Shared, who: &Who, run: RunKey) -> ApiResult<()> {
    let open = chats(server, who, run).await?.len();
    if open == 0 {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::FORBIDDEN,
        format!("You still have chats to rate in this run ({open}), and their verdicts are not to be known before."),
        "finish your ratings under Rate, then come back",
    ))
}
