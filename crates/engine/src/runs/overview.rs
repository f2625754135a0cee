//! What a run comes to, added up by the database.

use anyhow::Result;
use carelock_judge::provider::Cost;
use carelock_store::{METRICS, Progress, Run, RunState, Spent, Sum, Summary};

use serde_json::{Value, json};

use super::{Database, from_records, judges_for_people, moment, now};

/// A run in numbers.
pub struct Overview {
    /// The run.
    pub run: Run,
    /// Its judges by name.
    pub judges: Vec<String>,
    /// How far it is.
    pub progress: Progress,
    /// Its results, group by group.
    pub groups: Vec<Summary>,
    /// What its judges took.
    pub spent: Vec<Spent>,
}

impl Overview {
    /// Asks the database.
    pub fn load(database: &Database, run: Run) -> Result<Self> {
        let store = database.store();
        // Only the names are needed: a run whose other settings this version does not know is listed all the same.
        let config = database.wait(store.config(run.key))?;
        let judges = config["judges"].as_array().into_iter().flatten();
        let judges: Vec<String> = judges.filter_map(|judge| judge.as_str().map(str::to_owned)).collect();
        let progress = database.wait(store.progress_at(run.key, now()))?;
        let groups = database.wait(store.summaries(run.key, None))?;
        let spent = database.wait(store.spent(run.key))?;
        let brought = from_records(config["inline"] == true, &spent);
        let judges = judges_for_people(&judges, brought, run.chats);
        Ok(Self { run, judges, progress, groups, spent })
    }

    /// How many chats have a result.
    pub fn results(&self) -> u64 {
        self.groups.iter().map(|group| group.results).sum()
    }

    /// In how many a gate is tripped.
    pub fn gated(&self) -> u64 {
        self.groups.iter().map(|group| group.gated).sum()
    }

    /// In how many a check has no verdict.
    pub fn unscored(&self) -> u64 {
        self.groups.iter().map(|group| group.unscored).sum()
    }

    /// The overall scores.
    pub fn overall(&self) -> Sum {
        self.groups.iter().fold(Sum::default(), |sum, group| add(sum, group.overall))
    }

    /// The metrics' scores in the rubric's order.
    pub fn metrics(&self) -> [Sum; METRICS] {
        let mut metrics = [Sum::default(); METRICS];
        for group in &self.groups {
            for (metric, more) in metrics.iter_mut().zip(group.metrics) {
                *metric = add(*metric, more);
            }
        }
        metrics
    }

    /// What it cost.
    pub fn cost(&self) -> Cost {
        let nanos: u128 = self.spent.iter().map(|spent| u128::from(spent.cost_nanos)).sum();
        Cost::from_picodollars(1000 * nanos)
    }

    /// What it cost, for people; a dash where nobody was paid.
    pub fn cost_for_people(&self) -> String {
        let cost = self.cost();
        if cost == Cost::ZERO { "–".to_owned() } else { cost.to_string() }
    }

    /// How far it has come, in a word.
    pub fn state(&self) -> &'static str {
        match self.run.state {
            RunState::Filling => "filling",
            RunState::Open if self.progress.leased > 0 => "working",
            RunState::Open => "open",
            RunState::Done => "done",
        }
    }
}

fn add(one: Sum, other: Sum) -> Sum {
    Sum { number: one.number + other.number, hundredths: one.hundredths + other.hundredths }
}

/// Runs as JSON.
pub fn runs_json<'a>(overviews: impl Iterator<Item = &'a Overview>) -> Value {
    let runs: Vec<Value> = overviews.map(object).collect();
    json!({ "schema": "carelock/runs/1", "runs": runs })
}

fn object(overview: &Overview) -> Value {
    json!({
        "number": overview.run.key.0,
        "name": overview.run.name,
        "created": moment(overview.run.created),
        "state": overview.state(),
        "chats": overview.run.chats,
        "done": overview.results(),
        "failed": overview.progress.failed,
        "judges": overview.judges,
        "mean_overall": overview.overall().mean(),
        "gated": overview.gated(),
        "unscored": overview.unscored(),
        "cost_usd": overview.cost().to_number(),
    })
}

/// A mean to three decimals; a dash of nothing.
pub fn mean_for_people(sum: Sum) -> String {
    sum.mean().map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"))
}
