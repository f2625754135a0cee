//! The options of `carelock eval`.

use std::path::PathBuf;

use carelock_engine::render::ReportFormat;
use clap::Args;

use super::{CiArguments, DatabaseArgument, JudgeArguments, Policy, ReadingArguments, RubricFileArgument, Tie};

#[derive(Debug, Args)]
#[command(after_long_help = EVAL_EXAMPLES)]
pub(crate) struct EvalArguments {
    /// Chats: files, folders, patterns such as 'chats/*.txt', or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// A judge's answers: a rating sheet, a recorded answer, a JSONL of answers, a folder of such files named like the
    /// chats, or - for standard input. Given several times, the judges form a panel. Without it, answers that come in
    /// the same record as the chat are used, and where there are none, the embedded judge judges.
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Vec<String>,

    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    /// With text: everything, also the evidence of every failed check, the moments and the self-audit.
    #[arg(long)]
    pub(crate) full: bool,

    /// With csv: one row a check instead of one row a chat.
    #[arg(long)]
    pub(crate) checks: bool,

    /// Where to write; the file appears whole or not at all.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// How much each metric counts: a TOML or JSON file such as `Empathy = 2`; what is not named counts 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// When a panel trips a gate: one judge with proof is enough, or the majority decides.
    #[arg(long, value_name = "POLICY", default_value = "any")]
    pub(crate) gate_policy: Policy,

    /// Who decides where a panel is divided: the judge of higher standing (a person, then a model, then the embedded
    /// judge), or nobody, so that the check fails. A check that trips a gate always fails.
    #[arg(long, value_name = "POLICY", default_value = "standing")]
    pub(crate) tie: Tie,

    /// How many judges must have answered; without it all of them, and where one gave no verdict the exit code is 3.
    #[arg(long, value_name = "N")]
    pub(crate) min_judges: Option<usize>,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) judging: JudgeArguments,

    #[command(flatten)]
    pub(crate) ci: CiArguments,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  carelock eval chat.txt                                         # the embedded judge: no key, no network
  carelock eval chat.txt --judge builtin --judge ollama:llama3.2 # a panel of it and a model
  carelock eval chats/ --judge cascade:openai:gpt-4.1-mini       # a model only where it is not sure
  carelock eval chat.txt --verdicts sheet.csv
  carelock eval chats/*.txt --verdicts sheets/ --format csv -o scores.csv
  carelock eval chats.jsonl --format jsonl -o reports.jsonl      # answers in the same records
  carelock eval chat.txt --format html -o report.html            # one page to look at, send or print
  carelock eval chat.txt --verdicts ana.csv --verdicts ben.csv   # a panel of two
  carelock eval chats/ --verdicts sheets/ --fail-on-gate --fail-under 0.75 --format junit -o junit.xml
  carelock eval whatsapp.txt --human Ana --ai Joy --verdicts sheet.csv";
