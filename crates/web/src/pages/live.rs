//! Chats that go on: how each stands, those with something to see first.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use carelock_guard::sessions::Summary;

use crate::api_error::ApiResult;
use crate::guard::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

/// How many chats are shown.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "live.html")]
struct LivePage {
    frame: Frame,
    count: usize,
    chats: Vec<(String, Summary)>,
}

impl LivePage {
    fn due(&self, summary: &Summary) -> String {
        let words = summary.due.iter().map(|due| if *due == "ask" { "ask about safety" } else { "name live help" });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new().route("/live", get(page))
}

/// The page.
async fn page(State(server): State<Shared>, who: Who) -> ApiResult {
    server.live.forget_idle();
    let (count, chats) = (server.live.count(), server.live.list(SHOWN));
    html(&LivePage { frame: Frame::new("Live", Section::Live, &who), count, chats })
}
