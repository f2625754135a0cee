//! The options of `carelock stability`.

use clap::Args;

use super::{FigureArguments, JudgeArguments, ReadingArguments, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = STABILITY_EXAMPLES)]
pub(crate) struct StabilityArguments {
    /// Chats: files, folders, patterns such as 'chats/*.txt', or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// How often each chat is put to the judge.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub(crate) repeat: u16,

    /// How many of the most divided answers to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) divided: usize,

    #[command(flatten)]
    pub(crate) figures: FigureArguments,

    #[command(flatten)]
    pub(crate) judging: JudgeArguments,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

const STABILITY_EXAMPLES: &str = "\
Examples:
  carelock stability chats/ --judge openai:gpt-4.1-mini --repeat 5
  carelock stability chats/ --judge openai:gpt-4.1-mini --repeat 10 --max-cost 2
  carelock stability chat.txt --judge ollama:llama3.2 --repeat 3 -f json
  carelock stability chats/ --judge openai:gpt-4.1-mini --repeat 5 --dry-run";
