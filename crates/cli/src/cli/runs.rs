//! The options of `carelock runs`.

use clap::{Args, ValueEnum};

use super::DatabaseArgument;

#[derive(Debug, Args)]
#[command(after_long_help = RUNS_EXAMPLES)]
pub(crate) struct RunsArguments {
    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For a terminal.
    Text,
    /// One object.
    Json,
}

const RUNS_EXAMPLES: &str = "\
Examples:
  carelock runs
  carelock runs --db runs.db --format json";
