//! `carelock export`: the reports or the scores of a run, written one chat after the other.

mod junit;
#[cfg(feature = "parquet")]
mod parquet;
mod reports;
mod rows;
mod table;

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Result, bail};
use carelock_store::{Filter, OpenMode};

use super::show::{ROWS, Reports, Shown, html_page};
use crate::cli::{ExportArguments, ExportFormat, TableName};
use crate::exit;
use crate::message::say;
use crate::output::{Output, named};
use crate::runs::{Database, OpenRun, Told};
use table::Table;

/// Where chats go, one after the other.
trait Sink {
    /// Takes a chat.
    fn take(&mut self, told: &Told) -> Result<()>;

    /// Closes what is open and makes the output appear.
    fn finish(self: Box<Self>) -> Result<()>;
}

pub(super) fn run(arguments: &ExportArguments) -> Result<u8> {
    check(arguments)?;
    let database = Database::open(&arguments.database, OpenMode::Existing)?;
    let open = OpenRun::find(&database, &arguments.run)?;
    let output = Output::open(arguments.output.as_deref())?;
    let kind = Kind { format: arguments.format, table: arguments.table };
    if let Some(rater) = &arguments.rater {
        let mut sink = sink(kind, &open, output)?;
        open.each_by(&database, rater, |told| sink.take(&told))?;
        sink.finish()?;
        return Ok(exit::DONE);
    }
    let (chats, filter) = (open.run.chats, open.filter(&arguments.filter));
    let written = write(&database, open, kind, filter, output)?;
    if !arguments.filter.is_set() && written < chats {
        let missing = chats - written;
        say(format_args!("{missing} of {chats} chats have no result yet and are left out"));
    } else if written == 0 {
        say("no chat matches");
    }
    Ok(exit::DONE)
}

/// What is written.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) format: ExportFormat,
    pub(crate) table: Option<TableName>,
}

/// Writes the reports or scores of a run that a filter lets through; how many chats that were.
pub(crate) fn write(database: &Database, open: OpenRun, kind: Kind, filter: Filter, output: Output) -> Result<u64> {
    if kind.format == ExportFormat::Html {
        return page(database, open, &filter, output);
    }
    let mut sink = sink(kind, &open, output)?;
    let written = open.each(database, filter, |told| sink.take(&told))?;
    sink.finish()?;
    Ok(written)
}

/// The run and its reports as one page.
fn page(database: &Database, open: OpenRun, filter: &Filter, mut output: Output) -> Result<u64> {
    let shown = Shown::load(database, open, filter, ROWS)?;
    output.write_all(html_page(database, &shown, Reports::IfFew)?.as_bytes())?;
    output.finish()?;
    Ok(shown.matching())
}

fn check(arguments: &ExportArguments) -> Result<()> {
    let takes_table = matches!(arguments.format, ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Parquet);
    if arguments.table.is_some() && !takes_table {
        bail!("--table goes with --format csv, parquet or jsonl\n  fix: choose one of them, or leave --table out");
    }
    if arguments.rater.is_some() && arguments.filter.is_set() {
        bail!("--rater takes all chats that the person has finished\n  fix: leave the options that choose chats out");
    }
    let to_terminal = named(arguments.output.as_deref()).is_none() && std::io::stdout().is_terminal();
    if arguments.format == ExportFormat::Parquet && to_terminal {
        bail!("a Parquet file is nothing to look at\n  fix: name a file with -o");
    }
    Ok(())
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
        (ExportFormat::Html, _) => bail!("a page is not written chat by chat\n  fix: use --format md"),
        (ExportFormat::Junit, _) => Box::new(junit::Suites::new(output, rubric, fail_under)?),
        #[cfg(feature = "parquet")]
        (ExportFormat::Parquet, name) => Box::new(parquet::Columns::new(output, table(name))?),
        #[cfg(not(feature = "parquet"))]
        (ExportFormat::Parquet, _) => bail!("this build cannot write Parquet files\n  fix: use --format csv"),
    })
}
