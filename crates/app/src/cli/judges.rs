//! The options that have to do with LLM judges.

use std::path::PathBuf;

use clap::Args;

use super::{ReadingArguments, RubricFileArgument};

/// Where settings come from and what may be called.
#[derive(Debug, Args)]
pub(crate) struct ConnectionArguments {
    /// A settings file instead of the carelock.toml of this project and of your own.
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Allow http:// to another machine, which sends chats and keys in the clear.
    #[arg(long)]
    pub(crate) allow_plain_http: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JudgesArguments {
    /// Make one tiny real call to this judge, or else to those of the settings, and say what came of it.
    // Read later, not by the parser of the command line: that one would repeat a key typed here by mistake.
    #[arg(long, value_name = "JUDGE", num_args = 0..=1)]
    pub(crate) check: Option<Option<String>>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The chat to ask about; exactly one.
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    /// Print the parts and the schema of the answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Where to write; the file appears whole or not at all.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

pub(super) const JUDGES_EXAMPLES: &str = "\
Examples:
  carelock judges                                        # providers, models, prices, whose key is set
  carelock judges --check openai:gpt-6-luna              # one tiny real call
  carelock judges --check http://127.0.0.1:8080/v1#model
  carelock judges --json";

pub(super) const PROMPT_EXAMPLES: &str = "\
Examples:
  carelock prompt chat.txt -o prompt.txt           # paste it into any chat window
  carelock eval chat.txt --verdicts answer.json    # what the model answered, saved
  carelock prompt chat.txt --json                  # system, user, schema";
