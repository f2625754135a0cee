//! The report on one chat of a run, with its downloads.

pub(crate) mod files;
mod page;
mod proof;

use axum::Router;
use axum::routing::get;

use crate::state::Shared;

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new()
        .route("/runs/{run}/chats/{chat}", get(page::page))
        .route("/runs/{run}/chats/{chat}/verify", get(proof::verification))
        .route("/runs/{run}/chats/{chat}/explain", get(proof::explanation))
        .route("/runs/{run}/chats/{chat}/{file}", get(files::file))
}
