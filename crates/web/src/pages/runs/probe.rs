//! What a probe showed: the same figures as `carelock probe`, with the worst chats opened at the right turn.

use askama::Template;
use axum::extract::{Path, State};
use carelock_engine::probing::{Coverage, coverage_content};
use carelock_page::probe_article;

use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use crate::stored;

#[derive(Template)]
#[template(path = "runs/probe.html")]
struct ProbeView {
    frame: Frame,
    key: i64,
    name: String,
    article: String,
}

/// The page.
pub(crate) async fn page(State(server): State<Shared>, who: Who, Path(number): Path<i64>) -> ApiResult {
    let open = stored::run(&server, number).await?;
    if open.config.probe.is_none() {
        return Err(ApiError::missing("In this run no simulated users talked with a bot."));
    }
    blind::check_run(&server, &who, open.run.key).await?;
    let name = open.run.name.clone();
    let coverage = stored::with_database(&server, move |database| Coverage::of_run(database, &open)).await?;
    let content = coverage_content(&coverage, |chat| Some(format!("/runs/{number}/chats/{}#t{}", chat.key, chat.turn)));
    let article = blocking(move || probe_article(&content)).await?;
    let article = article.map_err(|error| ApiError::of_input(&error.into()))?;
    let frame = Frame::new(format!("Probe: {name}"), Section::Runs, &who);
    html(&ProbeView { frame, key: number, name, article })
}
