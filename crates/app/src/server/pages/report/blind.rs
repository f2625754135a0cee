//! Who is to rate a chat does not learn what others say of it before.

use std::collections::HashSet;

use axum::http::StatusCode;
use carelock_store::{ChatKey, RatingState, Role, RunKey};

use crate::server::guard::access::Who;
use crate::server::refusal::{Answer, Refusal};
use crate::server::state::Shared;

/// The most ratings looked at; who has more to do than this sees no other page of the run for a long time anyway.
const MOST: u32 = 100_000;

/// The name of whoever may rate and no more: all others see everything.
fn rater(who: &Who) -> Option<&str> {
    who.name.as_deref().filter(|_| who.role == Some(Role::Rate))
}

/// Whether they have yet to rate this chat.
pub(crate) async fn is_blind(server: &Shared, who: &Who, chat: ChatKey) -> Answer<bool> {
    let Some(name) = rater(who) else { return Ok(false) };
    let rating = server.store.rating(chat, name).await?;
    Ok(rating.is_some_and(|rating| rating.queued.state != RatingState::Done))
}

/// The chats of a run they have yet to rate.
pub(crate) async fn chats(server: &Shared, who: &Who, run: RunKey) -> Answer<HashSet<ChatKey>> {
    let Some(name) = rater(who) else { return Ok(HashSet::new()) };
    let mut found = HashSet::new();
    for state in [RatingState::Waiting, RatingState::Open] {
        let ratings = server.store.ratings_of_run(run, Some(name), Some(state), MOST).await?;
        found.extend(ratings.into_iter().map(|rating| rating.chat));
    }
    Ok(found)
}

/// Refuses what tells of a whole run, as long as they have something to rate in it.
pub(crate) async fn check_run(server: &Shared, who: &Who, run: RunKey) -> Answer<()> {
    let open = chats(server, who, run).await?.len();
    if open == 0 {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        format!("You still have chats to rate in this run ({open}), and their verdicts are not to be known before."),
        "finish your ratings under Rate, then come back",
    ))
}
