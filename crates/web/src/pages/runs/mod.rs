//! Runs: their list, each one's numbers and chats, downloads, and deleting.

mod delete;
pub(crate) mod export;
pub(crate) mod figures;
mod histogram;
mod list;
mod one;
mod probe;
pub(crate) mod query;
mod rename;
mod rows;
mod search;
mod trend;

use axum::Router;
use axum::routing::{get, post};

use crate::state::Shared;

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new()
        .route("/runs", get(list::page))
        .route("/runs/{run}", get(one::page))
        .route("/runs/{run}/probe", get(probe::page))
        .route("/runs/{run}/search", get(search::page))
        .route("/runs/{run}/export/{file}", get(export::file))
}

/// What changes a run's name.
pub(super) fn judging() -> Router<Shared> {
    Router::new().route("/runs/{run}/name", post(rename::rename))
}

/// What deletes.
pub(super) fn administering() -> Router<Shared> {
    Router::new()
        .route("/runs/{run}/delete", get(delete::ask_run).post(delete::run))
        .route("/runs/{run}/chats/{chat}/delete", get(delete::ask_chat).post(delete::chat))
}
