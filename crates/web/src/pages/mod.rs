//! The pages, by what one must be allowed to do; one folder or file for each part of the web app.

pub(super) mod compare;
pub(super) mod judge;
mod live;
pub(super) mod login;
pub(super) mod progress;
pub(super) mod rate;
pub(super) mod report;
mod rubric;
pub(super) mod runs;

use axum::Router;
use axum::routing::{get, post};

use super::{health, jobs, state::Shared};

/// What everybody with a token may see.
pub(super) fn welcoming() -> Router<Shared> {
    Router::new().route("/", get(judge::page)).route("/rubric", get(rubric::page))
}

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new()
        .route("/metrics", get(health::metrics))
        .route("/runs/{run}/events", get(jobs::events))
        .merge(live::reading())
        .merge(runs::reading())
        .merge(report::reading())
        .merge(compare::reading())
        .merge(rate::reading())
}

/// What rates chats by hand.
pub(super) fn rating() -> Router<Shared> {
    rate::rating()
}

/// What has chats judged.
pub(super) fn judging() -> Router<Shared> {
    Router::new()
        .route("/judge/preview", post(judge::preview))
        .route("/judge/estimate", post(judge::estimate))
        .route("/judge/start", post(judge::start))
        .route("/runs/{run}/cancel", post(progress::cancel))
        .route("/runs/{run}/resume", post(progress::resume))
        .merge(runs::judging())
        .merge(rate::judging())
}

/// What deletes, and changes what belongs to others.
pub(super) fn administering() -> Router<Shared> {
    runs::administering().merge(rate::administering())
}
