//! `carelock export`: the reports or the scores of a run, written one chat after the other.

use std::io::IsTerminal as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_engine::export::{ExportFormat, Kind, write, write_rater};
use carelock_engine::runs::{Database, OpenRun};
use carelock_store::OpenMode;

use crate::cli::ExportArguments;
use crate::exit;
use crate::message::say;
use crate::output::{Output, named};

pub(super) fn run(arguments: &ExportArguments) -> Result<u8> {
    check(arguments)?;
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let open = OpenRun::find(&database, &arguments.run)?;
    let output = Box::new(Output::open(arguments.output.as_deref())?);
    let kind = Kind { format: arguments.format, table: arguments.table };
    if let Some(rater) = &arguments.rater {
        write_rater(&database, &open, kind, rater, output)?;
        return Ok(exit::DONE);
    }
    let (chats, filter) = (open.run.chats, arguments.filter.filter(open.run.key));
    let written = write(&database, open, kind, filter, output)?;
    if !arguments.filter.is_set() && written < chats {
        let missing = chats - written;
        say(format_args!("{missing} of {chats} chats have no result yet and are left out"));
    } else if written == 0 {
        say("no chat matches");
    }
    Ok(exit::DONE)
}

fn check(arguments: &ExportArguments) -> Result<()> {
    let takes_table = matches!(arguments.format, ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Parquet);
    if arguments.table.is_some() && !takes_table {
        bail!(
            Problem::new("--table goes with --format csv, parquet or jsonl")
                .advice("choose one of them, or leave --table out")
        );
    }
    if arguments.rater.is_some() && arguments.filter.is_set() {
        bail!(
            Problem::new("--rater takes all chats that the person has finished")
                .advice("leave the options that choose chats out")
        );
    }
    let to_terminal = named(arguments.output.as_deref()).is_none() && std::io::stdout().is_terminal();
    if arguments.format == ExportFormat::Parquet && to_terminal {
        bail!(Problem::new("a Parquet file is nothing to look at").advice("name a file with -o"));
    }
    Ok(())
}
