//! The options of `carelock cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = CACHE_EXAMPLES)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// List the recorded answers by judge: how many, how large, from when to when.
    List {
        /// List every recorded answer: chat, judge, date, size.
        #[arg(long)]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: CachePlace,
    },
    /// Remove all recorded answers, or those of one judge.
    Clear {
        /// Only answers of this judge, such as openai:gpt-4.1-mini.
        #[arg(long, value_name = "JUDGE")]
        judge: Option<String>,
        /// Do not ask whether to do it.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        place: CachePlace,
    },
    /// Remove the oldest recorded answers.
    Prune {
        /// Keep at most so many MiB, the newest.
        #[arg(long, value_name = "MIB", required_unless_present = "older_than")]
        max_size: Option<u64>,
        /// Remove what is older than so many days.
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,
        #[command(flatten)]
        place: CachePlace,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CachePlace {
    /// The folder, where it is not that of your cache directory.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}

const CACHE_EXAMPLES: &str = "\
Examples:
  carelock cache list
  carelock cache prune --older-than 90
  carelock cache clear --judge openai:gpt-4.1-mini --yes";
