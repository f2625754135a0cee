//! The command line: every option with its help.

mod agree;
mod cache;
mod ci;
mod compare;
mod database;
mod delete;
mod eval;
mod explain;
mod export;
#[cfg(feature = "web")]
mod guard;
mod judges;
mod personas;
mod probe;
mod rescore;
mod run;
mod runs;
#[cfg(feature = "web")]
mod serve;
mod show;
mod stability;
#[cfg(feature = "web")]
mod token;

use std::path::PathBuf;

use carelock_core::panel::{GatePolicy, TiePolicy};
use carelock_core::score::Score;
use carelock_engine::options::{MAX_SIZE, ReadingOptions, TextFormat};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use agree::{AgreeArguments, FigureArguments, Part};
pub(crate) use cache::{CacheArguments, CacheCommand, CachePlace};
pub(crate) use ci::{Annotations, CiArguments};
pub(crate) use compare::CompareArguments;
pub(crate) use database::DatabaseArgument;
pub(crate) use delete::DeleteArguments;
pub(crate) use eval::EvalArguments;
pub(crate) use explain::{ExplainArguments, ExplainFormat};
pub(crate) use export::ExportArguments;
#[cfg(feature = "web")]
pub(crate) use guard::GuardArguments;
pub(crate) use judges::{JudgeArguments, JudgesArguments, PromptArguments};
pub(crate) use personas::{PersonasArguments, PersonasCommand};
pub(crate) use probe::ProbeArguments;
pub(crate) use rescore::RescoreArguments;
pub(crate) use run::{InitArguments, RunArguments};
pub(crate) use runs::{ListFormat, RunsArguments};
#[cfg(feature = "web")]
pub(crate) use serve::ServeArguments;
pub(crate) use show::{FilterArguments, ShowArguments};
pub(crate) use stability::StabilityArguments;
#[cfg(feature = "web")]
pub(crate) use token::{RoleName, TokenArguments, TokenCommand};

use crate::exit;

/// Judges how well an AI chatbot behaves in mental-health conversations.
///
/// A judge answers 50 yes/no checks with quoted evidence; Care-Lock computes tiers, safety gates, a self-audit, an
/// overall score and a one-line verdict from the answers. Every number can be re-derived.
#[derive(Debug, Parser)]
#[command(name = "carelock", version, propagate_version = true, after_help = exit::HELP, after_long_help = long_help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to colour the output; NO_COLOR is honoured.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,

    /// Write nothing but errors, and files that were asked for; the exit code says the rest.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Evaluate chats: one report per chat, in input order.
    Eval(Box<EvalArguments>),
    /// Judge many chats into a database; can be stopped and resumed.
    Run(Box<RunArguments>),
    /// Let simulated users talk with a live bot, and judge the chats into a run.
    Probe(Box<ProbeArguments>),
    /// List the personas of simulated users, show one, or check files of your own.
    Personas(PersonasArguments),
    /// Write a commented configuration for `carelock run`.
    Init(InitArguments),
    /// Show how the embedded judge came to its verdict on one check.
    Explain(ExplainArguments),
    /// Show how a transcript was understood: numbered turns, who is who and why, what was dropped.
    Turns(TurnsArguments),
    /// Print the rubric: metrics, checks, tiers, gates, audit rules, version and digest.
    Rubric(RubricArguments),
    /// Re-derive every number and re-check every quote of reports.
    Verify(VerifyArguments),
    /// List or remove the answers of models that are recorded on this computer.
    Cache(CacheArguments),
    /// Write a rating sheet for a person to fill in.
    Sheet(SheetArguments),
    /// List the runs of a database.
    Runs(RunsArguments),
    /// Show a run: means, tiers and the chats to look at first; or the report of one of its chats.
    Show(Box<ShowArguments>),
    /// Write the reports or the scores of a run into a file.
    Export(ExportArguments),
    /// Compute a run again from its stored answers: another rubric, other weights, another policy; no judge is asked.
    Rescore(RescoreArguments),
    /// Delete a run, or some of its chats, with everything that was stored about them.
    Delete(DeleteArguments),
    /// Compare runs, files of reports, or the groups of a run: who is ahead, and whether that could be chance.
    Compare(CompareArguments),
    /// Measure how far a judge agrees with labels, or judges with each other.
    Agree(AgreeArguments),
    /// Ask a judge several times and measure how stable its answers are.
    Stability(Box<StabilityArguments>),
    /// Open the web app: judge, read, rate and compare in the browser; with an HTTP API beside it.
    #[cfg(feature = "web")]
    Serve(Box<ServeArguments>),
    /// Watch a chatbot while it talks: a proxy before its model that sees crises and gates, and may hold replies back.
    #[cfg(feature = "web")]
    Guard(GuardArguments),
    /// Make, list and revoke tokens for the web app.
    #[cfg(feature = "web")]
    Token(TokenArguments),
    /// List the judges there are, what they cost and whose key is set, or try one out.
    Judges(JudgesArguments),
    /// Print exactly what an LLM judge would be sent for a chat.
    Prompt(PromptArguments),
    /// Print a JSON Schema.
    Schema(SchemaArguments),
    /// Print shell completions.
    Completions(CompletionsArguments),
    /// Write the man pages into a folder.
    Man(ManArguments),
}

/// How transcripts are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadingArguments {
    /// A speaker's name that stands for the person; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) human: Vec<String>,

    /// A speaker's name that stands for the AI; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) ai: Vec<String>,

    /// The name of a third party, such as "Mom": what they say is kept as context on the person's side, with the name in
    /// front, and is never judged as the AI's; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) other: Vec<String>,

    /// A speaker whose messages are left out and counted; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) ignore_speaker: Vec<String>,

    /// A word before a colon that is not a speaker: its line belongs to the message around it; may be given several
    /// times.
    #[arg(long, value_name = "WORD")]
    pub(crate) not_a_speaker: Vec<String>,

    /// Skip and list files that cannot be read as a chat, instead of failing on them.
    #[arg(long)]
    pub(crate) skip_unreadable: bool,

    /// The text format of the chats, where it is detected wrongly; JSON, zip and Parquet are always recognised.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,

    /// The largest file, or line of a JSONL file, that is read, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = MAX_SIZE)]
    pub(crate) max_size: u64,
}

impl From<&ReadingArguments> for ReadingOptions {
    fn from(arguments: &ReadingArguments) -> Self {
        Self {
            human: arguments.human.clone(),
            ai: arguments.ai.clone(),
            other: arguments.other.clone(),
            ignore_speaker: arguments.ignore_speaker.clone(),
            not_a_speaker: arguments.not_a_speaker.clone(),
            skip_unreadable: arguments.skip_unreadable,
            from: arguments.from.map(|format| format.name().to_owned()),
            max_size: Some(arguments.max_size),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RubricFileArgument {
    /// A rubric of your own instead of the built-in one (TOML or JSON).
    #[arg(long = "rubric", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Policy {
    Any,
    Majority,
}

impl From<Policy> for GatePolicy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Any => Self::Any,
            Policy::Majority => Self::Majority,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Tie {
    Standing,
    Fails,
}

impl From<Tie> for TiePolicy {
    fn from(tie: Tie) -> Self {
        match tie {
            Tie::Standing => Self::Standing,
            Tie::Fails => Self::Fails,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = TURNS_EXAMPLES)]
pub(crate) struct TurnsArguments {
    /// Chats: files, folders, patterns, or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Print the turns as JSON, one chat a line, ready to be read again.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
}

#[derive(Debug, Args)]
#[command(after_long_help = RUBRIC_EXAMPLES)]
pub(crate) struct RubricArguments {
    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "md")]
    pub(crate) format: RubricFormat,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RubricFormat {
    Md,
    Json,
    Toml,
}

#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArguments {
    /// Reports as JSON or JSONL, or - for standard input.
    #[arg(required = true, value_name = "REPORT")]
    pub(crate) paths: Vec<String>,

    /// List every point, including those that hold.
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Print the points as JSON, one report a line.
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not run the embedded judge again. By default, answers that this version of it gave are judged again and
    /// compared.
    #[arg(long)]
    pub(crate) no_rejudge: bool,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

#[derive(Debug, Args)]
#[command(after_long_help = SHEET_EXAMPLES)]
pub(crate) struct SheetArguments {
    /// The file of the chat to rate.
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    /// The id of the chat, where the file holds several.
    #[arg(long, value_name = "ID")]
    pub(crate) chat: Option<String>,

    /// What to write.
    #[arg(long, short, value_name = "FORMAT", default_value = "csv")]
    pub(crate) format: SheetFormat,

    /// Where to write; a file that exists is never overwritten.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SheetFormat {
    Csv,
    Json,
}

#[derive(Debug, Args)]
#[command(after_long_help = SCHEMA_EXAMPLES)]
pub(crate) struct SchemaArguments {
    /// Which schema.
    #[arg(value_name = "WHICH")]
    pub(crate) which: SchemaName,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaName {
    Report,
    Verdicts,
    Rubric,
}

#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_long_help = MAN_EXAMPLES)]
pub(crate) struct ManArguments {
    /// The folder to write into.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

fn score(text: &str) -> Result<Score, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Score::from_decimal(number).ok_or_else(|| "expected 0 to 1 in whole hundredths, such as 0.75".to_owned())
}

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{}", exit::HELP)
}

const EXAMPLES: &str = "\
Examples:
  carelock eval chat.txt                           # the report; no key, no network
  carelock explain chat.txt B2                     # how one of its verdicts came about
  carelock sheet chat.txt -o sheet.csv             # or judge it yourself: 1. a sheet to fill in
  carelock eval chat.txt --verdicts sheet.csv      # 2. the report
  carelock turns chat.txt                          # how the chat was understood
  carelock rubric                                  # what the 50 checks mean";

const TURNS_EXAMPLES: &str = "\
Examples:
  carelock turns chat.txt
  carelock turns export.zip --json > chats.jsonl
  carelock turns talk.txt --human Ana --ai Joy";

const RUBRIC_EXAMPLES: &str = "\
Examples:
  carelock rubric
  carelock rubric --format toml > my-rubric.toml   # a start for your own
  carelock rubric --rubric my-rubric.toml --format json";

const VERIFY_EXAMPLES: &str = "\
Examples:
  carelock verify report.json
  carelock verify reports.jsonl --verbose
  carelock eval chat.txt --verdicts sheet.csv --format json | carelock verify -";

const SHEET_EXAMPLES: &str = "\
Examples:
  carelock sheet chat.txt -o sheet.csv
  carelock sheet chat.txt --format json -o sheet.json
  carelock eval chat.txt --verdicts sheet.csv      # once it is filled in";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  carelock schema report > report.schema.json
  carelock schema verdicts";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  carelock completions bash > ~/.local/share/bash-completion/completions/carelock
  carelock completions zsh > ~/.zfunc/_carelock";

const MAN_EXAMPLES: &str = "\
Examples:
  carelock man ~/.local/share/man/man1";
