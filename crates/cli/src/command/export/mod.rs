//! `carelock export`: the reports or the scores of a run, written one chat after the other.

use std::io::IsTerminal as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_engine::config::Config;
use carelock_engine::export::{
    Delivered, ExportFormat, Kind, ScoreFormat, ScoreSender, ScoreTarget, write, write_rater, write_scores,
};
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
    if let Some(format) = ScoreFormat::of_export(arguments.format) {
        return scores(arguments, &database, &open, format);
    }
    let output = Box::new(Output::open(arguments.output.as_deref())?);
    let kind = Kind { format: arguments.format, table: arguments.table };
    if let Some(rater) = &arguments.rater {
        write_rater(&database, &open, kind, rater, output)?;
        return Ok(exit::DONE);
    }
    let (chats, filter) = (open.run.chats, arguments.filter.filter(open.run.key));
    let written = write(&database, open, kind, filter, output)?;
    tell_missing(arguments, written, chats);
    Ok(exit::DONE)
}

/// Says how many chats are not there yet, or that none matches.
fn tell_missing(arguments: &ExportArguments, written: u64, chats: u64) {
    if !arguments.filter.is_set() && written < chats {
        let missing = chats - written;
        say(format_args!("{missing} of {chats} chats have no result yet and are left out"));
    } else if written == 0 {
        say("no chat matches");
    }
}

/// Writes the scores of a run for a tracing tool, or sends them to it.
fn scores(arguments: &ExportArguments, database: &Database, open: &OpenRun, format: ScoreFormat) -> Result<u8> {
    let target = match &arguments.to {
        Some(address) => {
            let config = Config::of_process(None)?;
            ScoreTarget::Server(Box::new(ScoreSender::new(format, address, arguments.allow_plain_http, &config)?))
        }
        None => ScoreTarget::File(Box::new(Output::open(arguments.output.as_deref())?)),
    };
    let delivered = write_scores(database, open, format, arguments.filter.filter(open.run.key), target)?;
    let Delivered { chats, untraced, unscored, scores } = delivered;
    tell_missing(arguments, chats, open.run.chats);
    if untraced > 0 {
        say(format_args!("{untraced} of {chats} chats came from no trace and are left out"));
    }
    if unscored > 0 {
        say(format_args!("{unscored} scores are missing, because checks are unscored, and are left out"));
    }
    if arguments.to.is_some() {
        say(format_args!("{scores} scores of {} chats sent", chats - untraced));
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
    let is_scores = ScoreFormat::of_export(arguments.format).is_some();
    if arguments.to.is_some() && !is_scores {
        bail!(
            Problem::new("--to goes with --format otlp, langfuse or phoenix")
                .advice("choose one of them, or write a file with -o")
        );
    }
    if arguments.rater.is_some() && is_scores {
        bail!(
            Problem::new("what a person has rated is not written as scores of a trace")
                .advice("use --format jsonl or csv")
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
