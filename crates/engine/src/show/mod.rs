//! A run as front ends show it: its numbers, the chats to look at first, and both as JSON or as a page.

mod html;
pub mod json;

use anyhow::Result;
use carelock_judge::provider::Cost;
use carelock_store::{Filter, Sort, TierCount};

pub use html::{ROWS, Reports, page as html_page};

use crate::runs::{Database, OpenRun, Overview, StoredReport, moment_for_people};

/// What is shown of a run.
pub struct Shown {
    /// The run.
    pub open: OpenRun,
    /// Its numbers.
    pub overview: Overview,
    /// How many chats have reached which tier.
    pub tiers: Vec<TierCount>,
    /// The chats listed, those with a gate first, then the lowest scores.
    pub listed: Vec<StoredReport>,
    /// How many chats the filter lets through.
    pub matching: u64,
    /// Whether the filter leaves anything out.
    pub is_filtered: bool,
}

impl Shown {
    /// Asks the database; so many chats at most are listed.
    pub fn load(database: &Database, open: OpenRun, filter: &Filter, limit: u32) -> Result<Self> {
        let overview = Overview::load(database, open.run.clone())?;
        let tiers = database.wait(database.store().tiers(open.run.key, None))?;
        let matching = database.wait(database.store().count(filter))?;
        let listed = first(database, &open, filter, limit)?;
        let is_filtered = *filter != Filter::for_run(open.run.key);
        Ok(Self { open, overview, tiers, listed, matching, is_filtered })
    }

    /// What is to be known of the run at once.
    #[must_use]
    pub fn facts(&self) -> Vec<String> {
        let (run, overview, rubric) = (&self.open.run, &self.overview, &self.open.scoring.rubric);
        let mut facts = vec![
            overview.state().to_owned(),
            format!("{} of {} chats", overview.results(), run.chats),
            format!("begun {} UTC", moment_for_people(run.created)),
            format!("judged by {}", overview.judges.join(", ")),
            format!("{} {}", rubric.name(), rubric.version()),
        ];
        let failed = overview.progress.failed;
        if failed > 0 {
            facts.push(format!("{failed} answers could not be had"));
        }
        if overview.cost() != Cost::ZERO {
            facts.push(format!("spent {}", overview.cost()));
        }
        facts
    }

    /// How many results have a tier.
    #[must_use]
    pub fn tier_count(&self, tier: Option<&str>) -> u64 {
        self.tiers.iter().filter(|count| count.tier.as_deref() == tier).map(|count| count.results).sum()
    }
}

/// Chats with a gate tripped first, then the others, the lowest scores first in both.
fn first(database: &Database, open: &OpenRun, filter: &Filter, limit: u32) -> Result<Vec<StoredReport>> {
    let sorted = Filter { sort: Sort::Overall, ..filter.clone() };
    let gated = Filter { gated: Some(true), ..sorted.clone() };
    let mut found = database.wait(database.store().list(&gated, limit))?.results;
    let room = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(limit));
    if room > 0 && filter.gated != Some(true) {
        let others = Filter { gated: Some(false), ..sorted };
        found.extend(database.wait(database.store().list(&others, room))?.results);
    }
    open.reports(database, found)
}
