//! Runs, or the groups of one, side by side: the same numbers as `carelock compare`.

mod files;
mod page;
mod query;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use carelock_engine::comparison::{Comparison, Settings, in_groups};
use carelock_engine::ratings::Library;
use carelock_engine::runs::Database;
use carelock_statistics::Bootstrap;

use query::Sides;

use crate::api_error::{ApiError, ApiResult};
use crate::computed::Compared;
use crate::pages::runs::figures::config_stamp;
use crate::state::Shared;
use crate::stored;

/// How many comparisons are kept; those of large runs are large.
pub(crate) const KEPT: usize = 8;
/// How long one of runs under way may lag behind.
const STALE: Duration = Duration::from_secs(5);
/// How many chats that changed are shown, as on the command line.
const CHANGES: usize = 10;

/// What may be read.
pub(super) fn reading() -> Router<Shared> {
    Router::new().route("/compare", get(page::page)).route("/compare/{file}", get(files::file))
}

/// The comparison of these sides.
async fn compared(server: &Shared, sides: &Sides) -> ApiResult<Arc<Compared>> {
    let (of, mut stamp, mut is_done) = (sides.query(), String::new(), true);
    let mut names = Vec::new();
    for &number in sides.runs() {
        let open = stored::run(server, number).await?;
        stamp += &format!("{:?} {} ", open.run, config_stamp(&open));
        if open.run.state != carelock_store::RunState::Done {
            stamp += &format!("{:?} ", server.store.progress(open.run.key).await?);
            is_done = false;
        }
        names.push(open.run.name);
    }
    let stale = if is_done { Duration::ZERO } else { STALE };
    let by_group = sides.is_by_group();
    let shared = Arc::clone(server);
    let make = || async move {
        let made = stored::with_database(&shared, move |database| Ok(compute(database, &names, by_group)));
        made.await?.map_err(|error| ApiError::of_input(&error))
    };
    server.compared.get(&of, &stamp, stale, make).await
}

fn compute(database: &Database, names: &[String], by_group: bool) -> anyhow::Result<Compared> {
    let mut library = Library::of_runs(database.shared());
    let mut sides = library.open_all(names)?;
    if by_group {
        sides = in_groups(sides)?;
    }
    let rubric = library.rubric();
    let settings = Settings { changes: CHANGES, bootstrap: Bootstrap::default() };
    Ok(Compared { comparison: Comparison::new(&rubric, &sides, &settings), rubric })
}
