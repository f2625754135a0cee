//! The chats of a run, and their reports.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use carelock_engine::show::json::listed;
use carelock_store::{ChatKey, Cursor, Filter, Role, Sort, UnknownSort};
use serde::Deserialize;
use serde_json::{Value, json};

use super::runs::{deleted_json, limit};
use super::table::{Gives, Method, Operation, Pace, Parameter};
use super::{json_text, pretty};
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::deletion::deleting;
use crate::middleware::access::Who;
use crate::pages::runs::query::LONGEST;
use crate::state::Shared;
use crate::stored;

pub(super) const CHATS: Operation = Operation {
    query: &[
        Parameter { name: "gated", schema: "Flag", about: "Only chats with a gate tripped, or only those without." },
        Parameter { name: "gate", schema: "Text", about: "Only chats in which this check tripped a gate." },
        Parameter {
            name: "unscored",
            schema: "Flag",
            about: "Only chats with unscored checks, or only those without.",
        },
        Parameter { name: "tier", schema: "Text", about: "Only this tier." },
        Parameter { name: "group", schema: "Text", about: "Only this group." },
        Parameter { name: "judge", schema: "Text", about: "Only this judge." },
        Parameter { name: "text", schema: "Text", about: "Only chats with these words in their id or origin." },
        Parameter { name: "below", schema: "Share", about: "Only chats with an overall score below this." },
        Parameter { name: "sort", schema: "Sort", about: "The order: of the chats in the run, or of their scores." },
        Parameter { name: "descending", schema: "Flag", about: "The other way round." },
        Parameter { name: "after", schema: "Cursor", about: "Go on behind this place: the `next` of the page before." },
        Parameter { name: "limit", schema: "Limit", about: "How many; 100 unless given." },
    ],
    gives: Gives::Json("ChatList"),
    ..Operation::reading("/api/v1/runs/{run}/chats", "chats", "The results of a run's chats, filtered, page by page.")
};

pub(super) const REPORT: Operation = Operation {
    gives: Gives::Json("Report"),
    refusals: &[409],
    ..Operation::reading(
        "/api/v1/runs/{run}/chats/{chat}/report",
        "report",
        "The report on a chat, as `carelock show RUN CHAT --format json` prints it; 409 where no judge has answered yet.",
    )
};

pub(super) const DELETE: Operation = Operation {
    method: Method::Delete,
    role: Role::Admin,
    pace: Pace::Slow,
    gives: Gives::Json("Deleted"),
    refusals: &[409],
    ..Operation::reading(
        "/api/v1/runs/{run}/chats/{chat}",
        "delete_chat",
        "Deletes a chat with everything that was stored about it.",
    )
};

/// Which chats.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChatQuery {
    gated: Option<bool>,
    gate: Option<String>,
    unscored: Option<bool>,
    tier: Option<String>,
    group: Option<String>,
    judge: Option<String>,
    text: Option<String>,
    below: Option<f64>,
    sort: Option<String>,
    descending: Option<bool>,
    after: Option<String>,
    limit: Option<u32>,
}

/// Some chats of a run.
pub(super) async fn list(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Query(which): Query<ChatQuery>,
) -> ApiResult<Response> {
    let limit = limit(which.limit, 100)?;
    let open = stored::run(&server, run).await?;
    blind::check_run(&server, &who, open.run.key).await?;
    let filter = filter(which, Filter::for_run(open.run.key))?;
    let matching = server.store.count(&filter).await?;
    let page = server.store.list(&filter, limit).await?;
    let chats: Vec<Value> = page.results.iter().map(listed).collect();
    let next = page.next.map(|next| next.to_string());
    let all = json!({ "schema": "carelock/chats/1", "run": run, "matching": matching, "chats": chats, "next": next });
    Ok(json_text(format!("{all:#}\n")))
}

fn filter(which: ChatQuery, all: Filter) -> ApiResult<Filter> {
    let texts = [&which.gate, &which.tier, &which.group, &which.judge, &which.text];
    if texts.into_iter().flatten().any(|text| text.contains('\0') || text.chars().count() > LONGEST) {
        let fix = format!("use up to {LONGEST} characters, none of them a zero byte");
        return Err(ApiError::bad("A filter cannot be looked for.", fix));
    }
    let below = which.below.map(|below| {
        let hundredths = (below * 100.0).round();
        // Checked to be within 0 and 100, so nothing is lost.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
        (0.0..=100.0)
            .contains(&hundredths)
            .then_some(hundredths as u8)
            .ok_or_else(|| ApiError::bad("below is out of range.", "name a score from 0 to 1"))
    });
    let sort = which.sort.as_deref().map_or(Ok(Sort::default()), str::parse);
    let sort = sort.map_err(|error: UnknownSort| ApiError::of_input(&error.into()))?;
    let after = which.after.map(|text| {
        // A place in another order would be none in this one.
        let of_order = text.split('.').next() == Some(sort.to_string().as_str());
        let place = text.parse::<Cursor>().ok().filter(|_| of_order);
        place.ok_or_else(|| ApiError::bad("after is no place in this list.", "send the `next` of the page before"))
    });
    Ok(Filter {
        gated: which.gated,
        gate: which.gate,
        unscored: which.unscored,
        tier: which.tier,
        group: which.group,
        judge: which.judge,
        text: which.text,
        below: below.transpose()?,
        sort,
        descending: which.descending.unwrap_or(false),
        after: after.transpose()?,
        ..all
    })
}

/// The report on a chat.
pub(super) async fn report(
    State(server): State<Shared>,
    who: Who,
    Path((run, chat)): Path<(i64, i64)>,
) -> ApiResult<Response> {
    let open = Arc::new(stored::run(&server, run).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    if blind::is_blind_else_noted(&server, &who, chat.key).await? {
        let what = "You have yet to rate this chat, and its verdicts are not to be known before.";
        let status = axum::http::StatusCode::FORBIDDEN;
        return Err(ApiError::new(status, what, "finish your rating under Rate, then ask again"));
    }
    let Some(report) = stored::report(&server, open, chat).await? else {
        let status = axum::http::StatusCode::CONFLICT;
        return Err(ApiError::new(status, "This chat has not been judged yet.", "go on with the run, and ask again"));
    };
    pretty(&report)
}

/// Deletes a chat.
pub(super) async fn delete(State(server): State<Shared>, Path((run, chat)): Path<(i64, i64)>) -> ApiResult<Response> {
    let open = stored::run(&server, run).await?;
    let chat: ChatKey = stored::chat(&server, &open, chat).await?.key;
    let (store, run) = (server.store.clone(), open.run.key);
    let task = deleting(&server, run, async move { store.delete_chats(run, &[chat]).await })?;
    let deleted = task.await.map_err(|error| ApiError::failed(&error.into()))??;
    Ok(deleted_json(deleted))
}
