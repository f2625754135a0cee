//! The list of runs, the newest first.

use askama::Template;
use axum::extract::{Query, State};
use carelock_engine::figures::count;
use carelock_engine::runs::{mean_for_people, moment_for_people};
use carelock_store::Run;
use serde::Deserialize;

use super::figures::listed;
use super::query::LONGEST;
use super::trend::Trend;
use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::computed::ListedRun;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

/// Runs on a page.
const AT_ONCE: usize = 50;

#[derive(Template)]
#[template(path = "runs/list.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
    total: usize,
    /// The words that names or tags have to hold.
    text: String,
    /// How the listed runs came off one after the other, where they were looked for.
    trend: Option<Trend>,
    older: Option<String>,
    newer: Option<String>,
    said: &'static str,
}

struct Row {
    key: i64,
    name: String,
    tags: Vec<String>,
    begun: String,
    state: &'static str,
    judges: String,
    chats: u64,
    done: u64,
    failed: u64,
    /// Mean and tripped gates; nothing for who has yet to rate some of the chats.
    figures: Option<(String, u64)>,
    shown: String,
    /// How many judges every chat is put to.
    places: u32,
}

impl Row {
    fn new(ListedRun { overview }: &ListedRun, is_blind: bool) -> Self {
        let (run, done) = (&overview.run, overview.results());
        Self {
            key: run.key.0,
            name: run.name.clone(),
            tags: run.tags.split_whitespace().map(str::to_owned).collect(),
            begun: moment_for_people(run.created),
            state: overview.state(),
            judges: overview.judges.join(", "),
            chats: run.chats,
            done,
            failed: overview.progress.failed,
            figures: (!is_blind).then(|| (mean_for_people(overview.overall()), overview.gated())),
            places: run.judges,
            shown: if done == run.chats { count(done) } else { format!("{} of {}", count(done), count(run.chats)) },
        }
    }

    /// The address of the runs that have this tag.
    fn tagged(&self, tag: &str) -> String {
        format!("/runs?text={}", encoded(tag))
    }

    fn is_under_way(&self) -> bool {
        self.state != "done"
    }
}

#[derive(Deserialize)]
pub(crate) struct ListQuery {
    #[serde(default)]
    page: usize,
    #[serde(default)]
    text: String,
    #[serde(default)]
    said: String,
}

/// The page.
pub(crate) async fn page(State(server): State<Shared>, who: Who, Query(asked): Query<ListQuery>) -> ApiResult {
    if asked.text.chars().count() > LONGEST {
        return Err(ApiError::bad("These are too many words to look for.", format!("use up to {LONGEST} letters")));
    }
    let mut runs = server.store.runs().await?;
    runs.retain(|run| has_words(run, &asked.text));
    let total = runs.len();
    let first = asked.page.saturating_mul(AT_ONCE);
    let blind = blind::runs(&server, &who).await?;
    let (mut rows, mut overviews) = (Vec::new(), Vec::new());
    for run in runs.into_iter().skip(first).take(AT_ONCE) {
        let is_blind = blind.contains(&run.key);
        let listed = listed(&server, run).await?;
        rows.push(Row::new(&listed, is_blind));
        overviews.extend((!is_blind).then_some(listed));
    }
    let text = asked.text.trim().to_owned();
    let trend = if text.is_empty() { None } else { Trend::new(overviews.iter().map(|listed| &listed.overview)) };
    let at = |page: usize| {
        let words = if text.is_empty() { String::new() } else { format!("&text={}", encoded(&text)) };
        format!("/runs?page={page}{words}")
    };
    let older = (first.saturating_add(AT_ONCE) < total).then(|| at(asked.page + 1));
    let newer = asked.page.checked_sub(1).map(at);
    let said = match asked.said.as_str() {
        "deleted" => "It is deleted, and nothing of it is left in the database.",
        "hindered" => {
            "It is deleted. Another process uses the database, so traces of it may still be in its files: when that has \
             ended, run “carelock delete --clear”."
        }
        "deleting" => "It is being deleted; this takes a while with a large database.",
        _ => "",
    };
    let frame = Frame::new("Runs", Section::Runs, &who);
    html(&List { frame, rows, total, older, newer, said, trend, text })
}

/// Whether a run has all words in its name or tags, whatever the case of their letters.
fn has_words(run: &Run, text: &str) -> bool {
    let held = format!("{} {}", run.name, run.tags).to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| held.contains(word))
}
