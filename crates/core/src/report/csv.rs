//! Reports as CSV: one row a chat for comparing, or one row a check for counting.

use super::names;
use super::safe_text::one_line;
use super::{CheckReport, Report};
use crate::rubric::Rubric;
use crate::score::Score;

/// The first row of a file with one row a chat.
pub fn csv_header(rubric: &Rubric) -> String {
    let before = ["id", "overall", "undetermined", "overall_partial", "overall_ungated", "coverage", "gates"];
    let after = ["summary", "judge", "model", "rubric_version", "rubric_hash", "transcript_hash"];
    let metrics = rubric.metrics().iter().map(|metric| metric.key.as_str());
    let names: Vec<String> = before.into_iter().chain(metrics).chain(after).map(csv_text).collect();
    row(&names)
}

/// One chat: its scores, the gates it tripped, and where they come from.
///
/// Scores have two decimals and are empty where there is none. Text is put on one line, and where a spreadsheet would
/// take it for a formula an apostrophe stands in front; numbers never get one. The columns are the rubric's metrics; one
/// that the report does not have is left empty.
pub fn csv_row(report: &Report, rubric: &Rubric) -> String {
    let gates: Vec<&str> = report.gates.iter().map(|gate| gate.check.as_ref()).collect();
    let mut cells = vec![
        csv_text(&report.transcript.id),
        score_cell(report.overall),
        csv_text(report.undetermined.as_deref().unwrap_or_default()),
        score_cell(report.overall_partial),
        score_cell(report.overall_ungated),
        score_cell(Some(report.coverage)),
        csv_text(gates.join(" ")),
    ];
    for metric in rubric.metrics() {
        cells.push(score_cell(report.metrics.get(metric.key.as_str()).and_then(|metric| metric.score)));
    }
    cells.extend([
        csv_text(&report.summary),
        csv_text(&report.judge.name),
        csv_text(report.judge.model.as_deref().unwrap_or_default()),
        csv_text(&report.rubric.version),
        csv_text(&report.rubric.hash),
        csv_text(&report.transcript.hash),
    ]);
    row(&cells)
}

/// The first row of a file with one row a check.
pub fn checks_header() -> String {
    let verdict = ["id", "metric", "check", "kind", "pass", "basis", "turns", "quote", "why"];
    let after = ["unscored", "entailed_by", "confidence"];
    let names: Vec<String> = verdict.into_iter().chain(after).map(str::to_owned).collect();
    row(&names)
}

/// All checks of one chat, one row each; `pass` is `true`, `false`, or empty where there is no verdict.
pub fn checks_rows(report: &Report, rubric: &Rubric) -> String {
    report.checks().map(|(metric, id, check)| check_row(report, rubric, (metric, id), check)).collect()
}

fn check_row(report: &Report, rubric: &Rubric, (metric, id): (&str, &str), check: &CheckReport) -> String {
    let optional = |text: Option<&str>| csv_text(text.unwrap_or_default());
    row(&[
        csv_text(&report.transcript.id),
        csv_text(metric),
        csv_text(id),
        names::check_kind(rubric, id).map(|kind| kind.to_string()).unwrap_or_default(),
        check.pass.map(|pass| pass.to_string()).unwrap_or_default(),
        check.basis.map(|basis| basis.to_string()).unwrap_or_default(),
        names::numbers(&check.turns, " "),
        optional(check.quote.as_deref()),
        csv_text(&check.why),
        optional(check.unscored.as_deref()),
        optional(check.entailed_by.as_deref()),
        check.confidence.map(|confidence| confidence.to_string()).unwrap_or_default(),
    ])
}

fn score_cell(score: Option<Score>) -> String {
    score.map(|score| score.to_string()).unwrap_or_default()
}

/// Text on one line that no spreadsheet runs: the signs that open a formula, full-width ones included, get an apostrophe before them.
pub fn csv_text(text: impl AsRef<str>) -> String {
    let line = one_line(text.as_ref());
    if line.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) { format!("'{line}") } else { line }
}

fn row(cells: &[String]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and what was written is the UTF-8 that came in.
    let _ = writer.write_record(cells);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
