//! A run as one HTML page, with its chats' reports where they are few.

use anyhow::Result;
use carelock_core::score::Score;
use carelock_page::{
    ChatList, ChatRow, GateCount, GroupSummary, RunSummary, Spread, Style, chat_list, close_page, open_page,
    report_article, run_summary,
};
use carelock_store::{ScoreCounts, Summary};

use super::Shown;
use crate::runs::{Database, StoredReport, shell_word};

/// A page with more reports than this would be slow to open.
const REPORTS: u64 = 50;
/// Nobody reads more lines than this.
pub const ROWS: u32 = 1000;

/// Whether the reports of the chats stand on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// Never.
    Without,
    /// Where they are few enough.
    IfFew,
}

/// The page.
pub fn page(database: &Database, shown: &Shown, reports: Reports) -> Result<String> {
    let rubric = &shown.open.scoring.rubric;
    let has_reports = reports == Reports::IfFew && shown.matching <= REPORTS && !shown.listed.is_empty();
    let title = format!("{} · Care-Lock run", carelock_core::report::safe_text::one_line(&shown.open.run.name));
    let mut text = open_page(&title, Style::Inline, &[("run-chats", "To the chats")])?;
    text += &run_summary(&summary(database, shown)?, rubric)?;
    let row = |(number, stored): (usize, &StoredReport)| row(stored, has_reports.then_some(number));
    let list = ChatList {
        rows: (1..).zip(&shown.listed).map(row).collect(),
        matching: shown.matching,
        is_filtered: shown.is_filtered,
        note: Some(note(shown, reports, has_reports)),
    };
    text += &chat_list(&list, rubric)?;
    if has_reports {
        for (number, stored) in (1..).zip(&shown.listed) {
            text += &report_article(&stored.report, rubric, number)?;
        }
    }
    Ok(text + &close_page(&[])?)
}

fn note(shown: &Shown, reports: Reports, has_reports: bool) -> String {
    let first = "Tripped gates and low scores first. The ten cells are the metrics in the order above.";
    let run = shell_word(&shown.open.run.name);
    match (reports, has_reports) {
        (_, true) => format!("{first} Each name leads to the chat's report below."),
        (Reports::Without, _) => {
            format!("{first} For a page with the chats' reports: carelock export {run} --format html")
        }
        (Reports::IfFew, _) => format!(
            "{first} A page holds the reports of at most {REPORTS} chats: choose fewer of them with --gated, --below, \
             --group or --text, or look at one: carelock show {run} CHAT --format html"
        ),
    }
}

fn summary(database: &Database, shown: &Shown) -> Result<RunSummary> {
    let (open, overview) = (&shown.open, &shown.overview);
    let store = database.store();
    let spreads = database.wait(store.spreads(open.run.key, None))?;
    let gates = database.wait(store.gate_counts(open.run.key, None))?;
    let keys = open.scoring.rubric.metrics().iter().map(|metric| metric.key.clone());
    Ok(RunSummary {
        name: open.run.name.clone(),
        facts: vec![shown.facts().join(" · ")],
        chats: overview.results(),
        gated: overview.gated(),
        unscored: overview.unscored(),
        gates: gates.into_iter().map(|(check, chats)| GateCount { check, chats }).collect(),
        overall: spread(&spreads.overall),
        metrics: keys.zip(spreads.metrics.iter().map(spread)).collect(),
        groups: overview.groups.iter().map(group).collect(),
    })
}

fn spread(counts: &ScoreCounts) -> Spread {
    Spread(counts.iter().map(|(score, chats)| (score.and_then(Score::from_hundredths), *chats)).collect())
}

fn group(group: &Summary) -> GroupSummary {
    GroupSummary {
        name: group.group.clone(),
        chats: group.results,
        overall: group.overall.mean(),
        gated: group.gated,
        unscored: group.unscored,
    }
}

fn row(stored: &StoredReport, number: Option<usize>) -> ChatRow {
    let StoredReport { listed, report, .. } = stored;
    ChatRow {
        name: listed.name.clone(),
        group: listed.group.clone(),
        overall: report.overall,
        tier: listed.scores.tier.clone(),
        gates: listed.scores.gates.clone(),
        unscored: listed.scores.unscored,
        metrics: listed.scores.metrics.iter().map(|score| score.and_then(Score::from_hundredths)).collect(),
        summary: report.summary.clone(),
        address: number.map(|number| format!("#report{number}")),
    }
}
