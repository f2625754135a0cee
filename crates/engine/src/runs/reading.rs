//! The reports of a run, made again from what is stored, a page at a time.

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::TraceOrigin;
use carelock_store::{ChatKey, Filter, ListedResult, NewChat, Run, StoredAnswer, StoredChat};
use rayon::prelude::*;

use super::{Database, Scoring, StoredConfig, report_of, source_of};

/// Chats at once: enough to keep all cores busy, few enough to be small.
const PAGE: u32 = 128;

/// A run, and what its reports are computed with.
pub struct OpenRun {
    /// The run.
    pub run: Run,
    /// What it was set up with.
    pub config: StoredConfig,
    /// What its reports are computed with.
    pub scoring: Scoring,
}

/// A chat's result, and the report behind it.
pub struct StoredReport {
    /// The result.
    pub listed: ListedResult,
    /// The report.
    pub report: Report,
    /// Where in a tracing tool the chat came from, where it did.
    pub trace: Option<TraceOrigin>,
}

impl OpenRun {
    /// The run of this name.
    pub fn find(database: &Database, name: &str) -> Result<Self> {
        let run = database.wait(database.store().run(name))?;
        let config = database.wait(StoredConfig::load(database.store(), run.key))?;
        let scoring = config.scoring()?;
        Ok(Self { run, config, scoring })
    }

    /// One chat of the run, judged or not, if the run has it.
    pub fn transcript(&self, database: &Database, name: &str) -> Result<Option<Transcript>> {
        let store = database.store();
        let Some(key) = database.wait(store.chat_named(self.run.key, name))? else { return Ok(None) };
        let stored = database.wait(store.chats(&[key]))?.pop();
        stored.map(|stored| source_of(stored.chat).map(|source| source.transcript)).transpose()
    }

    /// One chat of the run and its report, if the run has it.
    pub fn report(&self, database: &Database, name: &str) -> Result<Option<(StoredChat, Report)>> {
        let store = database.store();
        let Some(key) = database.wait(store.chat_named(self.run.key, name))? else { return Ok(None) };
        let Some(chat) = database.wait(store.chats(&[key]))?.pop() else { return Ok(None) };
        let answers = database.wait(store.answers(&[key]))?;
        if answers.is_empty() {
            bail!(
                Problem::new(format!("chat {name:?}: has not been judged yet"))
                    .advice("go on with the run, and ask again")
            );
        }
        let report = report_of(&chat, &answers, &self.scoring)?;
        Ok(Some((chat, report)))
    }

    /// The reports behind some results, in their order.
    pub fn reports(&self, database: &Database, listed: Vec<ListedResult>) -> Result<Vec<StoredReport>> {
        let keys: Vec<ChatKey> = listed.iter().map(|result| result.chat).collect();
        let chats = database.wait(database.store().chats(&keys))?;
        let answers = database.wait(database.store().answers(&keys))?;
        let one = |listed: ListedResult| {
            // Deleted between the two questions: it is as if it had been deleted before.
            let Ok(at) = chats.binary_search_by_key(&listed.chat, |chat| chat.key) else { return Ok(None) };
            let report = report_of(&chats[at], of_chat(&answers, listed.chat), &self.scoring)?;
            Ok(Some(StoredReport { listed, report, trace: trace_of(&chats[at].chat) }))
        };
        let stored: Vec<Option<StoredReport>> = listed.into_par_iter().map(one).collect::<Result<_>>()?;
        Ok(stored.into_iter().flatten().collect())
    }

    /// Hands on the reports that a filter lets through, one after the other; how many that were.
    pub fn each(
        &self,
        database: &Database,
        mut filter: Filter,
        mut take: impl FnMut(StoredReport) -> Result<()>,
    ) -> Result<u64> {
        let mut number = 0;
        loop {
            let page = database.wait(database.store().list(&filter, PAGE))?;
            for stored in self.reports(database, page.results)? {
                number += 1;
                take(stored)?;
            }
            let Some(next) = page.next else { return Ok(number) };
            filter.after = Some(next);
        }
    }
}

/// Where in a tracing tool a chat came from, as it was kept with it.
pub fn trace_of(chat: &NewChat) -> Option<TraceOrigin> {
    serde_json::from_value(chat.labels.as_ref()?.get("trace")?.clone()).ok()
}

/// The answers on one chat, among those that are sorted by chat.
pub fn of_chat(answers: &[StoredAnswer], chat: ChatKey) -> &[StoredAnswer] {
    let first = answers.partition_point(|answer| answer.chat < chat);
    let end = answers.partition_point(|answer| answer.chat <= chat);
    &answers[first..end]
}
