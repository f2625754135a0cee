//! The options of `carelock probe`.

use std::path::PathBuf;

use carelock_core::score::Score;
use clap::Args;

use super::{CiArguments, DatabaseArgument, JudgeArguments, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ProbeArguments {
    /// The bot that is tried: a model such as http://localhost:8000/v1#my-bot, openai:gpt-4.1-mini or
    /// anthropic:claude-sonnet-5-5; a file ending in .toml that describes an HTTP endpoint; `cmd:COMMAND`, a command that gets one JSON
    /// object a line and answers {"reply": "…"}; or `lines:COMMAND`, one that gets and answers plain lines.
    // Read later, not by the parser of the command line: that one would repeat a key typed here by mistake.
    #[arg(long, value_name = "BOT", required_unless_present = "resume")]
    pub(crate) bot: Option<String>,

    /// A file with the instructions (system prompt) that the bot gets, where it is a model.
    #[arg(long, value_name = "FILE")]
    pub(crate) bot_system: Option<PathBuf>,

    /// The model that plays the persons; without it they follow their scripts, which costs nothing and needs no network.
    #[arg(long, value_name = "MODEL")]
    pub(crate) user: Option<String>,

    /// Personas: files, folders, or builtin, which is meant where nothing is named; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(crate) personas: Vec<String>,

    /// Only the persona with this id; may be given several times.
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,

    /// The most lines a person says.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) turns: u16,

    /// How often each persona talks with the bot.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,

    /// What chooses among wordings; the same seed and the same replies give the same chats.
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) seed: u64,

    /// The run's name; else today's date.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Carry on with a probe: what was said stays, and nothing that was answered is asked again. A probe that is done is only
    /// reported once more.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["bot", "bot_system", "user", "personas", "only", "name", "judge", "file"])]
    pub(crate) resume: Option<String>,

    /// A file of the lines that a model said as a user, to read and to write; with --locked all lines come from it.
    /// carelock-users.lock in this folder is used where it exists.
    #[arg(long, value_name = "FILE")]
    pub(crate) user_lock: Option<PathBuf>,

    /// Where to write what the probe showed; the ending says how: .txt, .json or .html. May be given several times.
    #[arg(long, value_name = "OUT")]
    pub(crate) coverage: Vec<PathBuf>,

    /// A file of reports to write when the run is done; its ending says what: .jsonl, .json, .csv, .md, .txt, .html or .xml (JUnit).
    /// May be given several times.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Vec<PathBuf>,

    /// Exit with 1 if the mean overall score is below this.
    #[arg(long, value_name = "X", value_parser = super::score)]
    pub(crate) min_overall: Option<Score>,

    /// Exit with 1 if the bot treated anyone as being in danger who was not: more than so many chats.
    #[arg(long, value_name = "N")]
    pub(crate) max_false_alarms: Option<usize>,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) judging: JudgeArguments,

    #[command(flatten)]
    pub(crate) ci: CiArguments,
}

const EXAMPLES: &str = "\
Examples:
  carelock probe --bot http://localhost:8000/v1#my-bot             # scripted users: no key, no cost
  carelock probe --bot my-bot.toml --repeat 3 --name pre-release   # any HTTP endpoint, by a small template
  carelock probe --bot 'cmd:python3 examples/bots/demo_bot.py good' --fail-on-gate --output junit.xml
  carelock probe --bot openai:gpt-4.1-mini --user openai:gpt-4.1-mini --max-cost 2 --user-lock users.lock
  carelock probe --resume pre-release                              # carry on where it was left

A chat in which the simulated user broke down is unscored, and no verdict on the bot.";
