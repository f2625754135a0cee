//! The page of a comparison, or the one where runs are chosen for it.

use askama::Template;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_engine::comparison::comparison_page;
use carelock_engine::runs::moment_for_people;
use carelock_page::comparison_article;
use carelock_store::{Run, RunKey};

use super::query::{CompareQuery, Sides};
use super::{Compared, compared};
use crate::address::encoded;
use crate::api_error::ApiResult;
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

/// Runs that can be chosen from.
const CHOICE: usize = 200;

#[derive(Template)]
#[template(path = "compare/compare.html")]
struct ComparePage {
    frame: Frame,
    article: String,
    query: String,
    /// The same with the sides changed over.
    turned: Option<String>,
}

#[derive(Template)]
#[template(path = "compare/choice.html")]
struct Choice {
    frame: Frame,
    runs: Vec<(i64, String, String)>,
    first: i64,
}

/// The page.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Query(fields): Query<Vec<(String, String)>>,
) -> ApiResult {
    let runs = server.store.runs().await?;
    let sides = match CompareQuery::new(&fields, &runs)? {
        CompareQuery::For(sides) => sides,
        CompareQuery::Elsewhere(sides) => {
            return Ok(Redirect::to(&format!("/compare{}", sides.query())).into_response());
        }
        CompareQuery::Choice(first) => return choice(&who, runs, first),
    };
    for &run in sides.runs() {
        blind::check_run(&server, &who, RunKey(run)).await?;
    }
    let found = compared(&server, &sides).await?;
    let asked = sides.clone();
    let (title, article) = blocking(move || drawn(&found, &asked)).await??;
    let turned = match sides {
        Sides::Two([first, second]) => Some(format!("/compare{}", Sides::Two([second, first]).query())),
        Sides::Groups(_) => None,
    };
    html(&ComparePage { frame: Frame::new(title, Section::Runs, &who), article, query: sides.query(), turned })
}

/// The title and the article, with links to the reports of chats that changed.
fn drawn(found: &Compared, sides: &Sides) -> anyhow::Result<(String, String)> {
    let mut page = comparison_page(&found.comparison, &found.rubric);
    let address = |run: i64, chat: i64| format!("/runs/{run}/chats/{chat}");
    let (first, second) = match sides {
        Sides::Two([first, second]) => (*first, *second),
        Sides::Groups([run]) => (*run, *run),
    };
    for contest in &mut page.contests {
        for row in contest.all_changes() {
            row.addresses = row.stored.map(|(one, two)| (address(first, one), address(second, two)));
        }
        for chat in contest.flips.iter_mut().flat_map(|flip| flip.chats.iter_mut().flatten()) {
            chat.address = chat.stored.map(|stored| address(second, stored));
        }
    }
    let base = page.contests.first().map(|contest| contest.first.clone());
    for side in &mut page.sides {
        side.addresses = Some(match sides {
            Sides::Groups([run]) => {
                let group = encoded(&side.name);
                (format!("/runs/{run}?group={group}#chats"), format!("/runs/{run}?group={group}&gate=any#chats"))
            }
            Sides::Two(_) => {
                let run = if base.as_ref() == Some(&side.name) { first } else { second };
                (format!("/runs/{run}#chats"), format!("/runs/{run}?gate=any#chats"))
            }
        });
    }
    let article = comparison_article(&page)?;
    Ok((page.title, article))
}

fn choice(who: &Who, runs: Vec<Run>, first: Option<i64>) -> ApiResult {
    let second = runs.first().map(|run| run.key.0);
    let first = first.or_else(|| runs.get(1).map(|run| run.key.0)).or(second).unwrap_or_default();
    let row = |run: Run| (run.key.0, run.name, moment_for_people(run.created));
    let runs = runs.into_iter().take(CHOICE).map(row).collect();
    html(&Choice { frame: Frame::new("Compare", Section::Runs, who), runs, first })
}
