//! The options of `carelock explain`.

use clap::{Args, ValueEnum};

use super::{ReadingArguments, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArguments {
    /// The chat; exactly one, or - for standard input.
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    /// The id of the check to explain, such as B2; `carelock rubric` lists them.
    #[arg(value_name = "CHECK")]
    pub(crate) check: String,

    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExplainFormat,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
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
  carelock explain whatsapp.txt E1 --human Ana --ai Joy
  cat chat.txt | carelock explain - E1";
