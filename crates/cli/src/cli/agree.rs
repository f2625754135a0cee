//! The options of `carelock agree`.

use std::path::PathBuf;

use carelock_engine::figures::FigureFormat;
use clap::{Args, ValueEnum};

use super::{DatabaseArgument, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = AGREE_EXAMPLES)]
pub(crate) struct AgreeArguments {
    /// What the judges are measured against: labels (JSONL), rating sheets (a file or a folder), reports, a run, or what
    /// a person has rated in the web app (person:NAME@RUN).
    #[arg(value_name = "LABELS")]
    pub(crate) labels: String,

    /// Reports (JSON or JSONL), rating sheets, recorded answers, or the name of a run; each is a rater of its own.
    #[arg(required = true, value_name = "RUN|REPORTS")]
    pub(crate) raters: Vec<String>,

    /// Show the figures part by part.
    #[arg(long, value_name = "PART")]
    pub(crate) by: Option<Part>,

    /// How many disagreements to show, the worst first.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) worst: usize,

    #[command(flatten)]
    pub(crate) figures: FigureArguments,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

/// How figures are computed and written.
#[derive(Clone, Debug, Args)]
pub(crate) struct FigureArguments {
    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: FigureFormat,

    /// Where to write; the file appears whole or not at all.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// The confidence level of the intervals.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub(crate) confidence: f64,

    /// How many bootstrap resamples an interval is computed from.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) resamples: usize,

    /// The seed of the resampling: the same seed gives the same intervals.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// One row a check.
    Check,
    /// One row a metric.
    Metric,
    /// One row a source or group of chats.
    Source,
}

const AGREE_EXAMPLES: &str = "\
Examples:
  carelock agree labels.jsonl reports.jsonl              # a judge against labels
  carelock agree sheets/ reports.jsonl --by metric       # against rating sheets, metric by metric
  carelock agree one.jsonl two.jsonl                     # two judges against each other
  carelock agree ana.csv ben.csv reports.jsonl           # three raters
  carelock agree labels.jsonl nightly --by source        # a run in the database
  carelock agree person:ana@nightly nightly              # a judge against a person who rated in the web app
  carelock agree labels.jsonl reports.jsonl -f json -o agreement.json";
