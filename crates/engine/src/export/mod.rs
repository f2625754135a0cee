//! The reports or the scores of a run, written one chat after the other.

mod junit;
#[cfg(feature = "parquet")]
mod parquet;
mod reports;
mod rows;
mod scores;
mod table;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_store::Filter;

use crate::destination::Destination;
use crate::runs::{Database, OpenRun, StoredReport};
use crate::show::{ROWS, Reports, Shown, html_page};
pub use scores::{Delivered, ScoreFormat, ScoreSender, ScoreTarget, write_scores};
use table::Table;

/// Where the tables of a run are written to.
type Output = Box<dyn Destination>;

/// Where chats go, one after the other.
trait Sink {
    /// Takes a chat.
    fn take(&mut self, stored: &StoredReport) -> Result<()>;

    /// Closes what is open and makes the output appear.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ExportFormat {
    /// One report a line, or with --table one row a line.
    Jsonl,
    /// A table for spreadsheets.
    Csv,
    /// A table for data frames.
    Parquet,
    /// All reports for people.
    Md,
    /// For CI servers.
    Junit,
    /// The run on one page for a browser, with the reports of its chats where they are at most 50.
    Html,
    /// Scores as OpenTelemetry's events, an export request of OTLP a line.
    Otlp,
    /// Scores for Langfuse, one a line.
    Langfuse,
    /// Scores as annotations for Phoenix, one a line.
    Phoenix,
}

/// The rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TableName {
    /// One row a chat.
    Chats,
    /// One row a check of a chat.
    Checks,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The format.
    pub format: ExportFormat,
    /// The rows, where a format has a choice.
    pub table: Option<TableName>,
}

/// Writes the reports or scores of a run that a filter lets through; how many chats that were.
pub fn write(database: &Database, open: OpenRun, kind: Kind, filter: Filter, output: Output) -> Result<u64> {
    if kind.format == ExportFormat::Html {
        return page(database, open, &filter, output);
    }
    if let Some(format) = ScoreFormat::of_export(kind.format) {
        return Ok(write_scores(database, &open, format, filter, ScoreTarget::File(output))?.chats);
    }
    let mut sink = sink(kind, &open, output)?;
    let written = open.each(database, filter, |stored| sink.take(&stored))?;
    sink.finish()?;
    Ok(written)
}

/// Writes the reports of a person who has rated chats of a run; how many that were.
pub fn write_rater(database: &Database, open: &OpenRun, kind: Kind, rater: &str, output: Output) -> Result<u64> {
    let mut sink = sink(kind, open, output)?;
    let written = open.each_by(database, rater, |stored| sink.take(&stored))?;
    sink.finish()?;
    Ok(written)
}

/// The run and its reports as one page.
fn page(database: &Database, open: OpenRun, filter: &Filter, mut output: Output) -> Result<u64> {
    let shown = Shown::load(database, open, filter, ROWS)?;
    output.write_all(html_page(database, &shown, Reports::IfFew)?.as_bytes())?;
    output.finish()?;
    Ok(shown.matching)
}

fn sink(kind: Kind, open: &OpenRun, output: Output) -> Result<Box<dyn Sink + '_>> {
    let rubric = &open.scoring.rubric;
    let table = |name: Option<TableName>| Table::new(name.unwrap_or(TableName::Chats), &open.run.name, rubric);
    let fail_under = open.config.thresholds.fail_under;
    Ok(match (kind.format, kind.table) {
        (ExportFormat::Jsonl, None) => Box::new(reports::Lines::new(output)),
        (ExportFormat::Jsonl, name) => Box::new(rows::Objects::new(output, table(name))),
        (ExportFormat::Csv, name) => Box::new(rows::Delimited::new(output, table(name))?),
        (ExportFormat::Md, _) => Box::new(reports::Pages::new(output, rubric)),
        // Written before it comes to this: what stands first on the page is known last.
        (ExportFormat::Html, _) => bail!(Problem::new("a page is not written chat by chat").advice("use --format md")),
        (ExportFormat::Otlp | ExportFormat::Langfuse | ExportFormat::Phoenix, _) => {
            bail!(
                Problem::new("what a person has rated is not written as scores of a trace")
                    .advice("use --format jsonl or csv")
            )
        }
        (ExportFormat::Junit, _) => Box::new(junit::Suites::new(output, rubric, fail_under)?),
        #[cfg(feature = "parquet")]
        (ExportFormat::Parquet, name) => Box::new(parquet::Columns::new(output, table(name))?),
        #[cfg(not(feature = "parquet"))]
        (ExportFormat::Parquet, _) => {
            bail!(Problem::new("this build cannot write Parquet files").advice("use --format csv"))
        }
    })
}
