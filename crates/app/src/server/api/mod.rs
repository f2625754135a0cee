//! The HTTP API: the same JSON as on the command line.

use axum::Router;

use super::state::Shared;

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new()
}

/// What has chats judged, and answers at once.
pub(super) fn judging() -> Router<Shared> {
    Router::new()
}

/// What has chats judged, and waits for the judges.
pub(super) fn waiting() -> Router<Shared> {
    Router::new()
}

/// What deletes.
pub(super) fn administering() -> Router<Shared> {
    Router::new()
}
