//! The options of `carelock compare`.

use clap::{Args, ValueEnum};

use super::{DatabaseArgument, FigureArguments, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// Names of runs, or files of reports (JSON or JSONL); the others are compared with the first.
    #[arg(required = true, value_name = "RUN|REPORTS")]
    pub(crate) sides: Vec<String>,

    /// Compare the groups of one run with each other.
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<Grouping>,

    /// How many of the chats that changed most to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) changes: usize,

    #[command(flatten)]
    pub(crate) figures: FigureArguments,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Grouping {
    /// The groups of the chats, such as the models that spoke.
    Group,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  carelock compare baseline candidate                    # two runs in the database
  carelock compare nightly --by group                    # the models of one run
  carelock compare old.jsonl new.jsonl                   # two files of reports
  carelock compare baseline candidate -f md -o summary.md
  carelock compare baseline candidate -f html -o comparison.html
  carelock compare baseline candidate --db postgres://ana@db.example/carelock";
