//! The tables of a run: which columns they have, and the rows of a chat. The columns are documented and stay.

use carelock_core::report::{CheckReport, Report};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

use super::TableName;
use crate::runs::StoredReport;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Score,
    Whole,
    Flag,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// One value, of the kind of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Text(Option<String>),
    Score(Option<Score>),
    Whole(Option<i64>),
    Flag(Option<bool>),
}

/// A table and what its rows are made from.
pub(super) struct Table<'a> {
    name: TableName,
    run: &'a str,
    rubric: &'a Rubric,
    columns: Vec<Column>,
}

const BEFORE: [(&str, Kind); 12] = [
    ("run", Kind::Text),
    ("id", Kind::Text),
    ("group", Kind::Text),
    ("origin", Kind::Text),
    ("position", Kind::Whole),
    ("overall", Kind::Score),
    ("undetermined", Kind::Text),
    ("overall_partial", Kind::Score),
    ("overall_ungated", Kind::Score),
    ("coverage", Kind::Score),
    ("tier", Kind::Text),
    ("gates", Kind::Text),
];

const AFTER: [(&str, Kind); 10] = [
    ("earned", Kind::Whole),
    ("not_triggered", Kind::Whole),
    ("failed", Kind::Whole),
    ("unscored", Kind::Whole),
    ("summary", Kind::Text),
    ("judge", Kind::Text),
    ("model", Kind::Text),
    ("rubric_version", Kind::Text),
    ("rubric_hash", Kind::Text),
    ("transcript_hash", Kind::Text),
];

const CHECKS: [(&str, Kind); 14] = [
    ("run", Kind::Text),
    ("id", Kind::Text),
    ("group", Kind::Text),
    ("metric", Kind::Text),
    ("check", Kind::Text),
    ("kind", Kind::Text),
    ("pass", Kind::Flag),
    ("basis", Kind::Text),
    ("turns", Kind::Text),
    ("quote", Kind::Text),
    ("why", Kind::Text),
    ("unscored", Kind::Text),
    ("entailed_by", Kind::Text),
    ("confidence", Kind::Text),
];

impl<'a> Table<'a> {
    pub(super) fn new(name: TableName, run: &'a str, rubric: &'a Rubric) -> Self {
        let column = |&(name, kind): &(&str, Kind)| Column { name: name.to_owned(), kind };
        let metrics = rubric.metrics().iter().map(|metric| Column { name: metric.key.clone(), kind: Kind::Score });
        let columns = match name {
            TableName::Chats => BEFORE.iter().map(column).chain(metrics).chain(AFTER.iter().map(column)).collect(),
            TableName::Checks => CHECKS.iter().map(column).collect(),
        };
        Self { name, run, rubric, columns }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows of a chat, each with a cell for every column.
    pub(super) fn rows(&self, stored: &StoredReport) -> Vec<Vec<Cell>> {
        match self.name {
            TableName::Chats => vec![self.chat(stored)],
            TableName::Checks => {
                let checks = stored.report.checks();
                checks.map(|(metric, id, check)| self.check(stored, metric, id, check)).collect()
            }
        }
    }

    fn chat(&self, stored: &StoredReport) -> Vec<Cell> {
        let StoredReport { listed, report, .. } = stored;
        let mut cells = vec![
            text(self.run),
            text(&report.transcript.id),
            Cell::Text(listed.group.clone()),
            text(&listed.origin),
            Cell::Whole(i64::try_from(listed.position).ok()),
            Cell::Score(report.overall),
            Cell::Text(report.undetermined.clone()),
            Cell::Score(report.overall_partial),
            Cell::Score(report.overall_ungated),
            Cell::Score(Some(report.coverage)),
            Cell::Text(listed.scores.tier.clone()),
            Cell::Text(some(listed.scores.gates.join(" "))),
        ];
        for metric in self.rubric.metrics() {
            cells.push(Cell::Score(report.metrics.get(metric.key.as_str()).and_then(|metric| metric.score)));
        }
        cells.extend(counts(report));
        cells.extend([
            text(&report.summary),
            text(&report.judge.name),
            Cell::Text(report.judge.model.clone()),
            text(&report.rubric.version),
            text(&report.rubric.hash),
            text(&report.transcript.hash),
        ]);
        cells
    }

    fn check(&self, stored: &StoredReport, metric: &str, id: &str, check: &CheckReport) -> Vec<Cell> {
        let kind = self.rubric.position(id).map(|position| self.rubric.check(position).kind.to_string());
        let turns: Vec<String> = check.turns.iter().map(u32::to_string).collect();
        vec![
            text(self.run),
            text(&stored.report.transcript.id),
            Cell::Text(stored.listed.group.clone()),
            text(metric),
            text(id),
            Cell::Text(kind),
            Cell::Flag(check.pass),
            Cell::Text(check.basis.map(|basis| basis.to_string())),
            Cell::Text(some(turns.join(" "))),
            Cell::Text(check.quote.clone()),
            Cell::Text(some(check.why.clone())),
            Cell::Text(check.unscored.clone()),
            Cell::Text(check.entailed_by.as_ref().map(ToString::to_string)),
            Cell::Text(check.confidence.map(|confidence| confidence.to_string())),
        ]
    }
}

fn counts(report: &Report) -> [Cell; 4] {
    let sum = |count: fn(&carelock_core::report::MetricReport) -> usize| {
        Cell::Whole(i64::try_from(report.metrics.values().map(count).sum::<usize>()).ok())
    };
    [
        sum(|metric| metric.earned),
        sum(|metric| metric.not_triggered),
        sum(|metric| metric.failed),
        sum(|metric| metric.unscored),
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(Some(text.to_owned()))
}

/// A text, unless it is empty.
fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
