//! The page of a report: the article every report has, with a bar above it that leads on.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use carelock_core::report::safe_text::{as_said, one_line};
use carelock_core::transcript::Speaker;
use carelock_engine::runs::OpenRun;
use carelock_page::report_article;
use carelock_store::{Cursor, Filter, PendingState, StoredChat};

use crate::api_error::ApiResult;
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::pages::runs::query::FilterForm;
use crate::state::Shared;
use crate::stored;

#[derive(Template)]
#[template(path = "report/report.html")]
struct ReportPage {
    frame: Frame,
    bar: Bar,
    article: String,
}

/// A chat that no judge has answered on yet.
#[derive(Template)]
#[template(path = "report/waiting.html")]
struct WaitingPage {
    frame: Frame,
    bar: Bar,
    name: String,
    state: &'static str,
    error: String,
    turns: Vec<Turn>,
}

struct Turn {
    number: u32,
    who: &'static str,
    class: &'static str,
    text: String,
}

/// Who asks has to rate the chat first.
#[derive(Template)]
#[template(path = "report/blind.html")]
struct Blind {
    frame: Frame,
    run: i64,
}

/// What leads on from a report.
struct Bar {
    run: i64,
    chat: i64,
    name: String,
    /// What stands behind addresses of the same list.
    list: String,
    previous: Option<i64>,
    next: Option<i64>,
    is_judged: bool,
    /// Where the chat came from, with its title where it has one.
    origin: String,
    /// The check that an explanation begins with.
    first_check: String,
}

impl Bar {
    /// The files of the report, and what they are for people.
    fn files(&self) -> [(&'static str, &'static str); 5] {
        [
            ("report.html", "Page to send on (HTML)"),
            ("report.md", "Markdown"),
            ("report.txt", "Text"),
            ("report.csv", "Table (CSV)"),
            ("report.json", "Record (JSON)"),
        ]
    }
}

/// The page.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path((number, chat)): Path<(i64, i64)>,
    Query(asked): Query<FilterForm>,
) -> ApiResult {
    let open = Arc::new(stored::run(&server, number).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    let frame = Frame::new(chat.chat.name.clone(), Section::Runs, &who);
    if blind::is_blind_else_noted(&server, &who, chat.key).await? {
        let page = html(&Blind { frame, run: number })?;
        return Ok((StatusCode::FORBIDDEN, page).into_response());
    }
    // The neighbours in a list sorted by scores would tell something of them.
    let is_blind = blind::is_blind_in(&server, &who, open.run.key).await?;
    let asked = if is_blind { asked.without_verdicts() } else { asked.gates_first() };
    let bar = bar(&server, &open, &chat, &asked).await?;
    let Some(report) = stored::report(&server, Arc::clone(&open), chat.clone()).await? else {
        return waiting(&server, frame, bar, chat).await;
    };
    let drawn = blocking(move || report_article(&report, &open.scoring.rubric, 1)).await?;
    html(&ReportPage { frame, bar, article: drawn.map_err(anyhow::Error::new)? })
}

async fn bar(server: &Shared, open: &OpenRun, chat: &StoredChat, asked: &FilterForm) -> ApiResult<Bar> {
    let filter = asked.first_page().filter(open.run.key)?;
    // The chat's own result tells its place in the list, whatever that is sorted by.
    let before = chat.position.checked_sub(1).and_then(|position| format!("position.{position}.0").parse().ok());
    let own = Filter { place: filter.place, after: before, ..Filter::for_run(open.run.key) };
    let own = server.store.list(&own, 1).await?.results.pop().filter(|result| result.chat == chat.key);
    let place = own.as_ref().map(|own| Cursor::after(filter.sort, own));
    let near = async |forward: bool| -> ApiResult<Option<i64>> {
        let Some(place) = place.clone() else { return Ok(None) };
        let (after, before) = if forward { (Some(place), None) } else { (None, Some(place)) };
        let filter = Filter { after, before, ..filter.clone() };
        Ok(server.store.list(&filter, 1).await?.results.pop().map(|result| result.chat.0))
    };
    Ok(Bar {
        origin: one_line(&chat.chat.origin),
        first_check: open.scoring.rubric.checks().next().map(|check| check.id.clone()).unwrap_or_default(),
        run: open.run.key.0,
        chat: chat.key.0,
        name: open.run.name.clone(),
        list: asked.first_page().query(),
        previous: near(false).await?,
        next: near(true).await?,
        is_judged: true,
    })
}

async fn waiting(server: &Shared, frame: Frame, bar: Bar, chat: StoredChat) -> ApiResult {
    let behind = carelock_store::ChatKey(chat.key.0 - 1);
    let pending = server.store.pending(chat.run, Some(behind), 1).await?.pop().filter(|found| found.chat == chat.key);
    let state = match pending.as_ref().map(|found| found.state) {
        Some(PendingState::UnderWay) => "A judge is being asked.",
        Some(PendingState::Failed) => "It could not be judged.",
        _ => "It waits for its judge.",
    };
    let turns = chat.chat.turns.iter().map(|turn| Turn {
        number: turn.idx,
        who: if turn.speaker == Speaker::Human { "Person" } else { "AI" },
        class: if turn.speaker == Speaker::Human { "human" } else { "ai" },
        text: as_said(&turn.text),
    });
    html(&WaitingPage {
        turns: turns.collect(),
        frame,
        bar: Bar { is_judged: false, ..bar },
        name: chat.chat.name.clone(),
        state,
        error: pending.and_then(|found| found.error).unwrap_or_default(),
    })
}
