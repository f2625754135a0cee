//! The numbers of a run as its pages show them, computed once for as long as nothing changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use carelock_engine::comparison::{GroupStanding, groups, standings};
use carelock_engine::ratings::Library;
use carelock_engine::runs::{Database, OpenRun, Overview};
use carelock_statistics::Bootstrap;
use carelock_store::{Filter, Progress, Run, RunState};

use crate::api_error::ApiResult;
use crate::computed::{Figures, ListedRun};
use crate::state::Shared;
use crate::stored::with_database;

/// How long numbers of a run under way may lag behind.
const STALE: Duration = Duration::from_secs(2);
/// The same for the list of runs.
const LIST_STALE: Duration = Duration::from_secs(5);
/// The same for runs that are done, in milliseconds.
const DONE_STALE: i64 = 60_000;
/// Runs of the list whose numbers are kept: more than one answer shows.
pub(crate) const LISTED: usize = 1_024;
/// The most filters whose counts are kept for a run.
const COUNTS: usize = 512;

/// The numbers of a run.
pub(crate) async fn figures(server: &Shared, open: &Arc<OpenRun>) -> ApiResult<Arc<Figures>> {
    let run = &open.run;
    // Nobody works on a run that is done, so counting its tasks would tell nothing new.
    let is_done = run.state == RunState::Done;
    let progress = if is_done { Progress::default() } else { server.store.progress(run.key).await? };
    let stamp = format!("{run:?} {progress:?} {}", config_stamp(open));
    let stale = if is_done { Duration::ZERO } else { STALE };
    let (of, open) = (run.key.0.to_string(), Arc::clone(open));
    let shared = Arc::clone(server);
    let make = || async move { with_database(&shared, move |database| Figures::load(database, &open)).await };
    server.figures.get(&of, &stamp, stale, make).await
}

/// A run as the list shows it.
pub(crate) async fn listed(server: &Shared, run: Run) -> ApiResult<Arc<ListedRun>> {
    let of = run.key.0.to_string();
    // The row of a run under way stays the same while its numbers grow; of one that is done it does when it is scored anew.
    let is_done = run.state == RunState::Done;
    let moment = if is_done { carelock_engine::runs::now() / DONE_STALE } else { carelock_engine::runs::now() };
    let stamp = format!("{run:?} {moment}");
    let stale = if is_done { Duration::ZERO } else { LIST_STALE };
    let shared = Arc::clone(server);
    let load = move |database: &Database| Ok(ListedRun { overview: Overview::load(database, run)? });
    server.listed.get(&of, &stamp, stale, || async move { with_database(&shared, load).await }).await
}

/// Changes when a run is scored anew.
pub(crate) fn config_stamp(open: &OpenRun) -> String {
    let text = serde_json::to_vec(&open.config).unwrap_or_default();
    blake3::hash(&text).to_hex()[..16].to_owned()
}

impl Figures {
    fn load(database: &Database, open: &OpenRun) -> Result<Self> {
        let store = database.store();
        let key = open.run.key;
        let overview = Overview::load(database, open.run.clone())?;
        let tiers = database.wait(store.tiers(key, None))?;
        let spread = database.wait(store.distributions(key, None))?;
        let groups = if overview.groups.len() > 1 { compared(database, open)? } else { Vec::new() };
        Ok(Self { overview, tiers, spread, groups, counts: Mutex::default() })
    }

    /// How many chats a filter lets through.
    pub(crate) async fn count(&self, server: &Shared, filter: &Filter) -> ApiResult<u64> {
        let plain = Filter { after: None, before: None, sort: carelock_store::Sort::Position, ..filter.clone() };
        let plain = Filter { descending: false, ..plain };
        if plain == Filter::for_run(filter.run) {
            return Ok(self.spread.results);
        }
        let key = format!("{plain:?}");
        let known = self.counts.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let number = server.store.count(&plain).await?;
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= COUNTS {
            counts.clear();
        }
        counts.insert(key, number);
        Ok(number)
    }

    /// How many results have a tier, or none.
    pub(crate) fn tier(&self, label: Option<&str>) -> u64 {
        self.tiers.iter().filter(|count| count.tier.as_deref() == label).map(|count| count.results).sum()
    }
}

/// The groups of a run on their own, with intervals.
fn compared(database: &Database, open: &OpenRun) -> Result<Vec<GroupStanding>> {
    let mut library = Library::of_runs(database.shared());
    let sides = library.open_all(std::slice::from_ref(&open.run.name))?;
    let sides: Vec<_> = sides.into_iter().flat_map(groups).collect();
    Ok(standings(&open.scoring.rubric, &sides, &Bootstrap::default()))
}
