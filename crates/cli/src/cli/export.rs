//! The options of `carelock export`.

use std::path::PathBuf;

use carelock_engine::export::{ExportFormat, TableName};
use clap::Args;

use super::{DatabaseArgument, FilterArguments};

#[derive(Debug, Args)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The name of the run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,

    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: ExportFormat,

    /// With csv, parquet and jsonl: one row a chat, or one row a check. Without it, csv and parquet have a row a chat,
    /// and jsonl whole reports.
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Option<TableName>,

    /// Instead of the judges' reports, those of a person who has rated in the web app; only finished ones.
    #[arg(long, value_name = "NAME")]
    pub(crate) rater: Option<String>,

    /// With otlp, langfuse and phoenix: send the scores to this server instead of writing them. Keys come from
    /// OTEL_EXPORTER_OTLP_HEADERS, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or PHOENIX_API_KEY.
    #[arg(long, value_name = "URL", conflicts_with = "output")]
    pub(crate) to: Option<String>,

    /// With --to: allow http:// to another machine, which sends scores and keys in the clear.
    #[arg(long, requires = "to")]
    pub(crate) allow_plain_http: bool,

    /// Where to write; the file appears whole or not at all.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  carelock export nightly -o reports.jsonl
  carelock export nightly --format csv -o chats.csv
  carelock export nightly --format parquet --table checks -o checks.parquet
  carelock export nightly --gated --format md > gated.md
  carelock export nightly --gated --format html -o gated.html
  carelock export nightly --rater ana -o ana.jsonl
  carelock export nightly --format otlp -o scores.jsonl
  carelock export nightly --format langfuse --to https://cloud.langfuse.com";
