//! The options of `carelock explain`.

use clap::{Args, ValueEnum};

use super::{DatabaseArgument, ReadingArguments, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArguments {
    /// The file of the chat, - for standard input, or with --chat the name of a run.
    #[arg(value_name = "PATH|RUN")]
    pub(crate) path: String,

    /// The id of the check to explain, such as B2; `carelock rubric` lists them.
    #[arg(value_name = "CHECK")]
    pub(crate) check: String,

    /// The id of the chat, where the file holds several, or of a run's.
    #[arg(long, value_name = "ID")]
    pub(crate) chat: Option<String>,

    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExplainFormat,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For a terminal.
    Text,
    /// One object.
    Json,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  carelock explain chat.txt B2
  carelock explain chat.txt ES1 --format json
  carelock explain chats.jsonl E1 --chat c7        # one chat of several
  carelock explain nightly E1 --chat chat-017      # a chat of a run
  carelock explain whatsapp.txt E1 --human Ana --ai Joy
  cat chat.txt | carelock explain - E1";
