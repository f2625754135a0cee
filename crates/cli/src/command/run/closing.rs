//! The end of a run: what came of it, on standard output, and the exit code that follows.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use carelock_core::problem::Problem;
use carelock_core::report::safe_text::one_line;
use carelock_engine::runs::{Database, StoredConfig, Thresholds, from_records, judges_for_people};
use carelock_engine::working::{cost_of, settle_state};
use carelock_judge::provider::Cost;
use carelock_store::{Progress, Run, Store, Summary};

use crate::exit;
use crate::output::Output;

/// Failures that are listed.
const LISTED: u32 = 5;

/// A run as it stands.
pub(super) struct Closing {
    progress: Progress,
    summaries: Vec<Summary>,
    spent: Cost,
    /// Chats whose answers stood in their own records, where those count.
    brought: u64,
    failures: Vec<carelock_store::StoredFailure>,
    below: u64,
    /// Chats that are answered, but whose result could not be computed.
    unsettled: u64,
    /// Chats that too few judges have answered.
    short: u64,
}

impl Closing {
    /// Looks at the whole run, and marks it as done where it is.
    pub(super) async fn new(store: &Store, run: &Run, asked: &Thresholds, unsettled: u64) -> Result<Self> {
        let progress = settle_state(store, run, unsettled).await?;
        let summaries = store.summaries(run.key, None).await?;
        let spent = store.spent(run.key).await?;
        let brought = from_records(true, &spent);
        let spent = cost_of(spent.iter().map(|spent| spent.cost_nanos).sum());
        let failures = store.failures(run.key, LISTED).await?;
        let short = store.short_of_judges(run.key, asked.min_judges.unwrap_or(u32::MAX)).await?;
        let below = match asked.fail_under {
            Some(least) => {
                let scores = store.scores(run.key, None).await?;
                let is_below = |overall: Option<u8>| overall.is_some_and(|overall| overall < least.hundredths());
                scores.iter().filter(|chat| is_below(chat.scores.overall)).count() as u64
            }
            None => 0,
        };
        Ok(Self { progress, summaries, spent, brought, failures, below, unsettled, short })
    }

    fn sum(&self, count: impl Fn(&Summary) -> u64) -> u64 {
        self.summaries.iter().map(count).sum()
    }

    fn mean(&self) -> Option<f64> {
        let (number, hundredths) = (self.sum(|row| row.overall.number), self.sum(|row| row.overall.hundredths));
        (number > 0).then(|| hundredths as f64 / (100.0 * number as f64))
    }

    /// Whether everything there is to do is done or has failed.
    pub(super) fn is_through(&self) -> bool {
        self.progress.open == 0 && self.progress.leased == 0
    }

    /// Prints the summary.
    pub(super) fn print(&self, database: &Database, run: &Run, stored: &StoredConfig, unread: usize) -> Result<()> {
        let mut output = Output::open(None)?;
        output.write_all(self.text(database, run, stored, unread).as_bytes())?;
        output.finish()
    }

    fn text(&self, database: &Database, run: &Run, stored: &StoredConfig, unread: usize) -> String {
        let name = one_line(&run.name);
        let judges: Vec<String> = stored.judges.iter().map(|judge| one_line(judge)).collect();
        let brought = if stored.inline { self.brought } else { 0 };
        let judged_by = judges_for_people(&judges, brought, run.chats).join(", ");
        let mut rows = vec![("chats", run.chats.to_string()), ("judged by", judged_by)];
        if !self.is_through() {
            let done = self.progress.answered + self.progress.failed;
            rows.push(("answers so far", format!("{done} of {}", self.progress.total())));
        }
        let mean = self.mean().map_or_else(|| "undetermined".to_owned(), |mean| format!("{mean:.2}"));
        rows.push(("mean overall", mean));
        if self.sum(|row| row.results) > 0 {
            rows.push(("gates tripped", in_chats(self.sum(|row| row.gated))));
        }
        let counts = [
            ("below threshold", self.below),
            ("not fully judged", self.sum(|row| row.unscored)),
            ("failed", self.progress.failed),
            ("without a result", self.unsettled),
            ("could not be read", unread as u64),
        ];
        rows.extend(counts.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| (what, in_chats(count))));
        if self.spent != Cost::default() {
            rows.push(("spent", self.spent.to_string()));
        }
        rows.push(("stored in", one_line(database.store().label())));
        let mut text = format!("run {name}\n");
        for (what, value) in rows {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {what:<18}{value}");
        }
        for failure in &self.failures {
            let judge = usize::try_from(failure.place).ok().and_then(|place| judges.get(place));
            let judge = judge.map_or("?", String::as_str);
            let reason = one_line(&Problem::from_stored(&failure.error).what());
            let reason = reason.strip_prefix(&format!("judge {judge}: ")).unwrap_or(&reason).to_owned();
            let _ = writeln!(text, "  failed: {}, {judge}: {reason}", one_line(&failure.name));
        }
        let more = self.progress.failed.saturating_sub(self.failures.len() as u64);
        if more > 0 {
            let _ = writeln!(text, "  … and {more} more failed");
        }
        let quoted = database.typed(&run.name);
        let _ = match self.is_through() && self.progress.failed == 0 && self.unsettled == 0 {
            true => writeln!(text, "next: carelock show {quoted}"),
            false => writeln!(text, "next: carelock run --resume {quoted}"),
        };
        text
    }

    /// The exit code, after that of the review of what was asked for.
    pub(super) fn exit_code(&self, reviewed: u8, unread: usize) -> u8 {
        let is_short = self.short > 0 || self.unsettled > 0 || self.sum(|row| row.unscored) > 0;
        if unread > 0 {
            exit::BAD_INPUT
        } else if reviewed == exit::NOT_MET {
            exit::NOT_MET
        } else if reviewed == exit::UNSCORED || is_short || !self.is_through() {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}

fn in_chats(count: u64) -> String {
    match count {
        0 => "in no chat".to_owned(),
        1 => "in 1 chat".to_owned(),
        count => format!("in {count} chats"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_judged_decides_the_exit_code_where_nothing_worse_does() {
        let whole = || Closing {
            progress: Progress { answered: 2, ..Progress::default() },
            summaries: Vec::new(),
            spent: Cost::default(),
            brought: 0,
            failures: Vec::new(),
            below: 0,
            unsettled: 0,
            short: 0,
        };
        assert_eq!(whole().exit_code(exit::DONE, 0), exit::DONE);
        assert_eq!(whole().exit_code(exit::UNSCORED, 0), exit::UNSCORED);
        assert_eq!(whole().exit_code(exit::NOT_MET, 0), exit::NOT_MET);
        let short = Closing { unsettled: 1, ..whole() };
        assert_eq!(short.exit_code(exit::DONE, 0), exit::UNSCORED);
        assert_eq!(short.exit_code(exit::NOT_MET, 0), exit::NOT_MET);
        assert_eq!(short.exit_code(exit::DONE, 1), exit::BAD_INPUT);
        let failed = Progress { answered: 1, failed: 1, ..Progress::default() };
        let enough = Closing { progress: failed, ..whole() };
        assert_eq!(enough.exit_code(exit::DONE, 0), exit::DONE, "the other judge is enough");
        assert_eq!(Closing { short: 1, ..enough }.exit_code(exit::DONE, 0), exit::UNSCORED);
    }
}
