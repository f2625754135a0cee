//! Files that are written when a run is done.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::TextStyle;
use carelock_core::score::Score;
use carelock_engine::input::Unread;
use carelock_engine::render::{Renderer, ReportFormat, Writer};
use carelock_engine::runs::{Database, OpenRun, Scoring, StoredConfig, report_of};
use carelock_engine::show::{ROWS, Reports, Shown, html_page};
use carelock_store::{Filter, Run, Store};

use crate::cli::RunArguments;
use crate::message::CommandLine;
use crate::output::Output;

/// Chats that are held at a time.
const AT_ONCE: u32 = 256;

/// What a file of this name holds.
pub(super) fn format_of(path: &Path) -> Result<ReportFormat> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        Some("jsonl" | "ndjson") => ReportFormat::Jsonl,
        Some("json") => ReportFormat::Json,
        Some("csv") => ReportFormat::Csv,
        Some("md" | "markdown") => ReportFormat::Md,
        Some("txt") => ReportFormat::Text,
        Some("xml") => ReportFormat::Junit,
        Some("html" | "htm") => ReportFormat::Html,
        _ => bail!(
            Problem::new(format!("{}: its ending does not say what to write", path.display()))
                .advice("end it in .jsonl, .json, .csv, .md, .txt, .html or .xml")
        ),
    })
}

/// What cannot be written is better known before anything is asked and paid for.
pub(super) fn check(arguments: &RunArguments, stored: &StoredConfig) -> Result<()> {
    let outputs = if arguments.output.is_empty() { &stored.outputs } else { &arguments.output };
    outputs.iter().chain(&arguments.ci.summary).try_for_each(|path| Output::check(path))
}

/// Writes the page of the run, with the reports of its chats where they are few.
pub(super) fn write_page(database: &Database, run: &Run, path: &Path) -> Result<()> {
    let shown = Shown::load(database, OpenRun::find(database, &run.name)?, &Filter::for_run(run.key), ROWS)?;
    // When nothing was judged, no file may appear as if something had been.
    if shown.matching == 0 {
        return Ok(());
    }
    let mut output = Output::open(Some(path))?;
    output.write_all(html_page(database, &shown, Reports::IfFew)?.as_bytes())?;
    output.finish()
}

/// Writes the reports of all chats that have answers.
pub(super) async fn write(
    store: &Store,
    run: &Run,
    fail_under: Option<Score>,
    scoring: &Scoring,
    unread: &[Unread],
    path: &Path,
) -> Result<()> {
    let style = TextStyle::default();
    let renderer = Renderer { format: format_of(path)?, checks: false, style, fail_under };
    let mut writer = Writer::new(Box::new(Output::open(Some(path))?), &renderer, &scoring.rubric);
    unread.iter().for_each(|unread| writer.refuse(&unread.origin, &unread.problem.worded(&CommandLine)));
    let mut position = None;
    loop {
        let chats = store.chats_after(run.key, position, AT_ONCE).await?;
        let Some(last) = chats.last() else { break };
        position = Some(last.position);
        let keys: Vec<_> = chats.iter().map(|chat| chat.key).collect();
        let answers = store.answers(&keys).await?;
        for chat in &chats {
            let start = answers.partition_point(|answer| answer.chat < chat.key);
            let end = answers.partition_point(|answer| answer.chat <= chat.key);
            if start < end {
                let report = report_of(chat, &answers[start..end], scoring)?;
                writer.write(renderer.render(&report, &scoring.rubric)?)?;
            }
        }
    }
    // When nothing was judged, no file may appear as if something had been.
    if writer.is_empty() { Ok(()) } else { writer.finish() }
}
