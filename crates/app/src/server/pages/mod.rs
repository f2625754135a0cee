//! The pages, by what one must be allowed to do; one folder or file for each part of the web app.

pub(super) mod compare;
pub(super) mod home;
pub(super) mod login;
mod report;
mod rubric;
pub(super) mod runs;

use axum::Router;
use axum::routing::get;

use super::{health, state::Shared};

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new()
        .route("/", get(home::page))
        .route("/metrics", get(health::metrics))
        .route("/rubric", get(rubric::page))
        .merge(runs::reading())
        .merge(report::reading())
        .merge(compare::reading())
}

/// What rates chats by hand.
pub(super) fn rating() -> Router<Shared> {
    Router::new()
}

/// What has chats judged.
pub(super) fn judging() -> Router<Shared> {
    Router::new()
}

/// What deletes.
pub(super) fn administering() -> Router<Shared> {
    runs::administering()
}
