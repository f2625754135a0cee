//! The options of `carelock personas`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct PersonasArguments {
    #[command(subcommand)]
    pub(crate) command: Option<PersonasCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PersonasCommand {
    /// List personas: id, risk, disclosure, title.
    List {
        /// Files, folders, or builtin for those that come with the program, which is meant where nothing is named.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one persona with its script.
    Show {
        /// The persona's id.
        #[arg(value_name = "ID")]
        id: String,
        /// Files, folders, or builtin.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
    },
    /// Check files of personas: every field, every way through the script, and whether the words fit the risk.
    Check {
        /// Files, folders, or builtin.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
    },
}

const EXAMPLES: &str = "\
Examples:
  carelock personas                                # those that come with the program
  carelock personas show night-shift               # one of them, a start for your own
  carelock personas check my-personas/             # is every way through the script sound?
  carelock probe --bot http://localhost:8000/v1#my-bot --personas my-personas/";
