//! Chats that go on: how each stands, those with something to see first, and one of them opened at its turn.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use carelock_guard::sessions::Summary;
use carelock_page::report_article;
use serde::Deserialize;

use crate::api_error::{ApiError, ApiResult};
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

/// How many chats are shown.
const SHOWN: usize = 100;

/// How often the page renews itself where somebody asks for that, in seconds.
const RENEWED: u32 = 10;

#[derive(Template)]
#[template(path = "live/list.html")]
struct LivePage {
    frame: Frame,
    count: usize,
    chats: Vec<(String, Summary)>,
    /// After how many seconds it renews itself: a page that changes under one's eyes is for those who want it.
    renewed: Option<u32>,
}

impl LivePage {
    fn due(&self, summary: &Summary) -> String {
        due(summary)
    }

    /// The turn to open a chat at: where the last cue is, or else its end.
    fn turn(&self, summary: &Summary) -> u32 {
        let last = u32::try_from(summary.turns).unwrap_or(u32::MAX);
        summary.cue.as_ref().map_or(last, |cue| cue.turn)
    }
}

fn due(summary: &Summary) -> String {
    let words = summary.due.iter().map(|due| if *due == "ask" { "ask about safety" } else { "name live help" });
    words.collect::<Vec<_>>().join(", ")
}

#[derive(Template)]
#[template(path = "live/chat.html")]
struct ChatPage {
    frame: Frame,
    summary: Summary,
    /// The report so far, or why there is none.
    article: Result<String, String>,
}

impl ChatPage {
    fn due(&self) -> String {
        due(&self.summary)
    }
}

/// What may be asked for.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    renewed: Option<String>,
}

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new().route("/live", get(page)).route("/live/{session}", get(chat))
}

/// The page.
async fn page(State(server): State<Shared>, who: Who, Query(asked): Query<Asked>) -> ApiResult {
    server.live.forget_idle();
    let (count, chats) = (server.live.count(), server.live.list(SHOWN));
    let renewed = asked.renewed.map(|_| RENEWED);
    html(&LivePage { frame: Frame::new("Live", Section::Live, &who), count, chats, renewed })
}

/// One chat, as it stands now.
async fn chat(State(server): State<Shared>, who: Who, Path(session): Path<String>) -> ApiResult {
    let entry = server.live.find(&session);
    let entry = entry.ok_or_else(|| ApiError::missing("There is no such chat; it may have been forgotten."))?;
    let summary = entry.summary();
    let mut chat = Arc::clone(&entry.session).lock_owned().await;
    let rubric = Arc::clone(&server.rubric);
    let draw = move || -> Result<String, String> {
        let report = chat.report().map_err(|error| error.to_string())?;
        report_article(&report, &rubric, 1).map_err(|error| error.to_string())
    };
    let article = server.work.on_a_core(draw).await?;
    html(&ChatPage { frame: Frame::new(summary.id.clone(), Section::Live, &who), summary, article })
}
